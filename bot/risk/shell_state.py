"""What a shell remembers between two commands: its variables, where it stands, its functions, the files it wrote."""

import posixpath
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.risk.shell_parser import SyntaxTree
from bot.risk.shell_types import PipeStream, ProgramCall, Word

MOST_VALUES = 16
"""Values of one variable that are tried: `for x in …`."""
MOST_FOLDERS = 8
MOST_UNPACKED = 20
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
    """What each variable may hold, the last one given first."""
    folders: tuple[str, ...] = ("",)
    """Where the shell may stand, as seen from the project."""
    functions: dict[str, tuple[SyntaxTree, Node]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    files: dict[str, PipeStream] = field(default_factory=lambda: {"/dev/null": PipeStream("")})
    """What the script itself wrote into files, as far as that is known."""
    links: dict[str, str] = field(default_factory=dict)
    """The programs that it copied or linked to another name."""
    references: dict[str, str] = field(default_factory=dict)
    """The variables that stand for another one: `declare -n`."""
    unpacked: list[tuple[str, PipeStream]] = field(default_factory=list)
    """The folders that the script filled."""
    complete: bool = True
    variant: int = 0
    widest: int = 1
    _left: tuple[str, ...] = ()
    """Where it stood before a `cd` that may have failed."""

    def value(self, name: str) -> Word | None:
        """Give the value of a variable, of several the one whose turn it is."""
        values = self.values.get(self.references.get(name, name))
        if values:
            self.widest = max(self.widest, len(values))
            return values[min(self.variant, len(values) - 1)]
        known = _WELL_KNOWN.get(name)
        return None if known is None else Word(known)

    def set(self, name: str, word: Word) -> None:
        """Give a variable a value, and keep what it may have been before: nobody knows which way an `if` goes."""
        others = tuple(one for one in self.values.get(name, ()) if one != word)
        self.values[name] = (word, *others)[:MOST_VALUES]

    def set_each(self, name: str, words: list[Word]) -> None:
        """Let a variable hold one after the other."""
        unseen = () if 0 < len(words) <= MOST_VALUES else (Word(f"${name}", known=False),)
        self.values[name] = (*words[:MOST_VALUES], *unseen)

    def set_arguments(self, words: tuple[Word, ...]) -> None:
        """Set `$1`, `$2`, `$@`…"""
        for number in range(1, MOST_VALUES + 1):
            self.values.pop(str(number), None)
        for number, word in enumerate(words[:MOST_VALUES], 1):
            self.values[str(number)] = (word,)
        everything = Word(" ".join(word.text for word in words), all(word.known for word in words))
        self.values["@"] = self.values["*"] = (everything,)
        self.values["#"] = (Word(str(len(words))),)

    def change_folder(self, target: Word | None) -> None:
        """Change the folder."""
        text = "~" if target is None else target.text
        if target is not None and (text == "-" or not target.known):
            return
        self._left = self.folders
        gone = (
            text if text.startswith(("/", "~")) else posixpath.normpath(f"{one or '.'}/{text}") for one in self.folders
        )
        self.folders = tuple(dict.fromkeys(one for one in gone if len(one) < LONGEST_FOLDER)) or self.folders

    def return_to(self, folders: tuple[str, ...]) -> None:
        """Go back to where a subshell was started."""
        self.folders, self._left = folders, ()

    def cd_succeeded(self) -> None:
        """The `cd` before this did not fail, or what follows would not run."""
        self._left = ()

    def allow_for_failed_cd(self) -> None:
        """Stand in either folder after a `cd` that may have failed."""
        if self._left:
            both = tuple(dict.fromkeys((*self.folders, *self._left)))
            self.complete = self.complete and len(both) <= MOST_FOLDERS
            self.folders = both[:MOST_FOLDERS]
            self._left = ()

    def write_file(self, path: str, stream: PipeStream) -> None:
        """Remember what was written into a file; a name that ends with a slash is a folder."""
        if path.startswith("/dev/"):
            return
        if path.endswith("/"):
            self.unpacked = [*self.unpacked, (path.removeprefix("./"), stream)][-MOST_UNPACKED:]
        else:
            self.files[path.removeprefix("./")] = stream

    def read_file(self, path: str) -> PipeStream | None:
        """Give what is in a file, if the script itself wrote it."""
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

    def run_builtin(self, call: ProgramCall) -> None:  # noqa: C901 - one a builtin
        """Do what a builtin would do to the shell itself."""
        arguments = [word for word in call.words[1:] if not word.text.startswith("-") or word.text == "-"]
        match call.program:
            case "cd" | "pushd":
                self.change_folder(arguments[0] if arguments else None)
            case "popd":
                self.folders = tuple(dict.fromkeys((*self.folders, "")))[:MOST_FOLDERS]
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
                self.set_arguments(
                    tuple(self.values[str(n)][0] for n in range(2, MOST_VALUES) if str(n) in self.values)
                )
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
        lines = [line.split(None, len(names) - 1) for line in stream.text.splitlines()[: MOST_VALUES + 1]]
        for place, name in enumerate(names):
            self.set_each(name, [Word(parts[place]) for parts in lines if len(parts) > place])
