"""Discord's errors: each has a status, a code and a sentence."""

from typing import Any

Json = dict[str, Any]


class DiscordRefusal(Exception):  # noqa: N818 - Discord's response, not an error of this program
    """Discord refuses a request."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code}: {message} {errors or ''}".strip())
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors

    def body(self) -> Json:
        body: Json = {"message": self.message, "code": self.code}
        if self.errors:
            body["errors"] = self.errors
        return body

    @property
    def by_limit(self) -> bool:
        """Whether a correct bot would not have sent the request, because it breaks a limit."""
        return self.code in {50006, 50035, 50109, 40005, 40041, 50041}


def unauthorized() -> DiscordRefusal:
    return DiscordRefusal(401, 0, "401: Unauthorized")


def unknown_channel() -> DiscordRefusal:
    return DiscordRefusal(404, 10003, "Unknown Channel")


def unknown_guild() -> DiscordRefusal:
    return DiscordRefusal(404, 10004, "Unknown Guild")


def unknown_member() -> DiscordRefusal:
    return DiscordRefusal(404, 10007, "Unknown Member")


def unknown_message() -> DiscordRefusal:
    return DiscordRefusal(404, 10008, "Unknown Message")


def unknown_user() -> DiscordRefusal:
    return DiscordRefusal(404, 10013, "Unknown User")


def unknown_webhook() -> DiscordRefusal:
    return DiscordRefusal(404, 10015, "Unknown Webhook")


def unknown_interaction() -> DiscordRefusal:
    return DiscordRefusal(404, 10062, "Unknown interaction")


def unknown_command() -> DiscordRefusal:
    return DiscordRefusal(404, 10063, "Unknown application command")


def already_acknowledged() -> DiscordRefusal:
    return DiscordRefusal(400, 40060, "Interaction has already been acknowledged.")


def missing_access() -> DiscordRefusal:
    return DiscordRefusal(403, 50001, "Missing Access")


def not_the_author() -> DiscordRefusal:
    return DiscordRefusal(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> DiscordRefusal:
    return DiscordRefusal(400, 50006, "Cannot send an empty message")


def missing_permissions() -> DiscordRefusal:
    return DiscordRefusal(403, 50013, "Missing Permissions")


def system_message() -> DiscordRefusal:
    return DiscordRefusal(403, 50021, "Cannot execute action on a system message")


def wrong_channel_type() -> DiscordRefusal:
    return DiscordRefusal(400, 50024, "Cannot execute action on this channel type")


def invalid_webhook_token() -> DiscordRefusal:
    return DiscordRefusal(401, 50027, "Invalid Webhook Token")


def thread_archived() -> DiscordRefusal:
    return DiscordRefusal(400, 50083, "Thread is archived")


def thread_exists() -> DiscordRefusal:
    return DiscordRefusal(400, 160004, "A thread has already been created for this message")


def thread_locked() -> DiscordRefusal:
    return DiscordRefusal(400, 160005, "Thread is locked")


def too_large() -> DiscordRefusal:
    return DiscordRefusal(413, 40005, "Request entity too large")


def invalid_json() -> DiscordRefusal:
    return DiscordRefusal(400, 50109, "The request body contains invalid JSON.")


class FormErrors:
    """Collects all errors in a body, in Discord's tree form."""

    def __init__(self) -> None:
        self._errors: Json = {}

    def wrong(self, path: tuple[str | int, ...], code: str, message: str) -> None:
        node = self._errors
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def check(self) -> None:
        """Raise `DiscordRefusal` if there are any errors."""
        if self._errors:
            raise DiscordRefusal(400, 50035, "Invalid Form Body", self._errors)


def invalid(path: tuple[str | int, ...], code: str, message: str) -> DiscordRefusal:
    """Return the refusal for one invalid field."""
    form = FormErrors()
    form.wrong(path, code, message)
    try:
        form.check()
    except DiscordRefusal as refusal:
        return refusal
    raise AssertionError
