// What all tabs of a browser share: one connection, whatever they listen to.
const tabs = new Map(); // port to the streams of its tab
const want = connect((m) => {
  for (const [port, topics] of tabs) {
    if (topics.includes(m.topic)) { port.postMessage(m); }
  }
});
self.onconnect = (e) => {
  const port = e.ports[0];
  port.onmessage = (m) => {
    if (m.data.length) { tabs.set(port, m.data); } else { tabs.delete(port); }
    want([...tabs.values()].flat());
  };
};
