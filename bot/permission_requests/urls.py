"""Web addresses, parsed as Claude Code and every browser do it: by the WHATWG standard."""

import ipaddress
import re
from dataclasses import dataclass

import ada_url

WEB = frozenset({"http:", "https:"})
MOST = 10_000
"""Characters of the longest address that is parsed; Claude Code itself accepts 2,000."""
_PLAIN = re.compile(
    r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]{1,5})?(?:[/?#].*)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
"""An address that everyone reads the same way: no user, no backslash, nothing encoded or foreign before its path."""
_INNER_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "home", "corp")
"""Endings of names that exist only inside a network (RFC 6762, 6761, 8375; metadata.google.internal)."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed web address."""

    host: str
    """The host that gets the request, in ASCII: as punycode if it is not, as dotted numbers if it is a number."""
    path: str
    plain: bool
    """Whether a person who reads the address sees exactly this host in it."""

    @property
    def foreign(self) -> str:
        """The host in the letters that a browser would show, if they are not ASCII; otherwise empty."""
        shown: str = ada_url.idna_to_unicode(self.host) if "xn--" in self.host else ""
        return shown if shown != self.host else ""

    @property
    def is_near(self) -> bool:
        """Whether it names this machine or its network, such as a cloud's metadata server, and not the internet."""
        name = self.host.strip("[]").removesuffix(".")
        try:
            found = _wrapped(ipaddress.ip_address(name))
        except ValueError:
            return "." not in name or name.endswith(tuple(f".{inner}" for inner in _INNER_NAMES))
        return found.is_multicast or not found.is_global


def read(url: str) -> Address | None:
    """Parse a web address; None when it is not one, or leads nowhere."""
    if len(url) > MOST:
        return None
    try:
        found = ada_url.URL(url)
    except ValueError:  # UnicodeEncodeError too: half a surrogate pair
        return None
    if found.protocol not in WEB or not found.hostname:
        return None
    seen = _PLAIN.fullmatch(url)
    plain = seen is not None and seen[1].lower() == found.hostname and "xn--" not in found.hostname
    return Address(found.hostname, found.pathname, plain)


def host_of(url: str) -> str | None:
    """Return the host of an ordinary web address; None for one that deserves a second look."""
    found = read(url)
    return found.host if found is not None and found.plain else None


def _wrapped(found: Ip) -> Ip:
    """Return the IPv4 address inside an IPv6 address that embeds one, or else the address itself."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    if found in _NAT64:
        return ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else found)
