// What makes the pages live. Each of them works without it.

// Forms have times in the reader's zone, which only the browser knows.
document.cookie = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; samesite=lax; max-age=34560000`;

// listen hears a stream: all tabs of a browser share one connection where they can, and else each
// has one. What it returns ends that.
const listen = (() => {
  const heard = new Map();
  const tell = (m) => heard.get(m.topic)?.(m.event, m.data);
  const path = document.currentScript.dataset.worker;
  let want = null;
  const change = () => {
    if (!want && window.SharedWorker) {
      const port = new SharedWorker(path).port;
      port.onmessage = (m) => tell(m.data);
      want = (topics) => port.postMessage(topics);
    }
    want ??= connect(tell);
    want([...heard.keys()]);
  };
  window.addEventListener('pagehide', () => want?.([]));
  window.addEventListener('pageshow', (e) => { if (e.persisted) { change(); } });
  return (topic, hear) => {
    heard.set(topic, hear);
    change();
    return () => { heard.delete(topic); change(); };
  };
})();

// A judging: the server draws the part of the page that changes.
const live = document.querySelector('[data-events]');
if (live) {
  // A part that is drawn again as a whole is not read aloud again as a whole: only its state is.
  const status = document.createElement('p');
  status.className = 'said';
  status.setAttribute('role', 'status');
  live.before(status);
  const end = listen(live.dataset.events, (event, part) => {
    live.innerHTML = part;
    local(live);
    const state = live.querySelector('.said, .badge')?.textContent;
    if (state && state !== status.textContent && !live.hasAttribute('aria-live')) { status.textContent = state; }
    if (event !== 'end') { return; }
    end();
    const verdict = live.querySelector('.said, .badge');
    if (verdict) { document.title = verdict.textContent + ' · ' + document.title; }
  });
}

// The list of clarifications as the server drew it.
const list = document.querySelector('[data-clars]');
let drawn = list?.innerHTML;

// Times in the reader's zone. Near ones are relative, and show the exact time on hover and focus; a
// "date" is always exact.
const relative = (at) => {
  const s = (Date.now() - at) / 1000, of = Math.abs(s);
  if (!(of < 86400)) { return ''; }
  const words = of < 60 ? Math.floor(of) + ' s' : of < 3600 ? Math.floor(of / 60) + ' min' : Math.floor(of / 3600) + ' h';
  return s < 0 ? 'in ' + words : words + ' ago';
};
const local = (part) => {
  for (const t of part.querySelectorAll('time[data-local]')) {
    const at = new Date(t.dateTime), near = t.dataset.local === 'date' ? '' : relative(at);
    t.textContent = near || at.toLocaleString([], {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});
    t.title = at.toLocaleString();
    if (near) { t.tabIndex = 0; } else { t.removeAttribute('tabindex'); }
  }
};
local(document);
setInterval(() => local(document), 20000);
for (const z of document.querySelectorAll('[data-zone]')) {
  z.textContent = `All times are in ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
}

// Clarifications: how many wait to be read, and the list itself. Its first event asks for the list,
// too: something may have come after the page was drawn.
const news = document.querySelector('[data-news]');
if (news) {
  listen(news.dataset.news, async (event, part) => {
    news.innerHTML = part;
    if (!list) { return; }
    const answer = await fetch(location.href);
    if (!answer.ok || answer.redirected) { return; }
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    news.innerHTML = page.querySelector('[data-news]').innerHTML;
    const now = page.querySelector('[data-clars]').innerHTML;
    if (now === drawn) { return; }
    list.innerHTML = drawn = now;
    local(list);
  });
}
const began = Date.now();
let typed = false;
document.addEventListener('input', () => { typed = true; });
const words = (s) => {
  const two = (n) => String(n).padStart(2, '0');
  const d = Math.floor(s / 86400);
  return (d ? d + ' d ' : '') + Math.floor(s / 3600) % 24 + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60);
};
const tick = () => {
  for (const t of document.querySelectorAll('time[data-left]')) {
    const left = Math.ceil((new Date(t.dateTime) - Date.now()) / 1000);
    t.textContent = t.dataset.before + words(Math.max(left, 0)) + t.dataset.after;
    // At the start and at the end the page is another one. What was typed stays, and a scoreboard
    // follows its own stream.
    if (left === 0 && Date.now() - began > 5000 && !typed && !document.querySelector('section.scores')) {
      location.reload();
    }
  }
};
tick();
setInterval(tick, 1000);

// Each code block of a text gets a button to copy it.
for (const pre of document.querySelectorAll('[data-copies] pre')) {
  const around = document.createElement('div');
  const b = document.createElement('button');
  b.type = 'button';
  b.textContent = 'Copy';
  b.hidden = true;
  b.dataset.copy = '';
  pre.tabIndex = 0;
  pre.replaceWith(around);
  around.append(pre, b);
}

// Samples are copied where browsers allow it: over HTTPS, and on the server's own machine.
for (const b of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) { break; }
  b.hidden = false;
  b.addEventListener('click', async () => {
    await navigator.clipboard.writeText(b.closest('div').querySelector('pre').textContent);
    b.textContent = 'Copied';
    setTimeout(() => { b.textContent = 'Copy'; }, 1500);
  });
}

// The counted length of an answer: without the ends of lines around it.
const counted = document.querySelector('[data-count]');
if (counted) {
  const shown = document.getElementById(counted.dataset.count);
  const count = () => {
    const code = counted.value.replace(/^\n+|\n+$/g, '');
    shown.firstChild.textContent = new TextEncoder().encode(code).length;
    shown.lastChild.textContent = ' bytes in UTF-8, ' + [...code].length + ' characters';
  };
  shown.hidden = false;
  counted.addEventListener('input', count);
  count();
}

// The language by the file's name; a file that is dropped anywhere on the form.
const form = document.querySelector('form[data-submit]');
if (form) {
  const file = form.elements.file, language = form.elements.language;
  const claims = (ending) => [...language.options].find((o) => ending && (o.dataset.ext || '').split(' ').includes(ending));
  file.addEventListener('change', () => {
    const name = file.files.length === 1 ? file.files[0].name : '';
    const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
    const option = claims(ending) || claims(ending.toLowerCase());
    language.value = option ? option.value : '';
    const bytes = [...file.files].reduce((n, f) => n + f.size, 0);
    form.querySelector('[data-size]').textContent = file.files.length ? bytes + ' bytes chosen' : '';
  });
  // Entered code selects its language by words that only programs in this language have.
  const hint = document.getElementById(language.dataset.detect);
  let chosen = language.value !== '';
  language.addEventListener('change', () => { chosen = true; if (hint) { hint.hidden = true; } });
  if (hint) {
    const signs = [
      ['cpp', /^\s*#\s*include\b/m], ['java', /\bstatic\s+void\s+main\b/], ['cs', /^\s*using\s+System\b/m], ['kt', /^\s*fun\s+main\b/m],
      ['go', /^package\s+main\b/m], ['rs', /\bfn\s+main\s*\(/], ['js', /\b(console\.log|require)\(/],
      ['hs', /^main\s*(::|=)/m],
      ['py', /\binput\(\)|^from \w+ import\b|^import (sys|math|collections|heapq|itertools|re)\b|^\s*def .*:\s*$/m],
    ];
    form.elements.text.addEventListener('input', (e) => {
      if (chosen || file.files.length) { return; }
      const option = claims(signs.find(([, sign]) => sign.test(e.target.value))?.[0]);
      language.value = option ? option.value : '';
      hint.hidden = !option;
    });
  }
  form.addEventListener('dragover', (e) => e.preventDefault());
  form.addEventListener('drop', (e) => {
    e.preventDefault();
    if (e.dataTransfer.files.length) { file.files = e.dataTransfer.files; file.dispatchEvent(new Event('change')); }
  });
  form.addEventListener('submit', () => { setTimeout(() => { form.querySelector('button').disabled = true; }); });
}

// Several files that were chosen are listed with their sizes.
const many = document.querySelector('[data-files]');
many?.addEventListener('change', () => {
  const shown = document.getElementById(many.dataset.files);
  shown.replaceChildren(...[...many.files].map((f) => {
    const one = document.createElement('li');
    one.textContent = f.name + ', ' + f.size + ' bytes';
    return one;
  }));
  shown.hidden = !many.files.length;
});

// Tables with data-sort are sorted by the column whose heading is selected. The order stays when
// the table is drawn again.
const orders = [];
const sortTable = (table, {column, down}) => {
  const body = table.tBodies[0], value = (row) => row.cells[column].querySelector('time')?.dateTime ?? row.cells[column].textContent.trim();
  const compare = new Intl.Collator([], {numeric: true}).compare;
  body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * compare(value(a), value(b))));
  [...table.tHead.rows[0].cells].forEach((th, i) => {
    if (i === column) { th.setAttribute('aria-sort', down ? 'descending' : 'ascending'); } else { th.removeAttribute('aria-sort'); }
  });
};
const sortable = (focused = null) => {
  document.querySelectorAll('table[data-sort]').forEach((table, n) => {
    [...table.tHead.rows[0].cells].forEach((th, column) => {
      if (th.querySelector('[data-order]') || !th.textContent.trim() || th.querySelector('.said')) { return; }
      const b = document.createElement('button');
      b.type = 'button';
      b.className = 'plain';
      b.dataset.order = n + ' ' + column;
      b.append(...th.childNodes);
      th.append(b);
      b.addEventListener('click', () => {
        orders[n] = {column, down: orders[n]?.column === column && !orders[n].down};
        sortTable(table, orders[n]);
      });
      if (b.dataset.order === focused) { b.focus({preventScroll: true}); }
    });
    if (orders[n]) { sortTable(table, orders[n]); }
  });
};
sortable();

// Parts of a page that change: they are asked for again while the page is seen, while no menu in them
// is open, and while they are not paused.
let paused = false;
const pause = document.querySelector('[data-pause]');
pause?.addEventListener('click', () => {
  paused = !paused;
  pause.textContent = paused ? 'Resume' : 'Pause';
  marks();
});
// A part says after how many seconds; one without a number has ended.
const parts = [...document.querySelectorAll('[data-reload]')].map((part) => ({part, old: part.innerHTML}));
const seconds = () => Math.min(...parts.map(({part}) => part.dataset.reload || Infinity));
const marks = () => {
  for (const e of document.querySelectorAll('[data-live]')) { e.hidden = paused || seconds() === Infinity; }
};
const reload = async () => {
  const focused = document.activeElement?.dataset.order;
  const free = ({part}) => !part.querySelector('details[open]') && (focused || !part.contains(document.activeElement));
  if (!paused && !document.hidden && parts.some(free)) {
    const answer = await fetch(location.href).catch(() => null);
    const page = answer?.ok && !answer.redirected ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
    const fresh = page && !paused ? page.querySelectorAll('[data-reload]') : [];
    parts.forEach((one, i) => {
      if (!fresh[i] || !free(one)) { return; }
      one.part.dataset.reload = fresh[i].dataset.reload;
      if (fresh[i].innerHTML === one.old) { return; }
      one.part.innerHTML = one.old = fresh[i].innerHTML;
      local(one.part);
    });
    sortable(focused);
    marks();
  }
  if (seconds() < Infinity) { setTimeout(reload, 1000 * seconds()); }
};
if (seconds() < Infinity) {
  marks();
  if (pause) { pause.hidden = false; }
  setTimeout(reload, 1000 * seconds());
}

// Saved texts fill a field, where they can be changed before they are sent.
for (const list of document.querySelectorAll('select[data-fill]')) {
  const field = document.getElementById(list.dataset.fill), chips = document.createElement('div');
  chips.className = 'filters';
  chips.setAttribute('role', 'group');
  chips.setAttribute('aria-label', list.labels[0].textContent);
  for (const o of [...list.options].filter((o) => o.value)) {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'filter';
    b.textContent = o.textContent;
    b.addEventListener('click', () => { field.value = o.value; field.focus(); });
    chips.append(b);
  }
  document.getElementById(list.getAttribute('aria-describedby')).textContent = 'Start from a saved reply, then edit it.';
  list.before(chips);
  list.hidden = true;
}

// Ctrl+Enter in a text submits its form.
document.addEventListener('keydown', (e) => {
  if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && e.target.matches('textarea')) { e.target.form?.requestSubmit(); }
});

// Buttons that print the page.
for (const b of document.querySelectorAll('[data-print]')) {
  b.hidden = false;
  b.addEventListener('click', () => print());
}
