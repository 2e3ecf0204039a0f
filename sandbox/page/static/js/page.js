// The page: shows the sandbox's updates and sends the user's actions as requests.
import { about, setUpComposer, showComposer } from "./composer.js";
import { $, el } from "./dom.js";
import { form } from "./modal.js";
import { markdown } from "./markdown.js";
import { message } from "./message.js";
import { openMessageMenu, setUpMenuKeys } from "./message_menu.js";
import { showHead, showSidebar } from "./sidebar.js";
import { ask, connect, reconnect } from "./socket.js";
import {
  channel,
  here,
  isThread,
  loadSnapshot,
  mayArchive,
  names,
  nameOf,
  removeChannel,
  removeMessage,
  state,
  storeChannel,
  storeMessage,
  title,
} from "./state.js";
import { showTabTitle } from "./tab_title.js";

const TYPED = 10000; // how long Discord shows that someone is typing
const NEAR = 120;
let following = true; // whether the newest message stays in view when the composer grows

// Updates

function receive(update) {
  if (update.snapshot) {
    loadSnapshot(update);
    showAll();
  } else if (update.message) messageChanged(update.message);
  else if (update.gone) messageDeleted(update.gone);
  else if (update.channel) channelChanged(update.channel);
  else if (update.left) {
    removeChannel(update.left);
    go();
  } else if (update.typing) typingStarted(update.typing);
  else if (update.error) tell(update.error);
}

function messageChanged(m) {
  if (!channel(m.channel_id)) return;
  const fresh = storeMessage(m);
  if (fresh) state.typing.delete(m.channel_id + m.author.id);
  if (m.channel_id !== state.here) {
    if (fresh) {
      state.unread.add(m.channel_id);
      showSidebar();
      showTabTitle();
    }
    return;
  }
  const low = atEnd();
  const all = here().messages;
  const at = all.findIndex((each) => each.id === m.id);
  const node = draw(all, at);
  const old = $("messages").querySelector(`[data-id="${m.id}"]`);
  if (old) swap(old, node);
  else if (at === 0) $("messages").replaceChildren(node);
  else $("messages").append(node);
  if (fresh && m.author.id !== state.user.id) $("news").textContent = `New message from ${nameOf(m.author)}`;
  if (low || (fresh && m.author.id === state.user.id)) toEnd();
  else if (fresh) $("newer").hidden = false;
  showTyping();
}

function channelChanged(fresh) {
  storeChannel(fresh);
  showAround();
  const start = here().messages.find((each) => each.thread?.id === fresh.id);
  if (start) messageChanged(start);
}

function messageDeleted({ channel: where, message: which }) {
  removeMessage(where, which);
  if (where === state.here) showMessages({ stay: true });
}

function typingStarted({ channel: where, user }) {
  if (user === state.user.id) return;
  state.typing.set(where + user, { where, user, until: Date.now() + TYPED });
  showTyping();
}

// Display

function showAll() {
  go();
  $("agent").replaceChildren(el("b", {}, state.about.agent + (state.about.why ? "." : "")), " ", markdown(state.about.why, names));
  $("agent").classList.toggle("scripted", state.about.scripted);
}

function showAround() {
  showSidebar();
  showHead();
  showTabTitle();
  showComposer();
  showArchive();
}

/** Show the channel in the address, or the home channel if there is none. */
function go() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const moved = state.here !== (channel(wanted) ? wanted : state.about.home);
  state.here = channel(wanted) ? wanted : state.about.home;
  state.unread.delete(state.here);
  if (moved) {
    drawer(false);
    about(null);
    tell("");
  }
  showAround();
  showMessages({ stay: !moved });
}

function showMessages({ stay }) {
  const low = !stay || atEnd();
  const all = here().messages;
  const top = $("scroll").scrollTop;
  $("messages").replaceChildren(...all.map((_, i) => draw(all, i)));
  if (!all.length) $("messages").append(welcome());
  $("newer").hidden = true;
  if (low) toEnd();
  else $("scroll").scrollTop = top;
  showTyping();
}

function welcome() {
  const sentence = isThread(here())
    ? "There are no messages here yet."
    : "Send a message below. Claude opens a thread and replies there.";
  return el(
    "li",
    { class: "welcome" },
    el(
      "div",
      { role: "heading", "aria-level": 2 },
      `Welcome to ${here().guild_id && !isThread(here()) ? "#" : ""}${title(here())}!`,
    ),
    el("p", {}, sentence),
  );
}

function draw(all, at) {
  return message(all[at], all[at - 1], {
    done: outcome,
    more: (m, near) =>
      openMessageMenu(m, near, { reply: (it) => about({ reply: it }), edit: (it) => about({ edit: it }), done: outcome }),
  });
}

// Replacing an edited message must not move the focus or close an open menu.
function swap(old, fresh) {
  const find = (key) => fresh.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const focused = old.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = [...old.querySelectorAll(".opener[aria-expanded=true]")].map((each) => each.dataset.key);
  const marked = [...old.querySelectorAll(".options:not([hidden]) [aria-selected]")].map((each) => [
    each.dataset.key,
    each.getAttribute("aria-selected"),
  ]);
  old.replaceWith(fresh);
  for (const each of open) find(each)?.click();
  for (const [key, on] of marked) find(key)?.setAttribute("aria-selected", on);
  if (focused) find(focused)?.focus({ preventScroll: true });
}

const atEnd = () => $("scroll").scrollHeight - $("scroll").scrollTop - $("scroll").clientHeight < NEAR;

function toEnd() {
  $("scroll").scrollTop = $("scroll").scrollHeight;
  $("newer").hidden = true;
}

function showTyping() {
  const now = Date.now();
  const who = [...state.typing.values()]
    .filter((each) => each.until > now && each.where === state.here)
    .map((each) => names.user(each.user));
  const text = who.length ? `${who.join(" and ")} ${who.length > 1 ? "are" : "is"} typing…` : "";
  if ($("typing").textContent !== text) $("typing").textContent = text;
}

function showArchive() {
  const meta = here().thread_metadata;
  $("archive").hidden = !meta || !mayArchive(here());
  if (meta) $("archive").textContent = meta.archived ? "Unarchive" : "Archive";
}

function tell(text) {
  $("notice").textContent = text;
}

function drawer(open) {
  $("side").classList.toggle("open", open);
  $("veil").hidden = !open;
  $("menu").setAttribute("aria-expanded", open);
  if (open) $("channels").querySelector("a")?.focus();
}

// Actions

function outcome(m, answer) {
  tell(answer.error || (answer.failed && !m ? "The application did not respond." : ""));
  if (m) {
    const before = state.failed.has(m.id);
    if (answer.failed) state.failed.add(m.id);
    else state.failed.delete(m.id);
    if (before !== state.failed.has(m.id) && channel(m.channel_id))
      messageChanged(channel(m.channel_id).messages.find((each) => each.id === m.id) || m);
  }
  if (answer.modal) form(answer.modal, answer.modal_id, (next) => outcome(null, next));
}

setUpComposer(tell, (answer) => outcome(null, answer));
setUpMenuKeys();
addEventListener("hashchange", () => {
  if (state.about) {
    go();
    $("words").focus();
  }
});
$("menu").addEventListener("click", () => drawer(!$("side").classList.contains("open")));
$("veil").addEventListener("click", () => drawer(false));
$("side").addEventListener("click", (event) => event.target.closest("a") && drawer(false));
$("people").addEventListener("click", () => {
  const shown = $("people").getAttribute("aria-expanded") !== "true";
  $("people").setAttribute("aria-expanded", shown);
  $("who-is-here").hidden = !shown;
});
$("newer").addEventListener("click", toEnd);
$("scroll").addEventListener("scroll", () => (following = atEnd()));
new ResizeObserver(() => following && toEnd()).observe($("scroll"));
$("archive").addEventListener("click", async () => {
  const { error = "" } = await ask({ do: "archive", channel: state.here, on: !here().thread_metadata.archived });
  tell(error);
});
$("who").addEventListener("change", () => {
  sessionStorage.setItem("who", $("who").value);
  state.failed.clear();
  reconnect();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !$("side").classList.contains("open")) return;
  drawer(false);
  $("menu").focus();
});
setInterval(() => state.about && showTyping(), 1000);
connect(receive, (on) => {
  $("offline").hidden = on;
});
