// Select menus: a button that opens a list, by mouse, by touch and by keyboard.
import { el } from "./dom.js";
import { Component } from "./discord_constants.js";
import { channels, guild, nameOf } from "./state.js";

/** The choices of a select menu of any type. */
export function choices(c) {
  const defaults = new Set((c.default_values || []).map((each) => each.id));
  const choice = (id, label) => ({ value: id, label, default: defaults.has(id) });
  const people = () => guild().members.map((each) => choice(each.user.id, each.nick || nameOf(each.user)));
  const roles = () => guild().roles.map((each) => choice(each.id, each.name));
  switch (c.type) {
    case Component.TEXT_SELECT:
      return c.options;
    case Component.USER_SELECT:
      return people();
    case Component.ROLE_SELECT:
      return roles();
    case Component.MENTIONABLE_SELECT:
      return [...people(), ...roles()];
    default: {
      const wanted = (each) => !c.channel_types?.length || c.channel_types.includes(each.type);
      return channels()
        .filter((each) => each.name && wanted(each))
        .map((each) => choice(each.id, "#" + each.name));
    }
  }
}

export function menu(c, use) {
  const many = (c.max_values ?? 1) > 1;
  const all = choices(c);
  const chosen = all
    .filter((each) => each.default)
    .map((each) => each.label)
    .join(", ");
  const name = c.placeholder || "Make a selection";
  const opener = el(
    "button",
    {
      type: "button",
      class: "opener",
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      disabled: c.disabled,
      "data-key": c.custom_id,
      "aria-label": chosen ? `${name}: ${chosen}` : null,
    },
    el("span", { class: chosen ? null : "placeholder" }, chosen || name),
  );
  const list = el("ul", { role: "listbox", "aria-label": name, "aria-multiselectable": many ? "true" : null });
  const box = el("div", { class: "options", hidden: true }, list);
  const options = all.map((each) => option(each, `${c.custom_id} ${each.value}`));
  const picked = () =>
    options.filter((each) => each.getAttribute("aria-selected") === "true").map((each) => each.dataset.value);

  function show(open) {
    box.hidden = !open;
    opener.setAttribute("aria-expanded", open);
    if (!open) return;
    box.scrollIntoView({ block: "nearest" });
    (options.find((each) => each.getAttribute("aria-selected") === "true") || options[0])?.focus({
      preventScroll: true,
    });
  }

  async function send(values) {
    show(false);
    opener.focus();
    opener.setAttribute("aria-busy", "true");
    await use(c, values);
    opener.removeAttribute("aria-busy");
  }

  function pick(node) {
    if (!many) return send([node.dataset.value]);
    const on = node.getAttribute("aria-selected") !== "true";
    if (!on || picked().length < c.max_values) node.setAttribute("aria-selected", on);
    return null;
  }

  list.append(...options);
  list.addEventListener("click", (event) => {
    const node = event.target.closest("[role=option]");
    if (node) pick(node);
  });
  list.addEventListener("keydown", (event) => {
    const at = options.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
    if (to !== undefined) options[Math.max(0, Math.min(options.length - 1, to))].focus();
    else if (event.key === "Enter" || event.key === " ") pick(document.activeElement);
    else return;
    event.preventDefault();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    show(false);
    opener.focus();
  });
  if (many)
    box.append(
      el(
        "button",
        {
          type: "button",
          class: "press s1 done",
          "data-key": `${c.custom_id} done`,
          onclick: () => send(picked()),
        },
        "Done",
      ),
    );
  opener.addEventListener("click", () => show(box.hidden));
  opener.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    show(true);
  });
  return el("div", { class: "menu" }, opener, box);
}

function option(choice, key) {
  const words = [choice.emoji ? choice.emoji.name + " " : null, choice.label];
  const more = choice.description ? el("small", {}, choice.description) : null;
  const from = {
    role: "option",
    tabindex: "-1",
    "aria-selected": !!choice.default + "",
    "data-value": choice.value,
    "data-key": key,
  };
  return el("li", from, el("span", {}, words, more));
}
