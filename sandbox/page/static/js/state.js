// The page's state: the sandbox's data, and the state of this tab.
import { Permission } from "./discord_constants.js";

export const state = {
  user: null,
  about: null,
  guilds: [],
  dms: [],
  here: null,
  failed: new Set(),
  unread: new Set(),
  typing: new Map(),
};

export function loadSnapshot({ snapshot, about }) {
  Object.assign(state, { user: snapshot.user, guilds: snapshot.guilds, dms: snapshot.dms, about });
}

export const channels = () => [...state.guilds.flatMap((each) => each.channels), ...state.dms];
export const channel = (id) => channels().find((each) => each.id === id);
export const here = () => channel(state.here);
export const guild = () => state.guilds.find((each) => each.id === here()?.guild_id) || state.guilds[0];
export const nameOf = (user) => user.global_name || user.username;
export const isThread = (place) => !!place.thread_metadata;
export const title = (place) => place.name ?? place.recipients.map(nameOf).join(", ");
export const mayArchive = (place) => allowed(place, Permission.MANAGE_THREADS) || place.owner_id === state.user.id;
export const mayWrite = (place) =>
  !place.guild_id ||
  (place.thread_metadata?.locked
    ? allowed(place, Permission.MANAGE_THREADS)
    : allowed(place, isThread(place) ? Permission.SEND_IN_THREADS : Permission.SEND));

const allowed = (place, permission) => (BigInt(place.permissions) & permission) === permission;

export const names = {
  user(id) {
    const member = guild().members.find((each) => each.user.id === id);
    return member ? member.nick || nameOf(member.user) : "unknown-user";
  },
  role: (id) =>
    guild()
      .roles.find((each) => each.id === id)
      ?.name.replace(/^@/, "") || "unknown-role",
  channel: (id) => channel(id)?.name,
};

/** Store the latest state of a message; return whether the message is new. */
export function storeMessage(message) {
  const place = channel(message.channel_id);
  const at = place.messages.findIndex((each) => each.id === message.id);
  if (at >= 0) place.messages[at] = message;
  else place.messages.push(message);
  return at < 0;
}

export function removeMessage(channelId, messageId) {
  const place = channel(channelId);
  if (place) place.messages = place.messages.filter((each) => each.id !== messageId);
}

/** Store the latest state of a channel, without its messages, which have separate updates. */
export function storeChannel(fresh) {
  const home = state.guilds.find((each) => each.id === fresh.guild_id);
  const all = home ? home.channels : state.dms;
  const old = all.find((each) => each.id === fresh.id);
  if (old) Object.assign(old, fresh);
  else all.push({ messages: [], ...fresh });
}

export function removeChannel(id) {
  for (const each of state.guilds)
    each.channels = each.channels.filter((one) => one.id !== id && one.parent_id !== id);
}
