"""Risk: what a person should know about a request before saying yes."""

from dataclasses import dataclass

from shared.protocol import Request


@dataclass(frozen=True, slots=True)
class Warning:  # noqa: A001 - it is one
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def warnings(request: Request, folder: str) -> tuple[Warning, ...]:
    _ = request, folder
    return ()
