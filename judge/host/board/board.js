// Keeps the board of a page as the server has it. Without this script the page is complete,
// and as old as its last load.
"use strict";
(() => {
  const find = () => document.querySelector("section.scores[data-board]");
  const version = (board) => Number(board.dataset.version);
  let loading = null;

  // load takes the whole board again; many who look at it do so not all at once.
  function load() {
    loading ??= new Promise((done) => setTimeout(done, Math.random() * 500))
      .then(() => fetch(location.href, { headers: { Accept: "text/html" } }))
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
      .then((page) => {
        const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("section.scores");
        if (fresh) find()?.replaceWith(document.adoptNode(fresh));
        pin();
      })
      .catch(() => {}) // the next change, or the next connection, tries again
      .finally(() => { loading = null; });
  }

  // rank numbers the rows: who is tied has the rank of the row above.
  function rank(body) {
    let count = 0, rank = 0;
    for (const row of body.rows) {
      if (row.dataset.rank === "none") continue;
      count++;
      if (row.dataset.rank !== "tied") rank = count;
      row.cells[0].textContent = rank;
    }
  }

  // pin shows the row that the address names, which is the own one, a second time above all.
  function pin() {
    const own = /^#t-./.test(location.hash) && document.getElementById(location.hash.slice(1));
    const head = find()?.querySelector("thead");
    head?.querySelector(".own")?.remove();
    if (!own || !head) return;
    const copy = head.appendChild(own.cloneNode(true));
    copy.removeAttribute("id");
    copy.className = "own";
    copy.setAttribute("aria-hidden", "true");
  }

  function apply(patch) {
    const board = find();
    if (!board) return;
    const behind = version(board) - patch.to; // of a page that was loaded meanwhile
    if (!patch.all && behind >= 0 && behind < 64) return;
    if (patch.all || patch.from !== version(board) || "group" in board.dataset) return load();
    const body = board.querySelector("tbody");
    const rows = patch.rows ?? [];
    for (const id of [...(patch.gone ?? []), ...rows.map((row) => row.id)]) document.getElementById("t-" + id)?.remove();
    const made = document.createElement("template");
    for (const row of rows) {
      made.innerHTML = row.html;
      body.insertBefore(made.content.firstElementChild, body.rows[row.at] ?? null);
    }
    if (patch.sums) {
      made.innerHTML = patch.sums;
      document.getElementById("sums").replaceWith(made.content.firstElementChild);
    }
    rank(body);
    pin();
    board.dataset.version = patch.to;
  }

  const board = find();
  if (!board) return;
  pin();
  window.addEventListener("hashchange", pin);
  const path = board.dataset.board + (board.dataset.board.includes("?") ? "&" : "?") + "version=" + version(board);
  const hear = (event, data) => { if (event === "board") apply(JSON.parse(data)); };
  if (typeof listen === "function") listen(path, hear); // the page has one connection for all
  else new EventSource(path).addEventListener("board", (e) => hear("board", e.data));
})();
