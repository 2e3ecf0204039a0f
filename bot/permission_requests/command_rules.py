"""Kinds of commands that a rule can allow: the arguments of well-known programs that are safe to vary."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_COMMAND = 1000  # characters; longer commands match no kind
_PIECE = re.compile(
    r"""(?P<blank>[ ]+)
    |(?P<bare>[A-Za-z0-9_./:@%+,=-]+)
    |'(?P<single>[^'\x00-\x1f\x7f]*)'
    |"(?P<double>[^"$`\\!\x00-\x1f\x7f]*)" """,
    re.VERBOSE,
)
"""Text that every shell reads the same way: no variables, wildcards, redirects or second commands."""

_SEGMENT = r"(?!node_modules\b|site-packages\b)[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_PATH = rf"(?:\.|\./|(?:\./)?{_SEGMENT}(?:/{_SEGMENT})*/?)"
"""A plain path below the folder: no `..`, no hidden file, and no leading `-` or `@`."""
_FOLDER = r"(?!node_modules\b|site-packages\b)[A-Za-z0-9_][A-Za-z0-9_-]*/?"
_TEST_FILE = r"(?:test_[A-Za-z0-9_-]*|[A-Za-z0-9_][A-Za-z0-9_-]*_test)\.py"
_TEST = r"(?:::[A-Za-z0-9_][A-Za-z0-9_-]*(?:\[[A-Za-z0-9_. -]*\])?)*"
_TESTS = rf"(?:\.|\./|(?:\./)?(?:{_SEGMENT}/)*(?:{_FOLDER}|{_TEST_FILE}{_TEST}))"
"""Folders, and files named like tests: pytest would run the code in any other file."""
_ANY_FILE = r"(?:\.|\./|(?:\./)?(?:\.?[A-Za-z0-9_][A-Za-z0-9_.+-]*/)*\.?[A-Za-z0-9_][A-Za-z0-9_.+-]*/?)"
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_NAMES = rf"{_NAME}(?:[, ]{_NAME})*"
_NUMBER = r"[0-9]{1,6}"
_TERM = r"(?:[A-Za-z0-9_(][A-Za-z0-9_ ().-]*)"
_WORDS = r"(?!-)[^\x00-\x1f\x7f]+"
_COLOR = r"(?:auto|always|never|yes|no)"


def _set(flags: str) -> frozenset[str]:
    return frozenset(flags.split())


@dataclass(frozen=True, slots=True)
class SafeArguments:
    """The arguments that a command may have, in any order. Any other argument needs a new request."""

    flags: frozenset[str] = frozenset()
    """Options that take no value."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Options that take a value, with its pattern. If the name ends with `=`, the value must follow that sign."""
    operands: str = ""
    """The pattern of arguments that are not options; empty if none are allowed."""
    clusters: bool = False
    """Whether the program reads `-xvs` as `-x -v -s`."""
    after: "SafeArguments | None" = None
    """The arguments that may follow `--`."""

    def covers(self, arguments: tuple[str, ...]) -> bool:
        left = list(arguments)
        while left:
            text = left.pop(0)
            if text == "--":
                return self.after is not None and self.after.covers(tuple(left))
            name, equals, value = text.partition("=")
            if text in self.flags or (self.clusters and self._is_cluster(text)):
                continue
            if equals and name.startswith("-"):
                wanted = self.values.get(f"{name}=") or (self.values.get(name) if len(name) > 2 else None)
                if wanted is None or not re.fullmatch(wanted, value):
                    return False
            elif text in self.values:
                if not left or not re.fullmatch(self.values[text], left.pop(0)):
                    return False
            elif text.startswith("-") or not self.operands or not re.fullmatch(self.operands, text):
                return False
        return True

    def _is_cluster(self, text: str) -> bool:
        letters = text[1:]
        return text.startswith("-") and letters.isalpha() and all(f"-{letter}" in self.flags for letter in letters)


@dataclass(frozen=True, slots=True)
class CommandKind:
    """A kind of command. Its name is the start of the command, where `*` stands for any one word."""

    name: str
    safe: SafeArguments
    varies: str = ""
    """Describes the arguments that may vary; empty if a rule would allow too little to be useful."""
    allows: str = ""
    """An example of arguments that the rule allows."""
    still_asks: str = ""


_CARGO = SafeArguments(
    _set(
        "--release -r --workspace --all --all-targets --all-features --no-default-features --lib --bins --tests "
        "--examples --benches --locked --offline --frozen --quiet -q --verbose -v -vv --keep-going"
    ),
    {
        **dict.fromkeys(("-p", "--package", "--bin", "--test", "--example", "--bench", "--profile"), _NAME),
        "-F": _NAMES,
        "--features": _NAMES,
        "-j": _NUMBER,
        "--jobs": _NUMBER,
        "--color": _COLOR,
    },
)
_CARGO_TEST = SafeArguments(
    _CARGO.flags | _set("--doc --no-run --no-fail-fast"),
    _CARGO.values,
    r"[A-Za-z_][A-Za-z0-9_:]*",
    after=SafeArguments(
        _set("--nocapture --show-output --exact --ignored --include-ignored --list --quiet -q"),
        {"--test-threads": _NUMBER, "--skip": r"[A-Za-z_][A-Za-z0-9_:]*"},
        r"[A-Za-z_][A-Za-z0-9_:]*",
    ),
)
_LINT = r"[A-Za-z_][A-Za-z0-9_:-]*"
_CLIPPY = SafeArguments(
    _CARGO.flags, _CARGO.values, after=SafeArguments(values={"-D": _LINT, "-W": _LINT, "-A": _LINT})
)
_PYTEST = SafeArguments(
    _set(
        "-x --exitfirst -v -vv -vvv --verbose -q -qq --quiet -s -l --showlocals --lf --last-failed --ff --failed-first "
        "--nf --new-first --sw --stepwise --co --collect-only --no-header --no-summary --strict-markers --no-cov"
    ),
    {
        "-k": _TERM,
        "-m": _TERM,
        "-n": r"(?:[0-9]{1,3}|auto|logical)",
        "--maxfail": _NUMBER,
        "--timeout": _NUMBER,
        "--tb": r"(?:auto|long|short|line|native|no)",
        "--durations": _NUMBER,
        "--color": _COLOR,
        "--cov=": _PATH,
    },
    _TESTS,
    clusters=True,
)
_RUFF = SafeArguments(
    _set("--fix --no-fix --diff --check --preview --statistics --show-fixes --exit-zero -q --quiet -v --verbose"),
    {
        **dict.fromkeys(("--select", "--ignore", "--extend-select"), r"[A-Z]+[0-9]*(?:,[A-Z]+[0-9]*)*"),
        "--output-format": _NAME,
        "--target-version": r"py3[0-9]+",
        "--line-length": _NUMBER,
    },
    _PATH,
)
_MYPY = SafeArguments(
    _set(
        "--strict --pretty -v --verbose --no-incremental --ignore-missing-imports --check-untyped-defs "
        "--disallow-untyped-defs --warn-unused-ignores --warn-unreachable --show-error-codes --show-error-context "
        "--show-column-numbers --no-error-summary --no-color-output --namespace-packages --explicit-package-bases"
    ),
    {"-p": _NAME, "--package": _NAME, "-m": _NAME, "--module": _NAME, "--python-version": r"3\.[0-9]+"},
    _PATH,
)
_GO = SafeArguments(
    _set("-v -race -short -cover -failfast -json"),
    {
        **dict.fromkeys(("-run", "-skip", "-bench"), r"[A-Za-z^.(][A-Za-z0-9_^$|/.()*+\[\]-]*"),
        "-count": _NUMBER,
        "-parallel": _NUMBER,
        "-p": _NUMBER,
        "-timeout": r"[0-9]+(?:ms|s|m|h)",
        "-tags": _NAMES,
        "-shuffle": r"(?:on|off|[0-9]+)",
    },
    rf"(?:\.|\./(?:{_SEGMENT}/)*(?:\.\.\.|{_SEGMENT}/?)?)",
)
_MAVEN = SafeArguments(
    _set("-q --quiet -B --batch-mode -ntp --no-transfer-progress -o --offline -e --errors -am --also-make -DskipTests"),
    {
        **dict.fromkeys(("-pl", "--projects"), rf"{_SEGMENT}(?:[,/]{_SEGMENT})*"),
        "-Dtest=": r"[A-Za-z_][A-Za-z0-9_.#*+,]*",
    },
)
_GRADLE = SafeArguments(
    _set("--info --stacktrace --offline --parallel --continue --rerun-tasks --no-daemon -q --quiet --warn"),
    {"--console": r"(?:plain|auto|rich|verbose)"},
)
_GRADLE_TEST = SafeArguments(_GRADLE.flags, {**_GRADLE.values, "--tests": r"[A-Za-z_*][A-Za-z0-9_.*$]*"})
_DOTNET = SafeArguments(
    _set("--no-restore --no-build --nologo"),
    {
        **dict.fromkeys(("-c", "--configuration"), r"(?:Debug|Release)"),
        **dict.fromkeys(("-v", "--verbosity"), r"(?:q|quiet|m|minimal|n|normal|d|detailed)"),
        **dict.fromkeys(("-f", "--framework"), r"net[a-z0-9.]+"),
    },
)
_DOTNET_TEST = SafeArguments(_DOTNET.flags, {**_DOTNET.values, "--filter": r"[A-Za-z_][A-Za-z0-9_.=~ |&()]*"})
_TSC = SafeArguments(
    _set("--noEmit --pretty --strict --skipLibCheck --diagnostics --extendedDiagnostics --listFiles")
    | _set("--noUnusedLocals --noUnusedParameters --noImplicitAny")
)
_ESLINT = SafeArguments(
    _set("--fix --quiet --no-color --color --no-error-on-unmatched-pattern --report-unused-disable-directives"),
    {"--max-warnings": _NUMBER, "--ext": r"\.[a-z]+(?:,\.[a-z]+)*"},
    _PATH,
)
_PRETTIER = SafeArguments(_set("--check --write --list-different --no-color"), {"--log-level": _NAME}, _PATH)
_SCRIPT = SafeArguments(_set("--silent -s"))  # other arguments go to an unknown program
_COMMIT = SafeArguments(_set("-a --all -q --quiet -s --signoff"), {"-m": _WORDS, "--message": _WORDS, "-am": _WORDS})

KINDS = (
    CommandKind("pytest", _PYTEST, "other tests, -k, -m, -x, -v, --lf, --tb …", "-k login -x", "-p plugin"),
    CommandKind("cargo build", _CARGO, "--release, -p NAME, --features …", "--release", "--config x"),
    CommandKind("cargo check", _CARGO, "--release, -p NAME, --features …", "--workspace", "--config x"),
    CommandKind("cargo clippy", _CLIPPY, "-p NAME, --all-targets, -- -D warnings …", "-- -D warnings", "--fix"),
    CommandKind(
        "cargo fmt",
        SafeArguments(_set("--all --check -q --quiet -v --verbose")),
        "--all, --check",
        "--check",
        "-- --config x",
    ),
    CommandKind(
        "cargo test", _CARGO_TEST, "other tests, --release, -p NAME, -- --nocapture …", "--release parser", "--config x"
    ),
    CommandKind("go test", _GO, "other packages of this folder, -run, -v, -race …", "-run TestLogin ./...", "-exec x"),
    CommandKind("go vet", _GO, "other packages of this folder, -v …", "./...", "-vettool x"),
    CommandKind("mypy", _MYPY, "other files, --strict, -p NAME …", "--strict src", "--config-file x"),
    CommandKind("ruff check", _RUFF, "other files, --fix, --select …", "--fix src", "--config x"),
    CommandKind("ruff format", _RUFF, "other files, --check, --diff …", "src", "--config x"),
    CommandKind("eslint", _ESLINT, "other files, --fix, --quiet, --max-warnings …", "--fix src", "--config x"),
    CommandKind("prettier", _PRETTIER, "other files, --check, --write …", "--check src", "--plugin x"),
    CommandKind("tsc", _TSC, "--noEmit, --strict, --skipLibCheck …", "--noEmit", "--outDir x"),
    CommandKind("mvn compile", _MAVEN, "-q, -B, -o, -pl MODULE …", "-q", "-f pom2.xml"),
    CommandKind("mvn test", _MAVEN, "-q, -B, -o, -pl MODULE, -Dtest=NAME …", "-Dtest=LoginTest", "-f pom2.xml"),
    CommandKind("gradle build", _GRADLE, "--info, --offline, --parallel …", "--info", "--init-script x"),
    CommandKind(
        "gradle test", _GRADLE_TEST, "--tests NAME, --info, --offline …", "--tests LoginTest", "--init-script x"
    ),
    CommandKind("dotnet build", _DOTNET, "-c Release, --no-restore …", "-c Release", "-o x"),
    CommandKind(
        "dotnet test", _DOTNET_TEST, "--filter, -c Release, --no-build …", "--filter Name=Login", "--settings x"
    ),
    CommandKind(
        "git add",
        SafeArguments(_set("-A --all -u --update -v --verbose"), operands=_ANY_FILE),
        "other files",
        "src",
        "-f x",
    ),
    CommandKind("git commit", _COMMIT, "another message with -m, and -a", "-m 'Say why'", "-F x"),
    CommandKind(
        "git status",
        SafeArguments(_set("-s --short -b --branch --porcelain -uno -uall --ignored"), clusters=True),
        "-s, -b …",
        "-s",
        "x",
    ),
    CommandKind("npm test", _SCRIPT),
    CommandKind(
        "npm ci", SafeArguments(_SCRIPT.flags | _set("--no-audit --no-fund --prefer-offline --ignore-scripts"))
    ),
    CommandKind("npm run *", _SCRIPT),
    CommandKind("pnpm test", _SCRIPT),
    CommandKind("pnpm run *", _SCRIPT),
    CommandKind("yarn test", _SCRIPT),
    CommandKind("yarn run *", _SCRIPT),
)
_SCRIPT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:.-]*")


def split_words(command: str) -> tuple[str, ...] | None:
    """Split a command into words; return None if a shell could read it in another way."""
    found: list[str] = []
    place, joined = 0, False
    if len(command) > MAX_COMMAND:
        return None
    while place < len(command):
        piece = _PIECE.match(command, place)
        if piece is None:
            return None
        place = piece.end()
        if piece["blank"]:
            joined = False
            continue
        text = next(text for text in (piece["bare"], piece["single"], piece["double"]) if text is not None)
        if joined:
            found[-1] += text
        elif piece["bare"] and text.startswith("="):  # zsh replaces it by the path of a program
            return None
        else:
            found.append(text)
        joined = True
    return tuple(found)


def find_kind(command: str) -> tuple[str, CommandKind] | None:
    """Return the start of a command and its kind; None if no kind covers its arguments."""
    given = split_words(command) or ()
    for kind in KINDS:
        begins = kind.name.split()
        head, rest = given[: len(begins)], given[len(begins) :]
        fits = len(head) == len(begins) and all(map(_fits, begins, head))
        if fits and kind.safe.covers(rest):
            return " ".join(head), kind
    return None


def _fits(wanted: str, word: str) -> bool:
    return wanted == word or (wanted == "*" and _SCRIPT_NAME.fullmatch(word) is not None)
