"""Tests that secrets in Claude's output are masked in Discord and kept in the journal on this machine."""

import random
import string

from bot.masking import MASKED, mask_message
from bot.messages import Box, Button, Buttons, File, Message, Option, Select, Text

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
