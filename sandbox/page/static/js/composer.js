// The composer: text, files, replies, edits and commands.
import { $, el, size } from "./dom.js";
import { ask } from "./socket.js";
import { call, commands, fillIn, isPlain, typed, upload, value } from "./slash_commands.js";
import { here, isThread, mayWrite, nameOf, state, title } from "./state.js";
import { suggest } from "./suggestions.js";

const LARGEST = 10 * 1024 * 1024,
  MOST = 10; // Discord's limits
const LONGEST = 2000;
const TYPING = 8000;
const LINES = 10;

const draft = { files: [], about: null, typing: 0 };
let onResult = () => {};
let suggestions = null;

/** Set up the composer; `tell(text)` shows a notice, `done(answer)` receives a command's result. */
export function setUpComposer(tell, done) {
  onResult = done;
  const words = $("words");
  suggestions = suggest(words, $("commands"), suggestCommands);
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    send(tell);
  });
  words.addEventListener("input", () => {
    grow();
    tell("");
    sendTyping();
  });
  words.addEventListener("keydown", (event) => {
    if (event.key === "Escape") about(null);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(tell);
  });
  words.addEventListener("paste", (event) => {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    attach(event.clipboardData.files, tell);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    attach(event.dataTransfer.files, tell);
  });
  $("attach").addEventListener("click", () => $("picker").click());
  $("picker").addEventListener("change", async () => {
    await attach($("picker").files, tell);
    $("picker").value = "";
  });
}

export function showComposer() {
  const place = here();
  const may = mayWrite(place);
  const sign = isThread(place) || !place.guild_id ? "" : "#";
  $("words").placeholder = may ? `Message ${sign}${title(place)}` : "You can't write here.";
  for (const id of ["words", "attach", "send"]) $(id).disabled = !may;
  const meta = place.thread_metadata;
  $("archived").hidden = !meta?.archived;
  $("archived").textContent = meta?.locked
    ? "This thread is archived and locked."
    : "This thread is archived. Send a message to unarchive it.";
}

/** Start a reply or an edit: `{reply}` or `{edit}`; null cancels it. */
export function about(what) {
  draft.about = what;
  const m = what?.reply || what?.edit;
  $("about").hidden = !m;
  if (!m) return;
  const stop = () => {
    about(null);
    $("words").focus();
  };
  const sentence = what.reply ? ["Replying to ", el("b", {}, nameOf(m.author))] : "Editing your message";
  $("about").replaceChildren(
    el("span", {}, sentence),
    el("button", { type: "button", class: "plain", onclick: stop }, "Cancel"),
  );
  if (what.edit) (($("words").value = m.content), grow());
  $("words").focus();
}

async function suggestCommands(text) {
  const said = /^\/([\w -]*)$/.exec(text)?.[1];
  if (said === undefined) return [];
  const all = await commands();
  const fits = all.filter((each) => each.name.startsWith(said));
  return fits.map((each) => ({ label: "/" + each.name, hint: each.description, take: () => start(each, {}) }));
}

async function start(command, values) {
  $("words").value = "";
  grow();
  if (command.options.length) fillIn(command, values, onResult);
  else onResult(await call(command, {}));
}

async function send(tell) {
  const text = $("words").value.trim();
  if (!text && !draft.files.length) return;
  suggestions.close();
  if (/^\/\w/.test(text) && !draft.files.length) return command(text, tell);
  if (text.length > LONGEST)
    return tell(
      `A message can have at most ${LONGEST} characters; this one has ${text.length}. Attach it as a file instead.`,
    );
  const { files, about: of } = draft;
  $("words").value = "";
  draft.files = [];
  draft.typing = 0;
  showFiles();
  grow();
  about(null);
  const place = { channel: state.here };
  const answer = of?.edit
    ? await ask({ do: "edit", ...place, message: of.edit.id, text })
    : await ask({ do: "write", ...place, text, files, reply_to: of?.reply?.id ?? null });
  tell(answer.error || "");
  if (!answer.error || $("words").value) return;
  $("words").value = text; // so that the text is not lost
  draft.files = files;
  showFiles();
  grow();
}

async function command(text, tell) {
  const read = typed(text, await commands());
  if (!read) return tell(`There is no command ${text.split(/\s/)[0]} here. Type / to see all commands.`);
  const { options, name } = read.command;
  const given = options.filter((each) => each.name in read.values);
  const missing = options.some((each) => each.required && !given.includes(each));
  if (missing || !given.every(isPlain) || (options.length && !given.length))
    return start(read.command, read.values);
  const values = Object.fromEntries(given.map((each) => [each.name, value(each, read.values[each.name])]));
  $("words").value = "";
  grow();
  return onResult(await call({ name }, values));
}

function sendTyping() {
  if (!$("words").value || $("words").value.startsWith("/") || Date.now() - draft.typing < TYPING) return;
  draft.typing = Date.now();
  ask({ do: "typing", channel: state.here });
}

async function attach(files, tell) {
  for (const each of files) {
    if (each.size > LARGEST)
      tell(`${each.name} is ${size(each.size)}; Discord accepts files of up to ${size(LARGEST)}.`);
    else if (draft.files.length >= MOST) tell(`A message can have at most ${MOST} files.`);
    else draft.files.push(await upload(each));
  }
  showFiles();
  $("words").focus();
}

function showFiles() {
  $("files").replaceChildren(
    ...draft.files.map((each, i) =>
      el(
        "li",
        {},
        /^image\/(png|jpeg|gif|webp)$/.test(each.type)
          ? el("img", { src: `data:${each.type};base64,${each.content}`, alt: "" })
          : "📄 ",
        el("span", {}, each.name),
        el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-label": `Remove ${each.name}`,
            onclick: () => {
              draft.files.splice(i, 1);
              showFiles();
            },
          },
          "✕",
        ),
      ),
    ),
  );
}

function grow() {
  $("words").rows = Math.min(LINES, $("words").value.split("\n").length);
}
