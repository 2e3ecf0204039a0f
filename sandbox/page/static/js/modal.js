// A modal: a form that a bot opens.
import { $, el } from "./dom.js";
import { markdown } from "./markdown.js";
import { choices } from "./select_menus.js";
import { Component, InputStyle, isSelect } from "./discord_constants.js";
import { ask } from "./socket.js";
import { names } from "./state.js";

/** Show a form; `done(answer)` receives its result. */
export function form(data, id, done) {
  const dialog = $("form");
  const wrong = el("p", { class: "wrong", role: "alert" });
  const fields = data.components.flatMap(labelled).map(field);
  const send = el("button", { type: "submit", class: "press s1" }, "Submit");
  const submit = async (event) => {
    event.preventDefault();
    send.setAttribute("aria-busy", "true");
    const values = Object.fromEntries(fields.filter((each) => each.read).map((each) => [each.name, each.read()]));
    const answer = await ask({ do: "submit", modal: id, values });
    send.removeAttribute("aria-busy");
    if (answer.error || answer.failed) wrong.textContent = answer.error || "Something went wrong. Try again.";
    else {
      dialog.close();
      done(answer);
    }
  };
  const cancel = el("button", { type: "button", class: "press", onclick: () => dialog.close() }, "Cancel");
  dialog.replaceChildren(
    el(
      "form",
      { onsubmit: submit },
      el("h2", { id: "form-title" }, data.title),
      fields.map((each) => each.node),
      wrong,
      el("div", { class: "row" }, cancel, send),
    ),
  );
  dialog.showModal();
  dialog.querySelector("input, textarea, select")?.focus();
}

function labelled(c) {
  if (c.type === Component.LABEL) return [{ label: c.label, hint: c.description, c: c.component }];
  if (c.type === Component.TEXT) return [{ c }];
  return (c.components || []).map((each) => ({ label: each.label, c: each }));
}

function field({ label, hint, c }) {
  if (c.type === Component.TEXT) return { node: markdown(c.content, names) };
  const needed = c.required !== false;
  const words = [label, needed ? el("span", { class: "needed", "aria-hidden": "true" }, " *") : null];
  if (c.type === Component.TEXT_INPUT) {
    const input = el(c.style === InputStyle.PARAGRAPH ? "textarea" : "input", {
      placeholder: c.placeholder,
      minlength: c.min_length,
      maxlength: c.max_length || 4000,
      required: needed,
    });
    input.value = c.value || "";
    return { name: c.custom_id, node: wrapped(words, hint, input), read: () => input.value };
  }
  if (!isSelect(c))
    return { node: el("p", { class: "note" }, `(A field of type ${c.type}, which this page can't show.)`) };
  return (c.max_values ?? 1) > 1 ? several(c, words, hint) : single(c, words, hint, needed);
}

const wrapped = (words, hint, input) =>
  el("label", { class: "field" }, el("span", {}, words), hint ? el("small", {}, hint) : null, input);

function single(c, words, hint, needed) {
  const all = choices(c);
  const blank =
    needed && all.some((each) => each.default) ? null : el("option", { value: "" }, c.placeholder || "—");
  const select = el(
    "select",
    { required: needed },
    blank,
    all.map((each) => el("option", { value: each.value, selected: each.default }, each.label)),
  );
  return {
    name: c.custom_id,
    node: wrapped(words, hint, select),
    read: () => (select.value ? [select.value] : []),
  };
}

function several(c, words, hint) {
  const boxes = choices(c).map((each) => ({
    input: el("input", { type: "checkbox", value: each.value, checked: each.default }),
    label: each.label,
  }));
  const node = el(
    "fieldset",
    { class: "field" },
    el("legend", {}, words),
    hint ? el("small", {}, hint) : null,
    boxes.map((each) => el("label", { class: "box" }, each.input, " " + each.label)),
  );
  return {
    name: c.custom_id,
    node,
    read: () => boxes.filter((each) => each.input.checked).map((each) => each.input.value),
  };
}
