package webtest

import (
	"cmp"
	"encoding/json"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// Accepted returns the events of an accepted submission.
func Accepted() []judge.Event {
	return []judge.Event{&judge.Finished{Verdict: judge.Accepted, Passed: 2, Judged: 2, Cases: 2}}
}

// Clarify stores a clarification of an account. Unless it is from the jury, it is a request of the account's team.
func (h *Harness) Clarify(c *store.Contest, n store.NewClarification, login string) {
	h.Helper()
	n.Contest, n.Account = c.ID, h.Accounts[login].ID
	if !n.Staff {
		n.Team = Must[*store.Team](h)(h.Store.Enter(h.Context(), c.ID, h.Accounts[login])).ID
	}
	if _, err := h.Store.Clarify(h.Context(), n); err != nil {
		h.Fatal(err)
	}
}

// TextOfAda is part of all golf submissions of ada. Other contestants must not see it.
const TextOfAda = "lambda-of-ada"

// Hole creates a public hole for the problem.
func (h *Harness) Hole(slug string) *store.Hole {
	h.Helper()
	o := &store.Hole{Slug: slug, Name: slug + Evil, ProblemSlug: "sum", Visibility: store.Public}
	if err := h.Store.NewHole(h.Context(), o); err != nil {
		h.Fatal(err)
	}
	return o
}

// Answer stores a golf submission and starts its check.
func (h *Harness) Answer(o *store.Hole, login, text string) *store.Answer {
	h.Helper()
	data := []byte(text)
	if login == "ada" {
		data = []byte(TextOfAda + Evil + text)
	}
	how := flow.HoleAnswer{Language: "py"}
	proof, err := how.Proof("answer.py")
	if err != nil {
		h.Fatal(err)
	}
	f := job.File{Path: "answer.py", Size: int64(len(data)), Digest: h.Put(data)}
	spec, err := flow.NewHole(job.Work{Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "sum",
		Folder: true, Files: []job.File{f}}, proof, "")
	if err != nil {
		h.Fatal(err)
	}
	asked, err1 := json.Marshal(how)
	planned, err2 := json.Marshal(spec)
	a, err := h.Store.NewAnswer(h.Context(), store.NewAnswer{
		Hole: o, Account: h.Accounts[login].ID, File: f, Asked: asked, Spec: planned, Kind: string(flow.Hole),
	})
	if err != nil || err1 != nil || err2 != nil {
		h.Fatal(err, err1, err2)
	}
	return a
}

// Proved returns the result of a golf check, encoded like a worker's.
func (h *Harness) Proved(language string, v judge.GolfVerdict, size int) (*judge.GolfProved, []byte) {
	h.Helper()
	p := &judge.GolfProved{
		Format: judge.EventFormat, Problem: "sum", File: "answer.py", Language: language +
			Evil, Verdict: v, GolfSize: judge.GolfSize{Bytes: size, Chars: size - 1},
		Domain: 10000, Tried: 10000, Code: TextOfAda + Evil, How: "function f(i,j)", Notes: []string{Evil},
	}
	if v != judge.GolfRight {
		p.Wrong, p.WrongMany = []judge.GolfWrongInput{{In: "5 5", Gave: Evil, Why: "it is 10"}}, 1
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

// Prove records the result of a golf submission's check.
func (h *Harness) Prove(a *store.Answer, language string, v judge.GolfVerdict, size int) *store.Answer {
	h.Helper()
	p, packed := h.Proved(language, v, size)
	h.Later(time.Second)
	e := store.Settled{
		Flow: a.Flow, Right: v == judge.GolfRight, Proved: p, Language: language, Events: h.Put(packed), Why: flow.Why(p),
		Toolchain: "Python 3.14" + Evil, Workers: []string{"w"},
	}
	if err := h.Store.Settle(h.Context(), e); err != nil {
		h.Fatal(err)
	}
	got, err := h.Store.Answer(h.Context(), a.Hole, a.Number)
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
		Slug: slug, Name: slug + Evil, Problem: "sum", Choice: []byte(`{"games":2}`), Seed: 7,
		Visibility: cmp.Or(v, store.Accounts), PerAccount: 2, Owner: h.Accounts["admin"].ID,
	}
	check(h.Store.NewLadder(ctx, l))
	rules, err := json.Marshal(arena.Rules{Name: "s1", Format: "open-ladder", Rounds: 1, Games: 2})
	check(err)
	check(h.Store.SetLadderRules(ctx, l.ID, rules, ""))
	for _, login := range []string{"ada", "admin"} {
		text := []byte("the bot of " + login + Evil)
		b := &store.Bot{
			Ladder: l.ID, Account: h.Accounts[login].ID, Name: login + "'s bot" + Evil, File: "bot.py",
			Files: []job.File{{Path: "bot.py", Size: int64(len(text)), Digest: h.Put(text)}},
		}
		check(h.Store.NewBot(ctx, b, "trial", func(*store.Bot) ([]byte, error) { return []byte("{}"), nil }))
		b.State, b.Told = store.BotActive, []byte(`{"ok":true,"positions":[{"name":"`+"a start"+`"}]}`)
		check(h.Store.EndCheck(ctx, b))
	}
	e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
	check(h.Store.NewEncounter(ctx, e, "encounter", l.Owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }))
	var lines [][]byte
	for i, g := range []*arena.Game{
		{
			Round: 1, Leg: 1, First: 1, Second: 2, Winner: 1, Start: "5 7", Moves: []string{"3" + Evil}, Seats: "1",
			Micros: []int64{10}, Reason: "crashed",
			Fault: &arena.GameFault{Seat: 2, Kind: arena.Crashed, Text: "it ended", Stderr: Secret + Evil},
		},
		{
			Round: 1, Leg: 2, First: 2, Second: 1, Winner: 1, Start: "5 7", Reason: "flood",
			Fault: &arena.GameFault{Seat: 2, Kind: arena.Flood, Text: "too much", Stderr: "of-ada" + Evil},
			Notes: []arena.Note{{Seat: 1, Kind: "comment", Text: Secret}},
		},
	} {
		line, err := json.Marshal(arena.Record{Game: g})
		check(err)
		lines = append(lines, line)
		e.Faults[1-i] = string(g.Fault.Kind)
	}
	packed, err := job.PackLines(lines)
	check(err)
	e.Results, e.Records = "wl", h.Put(packed)
	check(h.Store.EndEncounter(ctx, e))
	check(h.Store.Climbed(ctx, l.ID, []store.Climb{{Bot: 1, Place: 1}, {Bot: 2, Before: 1, Place: 2}}))
	got, err := h.Store.Ladder(ctx, l.ID)
	check(err)
	if got.Open = open; !open {
		check(h.Store.ChangeLadder(ctx, got))
	}
	return got
}

// RejudgedAs ends the waiting rejudging jobs with these verdicts, in order.
func (h *Harness) RejudgedAs(verdicts ...judge.Verdict) {
	h.Helper()
	for i, s := range Must[[]*job.Spec](h)(h.Store.Next(h.Context(), job.Background, "main", 100)) {
		r := &job.Result{
			Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: verdicts[i%len(verdicts)]}, Reason: Evil,
		}
		if _, err := h.Store.Fold(h.Context(), r, ""); err != nil {
			h.Fatal(err)
		}
	}
}
