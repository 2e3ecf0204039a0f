// The line to the sandbox: questions with answers, and news without asking. It comes back by itself.

const AGAIN = 500;
const waiting = new Map();
let socket = null;
let number = 0;
let listener = null;

/** Speak as the person of this tab; `hear` gets all news, `online` is told when the line comes and goes. */
export function connect(hear, online) {
  listener = { hear, online };
  open();
}

/** Begin anew, as somebody else. */
export function reconnect() {
  const old = socket;
  open();
  old?.close();
}

function open() {
  const address = new URL("socket", location.href);
  address.protocol = "ws:";
  address.hash = "";
  address.search = new URLSearchParams({ as: sessionStorage.getItem("who") || "" });
  const mine = new WebSocket(address);
  socket = mine;
  mine.onopen = () => mine === socket && listener.online(true);
  mine.onmessage = ({ data }) => {
    const news = JSON.parse(data);
    if (news.reply) settle(news.reply, news);
    else if (mine === socket) listener.hear(news);
  };
  mine.onclose = () => {
    if (mine !== socket) return;
    for (const id of [...waiting.keys()]) settle(id, { error: "The line to the sandbox broke. Try again." });
    listener.online(false);
    setTimeout(() => mine === socket && open(), AGAIN);
  };
}

function settle(id, answer) {
  waiting.get(id)?.(answer);
  waiting.delete(id);
}

/** Ask for something to be done; the answer holds `error`, `failed`, `modal` or what was asked for. */
export function ask(what) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.resolve({ error: "Not connected to the sandbox." });
  const id = ++number;
  socket.send(JSON.stringify({ id, ...what }));
  return new Promise((done) => waiting.set(id, done));
}
