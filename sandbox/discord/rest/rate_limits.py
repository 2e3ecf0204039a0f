"""Discord's rate limits: leaky buckets, and the headers that report them."""

import hashlib
import math
import time
from dataclasses import dataclass, field

from sandbox.discord.errors import Json


@dataclass(frozen=True)
class RequestLimit:
    """A number of requests in a number of seconds."""

    requests: int
    seconds: float


GLOBAL = RequestLimit(50, 1.0)
NAME_CHANGE = RequestLimit(2, 600.0)  # undocumented; applies to channels and threads
_OTHER = RequestLimit(30, 1.0)
_BY_ROUTE: dict[tuple[str, str], RequestLimit] = {
    ("POST", "/channels/{channel_id}/messages"): RequestLimit(5, 5.0),
    ("PATCH", "/channels/{channel_id}/messages/{message_id}"): RequestLimit(5, 5.0),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}"): RequestLimit(5, 1.0),
    ("POST", "/channels/{channel_id}/typing"): RequestLimit(5, 5.0),
    ("POST", "/channels/{channel_id}/threads"): RequestLimit(5, 5.0),
    ("POST", "/channels/{channel_id}/messages/{message_id}/threads"): RequestLimit(5, 5.0),
    ("PATCH", "/channels/{channel_id}"): RequestLimit(5, 5.0),
    ("PUT", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): RequestLimit(1, 0.25),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): RequestLimit(1, 0.25),
    ("POST", "/webhooks/{webhook_id}/{webhook_token}"): RequestLimit(5, 2.0),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original"): RequestLimit(5, 2.0),
    ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"): RequestLimit(5, 2.0),
    ("PUT", "/applications/{application_id}/commands"): RequestLimit(2, 5.0),
    ("PUT", "/applications/{application_id}/guilds/{guild_id}/commands"): RequestLimit(2, 5.0),
}
_MAJOR = ("channel_id", "guild_id", "webhook_id", "webhook_token")
UNLIMITED = "/interactions/"


@dataclass
class _Bucket:
    """A leaky bucket: each request fills it by one, and it drains steadily."""

    limit: RequestLimit
    level: float = 0.0
    at: float = field(default_factory=time.monotonic)

    def pour(self) -> float:
        """Count a request; return 0, or the seconds to wait if the bucket is full."""
        now, pace = time.monotonic(), self.limit.seconds / self.limit.requests
        self.level = max(0.0, self.level - (now - self.at) / pace)
        self.at = now
        if self.level > self.limit.requests - 1 + 1e-9:
            return (self.level - (self.limit.requests - 1)) * pace
        self.level += 1
        return 0.0

    @property
    def remaining(self) -> int:
        return max(0, math.floor(self.limit.requests - self.level + 1e-9))

    @property
    def reset_after(self) -> float:
        return self.level * self.limit.seconds / self.limit.requests


@dataclass(frozen=True)
class RateLimitAnswer:
    """The rate limit headers for a request, and the refusal if it is over the limit."""

    headers: dict[str, str]
    refusal: Json | None = None


class RateLimitBuckets:
    """All buckets of one server; windows are shorter by the factor `speed`."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._buckets: dict[tuple[str, ...], _Bucket] = {}

    def admit(self, method: str, template: str, path: dict[str, str]) -> RateLimitAnswer:
        """Accept or refuse a request; both answers have Discord's headers."""
        if template.startswith(UNLIMITED) or math.isinf(self.speed):
            return RateLimitAnswer({})
        if not template.startswith("/webhooks/"):
            wait = self._bucket(("global",), GLOBAL).pour()
            if wait:
                return _refuse(wait, {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}, everywhere=True)
        major = tuple(path[each] for each in _MAJOR if each in path)
        bucket = self._bucket((method, template, *major), _BY_ROUTE.get((method, template), _OTHER))
        wait = bucket.pour()
        headers = self._headers(bucket, f"{method} {template}")
        return _refuse(wait, headers | {"X-RateLimit-Scope": "user"}) if wait else RateLimitAnswer(headers)

    def admit_name_change(self, channel_id: int) -> RateLimitAnswer:
        """Count the renaming of a channel, which has its own limit."""
        if math.isinf(self.speed):
            return RateLimitAnswer({})
        wait = self._bucket(("name", str(channel_id)), NAME_CHANGE).pour()
        return _refuse(wait, {"X-RateLimit-Scope": "shared"}) if wait else RateLimitAnswer({})

    def _bucket(self, key: tuple[str, ...], limit: RequestLimit) -> _Bucket:
        quick = RequestLimit(limit.requests, limit.seconds / self.speed)
        return self._buckets.setdefault(key, _Bucket(quick))

    @staticmethod
    def _headers(bucket: _Bucket, route: str) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(bucket.limit.requests),
            "X-RateLimit-Remaining": str(bucket.remaining),
            "X-RateLimit-Reset": f"{time.time() + bucket.reset_after:.3f}",
            "X-RateLimit-Reset-After": f"{bucket.reset_after:.3f}",
            "X-RateLimit-Bucket": hashlib.md5(route.encode(), usedforsecurity=False).hexdigest(),
        }


def _refuse(wait: float, headers: dict[str, str], *, everywhere: bool = False) -> RateLimitAnswer:
    wait = math.ceil(wait * 1000) / 1000
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": everywhere}
    return RateLimitAnswer(headers | {"Retry-After": str(math.ceil(wait))}, body)
