"""How many tokens a message has taken."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read: int = 0
    cache_creation: int = 0

    @property
    def context(self) -> int:
        """Tokens that the conversation holds after this message."""
        return self.input_tokens + self.output_tokens + self.cache_read + self.cache_creation


NO_USAGE = Usage()
