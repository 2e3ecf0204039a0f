"""Adds options for how often the bot is killed: `pytest tests/chaos --kills 500 --seed 7`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=None, help="kill the bot so often in tests/chaos")
    parser.addoption("--seed", type=int, default=None, help="the seed of tests/chaos")
