"""The state of a shell between commands: variables, folders, functions, and the files that the script wrote."""

import posixpath
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.risk.shell_parser import SyntaxTree
from bot.risk.shell_types import PipeStream, ProgramCall, Word

MAX_VALUES = 16
"""Number of values of a variable that are tried: `for x in …`."""
MAX_FOLDERS = 8
MAX_UNPACKED = 20
PROGRAMS = frozenset({"rm", "sh", "bash", "curl", "git", "dd", "python", "python3", "sudo", "find", "nc"})
LONGEST_FOLDER = 500
_WELL_KNOWN = {
    "HOME": "~",
    "PWD": ".",
    "IFS": " ",
    "TMPDIR": "/tmp",  # noqa: S108
    "SHELL": "sh",
    "BASH": "bash",
    "0": "bash",
    "OLDPWD": "..",
    "#": "0",
    "?": "0",
}


@dataclass(slots=True)
class ShellState:
    values: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    """The possible values of each variable, the latest first."""
    folders: tuple[str, ...] = ("",)
    """The folders that the shell may be in, relative to the project."""
    functions: dict[str, tuple[SyntaxTree, Node]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    files: dict[str, PipeStream] = field(default_factory=lambda: {"/dev/null": PipeStream("")})
    """The content of files that the script wrote, as far as it is known."""
    links: dict[str, str] = field(default_factory=dict)
    """The programs that the script copied or linked to another name."""
    references: dict[str, str] = field(default_factory=dict)
    """The variables that refer to another one: `declare -n`."""
    unpacked: list[tuple[str, PipeStream]] = field(default_factory=list)
    """The folders that the script unpacked something into."""
    complete: bool = True
    variant: int = 0
    widest: int = 1
    _folders_before_cd: tuple[str, ...] = ()
    """The folders before a `cd` that may have failed."""

    def value(self, name: str) -> Word | None:
        """Return the value of a variable; if there are several, the one of the current variant."""
        values = self.values.get(self.references.get(name, name))
        if values:
            self.widest = max(self.widest, len(values))
            return values[min(self.variant, len(values) - 1)]
        known = _WELL_KNOWN.get(name)
        return None if known is None else Word(known)

    def set(self, name: str, word: Word) -> None:
        """Set a variable, and keep its earlier values, because it is unknown which branch of an `if` runs."""
        others = tuple(one for one in self.values.get(name, ()) if one != word)
        self.values[name] = (word, *others)[:MAX_VALUES]

    def set_each(self, name: str, words: list[Word]) -> None:
        """Set a variable to several possible values."""
        unseen = () if 0 < len(words) <= MAX_VALUES else (Word(f"${name}", known=False),)
        self.values[name] = (*words[:MAX_VALUES], *unseen)

    def set_arguments(self, words: tuple[Word, ...]) -> None:
        """Set `$1`, `$2`, `$@`…"""
        for number in range(1, MAX_VALUES + 1):
            self.values.pop(str(number), None)
        for number, word in enumerate(words[:MAX_VALUES], 1):
            self.values[str(number)] = (word,)
        everything = Word(" ".join(word.text for word in words), all(word.known for word in words))
        self.values["@"] = self.values["*"] = (everything,)
        self.values["#"] = (Word(str(len(words))),)

    def change_folder(self, target: Word | None) -> None:
        """Apply a `cd`; the shell may still be in the old folder if it fails."""
        text = "~" if target is None else target.text
        if target is not None and (text == "-" or not target.known):
            return
        self._folders_before_cd = self.folders
        gone = (
            text if text.startswith(("/", "~")) else posixpath.normpath(f"{one or '.'}/{text}") for one in self.folders
        )
        self.folders = tuple(dict.fromkeys(one for one in gone if len(one) < LONGEST_FOLDER)) or self.folders

    def return_to(self, folders: tuple[str, ...]) -> None:
        """Restore the folders after a subshell."""
        self.folders, self._folders_before_cd = folders, ()

    def cd_succeeded(self) -> None:
        """Forget the folders before a `cd`: it succeeded, or the next command would not run."""
        self._folders_before_cd = ()

    def allow_for_failed_cd(self) -> None:
        """Allow for both folders after a `cd` that may have failed."""
        if self._folders_before_cd:
            both = tuple(dict.fromkeys((*self.folders, *self._folders_before_cd)))
            self.complete = self.complete and len(both) <= MAX_FOLDERS
            self.folders = both[:MAX_FOLDERS]
            self._folders_before_cd = ()

    def write_file(self, path: str, stream: PipeStream) -> None:
        """Remember the content of a file; a name that ends with a slash is a folder."""
        if path.startswith("/dev/"):
            return
        if path.endswith("/"):
            self.unpacked = [*self.unpacked, (path.removeprefix("./"), stream)][-MAX_UNPACKED:]
        else:
            self.files[path.removeprefix("./")] = stream

    def read_file(self, path: str) -> PipeStream | None:
        """Return the content of a file if the script itself wrote it."""
        name = path.removeprefix("./")
        found = self.files.get(name)
        if found is not None:
            return found
        for folder in (*self.folders, ""):
            whole = posixpath.normpath(f"{folder}/{name}") if folder else name
            if whole in self.files:
                return self.files[whole]
            for place, stream in self.unpacked:
                if f"{whole}/".startswith(place) or place in ("", "/"):
                    return stream
        fetched = self.files.get(name.rpartition("/")[2])
        return fetched if fetched and fetched.downloaded else None

    def run_builtin(self, call: ProgramCall) -> None:  # noqa: C901 - one per builtin
        """Apply the effect of a builtin on the shell."""
        arguments = [word for word in call.words[1:] if not word.text.startswith("-") or word.text == "-"]
        match call.program:
            case "cd" | "pushd":
                self.change_folder(arguments[0] if arguments else None)
            case "popd":
                self.folders = tuple(dict.fromkeys((*self.folders, "")))[:MAX_FOLDERS]
            case "alias":
                self.aliases |= {
                    name: text for name, _, text in (word.text.partition("=") for word in arguments) if text
                }
            case "unalias":
                self.aliases.clear()
            case "set" if "--" in call.texts:
                self.set_arguments(call.words[call.texts.index("--") + 1 :])
            case "declare" | "local" | "typeset" if "-n" in call.texts:
                self.references |= {
                    name: target for name, _, target in (text.partition("=") for text in call.texts) if target
                }
            case "ln" | "cp" | "install" | "mv" if len(arguments) == 2:
                source, name = arguments[0].text, arguments[1].text
                if source.startswith(("/", "~")) or source.rpartition("/")[2] in PROGRAMS:
                    self.links[name.removeprefix("./")] = source
            case "shift":
                self.set_arguments(tuple(self.values[str(n)][0] for n in range(2, MAX_VALUES) if str(n) in self.values))
            case "read" | "mapfile" | "readarray":
                self._read(call, arguments)
            case "printf" if call.texts[1:2] == ("-v",) and len(call.words) > 3:
                self.set(call.texts[2], Word("", known=False))

    def _read(self, call: ProgramCall, arguments: list[Word]) -> None:
        stream = call.stdin
        names = [word.text for word in arguments if word.text.isidentifier()] or ["REPLY"]
        if stream is None or stream.text is None:
            for name in names:
                self.set(name, Word(f"${name}", known=False, source=stream))
            return
        lines = [line.split(None, len(names) - 1) for line in stream.text.splitlines()[: MAX_VALUES + 1]]
        for place, name in enumerate(names):
            self.set_each(name, [Word(parts[place]) for parts in lines if len(parts) > place])
