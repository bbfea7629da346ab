"""Kit_referee is a library for the referee of a game for two players in Python.

It has the names of the Go package assay/judge/kit/referee. The referee has the rules, and the
module communicates with the arena and the bots.

    import kit_referee as referee

    def play(g):
        seat = 1
        while True:
            answer = g.Ask(seat, "move")
            if not allowed(answer):
                g.Lose(seat, "illegal", "%s is not allowed", answer)
            g.Move(seat, answer)
            seat = 3 - seat

    referee.Main(Play=play)

If a bot does not answer, Ask does not return, and the game is over. Messages are formatted
with %, if values follow. The module does not start bots, watch clocks or write a log: the arena
does. It needs Linux, Python 3.8 and the module kit.
"""

import array
import json
import mmap
import os
import select
import socket
import struct
import sys
import time

import kit


class Event:
    """The settings that all games of a tournament share."""

    def __init__(self, data):
        self.Rules = data.get("rules", "")  # name of the rule set
        self.Bots = data.get("bots", 0)  # how many take part
        self.Seed = data.get("seed", 0)
        self.MoveMS = data.get("move_ms", 0)  # CPU time for one answer; 0 for no limit
        self.ClockMS = data.get("clock_ms", 0)  # CPU time of a bot for one game; 0 for no limit
        self.StartMS = data.get("start_ms", 0)  # to get ready
        self.Options = data.get("options") or {}  # of the rule set, for the referee

    def Int(self, name):
        """Returns an option that is a number. It returns 0 if the option is not a number, so
        Check should call IntIn."""
        try:
            return int(self.Options.get(name, ""))
        except ValueError:
            return 0

    def IntIn(self, name, low, high):
        """Returns an option that is a number from low to high. Otherwise it raises an error."""
        text = self.Options.get(name, "")
        try:
            if low <= int(text) <= high:
                return int(text)
        except ValueError:
            pass
        raise ValueError('the option %s is "%s": it must be a number from %d to %d' % (name, text, low, high))

    def Text(self, name):
        """Returns an option."""
        return self.Options.get(name, "")


class _Fault(BaseException):
    """A fault by which a bot ends a game or a greeting. The kind "gone" means that its process
    has ended; the arena finds out why."""

    def __init__(self, seat, kind, text, sent=""):
        self.seat, self.kind, self.text, self.sent = seat, kind, text, sent

    def wire(self):
        return {"seat": self.seat, "kind": self.kind, "text": self.text, "bytes": self.sent}


class _Over(BaseException):
    """The exception that ends a game by its rules."""


class Bot(Event):
    """A contestant."""

    def __init__(self, event, data, text=b"", conn=None):
        vars(self).update(vars(event))
        self.Event, self.ID, self.Name, self.Seed = event, data["id"], data.get("name", ""), data.get("seed", 0)
        self.Text = text  # the bytes of the file, where contestants are files
        self.Title = ""  # what the bot calls itself; Greet may set this and the next two
        self.Pure = False  # its answers depend on nothing but the game so far
        self.Data = None  # the referee's own
        self.Said = list(data.get("said") or [])  # answers to the greeting
        self._asked, self._conn = 0, conn

    def Ask(self, request):
        """Sends a line during the greeting, and returns the answer."""
        self._asked += 1
        if self._asked > len(self.Said):
            self.Said.append(kit._text(self._conn.ask(self.ID, request, self.StartMS * 1000000, False)))
        return self.Said[self._asked - 1]

    def Refuse(self, message, *values):
        """Rejects a bot, which then cannot play. It does not return."""
        raise _Fault(0, "init-failed", kit._formatted(message, values), _quoted(self._conn.last))


class Result:
    """The end of a game."""

    def __init__(self, winner=0, reason="", payoff=None):
        self.Winner = winner  # seat, or 0 for a draw
        self.Reason = reason  # in a word: "illegal", "max-moves"
        self.Payoff = payoff  # what the seats got, in games that are not only won or lost


class Played:
    """A finished game."""

    def __init__(self, data):
        self.Start = data.get("start", "")
        self.Moves = data.get("moves") or []
        self.Seats = data.get("seats", "")  # a digit for each move
        result = data.get("result") or {}
        self.Result = Result(result.get("winner", 0), result.get("reason", ""), result.get("payoff"))


class Position:
    """The state of a game before a move or at its end."""

    def __init__(self, Count=0, Options=(), Exact="", Best=(), Text=""):
        self.Count = Count  # how many moves are allowed; -1 for infinitely many
        self.Options = Options  # the allowed moves, where they are few
        self.Exact = Exact  # "won" or "lost" for who moves, where it is known
        self.Best = Best  # moves that win
        self.Text = Text  # anything else


class Game(Event):
    """A game that is being played."""

    def __init__(self, event, bots, no=1, round=1, seed=0, shared=0, live=0, said=((), ())):
        vars(self).update(vars(event))
        self.Event, self._bots = event, bots
        self.No = no  # number among the games of these two bots, from 1
        self.Round = round  # from 1
        self.Seed = seed  # of this game
        self.Rand = _rand(seed, seed ^ 0x9E3779B97F4A7C15)  # a kit.Rand, seeded with it
        self.Result = Result()  # in Over
        self._shared, self._live = shared, live
        self._again = [list(s) for s in said]  # what is still to be said, where it is played again
        self._start, self._moves, self._seats, self._micros = "", [], "", []
        self._notes, self._said, self._now, self._over = [], [[], []], 0, False
        self._early = None  # what came of it, while the arena does not know that yet
        self._move_ns, self._clock_ns = event.MoveMS * 1000000, event.ClockMS * 1000000
        for bot in bots:
            bot._conn.begin()

    def Shared(self):
        """Returns a source of random numbers that is the same in all games of a round. So two
        games in which each bot begins once can have the same start."""
        return _rand(self._shared, ~self._shared)

    def Lost(self, seat):
        """Returns whether the process of the bot on a seat has ended."""
        if self._live and self._live != seat:
            return not self._again[seat - 1]
        return self._bots[seat - 1]._conn.dead != ""

    def Bot(self, seat):
        """Returns the bot on a seat, 1 or 2; 1 begins."""
        return self._bots[seat - 1]

    def Start(self, text):
        """Records the start that was drawn for the game."""
        self._start = str(text)

    def Tell(self, seat, line):
        """Sends a line to a bot without waiting for an answer. The line is sent before the next
        request."""
        if self._live in (0, seat):
            self._bots[seat - 1]._conn.tell(line)

    def Ask(self, seat, request):
        """Sends a line and returns the answer of the bot. If the bot commits a fault, it does
        not return."""
        self._now = seat
        bot = self._bots[seat - 1]
        conn = bot._conn
        conn.moved = len(self._moves)
        if not self._live or self._live == seat:
            answer = kit._text(conn.ask(bot.ID, request, self._budget(conn), True))
        if self._live:
            said = self._again[seat - 1]
            if not said:
                raise _Fault(seat, "gone", "it ended here before")
            return said.pop(0)
        if self._clock_ns and not self._over and conn.used() > self._clock_ns:
            conn.dead = "its time is over"
            raise _Fault(seat, "timeout-cpu", "it has used %d ms of its %d ms for the game" % (conn.used() // 1000000, self.ClockMS), _quoted(conn.last))
        self._said[seat - 1].append(answer)
        return answer

    def _budget(self, conn):
        """The CPU time that a bot has for its answer, in nanoseconds. Zero means no limit."""
        if not self._clock_ns or self._over:
            return self._move_ns
        left = max(1, self._clock_ns - conn.used())
        return min(self._move_ns or left, left)

    def UsedMS(self, seat):
        """The CPU time that the bot on a seat has used in this game."""
        return self._bots[seat - 1]._conn.used() // 1000000

    def Move(self, seat, text):
        """Records a move."""
        self._moves.append(str(text))
        self._seats += str(seat)
        self._micros.append(self._bots[seat - 1]._conn.took // 1000)

    def Note(self, seat, kind, message, *values):
        """Records anything else, such as a penalty."""
        self._notes.append({"seat": seat, "move": len(self._moves), "kind": kind, "text": kit._formatted(message, values)})

    def Win(self, seat, reason):
        """Ends the game. It does not return."""
        self.Result = Result(seat, reason)
        raise _Over()

    def Pay(self, first, second, reason):
        """Ends the game with the points of each seat. The seat with more points wins. It does
        not return."""
        self.Result = Result(1 if first > second else 2 if first < second else 0, reason, [first, second])
        raise _Over()

    def Draw(self, reason):
        """Ends the game. It does not return."""
        self.Win(0, reason)

    def Lose(self, seat, kind, message, *values):
        """Ends the game because of a fault in a bot's answer, such as "illegal" or "malformed".
        It does not return."""
        raise _Fault(seat, kind, kit._formatted(message, values), _quoted(self._bots[seat - 1]._conn.last))

    def _by_seat(self, values):
        return [[v for v, s in zip(values, self._seats) if s == seat] for seat in "12"]

    def _parts(self, used, rest):
        """The outcome of the game as the parts of a frame: the numbers, the moves in the form
        of the log, and the rest as JSON."""
        made, micros = self._by_seat(self._moves), self._by_seat(self._micros)
        notes = list(self._notes)
        for seat, bot in enumerate(self._bots, 1):
            for moved, text in bot._conn.comments:
                notes.append({"seat": seat, "move": min(moved, len(self._moves)), "kind": "comment", "text": text})
        rest = dict({"reason": self.Result.Reason, "payoff": self.Result.Payoff, "notes": notes}, **rest)
        if made != self._said:
            rest["said"] = [said or moves for said, moves in zip(self._said, made)]
        numbers = [self.Result.Winner] + [len(m) for m in micros] + [max(m, default=0) for m in micros] + used
        log = {"start": self._start} if self._start else {}
        if self._moves:
            log.update(moves=self._moves, seats=self._seats, micros=self._micros)
        members = _compact(log)[1:-1] + "," if log else ""
        return [struct.pack("<7q", *numbers), members.encode(), json.dumps({k: v for k, v in rest.items() if v}).encode()]


_compact = json.JSONEncoder(separators=(",", ":")).encode


def _rand(hi, lo):
    return kit.Rand("%016x%016x" % (hi & kit._64, lo & kit._64))


def _quoted(data):
    """Quotes the bytes of a bot, for messages."""
    text = "".join(c if c < "\x80" else ("\\u%04x" if c < "\U00010000" else "\\U%08x") % ord(c) for c in kit._quoted(kit._text(data[:200])))
    return text + (" and %d bytes more" % (len(data) - 200) if len(data) > 200 else "")


_most = 64 << 10  # bytes that a bot may say at a time


class _Conn:
    """The connection to a bot's process, if it has one. Times are in nanoseconds."""

    def __init__(self, table, to=-1, out=-1, clock=-1, unread=b""):
        self.table, self.to, self.out, self.clock, self.unread = table, to, out, clock, unread
        self.alive = to >= 0
        self.dead = ""  # why there is none any more; "" for alive
        self.pending = b""  # to be sent
        self.poll = select.poll()
        if out >= 0:
            self.poll.register(out, select.POLLIN)
        self.begin()

    def begin(self):
        """Starts to count CPU time for a game."""
        self.wall = self.seen = self.spent = self.took = self.moved = 0
        self.comments, self.last, self.cpu_at = [], b"", -1

    def tell(self, line):
        if not self.dead and len(self.pending) <= 16 << 20:
            self.pending += kit._bytes(line) + b"\n"

    def cpu(self):
        """Reads the clock of the process. It returns -1 if there is none."""
        if self.clock < 0 or not self.alive:
            return -1
        try:
            words = os.pread(self.clock, 64, 0).split()
            return int(words[1]) * 1000 if words[0] == b"usage_usec" else int(words[0])
        except (OSError, ValueError, IndexError):
            return -1

    def used(self):
        """The CPU time of the bot in its turns of this game. The wall time of a turn is never
        shorter than its CPU time, so the clock need not be read while the sum of all turns
        is short."""
        if self.wall - self.seen >= 1000000:
            self.seen = self.spent = self.wall
            now = self.cpu()
            if now >= 0 and self.cpu_at >= 0:
                self.spent = min(self.wall, now - self.cpu_at)
        return self.spent

    def gone(self, text=""):
        self.dead = self.dead or text
        raise _Fault(0, "gone", self.dead, _quoted(self.unread))

    def throw(self, kind, text):
        self.dead = self.dead or text  # nobody listens to it any more
        raise _Fault(0, kind, text, _quoted(self.unread))

    def ask(self, id, request, budget, game):
        """Sends a request with pending lines, and waits for the answer. The shared page shows
        the arena whose turn it is: word 0 is odd while the referee waits for a bot, 1 is its
        id, 2 its CPU time, and 3 is 1 until it has read its input."""
        self.tell(request)
        if self.dead or not self.alive:
            self.gone("its process is gone")
        self.silent()
        if self.cpu_at < 0 and game:
            self.cpu_at = self.cpu()
        page, start = self.table.page, time.monotonic_ns()
        page[1], page[2], page[3] = id, budget, 1
        page[0] += 1
        try:
            self.send(True)
            page[3] = 0
            self.last = self.line(game)
            return self.last
        finally:
            page[0] += page[0] % 2
            self.took = time.monotonic_ns() - start
            self.wall += self.took

    def silent(self):
        """Disqualifies a bot that has written something without a request."""
        if not self.unread and not self.poll.poll(0):
            return
        while len(self.unread) <= _most and self.poll.poll(0) and self.read():
            pass
        self.take_comments()
        if len(self.unread) > _most:
            self.throw("flood", "it has written more than %d bytes without a request" % _most)
        if self.unread and not self.unread.startswith(b"#"):
            self.throw("unsolicited", "it answered when it was not asked")
        if self.dead:
            self.gone()

    def take_comments(self):
        """Removes complete comment lines from the read bytes."""
        while self.unread.startswith(b"#"):
            line, whole, rest = self.unread.partition(b"\n")
            if not whole:
                return
            self.comments.append((self.moved, line[1:].strip().decode("utf-8", "replace").replace("\ufffd", "?")))
            self.unread = rest

    def line(self, game):
        """Waits for a line that is not a comment. In a game, the last answer of a process
        counts even without a line feed. In a greeting it does not, because a process that
        has ended cannot play."""
        said = 0  # bytes of this answer, comments and all
        while True:
            if self.unread[:1] == b"#":
                before = len(self.unread)
                self.take_comments()
                said += before - len(self.unread)
            line, whole, rest = self.unread.partition(b"\n")
            if whole and line[:1] != b"#":
                self.unread = rest
                return line
            if said + len(self.unread) > _most:
                self.throw("flood", "it has said more than %d bytes at a time" % _most)
            if self.dead or not self.read():
                if game and self.unread and not self.unread.startswith(b"#"):  # the last answer before the end counts
                    line, self.unread = self.unread, b""
                    return line
                self.gone()

    def read(self):
        """Waits for output and reads it. It returns False at the end."""
        if self.table.has_news() and not self.poll.poll(100):
            self.table.tell_news()
        try:
            more = os.read(self.out, 1 << 16)
        except OSError:
            more = b""
        if not more:
            self.dead = "its output ended"
        self.unread += more
        return bool(more)

    def send(self, wait):
        """Writes the pending bytes. It also reads output of the bot, because otherwise both
        could block."""
        while self.pending:
            try:
                self.pending = self.pending[os.write(self.to, self.pending):]
            except BlockingIOError:
                if not wait:
                    return
                poll = select.poll()
                poll.register(self.to, select.POLLOUT)
                if not self.dead:
                    poll.register(self.out, select.POLLIN)
                if any(fd == self.out for fd, _ in poll.poll()):
                    if len(self.unread) > _most:
                        self.throw("flood", "it has said more than %d bytes before it was asked" % _most)
                    self.read()
            except OSError:  # the last answer before its end may still be read
                self.pending = b""

    def flush(self):
        """Sends pending lines that need no answer, as far as the bot reads them without
        blocking."""
        if self.alive and not self.dead:
            self.send(False)

    def leave(self):
        """Sends pending lines, releases the pipes, and returns read bytes that were not
        used."""
        if not self.alive:
            return b""
        self.flush()
        self.alive = False
        for fd in (self.to, self.out, self.clock):
            if fd >= 0:
                os.close(fd)
        return self.unread


class _Table:
    """The messages between the arena and the referee: frames over a socket, with passed files.
    Several requests may be pending."""

    def __init__(self, rules):
        self.rules, self.event, self.bots, self.lost, self.game = rules, Event({}), {}, False, None
        self.page = array.array("Q", [0, 0, 0, 0])
        self.socket = socket.socket(fileno=os.dup(0))
        self.unread, self.files, self.out = b"", [], b""

    def serve(self):
        self.out = b"assay-kit 1 referee\n"
        while True:
            if not self.unread:  # nothing more to do: let everybody know everything
                for bot in self.bots.values():
                    bot._conn.flush()
            if not self.unread or len(self.out) > 4 << 10:
                self.flush()
            head = self.until(b"\n")
            if not head:
                return
            verb, *sizes = head.split()
            parts = [self.take(int(size)) for size in sizes]
            answer = getattr(self, "on_" + verb.decode())(*parts)
            if answer:
                self.reply(*answer)

    def more(self):
        data, ancillary, _, _ = self.socket.recvmsg(1 << 16, 1 << 10)
        for _, _, fds in ancillary:
            self.files.extend(array.array("i", fds[:len(fds) // 4 * 4]))
        self.unread += data
        return bool(data)

    def until(self, end):
        """Reads up to some bytes, which it consumes. At the end of the socket, it returns
        nothing."""
        while end not in self.unread:
            if not self.more():
                return b""
        head, _, self.unread = self.unread.partition(end)
        return head

    def take(self, size):
        while len(self.unread) < size:
            if not self.more():
                _exit("frame ends early")
        part, self.unread = self.unread[:size], self.unread[size:]
        return part

    def reply(self, verb, *parts):
        self.out += (" ".join([verb] + [str(len(p)) for p in parts]) + "\n").encode() + b"".join(parts)

    def flush(self):
        out, self.out = self.out, b""
        try:
            self.socket.sendall(out)
        except OSError:
            os._exit(0)  # the arena is gone

    def on_event(self, data):
        self.event = Event(json.loads(data))
        if self.files:
            memory = mmap.mmap(self.files.pop(0), mmap.PAGESIZE)
            self.page = memoryview(memory).cast("Q")
        try:
            if self.rules["Check"]:
                self.rules["Check"](self.event)
        except ValueError as e:
            return "fail", kit._bytes(str(e))
        return "ok", b""

    def on_bot(self, data, text, unread):
        files, self.files = self.files[:3], self.files[3:]
        conn = _Conn(self, *files, unread=unread)
        if conn.alive:
            os.set_blocking(conn.to, False)
            os.set_blocking(conn.out, True)
        bot = Bot(self.event, json.loads(data), text, conn)
        if bot.ID in self.bots:
            self.bots[bot.ID]._conn.leave()
        self.bots[bot.ID] = bot
        fault = broken = None
        if self.rules["Greet"]:
            fault, broken = _caught(lambda: self.rules["Greet"](bot))
        if broken:
            fault = _Fault(0, "init-failed", "the referee failed: " + broken)
        if fault and conn.comments:
            fault.text += ": " + conn.comments[-1][1]
        is_now = {"title": bot.Title, "pure": bot.Pure, "said": bot.Said, "fault": fault and fault.wire()}
        return "ok", json.dumps({k: v for k, v in is_now.items() if v}).encode()

    def on_leave(self, id):
        bot = self.bots.pop(int(id), None)
        return "ok", bot._conn.leave() if bot else b""

    def on_go(self):
        self.lost = False

    def on_play(self, numbers, said=b"[[], []]"):
        no, round, first, second, live, seed, shared = struct.unpack("<5q2Q", numbers)
        if self.lost:
            return "skipped", b""
        bots = [self.bots.get(id) for id in (first, second)]
        if live:  # the other one need not be there
            bots = [bot or Bot(self.event, {"id": id}, conn=_Conn(self)) for bot, id in zip(bots, (first, second))]
        if None in bots:
            _exit("a game of bots that are not there: %d and %d" % (first, second))
        g = self.game = Game(self.event, bots, no, round, seed, shared, live, [s or [] for s in json.loads(said)])
        parts = self.play(g)
        self.game, self.lost = None, any(bot._conn.dead for bot in bots)
        return ["game"] + parts

    def play(self, g):
        """Plays one game, including its end."""
        rest = {}

        def whole():
            self.rules["Play"](g)
            raise RuntimeError("the referee returned without a result")

        fault, broken = _caught(whole, g)
        if fault:
            g.Result = Result(3 - fault.seat, fault.kind)
            rest["fault"] = fault.wire()
        used = [bot._conn.used() // 1000 for bot in g._bots]
        g._over = True
        if self.rules["Over"] and not broken:
            g._early = used, dict(rest)
            after, broken = _caught(lambda: self.rules["Over"](g), g)
            g._early = None
            if after:
                rest["after"] = after.wire()
                conn = g._bots[after.seat - 1]._conn
                conn.dead = conn.dead or "it failed when it received the end of the game"
        if broken:
            rest["broken"] = broken
        return g._parts(used, rest)

    def has_news(self):
        """Returns whether there are outcomes that were not sent yet."""
        return bool(self.out or self.game and self.game._early)

    def tell_news(self):
        g = self.game
        if g and g._early:
            early, g._early = g._early, None
            self.reply("ended", *g._parts(*early))
        self.flush()

    def on_look(self, data):
        if not self.rules["Look"]:
            return "ok", b"null"
        seen = []
        for p in self.rules["Look"](self.event, Played(json.loads(data))):
            position = {"options": list(p.Options), "exact": p.Exact, "best": list(p.Best), "text": p.Text}
            seen.append(dict({k: v for k, v in position.items() if v}, count=p.Count))
        return "ok", json.dumps(seen).encode()


def _caught(f, g=None):
    """Runs a part of the referee. Returns the fault of a bot by which it ended, or None,
    and what is wrong with the referee, or ""."""
    try:
        f()
    except _Over:
        pass
    except _Fault as fault:
        if not fault.seat and g:
            fault.seat = g._now
        return fault, ""
    except Exception as e:
        import traceback

        traceback.print_exc()
        return None, "exception: %s: %s" % (type(e).__name__, e)
    return None, ""


def Main(Play, Check=None, Greet=None, Over=None, Look=None):
    """The main function of a referee. The referee decides whose turn it is, what is sent to
    which bot, how an answer is judged, and who wins:

    Play(g) plays one game. It ends with Win, Lose or Draw.
    Check(event) raises a ValueError if the options of a tournament are not valid.
    Greet(bot) communicates with a bot whose process has just started, until it is ready.
    Over(g) sends the bots the result of a game, for every kind of end.
    Look(event, played) returns a Position for each point of a played game, before the first
    move and after each.
    """
    if not kit._streaming():
        _exit("this is the referee of a game: the arena starts it")
    table = _Table({"Play": Play, "Check": Check, "Greet": Greet, "Over": Over, "Look": Look})
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    table.serve()


def _exit(text):
    """Ends a referee that cannot continue, with the exit code of a kit program that is at
    fault."""
    kit._exit(kit.FAIL, text)
