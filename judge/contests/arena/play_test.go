package arena_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/kit/referee"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestMain also runs every program of the tests, because the test binary serves as the referee, the bots, and a
// judge that is killed.
func TestMain(m *testing.M) {
	sandbox.Main()
	switch role := os.Getenv("ARENA_TEST"); role {
	case "":
		os.Exit(m.Run())
	case "referee":
		referee.Main(heap())
	case "host":
		host()
	case "sleeper":
		idle()
	case "fast":
		fast()
	case "ping":
		ping()
	case "echo":
		echo()
	default:
		play(role)
	}
}

// heap returns the rules of a small game. Bots take turns in taking 1 to 3 from a heap, and the bot that takes the
// last one wins. The option errs is the number of errors that each bot may make.
func heap() referee.Rules {
	var errs int64
	return referee.Rules{
		Check: func(e *referee.Event) (err error) {
			errs, err = e.IntIn("errs", 0, 10)
			return err
		},
		Greet: func(b *referee.Bot) {
			words := strings.Fields(b.Ask(fmt.Sprintf("heap %d %d", b.ID, b.Seed)))
			if len(words) == 0 || words[0] != "ready" {
				b.Refuse("it is not ready")
			}
			for _, w := range words[1:] {
				b.Pure = b.Pure || w == "pure"
				if w == "learn" {
					b.Data = true
				}
			}
		},
		Play: func(g *referee.Game) {
			left := 10 + g.Rand.Int64N(20)
			g.Start(strconv.FormatInt(left, 10))
			erred := [3]int64{}
			for seat := 1; ; {
				answer := g.Ask(seat, fmt.Sprintf("move %d%s", left, strings.Repeat(" 0", int(g.Int("more")))))
				n, err := strconv.ParseInt(strings.TrimSpace(answer), 10, 64)
				kind := ""
				switch {
				case err != nil:
					kind = "malformed"
				case n < 1 || n > min(3, left):
					kind = "illegal"
				}
				if kind != "" {
					if erred[seat]++; erred[seat] > errs {
						g.Lose(seat, kind, "%q of %d", answer, left)
					}
					g.Note(seat, "penalty", "%q", answer)
					continue
				}
				g.Move(seat, strconv.FormatInt(n, 10))
				if left -= n; left == 0 {
					g.Win(seat, "last-one")
				}
				seat = 3 - seat
			}
		},
		Over: func(g *referee.Game) {
			for seat := 1; seat <= 2; seat++ {
				g.Tell(seat, fmt.Sprintf("result %t", g.Result.Winner == seat))
				if g.Bot(seat).Data == true && !g.Lost(seat) {
					if answer := g.Ask(seat, "learn "+strconv.Itoa(g.Result.Winner)); answer != "ok" {
						g.Lose(seat, "malformed", "%q is not ok", answer)
					}
				}
			}
		},
		Look: func(_ *referee.Event, p *referee.Played) []referee.Position {
			return make([]referee.Position, len(p.Moves)+1)
		},
	}
}

// bots maps the names of bot programs to what they do when asked for a move.
var bots = map[string]struct {
	ready string
	move  func(b *talker, left int)
}{
	"one":      {"ready pure", func(b *talker, left int) { b.say("1") }},
	"all":      {"ready pure", func(b *talker, left int) { b.say(fmt.Sprint(min(left, 3))) }},
	"good":     {"ready pure", func(b *talker, left int) { b.say(fmt.Sprint(max(1, left%4))) }},
	"remember": {"ready learn", func(b *talker, left int) { b.say(fmt.Sprint(1 + b.sum()%min(left, 3))) }},
	"recall":   {"ready", func(b *talker, left int) { b.say(fmt.Sprint(1 + (b.sum()/7)%min(left, 3))) }},
	"where":    {"ready", func(b *talker, left int) { b.say("# " + processors()); b.say("1") }},
	"comments": {"ready", func(b *talker, left int) { b.say("# hm"); b.say("1") }},

	"illegal":      {"ready", func(b *talker, left int) { b.say("4") }},
	"malformed":    {"ready", func(b *talker, left int) { b.say("1 \x00\xff") }},
	"empty":        {"ready", func(b *talker, left int) { b.say("") }},
	"twice":        {"ready", func(b *talker, left int) { b.say("1\n2") }},
	"flood":        {"ready", func(b *talker, left int) { b.forever("1111111111") }},
	"chatter":      {"ready", func(b *talker, left int) { b.forever("# blah\n") }},
	"spin":         {"ready", func(b *talker, left int) { spin() }},
	"sleep":        {"ready", func(b *talker, left int) { idle() }},
	"exit":         {"ready", func(b *talker, left int) { os.Exit(3) }},
	"last":         {"ready", func(b *talker, left int) { b.say("1"); os.Exit(0) }},
	"cut":          {"ready", func(b *talker, left int) { fmt.Fprint(os.Stdout, "1"); os.Exit(0) }},
	"kill":         {"ready", func(b *talker, left int) { killSelf() }},
	"close":        {"ready", func(b *talker, left int) { os.Stdout.Close(); idle() }},
	"memory":       {"ready", func(b *talker, left int) { grow() }},
	"nap1":         {"ready", func(b *talker, left int) { time.Sleep(time.Millisecond); b.say("1") }},
	"nap4":         {"ready", func(b *talker, left int) { time.Sleep(4 * time.Millisecond); b.say("2") }},
	"nap16":        {"ready", func(b *talker, left int) { time.Sleep(16 * time.Millisecond); b.say("3") }},
	"rare":         {"ready pure", func(b *talker, left int) { b.rarely(left) }},
	"held":         {"ready", func(b *talker, left int) { b.held(); b.say("1") }},
	"held-recall":  {"ready", func(b *talker, left int) { b.held(); b.say(fmt.Sprint(1 + (b.sum()/7)%min(left, 3))) }},
	"learn-slowly": {"ready learn", func(b *talker, left int) { b.say("1") }},
	"learn-wrong":  {"ready learn", func(b *talker, left int) { b.say("1") }},
	"learn-exit":   {"ready learn", func(b *talker, left int) { b.say("1") }},
	"fork":         {"ready", func(b *talker, left int) { fork(); b.say("1") }},
	"not-ready":    {"hello", func(b *talker, left int) {}},
	"deaf":         {"ready", func(b *talker, left int) {}},
	"babble":       {"ready", func(b *talker, left int) {}},
	"mute":         {"", func(b *talker, left int) {}},
	"gone":         {"", func(b *talker, left int) {}},
	"half":         {"", func(b *talker, left int) {}},
	"waits":        {"", func(b *talker, left int) {}},
	"busy":         {"", func(b *talker, left int) {}},
}

// talker is a bot's side of the pipes.
type talker struct {
	seen  int // summary of all messages received
	games int // number of finished games
}

func (b *talker) say(line string) { fmt.Println(line) }

func (b *talker) sum() int { return b.seen }

// rarely makes an illegal move if a game begins with 29.
func (b *talker) rarely(left int) {
	if left == 29 {
		b.say("4")
	} else {
		b.say("1")
	}
}

// held waits until a file in the program's directory shows that the bot's earlier games have been logged.
func (b *talker) held() {
	self, err := os.Executable()
	for err = cmp.Or(err, os.ErrNotExist); b.games > 0 && err != nil; time.Sleep(50 * time.Millisecond) {
		_, err = os.Stat(filepath.Join(filepath.Dir(self), fmt.Sprint("logged-", b.games)))
	}
}

func (b *talker) forever(text string) {
	for {
		if _, err := io.WriteString(os.Stdout, strings.Repeat(text, 1000)); err != nil {
			os.Exit(1)
		}
	}
}

// play is a bot.
func play(name string) {
	bot, b := bots[name], &talker{}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 8<<20)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "heap":
			if name == "deaf" {
				b.say(bot.ready)
				idle()
			}
			switch name {
			case "mute":
				idle()
			case "half":
				os.Stdout.WriteString("ready")
				idle()
			case "waits":
				os.Stdout.WriteString("# hello\n")
				idle()
			case "busy":
				for n := uint(0); ; n++ { // compute without ever answering
					runtime.KeepAlive(n)
				}
			case "gone":
				fmt.Fprintln(os.Stderr, "no such luck")
				os.Exit(5)
			}
			b.say(bot.ready)
			if name == "babble" {
				b.forever("1\n")
			}
		case "move":
			left, _ := strconv.Atoi(words[1])
			bot.move(b, left)
			b.seen += left * 31
		case "learn":
			if name == "learn-exit" {
				os.Exit(1)
			}
			if name == "learn-slowly" {
				time.Sleep(200 * time.Millisecond)
			}
			b.seen = b.seen*17 + len(words[1])
			if name == "learn-wrong" {
				b.say("why?")
			} else {
				b.say("ok")
			}
		case "result":
			b.games++
			if b.seen *= 3; words[1] == "true" {
				b.seen++
			}
			b.seen %= 1_000_003
		case "quit":
			return
		}
	}
}

// idle does nothing until it is killed.
func idle() {
	for {
		time.Sleep(time.Hour)
	}
}

func spin() {
	for n := uint64(1); n != 0; n = n*3 + 2 {
	}
}

func grow() {
	var kept [][]byte
	for {
		b := make([]byte, 16<<20)
		for i := range b {
			b[i] = 1
		}
		kept = append(kept, b)
		runtime.KeepAlive(kept)
	}
}

func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	idle()
}

func fork() {
	self, err := os.Executable()
	if err == nil {
		_, err = os.StartProcess(self, os.Args, &os.ProcAttr{Env: append(os.Environ(), "ARENA_TEST=sleeper")})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// markEnv is an environment variable that marks the processes started by a test.
const markEnv = "ARENA_TEST_MARK"

func mark() string { return cmp.Or(os.Getenv(markEnv), strconv.Itoa(os.Getpid())) }

// program returns this binary in another role. It sets GORACE, because a binary built with the race detector
// sleeps for a second before it exits by default.
func program(role string) *judge.Program {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &judge.Program{
		Name: role, Key: role, Dir: filepath.Dir(self),
		Argv: []string{judge.ProgramDir + "/" + filepath.Base(self)},
		Env:  []string{"ARENA_TEST=" + role, markEnv + "=" + mark(), "GOMAXPROCS=2", "GORACE=atexit_sleep_ms=0"},
	}
}

var theBox = sync.OnceValues(func() (*sandbox.Sandbox, error) { return newBox() })

func newBox() (*sandbox.Sandbox, error) {
	o := sandboxtest.Any()
	o.Workers = 2
	return sandbox.New(o)
}

func box(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	b, err := theBox()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.NewChannel(); err != nil {
		t.Skipf("the arena does not work on this system: %v", err)
	}
	return b
}

// newEvent returns a tournament of the small game. Faults that end a process disqualify the bot.
func newEvent(b *sandbox.Sandbox, names ...string) *arena.Tournament {
	costs := map[arena.Fault]arena.Cost{}
	for _, f := range arena.Faults {
		if f != arena.Illegal && f != arena.Malformed {
			costs[f] = arena.CostTournament
		}
	}
	e := &arena.Tournament{
		Game: "heap", Seed: 7, Sandbox: b, Jobs: 2,
		Referee: program("referee"), RefereePath: "referee",
		Rules: arena.Rules{
			Name: "test", Format: "round-robin", Rounds: 2, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 1},
			Move: 5 * time.Second, Start: 20 * time.Second, Wall: 3, Memory: 256 << 20, Costs: costs, Options: map[string]string{
				"errs": "0", "more": "0",
			},
		},
	}
	for _, name := range names {
		role, _, _ := strings.Cut(name, ":")
		e.Bots = append(e.Bots, &arena.Contestant{Bot: arena.Bot{Name: name, Hash: role}, Program: program(role)})
	}
	return e
}

// run holds an event.
func run(t testing.TB, e *arena.Tournament) *arena.Outcome {
	t.Helper()
	out, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !out.Complete {
		t.Fatal("the event is not over")
	}
	return out
}

// games loads the games of a tournament.
func games(t *testing.T, r *arena.Results) []*arena.Game {
	t.Helper()
	games, err := r.LoadAll()
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// summary formats everything that must not depend on how a tournament was run: the games and the
// disqualifications.
func summary(r *arena.Results) string {
	var b strings.Builder
	for _, d := range r.Disqualified {
		fmt.Fprintln(&b, "out", d.Bot, d.Game, d.Fault.Kind)
	}
	games, err := r.LoadAll()
	if err != nil {
		panic(err)
	}
	for i, g := range games {
		fmt.Fprintln(&b, arena.Notation(r, i+1, g), g.Seed)
	}
	for _, row := range arena.Table(r) {
		fmt.Fprintf(&b, "%+v\n", row)
	}
	return b.String()
}
