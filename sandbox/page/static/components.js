// Buttons, menus and cards (Components V2), and embeds.
import { el, markdown } from "./markdown.js";

const colour = (number) => number == null ? null : `border-left-color: #${number.toString(16).padStart(6, "0")}`;

export function components(list, act) {
  return (list || []).map((each) => component(each, act));
}

function component(c, act) {
  switch (c.type) {
    case 1: return el("div", { class: "row" }, components(c.components, act));
    case 2: return button(c, act);
    case 3: return menu(c, c.options, act);
    case 5: case 7: return menu(c, act.names.members().map((u) => ({ label: u.global_name || u.username, value: u.id })), act);
    case 9: return el("div", { class: "section" }, el("div", {}, components(c.components, act)), component(c.accessory, act));
    case 10: return markdown(c.content, act.names);
    case 11: return picture(c);
    case 12: return el("div", {}, c.items.map(picture));
    case 13: return el("a", { class: "file", href: `/attachment/${c.file.attachment_id}`, download: c.name }, `📄 ${c.name} (${c.size} bytes)`);
    case 14: return c.divider === false ? el("div") : el("hr");
    case 17: return el("div", { class: "card", role: "group", "aria-label": "Card", style: colour(c.accent_color) }, components(c.components, act));
    default: return el("div", { class: "note" }, `[component ${c.type}]`);
  }
}

function picture(c) {
  return el("img", { src: `/attachment/${c.media.attachment_id}`, alt: c.description || "" });
}

function button(c, act) {
  const label = [c.emoji?.name, c.label].filter(Boolean).join(" ");
  if (c.style === 5) return el("a", { class: "press", href: /^https?:/.test(c.url) ? c.url : null, target: "_blank", rel: "noreferrer noopener" }, label);
  const node = el("button", { type: "button", class: `press s${c.style}`, disabled: c.disabled, "data-key": c.custom_id }, label);
  node.addEventListener("click", async () => {
    node.setAttribute("aria-busy", "true");
    await act.press(c.custom_id);
    node.removeAttribute("aria-busy");
  });
  return node;
}

function menu(c, options, act) {
  const chosen = options.filter((each) => each.default).map((each) => each.label).join(", ");
  const name = c.placeholder || "Make a selection";
  const box = el("div", { class: "options", role: "group", "aria-label": name, hidden: true });
  const opener = el("button", { type: "button", "aria-expanded": "false", disabled: c.disabled, "data-key": c.custom_id, "aria-label": chosen ? `${name}: ${chosen}` : null }, chosen || name);
  const show = (open) => { box.hidden = !open; opener.setAttribute("aria-expanded", open); };
  opener.addEventListener("click", () => show(box.hidden));
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") { show(false); opener.focus(); } });
  const send = (values) => { show(false); opener.focus(); act.choose(c.custom_id, values); };
  const what = (o) => [o.emoji ? o.emoji.name + " " : null, o.label, o.description ? el("small", {}, o.description) : null];
  const key = (o) => `${c.custom_id} ${o.value}`;
  if ((c.max_values ?? 1) > 1) {
    const boxes = options.map((o) => el("input", { type: "checkbox", value: o.value, checked: o.default, "data-key": key(o) }));
    box.append(...options.map((o, i) => el("label", {}, boxes[i], " ", what(o))),
      el("button", { type: "button", class: "done", onclick: () => send(boxes.filter((b) => b.checked).map((b) => b.value)) }, "Done"));
  } else box.append(...options.map((o) => el("button", { type: "button", "data-key": key(o), "aria-pressed": o.default ? "true" : null, onclick: () => send([o.value]) }, what(o))));
  return el("div", { class: "menu" }, opener, box);
}

export function embed(e, names) {
  return el("div", { class: "embed", style: colour(e.color) }, e.title ? el("b", {}, e.title) : null, e.description ? markdown(e.description, names) : null,
    (e.fields || []).map((f) => el("div", {}, el("b", {}, f.name), markdown(f.value, names))), e.footer ? el("small", {}, e.footer.text) : null);
}
