"""Kinds of command that one rule can allow: for well-known programs, which arguments may differ between calls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MOST = 1000
"""Characters of the longest command that is read."""
_PIECE = re.compile(
    r"""(?P<blank>[ ]+)
    |(?P<bare>[A-Za-z0-9_./:@%+,=-]+)
    |'(?P<single>[^'\x00-\x1f\x7f]*)'
    |"(?P<double>[^"$`\\!\x00-\x1f\x7f]*)" """,
    re.VERBOSE,
)
"""Text that means the same to every shell: no variable, wildcard, redirect or second command."""

_SEGMENT = r"(?!node_modules\b|site-packages\b)[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_PATH = rf"(?:\.|\./|(?:\./)?{_SEGMENT}(?:/{_SEGMENT})*/?)"
"""A plain path below the folder: no `..`, nothing hidden, nothing that begins like an option or with `@`."""
_FOLDER = r"(?!node_modules\b|site-packages\b)[A-Za-z0-9_][A-Za-z0-9_-]*/?"
_TEST_FILE = r"(?:test_[A-Za-z0-9_-]*|[A-Za-z0-9_][A-Za-z0-9_-]*_test)\.py"
_TEST = r"(?:::[A-Za-z0-9_][A-Za-z0-9_-]*(?:\[[A-Za-z0-9_. -]*\])?)*"
_TESTS = rf"(?:\.|\./|(?:\./)?(?:{_SEGMENT}/)*(?:{_FOLDER}|{_TEST_FILE}{_TEST}))"
"""Folders, and files with a test's name: pytest runs the code in any other file that it is given."""
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
class Safe:
    """The arguments that a command may have, in any order. With any other argument it is a different command."""

    flags: frozenset[str] = frozenset()
    """Options that take no value."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Options that take a value, with its pattern. One that ends with `=` takes the value only after that sign."""
    operands: str = ""
    """The pattern of an argument that is no option; empty where there may be none."""
    clusters: bool = False
    """Whether it reads `-xvs` as `-x -v -s`."""
    after: "Safe | None" = None
    """What may follow `--`."""

    def cover(self, arguments: tuple[str, ...]) -> bool:
        left = list(arguments)
        while left:
            text = left.pop(0)
            if text == "--":
                return self.after is not None and self.after.cover(tuple(left))
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
class Kind:
    """A kind of command. Its name is how the command begins; `*` is any one word."""

    name: str
    safe: Safe
    varies: str = ""
    """What may differ, in words; empty where too little may differ to be worth a rule."""
    allows: str = ""
    """An example of arguments that the rule allows."""
    still_asks: str = ""


_CARGO = Safe(
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
_CARGO_TEST = Safe(
    _CARGO.flags | _set("--doc --no-run --no-fail-fast"),
    _CARGO.values,
    r"[A-Za-z_][A-Za-z0-9_:]*",
    after=Safe(
        _set("--nocapture --show-output --exact --ignored --include-ignored --list --quiet -q"),
        {"--test-threads": _NUMBER, "--skip": r"[A-Za-z_][A-Za-z0-9_:]*"},
        r"[A-Za-z_][A-Za-z0-9_:]*",
    ),
)
_LINT = r"[A-Za-z_][A-Za-z0-9_:-]*"
_CLIPPY = Safe(_CARGO.flags, _CARGO.values, after=Safe(values={"-D": _LINT, "-W": _LINT, "-A": _LINT}))
_PYTEST = Safe(
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
_RUFF = Safe(
    _set("--fix --no-fix --diff --check --preview --statistics --show-fixes --exit-zero -q --quiet -v --verbose"),
    {
        **dict.fromkeys(("--select", "--ignore", "--extend-select"), r"[A-Z]+[0-9]*(?:,[A-Z]+[0-9]*)*"),
        "--output-format": _NAME,
        "--target-version": r"py3[0-9]+",
        "--line-length": _NUMBER,
    },
    _PATH,
)
_MYPY = Safe(
    _set(
        "--strict --pretty -v --verbose --no-incremental --ignore-missing-imports --check-untyped-defs "
        "--disallow-untyped-defs --warn-unused-ignores --warn-unreachable --show-error-codes --show-error-context "
        "--show-column-numbers --no-error-summary --no-color-output --namespace-packages --explicit-package-bases"
    ),
    {"-p": _NAME, "--package": _NAME, "-m": _NAME, "--module": _NAME, "--python-version": r"3\.[0-9]+"},
    _PATH,
)
_GO = Safe(
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
_MAVEN = Safe(
    _set("-q --quiet -B --batch-mode -ntp --no-transfer-progress -o --offline -e --errors -am --also-make -DskipTests"),
    {
        **dict.fromkeys(("-pl", "--projects"), rf"{_SEGMENT}(?:[,/]{_SEGMENT})*"),
        "-Dtest=": r"[A-Za-z_][A-Za-z0-9_.#*+,]*",
    },
)
_GRADLE = Safe(
    _set("--info --stacktrace --offline --parallel --continue --rerun-tasks --no-daemon -q --quiet --warn"),
    {"--console": r"(?:plain|auto|rich|verbose)"},
)
_GRADLE_TEST = Safe(_GRADLE.flags, {**_GRADLE.values, "--tests": r"[A-Za-z_*][A-Za-z0-9_.*$]*"})
_DOTNET = Safe(
    _set("--no-restore --no-build --nologo"),
    {
        **dict.fromkeys(("-c", "--configuration"), r"(?:Debug|Release)"),
        **dict.fromkeys(("-v", "--verbosity"), r"(?:q|quiet|m|minimal|n|normal|d|detailed)"),
        **dict.fromkeys(("-f", "--framework"), r"net[a-z0-9.]+"),
    },
)
_DOTNET_TEST = Safe(_DOTNET.flags, {**_DOTNET.values, "--filter": r"[A-Za-z_][A-Za-z0-9_.=~ |&()]*"})
_TSC = Safe(
    _set("--noEmit --pretty --strict --skipLibCheck --diagnostics --extendedDiagnostics --listFiles")
    | _set("--noUnusedLocals --noUnusedParameters --noImplicitAny")
)
_ESLINT = Safe(
    _set("--fix --quiet --no-color --color --no-error-on-unmatched-pattern --report-unused-disable-directives"),
    {"--max-warnings": _NUMBER, "--ext": r"\.[a-z]+(?:,\.[a-z]+)*"},
    _PATH,
)
_PRETTIER = Safe(_set("--check --write --list-different --no-color"), {"--log-level": _NAME}, _PATH)
_SCRIPT = Safe(_set("--silent -s"))  # other arguments go to a program that we don't know
_COMMIT = Safe(_set("-a --all -q --quiet -s --signoff"), {"-m": _WORDS, "--message": _WORDS, "-am": _WORDS})

KINDS = (
    Kind("pytest", _PYTEST, "other tests, -k, -m, -x, -v, --lf, --tb …", "-k login -x", "-p plugin"),
    Kind("cargo build", _CARGO, "--release, -p NAME, --features …", "--release", "--config x"),
    Kind("cargo check", _CARGO, "--release, -p NAME, --features …", "--workspace", "--config x"),
    Kind("cargo clippy", _CLIPPY, "-p NAME, --all-targets, -- -D warnings …", "-- -D warnings", "--fix"),
    Kind(
        "cargo fmt", Safe(_set("--all --check -q --quiet -v --verbose")), "--all, --check", "--check", "-- --config x"
    ),
    Kind(
        "cargo test", _CARGO_TEST, "other tests, --release, -p NAME, -- --nocapture …", "--release parser", "--config x"
    ),
    Kind("go test", _GO, "other packages of this folder, -run, -v, -race …", "-run TestLogin ./...", "-exec x"),
    Kind("go vet", _GO, "other packages of this folder, -v …", "./...", "-vettool x"),
    Kind("mypy", _MYPY, "other files, --strict, -p NAME …", "--strict src", "--config-file x"),
    Kind("ruff check", _RUFF, "other files, --fix, --select …", "--fix src", "--config x"),
    Kind("ruff format", _RUFF, "other files, --check, --diff …", "src", "--config x"),
    Kind("eslint", _ESLINT, "other files, --fix, --quiet, --max-warnings …", "--fix src", "--config x"),
    Kind("prettier", _PRETTIER, "other files, --check, --write …", "--check src", "--plugin x"),
    Kind("tsc", _TSC, "--noEmit, --strict, --skipLibCheck …", "--noEmit", "--outDir x"),
    Kind("mvn compile", _MAVEN, "-q, -B, -o, -pl MODULE …", "-q", "-f pom2.xml"),
    Kind("mvn test", _MAVEN, "-q, -B, -o, -pl MODULE, -Dtest=NAME …", "-Dtest=LoginTest", "-f pom2.xml"),
    Kind("gradle build", _GRADLE, "--info, --offline, --parallel …", "--info", "--init-script x"),
    Kind("gradle test", _GRADLE_TEST, "--tests NAME, --info, --offline …", "--tests LoginTest", "--init-script x"),
    Kind("dotnet build", _DOTNET, "-c Release, --no-restore …", "-c Release", "-o x"),
    Kind("dotnet test", _DOTNET_TEST, "--filter, -c Release, --no-build …", "--filter Name=Login", "--settings x"),
    Kind("git add", Safe(_set("-A --all -u --update -v --verbose"), operands=_ANY_FILE), "other files", "src", "-f x"),
    Kind("git commit", _COMMIT, "another message with -m, and -a", "-m 'Say why'", "-F x"),
    Kind(
        "git status",
        Safe(_set("-s --short -b --branch --porcelain -uno -uall --ignored"), clusters=True),
        "-s, -b …",
        "-s",
        "x",
    ),
    Kind("npm test", _SCRIPT),
    Kind("npm ci", Safe(_SCRIPT.flags | _set("--no-audit --no-fund --prefer-offline --ignore-scripts"))),
    Kind("npm run *", _SCRIPT),
    Kind("pnpm test", _SCRIPT),
    Kind("pnpm run *", _SCRIPT),
    Kind("yarn test", _SCRIPT),
    Kind("yarn run *", _SCRIPT),
)
_SCRIPT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:.-]*")


def words(command: str) -> tuple[str, ...] | None:
    """Split a command into words; None where a shell might read more than words."""
    found: list[str] = []
    place, joined = 0, False
    if len(command) > MOST:
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
        elif piece["bare"] and text.startswith("="):  # a program's path, to zsh
            return None
        else:
            found.append(text)
        joined = True
    return tuple(found)


def kind_of(command: str) -> tuple[str, Kind] | None:
    """Return how a command begins and its kind; None if it has arguments that no kind covers."""
    given = words(command) or ()
    for kind in KINDS:
        begins = kind.name.split()
        head, rest = given[: len(begins)], given[len(begins) :]
        fits = len(head) == len(begins) and all(map(_fits, begins, head))
        if fits and kind.safe.cover(rest):
            return " ".join(head), kind
    return None


def _fits(wanted: str, word: str) -> bool:
    return wanted == word or (wanted == "*" and _SCRIPT_NAME.fullmatch(word) is not None)
