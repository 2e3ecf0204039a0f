"""Tests that a package imports only packages on lower lines of the list in docs/architecture.md."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = ("bot", "permission_mcp", "shared", "sandbox")


def layers() -> dict[str, int]:
    """Read the list in the document: the height of each package, 0 for the lowest."""
    document = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    found = re.search(r"^```layers\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
    assert found is not None, "docs/architecture.md has no list of layers"
    lines = reversed(found[1].splitlines())
    return {package: height for height, line in enumerate(lines) for package in line.split()}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for program in PROGRAMS
        for path in sorted((ROOT / program).rglob("*.py"))
    }


MODULES = modules()
LAYERS = layers()


@cache
def imported(name: str) -> frozenset[str]:
    """Return the names of the modules that a module imports."""
    return frozenset(_imported(name))


def _imported(name: str) -> Iterator[str]:
    for node in _nodes(name):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=module, level=level):
                source = ".".join(filter(None, (_parent(name, level), module)))
                inner = (f"{source}.{alias.name}" for alias in node.names)
                yield from (each if each in MODULES else source for each in inner)
            case ast.Attribute(value=ast.Name(id=program), attr=part) if f"{program}.{part}" in MODULES:
                yield f"{program}.{part}"  # after `import bot`, whoever has imported it


def _nodes(name: str) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8")))


def _parent(name: str, level: int) -> str:
    """Name the package that a relative import of this level starts at; an absolute one starts nowhere."""
    if not level:
        return ""
    parts = name.split(".") + ["__init__"] * (MODULES[name].name == "__init__.py")
    return ".".join(parts[:-level])


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def package_of(name: str) -> str | None:
    """Return the list's entry for a module; None if it has none."""
    return next((package for package in LAYERS if within(name, package)), None)


@pytest.mark.parametrize("name", [name for name in MODULES if within(name, "bot", "shared") and name != "bot"])
def test_a_module_imports_only_layers_below_its_own(name: str) -> None:
    home = package_of(name)
    assert home is not None, f"docs/architecture.md says in no layer where {name} belongs"
    targets = [(each, package_of(each)) for each in imported(name) if within(each, "bot", "shared") and each != "bot"]
    assert not [each for each, package in targets if package is None]
    assert not [each for each, package in targets if package and package != home and LAYERS[package] >= LAYERS[home]]


@pytest.mark.parametrize("package", LAYERS)
def test_every_package_in_the_list_exists(package: str) -> None:
    assert package in MODULES or any(within(name, package) for name in MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_nothing_that_another_program_or_package_owns(name: str) -> None:
    def none_of(*packages: str) -> None:
        assert not [each for each in imported(name) if within(each, *packages)]

    if within(name, "shared"):
        none_of("bot", "permission_mcp", "sandbox")
    if within(name, "permission_mcp"):
        none_of("bot", "sandbox", "aiohttp", "hikari")
    if within(name, "bot"):
        none_of("permission_mcp")
        if name != "bot.cli.sandbox":
            none_of("sandbox")
        if not within(name, "bot.discord", "bot.app"):
            none_of("hikari", "lightbulb")
        if not within(name, "bot.store"):
            none_of("sqlite3")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_imports_nothing_by_itself(program: str) -> None:
    assert not imported(program), "everything that imports one of its modules would import this too"


@pytest.mark.parametrize("name", [name for name in MODULES if name != "bot.cli"])
def test_only_the_command_line_imports_modules_by_a_computed_name(name: str) -> None:
    called = {ast.unparse(node.func).rpartition(".")[2] for node in _nodes(name) if isinstance(node, ast.Call)}
    assert not called & {"import_module", "__import__", "run_module", "exec", "eval"}


@pytest.mark.parametrize("verb", ["sessions", "say", "stop", "restart", "reload", "complete"])
def test_a_command_in_the_terminal_does_not_wait_for_what_only_the_bot_needs(verb: str) -> None:
    program = f"import sys, bot.cli.{verb}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not [name for name in done.stdout.split() if within(name, "hikari", "aiohttp", "bot.conversations")]
