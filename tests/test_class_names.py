"""Tests that a class name means one thing in the whole product; a private one only has to be clear in its module."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_class_has_a_name_of_its_own() -> None:
    places = defaultdict[str, list[str]](list)
    for program in ("bot", "permission_mcp", "sandbox", "shared"):
        for path in sorted((ROOT / program).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not {name: found for name, found in places.items() if len(found) > 1}
