package feed_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/store"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// An oracle computes the scoreboard and the awards of a contest from the objects of a feed alone, as an
// independent client would. It does not use the tested packages.
type oracle struct {
	contest struct {
		Penalty json.RawMessage `json:"penalty_time"`
		Main    string          `json:"main_scoreboard_group_id"`
	}
	teams                map[string]oracleTeam
	problems, groups     map[string]bool
	types                map[string]oracleType
	submissions          []*oracleSubmission
	penalty, b           int
	first                map[string]string // team ids by problem
	gold, silver, bronze int
}

type oracleTeam struct {
	ID, Name string
	Hidden   bool
	Groups   []string `json:"group_ids"`
}

type oracleType struct{ Penalty, Solved bool }

type oracleSubmission struct {
	ID          string
	Team        string `json:"team_id"`
	Problem     string `json:"problem_id"`
	Time        string
	ContestTime string `json:"contest_time"`
	verdict     string // empty while pending
}

type oracleRow struct {
	team                oracleTeam
	solved, total, last int
	cells               []string
	rank                int
}

// minutes returns the whole minutes of a RELTIME, or the value of a number.
func minutes(text string) int {
	var h, m int
	if n, _ := fmt.Sscanf(strings.Trim(text, `"`), "%d:%d:", &h, &m); n < 2 {
		return h
	}
	return 60*h + m
}

// clear removes all objects.
func (o *oracle) clear() {
	o.teams, o.problems, o.groups = map[string]oracleTeam{}, map[string]bool{}, map[string]bool{}
	o.types, o.first = map[string]oracleType{}, map[string]string{}
}

// read parses the objects of a feed.
func (o *oracle) read(has map[string]string) error {
	o.clear()
	by := map[string]*oracleSubmission{}
	type judgement struct {
		Submission string `json:"submission_id"`
		Type       string `json:"judgement_type_id"`
		Current    *bool
	}
	var judgements []judgement
	var errs []error
	for key, data := range has {
		typ, id, _ := strings.Cut(key, " ")
		into := func(v any) { errs = append(errs, json.Unmarshal([]byte(data), v)) }
		switch typ {
		case "contest":
			into(&o.contest)
		case "teams":
			var t oracleTeam
			into(&t)
			o.teams[id] = t
		case "problems":
			o.problems[id] = true
		case "groups":
			o.groups[id] = true
		case "judgement-types":
			var t oracleType
			into(&t)
			o.types[id] = t
		case "submissions":
			s := &oracleSubmission{}
			into(s)
			by[id], o.submissions = s, append(o.submissions, s)
		case "judgements":
			var j judgement
			into(&j)
			judgements = append(judgements, j)
		}
	}
	for _, j := range judgements {
		if s := by[j.Submission]; s != nil && (j.Current == nil || *j.Current) && j.Type != "JE" {
			s.verdict = j.Type
		}
	}
	slices.SortFunc(o.submissions, func(a, b *oracleSubmission) int {
		return cmp.Or(strings.Compare(a.Time, b.Time), len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID))
	})
	o.penalty = minutes(string(o.contest.Penalty))
	return errors.Join(errs...)
}

// rank returns the rows of the teams in a group, in order.
func (o *oracle) rank(group string, problems []string) (rows []*oracleRow) {
	for _, t := range o.teams {
		if !t.Hidden && (group == "" || slices.Contains(t.Groups, group)) {
			r := &oracleRow{team: t}
			for _, p := range problems {
				o.cell(r, p)
			}
			rows = append(rows, r)
		}
	}
	names := collate.New(language.AmericanEnglish)
	better := func(a, b *oracleRow) int { return cmp.Or(b.solved-a.solved, a.total-b.total, a.last-b.last) }
	slices.SortFunc(rows, func(a, b *oracleRow) int { return cmp.Or(better(a, b), names.CompareString(a.team.Name, b.team.Name)) })
	for i, r := range rows {
		if r.rank = i + 1; i > 0 && better(rows[i-1], r) == 0 {
			r.rank = rows[i-1].rank
		}
	}
	return rows
}

// cell adds a team's result in a problem to its row.
func (o *oracle) cell(r *oracleRow, problem string) {
	judged, pending, solved := 0, 0, -1
	for _, s := range o.submissions {
		typ := o.types[s.verdict]
		switch {
		case s.Team != r.team.ID || s.Problem != problem || solved >= 0:
		case s.verdict == "":
			pending++
		case typ.Solved:
			solved = minutes(s.ContestTime)
			r.solved, r.total, r.last = r.solved+1, r.total+solved+o.penalty*judged, max(r.last, solved)
			judged++
		case typ.Penalty:
			judged++
		}
	}
	r.cells = append(r.cells, fmt.Sprint(problem, " ", judged, " ", pending, " ", solved))
}

// firsts finds, for each problem, the first team to solve it. A problem has no first team while an earlier
// submission to the problem is pending.
func (o *oracle) firsts() {
	open := map[string]bool{}
	for _, s := range o.submissions {
		t, is := o.teams[s.Team]
		if !is || t.Hidden || open[s.Problem] || o.first[s.Problem] != "" {
			continue
		}
		open[s.Problem] = s.verdict == ""
		if o.types[s.verdict].Solved {
			o.first[s.Problem] = s.Team
		}
	}
}

// compute returns the scoreboard and the awards, with one row or award per line.
func (o *oracle) compute() (scoreboard, awards string) {
	var board, out strings.Builder
	var problems []string
	for p := range o.problems {
		problems = append(problems, p)
	}
	slices.Sort(problems)
	main := o.rank(o.contest.Main, problems)
	for _, r := range main {
		fmt.Fprintln(&board, r.rank, r.team.ID, r.solved, r.total, r.last, r.cells)
	}
	award := func(id string, rows []*oracleRow, from, to int) {
		teams := []string{}
		for _, r := range rows {
			if r.rank > from && r.rank <= to && r.solved > 0 {
				teams = append(teams, r.team.ID)
			}
		}
		fmt.Fprintln(&out, id, teams)
	}
	award("winner", main, 0, 1)
	award("gold-medal", main, 0, o.gold)
	award("silver-medal", main, o.gold, o.gold+o.silver)
	award("bronze-medal", main, o.gold+o.silver, o.gold+o.silver+o.bronze+o.b)
	o.firsts()
	for _, p := range problems {
		fmt.Fprintln(&out, "first-to-solve-"+p, slices.DeleteFunc([]string{o.first[p]}, func(t string) bool { return t == "" }))
	}
	for g := range o.groups {
		award("group-winner-"+g, o.rank(g, problems), 0, 1)
	}
	return board.String(), sorted(out.String())
}

func sorted(text string) string { return strings.Join(slices.Sorted(strings.Lines(text)), "") }

// answers returns the server's scoreboard and awards in the format of the oracle.
func answers(w *world, c *feed.Contest, to feed.Reader) (scoreboard, awards string) {
	o, _ := c.Scoreboard(to, "")
	data, err := clics.Encode(clics.Reader{Version: to.Version, Role: to.Role}, clics.Scoreboard, o)
	w.must(err)
	var table struct {
		Rows []struct {
			Rank  int
			Team  string `json:"team_id"`
			Score struct {
				Solved int             `json:"num_solved"`
				Total  json.RawMessage `json:"total_time"`
				Time   json.RawMessage
			}
			Problems []struct {
				ID      string `json:"problem_id"`
				Judged  int    `json:"num_judged"`
				Pending int    `json:"num_pending"`
				Solved  bool
				Time    json.RawMessage
			}
		}
	}
	w.must(json.Unmarshal(data, &table))
	var board, out strings.Builder
	for _, r := range table.Rows {
		var cells []string
		for _, p := range r.Problems {
			at := -1
			if p.Solved {
				at = minutes(string(p.Time))
			}
			cells = append(cells, fmt.Sprint(p.ID, " ", p.Judged, " ", p.Pending, " ", at))
		}
		fmt.Fprintln(&board, r.Rank, r.Team, r.Score.Solved, minutes(string(r.Score.Total)), minutes(string(r.Score.Time)), cells)
	}
	lines, err := c.List(to, clics.Awards)
	w.must(err)
	for _, l := range lines {
		fmt.Fprintln(&out, l.ID, l.Object["team_ids"])
	}
	return board.String(), sorted(out.String())
}

// TestOracle compares the scoreboard and the awards with those that the oracle computes from the feed. It plays
// random contests with rejudgings, verdict overrides, removed intervals, extra time and hidden teams.
func TestOracle(t *testing.T) {
	contests := uint64(6)
	if os.Getenv("ASSAY_SLOW") != "" {
		contests = 500
	}
	for seed := range contests {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t), rand.New(rand.NewPCG(seed, 7))
			w.unverified = true
			medals := store.Medals{Gold: r.IntN(2), Silver: 1, Bronze: r.IntN(2)}
			w.set(func(c *store.Contest) {
				c.Settings.Medals = &medals
				if r.IntN(2) == 0 {
					c.MainGroup = "east"
				}
				if r.IntN(3) == 0 {
					c.Freeze = 0
				}
				c.Settings.Penalty = r.IntN(3) * 10
			})
			w.play(r, medals)
		})
	}
}

// play plays a contest until its end, and compares with the oracle from time to time.
func (w *world) play(r *rand.Rand, medals store.Medals) {
	registry := &feed.Registry{Intake: w.intake}
	// In 2023-06, roles that see everything learn which teams are hidden.
	readers := []*follower{
		{to: feed.Reader{Version: clics.V2026, Role: clics.Public}}, {to: feed.Reader{Version: clics.V2023, Role: clics.Public}},
		{to: feed.Reader{Version: clics.V2023, Role: clics.Judge}}, {to: feed.Reader{Version: clics.V2026, Role: clics.Analyst}},
	}
	ask := func(when string, b int) {
		w.Helper()
		c, err := registry.Contest(w.Context(), w.contest)
		w.must(err)
		for _, f := range readers {
			if f.cursor == nil {
				f.has = map[string]string{}
				f.cursor, err = c.NewCursor(w.Context(), f.to, "", nil)
				w.must(err)
			}
			f.read(w.TB, 1<<30)
			o := &oracle{gold: medals.Gold, silver: medals.Silver, bronze: medals.Bronze, b: b}
			w.must(o.read(f.has))
			if f.to.Role == clics.Analyst { // an analyst sees hidden teams but not which ones are hidden
				for id, t := range o.teams {
					t.Hidden = slices.ContainsFunc(w.teams, func(one *store.Team) bool { return one.ExtID == id && one.Hidden })
					o.teams[id] = t
				}
			}
			scoreboard, awards := o.compute()
			if f.to.Version == clics.V2023 { // its scoreboard has all teams, its awards only the main group
				o.contest.Main = w.row().MainGroup
				_, awards = o.compute()
			}
			if is, prizes := answers(w, c, f.to); is != scoreboard || prizes != awards {
				w.Fatalf("%s, at %s, %s in %s: the scoreboard and the awards are\n%s%s\nwant\n%s%s", when, w.now.Format("15:04:05"), f.to.Role,
					f.to.Version, is, prizes, scoreboard, awards)
			}
		}
	}
	ask("at first", 0)
	w.now = start
	for range 120 {
		if what := w.step(r); what != "" && r.IntN(3) == 0 {
			ask(what, 0)
		}
	}
	w.now = start.Add(8 * time.Hour)
	for w.judgeAll(r) {
	}
	ask("all is judged", 0)
	for _, id := range w.made {
		_, err := w.store.CancelRejudging(w.Context(), id)
		w.must(err)
	}
	for n := range int64(200) {
		_, err := w.store.Clarify(w.Context(), store.NewClarification{
			Contest: w.contest, Account: w.people[1].ID, Jury: true, Text: fmt.Sprint("last ", n), ReplyTo: n + 1,
		})
		if errors.Is(err, store.ErrNotFound) {
			continue // an announcement or an empty line
		}
		w.must(err)
	}
	final := w.row()
	final.FinalB = 1
	for _, a := range w.sent { // submissions with a judge error
		w.must(w.store.AddOverride(w.Context(), a.ID, w.people[0].ID, store.Override{Verdict: judge.Accepted, Why: "x"}, -1))
	}
	thawed := final.Freeze == 0
	w.must(w.store.Finalize(w.Context(), final, nil))
	ask("final", 1)
	if !thawed {
		w.set(func(c *store.Contest) { c.Thaw = w.now })
		ask("unfrozen", 1)
	}
	for _, f := range readers {
		if !strings.Contains(f.has["state "], `"end_of_updates":"2026`) {
			w.Errorf("%s in %s ends with %s", f.to.Role, f.to.Version, f.has["state "])
		}
	}
}

// judgeAll records a verdict for all pending submissions.
func (w *world) judgeAll(r *rand.Rand) (any bool) {
	w.Helper()
	for _, priority := range []job.Priority{job.ContestPriority, job.BackgroundPriority} {
		waiting, err := w.store.NextJobs(w.Context(), priority, "main", 1)
		w.must(err)
		if len(waiting) > 0 {
			w.judge(priority, verdicts[r.IntN(len(verdicts))])
			any = true
		}
	}
	return any
}
