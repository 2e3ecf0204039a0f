"""Tests that a card names the host that JavaScript would contact for a web address."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.permission_requests.rule_offers import offers
from bot.permission_requests.urls import host_of, read
from bot.render.cards.card import card
from tests.fixtures.message_limits import texts
from tests.fixtures.tickets import ticket

NODE = shutil.which("node")
READER = """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let found = null;
  try { const url = new URL(JSON.parse(line)); found = [url.protocol, url.hostname]; } catch {}
  console.log(JSON.stringify(found));
});
"""

ODD = {
    "a backslash ends the host": ("https://evil.example\\@docs.python.org/", "evil.example"),
    "two backslashes begin it": ("https:\\\\evil.example\\docs.python.org", "evil.example"),
    "one slash is enough": ("http:/evil.example", "evil.example"),
    "no slash is enough": ("https:evil.example", "evil.example"),
    "five slashes are not too many": ("https://///evil.example", "evil.example"),
    "a tab inside is nothing": ("https://docs.python.o\trg.evil.example", "docs.python.org.evil.example"),
    "a line break inside is nothing": ("https://ev\nil.example/", "evil.example"),
    "a name before the host": ("https://docs.python.org@evil.example/", "evil.example"),
    "a name and a password": ("https://docs.python.org:443@evil.example/", "evil.example"),
    "an encoded host": ("https://%65vil.example/", "evil.example"),
    "letters that look like others": ("https://аррӏе.com/", "xn--80ak6aa92e.com"),
    "the same in punycode": ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
    "full width letters": ("https://ｅvil.example/", "evil.example"),
    "an ideographic full stop": ("https://evil。example/", "evil.example"),
    "a letter that falls apart": ("https://ﬀevil.example/", "ffevil.example"),
    "a soft hyphen": ("https://ev\u00adil.example/", "evil.example"),
    "a number": ("http://2130706433/", "127.0.0.1"),
    "a number in base 16": ("http://0x7f.1/", "127.0.0.1"),
    "a number in base 8": ("http://0177.0.0.1/", "127.0.0.1"),
    "an address of the sixth version": ("http://[::1]/", "[::1]"),
    "one of the fourth in it": ("http://[::ffff:169.254.169.254]/", "[::ffff:a9fe:a9fe]"),
    "a dot at the end": ("https://docs.python.org./", "docs.python.org."),
    "blanks around it": (" https://docs.python.org/ ", "docs.python.org"),
}
PLAIN = {
    "https://docs.python.org/3/library": "docs.python.org",
    "https://docs.python.org": "docs.python.org",
    "HTTPS://GitHub.com/Anthropics": "github.com",
    "http://example.com:80/x": "example.com",
    "http://example.com:8080?x=y": "example.com",
    "https://example.com/\\@other.example": "example.com",
    "https://de.wikipedia.org/wiki/Köln": "de.wikipedia.org",
    "https://example.com#@evil.example": "example.com",
}
NONE = ["", "docs.python.org", "file:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "ftp://a.example/"]
NONE += ["http://", "https://a b/", "https://[::1/", "https://a.example:99999/", "//a.example/", "https://a\ud800/"]
NEAR = ["http://127.0.0.1/", "http://localhost:8080/", "http://169.254.169.254/latest/meta-data", "http://0/"]
NEAR += ["http://10.1.2.3/", "http://172.16.0.1", "http://192.168.1.1", "http://100.64.0.1/", "http://[::1]/"]
NEAR += ["http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/"]
NEAR += ["http://metadata.google.internal/", "http://printer.local/", "http://router/", "http://a.localhost./"]
FAR = ["https://1.1.1.1/", "https://localhost.example/", "https://[2606:4700::1111]/", "https://internal.example/"]


@dataclass
class Node:
    """JavaScript's `new URL`, line by line."""

    asked: IO[str]
    said: IO[str]

    def read(self, url: str) -> list[str] | None:
        self.asked.write(json.dumps(url) + "\n")
        self.asked.flush()
        found: list[str] | None = json.loads(self.said.readline())
        return found


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    if NODE is None:
        pytest.skip("node is not installed")
    with subprocess.Popen([NODE, "-e", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Node(process.stdin, process.stdout)
        process.stdin.close()


def shown(url: str) -> str:
    return texts(card(ticket("WebFetch", {"url": url, "prompt": "x"})))


def same(url: str, node: Node) -> None:
    """Check that our reading of an address agrees with JavaScript's."""
    found, ours = node.read(url), read(url)
    if found is None or found[0] not in ("http:", "https:"):
        assert ours is None or not ours.plain  # Unicode versions differ in which names are valid
    elif ours is None:  # the card warns; versions of punycode differ in which names are valid
        assert "xn--" in found[1]
    else:
        assert ours.host == found[1]


@pytest.mark.parametrize(("url", "host"), ODD.values(), ids=ODD)
def test_an_address_that_reads_otherwise_is_named_and_warned_of(url: str, host: str, node: Node) -> None:
    same(url, node)
    text = shown(url)
    assert f"from `{host}`" in text
    assert f"⚠️ Unusual address: leads to {host}" in text.replace("\\", "")
    assert host_of(url) is None
    assert offers(ticket("WebFetch", {"url": url, "prompt": "x"}).request) == ()


@pytest.mark.parametrize(("url", "host"), PLAIN.items())
def test_an_ordinary_address_is_named_without_a_warning(url: str, host: str, node: Node) -> None:
    same(url, node)
    assert f"from `{host}`" in shown(url)
    assert "⚠️" not in shown(url)
    assert host_of(url) == host


@pytest.mark.parametrize("url", NONE)
def test_what_leads_nowhere_is_called_no_ordinary_address(url: str) -> None:
    text = shown(url)
    assert "⚠️ Unusual address." in text
    assert "from `" not in text
    assert host_of(url) is None


@pytest.mark.parametrize("url", NEAR)
def test_this_machine_and_its_network_are_warned_of(url: str) -> None:
    assert "⚠️ This machine or its local network" in shown(url)
    assert offers(ticket("WebFetch", {"url": url, "prompt": "x"}).request) == ()


@pytest.mark.parametrize("url", FAR)
def test_a_place_in_the_open_is_not_called_near(url: str) -> None:
    assert "its local network" not in shown(url)


def test_letters_that_look_like_others_are_shown_beside_their_punycode() -> None:
    text = shown("https://аррӏе.com/")
    assert "from `xn--80ak6aa92e.com`, displayed as `аррӏе.com`" in text


def test_the_end_of_a_long_host_is_what_counts() -> None:
    host = "docs.python.org." + "a." * 100 + "evil.example"
    assert "evil.example`" in shown(f"https://{host}/")


PIECES = [
    "http",
    "https",
    "HTTPS",
    ":",
    "/",
    "//",
    "\\",
    "@",
    "?",
    "#",
    "%41",
    "%2e",
    "%00",
    "[",
    "]",
    "::1",
    "::ffff:",
]
PIECES += ["evil.example", "docs.python.org", "xn--", "xn--80ak6aa92e", "0x7f", "127.0.0.1", ".", "..", ":80", ":443"]
PIECES += [
    "\t",
    "\n",
    " ",
    "\0",
    "\u00ad",
    "ß",
    "ﬀ",
    "。",
    "аррӏе",
    "\u202e",
    "🙂",
    "file",
    "|",
    "^",
    "_",
    "*",
    "1",
    "08",
]


@settings(max_examples=1500, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
    | st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=6).map(lambda parts: "https://" + "".join(parts))
)
@example("https://xn--xn--。")
def test_any_address_leads_where_javascript_says(node: Node, url: str) -> None:
    if not any("\ud800" <= character <= "\udfff" for character in url):
        same(url, node)
    if (host := host_of(url)) is not None:
        assert url.lower().partition("://")[2].startswith(host)
