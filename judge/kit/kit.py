"""Kit is what a checker, validator, generator or interactor in Python imports.

It has the names of the Go package assay/judge/kit, which are those of testlib: In is the input,
Out the contestant's output, Ans the answer of the reference solution, and Quit ends with a
verdict.

    import kit

    def check(t):
        want, got = t.Ans.Int64(), t.Out.Int64()
        if got != want:
            t.Quit(kit.WA, "want %d, got %d", want, got)
        t.Quit(kit.OK)

    kit.Check(check)

Run by hand, a kit program is an ordinary command. A checker takes the names of the input,
output and answer files, and exits with 0 if the output is correct, 1 if it is wrong, and 3 if
the checker or the answer is at fault. A validator reads standard input, and exits with 0 or 3.
A generator prints a case. With --kattis, checkers and validators speak the protocol of Kattis.
The judge starts a kit program only once, and sends it a frame for each case. So ten thousand
cases need one process, and a global variable keeps its value across the cases of a submission,
which come in judging order.

Messages are formatted with %, if values follow. The same seed gives the same numbers as in Go.
The module needs Python 3.8 and the standard library.
"""

import os
import re
import sys

OK = "ok"  # the output is correct, or the input is valid
WA = "wrong"  # the contestant's output is wrong, or the input is not valid
FAIL = "fail"  # the answer or the kit program itself is at fault

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


class _Quit(BaseException):
    """The exception by which Quit leaves the setter's function. `except Exception` does not catch
    it."""

    def __init__(self, verdict, message):
        self.verdict, self.message = verdict, message


def _formatted(message, values):
    return message % values if values else message


def _catch(f, *args):
    """Runs f. Returns the verdict by which it ended, or "", and a message."""
    try:
        f(*args)
    except _Quit as q:
        return q.verdict, q.message
    except Exception as e:
        import traceback

        traceback.print_exc()
        return FAIL, "exception: %s: %s" % (type(e).__name__, e)
    return "", ""


class Test:
    """A case that a checker judges."""

    def __init__(self, name, input, output, answer):
        self.Name = name  # such as "edge/corner-0-0"; empty when run by hand
        self.In = Reader(input, "input", FAIL)  # the input
        self.Out = Reader(output, "output", WA)  # output of the contestant's program
        self.Ans = Reader(answer, "answer", FAIL)  # output of the reference solution

    def Quit(self, verdict, message="", *values):
        """Ends the case with a verdict and a message. It does not return."""
        raise _Quit(verdict, _formatted(message, values))


def Check(f):
    """The main function of a checker. It calls f(test) once for each case, in judging order. F
    must end with Quit. If f cannot read from Out, the case ends with WA. So it does if f quits
    with OK and Out has more than white space left: a checker that allows more output reads it
    with Rest. If f cannot read from In or Ans, the case ends with FAIL, which blames the
    setter.

    Print nothing before Check, because the frames are on standard output. Check redirects what
    f prints to standard error.
    """

    def check(name, input, output, answer):
        test = Test(name, input, output, answer)
        verdict, message = _catch(f, test)
        if verdict == OK and not test.Out.AtEOF():
            verdict, message = _catch(test.Out.Refuse, "extra output: want the end of the file, got %s", test.Out._next())
        return (verdict, message) if verdict else (FAIL, "the checker returned without calling Quit")

    if _streaming():
        def answer(parts):
            if len(parts) != 4:
                return FAIL, "a check has 4 parts, got %d" % len(parts)
            return check(_text(parts[0]), *parts[1:])

        return _serve("checker", answer)
    if _for_kattis():
        if len(sys.argv) < 5:
            _exit_for_kattis("", FAIL, "usage: %s --kattis <input file> <answer file> <feedback directory> < <output file>" % sys.argv[0])
        input, answer = (_read_file(path, lambda why: _exit_for_kattis(sys.argv[4], FAIL, why)) for path in sys.argv[2:4])
        _exit_for_kattis(sys.argv[4], *check("", input, sys.stdin.buffer.read(), answer))
    if len(sys.argv) != 4:
        _exit(FAIL, "usage: %s <input file> <output file> <answer file>" % sys.argv[0])
    _exit(*check("", *(_read_file(path, lambda why: _exit(FAIL, why)) for path in sys.argv[1:])))


def Validate(f):
    """The main function of a validator. It calls f(reader) for each input. F reads the input with
    the strict methods of Reader, to the last byte. An input is not valid if f cannot read it,
    or rejects it with Refuse.
    """

    def validate(data):
        def whole(reader):
            f(reader)
            reader.EOF()

        verdict, message = _catch(whole, Reader(data, "input", WA, strict=True))
        return verdict or OK, message

    if _streaming():
        def answer(parts):
            if len(parts) != 2:
                return FAIL, "a validation has 2 parts, got %d" % len(parts)
            return validate(parts[1])

        return _serve("validator", answer)
    verdict, message = validate(sys.stdin.buffer.read())
    if _for_kattis():
        _exit_for_kattis("", verdict, message)
    _exit(FAIL if verdict == WA else verdict, message)  # testlib's validators exit with 3


_token = re.compile(rb"[^ \t-\r]+")
_space = re.compile(rb"[ \t-\r]*")
_integer = re.compile(rb"[+-]?[0-9]+")


class Reader:
    """Reads one of the three texts of a case. If it cannot read, it ends the case: with WA in the
    contestant's output and in a validator's input, and with FAIL in other texts.

    In a checker, it skips white space before each token. A number is an optional sign and
    digits. In a validator, it is strict: f must read every blank and line end, and numbers have
    one spelling (no "+1", "01", "-0").

    Bytes that are not UTF-8 become surrogate escapes.
    """

    def __init__(self, data, name, blame, strict=False):
        self._data, self._name, self._blame, self._strict = data, name, blame, strict
        self._pos = 0

    def Refuse(self, message, *values):
        """Ends the case with a message that starts with the current position."""
        self._refuse_at(self._pos, _formatted(message, values))

    def _refuse_at(self, pos, message):
        line = 1 + self._data.count(b"\n", 0, pos)
        column = pos - self._data.rfind(b"\n", 0, pos)
        raise _Quit(self._blame, "%s, line %d, column %d: %s" % (self._name, line, column, message))

    def _skip_space(self):
        if not self._strict:
            self._pos = _space.match(self._data, self._pos).end()

    def _word(self):
        """Reads a token. Returns its position and its bytes."""
        self._skip_space()
        found = _token.match(self._data, self._pos)
        if not found:
            self.Refuse("want a word, got %s", self._next())
        self._pos = found.end()
        return found.start(), found.group()

    def Token(self):
        """Reads a word, up to white space or the end. It rejects an empty word."""
        return _text(self._word()[1])

    def Word(self, lo, hi, name):
        """Reads a token of lo to hi bytes of printable ASCII. Name is its name in messages."""
        start, word = self._word()
        if not lo <= len(word) <= hi:
            self._refuse_at(start, "%s has %d characters, not %d to %d" % (name, len(word), lo, hi))
        if any(not 32 < c < 127 for c in word):
            self._refuse_at(start, "%s = %s is not printable ASCII" % (name, _short(word)))
        return _text(word)

    def _number(self):
        start, word = self._word()
        n = int(word) if _integer.fullmatch(word) else None
        if n is None or self._strict and str(n).encode() != word:
            self._refuse_at(start, "want an integer, got %s" % _short(word))
        return start, word, n

    def Int64(self):
        """Reads a decimal integer of at most 64 bits."""
        start, word, n = self._number()
        if not -(1 << 63) <= n < 1 << 63:
            self._refuse_at(start, "want an integer, got %s" % _short(word))
        return n

    def Int(self, lo, hi, name):
        """Reads a decimal integer in lo..hi. Name is its name in messages."""
        start, _, n = self._number()
        if not lo <= n <= hi:
            self._refuse_at(start, "%s = %d is not in %d..%d" % (name, n, lo, hi))
        return n

    def Space(self):
        """Reads exactly one blank."""
        self._literal(b" ", "a blank")

    def EOLN(self):
        """Reads exactly one line feed."""
        self._literal(b"\n", "the end of the line")

    def _literal(self, c, words):
        if not self._data.startswith(c, self._pos):
            self.Refuse("want %s, got %s", words, self._next())
        self._pos += 1

    def EOF(self):
        """Reads the end of the text. In a checker, white space may come before it."""
        if not self.AtEOF():
            self.Refuse("want the end of the file, got %s", self._next())

    def AtEOF(self):
        """Returns whether nothing is left. In a checker, it ignores white space."""
        self._skip_space()
        return self._pos == len(self._data)

    def Line(self):
        """Reads a line, and returns it without its line feed."""
        if self._pos == len(self._data):
            self.Refuse("want a line, got the end of the file")
        end = self._data.find(b"\n", self._pos)
        if end < 0:
            end = len(self._data)
            if self._strict:
                self._pos = end
                self.Refuse("want the end of the line, got the end of the file")
        line = self._data[self._pos:end]
        self._pos = min(end + 1, len(self._data))
        return _text(line)

    def Rest(self):
        """Reads the rest of the text."""
        rest = self._data[self._pos:]
        self._pos = len(self._data)
        return _text(rest)

    def _next(self):
        """Describes the text at the current position."""
        here = self._data[self._pos:self._pos + 4]
        if not here:
            return "the end of the file"
        if here[:1] == b"\n":
            return "the end of the line"
        if here[:1] == b" ":
            return "a blank"
        for size in range(1, len(here) + 1):
            try:
                return _quoted(here[:size].decode(), "'")
            except UnicodeDecodeError:
                pass
        return "'\ufffd'"


class Gen:
    """A case that a generator makes."""

    def __init__(self, rand, args):
        self.Kind = ""  # first word of the line: the kind of case to make
        self.Rand = rand
        self._words, self._options, self._asked, self._out = [], {}, set(), []
        args = iter(args)
        for arg in args:
            if not arg.startswith("--"):
                if self.Kind == "" and not self._words:
                    self.Kind = arg
                else:
                    self._words.append(arg)
                continue
            value = next(args, None)
            if value is None:
                self.Refuse("option %s has no value", arg)
            if arg in self._options:
                self.Refuse("option %s is given twice", arg)
            self._options[arg] = value

    def Refuse(self, message, *values):
        """Ends the case with a message: the line in problem.toml is wrong."""
        raise _Quit(FAIL, _formatted(message, values))

    def Word(self, i):
        """Returns positional argument i, counted from 0 after Kind."""
        if i >= len(self._words):
            self.Refuse("kind %s needs %d arguments, got %d", _quoted(self.Kind), i + 1, len(self._words))
        self._asked.add(i)
        return self._words[i]

    def Words(self, i):
        """Returns the positional arguments, beginning with number i."""
        self._asked.update(range(i, len(self._words)))
        return self._words[i:]

    def Int64(self, i):
        """Returns positional argument i as an integer."""
        return self._number(self.Word(i))

    def Option(self, name, other=""):
        """Returns the value of --name, or other if the option is not given."""
        self._asked.add("--" + name)
        return self._options.get("--" + name, other)

    def IntOption(self, name, other=0):
        """Returns the value of --name as an integer, or other if the option is not given."""
        value = self.Option(name)
        return self._number(value) if value else other

    def _number(self, text):
        """Parses decimal digits, or a form such as 1e18."""
        found = re.fullmatch(r"([+-]?[0-9]+)(?:e([0-9]{1,3}))?", text)
        n = int(found[1] + "0" * int(found[2] or 0)) if found and int(found[2] or 0) < 256 else 1 << 63
        if not -(1 << 63) <= n < 1 << 63:
            self.Refuse("%s is not an integer", _quoted(text))
        return n

    def _all_asked(self):
        """Rejects arguments that the generator has not read."""
        for i, word in enumerate(self._words):
            if i not in self._asked:
                self.Refuse("kind %s does not use the argument %s", _quoted(self.Kind), _quoted(word))
        left = sorted(name for name in self._options if name not in self._asked and name != "--seed")
        if left:
            self.Refuse("kind %s does not use the option %s", _quoted(self.Kind), " ".join(left))

    def Print(self, *values):
        """Adds the values to the case, with nothing between them."""
        self._out.extend(map(str, values))

    def Println(self, *values):
        """Adds the values to the case, with blanks between them and a line feed after them."""
        self._out.append(" ".join(map(str, values)) + "\n")

    def Printf(self, format, *values):
        """Adds a formatted text to the case."""
        self._out.append(_formatted(format, values))


def Generate(f):
    """The main function of a generator. It calls f(gen) for each case, with the words of its line
    in problem.toml as arguments. F prints the case with Print and Println. The same arguments
    and seed must always give the same case: take random numbers from gen.Rand only.

    An argument "--name value" is an option. The others are positional. Arguments that f does
    not read are rejected, so that a misspelt option is not silently ignored.
    """

    def generate(seed, args):
        made = []

        def make():
            rand = Rand(seed)
            gen = Gen(rand, args)
            f(gen)
            gen._all_asked()
            made.append(rand._told() + "".join(gen._out))

        verdict, message = _catch(make)
        return (verdict, message) if verdict else (OK, made[0])

    if _streaming():
        def answer(parts):
            if not parts:
                return FAIL, "a generation has a seed, got no parts"
            return generate(*(lambda seed, *args: (seed, args))(*map(_text, parts)))

        return _serve("generator", answer)
    args = sys.argv[1:]
    seed = os.environ.get("ASSAY_SEED") or " ".join(args)  # any text, such as a number, or the line
    verdict, message = generate(seed if _is_seed(seed) else Seed("", seed), args)
    if verdict != OK:
        _exit(verdict, message)
    sys.stdout.buffer.write(_bytes(message))
    sys.stdout.buffer.flush()


def Seed(salt, line):
    """Returns the seed of a generator line: 32 hexadecimal digits of the SHA-256 of the salt, a
    zero byte and the line."""
    import hashlib

    return hashlib.sha256(_bytes(salt + "\0" + line)).hexdigest()[:32]


def _is_seed(text):
    return re.fullmatch("[0-9a-fA-F]{32}", text)


_most_choices = 1 << 18
_64 = (1 << 64) - 1


class Rand:
    """The source of random numbers of a generator: PCG (in the DXSM variant, as math/rand/v2 of
    Go), seeded from the line.

    Its numbers are choices: small numbers of which 0 is the plainest. The judge may ask for the
    choices of a seed ("record" before the seed), and replay other choices ("replay 3 0 17" in
    its place): fewer and lower choices make a smaller case of the same kind.
    """

    def __init__(self, seed):
        verb, _, rest = seed.partition(" ")
        self._next = self._chosen = None
        if verb == "record":
            seed, self._chosen = rest, []
        elif verb == "replay":
            if not all(re.fullmatch("[0-9]+", word) for word in rest.split()):
                raise _Quit(FAIL, "%s is not a list of choices" % _quoted(rest[:40]))
            self._next = [int(word) for word in rest.split()][::-1]
            seed, self._chosen = Seed("", ""), []
        if not _is_seed(seed):
            raise _Quit(FAIL, "seed %s is not 32 hexadecimal digits" % _quoted(seed))
        self._state = int(seed, 16)

    def _told(self):
        """The line of choices before a case. It is "" if the judge did not ask for it."""
        return "" if self._chosen is None else "choices%s\n" % "".join(" %d" % c for c in self._chosen)

    def _uint64(self):
        self._state = (self._state * (2549297995355413924 << 64 | 4865540595714422341) + (6364136223846793005 << 64 | 1442695040888963407)) & ((1 << 128) - 1)
        hi, lo = self._state >> 64, self._state & _64
        hi ^= hi >> 32
        hi = hi * 0xDA942042E4DD58B5 & _64
        hi ^= hi >> 48
        return hi * (lo | 1) & _64

    def _below(self, n):
        """A number in 0..n-1 for n up to 2^64, by Lemire's multiplication."""
        if n & (n - 1) == 0:
            return self._uint64() & (n - 1)
        product = self._uint64() * n
        if product & _64 < n:
            least = (1 << 64) % n
            while product & _64 < least:
                product = self._uint64() * n
        return product >> 64

    def _choose(self, most, draw):
        """A choice of 0..most. It is drawn unless choices are replayed."""
        if self._chosen is None:
            return draw()
        if len(self._chosen) == _most_choices:
            raise _Quit(FAIL, "the case needs more than %d choices" % _most_choices)
        if self._next is None:
            c = draw()
        else:
            c = min(self._next.pop(), most) if self._next else 0
        self._chosen.append(c)
        return c

    def Between(self, lo, hi):
        """Returns a number in lo..hi, each with the same probability. The range may have 2^64
        numbers."""
        if lo > hi:
            raise _Quit(FAIL, "Between(%d, %d): the range is empty" % (lo, hi))
        return _ranked(self._choose(hi - lo, lambda: _rank_of(self._between(lo, hi), lo, hi)), lo, hi)

    def _between(self, lo, hi):
        if (lo, hi) == (-1 << 63, (1 << 63) - 1):
            n = self._uint64()
            return n if n < 1 << 63 else n - (1 << 64)
        return lo + self._below(hi - lo + 1)

    def IntN(self, n):
        """Returns a number in 0..n-1."""
        if n <= 0:
            raise _Quit(FAIL, "a random number below %d: the range is empty" % n)
        return self._choose(n - 1, lambda: self._below(n))

    def Float64(self):
        """Returns a number from 0 to 1, excluding 1."""
        return self._choose((1 << 53) - 1, lambda: self._uint64() & (1 << 53) - 1) / (1 << 53)

    def Shuffle(self, items):
        """Puts a list into a random order."""
        for i in range(len(items) - 1, 0, -1):
            # The choice is the distance to swap over, so 0 keeps the element in its position.
            j = i - self._choose(i, lambda: i - self._below(i + 1))
            items[i], items[j] = items[j], items[i]

    def Perm(self, n):
        """Returns the numbers 0..n-1 in a random order."""
        numbers = list(range(n))
        self.Shuffle(numbers)
        return numbers

    def Pick(self, items):
        """Returns an element of a list, each with the same probability."""
        return items[self.IntN(len(items))]


def _rank_of(v, lo, hi):
    """Numbers the values of a range, beginning with the plainest: from the lower end, or 0, 1, -1,
    2, ... if the range has numbers on both sides of 0. _ranked is its inverse."""
    if lo >= 0 or hi <= 0:
        return v - lo
    both = min(-lo, hi)
    if abs(v) > both:
        return both + abs(v)
    return 2 * v - 1 if v > 0 else -2 * v


def _ranked(c, lo, hi):
    if lo >= 0 or hi <= 0:
        return lo + c
    both = min(-lo, hi)
    if c > 2 * both:
        return c - both if hi > -lo else both - c
    return c // 2 + 1 if c % 2 else -(c // 2)


class Talk:
    """A case in which an interactor communicates with the contestant's program."""

    def __init__(self, input, answer, feedback):
        self.In = Reader(input, "input", FAIL)  # the case's input, which the program does not see
        self.Ans = Reader(answer, "answer", FAIL)  # the answer; empty if the case has none
        self._feedback, self._said = feedback, b""

    def Quit(self, verdict, message="", *values):
        """Ends the case with a verdict and a message. It does not return."""
        raise _Quit(verdict, _formatted(message, values))

    def Println(self, *values):
        """Sends a line to the program: the values with blanks between them."""
        self._say(" ".join(map(str, values)) + "\n")

    def Printf(self, format, *values):
        """Sends a formatted text to the program."""
        self._say(_formatted(format, values))

    def _say(self, text):
        data = _bytes(text)
        try:
            while data:
                data = data[os.write(1, data):]
        except BrokenPipeError:
            pass  # the interactor continues after the program has ended

    def _until(self, end, what):
        """Reads bytes up to one that `end` finds, which it consumes."""
        start = 0
        while True:
            found = end.search(self._said, start)
            if found:
                text, self._said = self._said[:found.start()], self._said[found.end():]
                return text
            start = len(self._said)
            if start > 1 << 20:
                self.Quit(WA, "a %s of more than %d bytes", what, 1 << 20)
            more = os.read(0, 1 << 16)
            if not more:
                if not self._said:
                    self.Quit(WA, "want a %s, but the program has ended its output", what)
                text, self._said = self._said, b""
                return text
            self._said += more
            if what == "word" and not start:
                self._said = self._said.lstrip()

    def _word(self):
        self._said = self._said.lstrip()
        return self._until(re.compile(rb"[ \t-\r]"), "word")

    def Token(self):
        """Waits for the program's next word. White space separates words."""
        return _text(self._word())

    def Line(self):
        """Waits for the program's next line, and returns it without its end."""
        return _text(self._until(re.compile(rb"\n"), "line"))

    def Int64(self):
        """Waits for a decimal integer of at most 64 bits."""
        word = self._word()
        n = int(word) if _integer.fullmatch(word) else 1 << 63
        if not -(1 << 63) <= n < 1 << 63:
            self.Quit(WA, "want an integer, got %s", _short(word))
        return n

    def Int(self, lo, hi, name):
        """Waits for a decimal integer in lo..hi. Name is its name in messages."""
        n = self.Int64()
        if not lo <= n <= hi:
            self.Quit(WA, "%s = %d is not in %d..%d", name, n, lo, hi)
        return n

    def EOF(self):
        """Waits until the program ends or closes its output, without another word."""
        while not self._said.strip():
            self._said = os.read(0, 1 << 16)
            if not self._said:
                return
        self.Quit(WA, "the program printed more than expected")

    def Score(self, points):
        """Sets the points of a case, which must then be accepted. The maximum is max_score of its
        group."""
        self._leave("score.txt", repr(points))

    def Share(self, part):
        """Sets the share of the case's points, from 0 to 1. The case must then be accepted."""
        self._leave("score_multiplier.txt", repr(max(0, min(1, part))))

    def NextPass(self, input):
        """Ends a pass of a multi-pass problem. The judge then starts the program again, and the
        interactor with this text as its In. It does not return."""
        self._leave("nextpass.in", input)
        self.Quit(OK)

    def _leave(self, name, text):
        with open(os.path.join(self._feedback, name), "wb") as f:
            f.write(_bytes(text))


def Interact(f):
    """The main function of an interactor. It calls f(talk), which communicates with the
    contestant's program and must end with Quit. If f cannot read from the program, the case
    ends with WA. If it cannot read from In or Ans, the case ends with FAIL, which blames the
    setter.

    An interactor is called as an output validator of the ICPC problem package format:
    "interactor input answer feedback/". Its standard input and output are connected to the
    program. So other judges can use it, too. Each print is sent at once.
    """
    if len(sys.argv) < 4:
        _leave_talk("", FAIL, "usage: %s <input file> <answer file> <feedback directory>" % sys.argv[0])
    feedback = sys.argv[3]
    input, answer = (_read_file(path, lambda why: _leave_talk(feedback, FAIL, why)) for path in sys.argv[1:3])
    sys.stdout = sys.stderr  # print() writes to standard error; Println writes to the program
    verdict, message = _catch(f, Talk(input, answer, feedback))
    if not verdict:
        verdict, message = FAIL, "the interactor returned without calling Quit"
    _leave_talk(feedback, verdict, message)


def _leave_talk(feedback, verdict, message):
    _leave(feedback if verdict != FAIL else "", message, {OK: 42, WA: 43, FAIL: 3}[verdict])


class Golf:
    """The outputs of a golf submission for all inputs that were tried so far."""

    def __init__(self, request):
        import base64

        self.All = request["All"]  # every input of the domain is in Answers
        # The outputs so far: In has the arguments as texts, and Out the bytes.
        self.Answers = [GolfAnswer(a["In"] or [], base64.b64decode(a["Out"] or "")) for a in request["Answers"] or []]
        self._report = {"Wrong": [], "Notes": [], "Says": []}

    def Wrong(self, index, message, *values):
        """Reports that the output with this index is wrong."""
        self._report["Wrong"].append({"Index": index, "Why": _formatted(message, values)})

    def Note(self, message, *values):
        """Names a lenient rule that was needed to accept an output."""
        self._report["Notes"].append(_formatted(message, values))

    def Say(self, message, *values):
        """Adds a remark about a correct submission, such as "lost positions give 0"."""
        self._report["Says"].append(_formatted(message, values))


class GolfAnswer:
    """The output for one input. The same input may appear several times, with different outputs."""

    def __init__(self, input, output):
        self.In, self.Out = input, output


def CheckGolf(f):
    """The main function of a checker for golf. It calls f(golf) with more and more outputs, and
    finally with all. F must not keep state between calls."""
    import json

    if not _streaming():
        _exit(FAIL, "usage: judge golf <problem> <answer> starts %s" % sys.argv[0])

    def answer(parts):
        if len(parts) != 1:
            return FAIL, "a request has 1 part, got %d" % len(parts)
        golf = Golf(json.loads(parts[0]))
        verdict, message = _catch(f, golf)
        if verdict:
            return FAIL, message
        return WA if golf._report["Wrong"] else OK, json.dumps(golf._report)

    _serve("golf", answer)


def _streaming():
    """Returns whether the judge started this program in stream mode."""
    return os.environ.get("ASSAY_KIT_STREAM") == "1"


def _serve(role, answer):
    """Answers frames until the judge closes the pipe. A frame is a line with a verb and the length
    in bytes of each part, and then the parts. Output of the setter's code is redirected to
    standard error, so that it cannot get between the frames."""
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    wire.write(("assay-kit 1 %s\n" % role).encode())
    wire.flush()
    while True:
        head = sys.stdin.buffer.readline()
        if not head:
            return
        parts = []
        for size in map(int, head.split()[1:]):
            parts.append(sys.stdin.buffer.read(size))
            if len(parts[-1]) < size:
                _exit(FAIL, "frame ends early")
        verdict, message = answer(parts)
        message = _bytes(message)
        try:
            wire.write(b"%s %d\n%s" % (verdict.encode(), len(message), message))
            wire.flush()
        except BrokenPipeError:
            return  # the judge is gone


def _read_file(path, failed):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        failed("open %s: %s" % (path, (e.strerror or str(e)).lower()))


def _exit(verdict, message=""):
    """Ends a kit program that was run by hand."""
    _leave("", message.rstrip("\n"), {OK: 0, WA: 1, FAIL: 3}[verdict])


def _for_kattis():
    """Returns whether the program was started with --kattis. It then speaks the protocol of the
    ICPC problem package format, so that it can be part of a package. An input validator reads
    standard input, and exits with 42 or 43. An output validator gets the input, the answer and
    a feedback directory as arguments, and reads the output from standard input."""
    return sys.argv[1:2] == ["--kattis"]


def _exit_for_kattis(feedback, verdict, message):
    _leave(feedback, message, {OK: 42, WA: 43, FAIL: 1}[verdict])


def _leave(feedback, message, code):
    """Ends the program. It writes the message to standard error, and into the feedback directory
    if there is one."""
    if message:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(2, _bytes(message) + b"\n")
        if feedback:
            with open(os.path.join(feedback, "judgemessage.txt"), "wb") as f:
                f.write(_bytes(message) + b"\n")
    sys.exit(code)


def _text(data):
    return data.decode("utf-8", "surrogateescape")


def _bytes(text):
    return text.encode("utf-8", "surrogateescape")


_escapes = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\"}


def _quoted(text, quote='"'):
    """Writes a text in quotes, with the escapes of Go for unprintable characters."""
    out = []
    for c in text:
        n = ord(c)
        if c == quote:
            out.append("\\" + c)
        elif n in _escapes:
            out.append(_escapes[n])
        elif 0xDC80 <= n <= 0xDCFF:
            out.append("\\x%02x" % (n - 0xDC00))
        elif c.isprintable():
            out.append(c)
        else:
            out.append(("\\x%02x" if n < 0x80 else "\\u%04x" if n < 0x10000 else "\\U%08x") % n)
    return quote + "".join(out) + quote


def _short(data):
    """Quotes a text. A long text is shortened in the middle."""
    if len(data) > 60:
        return "%s...%s (%d bytes)" % (_quoted(_text(data[:30])), _quoted(_text(data[-15:])), len(data))
    return _quoted(_text(data))
