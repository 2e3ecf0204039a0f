"""What is known as a secret, what is not, and how long it takes to tell."""

import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.masking import MASKED, find_secrets, mask, mask_bytes, mask_for_card
from bot.masking.cache import Cache
from tests.bot.masking.service_tokens import BASE32, TOKENS, of

ROOT = Path(__file__).parents[3]
BODY = [of(64) for _ in range(5)] + [of(28) + "=="]
FIRST, LAST = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
KEY = "\n".join((FIRST, *BODY, LAST))


def test_of_the_tokens_of_a_hundred_services_at_least_nineteen_in_twenty_are_masked() -> None:
    assert len(TOKENS) >= 100
    missed = [service for service, token in TOKENS.items() if MASKED not in mask(f"It is\n{token}\n")]
    assert len(missed) <= len(TOKENS) / 20, missed


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.replace("RSA ", ""),
        KEY.replace("RSA", "OPENSSH"),
        KEY.replace("RSA", "EC"),
        KEY.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
        KEY.replace(FIRST, f"{FIRST}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011223344556677\n"),
        "key: |\n" + "\n".join(f"    {line}" for line in KEY.splitlines()),
        f'"{KEY}"',
        '{"private_key": "' + KEY.replace("\n", "\\n") + '\\n"}',
        'KEY="' + KEY.replace("\n", "\\\\n") + '"',
        " ".join(KEY.splitlines()),
        "\r\n".join(KEY.splitlines()),
        "\n".join(f'  "{line}\\n" +' for line in KEY.splitlines()),
        "\n".join(f"+{line}" for line in KEY.splitlines()),
        "\n".join(f"> {line}" for line in KEY.splitlines()),
        "\n".join(f"# {line}" for line in KEY.splitlines()),
        "\n".join(f"// {line}" for line in KEY.splitlines()),
        KEY.replace("\n", "\\u000a"),
        KEY.removesuffix(LAST),
        KEY[:300],
    ],
)
def test_a_private_key_is_masked_however_it_is_written(written: str) -> None:
    shown = mask(f"before\n{written}")
    assert shown.startswith("before\n")
    assert not any(line[:20] in shown or line[-20:] in shown for line in BODY)
    assert "END" not in shown


def test_a_putty_key_is_masked() -> None:
    lines = ["Encryption: none", "Comment: me", "Public-Lines: 2", *BODY[:2], "Private-Lines: 1", BODY[2]]
    written = "\n".join(("PuTTY-User-Key-File-3: ssh-ed25519", *lines, "Private-MAC: " + of(64, "0123456789abcdef")))
    assert BODY[2] not in mask(f"before\n{written}\nafter")
    assert mask(f"before\n{written}\nafter that").endswith("after that")


@pytest.mark.parametrize("speaking", [f"It begins with {FIRST}, then the key.", f'if "{FIRST}" in text:\n    return 1'])
def test_a_text_that_speaks_of_keys_is_no_key(speaking: str) -> None:
    assert mask(speaking) == speaking


def test_a_key_goes_on_in_the_next_message() -> None:
    assert BODY[1] not in mask("\n".join(BODY[:4]))
    assert BODY[-1] not in mask("\n".join((*BODY[-2:], LAST)))
    certificate = "\n".join(("-----BEGIN CERTIFICATE-----", *BODY[:4], "-----END CERTIFICATE-----"))
    assert mask(certificate) == certificate


def test_a_password_is_masked_in_its_address_and_nowhere_else() -> None:
    text = "The sparrow sings. psql postgres://shop:sparrow@db/shop; the sparrow again; git clone https://a:sparrow@x/"
    assert mask(text) == (
        "The sparrow sings. psql postgres://shop:…@db/shop; the sparrow again; git clone https://a:…@x/"
    )
    assert mask("redis://:longer-than-twelve@cache:6379/0") == f"redis://:long{MASKED}@cache:6379/0"


@pytest.mark.parametrize(
    "address",
    [
        "https://$USER:$TOKEN@example.org/",
        "https://${USER}:${TOKEN}@example.org/",
        "https://user:<token>@example.org/",
        "https://user:password@example.org/",
        "postgres://postgres:postgres@localhost:5432/test",
        "postgres://shop_app:shop_app@localhost/shop",
        "http://localhost:8080/@scope/package",
        "http://localhost:8080",
        "git@github.com:ada/shop.git",
        "https://example.org/a:b@c",
    ],
)
def test_an_address_without_a_real_password_stays(address: str) -> None:
    assert mask(address) == address


def test_a_password_is_masked_before_its_address_is_written_to_the_end() -> None:
    assert "s3cr" not in mask("psql postgres://shop:s3cr3t")


def test_examples_and_placeholders_are_no_secrets() -> None:
    for text in ("AKIAIOSFODNN7EXAMPLE", "ghp_" + "x" * 36, "npm_config_registry", "sk-ant-your-key-goes-here"):
        assert mask(text) == text


def test_what_stands_around_a_secret_stays_in_every_alphabet() -> None:
    token = "AKIA" + of(16, BASE32)
    assert mask(f"мир 👩‍👩‍👧 {token} 世界 {token}\ud800") == f"мир 👩‍👩‍👧 AKIA{MASKED} 世界 AKIA{MASKED}\ud800"


CODE = sorted(
    [
        *(path for name in ("bot", "permission_mcp", "shared", "sandbox") for path in (ROOT / name).rglob("*.py")),
        *(path for path in Path(re.__file__).parents[1].rglob("*.py") if "packages" not in str(path)),
    ]
)


def test_ordinary_code_is_not_masked() -> None:
    """The libraries of Python and our own sources: less than two finds in 100,000 lines."""
    lines, found = 0, []
    for path in CODE[:: max(1, len(CODE) // 700)]:
        text = path.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        found += [(path.name, text[each.start : each.end][:40]) for each in find_secrets(text, guessing=True)]
    assert lines > 100_000
    assert len(found) * 100_000 / lines < 2, found


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
    find_secrets(small, guessing=True)  # the automatons are built
    quick, slow = (seconds(lambda text=text: find_secrets(text, guessing=True)) for text in (small, large))  # type: ignore[misc]
    assert slow < max(quick, 0.01) * 8 * 3, f"{quick:.3f} s became {slow:.3f} s for eight times as much"


def test_ten_megabytes_of_addresses_take_seconds_at_most() -> None:
    """With 200 kB of it, the bot stood still for nine seconds; with 1 MB for 203."""
    text = "://a:" * 2_000_000
    start = time.thread_time()
    mask(text)
    mask_for_card(text)
    assert time.thread_time() - start < 10


def test_what_is_remembered_is_bounded_by_its_length() -> None:
    cache = Cache(len, room=1000)
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


def test_the_rules_come_with_their_licence() -> None:
    folder = Path(sys.modules["bot.masking"].__file__ or "").parent
    assert "Zachary Rice" in (folder / "gitleaks.LICENSE").read_text(encoding="utf-8")
    assert (folder / "gitleaks.toml").read_text(encoding="utf-8").count("[[rules]]") > 200


@pytest.mark.parametrize(
    "written",
    [
        '{"text": "line\\n%s\\n"}',
        '{"text": "line\\t%s"}',
        '{"url": "a\\u003d%s"}',
        "\x1b[32m%s\x1b[0m",
        "echo '\\x1b[32m%s\\033[0m'",
        "https://x.org/?a%%3D%s%%26b",
        "&quot;%s&quot;",
        "\x00\x12%s\x00",
        "in _%s_ it",
    ],
)
def test_what_stands_around_a_token_does_not_make_it_part_of_another_word(written: str) -> None:
    missed = [service for service, token in TOKENS.items() if token in mask(written % token)]
    assert len(missed) <= len(TOKENS) / 20, missed
    files = [service for service, token in TOKENS.items() if token.encode() in mask_bytes((written % token).encode())]
    assert len(files) <= len(TOKENS) / 20, files


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_masked_with_and_without_a_mark_at_its_beginning(encoding: str) -> None:
    token = "ghp_" + of(36)
    shown = mask_bytes(f"first line\nkey {token} é\n".encode(encoding)).decode(encoding)
    assert shown == "first line\nkey ghp_…[masked] é\n"


def test_a_file_that_is_half_zeros_stays_as_it_is_but_for_its_secrets() -> None:
    token = "ghp_" + of(36)
    data = bytes(4096) + b"\xd8\x00" * 7 + f" {token} ".encode() + bytes(range(256))
    assert mask_bytes(data) == data.replace(token.encode(), "ghp_…[masked]".encode())
