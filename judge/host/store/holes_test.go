package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// hole makes a hole.
func (h *harness) hole() *store.Hole {
	h.tb.Helper()
	o := &store.Hole{Slug: "nim", Name: "Nim", ProblemSlug: "nim", Visibility: store.VisibilityPublic}
	if err := h.NewHole(h.tb.Context(), o); err != nil {
		h.tb.Fatal(err)
	}
	return o
}

// answer stores a golf submission of alice.
func (h *harness) answer(o *store.Hole, key string) *store.GolfSubmission {
	h.tb.Helper()
	a, err := h.NewGolfSubmission(h.tb.Context(), store.NewGolfSubmission{
		Key: key, Hole: o, Account: h.alice.ID, File: job.File{Path: "answer.py", Size: 7, Digest: digest("print()")}, Request: []byte(`{}`),
		Spec: []byte(`{}`), Kind: "hole",
	})
	if err != nil {
		h.tb.Fatal(err)
	}
	return a
}

// settled returns the outcome of a golf check.
func settled(a *store.GolfSubmission, v judge.GolfVerdict, toolchain string) store.GolfOutcome {
	proved := &judge.GolfChecked{Verdict: v, Language: "Python", Flags: []string{"-O"}, GolfSize: judge.GolfSize{Bytes: 7, Chars: 6}}
	return store.GolfOutcome{
		Workflow: a.Workflow, Correct: v == judge.GolfCorrect, Checked: proved, Language: "py", Events: digest("events"), Why: "5 5 gave 3",
		Toolchain: toolchain, Workers: []string{"a", "b"},
	}
}

// settle records the outcome of a golf check and reads the submission.
func (h *harness) settle(a *store.GolfSubmission, e store.GolfOutcome) *store.GolfSubmission {
	h.tb.Helper()
	if err := h.RecordGolfOutcome(h.tb.Context(), e); err != nil {
		h.tb.Fatal(err)
	}
	got, err := h.GolfSubmission(h.tb.Context(), a.Hole, a.Number)
	if err != nil {
		h.tb.Fatal(err)
	}
	return got
}

func TestHoles(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		o := h.hole()
		twice := &store.Hole{Slug: "nim", Name: "Nim", ProblemSlug: "nim", Visibility: store.VisibilityPublic}
		if err := h.NewHole(t.Context(), twice); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a hole of the same address: %v", err)
		}
		if err := h.NewHole(t.Context(), &store.Hole{Slug: "x", ProblemSlug: "none"}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a hole of no problem: %v", err)
		}
		old := *o
		o.Name, o.ShowSubmissions, o.Closed, o.Visibility, o.Closes = "The nim", true, true, store.VisibilityJury, h.clock.Now().Add(time.Hour)
		if err := h.SetHole(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := h.SetHole(t.Context(), &old); !errors.Is(err, store.ErrChanged) {
			t.Errorf("who was late: %v", err)
		}
		all, err := h.Holes(t.Context())
		if err != nil || len(all) != 1 || all[0].Name != "The nim" || !all[0].ShowSubmissions || !all[0].Closed ||
			all[0].Visibility != store.VisibilityJury || all[0].ProblemSlug != "nim" || !all[0].Closes.Equal(o.Closes) {
			t.Errorf("the holes are %+v, %v", all, err)
		}
		if _, err := h.Hole(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no hole: %v", err)
		}
	})
}

// TestAHoleCloses checks that a hole closes at its closing time or manually. A closed hole accepts no submissions,
// but checks of earlier submissions continue.
func TestAHoleCloses(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		o := &store.Hole{Slug: "nim", Name: "Nim", ProblemSlug: "nim", Visibility: store.VisibilityPublic, Closes: h.clock.Now().Add(time.Minute)}
		if err := h.NewHole(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Hole(t.Context(), "nim"); err != nil || !got.Closes.Equal(o.Closes) {
			t.Fatalf("the hole is %+v, %v", got, err)
		}
		before := h.answer(o, "before")
		refused := func(when string, closed bool) {
			t.Helper()
			_, err := h.NewGolfSubmission(t.Context(),
				store.NewGolfSubmission{Hole: o, Account: h.alice.ID, Request: []byte(`{}`), Spec: []byte(`{}`), Kind: "hole"})
			if errors.Is(err, store.ErrEnded) != closed || err != nil && !closed || o.IsClosed(h.clock.Now()) != closed {
				t.Errorf("%s: %v, over %v", when, err, o.IsClosed(h.clock.Now()))
			}
		}
		h.clock.add(time.Minute - time.Microsecond)
		refused("just before", false)
		h.clock.add(time.Microsecond)
		refused("at its time", true)
		if got := h.settle(before, settled(before, judge.GolfCorrect, "Python 3.14")); got.State != store.GolfValid {
			t.Errorf("an answer of before is %+v", got)
		}
		for _, then := range []struct {
			closed bool
			closes time.Time
			over   bool
		}{{false, time.Time{}, false}, {true, time.Time{}, true}, {true, h.clock.Now().Add(time.Hour), true}, {false,
			h.clock.Now().Add(time.Hour), false}} {
			o.Closed, o.Closes = then.closed, then.closes
			if err := h.SetHole(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			refused(fmt.Sprintf("%+v", then), then.over)
		}
		if got, err := h.Hole(t.Context(), "nim"); err != nil || got.Submissions != 4 {
			t.Errorf("the hole is %+v, %v", got, err)
		}
	})
}

// TestAnAnswerFromItsStartToItsEnd checks that a golf submission is stored once per key and settled once. It is
// rechecked after a toolchain change. If two workers find it wrong, it becomes greyed, but its length stays.
func TestAnAnswerFromItsStartToItsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		o := h.hole()
		a := h.answer(o, "key")
		if a.Number != 1 || a.State != store.GolfChecking || a.Workflow == "" || a.Display != "ALICE" {
			t.Fatalf("the answer is %+v", a)
		}
		if again := h.answer(o, "key"); again.ID != a.ID {
			t.Errorf("sent twice it is %+v", again)
		}
		if f, err := h.Workflow(t.Context(), a.Workflow); err != nil || f.Kind != "hole" || f.Owner != h.alice.ID {
			t.Errorf("its workflow is %+v, %v", f, err)
		}
		if n, err := h.CountRecentGolfSubmissions(t.Context(), o.ID, h.alice.ID, time.Minute); err != nil || n != 1 {
			t.Errorf("%d answers lately, %v", n, err)
		}
		wrong := h.answer(o, "other")
		if got := h.settle(wrong, settled(wrong, judge.GolfIncorrect, "Python 3.14")); got.State != store.GolfRejected ||
			got.Why != "5 5 gave 3" || !got.ValidSince.IsZero() || got.Workflow != "" {
			t.Errorf("a wrong one is %+v", got)
		}
		unproved := h.answer(o, "unproved")
		if got := h.settle(unproved, store.GolfOutcome{Workflow: unproved.Workflow, Why: "no worker"}); got.State != store.GolfRejected ||
			got.Verdict != "" || got.Why != "no worker" {
			t.Errorf("one that no worker could prove is %+v", got)
		}
		h.clock.add(time.Second)
		got := h.settle(a, settled(a, judge.GolfCorrect, "Python 3.14"))
		if got.State != store.GolfValid || got.LanguageKey() != "py -O" || got.Bytes != 7 || got.Chars != 6 || got.Why != "" ||
			got.ValidSince.IsZero() || got.Name != "Python + -O" {
			t.Errorf("a right one is %+v", got)
		}
		if same := h.settle(a, settled(a, judge.GolfIncorrect, "Python 3.14")); same.State != store.GolfValid {
			t.Errorf("settled twice it is %+v", same)
		}
		if right, err := h.CorrectGolfSubmissions(t.Context(), o.ID); err != nil || len(right) != 1 || right[0].Number != 1 ||
			right[0].State != store.GolfValid {
			t.Errorf("right are %+v, %v", right, err)
		}
		outdated := func(want int) []store.RecheckCandidate {
			t.Helper()
			old, err := h.OutdatedGolfSubmissions(t.Context(), "main")
			if err != nil || len(old) != want {
				t.Fatalf("outdated are %+v, %v; want %d", old, err, want)
			}
			return old
		}
		valid := func(now string, ready, rechecking int) {
			t.Helper()
			all, err := h.ValidGolfSubmissions(t.Context(), o.ID, "main")
			if err != nil || len(all) != ready || ready > 0 &&
				(all[0].ID != a.ID || all[0].Toolchain != now || all[0].Problem.Slug != "nim" || all[0].File.Digest != a.File.Digest) {
				t.Errorf("valid are %+v, %v; want %d with %s", all, err, ready, now)
			}
			if all, now, err := h.CountValidGolfSubmissions(t.Context(), o.ID); err != nil || all != ready+rechecking || now != rechecking {
				t.Errorf("counted are %d, %d, %v", all, now, err)
			}
			if all, err := h.ValidGolfSubmissions(t.Context(), "other", "main"); err != nil || len(all) != 0 {
				t.Errorf("valid of another hole are %+v, %v", all, err)
			}
		}
		valid("Python 3.14", 1, 0)
		outdated(0) // no worker has filled the class
		fill := func(languages map[string]string) {
			t.Helper()
			offer := job.Capabilities{Languages: languages}
			if _, err := h.CreateClass(t.Context(), "main", offer); err != nil {
				t.Fatal(err)
			}
			if err := h.UpdateClass(t.Context(), "main", offer); err != nil {
				t.Fatal(err)
			}
		}
		fill(map[string]string{"py": "Python 3.14"})
		outdated(0)
		fill(map[string]string{"c": "gcc"}) // no worker of the class could check it
		outdated(0)
		fill(map[string]string{"py": "Python 3.15"})
		old := outdated(1)[0]
		valid("Python 3.15", 1, 0)
		if old.ID != a.ID || old.Toolchain != "Python 3.15" || old.Problem.Slug != "nim" || old.File.Digest != a.File.Digest {
			t.Errorf("outdated is %+v", old)
		}
		prove := func() *store.GolfSubmission {
			t.Helper()
			h.clock.add(time.Second)
			if _, err := h.RecheckGolfSubmission(t.Context(), a.ID, a.Account, "hole", []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			if second, err := h.RecheckGolfSubmission(t.Context(), a.ID, a.Account, "hole", []byte(`{}`)); err != nil || second != "" {
				t.Errorf("it is proved twice at once: %q, %v", second, err)
			}
			outdated(0)
			valid("", 0, 1)
			got, err := h.GolfSubmission(t.Context(), o.ID, 1)
			if err != nil || got.Workflow == "" || got.State != store.GolfValid {
				t.Fatalf("while it is proved again it is %+v, %v", got, err)
			}
			return got
		}
		again := prove()
		if got := h.settle(again, store.GolfOutcome{Workflow: again.Workflow, Why: "no worker",
			Toolchain: "Python 3.15"}); got.State != store.GolfValid || got.Toolchain != "Python 3.15" {
			t.Errorf("where no worker could say it is %+v", got)
		}
		again = prove()
		if got := h.settle(again, settled(again, judge.GolfIncorrect, "Python 3.15")); got.State != store.GolfInvalidated ||
			got.Why != "5 5 gave 3" || got.Bytes != 7 || got.ValidSince.IsZero() {
			t.Errorf("found wrong it is %+v", got)
		}
		valid("", 0, 0)
		proofs, err := h.GolfChecks(t.Context(), a.ID)
		var states []store.GolfState
		for _, p := range proofs {
			states = append(states, p.State)
		}
		if err != nil || !slices.Equal(states, []store.GolfState{store.GolfValid, store.GolfValid, store.GolfInvalidated}) ||
			proofs[2].Why != "5 5 gave 3" || !slices.Equal(proofs[2].Workers, []string{"a", "b"}) {
			t.Errorf("its proofs are %+v, %v", proofs, err)
		}
		if mine, err := h.GolfSubmissions(t.Context(), o.ID, h.alice.ID, 10); err != nil || len(mine) != 3 || mine[0].Number != unproved.Number {
			t.Errorf("her answers are %+v, %v", mine, err)
		}
		if all, err := h.Holes(t.Context()); err != nil || all[0].Submissions != 3 {
			t.Errorf("the hole has %+v answers, %v", all, err)
		}
	})
}

// TestErasedAnswers checks that the submissions of a deleted account keep their lengths, but not their source.
func TestErasedAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		o := h.hole()
		a := h.answer(o, "key")
		h.settle(a, settled(a, judge.GolfCorrect, "Python 3.14"))
		open := h.answer(o, "open")
		named, err := h.ReferencedBlobs(t.Context())
		if err != nil || !has(named, a.File.Digest) || !has(named, digest("events")) {
			t.Errorf("named are %v, %v", named, err)
		}
		blobs, err := h.Erase(t.Context(), h.alice.ID)
		if err != nil || !slices.Contains(blobs, a.File.Digest) || !slices.Contains(blobs, digest("events")) {
			t.Errorf("to be forgotten are %v, %v", blobs, err)
		}
		got, err := h.GolfSubmission(t.Context(), o.ID, 1)
		if err != nil || got.State != store.GolfValid || got.Bytes != 7 || got.Display != store.DeletedName || got.File.Digest != "" ||
			got.Events != "" {
			t.Errorf("the answer is %+v, %v", got, err)
		}
		if got, err := h.GolfSubmission(t.Context(), o.ID, open.Number); err != nil || got.State != store.GolfRejected || got.Workflow != "" {
			t.Errorf("the open answer is %+v, %v", got, err)
		}
		if _, err := h.CreateClass(t.Context(), "main", job.Capabilities{Languages: map[string]string{"py": "Python 3.15"}}); err != nil {
			t.Fatal(err)
		}
		if old, err := h.OutdatedGolfSubmissions(t.Context(), "main"); err != nil || len(old) != 0 {
			t.Errorf("to be proved again are %+v, %v", old, err)
		}
		if old, err := h.ValidGolfSubmissions(t.Context(), o.ID, "main"); err != nil || len(old) != 0 {
			t.Errorf("valid with their source are %+v, %v", old, err)
		}
		if n, now, err := h.CountValidGolfSubmissions(t.Context(), o.ID); err != nil || n != 0 || now != 0 {
			t.Errorf("counted are %d, %d, %v", n, now, err)
		}
	})
}

func has(named map[blob.Digest]bool, d blob.Digest) bool { _, is := named[d]; return is }
