"""Tests that Discord's document finds the same faults in a request as Discord would."""

from typing import Any

import pytest

from sandbox.discord import RecordedRequest
from tests.fixtures.discord_openapi import document_path, judge

pytestmark = pytest.mark.skipif(not document_path().exists(), reason="Discord's OpenAPI document is not here")

MESSAGES = "/channels/{channel_id}/messages"
CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
COMMANDS = "/applications/{application_id}/commands"


def request(method: str, template: str, body: Any = None, **query: str) -> RecordedRequest:
    return RecordedRequest(method, template, template, query, body, (), 200, None, 0.0)


@pytest.mark.parametrize(
    "recorded",
    [
        request("POST", MESSAGES, {"content": "x", "attachments": [{"id": 0, "filename": "a"}]}),
        request("POST", CALLBACK, {"type": 4, "data": {"content": "x"}}, with_response="true"),
        request("POST", CALLBACK, {"type": 6}),
        request("PUT", COMMANDS, [{"name": "x", "description": "x", "nsfw": False}]),
        request("GET", MESSAGES, None, limit="5"),
    ],
)
def test_a_good_request_is_accepted(recorded: RecordedRequest) -> None:
    assert judge(recorded) == []


@pytest.mark.parametrize(
    ("recorded", "complaint"),
    [
        (request("POST", MESSAGES, {"content": 5}), "body.content"),
        (request("POST", MESSAGES, {"components": [{"type": 1}]}), "body.components[0]"),
        (request("POST", CALLBACK, {"type": 4, "data": {"components": 3}}), "body"),
        (request("PUT", COMMANDS, [{"description": "x"}]), "'name' is a required property"),
        (request("GET", MESSAGES, None, limits="5"), "limits"),
        (request("GET", "/nothing"), "no such route"),
    ],
)
def test_a_bad_request_is_named(recorded: RecordedRequest, complaint: str) -> None:
    [found] = judge(recorded)
    assert complaint in found
