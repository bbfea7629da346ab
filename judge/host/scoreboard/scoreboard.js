// Keeps the board of a page as the server has it. Without this script the page is complete,
// and as old as its last load.
"use strict";
(() => {
  const find = () => document.querySelector("section.scores[data-board]");
  const version = (board) => Number(board.dataset.version);
  let loading = null;
  let team = ""; // of the reader, whom the page does not know

  // load reloads the whole scoreboard, after a random delay so that many viewers do not at once. If that
  // fails, or the page may be older than the last change, it does so again. Pages of two servers cannot be
  // compared: after a second, each of them has the change.
  let wanted = 0; // version after the last change
  const has = (v) => v >= wanted && v < wanted + 64;
  function load(later = 0) {
    let before = 0;
    loading ??= new Promise((done) => setTimeout(done, later + Math.random() * 500))
      .then(() => { before = wanted; return fetch(location.href, { headers: { Accept: "text/html" } }); })
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
      .then((page) => {
        const fresh = new DOMParser().parseFromString(page, "text/html");
        for (const part of [".end .clock", "section.scores"]) {
          const now = fresh.querySelector(part);
          if (now) document.querySelector(part)?.replaceWith(document.adoptNode(now));
        }
        show();
        return !find() || has(version(find())) || (later > 0 && before === wanted);
      })
      .catch(() => false)
      .then((good) => { loading = null; if (!good) load(1000); });
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

  // show arranges what a viewer alone sees of the scoreboard.
  function show() {
    pin();
    fit();
  }

  // pin marks the row of the reader's team, or the one that the address names, and shows it a second
  // time above all.
  function pin() {
    const id = /^#t-./.test(location.hash) ? location.hash.slice(1) : team && "t-" + team;
    const own = id && document.getElementById(id);
    const head = find()?.querySelector("thead");
    head?.querySelector(".own")?.remove();
    for (const row of find()?.querySelectorAll("tr[aria-current]") ?? []) row.removeAttribute("aria-current");
    if (!own || !head || document.querySelector(".projector")) return;
    own.setAttribute("aria-current", "true");
    const copy = head.appendChild(own.cloneNode(true));
    copy.removeAttribute("id");
    copy.className = "own";
    copy.setAttribute("aria-hidden", "true");
  }

  // fit fills the picture of a projector: with letters as large as all rows allow, and from small
  // ones on with pages of rows, one after the other.
  let first = 0;
  function fit() {
    const stage = document.querySelector(".projector"), table = find()?.querySelector("table");
    if (!stage || !table) return;
    const said = stage.querySelector("[data-rows]"), end = stage.parentElement;
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) row.hidden = false;
    table.style.height = "";
    const room = () => innerHeight - scrollY - table.getBoundingClientRect().top - (end.getBoundingClientRect().bottom - table.getBoundingClientRect().bottom) - 2;
    const largest = (least, most, good) => {
      while (least < most) {
        const px = Math.ceil((least + most) / 2);
        table.style.fontSize = px + "px";
        if (good()) least = px; else most = px - 1;
      }
      table.style.fontSize = least + "px";
      return least;
    };
    const readable = Math.max(16, Math.round(innerHeight / 45));
    const wide = largest(10, Math.round(innerHeight / 16), () => table.offsetWidth <= table.parentElement.clientWidth);
    if (wide > readable) largest(readable, wide, () => table.offsetHeight <= room());
    const free = room();
    if (table.offsetHeight > free && rows.length) {
      const head = table.offsetHeight - table.tBodies[0].offsetHeight;
      const count = Math.max(1, Math.floor((free - head) / Math.max(...rows.map((row) => row.offsetHeight))));
      if (first >= rows.length) first = 0;
      rows.forEach((row, i) => { row.hidden = i < first || i >= first + count; });
      said.textContent = `Rows ${first + 1} to ${Math.min(first + count, rows.length)} of ${rows.length} ·`;
      stage.dataset.count = count;
    } else {
      first = 0;
      said.textContent = "";
      delete stage.dataset.count;
    }
    if (first + Number(stage.dataset.count ?? 0) <= rows.length) table.style.height = free + "px"; // not of a page that is half empty
  }
  function turn() {
    first += Number(document.querySelector(".projector").dataset.count ?? 0);
    fit();
  }

  function apply(patch) {
    const board = find();
    if (!board) return;
    wanted = patch.to;
    if (!patch.all && has(version(board))) return; // the page was loaded meanwhile
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
    show();
    board.dataset.version = patch.to;
  }

  const board = find();
  if (!board) return;
  show();
  window.addEventListener("hashchange", pin);
  if (document.querySelector(".projector")) {
    window.addEventListener("resize", fit);
    setInterval(turn, 12000);
  }
  // The page is the same for all readers: which row is theirs is asked for by each of them.
  const mine = document.querySelector("a[data-mine]");
  if (mine) {
    fetch(mine.href, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : {}))
      .then((own) => {
        team = own.team ?? "";
        mine.parentElement.hidden = !team;
        const clock = document.querySelector(".end time[data-left]");
        if (clock && own.ends && clock.dataset.after) clock.dateTime = own.ends;
        pin();
      })
      .catch(() => {}); // the link is there
  }
  const path = board.dataset.board + (board.dataset.board.includes("?") ? "&" : "?") + "version=" + version(board);
  const hear = (event, data) => { if (event === "board") apply(JSON.parse(data)); };
  if (typeof listen === "function") listen(path, hear); // the page has one connection for all
  else new EventSource(path).addEventListener("board", (e) => hear("board", e.data));
})();
