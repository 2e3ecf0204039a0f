"""Tests how the browser shows Discord's Markdown, and that text can't become anything more than text."""

import hikari
import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from sandbox.discord import Upload
from sandbox.page.server import Page
from tests.fixtures.browser import Opening, fixture
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot
from tests.sandbox.page.axe import assert_accessible

pytestmark = pytest.mark.asyncio(loop_scope="session")

RENDER = """async (texts) => {
  const { markdown } = await import("./static/js/markdown.js");
  const channel = (id) => id === "3" ? "general" : undefined;
  const names = { user: (id) => "ada" + id, role: (id) => "developers" + id, channel };
  return texts.map((each) => markdown(each, names).innerHTML);
}"""
LINK = 'target="_blank" rel="noreferrer noopener"'
CODE = '<pre tabindex="0" role="group" aria-label="Code"><code>'
HEAD = '<div role="heading" aria-level="2" class='

SHOWN = {
    "**bold** and *slanted* and _slanted_": "<strong>bold</strong> and <em>slanted</em> and <em>slanted</em>",
    "***both***": "<strong><em>both</em></strong>",
    "__under__ ~~gone~~": "<u>under</u> <s>gone</s>",
    "snake_case_name and 2 * 3 * 4": "snake_case_name and 2 * 3 * 4",
    r"\*not\* \_this\_ \`either\`": "*not* _this_ `either`",
    "`a ** b` and ``x ` y``": "<code>a ** b</code> and <code>x ` y</code>",
    "**bold with `code`**": "<strong>bold with <code>code</code></strong>",
    "# One\n## Two\n### Three\nplain": f'{HEAD}"h1">One</div>{HEAD}"h2">Two</div>{HEAD}"h3">Three</div>plain',
    "#hash and # inside": "#hash and # inside",
    "-# quiet **words**": "<small>quiet <strong>words</strong></small>",
    "a line\nanother\n\nand a third": "a line\nanother\n\nand a third",
    "- one\n- two\n  - inner\n- three": ("<ul><li>one</li><li>two<ul><li>inner</li></ul></li><li>three</li></ul>"),
    "3. three\n4. four": '<ol start="3"><li>three</li><li>four</li></ol>',
    "- dot\n1. number\n* dot": '<ul><li>dot</li></ul><ol start="1"><li>number</li></ol><ul><li>dot</li></ul>',
    "before\n- item\nafter": "before<ul><li>item</li></ul>after",
    "> quoted\n> **twice**\nnot": "<blockquote>quoted\n<strong>twice</strong></blockquote>not",
    ">>> all\nof it": "<blockquote>all\nof it</blockquote>",
    "> ```\n> code\n> ```": f"<blockquote>{CODE}code</code></pre></blockquote>",
    "https://a.example/x?y=1.": f'<a href="https://a.example/x?y=1" {LINK}>https://a.example/x?y=1</a>.',
    "<https://a.example>": f'<a href="https://a.example" {LINK}>https://a.example</a>',
    "[here *now*](https://a.example)": f'<a href="https://a.example" {LINK}>here <em>now</em></a>',
    "<@1> <@!1> <@&2> @everyone": (
        '<span class="mention">@ada1</span> <span class="mention">@ada1</span> '
        '<span class="mention">@developers2</span> <span class="mention">@everyone</span>'
    ),
    "<#3> <#4>": '<a class="mention" href="#3">#general</a> <span class="mention">#unknown</span>',
    "</new:123> <:party:45>": '<span class="mention">/new</span> :party:',
    "```\nplain <b>\n```": f"{CODE}plain &lt;b&gt;</code></pre>",
    "```python\nimport os\n```": f'{CODE}<span class="hljs-keyword">import</span> os</code></pre>',
    "```nonsense\nx\n```after": f"{CODE}x</code></pre>after",
    "inside ```one line``` too": f"inside {CODE}one line</code></pre> too",
    "```\nnever closed": "```\nnever closed",
    "||secret||": (
        '<button type="button" class="spoiler" aria-label="Spoiler"><span aria-hidden="true">secret</span></button>'
    ),
    "<b>&amp;</b>": "&lt;b&gt;&amp;amp;&lt;/b&gt;",
}
HARMLESS = {
    "<script>window.owned=1</script>": "&lt;script&gt;window.owned=1&lt;/script&gt;",
    "<img src=x onerror=window.owned=1>": "&lt;img src=x onerror=window.owned=1&gt;",
    "[x](javascript:window.owned=1)": "[x](javascript:window.owned=1)",
    "<javascript:window.owned=1>": "&lt;javascript:window.owned=1&gt;",
    "[x](data:text/html,hi)": "[x](data:text/html,hi)",
    'https://a.example/"onclick="x': f'<a href="https://a.example/&quot;onclick=&quot;x" {LINK}>https://a.example/"onclick="x</a>',
    "```html\n<script>window.owned=1</script>\n```": None,
    "<t:99999999999999999999:R>": "&lt;t:99999999999999999999:R&gt;",
    "<t:8640000000001:F>": "Invalid Date",
}


@fixture
async def tab(page: Page, opening: Opening) -> Tab:
    return await opening(page.address)


async def test_markdown_is_shown_as_discord_shows_it(tab: Tab) -> None:
    assert dict(zip(SHOWN, await tab.evaluate(RENDER, list(SHOWN)), strict=True)) == SHOWN


async def test_hostile_text_stays_text(tab: Tab) -> None:
    shown = dict(zip(HARMLESS, await tab.evaluate(RENDER, list(HARMLESS)), strict=True))
    for text, expected in HARMLESS.items():
        assert "<script" not in shown[text]
        assert expected is None or shown[text] == expected


async def test_no_text_keeps_the_page_busy(tab: Tab) -> None:
    units = ["*", "_", "**a", "||", "`", "[", "> ", "- ", "<@", "~~ _*", "a_", "http://", "# ", "\n> >>> "]
    took = await tab.evaluate(
        """async (texts) => {
          const { markdown } = await import("./static/js/markdown.js");
          return texts.map((text) => {
            const began = performance.now();
            markdown(text, {});
            return performance.now() - began;
          });
        }""",
        [(unit * 4000)[:4000] for unit in units],
    )
    assert {unit: spent for unit, spent in zip(units, took, strict=True) if spent > 2000} == {}


async def test_a_moment_says_how_long_ago_it_was_and_goes_on_saying_it(tab: Tab, discord_server: DiscordServer) -> None:
    await tab.clock.install()
    now = int(await tab.evaluate("Date.now() / 1000"))
    await discord_server.ada.write(discord_server.channel, f"It began <t:{now - 3}:R>, on <t:0:D>.")
    await expect(tab.get_by_text("seconds ago")).to_be_visible()
    await tab.clock.fast_forward(180_000)
    await expect(tab.get_by_text("3 minutes ago")).to_be_visible()
    await expect(tab.get_by_text("January 1, 1970")).to_be_visible()


async def test_a_spoiler_shows_itself_when_it_is_pressed(tab: Tab, discord_server: DiscordServer) -> None:
    await discord_server.ada.write(discord_server.channel, "It was ||the gardener||.")
    spoiler = tab.get_by_role("button", name="Spoiler")
    await expect(tab.get_by_text("the gardener")).to_be_hidden()
    await spoiler.focus()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("the gardener")).to_be_visible()
    await expect(spoiler).to_have_count(0)


async def test_a_name_that_wants_to_be_more_than_a_name_does_no_harm(
    tab: Tab, discord_server: DiscordServer, bot: Bot
) -> None:
    evil = "<img src=x onerror=window.owned=1>"
    world = discord_server.discord.world
    world.add_member(discord_server.guild, evil[:32])
    world.add_role(discord_server.guild, evil)
    world.add_channel(discord_server.guild, evil)
    message = await discord_server.ada.write(discord_server.channel, evil, files=[Upload(evil + ".txt", b"x")])
    await discord_server.ada.start_thread(discord_server.channel, evil, message)
    await discord_server.ada.react(message, "👍")
    row, menu = bot.rest.build_message_action_row(), bot.rest.build_message_action_row()
    row.add_interactive_button(hikari.ButtonStyle.SECONDARY, "b", label=evil)
    menu.add_text_menu("m", placeholder=evil).add_option(evil, "v", description=evil)
    embed = hikari.Embed(title=evil, description=evil).set_author(name=evil).set_footer(evil).add_field(evil, evil)
    await bot.rest.create_message(discord_server.channel.id, embed=embed, components=[row, menu])
    await expect(tab.get_by_role("button", name=evil).first).to_be_visible()
    await tab.get_by_role("button", name=evil).last.click()
    await expect(tab.get_by_role("option", name=evil)).to_be_visible()
    assert await tab.evaluate("window.owned") is None
    assert await tab.locator("img").count() == 0
    assert await tab.locator("a[href^=javascript]").count() == 0
    await assert_accessible(tab)
