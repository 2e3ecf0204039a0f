// Discord's markdown as DOM nodes. It is its own dialect (spoilers, subtext, mentions, times, line breaks that
// count), which the common libraries do not speak; code is coloured by highlight.js.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((each) => each != null && each !== false));
  return node;
}

const INLINE = [
  [/^\\([\\`*_~|<>#\-[\]():.!])/, (m) => m[1]],
  [/^(`+)([^]*?[^`])\1(?!`)/, (m) => el("code", {}, m[2].replace(/^ (.*) $/, "$1"))],
  [/^\*\*\*([^]+?)\*\*\*/, (m, n) => el("strong", {}, el("em", {}, inline(m[1], n)))],
  [/^\*\*([^]+?)\*\*(?!\*)/, (m, n) => el("strong", {}, inline(m[1], n))],
  [/^__([^]+?)__(?!_)/, (m, n) => el("u", {}, inline(m[1], n))],
  [/^\*(?=\S)([^*]*?[^*\s])\*(?!\*)/, (m, n) => el("em", {}, inline(m[1], n))],
  [/^_(?=\S)([^_]*?[^_\s])_(?![\w_])/, (m, n) => el("em", {}, inline(m[1], n))],
  [/^~~([^]+?)~~/, (m, n) => el("s", {}, inline(m[1], n))],
  [/^\|\|([^]+?)\|\|/, (m, n) => spoiler(inline(m[1], n))],
  [/^\[([^\]]+)\]\(<?(https?:\/\/[^\s)>]+)>?\)/, (m, n) => link(m[2], inline(m[1], n))],
  [/^<(https?:\/\/[^\s>]+)>/, (m) => link(m[1], [m[1]])],
  [/^https?:\/\/[^\s<]*[^\s<.,:;"')\]]/, (m) => link(m[0], [m[0]])],
  [/^<@!?(\d+)>/, (m, n) => el("span", { class: "mention" }, "@" + n.user(m[1]))],
  [/^<@&(\d+)>/, (m, n) => el("span", { class: "mention" }, "@" + n.role(m[1]))],
  [/^<#(\d+)>/, (m, n) => el("button", { type: "button", class: "mention", onclick: () => n.open(m[1]) }, "#" + n.channel(m[1]))],
  [/^<t:(-?\d+)(?::([tTdDfFR]))?>/, (m) => moment(Number(m[1]), m[2] || "f")],
];

function link(address, children) {
  return el("a", { href: address, target: "_blank", rel: "noreferrer noopener" }, children);
}

function spoiler(children) {
  const node = el("button", { type: "button", class: "spoiler", "aria-label": "Spoiler", "aria-pressed": "false" }, el("span", {}, children));
  node.addEventListener("click", () => { node.setAttribute("aria-pressed", "true"); node.removeAttribute("aria-label"); });
  return node;
}

export function relative(seconds, now = Date.now() / 1000) {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const away = seconds - now;
  for (const [unit, size] of [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(away) >= size) return format.format(Math.round(away / size), unit);
  }
  return format.format(Math.round(away), "second");
}

function moment(seconds, style) {
  const date = new Date(seconds * 1000);
  const styles = { t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" }, f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" } };
  const text = style === "R" ? relative(seconds) : new Intl.DateTimeFormat(undefined, styles[style]).format(date);
  return el("time", { datetime: date.toISOString(), title: date.toLocaleString(), "data-relative": style === "R" ? seconds : null }, text);
}

export function inline(text, names) {
  const out = [];
  let plain = "";
  const flush = () => { if (plain) { out.push(plain); plain = ""; } };
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    let hit = null;
    if (/[\\`*_~|[<h]/.test(rest[0])) {
      for (const [pattern, make] of INLINE) {
        const m = pattern.exec(rest);
        if (m && !(rest[0] === "_" && at > 0 && /\w/.test(text[at - 1]))) { hit = [m, make]; break; }
      }
    }
    if (hit) { flush(); out.push(hit[1](hit[0], names)); at += hit[0][0].length; }
    else if (text[at] === "\n") { flush(); out.push(el("br")); at += 1; }
    else { plain += text[at]; at += 1; }
  }
  flush();
  return out;
}

function code(language, body) {
  const node = el("code", { class: "hljs" }, body);
  const known = language && window.hljs && hljs.getLanguage(language);
  if (known) node.innerHTML = hljs.highlight(body, { language, ignoreIllegals: true }).value; // it escapes what it is given
  return el("pre", { tabindex: "0", role: "region", "aria-label": "Code" }, node);
}

export function markdown(text, names) {
  const out = el("div", { class: "text" });
  const fence = /```(?:([\w+#.-]*)\n)?([^]*?)```/g;
  let last = 0;
  for (let m; (m = fence.exec(text));) {
    out.append(...blocks(text.slice(last, m.index).replace(/\n$/, ""), names), code(m[1], m[2].replace(/\n$/, "")));
    last = fence.lastIndex;
    if (text[last] === "\n") last += 1;
  }
  out.append(...blocks(text.slice(last), names));
  return out;
}

const ITEM = /^(\s*)(?:[-*]|(\d+)\.) (.*)$/;

function blocks(text, names) {
  const out = [];
  let paragraph = [];
  const flush = () => { if (paragraph.length) { out.push(el("div", {}, inline(paragraph.join("\n"), names))); paragraph = []; } };
  const lines = text === "" ? [] : text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    let m;
    if ((m = /^(#{1,3}) +(.+)$/.exec(line))) { flush(); out.push(el("h" + (m[1].length + 2), {}, inline(m[2], names))); }
    else if ((m = /^-# +(.+)$/.exec(line))) { flush(); out.push(el("small", {}, inline(m[1], names))); }
    else if (line.startsWith(">>> ")) { flush(); out.push(el("blockquote", {}, blocks(lines.slice(i).join("\n").slice(4), names))); break; }
    else if (/^> /.test(line)) {
      flush();
      const quoted = [];
      while (i < lines.length && /^> /.test(lines[i])) quoted.push(lines[i++].slice(2));
      i -= 1;
      out.push(el("blockquote", {}, blocks(quoted.join("\n"), names)));
    } else if (ITEM.test(line)) {
      flush();
      const items = [];
      while (i < lines.length && (m = ITEM.exec(lines[i]))) { items.push({ depth: m[1].length, number: m[2], text: m[3] }); i += 1; }
      i -= 1;
      out.push(...list(items, names));
    } else paragraph.push(line);
  }
  flush();
  return out;
}

function list(items, names) {
  const out = [];
  for (let i = 0; i < items.length;) {
    const { depth, number } = items[i];
    const node = el(number ? "ol" : "ul", number ? { start: number } : {});
    while (i < items.length && !!items[i].number === !!number && items[i].depth <= depth) {
      const item = el("li", {}, inline(items[i++].text, names));
      const inner = [];
      while (i < items.length && items[i].depth > depth) inner.push(items[i++]);
      item.append(...list(inner, names));
      node.append(item);
    }
    out.push(node);
  }
  return out;
}
