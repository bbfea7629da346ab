# The harness of programs in Python with mutants: it answers requests on standard input
# by runs of the program. Each mutant runs in a process of its own, forked for it, on
# one case after the other. Time is processor time, in units of 100 ns.
import atexit
import base64
import builtins
import hashlib
import io
import json
import marshal
import os
import resource
import signal
import struct
import sys
import threading
import time
import types

FOLDER = os.path.dirname(os.path.abspath(__file__))
MOST_CHILDREN = 40


def setup():
    request, reply = os.dup(0), os.dup(1)
    for fd in 0, 1:
        for folder in "/tmp", ".":
            name = "%s/assay-%d-%d" % (folder, os.getpid(), fd)
            try:
                f = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except OSError:
                continue
            os.unlink(name)
            os.dup2(f, fd)
            os.close(f)
            break
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return open(request, "rb"), open(reply, "wb"), os.dup(0), os.dup(1)


REQUEST, REPLY, INPUT, OUTPUT = setup()


def number():
    data = REQUEST.read(4)
    if len(data) < 4:
        os._exit(0)
    return struct.unpack("<I", data)[0]


def put(*numbers):
    REPLY.write(struct.pack("<%dI" % len(numbers), *numbers))


class Program:
    def __init__(self):
        with open(os.path.join(FOLDER, "mutants.json")) as f:
            table = json.load(f)
        self.name = os.path.join(FOLDER, table["name"])
        self.text = base64.b64decode(table["text"])
        self.changes = {c["id"]: (c["start"], c["end"], c["after"].encode()) for c in table["mutants"]}
        self.compiled = {}

    def source(self, mutant):
        if mutant == 0:
            return self.text
        start, end, after = self.changes[mutant]
        return self.text[:start] + after + self.text[end:]

    def code(self, mutant):
        if mutant not in self.compiled:
            self.compiled[mutant] = compile(self.source(mutant), self.name, "exec", dont_inherit=True)
        return self.compiled[mutant]

    def print(self, mutant):
        """A hash of the byte code without its line numbers; empty if it does not compile."""
        try:
            code = compile(self.source(mutant), self.name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return bytes(16)
        return hashlib.sha256(marshal.dumps(bare(code), 0)).digest()[:16]


def bare(code):
    """What a code object does, without where it stands in the text."""
    constants = [bare(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts]
    table = getattr(code, "co_exceptiontable", b"")
    return [code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_name, table]


def once(code, name):
    """Runs the program in this process: how it ended, its exit code, a message."""
    os.dup2(INPUT, 0)
    os.dup2(OUTPUT, 1)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=name, __builtins__=builtins)
    sys.modules["__main__"] = main
    sys.argv = [name]
    sys.path[0] = FOLDER
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8", newline="\n")
    status, exit_code, message = b"S", 0, ""
    try:
        exec(code, main.__dict__)
    except SystemExit as e:
        if e.code is not None and e.code != 0:
            status, exit_code = b"X", e.code & 255 if isinstance(e.code, int) else 1
    except BaseException as e:
        status, message = b"C", repr(e)
    try:
        for t in threading.enumerate():
            if t is not threading.current_thread() and not t.daemon:
                t.join()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except ValueError:
        pass  # it has closed its output itself
    except BaseException as e:
        if status == b"S":
            status, message = b"C", repr(e)
    return status, exit_code, message


class Child:
    """A process that runs one mutant on whatever stands in the file of its input."""

    def __init__(self, mutant):
        code = PROGRAM.code(mutant)
        at, self.go = os.pipe()
        self.done, back = os.pipe()
        self.pid = os.fork()
        if self.pid > 0:
            os.close(at)
            os.close(back)
            return
        os.close(self.go)
        os.close(self.done)
        REQUEST.close()
        if MEMORY:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        while True:
            order = os.read(at, 16)
            if len(order) < 16:
                os._exit(0)
            fuel, most = struct.unpack("<QQ", order)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            start = time.process_time_ns()
            signal.setitimer(signal.ITIMER_PROF, fuel / 1e7)
            signal.alarm(20)
            status, exit_code, message = once(code, PROGRAM.name)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            used = (time.process_time_ns() - start) // 100
            os.write(back, status + struct.pack("<IQ", exit_code, used) + message.encode("utf-8", "replace")[:200].ljust(200, b"\0"))

    def run(self, fuel, most):
        """Runs once: how it ended, its exit code, a message, the time."""
        os.write(self.go, struct.pack("<QQ", fuel, most))
        answer = os.read(self.done, 213)
        if len(answer) == 213:
            exit_code, used = struct.unpack("<IQ", answer[1:13])
            return answer[:1], exit_code, answer[13:].rstrip(b"\0"), used
        _, how, use = os.wait4(self.pid, 0)
        self.pid = 0
        used = int((use.ru_utime + use.ru_stime) * 1e7)
        if os.WIFSIGNALED(how):
            sig = os.WTERMSIG(how)
            ended = sig in (signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU, signal.SIGXFSZ)
            return b"F" if ended else b"C", 0, b"signal %d" % sig, used
        code = os.WEXITSTATUS(how)
        return b"X" if code else b"S", code, b"", used

    def close(self):
        os.close(self.go)
        os.close(self.done)
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = 0


class Case:
    def __init__(self, text):
        self.text, self.out, self.fuel = text, b"", 0


CASES = {}
LOADED = None
CHILDREN = {}


def run(mutant, case, fuel, most):
    """Runs a mutant on a case: how it ended, its exit code, a message, the time, its output."""
    global LOADED
    if LOADED is not case:
        os.ftruncate(INPUT, 0)
        at = 0
        while at < len(case.text):
            at += os.pwrite(INPUT, case.text[at:], at)
        LOADED = case
    os.lseek(INPUT, 0, os.SEEK_SET)
    os.lseek(OUTPUT, 0, os.SEEK_SET)
    os.ftruncate(OUTPUT, 0)
    child = CHILDREN.pop(mutant, None) or Child(mutant)
    CHILDREN[mutant] = child
    status, exit_code, message, used = child.run(fuel, most)
    if not child.pid:
        forget(mutant)
    elif len(CHILDREN) > MOST_CHILDREN:
        forget(next(iter(CHILDREN)))
    out = b""
    if status == b"S":
        size = min(os.fstat(OUTPUT).st_size, most)
        while len(out) < size:
            out += os.pread(OUTPUT, size - len(out), len(out))
    return status, exit_code, message, used, out


def forget(mutant):
    CHILDREN.pop(mutant).close()


def attempt(mutant, case):
    status, exit_code, message, _, out = run(mutant, case, case.fuel, 2 * len(case.out) + (1 << 20))
    if status == b"S" and out != case.out:
        status = b"D"
    return status, exit_code, message, out


def answer(status, exit_code, message, out):
    REPLY.write(status)
    data = out if status == b"D" else message if status == b"C" else b""
    put(exit_code, len(data))
    REPLY.write(data)
    if status != b"S":
        REPLY.flush()


def memory(mebibytes):
    """Bounds the address space of runs: what there is now, and the limit."""
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[0]) * resource.getpagesize() + (mebibytes << 20)
    except (OSError, ValueError):
        return 0


PROGRAM = Program()
MEMORY = memory(number())
BASE = number()
TIMES = number()

while True:
    verb = chr(number())
    if verb == "C":  # a case
        slot, size = number(), number()
        CASES[slot] = Case(REQUEST.read(size))
    elif verb == "O":  # the program as it was
        case = CASES[number()]
        if 0 in CHILDREN:
            forget(0)
        status, exit_code, message, used, case.out = run(0, case, 200000000, 1 << 30)
        answer(b"D" if status == b"S" else status, exit_code, message, case.out)
        case.fuel = TIMES * used + BASE
        put(used & 0xFFFFFFFF, used >> 32)
        REPLY.write(b"\1")
    elif verb == "H":  # one mutant on many cases, to the first that is not the same
        mutant, n = number(), number()
        slots = [number() for _ in range(n)]
        at, ended = 0, (b"S", 0, b"", b"")
        while at < n:
            ended = attempt(mutant, CASES[slots[at]])
            if ended[0] != b"S":
                break
            at += 1
        if mutant in CHILDREN:
            forget(mutant)
        put(at)
        answer(*ended)
    elif verb == "A":  # many mutants on one case
        case, n = CASES[number()], number()
        for mutant in [number() for _ in range(n)]:
            answer(*attempt(mutant, case))
    elif verb == "E":  # which mutants compile, and which are equal
        for mutant in [number() for _ in range(number())]:
            REPLY.write(PROGRAM.print(mutant))
    put(1)  # nothing is left behind
    REPLY.flush()
