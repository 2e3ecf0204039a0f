"""Tests which texts count as secrets, which don't, and how long the check takes."""

import re
import sys
from pathlib import Path

import pytest

from bot.masking import MASKED, find_secrets, mask, mask_bytes
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
    """Python's libraries and our own sources: less than two finds in 100,000 lines."""
    lines, found = 0, []
    for path in CODE[:: max(1, len(CODE) // 700)]:
        text = path.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        found += [(path.name, text[each.start : each.end][:40]) for each in find_secrets(text, guessing=True)]
    assert lines > 100_000
    assert len(found) * 100_000 / lines < 2, found


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
