// Converts Discord's Markdown to DOM nodes. Common libraries don't support its dialect (spoilers, subtext, mentions,
// timestamps, significant line breaks). The rules and their order are those of Discord's client: at each position the
// first rule that matches wins. Code is coloured by highlight.js.
import { el, link } from "./dom.js";
import { moment } from "./timestamps.js";

// Rules for the start of a line; a quote can't contain another quote.
const QUOTED = [
  [
    /^(#{1,3}) +([^\n]+)\n?/,
    (m, n) => el("div", { role: "heading", "aria-level": 2, class: `h${m[1].length}` }, inline(m[2], n)),
  ],
  [/^-# +([^\n]+)\n?/, (m, n) => el("small", {}, inline(m[1], n))],
  [/^ *(?:[-*]|\d+\.) +[^\n]+(?:\n+ *(?:[-*]|\d+\.) +[^\n]+|\n {2,}[^\n]+)*\n?/, (m, n) => list(items(m[0]), n)],
];
const BLOCKS = [
  [/^>>> ([^]+)/, (m, n) => el("blockquote", {}, read(m[1], n, QUOTED))],
  [
    /^(?:> [^\n]*(?:\n|$))+/,
    (m, n) => el("blockquote", {}, read(m[0].replace(/\n$/, "").replace(/^> /gm, ""), n, QUOTED)),
  ],
  ...QUOTED,
];

const FENCE = /^```(?:([\w+.#-]+?)\n)?\n*([^\n][^]*?)\n*```\n?/;

// Rules for any position.
const INLINE = [
  [/^\\([^0-9A-Za-z\s])/, (m) => m[1]],
  [/^(`+)([^]*?[^`])\1(?!`)/, (m) => el("code", {}, m[2].replace(/^ (`[^]*`) $/, "$1"))],
  [/^\*\*((?:\\[^]|[^\\])+?)\*\*(?!\*)/, (m, n) => el("strong", {}, inline(m[1], n))],
  [/^__((?:\\[^]|[^\\])+?)__(?!_)/, (m, n) => el("u", {}, inline(m[1], n))],
  [
    /^\*(?=\S)((?:\*\*|\\[^]|\s+(?:\\[^]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
    (m, n) => el("em", {}, inline(m[1], n)),
  ],
  [/^_((?:__|\\[^]|[^\\_])+?)_(?!\w)/, (m, n) => el("em", {}, inline(m[1], n)), /\w/],
  [/^~~([^]+?)~~/, (m, n) => el("s", {}, inline(m[1], n))],
  [/^\|\|([^]+?)\|\|/, (m, n) => spoiler(inline(m[1], n))],
  [/^\[([^\]\n]+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/i, (m, n) => link(m[2], inline(m[1], n))],
  [/^<(https?:\/\/[^\s<>]+)>/i, (m) => link(m[1], m[1])],
  [/^https?:\/\/[^\s<]*[^\s<.,:;"')\]*_~|]/i, (m) => link(m[0], m[0])],
  [/^<@!?(\d+)>/, (m, n) => mention("@" + n.user(m[1]))],
  [/^<@&(\d+)>/, (m, n) => mention("@" + n.role(m[1]))],
  [/^@(?:everyone|here)\b/, (m) => mention(m[0])],
  [
    /^<#(\d+)>/,
    (m, n) =>
      n.channel(m[1])
        ? el("a", { class: "mention", href: "#" + m[1] }, "#" + n.channel(m[1]))
        : mention("#unknown"),
  ],
  [/^<\/([\w -]+):\d+>/, (m) => mention("/" + m[1])],
  [/^<t:(-?\d{1,13})(?::([tTdDfFsSR]))?>/, (m) => moment(Number(m[1]), m[2] || "f")],
  [/^<a?(:\w+:)\d+>/, (m) => m[1]],
];

/** Parse a whole text into a `div`. */
export function markdown(text, names) {
  return el("div", { class: "text" }, read(text, names, BLOCKS));
}

const inline = (text, names) => read(text, names, []);

function read(text, names, blocks) {
  const out = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const fresh = at === 0 || text[at - 1] === "\n";
    const [found, node] = first(rest, text[at - 1] ?? "", names, blocks, fresh);
    if (found === null) {
      plain += text[at++];
      continue;
    }
    // A block is on separate lines: the line break before it belongs to it.
    const nodes = [node].flat();
    if (nodes[0] instanceof HTMLElement && nodes[0].matches(BLOCKY)) plain = plain.replace(/\n$/, "");
    if (plain) out.push(plain);
    plain = "";
    out.push(...nodes);
    at += found.length;
  }
  return plain ? [...out, plain] : out;
}

const BLOCKY = "pre, blockquote, small, ul, ol, [role=heading]";

function first(rest, before, names, blocks, fresh) {
  const fence = rest.startsWith("```") && FENCE.exec(rest);
  if (fence) return [fence[0], code(fence[1], fence[2])];
  for (const [pattern, make] of fresh ? blocks : []) {
    const m = pattern.exec(rest);
    if (m) return [m[0], make(m, names)];
  }
  if (!/[\\`*_~|[<@hH]/.test(rest[0])) return [null, null];
  for (const [pattern, make, unless] of INLINE) {
    const m = pattern.exec(rest);
    if (m && !unless?.test(before)) return [m[0], make(m, names)];
  }
  return [null, null];
}

const mention = (text) => el("span", { class: "mention" }, text);

function code(language, body) {
  const node = el("code", {}, body);
  // highlight.js escapes its input; this is the only place that sets HTML.
  if (language && hljs.getLanguage(language))
    node.innerHTML = hljs.highlight(body, { language, ignoreIllegals: true }).value;
  return el("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, node);
}

/** Text that is hidden until it is clicked. */
export function spoiler(children) {
  const inner = el("span", { "aria-hidden": "true" }, children);
  const node = el("button", { type: "button", class: "spoiler", "aria-label": "Spoiler" }, inner);
  node.addEventListener("click", () => {
    const shown = el("span", { class: "spoiled", tabindex: "-1" }, ...inner.childNodes);
    node.replaceWith(shown);
    shown.focus();
  });
  return node;
}

function items(text) {
  const out = [];
  for (const line of text.split("\n")) {
    const m = /^( *)(?:[-*]|(\d+)\.) +(.*)$/.exec(line);
    if (m) out.push({ depth: m[1].length, number: m[2], text: m[3] });
    else if (line.trim() && out.length) out.at(-1).text += "\n" + line.trim();
  }
  return out;
}

/** Lists of one depth; a new list begins where bullets change to numbers or numbers to bullets. */
function list(all, names) {
  const out = [];
  let i = 0;
  while (i < all.length) {
    const { depth, number } = all[i];
    const node = el(number ? "ol" : "ul", number ? { start: number } : {});
    while (i < all.length && !all[i].number === !number) {
      const item = el("li", {}, inline(all[i++].text, names));
      const below = [];
      while (i < all.length && all[i].depth > depth) below.push(all[i++]);
      item.append(...list(below, names));
      node.append(item);
    }
    out.push(node);
  }
  return out;
}
