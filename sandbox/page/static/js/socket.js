// The socket to the sandbox: sends requests, receives replies and updates, and reconnects automatically.

const AGAIN = 500;
const waiting = new Map();
let socket = null;
let number = 0;
let listener = null;

/** Connect as this tab's person; `receive` gets every update, `online` whether the socket is open. */
export function connect(receive, online) {
  listener = { receive, online };
  open();
}

/** Reconnect as another person. */
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
    const update = JSON.parse(data);
    if (update.reply) settle(update.reply, update);
    else if (mine === socket) listener.receive(update);
  };
  mine.onclose = () => {
    if (mine !== socket) return;
    for (const id of [...waiting.keys()]) settle(id, { error: "The connection to the sandbox was lost. Try again." });
    listener.online(false);
    setTimeout(() => mine === socket && open(), AGAIN);
  };
}

function settle(id, answer) {
  waiting.get(id)?.(answer);
  waiting.delete(id);
}

/** Send a request; the reply has `error`, `failed`, `modal` or the result. */
export function ask(what) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.resolve({ error: "Not connected to the sandbox." });
  const id = ++number;
  socket.send(JSON.stringify({ id, ...what }));
  return new Promise((done) => waiting.set(id, done));
}
