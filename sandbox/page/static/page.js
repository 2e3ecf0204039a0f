import { el, markdown, relative } from "./markdown.js";
import { components, embed } from "./components.js";

const $ = (id) => document.getElementById(id);
const state = { snapshot: null, about: null, here: null, failed: new Set(), unread: new Set(), typing: new Map(), files: [] };
const waiting = new Map();
let socket, number = 0, retry;

// The socket

function connect() {
  clearTimeout(retry);
  const who = sessionStorage.getItem("who") || "";
  const mine = socket = new WebSocket(`ws://${location.host}/socket?as=${who}`);
  mine.onmessage = ({ data }) => mine === socket && hear(JSON.parse(data));
  mine.onopen = () => { $("offline").hidden = true; };
  mine.onclose = () => {
    if (mine !== socket) return;
    $("offline").hidden = false;
    for (const [, done] of waiting) done({ error: "Not connected." });
    waiting.clear();
    retry = setTimeout(connect, 1000);
  };
}

function ask(what) {
  if (socket.readyState !== WebSocket.OPEN) return Promise.resolve({ error: "Not connected." });
  const id = ++number;
  socket.send(JSON.stringify({ id, ...what }));
  return new Promise((done) => waiting.set(id, done));
}

function hear(news) {
  if (news.reply) { waiting.get(news.reply)?.(news); waiting.delete(news.reply); }
  else if (news.snapshot) begin(news);
  else if (news.event) change(news.event, news.data);
  else if (news.error) notice(news.error);
}

// What there is

const guild = () => state.snapshot.guilds[0];
const channels = () => [...state.snapshot.guilds.flatMap((g) => g.channels), ...state.snapshot.dms];
const channel = (id) => channels().find((each) => each.id === id);
const nameOf = (user) => user.global_name || user.username;
const names = {
  user: (id) => { const m = guild().members.find((each) => each.user.id === id); return m ? m.nick || nameOf(m.user) : "unknown"; },
  role: (id) => guild().roles.find((each) => each.id === id)?.name || "unknown",
  channel: (id) => channel(id)?.name || "unknown",
  open: (id) => channel(id) && go(id),
  members: () => guild().members.map((each) => each.user),
};

function begin({ snapshot, about }) {
  Object.assign(state, { snapshot, about });
  const wanted = location.hash.slice(1);
  state.here = channel(wanted) ? wanted : about.home;
  $("guild").textContent = guild().name;
  $("agent").textContent = about.agent;
  $("agent").title = about.agent;
  $("who").replaceChildren(...about.people.map((p) => el("option", { value: p.id, selected: p.id === snapshot.user.id }, p.name)));
  showChannels();
  showMessages();
}

function change(event, data) {
  const place = channel(data.channel_id);
  if (!place) return;
  if (event === "TYPING_START") {
    if (data.user_id !== state.snapshot.user.id) state.typing.set(data.channel_id + data.user_id, { ...data, until: Date.now() + 10000 });
    return showTyping();
  }
  const at = place.messages.findIndex((each) => each.id === data.id);
  const list = $("messages");
  const low = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  if (event === "MESSAGE_DELETE") { if (at >= 0) place.messages.splice(at, 1); }
  else if (at >= 0) place.messages[at] = data;
  else {
    place.messages.push(data);
    state.typing.delete(data.channel_id + data.author.id);
    showTyping();
    if (place.id !== state.here) { state.unread.add(place.id); showChannels(); }
  }
  if (place.id !== state.here) return;
  const old = list.querySelector(`[data-id="${data.id}"]`);
  if (event === "MESSAGE_DELETE") { old?.remove(); return; }
  const index = place.messages.findIndex((each) => each.id === data.id);
  const fresh = message(data, place.messages[index - 1]);
  if (old) swap(old, fresh); else list.append(fresh);
  if (low || data.author.id === state.snapshot.user.id && !old) list.scrollTop = list.scrollHeight;
}

// An edit must not take the keyboard away from who is about to press, nor close an open menu.
function swap(old, fresh) {
  const key = old.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = [...old.querySelectorAll(".menu > [aria-expanded=true]")].map((each) => each.dataset.key);
  const ticked = [...old.querySelectorAll(".options input:checked")].map((each) => each.dataset.key);
  old.replaceWith(fresh);
  const find = (k) => fresh.querySelector(`[data-key="${CSS.escape(k)}"]`);
  for (const each of open) find(each)?.click();
  for (const each of ticked) { const box = find(each); if (box) box.checked = true; }
  if (key) find(key)?.focus();
}

// Showing

function showChannels() {
  const all = guild().channels;
  const entry = (c, mark) => el("li", {}, el("button", {
    type: "button", "aria-current": c.id === state.here ? "page" : null, class: state.unread.has(c.id) ? "unread" : null,
    onclick: () => go(c.id),
  }, `${mark} ${c.name}`, state.unread.has(c.id) ? el("span", { class: "hidden" }, " (unread)") : null));
  $("channels").replaceChildren(...all.filter((c) => !c.thread_metadata && c.type === 0).map((c) => {
    const item = entry(c, "#");
    const threads = all.filter((t) => t.parent_id === c.id && t.thread_metadata);
    const [live, old] = [threads.filter((t) => !t.thread_metadata.archived), threads.filter((t) => t.thread_metadata.archived)];
    if (live.length) item.append(el("ul", { "aria-label": `Threads of ${c.name}` }, live.map((t) => entry(t, "↳"))));
    if (old.length) item.append(el("details", {}, el("summary", {}, `${old.length} archived`), el("ul", {}, old.map((t) => entry(t, "↳")))));
    return item;
  }));
  const place = channel(state.here);
  $("place").textContent = (place.thread_metadata ? "↳ " : "# ") + place.name;
  $("words").placeholder = `Message ${place.thread_metadata ? "" : "#"}${place.name}`.slice(0, 60);
}

function showMessages() {
  const list = $("messages");
  const all = channel(state.here).messages;
  list.replaceChildren(...all.map((each, i) => message(each, all[i - 1])));
  if (!all.length) list.append(el("li", { class: "message note" }, "Nothing here yet. Write something: the bot opens a thread and answers there."));
  list.scrollTop = list.scrollHeight;
  showTyping();
}

function message(m, before) {
  if (m.type === 21 && m.referenced_message) m = { ...m.referenced_message, id: m.id, components: [], thread: null };
  const ephemeral = !!(m.flags & 64), when = new Date(m.timestamp), who = nameOf(m.author);
  const follows = before && before.type !== 21 && before.author.id === m.author.id && !m.referenced_message && when - new Date(before.timestamp) < 420000;
  const act = {
    press: async (id) => outcome(m, await ask({ do: "click", channel: m.channel_id, message: m.id, custom_id: id })),
    choose: async (id, values) => outcome(m, await ask({ do: "select", channel: m.channel_id, message: m.id, custom_id: id, values })),
    names,
  };
  const edited = m.edited_timestamp ? el("span", { class: "edited", title: new Date(m.edited_timestamp).toLocaleString() }, "(edited)") : null;
  const inCard = new Set(JSON.stringify(m.components).match(/"attachment_id":"(\d+)"/g)?.map((each) => each.slice(17, -1)));
  return el("li", { class: "message" + (follows ? " on" : "") + (ephemeral ? " ephemeral" : ""), "data-id": m.id },
    el("span", { class: "avatar" + (m.author.bot ? " bot" : ""), "aria-hidden": "true" }, who[0]),
    el("div", { class: "by" }, el("b", {}, who), m.author.bot ? el("span", { class: "tag" }, "APP") : null,
      el("time", { datetime: m.timestamp }, when.toLocaleTimeString([], { timeStyle: "short" }))),
    m.referenced_message ? el("span", { class: "reply" }, `↱ ${nameOf(m.referenced_message.author)}: ${m.referenced_message.content.slice(0, 80)}`) : null,
    m.flags & 128 ? el("div", { class: "note" }, "thinking …") : m.type === 18 ? el("div", { class: "note" }, `started a thread: ${m.content}`) : m.content ? markdown(m.content, names) : null,
    m.embeds.map((each) => embed(each, names)),
    m.attachments.filter((a) => !inCard.has(a.id)).map(attachment),
    components(m.components, act),
    edited,
    m.reactions ? el("div", { class: "reactions" }, m.reactions.map((r) => el("span", {}, `${r.emoji.name} ${r.count}`))) : null,
    m.thread ? el("button", { type: "button", class: "thread", onclick: () => go(m.thread.id) }, m.thread.name, " ", el("span", {}, "Open thread ›")) : null,
    ephemeral ? el("span", { class: "only" }, "Only you can see this · ", el("button", { type: "button", onclick: () => ask({ do: "dismiss", channel: m.channel_id, message: m.id }) }, "Dismiss message")) : null,
    state.failed.has(m.id) ? el("span", { class: "failed", role: "alert" }, "This interaction failed") : null);
}

function attachment(a) {
  const address = `/attachment/${a.id}`;
  if (/^image\/(png|jpeg|gif|webp)$/.test(a.content_type)) return el("a", { href: address, target: "_blank" }, el("img", { src: address, alt: a.description || a.filename }));
  return el("a", { class: "file", href: address, download: a.filename }, `📄 ${a.filename} (${a.size} bytes)`);
}

function showTyping() {
  const now = Date.now();
  const who = [...state.typing.values()].filter((t) => t.until > now && t.channel_id === state.here).map((t) => names.user(t.user_id));
  $("typing").textContent = who.length ? `${who.join(", ")} is typing …` : "";
}

setInterval(() => {
  if (state.snapshot) showTyping();
  for (const each of document.querySelectorAll("[data-relative]")) each.textContent = relative(Number(each.dataset.relative));
}, 1000);

function notice(text) { $("notice").textContent = text; }

function go(id) {
  state.here = id;
  state.unread.delete(id);
  history.replaceState(null, "", "#" + id);
  drawer(false);
  showChannels();
  showMessages();
  $("words").focus();
}

function drawer(open) {
  $("side").classList.toggle("open", open);
  $("menu").setAttribute("aria-expanded", open);
  if (open) $("channels").querySelector("button")?.focus();
}

// Acting

function outcome(m, answer) {
  notice(answer.error || "");
  if (m) {
    const failed = state.failed.has(m.id);
    if (answer.failed) state.failed.add(m.id); else state.failed.delete(m.id);
    if (failed !== state.failed.has(m.id)) showMessages();
  } else if (answer.failed) notice("The application did not respond.");
  if (answer.modal) form(answer.modal, answer.modal_id);
}

function form(data, id) {
  const dialog = $("modal"), wrong = el("p", { class: "wrong", role: "alert" });
  const fields = data.components.flatMap((c) => c.type === 18 ? [[c.label, c.description, c.component]] : c.type === 10 ? [[null, null, c]] : (c.components || []).map((each) => [each.label, null, each]));
  const reads = {};
  const shown = fields.map(([label, hint, c]) => {
    if (c.type === 10) return markdown(c.content, names);
    const needed = c.required !== false;
    if (c.type === 3 && (c.max_values || 1) > 1) {
      const boxes = c.options.map((o) => el("input", { type: "checkbox", value: o.value, checked: o.default }));
      reads[c.custom_id] = () => boxes.filter((b) => b.checked).map((b) => b.value);
      return el("fieldset", { class: "field" }, el("legend", {}, label), c.options.map((o, i) => el("label", { class: "field" }, boxes[i], " " + o.label)));
    }
    let input;
    if (c.type === 3) input = el("select", {}, needed ? null : el("option", { value: "" }, "—"), c.options.map((o) => el("option", { value: o.value, selected: o.default }, o.label)));
    else input = el(c.style === 2 ? "textarea" : "input", { placeholder: c.placeholder, minlength: c.min_length, maxlength: c.max_length || 4000, required: needed });
    if (c.type !== 3) input.value = c.value || "";
    reads[c.custom_id] = () => c.type === 3 ? (input.value ? [input.value] : []) : input.value;
    return el("label", { class: "field" }, el("span", {}, label + (needed ? " *" : "")), hint ? el("small", {}, hint) : null, input);
  });
  const inner = el("form", { onsubmit: async (event) => {
    event.preventDefault();
    const answer = await ask({ do: "submit", modal: id, values: Object.fromEntries(Object.entries(reads).map(([k, read]) => [k, read()])) });
    if (answer.error || answer.failed) wrong.textContent = answer.error || "Something went wrong. Try again.";
    else { dialog.close(); outcome(null, answer); }
  } }, el("h2", { id: "modal-title" }, data.title), shown, wrong, el("div", { class: "row" },
    el("button", { type: "button", class: "press", onclick: () => dialog.close() }, "Cancel"), el("button", { type: "submit", class: "press s1" }, "Submit")));
  dialog.replaceChildren(inner);
  dialog.showModal();
}

function typed(text) {
  const [, name, rest] = /^\/(\S+)\s*([^]*)$/.exec(text) || [];
  const command = name && guild().commands.find((each) => each.name === name && (each.type || 1) === 1);
  if (!command) return null;
  const known = command.options || [], options = {};
  const parts = rest.split(new RegExp(`(?:^|\\s)(${known.map((o) => o.name).join("|") || "(?!)"}):`));
  if (parts[0].trim() && known.length) options[known[0].name] = parts[0].trim();
  for (let i = 1; i < parts.length; i += 2) options[parts[i]] = parts[i + 1].trim();
  for (const o of known) if (o.name in options) {
    if (o.type === 4 || o.type === 10) options[o.name] = Number(options[o.name]);
    if (o.type === 5) options[o.name] = options[o.name] === "true";
  }
  return { name, options };
}

function complete() {
  const text = $("words").value, box = $("completion");
  const fits = /^\/\S*$/.test(text) ? guild().commands.filter((c) => (c.type || 1) === 1 && c.name.startsWith(text.slice(1))) : [];
  box.hidden = !fits.length;
  box.replaceChildren(...fits.map((c, i) => el("button", { type: "button", class: i ? null : "first", onclick: () => fill(c) }, "/" + c.name, el("small", {}, c.description))));
}

function fill(command) {
  $("words").value = `/${command.name}${command.options?.length ? " " : ""}`;
  $("completion").hidden = true;
  $("words").focus();
}

async function send() {
  const text = $("words").value.trim();
  if (!text && !state.files.length) return;
  const command = typed(text);
  const kept = state.files;
  $("words").value = ""; state.files = []; showFiles(); complete(); grow();
  let answer;
  if (command) answer = await ask({ do: "command", channel: state.here, ...command });
  else if (/^\/\S+/.test(text) && !kept.length && /^\/[\w-]+(\s|$)/.test(text)) answer = { error: `There is no command ${text.split(/\s/)[0]}.` };
  else answer = await ask({ do: "write", channel: state.here, text, files: kept });
  if (answer.error && !$("words").value) { $("words").value = text; state.files = kept; showFiles(); }
  outcome(null, answer);
}

function showFiles() {
  $("files").replaceChildren(...state.files.map((f, i) => el("li", {}, el("button", { type: "button", "aria-label": `Remove ${f.name}`, onclick: () => { state.files.splice(i, 1); showFiles(); } }, `${f.name} ✕`))));
}

async function take(files) {
  for (const f of files) {
    const address = await new Promise((done) => { const r = new FileReader(); r.onload = () => done(r.result); r.readAsDataURL(f); });
    state.files.push({ name: f.name || "pasted.png", type: f.type, content: address.slice(address.indexOf(",") + 1) });
  }
  showFiles();
}

function grow() { const w = $("words"); w.rows = Math.min(10, w.value.split("\n").length); }

$("composer").addEventListener("submit", (event) => { event.preventDefault(); send(); });
$("words").addEventListener("input", () => { complete(); grow(); notice(""); });
$("words").addEventListener("keydown", (event) => {
  const first = !$("completion").hidden && $("completion").querySelector("button");
  if (event.key === "Tab" && first && !event.shiftKey) { event.preventDefault(); first.click(); }
  else if (event.key === "Escape") $("completion").hidden = true;
  else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
$("words").addEventListener("paste", (event) => { if (event.clipboardData.files.length) { event.preventDefault(); take(event.clipboardData.files); } });
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
$("attach").addEventListener("click", () => $("picker").click());
$("picker").addEventListener("change", async () => { await take($("picker").files); $("picker").value = ""; });
$("menu").addEventListener("click", () => drawer(!$("side").classList.contains("open")));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") drawer(false); });
$("who").addEventListener("change", () => { sessionStorage.setItem("who", $("who").value); drawer(false); const old = socket; connect(); old.close(); });
connect();
