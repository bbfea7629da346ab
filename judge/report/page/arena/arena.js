'use strict';
(function () {
  const games = JSON.parse(document.getElementById('games').textContent);
  const at = id => document.getElementById(id);
  const bots = [...new Set(games.flatMap(g => g.bots))].sort();
  let shown = null; // the game
  let move = 0; // how many moves have been made
  let chips = new Map(); // the moves that the game ever allowed, where they are known
  let allowed = []; // at each point the set of allowed moves, null where it is not known
  let timer = 0;

  function element(kind, text, classes) {
    const e = document.createElement(kind);
    if (text !== undefined) e.textContent = text;
    if (classes) e.className = classes;
    return e;
  }

  // listings adds up what came and went.
  function listings(game) {
    let now = new Set();
    return game.points.map(p => {
      if (!p.listed) return null;
      now = new Set(now);
      for (const k of p.went || []) now.delete(game.known[k]);
      for (const k of p.came || []) now.add(game.known[k]);
      return now;
    });
  }

  // list fills the list of games with those of the bot that was chosen.
  function list() {
    const bot = at('bot').value;
    const of = games.filter(g => bot === '' || g.bots.includes(bot));
    at('game').replaceChildren(...of.map(g => {
      const mark = g.missed ? ' ??' : '';
      const option = element('option', g.title + ': ' + g.result + mark);
      option.value = g.id;
      return option;
    }));
    return of;
  }

  function open(game, to) {
    stop();
    shown = game;
    at('game').value = game.id;
    const players = at('players');
    players.replaceChildren(
      element('span', game.bots[0], 'seat1'), ' begins against ', element('span', game.bots[1], 'seat2'),
      game.start ? '; the game starts from ' + game.start : '');
    chips = new Map();
    const known = [...(game.known || [])];
    if (known.every(o => /^-?[0-9]+$/.test(o))) known.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    for (const o of known) chips.set(o, element('span', o, 'option'));
    allowed = listings(game);
    at('options').replaceChildren(...chips.values());
    at('moves').replaceChildren(...game.moves.map((m, i) => {
      const item = element('li');
      const button = element('button', m.text, (m.seat === 1 ? 'one' : 'two') + (m.lost ? ' missed' : ''));
      button.type = 'button';
      button.title = 'move ' + (i + 1) + ' of ' + game.bots[m.seat - 1] + (m.took ? ', ' + m.took : '') + (m.lost ? ', threw a won game away' : '');
      button.addEventListener('click', () => go(i + 1));
      item.append(button);
      return item;
    }));
    at('slider').max = game.moves.length;
    go(Math.min(Math.max(to, 0), game.moves.length));
  }

  function go(to) {
    move = to;
    const point = shown.points[move], before = move > 0 ? shown.points[move - 1] : null;
    const last = move > 0 ? shown.moves[move - 1] : null;
    at('slider').value = move;
    at('count').textContent = move + ' of ' + shown.moves.length;

    const state = at('state');
    state.replaceChildren();
    if (last) {
      state.append(element('span', shown.bots[last.seat - 1], 'seat' + last.seat), ' played ', element('strong', last.text));
      if (last.took) state.append(' in ' + last.took);
      if (last.lost) {
        const best = before.best && before.best.length ? '; right was ' + before.best.slice(0, 8).join(', ') : '';
        state.append(element('strong', ' and threw a won game away' + best, 'alarm'));
      }
      state.append('. ');
    }
    for (const text of [point.said, point.text, ...(point.notes || [])]) if (text) state.append(text + '. ');

    const listed = allowed[move], was = move > 0 && allowed[move - 1] || new Set(), best = new Set(point.best || []);
    const over = move === shown.moves.length && was.size > 0; // nothing is listed after the end
    for (const [text, chip] of chips) {
      const gone = (listed || over) && !(listed && listed.has(text));
      chip.className = 'option' + (gone ? ' gone' : '') + (gone && was.has(text) ? ' going' : '') +
        (best.has(text) ? ' best' : '') + (last && last.text === text ? ' made' : '');
      chip.hidden = !listed && !over;
      chip.title = gone ? text + ' is not allowed any more' : best.has(text) ? text + ' wins' : '';
    }
    [...at('moves').querySelectorAll('button')].forEach((b, i) => {
      if (i === move - 1) {
        b.setAttribute('aria-current', 'step');
        const box = at('moves'), top = b.offsetTop - box.offsetTop;
        if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - b.offsetHeight) box.scrollTop = top - box.clientHeight / 2;
      } else b.removeAttribute('aria-current');
    });
    const result = at('result');
    result.replaceChildren();
    if (move === shown.moves.length) {
      result.append(element('p', shown.result, 'box'));
      if (shown.fault) result.append(element('p', shown.fault.join('\n'), 'box fault faulty'));
    }
    if (location.hash.startsWith('#game=')) history.replaceState(null, '', address());
  }

  const address = () => '#game=' + shown.id + '&move=' + move;

  function step(by) {
    const to = move + by;
    if (to >= 0 && to <= shown.moves.length) go(to);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    at('play').setAttribute('aria-pressed', 'false');
  }

  function play() {
    if (timer) return stop();
    if (move === shown.moves.length) go(0);
    at('play').setAttribute('aria-pressed', 'true');
    timer = setInterval(() => {
      if (move >= shown.moves.length) stop(); else step(1);
    }, 900);
  }

  function another(by) {
    const select = at('game'), to = select.selectedIndex + by;
    if (to >= 0 && to < select.options.length) open(games.find(g => g.id === select.options[to].value), 0);
  }

  // follow opens what the address names: #game=1.2.3.1&move=4.
  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const game = games.find(g => g.id === wanted.get('game'));
    if (!game) return false;
    at('bot').value = '';
    list();
    open(game, parseInt(wanted.get('move') || '0', 10) || 0);
    at('replay').scrollIntoView();
    at('viewer').focus({ preventScroll: true });
    return true;
  }

  const keys = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => go(shown.moves.length),
    ' ': play, n: () => another(1), p: () => another(-1),
  };
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    const on = document.activeElement;
    const free = on === document.body || on === at('viewer');
    if (!free && !(at('viewer').contains(on) && on.tagName === 'BUTTON' && e.key !== ' ')) return;
    if (on === document.body && (e.key === 'Home' || e.key === 'End' || e.key === ' ')) return; // they scroll the page
    e.preventDefault();
    keys[e.key]();
  });
  at('first').addEventListener('click', () => go(0));
  at('back').addEventListener('click', () => step(-1));
  at('play').addEventListener('click', play);
  at('next').addEventListener('click', () => step(1));
  at('last').addEventListener('click', () => go(shown.moves.length));
  at('slider').addEventListener('input', e => go(parseInt(e.target.value, 10)));
  at('game').addEventListener('change', e => open(games.find(g => g.id === e.target.value), 0));
  at('bot').addEventListener('change', () => { const of = list(); if (of.length) open(of[0], 0); });
  window.addEventListener('hashchange', follow);

  for (const b of bots) at('bot').append(element('option', b));
  at('replay').hidden = false;
  list();
  if (!follow()) open(games[0], 0);
})();
