package webtest

import (
	"cmp"
	"encoding/json"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// AcceptedEvents returns the events of an accepted submission.
func AcceptedEvents() []judge.Event {
	return []judge.Event{&judge.Finished{Verdict: judge.Accepted, Passed: 2, Judged: 2, Cases: 2}}
}

// Clarify stores a clarification of an account. Unless it is from the jury, it is a request of the account's team.
func (h *Harness) Clarify(c *store.Contest, n store.NewClarification, login string) {
	h.Helper()
	n.Contest, n.Account = c.ID, h.Accounts[login].ID
	if !n.Jury {
		n.Team = Must[*store.Team](h)(h.Store.Enter(h.Context(), c.ID, h.Accounts[login])).ID
	}
	if _, err := h.Store.Clarify(h.Context(), n); err != nil {
		h.Fatal(err)
	}
}

// GolfSource is part of all golf submissions of ada. Other contestants must not see it.
const GolfSource = "lambda-of-ada"

// Hole creates a public hole for the problem.
func (h *Harness) Hole(slug string) *store.Hole {
	h.Helper()
	o := &store.Hole{Slug: slug, Name: slug + HostileMarkup, ProblemSlug: "sum", Visibility: store.VisibilityPublic}
	if err := h.Store.NewHole(h.Context(), o); err != nil {
		h.Fatal(err)
	}
	return o
}

// SubmitGolf stores a golf submission and starts its check.
func (h *Harness) SubmitGolf(o *store.Hole, login, text string) *store.GolfSubmission {
	h.Helper()
	data := []byte(text)
	if login == "ada" {
		data = []byte(GolfSource + HostileMarkup + text)
	}
	how := workflow.GolfSubmissionOptions{Language: "py"}
	proof, err := how.CheckOptions("answer.py")
	if err != nil {
		h.Fatal(err)
	}
	f := job.File{Path: "answer.py", Size: int64(len(data)), Digest: h.StoreBlob(data)}
	spec, err := workflow.NewHoleSpec(job.Work{Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "sum",
		IsDir: true, Files: []job.File{f}}, proof, "")
	if err != nil {
		h.Fatal(err)
	}
	asked, err1 := json.Marshal(how)
	planned, err2 := json.Marshal(spec)
	a, err := h.Store.NewGolfSubmission(h.Context(), store.NewGolfSubmission{
		Hole: o, Account: h.Accounts[login].ID, File: f, Request: asked, Spec: planned, Kind: string(workflow.Hole),
	})
	if err != nil || err1 != nil || err2 != nil {
		h.Fatal(err, err1, err2)
	}
	return a
}

// GolfResult returns the result of a golf check, encoded like a worker's.
func (h *Harness) GolfResult(language string, v judge.GolfVerdict, size int) (*judge.GolfChecked, []byte) {
	h.Helper()
	p := &judge.GolfChecked{
		Format: judge.EventFormat, Problem: "sum", File: "answer.py", Language: language +
			HostileMarkup, Verdict: v, GolfSize: judge.GolfSize{Bytes: size, Chars: size - 1},
		Domain: 10000, Tried: 10000, Code: GolfSource + HostileMarkup, How: "function f(i,j)", Notes: []string{HostileMarkup},
	}
	if v != judge.GolfCorrect {
		p.Wrong, p.WrongMany = []judge.GolfWrongInput{{In: "5 5", Gave: HostileMarkup, Why: "it is 10"}}, 1
	}
	line, err := judge.EncodeEvent(p)
	if err != nil {
		h.Fatal(err)
	}
	packed, err := job.PackLines([][]byte{line})
	if err != nil {
		h.Fatal(err)
	}
	return p, packed
}

// RecordGolfCheck records the result of a golf submission's check.
func (h *Harness) RecordGolfCheck(a *store.GolfSubmission, language string, v judge.GolfVerdict, size int) *store.GolfSubmission {
	h.Helper()
	p, packed := h.GolfResult(language, v, size)
	h.Advance(time.Second)
	e := store.GolfOutcome{
		Workflow: a.Workflow, Correct: v == judge.GolfCorrect, Checked: p, Language: language, Events: h.StoreBlob(packed),
		Why:       workflow.RejectReason(p),
		Toolchain: "Python 3.14" + HostileMarkup, Workers: []string{"w"},
	}
	if err := h.Store.RecordGolfOutcome(h.Context(), e); err != nil {
		h.Fatal(err)
	}
	got, err := h.Store.GolfSubmission(h.Context(), a.Hole, a.Number)
	if err != nil {
		h.Fatal(err)
	}
	return got
}

// Ladder creates a ladder with an encounter between a bot of ada and a bot of admin. Each bot has a fault in one
// game.
func (h *Harness) Ladder(slug string, v store.Visibility, open bool) *store.Ladder {
	h.Helper()
	check := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	ctx := h.Context()
	l := &store.Ladder{
		Slug: slug, Name: slug + HostileMarkup, Problem: "sum", ChosenRules: []byte(`{"games":2}`), Seed: 7,
		Visibility: cmp.Or(v, store.VisibilityAccounts), PerAccount: 2, Owner: h.Accounts["admin"].ID,
	}
	check(h.Store.NewLadder(ctx, l))
	rules, err := json.Marshal(arena.Rules{Name: "s1", Format: "open-ladder", Rounds: 1, Games: 2})
	check(err)
	check(h.Store.SetLadderRules(ctx, l.ID, rules, ""))
	for _, login := range []string{"ada", "admin"} {
		text := []byte("the bot of " + login + HostileMarkup)
		b := &store.Bot{
			Ladder: l.ID, Account: h.Accounts[login].ID, Name: login + "'s bot" + HostileMarkup, File: "bot.py",
			Files: []job.File{{Path: "bot.py", Size: int64(len(text)), Digest: h.StoreBlob(text)}},
		}
		check(h.Store.NewBot(ctx, b, "trial", func(*store.Bot) ([]byte, error) { return []byte("{}"), nil }))
		b.State, b.TestOutput = store.BotActive, []byte(`{"ok":true,"positions":[{"name":"`+"a start"+`"}]}`)
		check(h.Store.EndBotCheck(ctx, b))
	}
	e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
	check(h.Store.NewEncounter(ctx, e, "encounter", l.Owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }))
	var lines [][]byte
	for i, g := range []*arena.Game{
		{
			Round: 1, Leg: 1, First: 1, Second: 2, Winner: 1, Start: "5 7", Moves: []string{"3" + HostileMarkup}, Seats: "1",
			Micros: []int64{10}, Reason: "crashed",
			Fault: &arena.GameFault{Seat: 2, Kind: arena.Crashed, Text: "it ended", Stderr: Secret + HostileMarkup},
		},
		{
			Round: 1, Leg: 2, First: 2, Second: 1, Winner: 1, Start: "5 7", Reason: "flood",
			Fault: &arena.GameFault{Seat: 2, Kind: arena.Flood, Text: "too much", Stderr: "of-ada" + HostileMarkup},
			Notes: []arena.Note{{Seat: 1, Kind: "comment", Text: Secret}},
		},
	} {
		line, err := json.Marshal(arena.Record{Game: g})
		check(err)
		lines = append(lines, line)
		e.Failures[1-i] = string(g.Fault.Kind)
	}
	packed, err := job.PackLines(lines)
	check(err)
	e.Results, e.Records = "wl", h.StoreBlob(packed)
	check(h.Store.EndEncounter(ctx, e))
	check(h.Store.AddRankChanges(ctx, l.ID, []store.RankChange{{Bot: 1, Rank: 1}, {Bot: 2, OldRank: 1, Rank: 2}}))
	got, err := h.Store.Ladder(ctx, l.ID)
	check(err)
	if got.Open = open; !open {
		check(h.Store.ChangeLadder(ctx, got))
	}
	return got
}

// EndRejudgingJobs ends the waiting rejudging jobs with these verdicts, in order.
func (h *Harness) EndRejudgingJobs(verdicts ...judge.Verdict) {
	h.Helper()
	for i, s := range Must[[]*job.Spec](h)(h.Store.NextJobs(h.Context(), job.BackgroundPriority, "main", 100)) {
		r := &job.Result{
			Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: verdicts[i%len(verdicts)]}, Reason: HostileMarkup,
		}
		if _, err := h.Store.RecordResult(h.Context(), r, ""); err != nil {
			h.Fatal(err)
		}
	}
}
