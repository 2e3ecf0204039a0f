"""Discord's way of saying no: a status, a code and a sentence."""

from typing import Any

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818 - it is Discord's answer, not a fault of this program
    """A request that Discord turns down."""

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
        """Whether a well-made program would never have sent this."""
        return self.code in {50006, 50035, 50109, 40005, 40041, 50041}


def unauthorized() -> Refused:
    return Refused(401, 0, "401: Unauthorized")


def unknown_channel() -> Refused:
    return Refused(404, 10003, "Unknown Channel")


def unknown_guild() -> Refused:
    return Refused(404, 10004, "Unknown Guild")


def unknown_member() -> Refused:
    return Refused(404, 10007, "Unknown Member")


def unknown_message() -> Refused:
    return Refused(404, 10008, "Unknown Message")


def unknown_user() -> Refused:
    return Refused(404, 10013, "Unknown User")


def unknown_webhook() -> Refused:
    return Refused(404, 10015, "Unknown Webhook")


def unknown_interaction() -> Refused:
    return Refused(404, 10062, "Unknown interaction")


def unknown_command() -> Refused:
    return Refused(404, 10063, "Unknown application command")


def already_acknowledged() -> Refused:
    return Refused(400, 40060, "Interaction has already been acknowledged.")


def missing_access() -> Refused:
    return Refused(403, 50001, "Missing Access")


def not_the_author() -> Refused:
    return Refused(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> Refused:
    return Refused(400, 50006, "Cannot send an empty message")


def missing_permissions() -> Refused:
    return Refused(403, 50013, "Missing Permissions")


def system_message() -> Refused:
    return Refused(403, 50021, "Cannot execute action on a system message")


def wrong_channel_type() -> Refused:
    return Refused(400, 50024, "Cannot execute action on this channel type")


def invalid_webhook_token() -> Refused:
    return Refused(401, 50027, "Invalid Webhook Token")


def thread_archived() -> Refused:
    return Refused(400, 50083, "Thread is archived")


def thread_exists() -> Refused:
    return Refused(400, 160004, "A thread has already been created for this message")


def thread_locked() -> Refused:
    return Refused(400, 160005, "Thread is locked")


def too_large() -> Refused:
    return Refused(413, 40005, "Request entity too large")


def invalid_json() -> Refused:
    return Refused(400, 50109, "The request body contains invalid JSON.")


class Form:
    """Collects everything that is wrong with a body, as Discord's tree of errors."""

    def __init__(self) -> None:
        self._errors: Json = {}

    def wrong(self, path: tuple[str | int, ...], code: str, message: str) -> None:
        node = self._errors
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def check(self) -> None:
        """Raise when anything is wrong."""
        if self._errors:
            raise Refused(400, 50035, "Invalid Form Body", self._errors)


def invalid(path: tuple[str | int, ...], code: str, message: str) -> Refused:
    """Refuse one field of a form."""
    form = Form()
    form.wrong(path, code, message)
    try:
        form.check()
    except Refused as refusal:
        return refusal
    raise AssertionError
