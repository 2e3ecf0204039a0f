"""A person writes in Discord, the real `claude` works, asks, is answered, and goes on."""

from sandbox.api import Api
from sandbox.script import Say, Use, script
from tests.roundtrip.house import House, buttons, shown


async def test_an_allowed_command_runs_and_claude_goes_on(house: House, api: Api) -> None:
    api.on("make a file", script([Say("I will."), Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    assert buttons(card)[:2] == ["Allow", "Deny"]
    answer = await house.ada.click(card, "Allow")
    assert not answer.failed
    await house.ada.sees(thread, "It is there.")
    assert (house.project / "made.txt").exists()
    assert buttons(card) == []
    assert f"<@{house.ada.user.id}>" in shown(card)
    await house.done(thread)
