"""Routes for responses to interactions, and their follow-ups."""

from sandbox.discord import errors, payloads
from sandbox.discord.rest.api_request import ApiAnswer, ApiRequest, Route


def respond(call: ApiRequest) -> ApiAnswer:
    number, token = call.number("interaction_id"), call.path["interaction_token"]
    answer = call.interactions.respond(number, token, call.body, call.files)
    return answer if call.query.get("with_response") == "true" else None


def follow_up(call: ApiRequest) -> ApiAnswer:
    message = call.interactions.follow_up(_token(call), call.body, call.files)
    return payloads.message(message, seen_by=call.me)


def get(call: ApiRequest) -> ApiAnswer:
    return payloads.message(call.interactions.sent(_token(call), _which(call)), seen_by=call.me)


def edit(call: ApiRequest) -> ApiAnswer:
    message = call.interactions.change(_token(call), _which(call), call.body, call.files)
    return payloads.message(message, seen_by=call.me)


def delete(call: ApiRequest) -> ApiAnswer:
    call.interactions.delete(_token(call), _which(call))
    return None


def _token(call: ApiRequest) -> str:
    if call.number("webhook_id") != call.world.application.id:
        raise errors.unknown_webhook()
    return call.path["webhook_token"]


def _which(call: ApiRequest) -> str:
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
