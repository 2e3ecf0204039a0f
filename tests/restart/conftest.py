"""A bot with the real `claude`."""

from tests.fixtures.real_setup import api, real_setup

__all__ = ["api", "real_setup"]
