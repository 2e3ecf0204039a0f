// The embeds of a message.
import { picture } from "./attachments.js";
import { colour } from "./components.js";
import { el, link } from "./dom.js";
import { markdown } from "./markdown.js";
import { names } from "./state.js";
import { written } from "./timestamps.js";

export function embed(e, attachments) {
  const images = [e.thumbnail, e.image].filter(Boolean).map((each) => pictured(each.url, attachments));
  const node = el(
    "div",
    { class: "embed" },
    e.author ? el("div", { class: "author" }, titled(e.author.url, e.author.name)) : null,
    e.title ? el("div", { class: "title" }, titled(e.url, e.title)) : null,
    e.description ? markdown(e.description, names) : null,
    e.fields?.length ? el("div", { class: "fields" }, e.fields.map(field)) : null,
    images,
    e.footer || e.timestamp
      ? el(
          "small",
          {},
          e.footer?.text,
          e.footer && e.timestamp ? " • " : null,
          e.timestamp ? written(e.timestamp) : null,
        )
      : null,
  );
  if (e.color != null) node.style.borderLeftColor = colour(e.color);
  return node;
}

const titled = (url, text) => (url ? link(url, text) : text);

function field(f) {
  return el("div", { class: f.inline ? "inline" : null }, el("b", {}, f.name), markdown(f.value, names));
}

const isAt = (url) => (each) => url === each.url || url === `attachment://${each.filename}`;

/** Whether an embed shows a file, so that it isn't shown twice. */
export const embedded = (embeds, file) =>
  embeds.some((each) => [each.image, each.thumbnail].some((shown) => shown && isAt(shown.url)(file)));

function pictured(url, attachments) {
  const own = attachments.find(isAt(url));
  return own ? picture(own.id, own.filename) : link(url, "🖼️ " + url);
}
