'use strict';
// Where the server is, seen from this script: below a path behind some proxies.
const server = new URL('..', self.document ? document.currentScript.src : location.href);
// One connection for several streams of the server. Tell receives every event. What it
// returns says which streams are wanted now.
const connect = (tell) => {
  let source = null, timer = 0;
  const open = (topics) => {
    source?.close();
    source = null;
    if (!topics.length) { return; }
    const now = source = new EventSource(server.pathname + 'events?' + topics.map((t) => 't=' + encodeURIComponent(t)).join('&'));
    now.addEventListener('topic', (e) => tell(JSON.parse(e.data)));
    now.addEventListener('error', () => { // a browser tries again by itself, unless the answer was no stream
      if (now === source && now.readyState === EventSource.CLOSED) { timer = setTimeout(open, 5000, topics); }
    });
  };
  return (topics) => { clearTimeout(timer); timer = setTimeout(open, 50, [...new Set(topics)].slice(-32)); };
};
