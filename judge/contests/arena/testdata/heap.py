"""The referee of the tests, in Python: see heap in play_test.go."""

import kit_referee as referee

errs = 0


def check(e):
    global errs
    errs = e.IntIn("errs", 0, 10)


def greet(b):
    words = b.Ask("heap %d %d" % (b.ID, b.Seed)).split()
    if words[:1] != ["ready"]:
        b.Refuse("it is not ready")
    b.Pure = "pure" in words[1:]
    b.Data = "learn" in words[1:]


def play(g):
    left = 10 + g.Rand.IntN(20)
    g.Start(left)
    erred, seat = [0, 0, 0], 1
    while True:
        answer = g.Ask(seat, "move %d%s" % (left, " 0" * g.Int("more")))
        try:
            n, kind = int(answer.strip()), ""
            if not 1 <= n <= min(3, left):
                kind = "illegal"
        except ValueError:
            kind = "malformed"
        if kind:
            erred[seat] += 1
            if erred[seat] > errs:
                g.Lose(seat, kind, '"%s" of %d', answer, left)
            g.Note(seat, "penalty", '"%s"', answer)
            continue
        g.Move(seat, n)
        left -= n
        if left == 0:
            g.Win(seat, "last-one")
        seat = 3 - seat


def over(g):
    for seat in (1, 2):
        g.Tell(seat, "result %s" % ("true" if g.Result.Winner == seat else "false"))
        if g.Bot(seat).Data and not g.Lost(seat):
            answer = g.Ask(seat, "learn %d" % g.Result.Winner)
            if answer != "ok":
                g.Lose(seat, "malformed", "%s is not ok", answer)


def look(e, p):
    return [referee.Position() for _ in range(len(p.Moves) + 1)]


referee.Main(Check=check, Greet=greet, Play=play, Over=over, Look=look)
