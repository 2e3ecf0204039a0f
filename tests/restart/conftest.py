"""What the tests of a restart share."""

from tests.fixtures.previous_version import previous

__all__ = ["previous"]
