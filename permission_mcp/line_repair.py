"""Repairs or rejects lines from the CLI that `mcp` can't parse: if they were dropped, Claude would wait forever."""

import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

Item = SessionMessage | Exception

# A lone surrogate is valid in a JavaScript string but not in UTF-8; a truncated emoji has one.
# Escapes are matched one by one, so that \\ followed by a harmless "ud83d" is not taken for an escape.
JSON_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)", re.DOTALL)
JSON_TOKEN = re.compile(r'(?P<open>[{\[])|(?P<close>[}\]])|"id"\s*:\s*(?P<id>\d+)|"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def without_lone_surrogates(line: str) -> str:
    """Replace lone surrogates with U+FFFD, as the CLI does when it writes a file."""
    return JSON_ESCAPE.sub(lambda escape: r"\ufffd" if escape["half"] else escape[0], line)


def request_id(line: str) -> int | None:
    """Return the id of a request that can't be parsed, for example because it is nested too deeply."""
    depth = 0
    for token in JSON_TOKEN.finditer(line):
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "id" if depth == 1:
                return int(token["id"])
            case _:
                pass
    return None


def repair(error: ValidationError) -> SessionMessage | JSONRPCError | None:
    """Parse the line again; return a message, an error to answer with, or None if the line is not a request."""
    detail = error.errors(include_url=False)[0]
    if detail["type"] != "json_invalid":
        return None
    line = detail["input"]
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(without_lone_surrogates(line), by_name=False))
    except ValidationError:
        number = request_id(line)
        reason = ErrorData(code=PARSE_ERROR, message=f"This request can't be read: {detail['msg']}.")
        return None if number is None else JSONRPCError(jsonrpc="2.0", id=number, error=reason)


@asynccontextmanager
async def repaired_messages(
    incoming: AsyncIterable[Item], answer: Callable[[SessionMessage], Awaitable[None]]
) -> AsyncIterator[MemoryObjectReceiveStream[Item]]:
    """Forward messages inside the block; answer a request that can't be parsed with an error."""
    sender, receiver = anyio.create_memory_object_stream[Item]()

    async def relay() -> None:
        async with sender:
            async for item in incoming:
                match repair(item) if isinstance(item, ValidationError) else item:
                    case JSONRPCError() as error:
                        await answer(SessionMessage(error))
                    case None:
                        pass
                    case message:
                        await sender.send(message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(relay)
        yield receiver
        tasks.cancel_scope.cancel()
