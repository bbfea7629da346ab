package ladder

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// TestCachedViews checks, for random sequences of games, pauses and waits, that a cached view has the same games as a view
// that a new Service reads from the log, and that it shows the bots as they are stored. It has the same table, too, if the
// ladder has few games, or if no game has ended for some seconds.
func TestCachedViews(t *testing.T) {
	h := newHarness(t, 0)
	h.rules()
	random := rand.New(rand.NewPCG(21, 22))
	var bots []*store.Bot
	for i := range 4 {
		bots = append(bots, h.plays(fmt.Sprint("bot", i)))
	}
	set := func(bot *store.Bot, from, to store.BotState) {
		t.Helper()
		h.must(h.store.SetBotState(t.Context(), h.l.ID, bot.Number, from, to, "because"))
	}
	var before *View
	compare := func() {
		t.Helper()
		v, err := h.View(t.Context(), h.ladder())
		h.must(err)
		fresh, err := New(h.o).View(t.Context(), h.ladder())
		h.must(err)
		if !reflect.DeepEqual(v.Encounters, fresh.Encounters) || !reflect.DeepEqual(v.pairs, fresh.pairs) {
			t.Fatalf("the view has %d encounters of %d", len(v.Encounters), len(fresh.Encounters))
		}
		current := before == nil || len(v.Encounters) < rateAllUntil || h.now.Sub(before.Rated) >= rateEvery ||
			!slices.Equal(activeNumbers(before.Bots), activeNumbers(v.Bots))
		if current && !reflect.DeepEqual(v.Lines, fresh.Lines) {
			t.Fatalf("after %d encounters the table is %+v, want %+v", len(v.Encounters), v.Lines, fresh.Lines)
		}
		if len(v.Lines) != len(fresh.Lines) {
			t.Fatalf("%d lines, want %d", len(v.Lines), len(fresh.Lines))
		}
		for i := range v.Lines {
			if l := &v.Lines[i]; l.Bot != v.Bot(l.Number) || !reflect.DeepEqual(l.Bot, h.bot(l.Number)) {
				t.Fatalf("the line of bot %d has %+v, want %+v", l.Number, l.Bot, h.bot(l.Number))
			}
		}
		if again, err := h.View(t.Context(), h.ladder()); err != nil || again != v {
			t.Fatalf("nothing has changed, and the view has: %v", err)
		}
		if !current && !v.Rated.Equal(before.Rated) {
			t.Fatalf("with %d encounters, the bots are rated %v after the last time", len(v.Encounters), v.Rated.Sub(before.Rated))
		}
		before = v
	}
	for range 250 {
		switch one := h.bot(bots[random.IntN(4)].Number); random.IntN(12) {
		case 0:
			set(one, one.State, map[store.BotState]store.BotState{
				store.BotActive: store.BotPaused, store.BotPaused: store.BotActive}[one.State])
		case 1:
			if one.State == store.BotActive { // the same bots play, and one is treated as if it had just joined
				set(one, store.BotActive, store.BotPaused)
				set(one, store.BotPaused, store.BotActive)
			}
		case 2:
			h.now = h.now.Add(time.Duration(random.IntN(7)) * time.Second)
		default:
			a := random.IntN(4)
			e := &store.Encounter{Ladder: h.l.ID, A: bots[a].Number, B: bots[(a+1+random.IntN(3))%4].Number}
			h.must(h.store.NewEncounter(t.Context(), e, "encounter", h.owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }))
			e.Results = []string{"ww", "wl", "ll", "dd", "dw"}[random.IntN(5)]
			h.must(h.store.EndEncounter(t.Context(), e))
		}
		compare()
	}
}

// TestStepsEnd checks that one step records everything that has ended, also an encounter whose workflow was removed. A
// ladder that cannot be read is logged. Without a database, each kind of ladder is an error.
func TestStepsEnd(t *testing.T) {
	h := newHarness(t, 1)
	unread := h.ladder()
	h.rules()
	var bots []*store.Bot
	for i := range 3 {
		bots = append(bots, h.enter(fmt.Sprint("bot", i)))
	}
	for _, b := range bots {
		h.does(b.Workflow, workflow.TrialKey, workflow.TrialOutput{OK: true, Rules: &arena.Rules{Games: 2}})
	}
	h.step()
	for _, b := range bots {
		if got := h.bot(b.Number); got.State != store.BotActive {
			t.Errorf("bot %d is %s", b.Number, got.State)
		}
	}
	// An encounter whose workflow was removed has failed.
	e := h.open()[0]
	_, err := h.store.FinishWorkflow(t.Context(), e.Workflow, store.WorkflowCancelled, "")
	h.must(err)
	h.now = h.now.Add(31 * 24 * time.Hour)
	_, err = h.store.CollectGarbage(t.Context(), func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
		func(blob.Digest) error { return nil })
	h.must(err)
	h.step()
	got, err := h.store.Encounter(t.Context(), h.l.ID, e.Number)
	if err != nil || got.Ended.IsZero() || got.Reason != "it is not there any more" {
		t.Errorf("the encounter without a workflow is %+v, %v", got, err)
	}
	// A ladder whose rules are damaged is logged, and holds up no other.
	h.must(h.store.SetLadderRules(t.Context(), h.l.ID, []byte("{"), ""))
	other := *h.l
	other.Slug = "other"
	h.must(h.store.NewLadder(t.Context(), &other))
	h.Step(t.Context())
	if !strings.Contains(h.log.String(), `msg="keep a ladder" ladder=open`) || strings.Contains(h.log.String(), "ladder=other") {
		t.Errorf("the log is %s", h.log.String())
	}
	if _, err := h.store.Workflow(t.Context(), rulesWorkflowID(&other)); err != nil {
		t.Errorf("the rules of the other ladder are not read: %v", err)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	for what, l := range map[string]*store.Ladder{"without rules": unread, "with rules": h.l} {
		if err := h.Service.step(t.Context(), l); err == nil {
			t.Errorf("%s: a step without a database succeeds", what)
		}
	}
}
