// Renders one message.
import { attachment } from "./attachments.js";
import { components } from "./components.js";
import { el, hidden } from "./dom.js";
import { embed, embedded } from "./embeds.js";
import { markdown } from "./markdown.js";
import { Flag, Message } from "./discord_constants.js";
import { ask } from "./socket.js";
import { channel, nameOf, names, state } from "./state.js";
import { written } from "./timestamps.js";

const TOGETHER = 7 * 60 * 1000;

/** Render a message; `after` is the message above it, `done` receives the result of a click. */
export function message(m, after, { done, more }) {
  if (m.type === Message.STARTER && m.referenced_message)
    m = { ...m.referenced_message, id: m.id, components: [], thread: null, reactions: null };
  if (m.type === Message.RENAMED) return system(m, "✏️", [who(m), " changed the name to ", el("b", {}, m.content)]);
  if (m.type === Message.PINNED) return system(m, "📌", [who(m), " pinned a message"]);
  if (m.type === Message.THREAD_CREATED)
    return system(m, "↳", [
      who(m),
      " started a thread: ",
      el("a", { href: "#" + m.message_reference.channel_id }, m.content),
    ]);
  const use = async (c, values) => {
    const what = values ? { do: "select", values } : { do: "click" };
    done(m, await ask({ ...what, channel: m.channel_id, message: m.id, custom_id: c.custom_id }));
  };
  const above = origin(m);
  const joined = !above && follows(m, after);
  const classes = ["message", joined && "joined", m.flags & Flag.EPHEMERAL && "ephemeral", pinged(m) && "pinged"];
  return el(
    "li",
    { class: classes.filter(Boolean).join(" "), "data-id": m.id },
    above,
    el("span", { class: "avatar" + (m.author.bot ? " bot" : ""), "aria-hidden": "true" }, nameOf(m.author)[0]),
    el(
      "div",
      { class: "by" },
      who(m),
      m.author.bot ? el("span", { class: "tag" }, "APP") : null,
      " ",
      written(m.timestamp),
    ),
    body(m, use),
    reactions(m),
    m.thread ? thread(m.thread) : null,
    m.flags & Flag.EPHEMERAL ? dismissible(m) : null,
    state.failed.has(m.id) ? el("p", { class: "failed", role: "alert" }, "This interaction failed") : null,
    m.flags & Flag.EPHEMERAL
      ? null
      : el(
          "button",
          {
            type: "button",
            class: "more",
            "aria-haspopup": "menu",
            "data-key": "more",
            onclick: (event) => more(m, event.currentTarget),
          },
          el("span", { "aria-hidden": "true" }, "⋯"),
          hidden(`More actions for the message by ${nameOf(m.author)}`),
        ),
  );
}

const who = (m) =>
  el("b", {}, names.user(m.author.id) === "unknown-user" ? nameOf(m.author) : names.user(m.author.id));
const pinged = (m) => m.mention_everyone || m.mentions.some((each) => each.id === state.user.id);

function system(m, sign, children) {
  return el(
    "li",
    { class: "message system", "data-id": m.id },
    el("span", { class: "sign", "aria-hidden": "true" }, sign),
    children,
    " ",
    written(m.timestamp),
  );
}

function follows(m, before) {
  return (
    before &&
    ![Message.RENAMED, Message.PINNED, Message.THREAD_CREATED, Message.STARTER].includes(before.type) &&
    before.author.id === m.author.id &&
    (before.flags & Flag.EPHEMERAL) === (m.flags & Flag.EPHEMERAL) &&
    new Date(m.timestamp) - new Date(before.timestamp) < TOGETHER
  );
}

function origin(m) {
  const by = m.interaction_metadata?.user;
  if (by && [Message.COMMAND, Message.CONTEXT_MENU].includes(m.type))
    return el("div", { class: "origin" }, "↱ ", el("b", {}, nameOf(by)), " used a command");
  if (m.referenced_message) {
    const said = m.referenced_message.content.split("\n")[0] || "(a card or a file)";
    return el(
      "div",
      { class: "origin" },
      "↱ ",
      el("b", {}, nameOf(m.referenced_message.author)),
      " " + said.slice(0, 100),
    );
  }
  return m.message_reference?.message_id
    ? el("div", { class: "origin" }, "↱ The original message was deleted")
    : null;
}

function body(m, use) {
  if (m.flags & Flag.LOADING)
    return el(
      "p",
      { class: "note" },
      el("span", { class: "dots", "aria-hidden": "true" }),
      " ",
      nameOf(m.author),
      " is thinking…",
    );
  const inCard = new Set(JSON.stringify(m.components).match(/(?<="attachment_id":")\d+/g));
  const time = m.edited_timestamp && new Date(m.edited_timestamp).toLocaleString("en");
  const edited = m.edited_timestamp ? el("span", { class: "edited", title: time }, "(edited)") : null;
  const text = m.content ? markdown(m.content, names) : null;
  if (edited && text) text.append(" ", edited);
  return [
    text,
    m.attachments.filter((each) => !inCard.has(each.id) && !embedded(m.embeds, each)).map(attachment),
    m.embeds.map((each) => embed(each, m.attachments)),
    components(m.components, use),
    text ? null : edited,
  ];
}

function reactions(m) {
  if (!m.reactions?.length) return null;
  return el(
    "div",
    { class: "reactions" },
    m.reactions.map((r) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": r.me + "",
          "aria-label": `${r.emoji.name}, ${r.count}`,
          "data-key": "react " + r.emoji.name,
          onclick: () => ask({ do: "react", channel: m.channel_id, message: m.id, emoji: r.emoji.name, on: !r.me }),
        },
        r.emoji.name,
        " ",
        r.count + "",
      ),
    ),
  );
}

function thread(t) {
  const { name, thread_metadata: meta } = channel(t.id) || t;
  return el(
    "a",
    { class: "thread", href: "#" + t.id },
    el("span", {}, name),
    " ",
    el("b", {}, meta.archived ? "Archived thread ›" : "Open thread ›"),
  );
}

function dismissible(m) {
  const dismiss = () => ask({ do: "delete", channel: m.channel_id, message: m.id });
  return el(
    "p",
    { class: "only" },
    "👁 Only you can see this • ",
    el("button", { type: "button", class: "plain", onclick: dismiss }, "Dismiss message"),
  );
}
