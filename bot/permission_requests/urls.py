"""Parses web addresses like Claude Code and browsers do, by the WHATWG standard."""

import ipaddress
import re
from dataclasses import dataclass

import ada_url

WEB_PROTOCOLS = frozenset({"http:", "https:"})
MAX_LENGTH = 10_000  # characters; Claude Code itself accepts 2,000
_PLAIN = re.compile(
    r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]{1,5})?(?:[/?#].*)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
"""An address that everyone reads the same way: no user, backslash, encoded or non-ASCII character before its path."""
_LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "home", "corp")
"""Endings of host names inside a network (RFC 6762, 6761, 8375; metadata.google.internal)."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    """The host that gets the request, in ASCII: punycode for other characters, dotted numbers for an IP address."""
    path: str
    plain: bool
    """Whether a person who reads the address sees exactly this host."""

    @property
    def foreign(self) -> str:
        """The host as a browser would show it, if that is not ASCII; otherwise empty."""
        shown: str = ada_url.idna_to_unicode(self.host) if "xn--" in self.host else ""
        return shown if shown != self.host else ""

    @property
    def is_local(self) -> bool:
        """Whether the address is on this machine or its network, such as a cloud's metadata server."""
        name = self.host.strip("[]").removesuffix(".")
        try:
            found = _embedded_ipv4(ipaddress.ip_address(name))
        except ValueError:
            return "." not in name or name.endswith(tuple(f".{inner}" for inner in _LOCAL_NAMES))
        return found.is_multicast or not found.is_global


def read(url: str) -> Address | None:
    """Parse a web address; return None if it is invalid or has no host."""
    if len(url) > MAX_LENGTH:
        return None
    try:
        found = ada_url.URL(url)
    except ValueError:  # includes UnicodeEncodeError for a lone surrogate
        return None
    if found.protocol not in WEB_PROTOCOLS or not found.hostname:
        return None
    seen = _PLAIN.fullmatch(url)
    plain = seen is not None and seen[1].lower() == found.hostname and "xn--" not in found.hostname
    return Address(found.hostname, found.pathname, plain)


def host_of(url: str) -> str | None:
    """Return the host of a plain web address; None if the address could mislead a reader."""
    found = read(url)
    return found.host if found is not None and found.plain else None


def _embedded_ipv4(found: Ip) -> Ip:
    """Return the IPv4 address embedded in an IPv6 address, or the address itself."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    if found in _NAT64:
        return ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else found)
