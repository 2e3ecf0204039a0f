// The title of the browser's tab, with the number of unread channels.
import { guild, here, state, title } from "./state.js";

export function showTabTitle() {
  const unread = [...state.unread].filter((each) => each !== state.here).length;
  document.title = `${unread ? `(${unread}) ` : ""}${title(here())} · ${guild().name}`;
}
