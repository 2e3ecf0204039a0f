"""Discord's own OpenAPI document, as a judge of every request that a bot makes."""

import copy
import functools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from sandbox.discord import Recorded

DOCUMENT_ENV = "CLAUDE_DISCORD_OPENAPI"
_URI = "urn:discord"


def judge(recorded: Recorded) -> list[str]:
    """Say in sentences what Discord's document holds against a request; nothing, where there is no document."""
    document = _document()
    if document is None or recorded.status == 405:
        return []
    operation = document["paths"].get(recorded.template, {}).get(recorded.method.lower())
    if operation is None:
        return ["Discord's document has no such route."]
    return [*_query_complaints(operation, recorded), *_body_complaints(recorded)]


def document_path() -> Path:
    beside = Path(__file__).parents[2] / "shared" / "discord-openapi.json"
    return Path(os.environ.get(DOCUMENT_ENV, beside))


@functools.cache
def _document() -> Any:
    try:
        return json.loads(document_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.stderr.write(f"Requests are not judged: there is no {document_path()} (set {DOCUMENT_ENV}).\n")
        return None


def _query_complaints(operation: Any, recorded: Recorded) -> Iterator[str]:
    known = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    for name in sorted(set(recorded.query) - known):
        yield f"The query has {name}, which Discord does not know."


def _body_complaints(recorded: Recorded) -> Iterator[str]:
    validator = _validator(recorded.method.lower(), recorded.template)
    if validator is None:
        return
    error = best_match(validator.iter_errors(_tolerated(recorded.body)))
    if error is not None:
        yield f"{_where(error)}: {error.message[:400]}"


def _where(error: ValidationError) -> str:
    return "body" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)


@functools.cache
def _validator(method: str, template: str) -> Draft202012Validator | None:
    document = _document()
    content = document["paths"][template][method].get("requestBody", {}).get("content", {})
    media = next((each for each in ("application/json", "multipart/form-data") if each in content), None)
    if media is None:
        return None
    steps = ("paths", template, method, "requestBody", "content", media, "schema")
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return Draft202012Validator({"$ref": f"{_URI}#{_percent(pointer)}"}, registry=_registry())


def _percent(pointer: str) -> str:
    """A pointer in an address has its braces escaped."""
    return pointer.replace("{", "%7B").replace("}", "%7D")


@functools.cache
def _registry() -> Registry[Any]:
    resource = Resource.from_contents(_document(), default_specification=DRAFT202012)
    return Registry().with_resource(_URI, resource)


def _tolerated(body: Any) -> Any:
    """Take out what Discord accepts though its document does not say so: numbers as attachment ids, and `nsfw`."""
    body = copy.deepcopy(body)
    for holder in (body, body.get("data") if isinstance(body, dict) else None):
        for each in (holder.get("attachments") or ()) if isinstance(holder, dict) else ():
            if isinstance(each.get("id"), int):
                each["id"] = str(each["id"])
    for command in body if isinstance(body, list) else [body]:
        if isinstance(command, dict):
            command.pop("nsfw", None)
    return body
