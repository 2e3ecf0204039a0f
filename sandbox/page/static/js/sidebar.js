// The sidebar and the header: servers, channels, threads and members.
import { $, el, hidden } from "./dom.js";
import { Channel } from "./discord_constants.js";
import { channels, guild, here, isThread, nameOf, state, title } from "./state.js";

export function showSidebar() {
  $("guild").textContent = guild().name;
  $("guilds").replaceChildren(
    ...state.guilds.map((each) =>
      el(
        "li",
        {},
        el(
          "a",
          {
            href: "#" + (each.channels.find((one) => one.type === Channel.TEXT)?.id || ""),
            title: each.name,
            "aria-current": each === guild() ? "true" : null,
            "aria-label": `Server ${each.name}`,
          },
          each.name[0],
        ),
      ),
    ),
  );
  const texts = guild()
    .channels.filter((each) => each.type === Channel.TEXT)
    .map(withThreads);
  const direct = state.dms.map((each) => entry(each, "@"));
  $("channels").replaceChildren(...texts, ...direct);
  $("who").replaceChildren(
    ...state.about.people.map((each) =>
      el("option", { value: each.id, selected: each.id === state.user.id }, each.name),
    ),
  );
  showMembers();
}

function withThreads(place) {
  const item = entry(place, "#");
  const threads = guild().channels.filter((each) => each.parent_id === place.id && isThread(each));
  const old = threads.filter((each) => each.thread_metadata.archived);
  const live = threads.filter((each) => !each.thread_metadata.archived);
  if (live.length)
    item.append(
      el(
        "ul",
        { "aria-label": `Threads of ${place.name}` },
        live.map((each) => entry(each, "↳")),
      ),
    );
  if (old.length) {
    const inside = old.some((each) => each.id === state.here);
    const kept = document.getElementById(`old-${place.id}`)?.open;
    item.append(
      el(
        "details",
        { id: `old-${place.id}`, open: inside || kept },
        el("summary", {}, `Archived threads (${old.length})`),
        el(
          "ul",
          { "aria-label": `Archived threads of ${place.name}` },
          old.map((each) => entry(each, "↳")),
        ),
      ),
    );
  }
  return item;
}

function entry(place, sign) {
  const current = place.id === state.here;
  const unread = state.unread.has(place.id) && !current;
  return el(
    "li",
    {},
    el(
      "a",
      { href: "#" + place.id, "aria-current": current ? "page" : null, class: unread ? "unread" : null },
      el("span", { class: "sign", "aria-hidden": "true" }, sign),
      el("span", { class: "name" }, title(place)),
      unread ? hidden(" (unread)") : null,
    ),
  );
}

function showMembers() {
  const owner = guild().owner_id;
  $("members").replaceChildren(
    ...guild().members.map(({ user, nick }) =>
      el(
        "li",
        {},
        el("span", { class: "avatar" + (user.bot ? " bot" : ""), "aria-hidden": "true" }, nameOf(user)[0]),
        el(
          "span",
          {},
          nick || nameOf(user),
          user.bot ? el("span", { class: "tag" }, "APP") : null,
          el("small", {}, user.id === state.user.id ? "this is you" : user.id === owner ? "owns the server" : null),
        ),
      ),
    ),
  );
}

export function showHead() {
  const place = here();
  $("sign").textContent = isThread(place) ? "↳" : place.guild_id ? "#" : "@";
  $("place").textContent = title(place);
  const parent = isThread(place) && channels().find((each) => each.id === place.parent_id);
  $("up").hidden = !parent;
  if (parent)
    ($("up").replaceChildren(hidden("Back to "), `# ${parent.name}`),
      $("up").setAttribute("href", "#" + parent.id));
}
