package arena_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/running/sandbox"
)

// TestFaults runs bots with each kind of misbehavior, and checks how the fault is reported. An honest bot takes
// part in every tournament and must win.
func TestFaults(t *testing.T) {
	t.Run("go", func(t *testing.T) { faultsAre(t, program("referee")) })
	t.Run("python", func(t *testing.T) { faultsAre(t, python(t)) })
}

func faultsAre(t *testing.T, judging *judge.Program) {
	b := box(t)
	for _, tt := range []struct {
		it, bot string
		kind    arena.Fault
		bytes   string
		text    string
		out     bool // whether the bot is disqualified
	}{
		{"judges an illegal answer", "illegal", arena.Illegal, `"4"`, "", false},
		{"shows the bytes of a malformed answer", "malformed", arena.Malformed, `"1 \x00\xff"`, "", false},
		{"takes an empty line for an answer", "empty", arena.Malformed, `""`, "", false},
		{"does not take a second line for the next answer", "twice", arena.Unsolicited, `"2\n"`, "", true},
		{"bounds a line without an end", "flood", arena.Flood, `"1111111111`, "", true},
		{"bounds comments", "chatter", arena.Flood, "", "", true},
		{"ends a bot that computes too long", "spin", arena.TimeoutCPU, "", "CPU time", true},
		{"ends a bot that only waits, at the second time", "sleep", arena.TimeoutWall, "", "wall time", true},
		{"says with which code a bot ended", "exit", arena.Crashed, "", "exit code 3", true},
		{"lets the last answer before an exit count", "last", arena.Crashed, "", "exit code 0", true},
		{"takes an answer that is cut off by the exit", "cut", arena.Crashed, "", "exit code 0", true},
		{"names the signal that ended a bot", "kill", arena.Crashed, "", "SIGKILL", true},
		{"finds that a bot closed its output", "close", arena.Closed, "", "closed", true},
		{"finds that memory was the end of a bot", "memory", arena.OutOfMemory, "", "memory", true},
		{"does not take anything for ok", "learn-wrong", arena.LearnFault, `"why?"`, "not ok", true},
		{"finds that a bot ended while it learned", "learn-exit", arena.LearnFault, "", "exit code 1", true},
		{"ends a bot that does not read", "deaf", arena.NotReading, "", "read", true},
		{"does not wait for a bot that talks and does not read", "babble", "", "", "", true},
		{"leaves out a bot that is not ready", "not-ready", arena.InitFailed, `"hello"`, "not ready", true},
		{
			"leaves out a bot that says nothing", "mute", arena.InitFailed, "",
			"within 800ms; it wrote nothing: its output is probably not flushed", true,
		},
		{"leaves out a bot that does not end its line", "half", arena.InitFailed, `"ready"`, "not a whole line", true},
		{
			"leaves out a bot that says why it waits", "waits", arena.InitFailed, "",
			"hello (it did not get ready within 800ms; it probably waits for more input", true,
		},
		{
			"leaves out a bot that computes too long", "busy", arena.InitFailed, "",
			"within 100ms of CPU time; it was computing all the time", true,
		},
		{"leaves out a bot that ends at once", "gone", arena.InitFailed, "", "exit code 5", true},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			t.Parallel() // these tests mostly wait
			if tt.kind == arena.OutOfMemory && b.Level() == sandbox.None {
				t.Skip("nothing limits memory here: run as root, or with user namespaces")
			}
			e := newEvent(b, tt.bot, "good", "one")
			e.LogPath = filepath.Join(t.TempDir(), "log")
			e.Referee = judging
			e.Rules.Rounds = 1
			switch tt.kind {
			case arena.TimeoutCPU, arena.TimeoutWall, arena.NotReading:
				e.Rules.Move = 200 * time.Millisecond
				e.Rules.Options["more"] = "300000"
			case arena.InitFailed:
				if tt.bot != "not-ready" && tt.bot != "gone" {
					e.Rules.Start = 100 * time.Millisecond
				}
			}
			out := run(t, e)
			found := faultsOf(t, e, 1)
			if len(found) == 0 {
				t.Fatalf("no fault was found:\n%s", summary(out.Results))
			}
			for _, f := range found {
				if tt.kind == "" && (f.Kind == arena.Unsolicited || f.Kind == arena.Flood) {
					continue // depends on how much the bot has written by then
				}
				if f.Kind != tt.kind || !strings.Contains(f.Bytes, tt.bytes) || !strings.Contains(f.Text, tt.text) {
					t.Errorf("fault %+v, want %s with bytes %s and %q", f, tt.kind, tt.bytes, tt.text)
				}
			}
			if got := slices.ContainsFunc(out.Results.Disqualified, func(d arena.Disqualified) bool { return d.Bot == 1 }); got != tt.out {
				t.Errorf("out of the event: %v, want %v", got, tt.out)
			}
			if len(out.Results.Disqualified) > 1 {
				t.Errorf("an innocent bot is out: %+v", out.Results.Disqualified)
			}
		})
	}
}

// faultsOf returns all faults of a bot in the log, including those in void games.
func faultsOf(t *testing.T, e *arena.Tournament, bot int) (all []arena.GameFault) {
	t.Helper()
	for _, r := range records(t, e.LogPath) {
		switch {
		case r.Game != nil:
			for _, f := range []*arena.GameFault{r.Game.Fault, r.Game.After} {
				if f != nil && []int{r.Game.First, r.Game.Second}[f.Seat-1] == bot {
					all = append(all, *f)
				} else if f != nil {
					t.Errorf("an innocent bot is charged: %+v", f)
				}
			}
		case r.Out != nil && r.Out.Bot == bot:
			all = append(all, r.Out.Fault)
		}
	}
	return all
}

// records returns all records of a log in full. Records of games are written in parts, which must not be visible
// in the log.
func records(t *testing.T, path string) (all []arena.Record) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r arena.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(&r); err != nil || string(again)+"\n" != string(line) {
			t.Errorf("a record stands in the log as\n%sand not as\n%s", line, again)
		}
		all = append(all, r)
	}
	return all
}

func readLog(t *testing.T, path string) *arena.Log {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := arena.ReadLog(file, path)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestFaultsThatCostAGame(t *testing.T) {
	b := box(t)
	for _, name := range []string{"exit", "twice", "flood", "kill", "learn-wrong", "learn-exit", "close"} {
		t.Run("it starts a bot again: "+name, func(t *testing.T) {
			t.Parallel()
			e := newEvent(b, name, "good")
			e.Rules.Costs, e.Rules.Rounds = nil, 1
			out := run(t, e)
			if n := len(out.Results.Games); n != 2 || len(out.Results.Disqualified) > 0 {
				t.Errorf("%d games and %v, want both games and no disqualification", n, out.Results.Disqualified)
			}
			for _, g := range games(t, out.Results) {
				if g.Fault == nil && g.After == nil {
					t.Errorf("a game without the fault: %+v", g)
				}
			}
		})
	}
}

func TestPenalties(t *testing.T) {
	e := newEvent(box(t), "illegal", "one")
	e.Rules.Options["errs"] = "2"
	e.Rules.Rounds, e.Rules.Games = 1, 1
	g := games(t, run(t, e).Results)[0]
	if g.Reason != "illegal" || len(g.Notes) != 2 || g.Notes[0].Kind != "penalty" {
		t.Errorf("%s with notes %+v, want two penalties and then the loss", g.Reason, g.Notes)
	}
}

var eventBots = []string{"one", "remember", "all", "recall", "good", "remember:2", "comments"}

// TestTheResultDoesNotDependOnJobs checks that the number of jobs does not change the results of a tournament. Its
// bots remember everything they were sent, and one bot is disqualified during the tournament.
func TestTheResultDoesNotDependOnJobs(t *testing.T) {
	b := box(t)
	names := append(slices.Clone(eventBots), "learn-exit")
	var want string
	for _, jobs := range []int{1, 2, 5} {
		e := newEvent(b, names...)
		e.Jobs = jobs
		got := summary(run(t, e).Results)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with %d jobs:\n%s\nwith 1:\n%s", jobs, got, want)
		}
	}
	if !strings.Contains(want, "out 8") {
		t.Errorf("no bot is disqualified:\n%s", want)
	}
}

// host is a judge in a separate process, for tests that kill it.
func host() {
	if most, err := strconv.ParseUint(os.Getenv("ARENA_TEST_DISK"), 10, 64); err == nil {
		if err := limitDisk(most); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	b, err := newBox()
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		e := newEvent(b, eventBots...)
		if forks, err := strconv.Atoi(os.Getenv("ARENA_TEST_FORKS")); err == nil {
			e = newEvent(b, "fork", "good", "remember")
			e.Rules.Rounds = forks
		}
		e.Rules.Rounds, e.LogPath = max(e.Rules.Rounds, hostRounds), os.Args[1]
		_, err = e.Run(ctx)
	}
	if _, full := errors.AsType[*arena.LogError](err); full {
		os.Exit(fullDisk)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fullDisk is the exit code of a host that cannot write its log.
const fullDisk = 77

// hostRounds is the number of rounds that a host plays. It is large enough for a test to stop the host a few
// times.
const hostRounds = 12

// inOneGo returns the results of a host that is not stopped.
var inOneGo = sync.OnceValues(func() (string, error) {
	b, err := theBox()
	if err != nil {
		return "", err
	}
	e := newEvent(b, eventBots...)
	e.Rules.Rounds = hostRounds
	out, err := e.Run(context.Background())
	if err != nil {
		return "", err
	}
	return summary(out.Results), nil
})

// TestAFullDiskStopsTheEvent limits the size of the log so that a record is cut off.
func TestAFullDiskStopsTheEvent(t *testing.T) {
	b := box(t)
	want, err := inOneGo()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log")
	kept := 0
	for _, most := range []string{"10", "20011", "50007"} {
		p := startHost(t, path, "ARENA_TEST_DISK="+most)
		<-p.ended
		if code := p.state.ExitCode(); code != fullDisk {
			t.Fatalf("exit code %d with room for %s bytes, want %d", code, most, fullDisk)
		}
		log := readLog(t, path)
		if len(log.Damaged) > 0 || log.Games() < kept {
			t.Errorf("with room for %s bytes the log has %d games, %d before, and %v", most, log.Games(), kept, log.Damaged)
		}
		kept = log.Games()
	}
	e := newEvent(b, eventBots...)
	e.Rules.Rounds, e.LogPath = hostRounds, path
	out := run(t, e)
	if got := summary(out.Results); got != want {
		t.Errorf("after a full disk:\n%s\nin one go:\n%s", got, want)
	}
	if out.Kept == 0 {
		t.Error("nothing was kept")
	}
}

// TestAllThatAreNotReadyLeaveAtOnce checks that all bots that do not become ready are disqualified together. Other
// bots that remember must be greeted twice: once before and once after the disqualification.
func TestAllThatAreNotReadyLeaveAtOnce(t *testing.T) {
	e := newEvent(box(t), "not-ready", "recall", "gone", "good", "not-ready:2")
	e.LogPath = filepath.Join(t.TempDir(), "log")
	out := run(t, e).Results.Disqualified
	if len(out) != 3 || out[0].Bot != 1 || out[1].Bot != 3 || out[2].Bot != 5 || out[2].Run != 2 {
		t.Errorf("out are %+v, want 1, 3 and 5", out)
	}
	greeted := 0
	for _, r := range readLog(t, e.LogPath).Records() {
		if r.Ready != nil && r.Ready.Bot == 2 {
			greeted++
		}
	}
	if greeted != 2 {
		t.Errorf("a bot that remembers was greeted %d times, want 2", greeted)
	}
}

// TestAKilledJudgeIsResumed kills a judge repeatedly, and compares the final results with those of an
// uninterrupted tournament.
func TestAKilledJudgeIsResumed(t *testing.T) {
	b := box(t)
	want, err := inOneGo()
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "log")
	for kills := 0; kills < 3; {
		p := startHost(t, path)
		grown := waitForGrowth(path, 20_000, p.ended)
		_ = p.Kill()
		<-p.ended
		if !grown {
			break
		}
		kills++
	}
	e := newEvent(b, eventBots...)
	e.Rules.Rounds, e.LogPath = hostRounds, path
	out := run(t, e)
	if got := summary(out.Results); got != want {
		t.Errorf("after three kills:\n%s\nin one go:\n%s", got, want)
	}
	if out.Kept == 0 {
		t.Error("nothing was kept")
	}
	// A further run has nothing to do.
	again := newEvent(b, eventBots...)
	again.Rules.Rounds, again.LogPath = hostRounds, path
	if out := run(t, again); out.Played != 0 || summary(out.Results) != want {
		t.Errorf("%d games were played again", out.Played)
	}
}

type hostProcess struct {
	*os.Process
	ended chan struct{}
	state *os.ProcessState // then
}

func startHost(t *testing.T, path string, env ...string) *hostProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(self, []string{self, path}, &os.ProcAttr{
		Env: append(append(os.Environ(), "ARENA_TEST=host"), env...), Files: []*os.File{nil, nil, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &hostProcess{Process: p, ended: make(chan struct{})}
	go func() { h.state, _ = p.Wait(); close(h.ended) }()
	return h
}

// waitForGrowth waits until the games in a log have grown by the given number of bytes.
func waitForGrowth(path string, grown int64, ended <-chan struct{}) bool {
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	first := size()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for size() < first+grown {
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
	}
	return true
}

func TestANewBotPlaysOnlyWhatIsMissing(t *testing.T) {
	b := box(t)
	path := filepath.Join(t.TempDir(), "log")
	e := newEvent(b, "one", "all", "remember")
	e.LogPath = path
	first := run(t, e)
	e = newEvent(b, "one", "all", "remember", "good")
	e.LogPath = path
	out := run(t, e)
	if out.Kept != len(first.Results.Games) || out.Played != 12 {
		t.Errorf("kept %d and played %d, want %d and the 12 of the new bot", out.Kept, out.Played, len(first.Results.Games))
	}
	e = newEvent(b, "one", "all", "remember", "good")
	e.Bots[3].Hash, e.Bots[3].Program = "other", program("all")
	e.LogPath = path
	if out := run(t, e); out.Played != 12 {
		t.Errorf("played %d after the bot was changed, want its 12", out.Played)
	}
}

// TestALateBotIsTold checks the note about a bot that joined after the tournament had begun. The note explains why
// the games differ from those of a new tournament. If the games are the same, there must be no note.
func TestALateBotIsTold(t *testing.T) {
	b := box(t)
	path := filepath.Join(t.TempDir(), "log")
	held := func(names ...string) *arena.Outcome {
		e := newEvent(b, names...)
		e.Rules.Rounds, e.LogPath = 1, path
		return run(t, e)
	}
	for _, row := range []struct {
		bots []string
		want string
	}{
		{[]string{"one", "good"}, ""},
		{[]string{"good", "one"}, ""},
		{[]string{"one", "good", "all"}, ""},
		{[]string{"all", "one", "good"}, "all joined after the event had begun. Which bot goes first"},
		{[]string{"one", "good", "all", "recall"}, "all and recall joined after the event had begun. Bots that remember"},
	} {
		if got := held(row.bots...).LateNote(); !strings.HasPrefix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("with %v it says %q, want %q", row.bots, got, row.want)
		}
	}
}

func TestADamagedLogKeepsItsGoodPart(t *testing.T) {
	b := box(t)
	path := filepath.Join(t.TempDir(), "log")
	e := newEvent(b, "one", "all", "good")
	e.LogPath = path
	want := summary(run(t, e).Results)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[6] = []byte("{\"game\":{\"run\x00\n")
	data = append(bytes.Join(lines[:12], nil), lines[12][:20]...) // the last line is cut off
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	e = newEvent(b, "one", "all", "good")
	e.LogPath = path
	out := run(t, e)
	if len(out.Damaged) != 2 || out.Damaged[0].Line != 7 || out.Damaged[1].Line != 13 {
		t.Errorf("damaged: %v, want lines 7 and 13", out.Damaged)
	}
	if out.Kept == 0 || out.Played == 0 || summary(out.Results) != want {
		t.Errorf("kept %d, played %d:\n%s\nwant\n%s", out.Kept, out.Played, summary(out.Results), want)
	}
}

func TestALogOfOtherRulesIsRefused(t *testing.T) {
	b := box(t)
	path := filepath.Join(t.TempDir(), "log")
	e := newEvent(b, "one", "all")
	e.LogPath = path
	run(t, e)
	e = newEvent(b, "one", "all")
	e.LogPath, e.Seed = path, 8
	if _, err := e.Run(t.Context()); !strings.Contains(fmt.Sprint(err), "an event with other options") {
		t.Errorf("error = %v", err)
	}
}

func TestOptionsThatTheRefereeRefuses(t *testing.T) {
	e := newEvent(box(t), "one", "all")
	e.Rules.Options["errs"] = "many"
	_, err := e.Run(t.Context())
	if _, ok := errors.AsType[*arena.OptionsError](err); !ok || !strings.Contains(err.Error(), `"many"`) {
		t.Errorf("error = %v, want an *OptionsError about many", err)
	}
}

func TestTheEndOfTheContextGivesWhatStands(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := newEvent(box(t), eventBots...)
	e.Rules.Rounds = 5000
	e.OnProgress = func(p *arena.Progress) {
		if p.Played > 0 {
			cancel()
		}
	}
	out, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) || out == nil || len(out.Results.Games) == 0 || out.Complete {
		t.Errorf("Run = %+v, %v", out, err)
	}
}

// TestNothingOutlivesTheEvent checks that processes forked by a bot are killed.
func TestNothingOutlivesTheEvent(t *testing.T) {
	b := box(t)
	if b.Level() == sandbox.None {
		t.Skip("nothing isolates here: run as root, or with user namespaces")
	}
	run(t, newEvent(b, "fork", "good"))
	if left := leftOver(t, "sleeper"); len(left) > 0 {
		t.Errorf("a fork has outlived the event: %v", left)
	}
}

// leftOver lists the /proc directories of processes that play a role in this test.
func leftOver(t *testing.T, role string) (left []string) {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(environs) == 0 {
		t.Skip("no /proc")
	}
	for _, path := range environs {
		text, err := os.ReadFile(path)
		if vars := strings.Split(string(text), "\x00"); err == nil && slices.Contains(vars, "ARENA_TEST="+role) &&
			slices.Contains(vars, markEnv+"="+mark()) {
			left = append(left, path)
		}
	}
	return left
}

// TestNothingOutlivesTheJudge stops a judge during a tournament whose bots start processes, and checks that none
// remain.
func TestNothingOutlivesTheJudge(t *testing.T) {
	b := box(t)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		t.Run(s.String(), func(t *testing.T) {
			if b.Level() == sandbox.None {
				t.Skip("nothing isolates here: run as root, or with user namespaces")
			}
			path := filepath.Join(t.TempDir(), "log")
			p := startHost(t, path, "ARENA_TEST_FORKS=5000", markEnv+"="+mark())
			if !waitForGrowth(path, 3_000, p.ended) {
				t.Fatal("the event ended before it could be stopped")
			}
			if err := p.Signal(s); err != nil {
				t.Fatal(err)
			}
			<-p.ended
			for _, role := range []string{"sleeper", "fork", "good", "remember", "referee"} {
				for start := time.Now(); len(leftOver(t, role)) > 0; runtime.Gosched() { // wait for the kernel to kill them
					if time.Since(start) > time.Minute {
						t.Fatalf("%s has outlived the judge: %v", role, leftOver(t, role))
					}
				}
			}
		})
	}
}

// TestProcessesOfAGameStayTogether checks that both bots of a game are pinned to the same CPU, as they report.
func TestProcessesOfAGameStayTogether(t *testing.T) {
	b := box(t)
	if runtime.NumCPU() < 2 || !strings.Contains(processors(), " ") {
		t.Skip("there is only one processor")
	}
	out := run(t, newEvent(b, "where", "where:2", "where:3"))
	seen := 0
	for _, g := range games(t, out.Results) {
		for _, n := range g.Notes {
			if seen++; n.Text != g.Notes[0].Text || strings.Contains(n.Text, " ") || n.Text == "" {
				t.Errorf("in a game between %d and %d one runs on %q, and the other on %q", g.First, g.Second, g.Notes[0].Text, n.Text)
			}
		}
	}
	if seen == 0 {
		t.Error("the log does not say where it runs")
	}
}
