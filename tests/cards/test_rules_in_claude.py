"""The rules that we offer, as the real CLI understands them."""

import asyncio
import json
import posixpath
from pathlib import Path

import pytest

from bot.requests.rules import offers
from sandbox.api import serve
from sandbox.script import Say, Use, script
from shared.protocol import Request
from tests.cli import OLD_VERSION, real_claude_or_skip, version


async def asked(claude: Path, folder: Path, rules: list[str], uses: list[Use]) -> list[dict[str, str]]:
    """Let Claude try these tools under these rules; with nobody there, what would ask is refused."""
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    async with serve() as api, asyncio.timeout(50):
        api.on("GO", script(*([use] for use in uses), [Say("done")]))
        process = await asyncio.create_subprocess_exec(
            *(str(claude), "-p", "GO", "--output-format", "stream-json", "--verbose", "--allowedTools", *rules),
            env=api.environment(home),
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
    result = json.loads(out.splitlines()[-1])
    return [denial["tool_input"] for denial in result["permission_denials"]]


@pytest.fixture(params=[version(), OLD_VERSION])
def claude(request: pytest.FixtureRequest) -> Path:
    return real_claude_or_skip(request.param)


async def test_a_kind_of_command_passes_and_nothing_that_hangs_on_to_it(claude: Path, tmp_path: Path):
    request = Request(tool_name="Bash", input={"command": "npm test"}, tool_use_id="t")
    rule = next(str(offer.rule) for offer in offers(request, "/p") if offer.rule.content.endswith(":*"))
    passing = ["npm test", "npm test --verbose"]
    asking = ["npm tester", "npm test; rm -rf x", "npm test $(touch x)", "npm test `touch x`", "npm test | sh"]
    asking += ["npm test > out", "npm test\ntouch x", "FOO=1 npm test"]
    uses = [Use("Bash", {"command": command}) for command in [*passing, *asking]]
    assert [one["command"] for one in await asked(claude, tmp_path, [rule], uses)] == asking


async def test_an_exact_command_passes_and_no_other(claude: Path, tmp_path: Path):
    exact = "touch --no-create 'a b.txt' x,y"
    request = Request(tool_name="Bash", input={"command": exact}, tool_use_id="t")
    (rule,) = {str(offer.rule) for offer in offers(request, "/p")}
    asking = ["touch --no-create 'a b.txt'", f"{exact} z", f"{exact}; touch q"]
    uses = [Use("Bash", {"command": command}) for command in [exact, *asking]]
    assert [one["command"] for one in await asked(claude, tmp_path, [rule], uses)] == asking


async def test_a_folder_passes_and_not_the_way_out_of_it(claude: Path, tmp_path: Path):
    project = str(tmp_path / "project")
    request = Request(tool_name="Write", input={"file_path": f"{project}/src/a.txt", "content": ""}, tool_use_id="t")
    rule = next(str(offer.rule) for offer in offers(request, project) if offer.rule.content.endswith("/**"))
    asking = [f"{project}/b.txt", f"{project}/src/../c.txt", f"{project}/srcs/d.txt"]
    files = [f"{project}/src/a.txt", f"{project}/src/deep/b.txt", *asking]
    uses = [Use("Write", {"file_path": file, "content": "x"}) for file in files]
    found = [posixpath.normpath(one["file_path"]) for one in await asked(claude, tmp_path, [rule], uses)]
    assert found == [posixpath.normpath(path) for path in asking]
