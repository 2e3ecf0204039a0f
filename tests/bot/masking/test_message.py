"""Secrets in Claude's output: not in Discord, and still in the journal on this machine."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.masking import MASKED, mask, mask_message
from bot.messages import Box, Button, Buttons, File, Message, Option, Select, Text

LETTERS = string.ascii_letters + string.digits
DICE = random.Random(7)  # noqa: S311 - made up


def letters(count: int, among: str = LETTERS) -> str:
    """Make up what no scanner of this repository should take for somebody's secret."""
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


def test_a_card_is_masked_in_all_that_is_read_and_in_nothing_that_is_pressed() -> None:
    secret = SECRETS["GitHub"]
    card = Message(
        "card",
        components=(
            Box(
                (
                    Text(f"```sh\necho {secret}\n```"),
                    Buttons((Button(f"t:{secret}", secret),)),
                    Select("s", (Option(secret, secret, secret),)),
                )
            ),
        ),
        files=(File("command.txt", f"echo {secret}".encode()), File("picture.png", b"\xff\xd8" + secret.encode())),
    )
    box = mask_message(card).components[0]
    assert isinstance(box, Box)
    text, buttons, select = box.children
    assert text == Text(f"```sh\necho ghp_{MASKED}\n```")
    assert buttons == Buttons((Button(f"t:{secret}", f"ghp_{MASKED}"),))
    assert select == Select("s", (Option(secret, f"ghp_{MASKED}", f"ghp_{MASKED}"),))
    assert mask_message(card).files[0].content == f"echo ghp_{MASKED}".encode()
    assert mask_message(card).files[1].content == b"\xff\xd8" + f"ghp_{MASKED}".encode()


@given(st.text())
def test_masking_never_makes_a_text_longer_and_never_fails(text: str) -> None:
    assert len(mask(text)) <= len(text)
    assert mask(mask(text)) == mask(text)
