"""Where a web address leads, read as Claude Code reads it: by the WHATWG standard, like every browser."""

import ipaddress
import re
from dataclasses import dataclass

import ada_url

WEB = frozenset({"http:", "https:"})
MOST = 10_000
"""Characters of an address that is taken apart; Claude Code itself takes 2,000."""
_PLAIN = re.compile(
    r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]{1,5})?(?:[/?#].*)?", re.ASCII | re.IGNORECASE | re.DOTALL
)
"""An address that reads the same to everybody: no user, no backslash, nothing encoded or foreign before its path."""
_INNER_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "home", "corp")
"""How the names end that only a network itself knows (RFC 6762, 6761, 8375; metadata.google.internal)."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Address:
    """A web address, taken apart."""

    host: str
    """The host that is asked, in ASCII: punycode for what is not, dotted numbers for what is a number."""
    path: str
    plain: bool
    """Whether a person who reads the address sees this host in it, and no other."""

    @property
    def foreign(self) -> str:
        """The host in the letters that a browser would show, where those are not ASCII; else nothing."""
        shown: str = ada_url.idna_to_unicode(self.host) if "xn--" in self.host else ""
        return shown if shown != self.host else ""

    @property
    def is_near(self) -> bool:
        """Whether it names this machine or its own network, such as a cloud's metadata, and no place in the open."""
        name = self.host.strip("[]").removesuffix(".")
        try:
            found = _wrapped(ipaddress.ip_address(name))
        except ValueError:
            return "." not in name or name.endswith(tuple(f".{inner}" for inner in _INNER_NAMES))
        return found.is_multicast or not found.is_global


def read(url: str) -> Address | None:
    """Take a web address apart; None when it is none, or leads nowhere."""
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
    """Name the host of an ordinary web address; None for any that deserves a second look before it is trusted."""
    found = read(url)
    return found.host if found is not None and found.plain else None


def _wrapped(found: Ip) -> Ip:
    """Give the address that an IPv6 address only wraps, or else itself."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    if found in _NAT64:
        return ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else found)
