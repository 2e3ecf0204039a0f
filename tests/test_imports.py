"""The directions of imports, kept."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ADAPTERS = ("bot.claude", "bot.discord", "bot.local_api", "bot.store")
TOP = ("bot.app", "bot.cli", "bot.setup", "bot.__main__")


def modules() -> Iterator[tuple[str, frozenset[str]]]:
    for package in ("bot", "permission_mcp", "shared", "sandbox"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield name, frozenset(imported(ast.parse(path.read_text(encoding="utf-8"))))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, *rooms: str) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


@pytest.mark.parametrize(("name", "imports"), [pytest.param(n, i, id=n) for n, i in modules()])
def test_a_room_imports_only_what_is_below_it(name: str, imports: frozenset[str]) -> None:
    def none_of(*rooms: str) -> None:
        assert not [each for each in imports if within(each, *rooms)]

    if within(name, "shared"):
        none_of("bot", "permission_mcp", "sandbox")
    if within(name, "permission_mcp"):
        none_of("bot", "sandbox", "aiohttp", "hikari")
    if within(name, "bot"):
        none_of("permission_mcp")
        if not within(name, "bot.cli"):
            none_of("sandbox")
        if not within(name, "bot.discord", "bot.app"):
            none_of("hikari", "lightbulb")
        if not within(name, "bot.store"):
            none_of("sqlite3")
        if not within(name, *TOP):
            home = next((room for room in ADAPTERS if within(name, room)), None)
            none_of(*(room for room in ADAPTERS if room != home), *TOP)
