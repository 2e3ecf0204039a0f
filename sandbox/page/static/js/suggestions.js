// A list of suggestions for a text field: commands, and a bot's autocomplete choices.
import { el } from "./dom.js";

/** Show suggestions in `box` while the user types in `field`; `find(text)` returns `{label, hint, take}` objects. */
export function suggest(field, box, find) {
  let offers = [];
  let at = 0;
  let asked = 0;

  function show(found) {
    offers = found;
    at = 0;
    box.hidden = !offers.length;
    box.replaceChildren(
      ...offers.map((each, i) =>
        el(
          "li",
          {
            role: "option",
            id: `${box.id}-${i}`,
            "aria-selected": "false",
            onmousedown: (event) => event.preventDefault(), // the field keeps the focus
            onclick: () => take(i),
          },
          el("b", {}, each.label),
          each.hint ? el("small", {}, each.hint) : null,
        ),
      ),
    );
    mark();
  }

  function mark() {
    [...box.children].forEach((each, i) => each.setAttribute("aria-selected", i === at));
    if (offers.length) field.setAttribute("aria-activedescendant", `${box.id}-${at}`);
    else field.removeAttribute("aria-activedescendant");
    box.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function take(i) {
    const offer = offers[i];
    show([]);
    offer.take();
  }

  async function look() {
    const mine = ++asked;
    const found = await find(field.value);
    if (mine === asked) show(found);
  }

  field.addEventListener("input", look);
  field.addEventListener("blur", () => {
    asked++;
    show([]);
  });
  field.addEventListener("keydown", (event) => {
    if (!offers.length || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at = (at + step + offers.length) % offers.length;
    else if (event.key === "Escape") show([]);
    else if ((event.key === "Tab" && !event.shiftKey) || event.key === "Enter") take(at);
    else return;
    mark();
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return {
    look,
    close: () => {
      asked++;
      show([]);
    },
  };
}
