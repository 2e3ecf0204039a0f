// The components of a message: buttons, menus and cards (Components V2).
import { file, picture } from "./attachments.js";
import { el, link } from "./dom.js";
import { markdown, spoiler } from "./markdown.js";
import { menu } from "./select_menus.js";
import { ButtonStyle, Component, isSelect, Spacing } from "./discord_constants.js";
import { names } from "./state.js";

export const colour = (number) => "#" + number.toString(16).padStart(6, "0");

/** Render components; `use(component, values)` resolves when the bot has responded. */
export function components(list, use) {
  return (list || []).map((each) => component(each, use));
}

function component(c, use) {
  if (isSelect(c)) return menu(c, use);
  switch (c.type) {
    case Component.ROW:
      return el("div", { class: "row" }, components(c.components, use));
    case Component.BUTTON:
      return button(c, use);
    case Component.SECTION:
      return el(
        "div",
        { class: "section" },
        el("div", {}, components(c.components, use)),
        component(c.accessory, use),
      );
    case Component.TEXT:
      return markdown(c.content, names);
    case Component.THUMBNAIL:
      return el("div", { class: "thumbnail" }, media(c));
    case Component.GALLERY:
      return el("div", { class: "gallery" }, c.items.map(media));
    case Component.FILE:
      return covered(
        c,
        file({ id: c.file.attachment_id, filename: c.name, size: c.size, content_type: c.file.content_type }),
      );
    case Component.SEPARATOR:
      return separator(c);
    case Component.CONTAINER:
      return container(c, use);
    default:
      return el("div", { class: "note" }, `(A component of type ${c.type}, which this page can't show.)`);
  }
}

function container(c, use) {
  const node = el("div", { class: "card", role: "group", "aria-label": "Card" }, components(c.components, use));
  if (c.accent_color != null) node.style.borderLeftColor = colour(c.accent_color);
  return covered(c, node);
}

function separator(c) {
  const wide = c.spacing === Spacing.LARGE ? " wide" : "";
  return c.divider === false ? el("div", { class: "gap" + wide }) : el("hr", { class: wide.trim() || null });
}

function media(item) {
  const { media: shown, description } = item;
  if (shown.attachment_id) return covered(item, picture(shown.attachment_id, description || "Picture"));
  return covered(item, link(shown.url, `🖼️ ${description || shown.url}`)); // the sandbox fetches nothing from the internet
}

const covered = (c, node) => (c.spoiler ? spoiler(node) : node);

function button(c, use) {
  const label = [c.emoji?.name, c.label].filter(Boolean).join(" ");
  if (c.style === ButtonStyle.LINK) {
    const node = link(c.url, [label, " ↗\uFE0E"]);
    node.className = "press";
    return node;
  }
  const from = { type: "button", class: `press s${c.style}`, disabled: c.disabled, "data-key": c.custom_id };
  const node = el("button", from, label);
  node.addEventListener("click", async () => {
    if (node.getAttribute("aria-busy") === "true") return;
    node.setAttribute("aria-busy", "true");
    await use(c);
    node.removeAttribute("aria-busy");
  });
  return node;
}
