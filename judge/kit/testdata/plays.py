"""The programs of the kit's tests, in Python. KIT_TEST_PLAY names the one to be."""

import os

import kit


def checker(t):
    print("another one")
    want, got = t.Ans.Int64(), t.Out.Int64()
    if got < 0:
        return
    if got > 100:
        raise ValueError("too large")
    if got != want:
        t.Quit(kit.WA, "want %d, got %d", want, got)
    if t.In.Rest() == "rest":
        t.Out.Rest()
    t.Quit(kit.OK)


def validator(reader):
    reader.Int(1, 9, "n")
    reader.EOLN()


def generator(g):
    g.Println(g.Kind, g.Rand.Between(1, 10**9))


def interactor(t):
    what = t.In.Token()
    if what == "double":
        t.Println("go")
        n = t.Int(0, 9, "n")
        t.Printf("%d\n", 2 * n)
        word = t.Token()
        if word != t.Ans.Token():
            t.Quit(kit.WA, "want another word than %s", word)
        t.EOF()
        t.Quit(kit.OK, "well said")
    if what == "line":
        if t.Line() != "a whole  line":
            t.Quit(kit.WA, "not that line")
        t.Share(0.5)
        t.Quit(kit.OK)
    if what == "points":
        t.Score(12.5)
        t.Quit(kit.OK)
    if what == "again":
        t.NextPass("line\n")
    if what == "panic":
        raise ValueError("no idea")


def reads(t):
    """Reads Out by the words of Ans, strictly if the case is called so."""
    out = kit.Reader(kit._bytes(t.Out.Rest()), "output", kit.WA, t.Name == "strict")
    read = {
        "token": out.Token,
        "word": lambda: out.Word(1, 3, "w"),
        "int64": lambda: str(out.Int64()),
        "int": lambda: str(out.Int(-5, 99, "n")),
        "space": lambda: out.Space() or "",
        "eoln": lambda: out.EOLN() or "",
        "eof": lambda: out.EOF() or "",
        "line": out.Line,
        "rest": out.Rest,
    }
    t.Quit(kit.OK, "%s", "|".join([read[word]() for word in t.Ans.Rest().split()]))


def draws(g):
    """Draws in every way there is."""
    r = g.Rand
    n = r.Between(1, 6)
    g.Println(n, r.Between(-3, 9), r.Between(-(2**63), 2**63 - 1), r.Between(-9, -2), r.Between(-9, 3))
    for _ in range(n):
        g.Print(r.IntN(10), ",", r.IntN(10**18), ",", r.IntN(2**63 - 1), ",", r.IntN(64), " ")
    g.Println(*r.Perm(n), int(r.Float64() * 2**53), r.Pick(["x", "y", "z"]))
    g.Println(*g.Words(0), g.IntOption("max", 7))


def golf(g):
    for k, a in enumerate(g.Answers):
        want = max(map(int, a.In))
        if a.Out.decode().strip() != str(want):
            g.Wrong(k, "want %d", want)
    g.Note("a note")
    g.Say("all: %s", g.All)


play = os.environ["KIT_TEST_PLAY"]
if play == "checker" and "ASSAY_KIT_STREAM" not in os.environ:
    print("a setter's print")
start, part = {
    "checker": (kit.Check, checker),
    "validator": (kit.Validate, validator),
    "generator": (kit.Generate, generator),
    "interactor": (kit.Interact, interactor),
    "reads": (kit.Check, reads),
    "draws": (kit.Generate, draws),
    "golf": (kit.CheckGolf, golf),
}[play]
start(part)
