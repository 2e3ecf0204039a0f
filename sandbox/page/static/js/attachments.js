// The files of a message: shows pictures, and lets people read or save other files.
import { el, hidden, size } from "./dom.js";

const SHOWN = /^image\/(png|jpeg|gif|webp)$/;
const READABLE = /^(text\/|application\/(json|xml|x-sh|x-python|javascript|toml|yaml))/;
const READABLE_NAME = /\.(txt|md|log|diff|patch|json|ya?ml|toml|py|js|ts|rs|go|c|h|sh|css|html|csv)$/i;
const READABLE_SIZE = 512 * 1024;

const address = (id) => `attachment/${id}`;

export function attachment(a) {
  return SHOWN.test(a.content_type) ? picture(a.id, a.description || a.filename) : file(a);
}

export function picture(id, description) {
  return el(
    "a",
    { class: "picture", href: address(id), target: "_blank" },
    el("img", { src: address(id), alt: description }),
  );
}

export function file(a) {
  const readable =
    (READABLE.test(a.content_type || "") || READABLE_NAME.test(a.filename)) && a.size <= READABLE_SIZE;
  const box = el(
    "div",
    { class: "file" },
    el("span", { "aria-hidden": "true" }, "📄"),
    el(
      "span",
      { class: "about" },
      el("a", { href: address(a.id), download: a.filename }, a.filename),
      el("small", {}, size(a.size)),
    ),
  );
  if (readable) box.append(reader(a, box));
  return box;
}

function reader(a, box) {
  const word = el("span", {}, "Show");
  const opener = el(
    "button",
    { type: "button", class: "press small", "aria-expanded": "false", "data-key": `show ${a.id}` },
    word,
    hidden(` ${a.filename}`),
  );
  opener.addEventListener("click", async () => {
    const shown = box.querySelector("pre");
    opener.setAttribute("aria-expanded", !shown);
    word.textContent = shown ? "Show" : "Hide";
    if (shown) return shown.remove();
    const text = await (await fetch(address(a.id))).text();
    return box.append(el("pre", { tabindex: "0", role: "group", "aria-label": a.filename }, el("code", {}, text)));
  });
  return opener;
}
