package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/judge/kit/referee"
)

// game is the referee of Sylver Coinage, which speaks sylver/1 with the bots.
type game struct {
	event *referee.Event // whose options these are
	o     options

	p       position
	list    []int64
	line    []byte
	numbers []byte // the numbers so far, each after a blank
}

// options are what a rule set says.
type options struct {
	start     []int64 // a fixed one
	drawn     bool
	same      bool // for both seats, and for all pairs of a round
	low, high int64
	prime     bool // a prime may be the first number
	cap       int64
	moves     int64 // after so many announcements the game is a draw
	penalties int64 // the illegal answer that loses
	list      int64 // as many gaps are listed at most
}

func newGame() *game { return &game{} }

func (g *game) rules() referee.Rules {
	return referee.Rules{Check: g.check, Greet: g.greet, Play: g.play, Over: g.over, Look: g.look}
}

func (g *game) check(e *referee.Event) error {
	o, err := readOptions(e)
	g.event, g.o = e, o
	return err
}

func readOptions(e *referee.Event) (o options, err error) {
	number := func(to *int64, name string, low, high int64) {
		n, bad := e.IntIn(name, low, high)
		*to, err = n, errors.Join(err, bad)
	}
	number(&o.low, "low", 2, largest)
	number(&o.high, "high", 2, largest)
	number(&o.cap, "cap", 1, largest)
	number(&o.moves, "max_moves", 1, 1_000_000)
	number(&o.penalties, "penalties", 1, 1000)
	number(&o.list, "gaps", 0, 1_000_000)
	yes := func(to *bool, name, yes, no string) {
		if *to = e.Text(name) == yes; !*to && e.Text(name) != no {
			err = errors.Join(err, fmt.Errorf("the option %s is %q: it must be %s or %s", name, e.Text(name), yes, no))
		}
	}
	yes(&o.same, "same_start", "yes", "no")
	yes(&o.prime, "first_prime", "yes", "no")
	switch text := e.Text("start"); text {
	case "drawn":
		o.drawn = true
	case "none":
	default:
		for word := range strings.FieldsSeq(strings.ReplaceAll(text, ",", " ")) {
			n, bad := strconv.ParseInt(word, 10, 64)
			if bad != nil || n < 2 || n > largest {
				return o, errors.Join(err, fmt.Errorf("the option start is %q: it must be drawn, none, or numbers from 2 to 10^18", text))
			}
			o.start = append(o.start, n)
		}
		if len(o.start) == 0 {
			err = errors.Join(err, errors.New("the option start is empty: it must be drawn, none, or numbers"))
		}
	}
	if err != nil {
		return o, err
	}
	return o, o.contradict()
}

// contradict says which options cannot hold together.
func (o *options) contradict() error {
	switch {
	case o.drawn && o.high <= o.low:
		return fmt.Errorf("a start cannot be drawn from %d to %d: two coprime numbers are needed", o.low, o.high)
	case o.drawn && o.high > o.cap:
		return fmt.Errorf("a start is drawn up to %d, but numbers are capped at %d", o.high, o.cap)
	case (o.drawn || len(o.start) > 0) && !o.prime:
		return errors.New("first_prime = no is for games without a start: set start = none")
	}
	var p position
	for _, n := range o.start {
		if is, err := p.legal(n); err != nil || !is {
			return fmt.Errorf("the start has %d, which is a sum of the numbers before it", n)
		}
		p.add(n)
	}
	return nil
}

// said is what a bot said of itself when it got ready.
type said struct{ gaps, learn bool }

func (g *game) greet(b *referee.Bot) {
	answer := b.Ask(fmt.Sprintf("sylver 1 %s %d %d %d %d %d %d %d", b.Rules, b.ID, b.Bots, b.MoveMS, b.ClockMS, g.o.cap, g.o.penalties, b.Seed))
	words := strings.Fields(answer)
	if len(words) == 0 || words[0] != "ready" {
		b.Refuse("it must answer ready, and answered %.80q", answer)
	}
	var is said
	for _, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "name="): // to the end of the line
			_, name, _ := strings.Cut(answer, "name=")
			b.Title = strings.ToValidUTF8(strings.TrimSpace(name), "?")
			b.Data = is
			return
		case w == "gaps":
			is.gaps = true
		case w == "learn":
			is.learn = true
		case w == "pure":
			b.Pure = true
		default:
			b.Refuse("it got ready with the unknown word %.40q; there are gaps, learn, pure and name=TEXT", w)
		}
	}
	b.Data = is
}

// play plays a game: the bots announce in turn.
func (g *game) play(k *referee.Game) {
	g.begin(k)
	var penalties [2]int64
	for announced, seat := int64(0), 1; ; announced, seat = announced+1, 3-seat {
		if announced == g.o.moves {
			k.Draw("max-moves")
		}
		for {
			answer := k.AskBytes(seat, g.request(k, seat))
			x, kind, why := g.judge(answer, announced)
			if kind == "too-large" {
				k.Note(seat, kind, "%s: %s", answer, why)
				k.Draw(kind)
			}
			if kind == "" {
				k.Move(seat, string(bytes.TrimSpace(answer)))
				g.announce(x)
				break
			}
			if penalties[seat-1]++; penalties[seat-1] >= g.o.penalties {
				if g.o.penalties > 1 {
					why += fmt.Sprintf("; it was its penalty number %d", g.o.penalties)
					kind = "penalties"
				}
				k.Lose(seat, kind, "%s", why)
			}
			k.Note(seat, "penalty", "%s %q: %s", kind, answer, why)
			k.Tell(seat, fmt.Sprintf("illegal %s %d %d", number(answer), penalties[seat-1], g.o.penalties))
		}
		if g.p.gens[0] == 1 {
			k.Win(3-seat, "named-one")
		}
	}
}

// number is an illegal answer as a bot is told of it: 0 where it is not a number.
func number(answer []byte) string {
	if text, ok := form(answer); ok {
		return text
	}
	return "0"
}

// begin draws the start and tells the bots of the game.
func (g *game) begin(k *referee.Game) {
	g.p.reset()
	g.numbers = g.numbers[:0]
	start := g.o.start
	if g.o.drawn {
		rand := k.Rand
		if g.o.same {
			rand = k.Shared()
		}
		a, b := int64(2), int64(2)
		for gcd(a, b) != 1 || a == b {
			a, b = g.o.low+rand.Int64N(g.o.high-g.o.low+1), g.o.low+rand.Int64N(g.o.high-g.o.low+1)
		}
		start = []int64{a, b}
	}
	for _, n := range start {
		g.announce(n)
	}
	k.Start(strings.TrimSpace(string(g.numbers)))
	for seat := 1; seat <= 2; seat++ {
		g.line = append(g.line[:0], "game "...)
		g.line = strconv.AppendInt(g.line, int64(k.No), 10)
		g.line = append(g.line, ' ', '0'+byte(seat), ' ')
		g.line = strconv.AppendInt(g.line, int64(k.Bot(3-seat).ID), 10)
		k.TellBytes(seat, g.line)
	}
}

func (g *game) announce(n int64) {
	g.p.add(n)
	g.numbers = append(g.numbers, ' ')
	g.numbers = strconv.AppendInt(g.numbers, n, 10)
}

// request makes the lines that ask for a number.
func (g *game) request(k *referee.Game, seat int) []byte {
	if is, ok := k.Bot(seat).Data.(said); ok && is.gaps {
		k.TellBytes(seat, g.gapsLine())
	}
	g.line = append(g.line[:0], "move "...)
	g.line = strconv.AppendInt(g.line, int64(len(g.p.numbers)), 10)
	g.line = append(g.line, g.numbers...)
	g.line = append(g.line, ' ')
	return strconv.AppendInt(g.line, k.UsedMS(seat), 10)
}

// gapsLine lists what is left, if it is not too much. Where a cap forbids some of
// the gaps of the numbers, they are not left.
func (g *game) gapsLine() []byte {
	g.line = append(g.line[:0], "gaps "...)
	count, top, err := g.p.left()
	if err != nil {
		count = 1<<63 - 1
	}
	listed := false
	if count != infinite && err == nil {
		g.list, listed = g.p.gaps(g.list, int(g.o.list), g.o.cap)
	}
	if listed && top > g.o.cap {
		count = int64(len(g.list))
	}
	g.line = strconv.AppendInt(g.line, count, 10)
	if listed {
		for _, n := range g.list {
			g.line = append(g.line, ' ')
			g.line = strconv.AppendInt(g.line, n, 10)
		}
	}
	return g.line
}

// form reads the form of an answer: optional blanks, a sign, 1 to 19 digits,
// optional blanks. It returns sign and digits.
func form(answer []byte) (string, bool) {
	text := bytes.Trim(answer, " \t\r")
	digits := text
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) < 1 || len(digits) > 19 {
		return "", false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return "", false
		}
	}
	return string(text), true
}

// judge reads an answer. The kind is "" where the number may be announced, be it 1.
func (g *game) judge(answer []byte, announced int64) (x int64, kind, why string) {
	text, ok := form(answer)
	if !ok {
		return 0, "malformed", "an answer is one integer of at most 19 digits"
	}
	u, err := strconv.ParseUint(strings.TrimLeft(text, "+-"), 10, 64)
	switch {
	case err != nil || u > uint64(g.o.cap) && text[0] != '-':
		return 0, "illegal", fmt.Sprintf("%s is above the cap of %d", text, g.o.cap)
	case u == 0 || text[0] == '-':
		return 0, "illegal", text + " is not a natural number above 0"
	case u == 1:
		return 1, "", ""
	}
	x = int64(u)
	if announced == 0 && !g.o.prime && isPrime(x) {
		return 0, "illegal", text + " is a prime, and the first number may be none"
	}
	switch legal, err := g.p.legal(x); {
	case err != nil:
		return 0, "too-large", err.Error()
	case !legal:
		why := text + " is a sum of announced numbers"
		if how := g.p.combination(x); how != "" {
			why += ": " + how
		}
		return 0, "illegal", why
	}
	return x, "", ""
}

// over tells the bots the result, and lets them learn.
func (g *game) over(k *referee.Game) {
	for seat := 1; seat <= 2; seat++ {
		g.line = append(g.line[:0], "result "...)
		switch k.Result.Winner {
		case 0:
			g.line = append(g.line, "draw "...)
		case seat:
			g.line = append(g.line, "win "...)
		default:
			g.line = append(g.line, "loss "...)
		}
		g.line = append(append(g.line, k.Result.Reason...), ' ')
		k.TellBytes(seat, g.withNumbers())
	}
	for seat := 1; seat <= 2; seat++ {
		is, _ := k.Bot(seat).Data.(said)
		if !is.learn || k.Lost(seat) {
			continue
		}
		g.line = append(g.line[:0], "learn "...)
		g.line = strconv.AppendInt(g.line, int64(k.Bot(1).ID), 10)
		g.line = append(g.line, ' ')
		g.line = strconv.AppendInt(g.line, int64(k.Bot(2).ID), 10)
		g.line = append(g.line, ' ')
		if answer := k.AskBytes(seat, g.withNumbers()); string(bytes.TrimSpace(answer)) != "ok" {
			k.Lose(seat, "malformed", "the answer to learn is ok")
		}
	}
}

// withNumbers appends the count and the numbers to the line.
func (g *game) withNumbers() []byte {
	g.line = strconv.AppendInt(g.line, int64(len(g.p.numbers)), 10)
	g.line = append(g.line, g.numbers...)
	return g.line
}

func isPrime(n int64) bool {
	if n < 2 {
		return false
	}
	for _, p := range []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37} {
		if n%p == 0 {
			return n == p
		}
	}
	// These bases are enough for all numbers below 3.3 * 10^24.
	d, twos := n-1, 0
	for d%2 == 0 {
		d, twos = d/2, twos+1
	}
	return !slices.ContainsFunc([]int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}, func(base int64) bool {
		x := power(base, d, n)
		if x == 1 || x == n-1 {
			return false
		}
		for range twos - 1 {
			if x = times(x, x, n); x == n-1 {
				return false
			}
		}
		return true
	})
}
