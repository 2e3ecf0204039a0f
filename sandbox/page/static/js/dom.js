// Creates DOM elements. Text is only ever set as text, never as HTML, whoever wrote it.

export const $ = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((each) => each != null && each !== false && each !== ""));
  return node;
}

export const hidden = (text) => el("span", { class: "hidden" }, text);

export function link(address, children) {
  // Only web addresses: `javascript:` and the like stay text.
  if (!/^https?:\/\//i.test(address)) return el("span", {}, children);
  return el("a", { href: address, target: "_blank", rel: "noreferrer noopener" }, children);
}

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
