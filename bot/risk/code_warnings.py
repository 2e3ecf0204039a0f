"""Warnings about SQL and code of other languages, which are not followed but searched for certain words."""

import re
from collections.abc import Iterator

from bot.risk import sed_scripts
from bot.risk.nested_commands import INTERPRETERS, code_argument, program, row_and_arguments, runs_stdin
from bot.risk.network_addresses import is_local
from bot.risk.shell_types import ProgramCall
from bot.risk.warning_kinds import WarningKind

MAX_CODE = 20_000
_BLANKS = re.compile(r"\s{2,}")
MAX_LITERALS = 100
_WORDS: tuple[tuple[WarningKind, re.Pattern[str]], ...] = (
    (
        WarningKind.DELETES,
        re.compile(
            r"rmtree|remove_dir|rm_rf|rm_r\b|\brmSync|rmdirSync|\bunlink|removeSync|\bos\.remove|os\.rmdir|removedirs"
            r"|\brm\s*\(\s*[\"']|deleteDir\(|removeItem|\bfile\s+delete\b|FileUtils\.(?:rm|remove)|File\.delete|Dir\.(?:delete|rmdir)|fs\.(?:promises\.)?(?:rm|rmdir|unlink)\b|rimraf"
            r"|remove_tree|RemoveAll|Remove-Item|\bRemove-|Clear-Content|\.rmdir\(|\btruncate\(|Deno\.remove|file\.remove|delete-(?:file|directory)"
        ),
    ),
    (
        WarningKind.ACTS,
        re.compile(
            r"\bos\.(?:system|popen|exec|spawn|posix_spawn|fork|kill|setuid|startfile)|subprocess|\bpopen\b|\bpty\b|pexpect"
            r"|child_process|execSync|spawnSync|\bexec\w*\s*[(\"'`]|\bspawn\w*\s*\("
            r"|\bsystem\s*[(\"' ]|shell_exec|passthru"
            r"|proc_open|pcntl_|os\.execute|io\.popen|Runtime\.|ProcessBuilder|\bqx\b|\bqw\b|%x|Kernel\.|Open3|IO\.popen"
            r"|do shell script|tell app|shut down|restart|shell-command|call-process|start-process"
            r"|Deno\.(?:run|Command)|Bun\.(?:spawn|\$)"
            r"|\bexec\s+qw|Invoke-Expression|\biex\b|Start-Process|Invoke-Command|Stop-Process|Stop-Computer|ctypes|\bsyscmd"
            r"|(?:^|\n)\s*:?!\s*\w"
            r"|\|&?\s*['\"](?:[\w/]*/)?(?:ba|z|da|k|)sh\b|\besyscmd|\|\s*getline|\|&|/inet/"
            r"|exec\.Command|sys\.process|\bkill\s*[(\d-]|process\.kill|\bload_library|dlopen|\bcffi\b"
            r"|(?<!re\.)\bcompile\s*\(|\beval\b|\bexec\b|__import__|getattr\s*\(\s*__|importlib|Function\s*\(|instance_eval"
            r"|b64decode|decode_base64|base64_decode|\batob\b|from\(['\"][^'\"]{1,500}['\"],\s*['\"](?:base64|hex)"
            r"|fromhex|\bunpack\b|\.pack\("
            r"|unhexlify|codecs\.decode|marshal\.loads|pickle\.loads|yaml\.load\(|zlib\.decompress|\bchr\(\d+\)\s*[.+]"
        ),
    ),
    (
        WarningKind.SENDS,
        re.compile(
            r"\bsocket\b|urlopen|urlretrieve|urllib\.request|urllib2|requests\.(?:get|post|put|patch|delete|request|Session)"
            r"|httpx\.|aiohttp|http\.client|http\.server|smtplib|ftplib|telnetlib|paramiko|\bfetch\s*\(|axios|XMLHttpRequest"
            r"|net\.connect|net\.createConnection|require\(['\"](?:node:)?(?:net|http|https|dgram|tls)['\"]\)|LWP|IO::Socket|open-uri"
            r"|URI\.open|Net::HTTP|TCPSocket|UDPSocket|fsockopen|stream_socket|curl_init|file_get_contents\(['\"]https?:|WebClient"
            r"|Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|DownloadString|Net\.Sockets|WebSocket\(|dns\.(?:lookup|resolve)"
            r"|gethostbyname|getaddrinfo"
        ),
    ),
    (
        WarningKind.SECRET,
        re.compile(
            r"(?:dict|print|str|list|repr|dumps|json)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\b(?!\s*[.\[])|for\b[^:]{1,80}\bos\.environ\b|os\.environ\.(?:items|copy|values)"
            r"|process\.env(?![.\[\w])|\bENV\.(?:to_|each|map|inspect|sort)|\bENV\s*$|%ENV|getenv\(\)|\$_ENV|Deno\.env\.toObject"
            r"|(?:environ|getenv|process\.env|\benv|ENV)[\[.('\"]{1,3}\w{0,60}(?:SECRET|TOKEN|PASSW|API_?KEY|APP_?KEY|PRIVATE_?KEY)\w{0,60}"
        ),
    ),
    (
        WarningKind.DISCARDS,
        re.compile(
            r"open\s*\([^)]{1,300},\s*['\"]w['\"]\s*\)\.close\(|write_text\(\s*(?:''|\"\")\s*\)"
            r"|(?:writeFileSync|file_put_contents|File\.write)\s*\([^,)]{1,300},\s*(?:''|\"\")\s*\)"
        ),
    ),
    (
        WarningKind.DESTROYS,
        re.compile(
            r"\b(?:delete_all|destroy_all|deleteAll|drop_table|drop_database|truncate_tables?|dropAllTables|dropIfExists)\b"
            r"|\btruncate\(\)|DROP\s+(?:TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE|DELETE\s+FROM"
            r"|objects\.(?:all|filter)\([^)]{0,200}\)\.delete\("
        ),
    ),
    (WarningKind.EXHAUSTS, re.compile(r"\bfork\b|while\s+(?:True|1|true)\s*:?\s*(?:os\.fork|a\.append|x\s*[*+]=)")),
    (WarningKind.ELEVATES, re.compile(r"with administrator privileges|\bsetuid\b|\bchmod\s*\([^)]{0,200}0o?4\d{3}")),
)
_WRITES = re.compile(
    r"open\s*\([^)]{0,300},\s*(?:mode\s*=\s*)?['\"][rbt]{0,2}[wax+]|write|fs\.(?:cp|copy|rename|append)|\bmove\b|copyfile|rename"
    r"|shutil|symlink|chmod|json\.dump\b|file_put_contents|fputs|Set-Content|Out-File|Add-Content|>\s*\"|>>"
)
_LITERAL = re.compile(r"'([^'\\\n]{1,300})'|\"([^\"\\\n]{1,300})\"|`([^`\\\n]{1,300})`")
_ADDRESS = re.compile(r"(?:https?|wss?|ftp)://[^\s'\"`)]{1,300}")

_SQL_COMMENT = re.compile(r"--[^\n]*")
_SQL: tuple[tuple[WarningKind, re.Pattern[str]], ...] = (
    (WarningKind.INFLUENCES, re.compile(r"\s*(?:system|source)\s+\S", re.IGNORECASE)),  # commands of the MySQL client
    (
        WarningKind.DESTROYS,
        re.compile(
            r"\s*(?:explain\s+analyze\s+)?(?:drop|truncate|delete|purge|replace\s+into|detach\s+table)\b"
            r"|\s*alter\s+[^;]{0,500}\b(?:drop|rename)\b"
            r"|\s*update\s+(?![^;]*\bwhere\b)|\s*(?:with\b[^;]{0,2000}?\b)?delete\s+from\b|\s*(?:flushall|flushdb)\b",
            re.IGNORECASE,
        ),
    ),
    (
        WarningKind.ACCESS,
        re.compile(
            r"\s*(?:grant|create\s+(?:user|role|login)|alter\s+(?:user|role|login|system)|set\s+password)\b",
            re.IGNORECASE,
        ),
    ),
)
_SQL_ANYWHERE: tuple[tuple[WarningKind, re.Pattern[str]], ...] = (
    (
        WarningKind.DESTROYS,
        re.compile(
            r"dropDatabase|\.drop\s*\(|\.dropIndex|deleteMany|deleteOne|\.remove\s*\(|findOneAndDelete|bulkWrite|updateMany"
            r"|renameCollection|shutdownServer|\.dropUser|replaceOne"
        ),
    ),
    (
        WarningKind.INFLUENCES,
        re.compile(
            r"to\s+program|from\s+program|\\!|\\copy|\\o\s|\\w\s|^\s*\.(?:shell|system|once|output|import|load|read|save|backup|restore|clone|excel)\b"
            r"|into\s+(?:out|dump)file|load_file|lo_export|lo_import|xp_cmdshell|pg_read_file|pg_write|load_extension|writefile"
            r"|sys_exec|create\s+extension|copy\s[^;]{1,500}\bto\s+'|attach\s+database|language\s+plpython",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
MAX_STATEMENTS = 500
_BACKTICKS = re.compile(r"`[^`]+`")
"""These run a command in Ruby, Perl and PHP."""
_PERL_PIPES = re.compile(r"[\"']\s*\|[^\"'|]+[\"']|[\"'][^\"'|]+\|\s*[\"']|-\||\|-")
_TCL_ACTS = re.compile(r"(?:^|[;\n\[{])\s*(?:spawn|exec)\s")
_EMPTIES = re.compile(r"(?:^|[|\n:])\s*(?:%|1,\$|,)\s*d(?:elete)?\s*(?:$|[|\n])")
_AWK_ACTS = re.compile(r"\bsystem\b|\bgetline\b|[|>](?!=)\s*[\"(&]|\|&|[>|]\s*\$|@load")


def about_code(code: str, language: str = "") -> Iterator[WarningKind]:
    """Yield the kinds of warnings about code of another language."""
    text = _searched_part(code)
    if (
        (language in ("ruby", "perl", "php") and _BACKTICKS.search(text))
        or (language == "perl" and _PERL_PIPES.search(text))
        or (language == "tcl" and _TCL_ACTS.search(text))
    ):
        yield WarningKind.ACTS
    if len(code) > MAX_CODE:
        yield WarningKind.UNREADABLE
    for kind, words in _WORDS:
        if words.search(text) and not (kind is WarningKind.SENDS and _is_all_local(text)):
            yield kind


def unchecked_interpreter(call: ProgramCall) -> str:
    """Return the interpreter of code in the command, which was only searched for words; empty if there is none."""
    known, arguments = row_and_arguments(call)
    word = code_argument(call, known, arguments)
    match known.language:
        case "sed":  # GNU sed can run other commands
            return "" if word is None or _is_plain(sed_scripts.read(word.text)) else call.program
        case "awk":  # most awk scripts only print columns
            return "" if word is None or not _AWK_ACTS.search(word.text) else call.program
    if program(call) not in INTERPRETERS:
        return ""
    return call.program if word is not None or (call.stdin is not None and runs_stdin(call)) else ""


def _is_plain(script: sed_scripts.SedScript) -> bool:
    return script.understood and not (script.runs or script.writes)


def about_sql(text: str) -> Iterator[WarningKind]:
    """Yield the kinds of warnings about SQL statements."""
    if len(text) > MAX_CODE:
        yield WarningKind.UNREADABLE
    first, *others = _SQL_COMMENT.sub(" ", _searched_part(text)).split("/*")
    text = first + "".join(f" {one.partition('*/')[2]}" for one in others)
    for kind, words in _SQL_ANYWHERE:
        if words.search(text):
            yield kind
    statements = text.split(";")
    if len(statements) > MAX_STATEMENTS:
        yield WarningKind.UNREADABLE
    for statement in statements[:MAX_STATEMENTS]:
        yield from (kind for kind, words in _SQL if words.match(statement))


def empties(commands: str) -> bool:
    """Check whether the commands of an editor delete every line: `%d`, `1,$d`."""
    return _EMPTIES.search(_searched_part(commands)) is not None


def writes(code: str) -> bool:
    """Check whether code may change the files that it names."""
    return _WRITES.search(_searched_part(code)) is not None


def literals(code: str) -> list[str]:
    """Return the quoted texts in code, among them paths and commands that it starts."""
    found = []
    for match in _LITERAL.finditer(_searched_part(code)):
        found.append(match[1] or match[2] or match[3])
        if len(found) >= MAX_LITERALS:
            break
    return found


def _is_all_local(code: str) -> bool:
    addresses = _ADDRESS.findall(code)
    return bool(addresses) and all(map(is_local, addresses))


def _searched_part(code: str) -> str:
    """Return the part that is searched, with blanks collapsed: each `\\s*` in a pattern would scan them again."""
    return _BLANKS.sub(lambda found: "\n" if "\n" in found[0] else " ", code[:MAX_CODE])
