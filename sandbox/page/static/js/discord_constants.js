// Names for the numbers in Discord's API.

export const Component = {
  ROW: 1,
  BUTTON: 2,
  TEXT_SELECT: 3,
  TEXT_INPUT: 4,
  USER_SELECT: 5,
  ROLE_SELECT: 6,
  MENTIONABLE_SELECT: 7,
  CHANNEL_SELECT: 8,
  SECTION: 9,
  TEXT: 10,
  THUMBNAIL: 11,
  GALLERY: 12,
  FILE: 13,
  SEPARATOR: 14,
  CONTAINER: 17,
  LABEL: 18,
};

export const isSelect = (component) =>
  component.type === Component.TEXT_SELECT ||
  (component.type >= Component.USER_SELECT && component.type <= Component.CHANNEL_SELECT);

export const ButtonStyle = { LINK: 5 };
export const InputStyle = { PARAGRAPH: 2 };
export const Spacing = { LARGE: 2 };

export const Command = { CHAT: 1, MESSAGE_MENU: 3 };
export const Option = {
  SUB_COMMAND: 1,
  SUB_GROUP: 2,
  INTEGER: 4,
  BOOLEAN: 5,
  USER: 6,
  CHANNEL: 7,
  ROLE: 8,
  MENTIONABLE: 9,
  NUMBER: 10,
  FILE: 11,
};

export const Channel = { TEXT: 0 };
export const Message = { RENAMED: 4, PINNED: 6, THREAD_CREATED: 18, COMMAND: 20, STARTER: 21, CONTEXT_MENU: 23 };
export const Flag = { EPHEMERAL: 64, LOADING: 128 };
export const Permission = { SEND: 1n << 11n, MANAGE_THREADS: 1n << 34n, SEND_IN_THREADS: 1n << 38n };
