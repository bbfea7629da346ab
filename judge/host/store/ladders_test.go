package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

func (h *harness) ladder(slug string) *store.Ladder {
	h.tb.Helper()
	l := &store.Ladder{
		Slug: slug, Name: "The hill", Problem: "nim", ChosenRules: []byte(`{"games":2}`), Seed: 1<<63 + 5, Visibility: store.VisibilityPublic,
		PerAccount: 3, PerMinute: 60, Owner: h.alice.ID,
	}
	if err := h.NewLadder(h.tb.Context(), l); err != nil {
		h.tb.Fatal(err)
	}
	return l
}

// bot adds a bot to a ladder, and passes its test.
func (h *harness) bot(l *store.Ladder, a *store.Account, name string) *store.Bot {
	h.tb.Helper()
	b := &store.Bot{Ladder: l.ID, Account: a.ID, Name: name, File: "bot.py",
		Files: []job.File{{Path: "bot.py", Size: 3, Digest: digest("bot " + name)}}}
	if err := h.NewBot(h.tb.Context(), b, "trial", func(b *store.Bot) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		h.tb.Fatal(err)
	}
	b.State, b.TestOutput = store.BotActive, []byte(`{"ok":true}`)
	if err := h.EndBotCheck(h.tb.Context(), b); err != nil {
		h.tb.Fatal(err)
	}
	return b
}

// met has two bots meet.
func (h *harness) met(l *store.Ladder, a, b int64, results string) *store.Encounter {
	h.tb.Helper()
	e := &store.Encounter{Ladder: l.ID, A: a, B: b}
	if err := h.NewEncounter(h.tb.Context(), e, "encounter", h.alice.ID,
		func(e *store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		h.tb.Fatal(err)
	}
	e.Results, e.Records, e.Worker, e.Failures = results, digest(results), "lab1", [2]string{"", "crashed,crashed"}
	if err := h.EndEncounter(h.tb.Context(), e); err != nil {
		h.tb.Fatal(err)
	}
	return e
}

func TestALadder(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		bob := h.account("bob")
		l := h.ladder("hill")
		if err := h.NewLadder(t.Context(), &store.Ladder{Slug: "hill", Problem: "nim", Owner: bob.ID,
			Visibility: store.VisibilityJury}); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a second ladder has the address: %v", err)
		}
		if err := h.NewLadder(t.Context(), &store.Ladder{Slug: "other", Problem: "chess", Owner: bob.ID}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a ladder of nothing: %v", err)
		}
		if err := h.SetLadderRules(t.Context(), l.ID, []byte(`{"Name":"s1"}`), ""); err != nil {
			t.Fatal(err)
		}
		got, err := h.LadderBySlug(t.Context(), "hill")
		if err != nil || got.Seed != 1<<63+5 || !got.Open || got.Problem != "nim" || got.Title != "The nim" ||
			string(got.Rules) != `{"Name":"s1"}` {
			t.Errorf("got %+v, %v", got, err)
		}
		got.PerAccount, got.Visibility = 5, store.VisibilityJury
		if err := h.ChangeLadder(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		if all, err := h.Ladders(t.Context()); err != nil || len(all) != 1 || all[0].PerAccount != 5 ||
			all[0].Visibility != store.VisibilityJury || all[0].LastSeq <= got.LastSeq {
			t.Errorf("got %+v, %v", all, err)
		}

		first := h.bot(l, h.alice, "rook")
		second := h.bot(l, bob, "knight")
		if err := h.NewBot(t.Context(), &store.Bot{Ladder: l.ID, Account: bob.ID, Name: "rook"}, "trial",
			func(*store.Bot) ([]byte, error) { return nil, nil }); !errors.Is(err, store.ErrTaken) {
			t.Errorf("two people have a bot of one name: %v", err)
		}
		if n, err := h.CountRecentBots(t.Context(), l.ID, bob.ID, time.Minute); n != 1 || err != nil {
			t.Errorf("bob has sent %d bots, %v", n, err)
		}
		e := h.met(l, first.Number, second.Number, "wd")
		if err := h.EndEncounter(t.Context(), e); !errors.Is(err, store.ErrEnded) {
			t.Errorf("an encounter ends twice: %v", err)
		}
		if kept, err := h.Encounter(t.Context(), l.ID, 1); err != nil || !cmp.Equal(kept, e, cmpopts.EquateApproxTime(time.Millisecond)) {
			t.Errorf("%v: %s", err, cmp.Diff(e, kept))
		}
		if all, err := h.EncountersSince(t.Context(), l.ID, 0); err != nil || len(all) != 1 || len(all[0].FailuresOf(second.Number)) != 2 ||
			all[0].FailuresOf(first.Number) != nil {
			t.Errorf("got %+v, %v", all, err)
		}
		if all, err := h.EncountersSince(t.Context(), l.ID, e.Seq); err != nil || len(all) != 0 {
			t.Errorf("got %+v, %v", all, err)
		}

		// A new version replaces the old version, which keeps its games.
		newer := h.bot(l, bob, "knight")
		if newer.Version != 2 || newer.Number != 3 {
			t.Errorf("got version %d, number %d", newer.Version, newer.Number)
		}
		if old, err := h.Bot(t.Context(), l.ID, second.Number); err != nil || old.State != store.BotRetired ||
			old.Reason != "version 2 plays now" || old.Author != "BOB" {
			t.Errorf("got %+v, %v", old, err)
		}
		if err := h.EndBotCheck(t.Context(), newer); !errors.Is(err, store.ErrEnded) {
			t.Errorf("a check ends twice: %v", err)
		}
		if err := h.SetBotState(t.Context(), l.ID, newer.Number, store.BotPaused, store.BotActive, ""); !errors.Is(err, store.ErrEnded) {
			t.Errorf("what is not paused plays again: %v", err)
		}
		if err := h.SetBotState(t.Context(), l.ID, newer.Number, store.BotActive, store.BotPaused, "it crashed"); err != nil {
			t.Fatal(err)
		}
		if b, err := h.Bot(t.Context(), l.ID, newer.Number); err != nil || b.State != store.BotPaused || b.Reason != "it crashed" {
			t.Errorf("got %+v, %v", b, err)
		}
		if err := h.AddRankChanges(t.Context(), l.ID, []store.RankChange{{Bot: 1, Rank: 2}, {Bot: 3, OldRank: 1, Rank: 1}}); err != nil {
			t.Fatal(err)
		}
		if all, err := h.RankChanges(t.Context(), l.ID, 5); err != nil || len(all) != 2 || all[0].Seq != 2 || all[1].Rank != 2 {
			t.Errorf("got %+v, %v", all, err)
		}
		got, _ = h.Ladder(t.Context(), l.ID)
		got.RankingTests, got.NextRankingTest, got.Settled = 3, 40, true
		if err := h.SetRankingTest(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		h.bot(l, bob, "pawn")
		if again, err := h.Ladder(t.Context(), l.ID); err != nil || again.Settled || again.RankingTests != 0 || again.NextRankingTest != 1 {
			t.Errorf("a new bot leaves it settled: %+v, %v", again, err)
		}

		// A ranking is no longer settled after a class is filled for the first time, because the workers of that
		// class may have other toolchains. Filling the same class again does not change that.
		if err := h.SetRankingTest(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		for _, settled := range []bool{false, true} {
			if _, err := h.CreateClass(t.Context(), "lab", job.Capabilities{Arch: "amd64"}); err != nil {
				t.Fatal(err)
			}
			again, err := h.Ladder(t.Context(), l.ID)
			if err != nil || again.Settled != settled || !settled && (again.RankingTests != 0 || again.NextRankingTest != again.Encounters+2) {
				t.Errorf("want settled %t after the class is filled: %+v, %v", settled, again, err)
			}
			if err := h.SetRankingTest(t.Context(), got); err != nil {
				t.Fatal(err)
			}
		}

		// A closed ladder accepts neither bots nor encounters.
		got, _ = h.Ladder(t.Context(), l.ID)
		got.Open = false
		if err := h.ChangeLadder(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		if err := h.NewBot(t.Context(), &store.Bot{Ladder: l.ID, Account: bob.ID, Name: "late"}, "trial",
			func(*store.Bot) ([]byte, error) { return nil, nil }); !errors.Is(err, store.ErrEnded) {
			t.Errorf("a closed ladder takes a bot: %v", err)
		}
		if err := h.NewEncounter(t.Context(), &store.Encounter{Ladder: l.ID, A: 1, B: 3}, "encounter", bob.ID,
			func(*store.Encounter) ([]byte, error) { return nil, nil }); !errors.Is(err, store.ErrEnded) {
			t.Errorf("a closed ladder plays: %v", err)
		}
	})
}

// TestErasedBots checks that the programs and game records of a deleted account's bots are deleted, but their
// results stay.
func TestErasedBots(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		bob := h.account("bob")
		l := h.ladder("hill")
		a, b := h.bot(l, h.alice, "rook"), h.bot(l, bob, "markedname")
		e := h.met(l, a.Number, b.Number, "lw")
		named, err := h.ReferencedBlobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone := []blob.Digest{digest("bot markedname"), e.Records}
		for _, d := range append(gone, digest("bot rook"), l.Config) {
			if _, is := named[d]; !is {
				t.Errorf("nothing refers to %s", d)
			}
		}
		if _, err := h.Erase(t.Context(), bob.ID); err != nil {
			t.Fatal(err)
		}
		if named, err = h.ReferencedBlobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range gone {
			if _, is := named[d]; is {
				t.Errorf("%s is named still", d)
			}
		}
		if got, err := h.Bot(t.Context(), l.ID, b.Number); err != nil || got.Name != store.DeletedName || got.State != store.BotRetired ||
			len(got.Files) > 0 || got.Author != store.DeletedName {
			t.Errorf("got %+v, %v", got, err)
		}
		if got, err := h.Encounter(t.Context(), l.ID, e.Number); err != nil || got.Results != "lw" || got.Records != "" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}
