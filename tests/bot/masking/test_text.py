"""Tests that secrets are masked in text and bytes, in any encoding, in linear time."""

import random
import statistics
import string
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.masking import MASKED, find_secrets, mask, mask_bytes, mask_for_card
from bot.masking.cache import Cache
from tests.bot.masking.service_tokens import of

BODY = [of(64) for _ in range(5)] + [of(28) + "=="]
FIRST, LAST = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


# Time

WORDS = " ".join(f"{word}_api_key = token secret" for word in ("aws", "slack", "heroku", "jira", "curl", "sentry"))
GROWING = {
    "addresses": "x://a:",
    "addresses with passwords": "x://aaaa:bbbbbbbb@ ",
    "keys that begin": f"{FIRST}\n",
    "keys that begin and have a body": f"{FIRST}\n{'A' * 64}\n",
    "a key without an end": "A" * 64 + "\n",
    "base64": "A",
    "escapes": f"{FIRST}" + "\\n" * 40,
    "PuTTY": "PuTTY-User-Key-File-2: x\n",
    "curl": 'curl -H "',
    "curl, line by line": "curl \n",
    "tokens": "ghp_" + of(36) + " ",
    "half a web token": "eyJabcdefgh.",
    "half a Discord token": "MTIzMTIzMTIzMTIzMTIzMTIzMTIz.abcdef.",
    "names": f"{WORDS}\n",
    "names next to values": 'key="a1b2c3d4e5f6g7h8i9j0k1l2m3n4"',
    "wide letters": "ü",
}
SMALL, LARGE = 100_000, 800_000


def seconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return statistics.median(taken)


@pytest.mark.parametrize("kind", GROWING)
def test_time_is_linear_in_the_length_of_the_text(kind: str) -> None:
    unit = GROWING[kind]
    small, large = unit * (SMALL // len(unit)), unit * (LARGE // len(unit))
    find_secrets(small, guessing=True)  # builds the automatons
    quick, slow = (seconds(lambda text=text: find_secrets(text, guessing=True)) for text in (small, large))  # type: ignore[misc]
    assert slow < max(quick, 0.01) * 8 * 3, f"{quick:.3f} s became {slow:.3f} s for eight times as much"


def test_ten_megabytes_of_addresses_take_seconds_at_most() -> None:
    """With 200 kB of it, the bot once hung for nine seconds; with 1 MB for 203."""
    text = "://a:" * 2_000_000
    start = time.thread_time()
    mask(text)
    mask_for_card(text)
    assert time.thread_time() - start < 10


def test_what_is_remembered_is_bounded_by_its_length() -> None:
    cache = Cache(len, max_size=1000)
    for number in range(100):
        assert cache(f"{number:0100}") == 100
    assert cache.size <= 1000
    assert cache("x" * 900) == 900
    assert cache.size <= 1000, "what would take most of the room is not kept"


def test_a_secret_in_what_is_no_utf_8_is_masked_too() -> None:
    token = "ghp_" + of(36)
    assert mask_bytes(f"caf\xe9 {token} \xff".encode("latin-1")) == b"caf\xe9 " + f"ghp_{MASKED}".encode() + b" \xff"
    assert token not in mask_bytes(f"x {token}".encode("utf-16")).decode("utf-16")
    picture = "<image href='data:image/png;base64,\n" + "\n".join(BODY) + "'/>"
    assert mask_bytes(picture.encode()) == picture.encode(), "a guess would spoil it"
    untouched = bytes(range(256)) * 4
    assert mask_bytes(untouched) == untouched


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_masked_with_and_without_a_mark_at_its_beginning(encoding: str) -> None:
    token = "ghp_" + of(36)
    shown = mask_bytes(f"first line\nkey {token} é\n".encode(encoding)).decode(encoding)
    assert shown == "first line\nkey ghp_…[masked] é\n"


def test_a_file_that_is_half_zeros_stays_as_it_is_but_for_its_secrets() -> None:
    token = "ghp_" + of(36)
    data = bytes(4096) + b"\xd8\x00" * 7 + f" {token} ".encode() + bytes(range(256))
    assert mask_bytes(data) == data.replace(token.encode(), "ghp_…[masked]".encode())


LETTERS = string.ascii_letters + string.digits
DICE = random.Random(7)  # noqa: S311 - made up


def letters(count: int, among: str = LETTERS) -> str:
    """Make up a token here, so that secret scanners don't find it in this repository."""
    return "".join(DICE.choices(among, k=count))


SECRETS = {
    "GitHub": "ghp_" + letters(36),
    "GitHub, fine-grained": "github_pat_" + letters(82),
    "GitLab": "glpat-" + letters(20),
    "AWS": "AKIA" + letters(16, string.ascii_uppercase + string.digits),
    "Anthropic": "sk-ant-api03-" + letters(93),
    "OpenAI": "sk-proj-" + letters(48),
    "Slack": f"xoxb-{letters(12, string.digits)}-{letters(12, string.digits)}-{letters(24)}",
    "Stripe": "sk_live_" + letters(24),
    "npm": "npm_" + letters(36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + letters(80),
    "Google": "AIza" + letters(35),
    "Discord": f"MTIz{letters(20)}.{letters(6)}.{letters(38)}",
    "JSON web token": f"eyJ{letters(30)}.eyJ{letters(40)}.{letters(43)}",
    "a password in an address": letters(16),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_masked_wherever_it_stands(kind: str) -> None:
    secret = SECRETS[kind]
    written = f"https://someone:{secret}@example.org/" if "address" in kind else secret
    for text in (written, f"TOKEN={written}\n", f'{{"key": "{written}"}}', f"```sh\ncurl -H 'Bearer {written}' x\n```"):
        shown = mask(text)
        assert secret not in shown
        assert secret[8:] not in shown
        assert MASKED in shown
        assert len(shown) <= len(text)


def test_the_first_half_of_a_token_that_is_still_being_written_is_masked() -> None:
    assert mask("It is ghp_" + letters(14)) == f"It is ghp_{MASKED}"


def test_a_private_key_is_masked_to_its_end_or_to_the_end_of_what_is_there() -> None:
    body = "\n".join(letters(64) for _ in range(6))
    whole = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    assert mask(f"before\n{whole}\nafter") == f"before\n-----BEGIN {MASKED}\nafter"
    assert mask(whole[:200]) == f"-----BEGIN {MASKED}"
    assert body.splitlines()[3] not in mask(body)


@pytest.mark.parametrize(
    "text",
    [
        "struct sk_buff_head *list; my_npm_package_name; risk-management-of-things",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "Uuid 123e4567-e89b-12d3-a456-426614174000 and 192.168.0.1 and password=hunter2",
        "export PATH=/usr/local/bin:$PATH && npm_config_cache=x make test",
        "https://example.org/a?b=c@d",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert mask(text) == text


@given(st.text())
def test_masking_never_makes_a_text_longer_and_never_fails(text: str) -> None:
    assert len(mask(text)) <= len(text)
    assert mask(mask(text)) == mask(text)
