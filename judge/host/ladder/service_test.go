package ladder

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/dispatch"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/host/workflow"
)

// An admits is a queue that only admits workers.
type admits struct{ dispatch.Queue }

func (admits) Admit(string, string, string, bool) error { return nil }
func (admits) Control(string, job.Control) error        { return nil }
func (admits) SendNews(queue.News) error                { return nil }

// A harness is a server's database with a ladder, and a Service with a clock that the test sets.
type harness struct {
	*testing.T
	*Service
	store *store.Store
	blobs *blob.Dir
	log   bytes.Buffer
	now   time.Time
	owner string
	l     *store.Ladder
}

func newHarness(t *testing.T, slots int) *harness {
	t.Helper()
	h := &harness{T: t, now: time.Now().Truncate(time.Second)}
	dir := storetest.Dir(t)
	clock := func() time.Time { return h.now }
	var err error
	h.store, err = store.Open(t.Context(), store.Options{Dir: dir, Version: "test", Now: clock})
	h.must(err)
	t.Cleanup(func() { _ = h.store.Close() })
	h.blobs, err = blob.Open(filepath.Join(dir, "blobs"), 0)
	h.must(err)
	log := slog.New(slog.NewTextHandler(&h.log, nil))
	d := dispatch.New(dispatch.Options{Store: h.store, Blobs: h.blobs, Log: slog.New(slog.DiscardHandler), Holder: "test", Class: "main"})
	d.SetQueue(admits{})
	if slots > 0 {
		h.must(d.Admit(&store.Worker{Name: "w", Class: "main"}))
		d.Listener().Joined("w")
		d.Listener().Heartbeat("w", job.Heartbeat{Slots: slots})
	}
	h.Service = New(Options{Store: h.store, Dispatch: d, Log: log, Holder: "test", Class: "main", Now: clock})
	made, err := h.store.NewAccounts(t.Context(),
		store.NewAccount{Login: "ada", Display: "Ada", Kind: store.PersonAccount, Role: "contestant"})
	h.must(err)
	h.owner = made[0].ID
	at := h.put([]byte("bundle"))
	_, err = h.store.PutBundle(t.Context(), store.NewBundle{
		Problem: "nim", Title: "Nim", Owner: h.owner, ID: at, Manifest: at, Config: at, ProblemInfo: at, MadeBy: h.owner,
	})
	h.must(err)
	h.l = &store.Ladder{
		Slug: "open", Name: "Open", Problem: "nim", ChosenRules: []byte(`{"games":2}`), Seed: 5, Visibility: store.VisibilityPublic,
		PerAccount: 9, Owner: h.owner,
	}
	h.must(h.store.NewLadder(t.Context(), h.l))
	return h
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) put(data []byte) blob.Digest {
	h.Helper()
	d, _, err := h.blobs.Add(bytes.NewReader(data))
	h.must(err)
	return d
}

// step lets the Service do everything that is due, and checks that it logs no error.
func (h *harness) step() {
	h.Helper()
	h.now = h.now.Add(time.Second)
	h.Step(h.Context())
	if h.log.Len() > 0 {
		h.Errorf("the keeper is in trouble: %s", h.log.String())
		h.log.Reset()
	}
}

// ladder returns the stored ladder.
func (h *harness) ladder() *store.Ladder {
	h.Helper()
	l, err := h.store.Ladder(h.Context(), h.l.ID)
	h.must(err)
	return l
}

// rules sets the rules of the ladder.
func (h *harness) rules() {
	h.Helper()
	h.must(h.store.SetLadderRules(h.Context(), h.l.ID, []byte(`{"name":"s1","format":"open-ladder","rounds":1,"games":2}`), ""))
}

// does creates the only job of the workflow with the given id, and completes it with the output and the records.
func (h *harness) does(id, key string, output any, records ...arena.Record) {
	h.Helper()
	work := job.Work{Kind: job.Games, Bundle: h.put([]byte("bundle")), Config: h.put([]byte("bundle")), Problem: "nim", Program: "nim"}
	_, err := h.store.AddWorkflowJobs(h.Context(), id,
		store.WorkflowJob{Key: key, Work: work, Priority: job.GamePriority, Class: "main", Cost: time.Second})
	h.must(err)
	said, err := json.Marshal(output)
	h.must(err)
	var lines [][]byte
	for _, r := range records {
		line, err := json.Marshal(r)
		h.must(err)
		lines = append(lines, line)
	}
	packed, err := job.PackLines(lines)
	h.must(err)
	specs, err := h.store.NextJobs(h.Context(), job.GamePriority, "main", 100)
	h.must(err)
	for _, s := range specs {
		if s.ID == store.WorkflowJobID(id, key) {
			_, err = h.store.RecordResult(h.Context(), &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w",
				State: job.Done, Output: said, Events: packed}, h.put(packed))
			h.must(err)
		}
	}
	_, err = h.store.FinishWorkflow(h.Context(), id, store.WorkflowDone, "")
	h.must(err)
}

// enter adds a bot to the ladder.
func (h *harness) enter(name string) *store.Bot {
	h.Helper()
	b := &store.Bot{Account: h.owner, Name: name, File: "a.py", Files: []job.File{{Path: "a.py", Size: 1, Digest: h.put([]byte("a"))}}}
	h.must(h.AddBot(h.Context(), h.ladder(), b))
	return b
}

// plays adds a bot that passes its test to the ladder.
func (h *harness) plays(name string) *store.Bot {
	h.Helper()
	b := h.enter(name)
	h.does(b.Workflow, workflow.TrialKey, workflow.TrialOutput{OK: true, Rules: &arena.Rules{Games: 2}})
	h.step()
	return h.bot(b.Number)
}

func (h *harness) bot(n int64) *store.Bot {
	h.Helper()
	b, err := h.store.Bot(h.Context(), h.l.ID, n)
	h.must(err)
	return b
}

// games returns the records of an encounter with the given winners. A 0 means a draw. If fault is not empty, the
// loser of each game fails with it.
func games(e *store.Encounter, fault arena.Fault, winners ...int64) (all []arena.Record) {
	for i, winner := range winners {
		g := &arena.Game{Round: int(e.Number), Leg: i + 1, First: int(e.A), Second: int(e.B), Reason: "over"}
		if i%2 > 0 {
			g.First, g.Second = g.Second, g.First
		}
		switch winner {
		case int64(g.First):
			g.Winner = 1
		case int64(g.Second):
			g.Winner = 2
		}
		if fault != "" {
			g.Fault = &arena.GameFault{Seat: 3 - g.Winner, Kind: fault}
		}
		all = append(all, arena.Record{Game: g})
	}
	return all
}

func (h *harness) open() []*store.Encounter {
	h.Helper()
	open, err := h.store.PendingEncounters(h.Context(), h.l.ID)
	h.must(err)
	return open
}

// TestRulesOfALadder checks that a worker reads the rules once. If the worker returns no rules, the ladder records
// the reason, and no worker is asked again.
func TestRulesOfALadder(t *testing.T) {
	for what, tt := range map[string]struct {
		output workflow.TrialOutput
		failed string
		wrong  string
		games  int
	}{
		"rules":               {output: workflow.TrialOutput{Rules: &arena.Rules{Name: "s1", Format: "swiss", Games: 4}}, games: 4},
		"one game":            {output: workflow.TrialOutput{Rules: &arena.Rules{Name: "s1", Games: 1}}, games: 1},
		"no such rules":       {output: workflow.TrialOutput{Misuse: "nim has no rules s7"}, wrong: "nim has no rules s7"},
		"nothing is given":    {output: workflow.TrialOutput{OK: true}, wrong: "the worker gave no rules"},
		"no games":            {output: workflow.TrialOutput{Rules: &arena.Rules{Name: "s1"}}, wrong: "the worker gave no rules"},
		"the workflow failed": {failed: "no worker has it", wrong: "no worker has it"},
	} {
		h := newHarness(t, 0)
		h.step()
		id := rulesWorkflowID(h.l)
		if f, err := h.store.Workflow(t.Context(), id); err != nil || f.Kind != string(workflow.Trial) || f.State != store.WorkflowRunning {
			t.Fatalf("%s: asked for is %+v, %v", what, f, err)
		}
		h.step()
		if l := h.ladder(); len(l.Rules) > 0 || l.RulesError != "" {
			t.Errorf("%s: before the worker has read them they are %s, %q", what, l.Rules, l.RulesError)
		}
		if tt.failed != "" {
			_, err := h.store.FinishWorkflow(t.Context(), id, store.WorkflowFailed, tt.failed)
			h.must(err)
		} else {
			h.does(id, workflow.TrialKey, tt.output)
		}
		h.step()
		l := h.ladder()
		var r arena.Rules
		if len(l.Rules) > 0 {
			h.must(json.Unmarshal(l.Rules, &r))
		}
		if l.RulesError != tt.wrong || r.Games != tt.games || tt.games > 0 && r.Format != arena.OpenLadder {
			t.Errorf("%s: the ladder has %s, %q; want %d games, %q", what, l.Rules, l.RulesError, tt.games, tt.wrong)
		}
		h.step()
	}
}

// TestTests checks how the result of a bot's test decides whether the bot plays, and which message is stored.
func TestTests(t *testing.T) {
	for what, tt := range map[string]struct {
		output workflow.TrialOutput
		failed string
		state  store.BotState
		reason string
	}{
		"passed": {workflow.TrialOutput{OK: true, Rules: &arena.Rules{Games: 2}}, "", store.BotActive, ""},
		"wrong in a position": {
			workflow.TrialOutput{
				Rules:     &arena.Rules{Games: 2},
				Positions: []*judge.PositionTried{{Name: "one"}, {Name: "two", Errors: []string{"crashed", "again"}}},
			},
			"", store.BotRejected, "two: crashed",
		},
		"wrong at the end": {
			workflow.TrialOutput{
				Rules: &arena.Rules{Games: 2}, Positions: []*judge.PositionTried{{Name: "one"}},
				Finished: &judge.BotTrialFinished{Errors: []string{"not alike"}},
			},
			"", store.BotRejected, "not alike",
		},
		"wrong without a word": {
			workflow.TrialOutput{Rules: &arena.Rules{Games: 2}, Finished: &judge.BotTrialFinished{}}, "", store.BotRejected,
			"something is wrong with it",
		},
		"no such bot": {workflow.TrialOutput{Misuse: "no language has it", OK: true}, "", store.BotRejected, "no language has it"},
		"not tested":  {workflow.TrialOutput{}, "no disk", store.BotRejected, "the server could not try it: no disk; send it again"},
	} {
		h := newHarness(t, 0)
		h.rules()
		b := h.enter("bot")
		h.step()
		if got := h.bot(b.Number); got.State != store.BotChecking {
			t.Errorf("%s: before the test it is %s", what, got.State)
		}
		if tt.failed != "" {
			_, err := h.store.FinishWorkflow(t.Context(), b.Workflow, store.WorkflowFailed, tt.failed)
			h.must(err)
		} else {
			h.does(b.Workflow, workflow.TrialKey, tt.output)
		}
		h.step()
		if got := h.bot(b.Number); got.State != tt.state || got.Reason != tt.reason || len(got.TestOutput) == 0 {
			t.Errorf("%s: the bot is %s, %q, told %s; want %s, %q", what, got.State, got.Reason, got.TestOutput, tt.state, tt.reason)
		}
		if tt.state == store.BotActive {
			v, err := h.View(t.Context(), h.ladder())
			if err != nil || v.Standing(b.Number) == nil {
				t.Errorf("%s: it is not in the table: %v", what, err)
			}
		}
	}
}

// TestEncountersAreStarted checks that one encounter per slot and two more are started, each with a workflow. No
// encounter starts on a closed ladder, with a single bot, or without workers.
func TestEncountersAreStarted(t *testing.T) {
	for _, tt := range []struct {
		what      string
		slots     int
		bots      int
		perMinute int64
		closed    bool
		want      int
	}{
		{"two bots", 3, 2, 0, false, 5},
		{"one bot", 3, 1, 0, false, 0},
		{"no worker", 0, 2, 0, false, 0},
		{"four games a minute", 3, 2, 4, false, 2},
		{"closed", 3, 2, 0, true, 0},
	} {
		h := newHarness(t, tt.slots)
		h.rules()
		l := h.ladder()
		l.Open, l.PerMinute = false, tt.perMinute // no encounter starts before all bots have been added
		open := *l
		open.Open = true
		h.must(h.store.ChangeLadder(t.Context(), &open))
		var bots []*store.Bot
		for i := range tt.bots {
			bots = append(bots, h.enter(fmt.Sprint("bot", i)))
		}
		for _, b := range bots {
			h.does(b.Workflow, workflow.TrialKey, workflow.TrialOutput{OK: true, Rules: &arena.Rules{Games: 2}})
		}
		if tt.closed {
			h.must(h.store.ChangeLadder(t.Context(), l))
		}
		h.step()
		h.step()
		all := h.open()
		if len(all) != tt.want {
			t.Errorf("%s: %d encounters began, want %d", tt.what, len(all), tt.want)
		}
		for _, e := range all {
			f, err := h.store.Workflow(t.Context(), e.Workflow)
			if err != nil || f.Kind != string(workflow.Encounter) || f.Owner != h.owner || e.A == e.B {
				t.Errorf("%s: the encounter %+v has the workflow %+v, %v", tt.what, e, f, err)
			}
		}
	}
}

// TestEncountersAreRecorded checks how results, failures and unscored games are recorded. A bot that fails too
// often is paused.
func TestEncountersAreRecorded(t *testing.T) {
	h := newHarness(t, 1)
	h.rules()
	a, b := h.plays("a"), h.plays("b")
	ended := func() *store.Encounter {
		t.Helper()
		v, err := h.View(t.Context(), h.ladder())
		h.must(err)
		if len(v.Encounters) == 0 {
			t.Fatal("no encounter has ended")
		}
		return v.Encounters[len(v.Encounters)-1]
	}
	next := func() *store.Encounter {
		t.Helper()
		all := h.open()
		if len(all) == 0 {
			t.Fatal("no encounter is played")
		}
		return all[0]
	}
	e := next()
	h.step()
	if still := next(); still.Number != e.Number {
		t.Fatalf("the encounter %d ended by itself", e.Number)
	}
	h.does(e.Workflow, workflow.EncounterKey, struct{}{}, games(e, "", e.A, 0)...)
	h.step()
	if got := ended(); got.Number != e.Number || got.Results != "wd" || got.Reason != "" || got.Worker != "w" || got.Records == "" {
		t.Errorf("recorded is %+v", got)
	}
	e = next()
	h.does(e.Workflow, workflow.EncounterKey, struct{}{}, games(e, "", e.A)...)
	h.Step(t.Context())
	if !strings.Contains(h.log.String(), fmt.Sprintf("take the games of encounter %d from the worker w", e.Number)) {
		t.Errorf("the log does not tell of a worker that lies: %s", h.log.String())
	}
	h.log.Reset()
	if got := ended(); got.Number != e.Number || got.Results != "" ||
		!strings.HasPrefix(got.Reason, "the worker returned invalid games: 1 games of 2") || got.Records != "" {
		t.Errorf("recorded of half an encounter is %+v", got)
	}
	e = next()
	_, err := h.store.FinishWorkflow(t.Context(), e.Workflow, store.WorkflowFailed, "no worker could")
	h.must(err)
	h.step()
	if got := ended(); got.Number != e.Number || got.Results != "" || got.Reason != "no worker could" {
		t.Errorf("recorded of an encounter that no worker could play is %+v", got)
	}
	if v, err := h.View(t.Context(), h.ladder()); err != nil || v.Games() != 2 {
		t.Errorf("the table is of %d games, %v", v.Games(), err)
	}

	// Bot b fails in every game. After five failures it is paused, but bot a is not.
	for range 3 {
		if got := h.bot(b.Number); got.State != store.BotActive {
			t.Errorf("the bot is %s too early: %q", got.State, got.Reason)
		}
		e = next()
		h.does(e.Workflow, workflow.EncounterKey, struct{}{}, games(e, arena.Crashed, a.Number, a.Number)...)
		h.step()
	}
	if got := h.bot(b.Number); got.State != store.BotPaused || !strings.HasPrefix(got.Reason, "it failed 6 times in its last 20 games") {
		t.Errorf("the bot that fails is %s, %q", got.State, got.Reason)
	}
	if got := h.bot(a.Number); got.State != store.BotActive {
		t.Errorf("the other one is %s, %q", got.State, got.Reason)
	}
	// Failures before a bot was resumed no longer count.
	h.must(h.store.SetBotState(t.Context(), h.l.ID, b.Number, store.BotPaused, store.BotActive, ""))
	h.step()
	if got := h.bot(b.Number); got.State != store.BotActive {
		t.Errorf("once resumed it is %s, %q", got.State, got.Reason)
	}
}

// TestRankChanges checks that rank changes of placed bots are recorded at most twice per minute. Each is recorded
// once, even if the Service restarts.
func TestRankChanges(t *testing.T) {
	h := newHarness(t, 0)
	h.rules()
	a, b := h.plays("a"), h.plays("b")
	view := func(placed bool, places ...int64) *View {
		v := &View{Ladder: h.ladder()}
		for i, n := range places {
			line := Standing{Bot: h.bot(n), Rank: i + 1}
			if placed {
				line.ScoredEncounters = 10
			}
			v.Lines = append(v.Lines, line)
		}
		return v
	}
	said := func() (all []string) {
		t.Helper()
		climbs, err := h.store.RankChanges(t.Context(), h.l.ID, 100)
		h.must(err)
		for _, c := range climbs {
			all = append(all, fmt.Sprintf("%d: %d to %d", c.Bot, c.OldRank, c.Rank))
		}
		return all
	}
	_, err := h.View(t.Context(), h.ladder()) // load the ladder
	h.must(err)
	for _, tt := range []struct {
		what string
		v    *View
		wait time.Duration
		want int
	}{
		{"they are being placed", view(false, a.Number, b.Number), recordRanksEvery, 0},
		{"they are placed", view(true, a.Number, b.Number), recordRanksEvery, 2},
		{"nothing has changed", view(true, a.Number, b.Number), recordRanksEvery, 2},
		{"they change places", view(true, b.Number, a.Number), recordRanksEvery, 4},
		{"and again at once", view(true, a.Number, b.Number), 29 * time.Second, 4},
		{"and later", view(true, a.Number, b.Number), time.Second, 6},
		{"one has gone, and the other one is alone at its place", view(true, a.Number), recordRanksEvery, 6},
		{"one is alone, and rises", view(true, b.Number), recordRanksEvery, 7},
		{"both are back", view(true, a.Number, b.Number), recordRanksEvery, 8},
	} {
		h.now = h.now.Add(tt.wait)
		h.must(h.recordRankChanges(t.Context(), tt.v))
		if got := said(); len(got) != tt.want {
			t.Errorf("%s: the changes are %v, want %d", tt.what, got, tt.want)
		}
	}
	again := New(h.o)
	_, err = again.View(context.Background(), h.ladder())
	h.must(err)
	h.now = h.now.Add(recordRanksEvery)
	h.must(again.recordRankChanges(t.Context(), view(true, a.Number, b.Number)))
	if got := said(); len(got) != 8 {
		t.Errorf("a keeper that has started again tells the same: %v", got)
	}
}

// TestTheTableIsNew checks that a table with few encounters is rated immediately. With many encounters the table
// is at most a few seconds old. A bot that joins or leaves is visible immediately.
func TestTheTableIsNew(t *testing.T) {
	h := newHarness(t, 0)
	h.rules()
	a, b := h.plays("a"), h.plays("b")
	met := func(n int) {
		t.Helper()
		for range n {
			e := &store.Encounter{Ladder: h.l.ID, A: a.Number, B: b.Number}
			h.must(h.store.NewEncounter(t.Context(), e, "encounter", h.owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }))
			e.Results = "wd"
			h.must(h.store.EndEncounter(t.Context(), e))
		}
	}
	look := func(what string, games, lines int) {
		t.Helper()
		v, err := h.View(t.Context(), h.ladder())
		h.must(err)
		if v.Games() != games || len(v.Lines) != lines || lines > 0 && v.Lines[0].Record.Games() != games {
			t.Errorf("%s: %d games and %d lines, want %d and %d", what, v.Games(), len(v.Lines), games, lines)
		}
	}
	look("at first", 0, 2)
	met(3)
	look("a few", 6, 2)
	met(rateAllUntil)
	look("many", 6, 2)
	h.now = h.now.Add(rateEvery - time.Second)
	look("a moment later", 6, 2)
	h.now = h.now.Add(2 * time.Second)
	look("later", 2*rateAllUntil+6, 2)
	met(1)
	h.must(h.store.SetBotState(t.Context(), h.l.ID, b.Number, store.BotActive, store.BotRetired, ""))
	look("a bot has gone", 0, 1)
}

// TestSettled checks when the Service tests whether the ranking is settled. Once all bots are placed, it does so
// after as many encounters as there are bots, after twice as many, and so on. When the ranking is settled, no
// encounter starts.
func TestSettled(t *testing.T) {
	h := newHarness(t, 2)
	h.rules()
	const bots = 2
	h.plays("a")
	h.plays("b")
	next := bots // number of the encounter after the next test
	for range 400 {
		before := h.ladder()
		if before.Settled {
			break
		}
		for _, e := range h.open()[:min(1, len(h.open()))] { // one at a time, so that each number occurs
			winner := min(e.A, e.B)
			if before.Encounters < 20 && before.Encounters%2 == 0 { // both are equally good at first
				winner = max(e.A, e.B)
			}
			h.does(e.Workflow, workflow.EncounterKey, struct{}{}, games(e, "", winner, winner)...)
		}
		h.step()
		v, err := h.View(t.Context(), h.ladder())
		h.must(err)
		placed := !slices.ContainsFunc(v.Lines, func(l Standing) bool { return l.Placing() })
		tested, due := h.ladder().RankingTests-before.RankingTests, placed && len(v.Encounters) >= next
		if tested > 1 || (tested == 1) != due {
			t.Fatalf("after %d encounters the ranking is tested %d times; the test was due after %d and when all are placed: %v",
				len(v.Encounters), tested, next, placed)
		}
		if due {
			next = len(v.Encounters) + bots<<h.ladder().RankingTests
		}
	}
	l := h.ladder()
	if !l.Settled || l.Encounters < 20 || l.RankingTests < 2 {
		t.Fatalf("a ladder on which one always wins is not settled after %d encounters and %d tests", l.Encounters, l.RankingTests)
	}
	for _, e := range h.open() {
		h.does(e.Workflow, workflow.EncounterKey, struct{}{}, games(e, "", e.A, e.A)...)
	}
	h.step()
	h.step()
	if all := h.open(); len(all) > 0 {
		t.Errorf("%d encounters are played on a settled ladder", len(all))
	}
	h.plays("c")
	h.step()
	if all := h.open(); len(all) == 0 {
		t.Error("a new bot meets no other")
	}
}
