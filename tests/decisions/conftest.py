"""Houses for deciding in, with a scripted agent or the real `claude`."""

from tests.roundtrip.conftest import api, empty_house

__all__ = ["api", "empty_house"]
