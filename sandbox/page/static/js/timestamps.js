// Times as Discord shows them, including `<t:…:R>`.
import { el } from "./dom.js";

const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};
const UNITS = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];
const LATEST = 8640000000000;

function relative(seconds) {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const away = seconds - Date.now() / 1000;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(away) >= each) || ["second", 1];
  return format.format(Math.round(away / length), unit);
}

export function moment(seconds, style) {
  if (Math.abs(seconds) > LATEST) return "Invalid Date";
  const date = new Date(seconds * 1000);
  const shown = style === "R" ? relative(seconds) : new Intl.DateTimeFormat("en", STYLES[style]).format(date);
  const exact = new Intl.DateTimeFormat("en", STYLES.F).format(date);
  const from = { datetime: date.toISOString(), title: exact, "data-relative": style === "R" ? seconds : null };
  return el("time", { class: "moment", ...from }, shown);
}

/** The time of a message, with the date if it is not today. */
export function written(stamp) {
  const date = new Date(stamp);
  const today = date.toDateString() === new Date().toDateString();
  const style = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return el(
    "time",
    { datetime: stamp, title: date.toLocaleString("en") },
    new Intl.DateTimeFormat("en", style).format(date),
  );
}

// Keep relative times up to date.
setInterval(() => {
  for (const each of document.querySelectorAll("[data-relative]"))
    each.textContent = relative(Number(each.dataset.relative));
}, 1000);
