// Slash commands: lists them, asks for their options, and runs them.
import { $, el } from "./dom.js";
import { choices } from "./select_menus.js";
import { Command, Component, Option } from "./discord_constants.js";
import { ask } from "./socket.js";
import { state } from "./state.js";
import { suggest } from "./suggestions.js";

const MENU_OF = {
  [Option.USER]: Component.USER_SELECT,
  [Option.ROLE]: Component.ROLE_SELECT,
  [Option.MENTIONABLE]: Component.MENTIONABLE_SELECT,
  [Option.CHANNEL]: Component.CHANNEL_SELECT,
};

/** List the commands of this channel, with sub-commands under their full names. */
export async function commands() {
  const { commands: all = [] } = await ask({ do: "commands", channel: state.here });
  return all
    .filter((each) => each.type === Command.CHAT)
    .flatMap((each) => flat(each, each.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function flat(command, name) {
  const inner = (command.options || []).filter(
    (each) => each.type === Option.SUB_COMMAND || each.type === Option.SUB_GROUP,
  );
  if (inner.length) return inner.flatMap((each) => flat(each, `${name} ${each.name}`));
  return [{ name, description: command.description, options: command.options || [] }];
}

/** Parse a typed command: `/new prompt:hello`, or `/new hello` for the first option. */
export function typed(text, all) {
  const said = text.slice(1);
  const command = all
    .filter((each) => said === each.name || said.startsWith(each.name + " "))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (!command) return null;
  const rest = said.slice(command.name.length).trim();
  const options = command.options.map((each) => each.name);
  const parts = rest.split(new RegExp(`(?:^|\\s)(${options.join("|") || "(?!)"}):`));
  const values = {};
  if (parts[0].trim() && options.length) values[options[0]] = parts[0].trim();
  for (let i = 1; i < parts.length; i += 2) values[parts[i]] = parts[i + 1].trim();
  return { command, values };
}

/** Ask for a command's options and run it; `done` receives the result. */
export function fillIn(command, values, done) {
  const form = $("command");
  const fields = command.options.map((each) => field(command, each, values[each.name]));
  const close = () => {
    form.hidden = true;
    form.replaceChildren();
    $("composer").hidden = false;
    $("words").focus();
  };
  const wrong = el("p", { class: "wrong", role: "alert" });
  form.replaceChildren(
    el("p", { class: "name" }, el("b", {}, "/" + command.name), " ", el("small", {}, command.description)),
    ...fields.map((each) => each.node),
    wrong,
    el(
      "div",
      { class: "row" },
      el("button", { type: "submit", class: "press s1" }, "Run"),
      el("button", { type: "button", class: "press", onclick: close }, "Cancel"),
    ),
  );
  form.setAttribute("aria-label", "/" + command.name);
  form.hidden = false;
  $("composer").hidden = true;
  form.onkeydown = (event) => {
    if (event.key === "Escape") close();
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    const answer = await call(
      command,
      Object.fromEntries(
        (await Promise.all(fields.map((each) => each.read()))).filter(([, value]) => value !== null),
      ),
    );
    if (answer.error) {
      wrong.textContent = answer.error;
      return;
    }
    close();
    done(answer);
  };
  form.querySelector("input, select")?.focus();
}

export function call(command, options) {
  return ask({ do: "command", channel: state.here, name: command.name, options });
}

/** Whether a value of this option can be typed as text. */
export const isPlain = (option) => !(option.type in MENU_OF) && option.type !== Option.FILE;

/** Convert typed text to the option's type. */
export function value(option, text) {
  if (option.type === Option.INTEGER || option.type === Option.NUMBER) return Number(text);
  if (option.type === Option.BOOLEAN) return text === "true";
  return text;
}

function field(command, option, given) {
  const name = option.name;
  const id = `option-${name}`;
  const label = el("label", { for: id }, name, option.required ? null : el("small", {}, " (optional)"));
  const hint = el("small", {}, option.description);
  const wrap = (...nodes) => el("div", { class: "field" }, label, ...nodes, hint);
  const fixed =
    option.type === Option.BOOLEAN
      ? [
          { value: "true", label: "True" },
          { value: "false", label: "False" },
        ]
      : MENU_OF[option.type]
        ? choices({ type: MENU_OF[option.type] })
        : option.choices?.map((each) => ({ value: each.value + "", label: each.name }));
  if (fixed) {
    const select = el(
      "select",
      { id, required: option.required },
      el("option", { value: "" }, "—"),
      fixed.map((each) =>
        el("option", { value: each.value, selected: given === each.value || given === each.label }, each.label),
      ),
    );
    const chosen = () => (MENU_OF[option.type] ? { id: select.value } : value(option, select.value));
    return { node: wrap(select), read: () => [name, select.value ? chosen() : null] };
  }
  if (option.type === Option.FILE) {
    const input = el("input", { id, type: "file", required: option.required });
    return {
      node: wrap(input),
      read: async () => [name, input.files.length ? await upload(input.files[0]) : null],
    };
  }
  const number = option.type === Option.INTEGER || option.type === Option.NUMBER;
  const input = el("input", {
    id,
    type: number ? "number" : "text",
    step: option.type === Option.NUMBER ? "any" : null,
    min: option.min_value,
    max: option.max_value,
    minlength: option.min_length,
    maxlength: option.max_length,
    required: option.required,
    autocomplete: "off",
  });
  input.value = given ?? "";
  const read = () => [name, input.value ? value(option, input.dataset.value ?? input.value) : null];
  return { node: option.autocomplete ? wrap(input, completed(command, option, input)) : wrap(input), read };
}

function completed(command, option, input) {
  const box = el("ul", {
    role: "listbox",
    id: `${input.id}-offers`,
    class: "offers",
    "aria-label": option.name,
    hidden: true,
  });
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", box.id);
  const offers = suggest(input, box, async (text) => {
    delete input.dataset.value;
    const { choices: found = [] } = await ask({
      do: "autocomplete",
      channel: state.here,
      name: command.name,
      option: option.name,
      typed: text,
    });
    return found.map((each) => ({
      label: each.name,
      take: () => {
        input.value = each.name;
        input.dataset.value = each.value;
      },
    }));
  });
  input.addEventListener("focus", offers.look);
  return box;
}

/** Read a file and return it as the socket sends it. */
export async function upload(file) {
  const address = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
  return { name: file.name || "pasted.png", type: file.type, content: address.slice(address.indexOf(",") + 1) };
}
