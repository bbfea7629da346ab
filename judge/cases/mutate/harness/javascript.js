// The harness of programs in JavaScript with mutants: it answers requests on standard
// input by runs of the program in this process. A run is over when nothing is left to do,
// as the program itself would end then. Steps are counted in loops.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const { Module } = require("module");
const { Readable, Writable } = require("stream");

const table = JSON.parse(fs.readFileSync(path.join(__dirname, "mutants.json"), "utf8"));
const base = Buffer.from(table.text, "base64");
const changes = new Map(table.mutants.map((m) => [m.id, m]));
const file = path.join(__dirname, table.name);
// source is the text of a mutant, with a step in each loop that it leaves as it was.
const source = (mutant) => {
  const m = changes.get(mutant) || { start: 0, end: 0, after: "" };
  const parts = [];
  let at = 0;
  const copy = (to) => { parts.push(base.subarray(at, Math.max(at, to))); at = Math.max(at, to); };
  const change = () => { copy(m.start); parts.push(Buffer.from(m.after)); at = m.end; };
  let changed = mutant === 0;
  for (const step of table.steps) {
    if (!changed && step.at > m.start && step.at < m.end) continue;
    if (!changed && step.at >= m.end) {
      change();
      changed = true;
    }
    copy(step.at);
    parts.push(Buffer.from(step.text));
  }
  if (!changed) change();
  copy(base.length);
  return Buffer.concat(parts).toString().replace(/^#!.*/, "");
};

// Requests are read and answers written at once, so that nothing of the harness waits in
// the loop of events.
function readFully(size) {
  const data = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    let n = 0;
    try {
      n = fs.readSync(0, data, at, size - at);
    } catch (e) {
      if (e.code === "EAGAIN" || e.code === "EINTR") continue;
      throw e;
    }
    if (n === 0) process.reallyExit(0);
    at += n;
  }
  return data;
}
const number = () => readFully(4).readUInt32LE();

let reply = [];
function put(...numbers) {
  for (const n of numbers) {
    const b = Buffer.alloc(4);
    b.writeUInt32LE(n >>> 0);
    reply.push(b);
  }
}
function flush() {
  const data = Buffer.concat(reply);
  reply = [];
  for (let at = 0; at < data.length; ) {
    try {
      at += fs.writeSync(1, data, at);
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
    }
  }
}

class Leave extends Error {} // ends a run, whatever the program catches

let now = null; // the run that goes on

class Run {
  constructor(input, fuel, most) {
    Object.assign(this, { input, fuel, most, at: 0, out: [], size: 0, status: "S", code: 0, text: "", over: false });
  }
  end(status, code, text) {
    if (this.over) return;
    this.over = true;
    Object.assign(this, { status, code, text });
  }
  write(data, encoding) {
    if (this.over) return;
    const b = typeof data === "string" ? Buffer.from(data, typeof encoding === "string" ? encoding : "utf8") : Buffer.from(data);
    this.out.push(b);
    this.size += b.length;
    if (this.size > this.most) {
      this.end("F", 0, "");
      throw new Leave();
    }
  }
  leave(code) {
    this.end(code ? "X" : "S", code >>> 0 & 255, "");
    throw new Leave();
  }
}

const step = () => {
  if (--now.fuel < 0) {
    now.end("F", 0, "");
    throw new Leave();
  }
  return true;
};

const standardInput = (f) => f === 0 || f === "/dev/stdin" || f === "/proc/self/fd/0";
const standardOutput = (f) => f === 1 || f === "/dev/stdout";

// around is what a run sees of the world: its own input and output.
function around(run) {
  const files = Object.assign(Object.create(fs), {
    readFileSync(f, options) {
      if (!standardInput(f)) return fs.readFileSync(f, options);
      const data = run.input.subarray(run.at);
      run.at = run.input.length;
      const encoding = typeof options === "string" ? options : options && options.encoding;
      return encoding ? data.toString(encoding) : Buffer.from(data);
    },
    readSync(f, buffer, offset, length, position) {
      if (!standardInput(f)) return fs.readSync(f, buffer, offset, length, position);
      if (offset !== null && typeof offset === "object") ({ offset, length } = offset);
      offset = offset || 0;
      const from = run.at, to = Math.min(run.input.length, from + (length === undefined ? buffer.byteLength - offset : length));
      Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(run.input.subarray(from, to), offset);
      run.at = to;
      return to - from;
    },
    readFile(f, options, done) {
      if (typeof options === "function") [options, done] = [undefined, options];
      if (!standardInput(f)) return fs.readFile(f, options, done);
      setImmediate(() => done(null, files.readFileSync(0, options)));
    },
    fstatSync: (f, ...more) => (standardInput(f) ? { size: run.input.length, isFile: () => false } : fs.fstatSync(f, ...more)),
    openSync: (f, ...more) => (standardInput(f) ? 0 : standardOutput(f) ? 1 : fs.openSync(f, ...more)),
    closeSync: (f) => f < 3 || fs.closeSync(f),
    createReadStream: (f, options) => (standardInput(f) || options && options.fd === 0 ? stdin() : fs.createReadStream(f, options)),
    writeSync(f, data, ...more) {
      if (f === 2) return data.length;
      if (f !== 1) return fs.writeSync(f, data, ...more);
      run.write(data, more[1]);
      return Buffer.byteLength(data);
    },
    writeFileSync: (f, data, ...more) => (f === 2 ? undefined : standardOutput(f) ? run.write(data) : fs.writeFileSync(f, data, ...more)),
  });
  let stream = null;
  function stdin() {
    if (stream === null) {
      const data = run.input.subarray(run.at);
      stream = new Readable({ read() { if (data.length > 0 && !this.given) this.push(data); this.given = true; this.push(null); } });
      Object.assign(stream, { fd: 0, isTTY: false, setRawMode() {}, unref() {}, ref() {} });
    }
    return stream;
  }
  const sink = (write) => {
    const s = new Writable({ decodeStrings: false, write(data, encoding, done) { write(data, encoding); done(); } });
    // What is written counts at once, even if the program ends then.
    s.write = (data, encoding, done) => {
      write(data, encoding);
      const then = typeof encoding === "function" ? encoding : done;
      if (then) setImmediate(then);
      return true;
    };
    const end = s.end.bind(s);
    s.end = (data, encoding, done) => {
      if (data !== undefined && typeof data !== "function") s.write(data, encoding);
      return end(typeof data === "function" ? data : typeof encoding === "function" ? encoding : done);
    };
    return Object.assign(s, { isTTY: false });
  };
  const stdout = sink((data, encoding) => run.write(data, encoding)), stderr = sink(() => {});
  const own = { stdin, stdout: () => stdout, stderr: () => stderr };
  const facade = new Proxy(process, {
    get(target, name) {
      if (own[name]) return own[name]();
      if (name === "exit" || name === "reallyExit") return (code) => run.leave(code === undefined ? facade.exitCode || 0 : code);
      if (name === "exitCode") return run.code;
      if (name === "argv") return [process.argv[0], file];
      if (name === "on" || name === "once" || name === "addListener") return () => facade;
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, name, value) {
      if (name === "exitCode") run.code = Number(value) || 0;
      else target[name] = value;
      return true;
    },
  });
  const real = Module.createRequire(file);
  const require = (name) => {
    switch (name.replace(/^node:/, "")) {
      case "fs": return files;
      case "fs/promises": return { readFile: async (f, o) => files.readFileSync(f, o) };
      case "process": return facade;
    }
    return real(name);
  };
  require.main = { exports: {}, filename: file, id: "." };
  const console = new (real("console").Console)({ stdout, stderr });
  return { require, process: facade, console, module: require.main };
}

const compiled = new Map();
const names = ["require", "module", "exports", "__filename", "__dirname", "process", "console", "assay_step", "globalThis", "global"];

function compile(mutant) {
  let f = compiled.get(mutant);
  if (f === undefined) {
    if (compiled.size > 200) compiled.clear();
    f = vm.compileFunction("{" + source(mutant) + "\n}", names, { filename: file });
    compiled.set(mutant, f);
  }
  return f;
}

// start begins a run; ended is called when it is over.
let ended = null;
function start(mutant, input, fuel, most, then) {
  now = new Run(input, fuel, most);
  ended = then;
  try {
    const f = compile(mutant);
    const w = around(now);
    const global = Object.assign(Object.create(globalThis), { process: w.process, console: w.console });
    f.call(w.module.exports, w.require, w.module, w.module.exports, file, __dirname, w.process, w.console, step, global, global);
  } catch (e) {
    failed(e);
  }
}

function failed(e) {
  if (!(e instanceof Leave) && now !== null) now.end("C", 0, String(e && e.message || e).slice(0, 200));
}

const cases = new Map();
const shown = 1 << 20;

function answer(run, status) {
  reply.push(Buffer.from(status));
  const data = status === "D" ? Buffer.concat(run.out) : status === "C" ? Buffer.from(run.text) : Buffer.alloc(0);
  put(run.code, data.length);
  reply.push(data);
}

function finish() {
  put(1); // nothing is left behind
  flush();
}

// attempt runs a mutant on a case and compares: S is the same output, D another one.
function attempt(mutant, c, then) {
  start(mutant, c.input, c.fuel, 2 * c.out.length + shown, (run) => {
    const same = run.status !== "S" || Buffer.concat(run.out).equals(c.out);
    then(run, same ? run.status : "D");
  });
}

function serve() {
  const verb = String.fromCharCode(number());
  const list = () => Array.from({ length: number() }, number);
  if (verb === "C") { // a case
    const slot = number();
    cases.set(slot, { input: readFully(number()), out: Buffer.alloc(0), fuel: 0 });
    finish();
  } else if (verb === "O") { // the program as it was
    const c = cases.get(number()), plenty = 2 ** 50;
    start(0, c.input, plenty, 2 ** 30, (run) => {
      c.out = Buffer.concat(run.out);
      answer(run, run.status === "S" ? "D" : run.status); // to be shown
      const used = plenty - run.fuel;
      c.fuel = times * used + fuel;
      put(used % 2 ** 32, Math.floor(used / 2 ** 32));
      reply.push(Buffer.from([1]));
      finish();
    });
  } else if (verb === "H") { // one mutant on many cases, to the first that is not the same
    const mutant = number(), slots = list();
    let at = 0;
    const next = () => attempt(mutant, cases.get(slots[at]), (run, status) => {
      if (status === "S" && ++at < slots.length) return next();
      put(at);
      answer(run, status);
      finish();
    });
    next();
  } else if (verb === "A") { // many mutants on one case
    const c = cases.get(number()), mutants = list();
    const next = () => attempt(mutants.shift(), c, (run, status) => {
      answer(run, status);
      if (status !== "S") flush(); // the next one may take all with it
      if (mutants.length > 0) return next();
      finish();
    });
    next();
  } else if (verb === "E") { // which mutants compile
    for (const mutant of list()) {
      let good = 255;
      try {
        compile(mutant);
      } catch (e) {
        good = 0;
      }
      reply.push(Buffer.alloc(16, good));
    }
    finish();
  }
}

process.on("uncaughtException", failed);
process.on("unhandledRejection", failed);
number(); // what a process may need is the judge's to bound
const fuel = number(), times = number();
process.on("beforeExit", () => {
  const run = now, then = ended;
  now = ended = null;
  if (run !== null) {
    if (!run.over && run.code !== 0) run.end("X", run.code, "");
    then(run);
  }
  while (now === null) serve();
  setImmediate(() => {}); // there is more to do
});
