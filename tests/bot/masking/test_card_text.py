"""Tests that a card that can be allowed shows what runs, says if it hides something, and lets an owner see it."""

import gzip
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord.outgoing.components import payload
from bot.messages import AttachedFile, Box, Button, Buttons, Message, Style, Text
from bot.permission_requests.allow_all import find_groups
from bot.permission_requests.ticket import Ticket
from bot.render.cards.card import card, holds_secret, original
from bot.render.cards.frame import HIDES
from tests.bot.masking.service_tokens import BASE32, HEX, TOKENS, base64_of, of
from tests.fixtures.message_limits import buttons
from tests.fixtures.tickets import asking, bash, planning, question, ticket

TOKEN = "ghp_" + of(36)
BODY = "\n".join([*(of(64) for _ in range(24)), of(40)])
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n-----END OPENSSH PRIVATE KEY-----"
PLACE = re.compile(r"\[hidden: [\d,]+ characters that look like an? [a-z ]+\]|\w{4}…\[key of \d+ characters\]")


def parts(message: Message) -> list[Any]:
    return [part for box in message.components if isinstance(box, Box) for part in box.children]


def words(message: Message) -> str:
    """Return everything readable: the card and its files."""
    texts = [part.markdown for part in parts(message) if isinstance(part, Text)]
    return "\n".join([*texts, *(content(file.name, file.content) for file in message.files)])


def content(name: str, data: bytes) -> str:
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8", "surrogatepass")


def allow(message: Message) -> Button:
    rows = (part.buttons for part in parts(message) if isinstance(part, Buttons))
    return next(button for row in rows for button in row if button.label in {"Allow", "Approve"})


def is_whole(message: Message) -> None:
    assert HIDES not in words(message)
    assert "[hidden" not in words(message)
    assert "Show the original" not in buttons(message)
    assert allow(message).style == Style.SUCCESS


def says_that_it_hides(message: Message) -> None:
    assert HIDES in words(message)
    assert allow(message).style == Style.SECONDARY
    shown = buttons(message)
    assert "Show the original" in shown
    assert not {"Edit…", "Always…", "Edit plan…"} & set(shown)


# Shown completely


PATH = "/" * 58 + "sbin//"
LINES = "\n".join((PATH, "/" * 64, "/" * 58 + "reboot"))


@pytest.mark.parametrize(
    "command",
    [
        f"X='{LINES}'; ${{X//$'\\n'}}",
        "\n".join(of(64) for _ in range(3)),
        "\n".join(of(76) for _ in range(30)),
        "curl https://me:sparrow@localhost/x; sparrow --delete-everything; echo sparrow",
        "echo -----BEGIN PRIVATE KEY-----\nreboot\n-----END PRIVATE KEY-----",
        "echo '-----BEGIN RSA PRIVATE KEY-----'\ncurl evil.example\nreboot",
        f"echo {base64_of(300)} | base64 -d > picture.png",
        f"git show {of(40, HEX)}",
    ],
)
def test_what_only_looks_like_a_key_is_shown_whole(command: str) -> None:
    message = card(bash(command))
    if "sparrow" in command:
        says_that_it_hides(message)
        assert "; sparrow --delete-everything; echo sparrow" in words(message)
        return
    assert all(line in words(message) for line in command.splitlines())
    assert "[hidden" not in words(message)


def test_three_lines_of_base64_stay_on_the_card_and_in_the_file() -> None:
    long = f"X='{LINES}'\n" + "echo something longer than a screen\n" * 200
    message = card(bash(long))
    assert isinstance(next(part for part in parts(message) if isinstance(part, AttachedFile)), AttachedFile)
    assert content(message.files[0].name, message.files[0].content) == long


def test_a_token_is_cut_short_where_it_can_be_nothing_else() -> None:
    for command in (
        f"curl -H 'Authorization: Bearer {TOKEN}' https://api.github.com",
        f"export GITHUB_TOKEN={TOKEN}",
        f'deploy --with-token "{TOKEN}" && ls',
        f"TOKEN={TOKEN}; curl https://api.github.com",
        f"deploy --token={TOKEN}",
        f'curl -H "X-Api-Key: {TOKEN}" https://api.github.com',
    ):
        message = card(bash(command))
        is_whole(message)
        assert command.replace(TOKEN, "ghp_…[key of 40 characters]") in words(message)
        assert not {"Edit…", "Always…"} & set(buttons(message)), "a form or a rule would hold it"


@pytest.mark.parametrize(
    "command",
    [
        TOKEN,
        f"ls; {TOKEN}",
        f"ls && '{TOKEN}'",
        f"(  {TOKEN})",
        f"echo x\n{TOKEN}",
        f"cp evil /usr/bin/{TOKEN}",
        f"cp evil ./{TOKEN}",
        f"cat {TOKEN}/x",
        f"tool --{TOKEN}",
        f"bash {TOKEN}",
        f"bash -x '{TOKEN}'",
        f". {TOKEN}",
        f"make {TOKEN}",
        f"npm run {TOKEN}",
        f"git checkout {TOKEN}",
        f"cp {TOKEN} run.sh",
        f"echo evil > {TOKEN}",
        f"if true; then {TOKEN}; fi",
        f"make RUN={TOKEN}",
        f"x:{TOKEN}:y",
    ],
)
def test_a_token_that_could_be_a_command_a_path_or_a_flag_is_not_taken_for_granted(command: str) -> None:
    message = card(bash(command))
    if TOKEN in words(message):
        assert command in words(message)
    else:
        says_that_it_hides(message)


def test_a_token_that_something_decodes_is_not_taken_for_granted() -> None:
    script = f"echo '{TOKEN}' | cut -c5- | base64 -d | sh"
    says_that_it_hides(card(bash(script)))
    says_that_it_hides(card(ticket("Write", {"file_path": "/home/ann/shop/x.sh", "content": script})))


@pytest.mark.parametrize(
    "asked",
    [
        bash(f"TOKEN={TOKEN}; $TOKEN"),
        bash(f"TOKEN={TOKEN} sh -c '\"$TOKEN\"'"),
        bash(f"TOKEN={TOKEN}; ${{TOKEN:4:2}} -${{TOKEN:6:2}} src"),
        bash(f"export IFS=_ TOKEN={TOKEN}; set -- $TOKEN; $2"),
        ticket("Write", {"file_path": "/home/ann/shop/x.py", "content": f'token = "{TOKEN}"\nrun(token[4:6])\n'}),
        ticket("Write", {"file_path": "/home/ann/shop/x.sh", "content": f'. "{TOKEN}"\n'}),
        ticket("mcp__files__run", {"path": TOKEN}),
        ticket("mcp__shell__run", {"command": TOKEN}),
    ],
)
def test_a_token_that_is_used_as_something_else_is_not_taken_for_granted(asked: Ticket) -> None:
    says_that_it_hides(card(asked))


# Hidden


@pytest.mark.parametrize(
    "hiding",
    [
        bash(f"cat > key <<'END'\n{KEY}\nEND\nchmod 600 key"),
        bash("git clone https://ada:correct-horse@git.example.org/shop.git"),
        bash("aws configure set aws_secret_access_key=" + of(40, BASE32)),
        bash("ls", note=KEY),
        ticket(
            "Write", {"file_path": "/home/ann/shop/deploy.yml", "content": "key: |\n  " + KEY.replace("\n", "\n  ")}
        ),
        ticket(
            "Edit",
            {"file_path": "/home/ann/shop/a.py", "old_string": "x = 1", "new_string": "x = 2"},
            before='db = "postgres://shop:correct-horse@db/shop"\nx = 1\n',
        ),
        ticket("mcp__db__query", {"url": "postgres://shop:correct-horse@db/shop", "sql": "select 1"}),
        ticket("WebFetch", {"url": "https://ada:correct-horse@example.org/", "prompt": "What is it?"}),
        ticket("WebFetch", {"url": "https://example.org/", "prompt": "Log in with https://ada:correct-horse@x.org/"}),
        ticket("Read", {"file_path": "/home/ann/shop/https://ada:correct-horse@x"}),
        planning("1. Use postgres://shop:correct-horse@db/shop\n2. Deploy"),
    ],
)
def test_a_secret_that_is_hidden_is_said_to_be(hiding: Ticket) -> None:
    message = card(hiding)
    says_that_it_hides(message)
    assert holds_secret(hiding.request)
    assert "correct-horse" not in words(message)
    assert BODY[:40] not in words(message)
    assert "[hidden: " in words(message)
    told = original(hiding)
    everything = told.text + "\n".join(content(file.name, file.content) for file in told.files)
    assert "correct-horse" in everything or BODY[:40] in everything or "aws_secret" in everything


@pytest.mark.parametrize("many", [1, 2])
def test_a_question_says_that_it_hides_something_and_an_owner_can_look(many: int) -> None:
    choices = "Push with https://ada:correct-horse@x.org/", "Push with https://ada:battery-staple@x.org/"
    hiding = asking(*[question("How?", *choices)] * many)
    message = card(hiding)
    assert HIDES in words(message)
    assert "Show the original" in buttons(message)
    assert "correct-horse" not in str(payload(message))
    assert "battery-staple" in "".join(content(file.name, file.content) for file in original(hiding).files)
    assert HIDES not in words(card(asking(question("How?", "Push", "Pull"))))


def test_the_place_says_how_much_of_what() -> None:
    text = words(card(bash(f"cat > key <<'END'\n{KEY}\nEND\nchmod 600 key")))
    assert f"<<'END'\n[hidden: {len(KEY):,} characters that look like a private key]\nEND\nchmod 600 key" in text


def test_a_change_of_secrets_is_a_change() -> None:
    old, new = "ghp_" + of(36), "ghp_" + of(36)
    edit = {"file_path": "/home/ann/shop/.env", "old_string": old, "new_string": new}
    text = words(card(ticket("Edit", edit, before=f"TOKEN={old}\n")))
    assert "-TOKEN=ghp_…[key of 40 characters]\n+TOKEN=ghp_…[key of 40 characters]" in text
    assert "Nothing would change" not in text


def test_a_secret_is_hidden_before_a_file_is_packed() -> None:
    write = {"file_path": "/home/ann/shop/big.txt", "content": f"{TOKEN}\n{KEY}\n" + "a line of text\n" * 700_000}
    message = card(ticket("Write", write))
    says_that_it_hides(message)
    (file,) = (file for file in message.files if file.name.startswith("content"))
    assert file.name.endswith(".gz")
    text = content(file.name, file.content)
    assert TOKEN not in text
    assert BODY[:40] not in text
    assert text.count("a line of text\n") == 700_000


def test_a_secret_between_letters_that_are_no_letters_is_hidden_all_the_same() -> None:
    assert TOKEN not in words(card(bash(f"echo '\ud800' TOKEN={TOKEN}")))
    assert TOKEN not in words(card(ticket("Write", {"file_path": "/x", "content": f"\ud800 A={TOKEN}\n" * 400})))


def test_what_hides_something_is_not_among_those_that_are_allowed_at_once() -> None:
    plain = [bash(f"echo {number}") for number in range(3)]
    assert find_groups(plain)
    assert not find_groups([*plain[:2], bash("git clone https://ada:correct-horse@x.org/")])


def test_no_service_token_gets_onto_a_card_whole() -> None:
    missed = [service for service, token in TOKENS.items() if token in words(card(bash(f"curl -d '{token}' x.org")))]
    assert len(missed) <= len(TOKENS) / 20, missed


# Any request

SECRETS = st.sampled_from(
    [TOKEN, KEY, KEY[:200], KEY.replace("\n", "\\n"), "https://u:correct-horse@x.org/", "AKIA" + of(16, BASE32), BODY]
)
PIECES = st.lists(
    SECRETS
    | st.sampled_from(["; ", "\n", " | sh", "'", '"', "=", "/", "-----BEGIN PRIVATE KEY-----", "rm -rf x", "\t", "é"])
    | st.text("abcDEF019+/=:@.-_ \n", max_size=60),
    min_size=1,
    max_size=10,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(PIECES, st.integers(1, 60))
def test_all_that_would_run_is_there_in_order_but_for_places_that_say_so(piece: str, times: int) -> None:
    command = piece * times + "\n" + "echo so that all of it is attached\n" * 200
    message = card(bash(command))
    (file,) = message.files
    shown = content(file.name, file.content)
    hides = "[hidden: " in shown
    assert _covers(shown, command), "in order, with nothing in between but what is said to be hidden"
    if hides:
        says_that_it_hides(message)


def _covers(shown: str, command: str) -> bool:
    """Check that the shown text is the command, with a text of the stated length in each hidden place."""
    at = 0
    pieces = PLACE.split(shown)
    counts = [int(re.sub(r"\D", "", found[0][4:])) for found in PLACE.finditer(shown)]
    for piece, count in zip(pieces, [*counts, 0], strict=True):
        if not command.startswith(piece, at):
            return False
        at += len(piece) + count
    return at == len(command)


ANY = st.recursive(
    st.none() | st.booleans() | PIECES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=4,
)
INPUTS = st.one_of(
    st.tuples(st.just("Write"), st.fixed_dictionaries({"file_path": PIECES, "content": PIECES})),
    st.tuples(
        st.just("Edit"), st.fixed_dictionaries({"file_path": PIECES, "old_string": PIECES, "new_string": PIECES})
    ),
    st.tuples(st.just("WebFetch"), st.fixed_dictionaries({"url": PIECES, "prompt": PIECES})),
    st.tuples(st.just("Bash"), st.fixed_dictionaries({"command": PIECES, "x": ANY})),
    st.tuples(st.just("mcp__a__b"), st.dictionaries(st.text(max_size=8), ANY, max_size=3)),
    st.tuples(st.just("ExitPlanMode"), st.fixed_dictionaries({"plan": PIECES})),
)


@settings(deadline=None, max_examples=200)
@given(INPUTS, st.none() | PIECES)
def test_a_card_that_hides_something_never_looks_like_one_that_does_not(
    request: tuple[str, dict[str, Any]], before: str | None
) -> None:
    tool, arguments = request
    message = card(ticket(tool, arguments, before=before))
    if "[hidden: " in words(message) and "[hidden: " not in json.dumps(arguments):
        says_that_it_hides(message)


def test_a_megabyte_of_addresses_is_a_card_in_seconds() -> None:
    """It once took 203 s, and no click was answered in that time."""
    asked = ticket("Write", {"file_path": "/home/ann/shop/x", "content": "://a:" * 200_000})
    start = time.thread_time()
    payload(card(asked))
    assert time.thread_time() - start < 15
