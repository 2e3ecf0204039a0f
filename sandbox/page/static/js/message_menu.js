// The menu of a message: reactions, reply, edit, delete and the apps' commands.
import { $, el } from "./dom.js";
import { Command } from "./discord_constants.js";
import { ask } from "./socket.js";
import { state } from "./state.js";

const EMOJI = ["👍", "❤️", "🎉", "👀", "✅", "❌"];

/** Open the menu beside a button; `reply` and `edit` are the composer's, `done` receives a command's result. */
export async function openMessageMenu(m, near, { reply, edit, done }) {
  const menu = $("more");
  const item = (label, act) =>
    el(
      "button",
      {
        type: "button",
        role: "menuitem",
        onclick: () => {
          menu.hidePopover();
          act();
        },
      },
      label,
    );
  const at = { channel: m.channel_id, message: m.id };
  const own = m.author.id === state.user.id;
  const react = (emoji) => ask({ do: "react", ...at, emoji, on: true });
  const parts = [
    el(
      "div",
      { class: "emoji", role: "group", "aria-label": "React" },
      EMOJI.map((each) => item(each, () => react(each))),
    ),
    item("Reply", () => reply(m)),
    own ? item("Edit message", () => edit(m)) : null,
    own ? item("Delete message", () => ask({ do: "delete", ...at })) : null,
  ];
  const { commands = [] } = await ask({ do: "commands", channel: m.channel_id });
  const apps = commands.filter((each) => each.type === Command.MESSAGE_MENU);
  const use = async (name) => done(m, await ask({ do: "context", ...at, name }));
  if (apps.length)
    parts.push(
      el(
        "div",
        { role: "group", "aria-label": "Apps", class: "apps" },
        apps.map((each) => item(each.name, () => use(each.name))),
      ),
    );
  menu.replaceChildren(...parts.filter(Boolean));
  menu.showPopover();
  beside(menu, near.getBoundingClientRect());
  menu.querySelector("[role=menuitem]").focus();
}

function beside(menu, near) {
  const edge = 8;
  menu.style.left =
    Math.max(edge, Math.min(near.right - menu.offsetWidth, innerWidth - menu.offsetWidth - edge)) + "px";
  menu.style.top = Math.max(edge, Math.min(near.bottom + 4, innerHeight - menu.offsetHeight - edge)) + "px";
}

/** Let the arrow keys move through the menu. */
export function setUpMenuKeys() {
  $("more").addEventListener("keydown", (event) => {
    const all = [...$("more").querySelectorAll("[role=menuitem]")];
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    all.at((all.indexOf(document.activeElement) + step) % all.length).focus();
  });
}
