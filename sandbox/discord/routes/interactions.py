"""Answers to interactions, first and later ones."""

from sandbox.discord import errors, payloads
from sandbox.discord.api_request import Answer, Call, Route


def respond(call: Call) -> Answer:
    number, token = call.number("interaction_id"), call.path["interaction_token"]
    answer = call.interactions.respond(number, token, call.body, call.files)
    return answer if call.query.get("with_response") == "true" else None


def follow_up(call: Call) -> Answer:
    message = call.interactions.follow_up(_token(call), call.body, call.files)
    return payloads.message(message, seen_by=call.me)


def get(call: Call) -> Answer:
    return payloads.message(call.interactions.sent(_token(call), _which(call)), seen_by=call.me)


def edit(call: Call) -> Answer:
    message = call.interactions.change(_token(call), _which(call), call.body, call.files)
    return payloads.message(message, seen_by=call.me)


def delete(call: Call) -> Answer:
    call.interactions.take_back(_token(call), _which(call))
    return None


def _token(call: Call) -> str:
    if call.number("webhook_id") != call.world.application.id:
        raise errors.unknown_webhook()
    return call.path["webhook_token"]


def _which(call: Call) -> str:
    return call.path.get("message_id", "@original")


_WEBHOOK = "/webhooks/{webhook_id}/{webhook_token}"

ROUTES = (
    Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", respond, authorized=False),
    Route("POST", _WEBHOOK, follow_up, authorized=False),
    *(
        Route(method, f"{_WEBHOOK}/messages/{which}", answer, authorized=False)
        for which in ("@original", "{message_id}")
        for method, answer in (("GET", get), ("PATCH", edit), ("DELETE", delete))
    ),
)
