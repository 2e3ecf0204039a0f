"""Houses for deciding in: one with a scripted agent, one with the real `claude`."""

from tests.roundtrip.conftest import api, empty_house, workshop

__all__ = ["api", "empty_house", "workshop"]
