"""The tokens that a message has used."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read: int = 0
    cache_creation: int = 0

    @property
    def context(self) -> int:
        """The size of the conversation after this message, in tokens."""
        return self.input_tokens + self.output_tokens + self.cache_read + self.cache_creation


NO_USAGE = Usage()
