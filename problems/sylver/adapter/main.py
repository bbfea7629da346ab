"""Plays sylver/1 for a bot that is a Python class: X(id) with announce and learn, or
one without arguments that has nextMove. Whatever the bot prints goes to standard
error, and does not disturb the protocol. It plays no number of its own."""

import importlib.util
import inspect
import operator
import os
import sys
import traceback

# The referee's cap where the rules set none, and what bots that take a cap get then: they
# mostly count up to it. It is the cap of the project's event of 2021.
NO_CAP = 10 ** 18
USUAL_CAP = 10 ** 6

HOME = os.path.dirname(os.path.abspath(__file__))


class Wire:
    """The two pipes, taken away from the bot."""

    def __init__(self):
        sys.stdout.flush()
        self.out = os.fdopen(os.dup(1), "wb", 0)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self.input = os.fdopen(os.dup(0), "rb", 1 << 16)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdin = open(os.devnull)

    def lines(self):
        for line in iter(self.input.readline, b""):
            yield [b"gaps", line[5:]] if line.startswith(b"gaps ") else line.split()

    def say(self, text):
        self.out.write(text.encode("ascii", "backslashreplace") + b"\n")


class NoBot(Exception):
    """Says why a file is not a bot."""


def load():
    """Runs the bot's file, and finds the class in it."""
    with open(os.path.join(HOME, "entry"), encoding="utf-8") as f:
        entry = f.read().strip()
    folder = os.path.join(HOME, "bot")
    sys.path += [folder, os.path.join(HOME, "library")]
    show(folder)
    name = os.path.splitext(entry)[0]
    if name in sys.modules or name in getattr(sys, "stdlib_module_names", ()):
        name = "bot_" + name  # random.py may be a bot, and import random
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, entry))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return choose(module, entry, name)


def show(folder):
    """Bots that read files look for them where they run."""
    for name in os.listdir(folder):
        try:
            os.symlink(os.path.join(folder, name), name)
        except OSError:
            pass  # it is there, or nobody may write here


def choose(module, entry, name):
    """Finds the one class that is a bot: of the file's own, or else of those that it
    imports. A class that others build on is none, and one that has the file's name
    goes before others."""
    classes = [c for c in dict.fromkeys(c for c in vars(module).values() if inspect.isclass(c))
               if callable(getattr(c, "announce", None)) or callable(getattr(c, "nextMove", None))]
    own = [c for c in classes if c.__module__ == module.__name__] or classes
    bots = [c for c in own if not any(d is not c and issubclass(d, c) for d in own)]
    if not bots:
        raise NoBot(entry + " has no bot: a class with announce(self, numbers), or with nextMove(self, moves, gaps)")
    if len(bots) > 1:
        named = [c for c in bots if plain(c.__name__) == plain(os.path.splitext(entry)[0])]
        if len(named) != 1:
            raise NoBot("%s has %d bots, and may have one: %s" % (entry, len(bots), ", ".join(c.__name__ for c in bots)))
        bots = named
    return bots[0]


def plain(name):
    """my_bot.py has the bot MyBot."""
    return "".join(c for c in name.lower() if c.isalnum())


class Announcer:
    """A class X(id) with announce(numbers) and learn(first_id, second_id, numbers)."""

    def __init__(self, kind, number):
        try:
            inspect.signature(kind).bind(number)
        except ValueError:
            pass  # a signature that cannot be seen
        except TypeError:
            raise NoBot("the constructor of %s must take the bot's id, and nothing else" % kind.__name__) from None
        self.bot = kind(number)
        self.learns = callable(getattr(self.bot, "learn", None))
        self.words = "learn" if self.learns else ""

    def move(self, numbers, gaps, used, cap):
        answer = self.bot.announce(numbers)
        if not isinstance(answer, (bool, str, float)):
            try:
                return int(operator.index(answer))  # numpy has integers of its own
            except Exception:
                pass
        return answer

    def learn(self, first, second, numbers):
        self.bot.learn(first, second, numbers)


class Mover:
    """A class without arguments with nextMove(moves, gaps), or with cap or time too."""

    words = "gaps"

    def __init__(self, kind):
        try:
            inspect.signature(kind).bind()
        except ValueError:
            pass
        except TypeError:
            raise NoBot("the constructor of %s must take no arguments" % kind.__name__) from None
        self.bot = kind()
        self.takes = []
        try:
            parameters = list(inspect.signature(self.bot.nextMove).parameters.values())
        except ValueError:
            parameters = []
        for p in parameters[2:]:
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                low = p.name.lower()
                self.takes.append("time" if any(w in low for w in ("time", "clock", "second", "used")) else "cap")
        self.two = len(parameters) != 1

    def move(self, numbers, gaps, used, cap):
        cap = USUAL_CAP if cap >= NO_CAP else cap
        more = [used if what == "time" else cap for what in self.takes]
        if not self.two:
            return self.bot.nextMove(numbers)
        return self.bot.nextMove(numbers, gaps, *more)

    def learn(self, first, second, numbers):
        pass


def text(answer):
    """An int is itself; what is not an int is shown, and is not an answer."""
    if type(answer) is int:
        if abs(answer) < 10 ** 60:
            return str(answer)
        return "int of %d bits" % answer.bit_length()
    try:
        shown = repr(answer)
    except Exception as e:
        shown = "that cannot be shown: %s" % type(e).__name__
    return " ".join((type(answer).__name__ + " " + shown)[:200].split())


def play(wire):
    bot, gaps, cap = None, [], 0
    for words in wire.lines():
        if not words:
            continue
        what = words[0].decode("ascii", "replace")
        if what == "move":
            count = int(words[1])
            numbers = list(map(int, words[2:2 + count]))
            used = int(words[2 + count]) / 1000 if len(words) > 2 + count else 0.0
            wire.say(text(bot.move(numbers, gaps, used, cap)))
            gaps = []
        elif what == "gaps":
            gaps = listed(words[1])
        elif what == "learn":
            count = int(words[3])
            bot.learn(int(words[1]), int(words[2]), list(map(int, words[4:4 + count])))
            wire.say("ok")
        elif what == "sylver":
            number, cap = int(words[3]), int(words[7])
            seed(int(words[9]))
            kind = load()
            if "numpy" in sys.modules:
                sys.modules["numpy"].random.seed(int(words[9]) % 2 ** 32)
            bot = Announcer(kind, number) if callable(getattr(kind, "announce", None)) else Mover(kind)
            wire.say(("ready " + bot.words).strip() + " name=" + kind.__name__)
        elif what == "quit":
            return


def listed(text):
    """The gaps of a line, without their count. There may be a million: json reads them
    in half the time that int takes, but is only loaded for many."""
    numbers = text.strip().partition(b" ")[2]
    if len(numbers) < 1 << 14:
        return list(map(int, numbers.split()))
    import json
    return json.loads(b"[" + numbers.replace(b" ", b",") + b"]")


def seed(number):
    """Bots that draw numbers draw the same ones in the same event."""
    import random
    random.seed(number)


def main():
    if os.environ.get("PYTHONHASHSEED") != "0":  # sets of texts have an order, too
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable] + sys.argv)
    wire = Wire()
    code = 0
    try:
        play(wire)
    except BaseException as e:  # sys.exit too
        code = 1
        if isinstance(e, SystemExit):
            code = e.code & 255 if type(e.code) is int else e.code is not None
        tell(wire, e)
    os._exit(code)  # whatever threads the bot has left behind


def tell(wire, e):
    """Says what ended the bot."""
    try:
        if isinstance(e, NoBot):
            wire.say("# %s" % e)
            return
        wire.say("# " + " ".join(traceback.format_exception_only(type(e), e)[-1].split())[:500])
        traceback.print_exc()
        sys.stderr.flush()
    except Exception:
        pass  # nobody listens, or the bot has closed everything


main()
