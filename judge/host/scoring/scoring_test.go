package scoring_test

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/host/scoring"
)

// slow computes a scoreboard in the simplest way: it goes through all submissions for every number. It shares only
// types with the package.
func slow(c scoring.Contest, teams []scoring.Team, submissions []scoring.Submission, v scoring.View) (places []scoring.RankedRow,
	columns []scoring.Column) {
	latest := map[int64]scoring.Submission{}
	for _, s := range submissions {
		latest[s.Number] = s
	}
	byID := map[string]scoring.Team{}
	for _, t := range teams {
		byID[t.ID] = t
	}
	// Counting every second would be too slow. Contest time is counted between the starts and ends of removed
	// intervals.
	contestTime := func(at time.Time) time.Duration {
		if at.Before(c.Start) {
			return -1
		}
		moments := []time.Time{c.Start, at}
		for _, r := range c.Removed {
			moments = append(moments, r.From, r.To)
		}
		slices.SortFunc(moments, time.Time.Compare)
		total := time.Duration(0)
		for i := 1; i < len(moments); i++ {
			from, to := moments[i-1], moments[i]
			removed := from.Before(c.Start) || to.After(at)
			for _, r := range c.Removed {
				removed = removed || !from.Before(r.From) && !to.After(r.To)
			}
			if !removed {
				total += to.Sub(from)
			}
		}
		return total
	}
	counts := func(s scoring.Submission) bool {
		t, known := byID[s.Team]
		end := c.Length + t.ExtraTime
		return known && !s.Ignored && !c.Start.IsZero() && !s.At.Before(c.Start) && (c.Length == 0 || contestTime(s.At) < end)
	}
	open := func(s scoring.Submission) bool {
		return s.Verdict == "" || s.Verdict == "JE" || s.Unverified && !v.Unverified ||
			!v.KnownBefore.IsZero() && s.At.Compare(v.KnownBefore) >= 0
	}
	of := func(team, problem string) (all []scoring.Submission) {
		for _, s := range latest {
			if s.Team == team && s.Problem == problem && counts(s) {
				all = append(all, s)
			}
		}
		slices.SortFunc(all, earlier)
		return all
	}
	acceptedBy := func(team, problem string) *scoring.Submission {
		for _, s := range of(team, problem) {
			if !open(s) && s.Verdict == "AC" {
				return &s
			}
		}
		return nil
	}
	isFirst := func(team, problem string) bool {
		mine := acceptedBy(team, problem)
		if mine == nil || mine.Unverified || byID[team].Hidden || c.Rules.Kind == scoring.IOI {
			return false
		}
		for _, s := range latest {
			if counts(s) && s.Problem == problem && !byID[s.Team].Hidden && earlier(s, *mine) < 0 && (open(s) || s.Unverified || s.Verdict == "AC") {
				return false
			}
		}
		return true
	}
	for _, t := range byID {
		if t.Hidden && !v.ShowHidden {
			continue
		}
		row := &scoring.Row{Team: &t}
		late := time.Duration(0)
		for _, p := range c.Problems {
			var cell scoring.Cell
			cell.First = isFirst(t.ID, p.Label)
			accepted := acceptedBy(t.ID, p.Label)
			cell.Solved = accepted != nil
			var best []float64
			for _, s := range of(t.ID, p.Label) {
				if c.Rules.Kind != scoring.IOI && accepted != nil && earlier(*accepted, s) < 0 {
					continue
				}
				if open(s) {
					cell.Pending++
					continue
				}
				if s.Verdict == "CE" && !c.Rules.CompileErrors {
					continue
				}
				cell.Attempts++
				switch points := 0.0; {
				case c.Rules.Kind == scoring.IOI:
					if s.Score != nil {
						points = s.Score.Points
					} else if s.Verdict == "AC" {
						points = p.Points
					}
					cell.Points = max(cell.Points, points)
					for i, part := range s.Parts {
						if len(best) <= i {
							best = append(best, part)
						}
						best[i] = max(best[i], part)
					}
				}
			}
			if c.Rules.BestGroups {
				sum := 0.0
				for _, points := range best {
					sum += points
				}
				cell.Points = max(cell.Points, sum)
			}
			cell.Points = math.Round(1e6*cell.Points) / 1e6
			if accepted != nil && c.Rules.Kind != scoring.IOI {
				cell.Time = contestTime(accepted.At).Truncate(time.Second)
				if c.Rules.Kind == scoring.ICPC {
					cell.Time = cell.Time.Truncate(time.Minute)
					row.Time += cell.Time
				} else {
					cell.Points = p.Points
				}
				late = max(late, cell.Time)
				row.Time += time.Duration(cell.Attempts-1) * c.Rules.Penalty
			}
			if cell.Solved {
				row.Solved++
			}
			row.Points = row.Points + cell.Points
			row.Cells = append(row.Cells, cell)
		}
		row.Points = math.Round(1e6*row.Points) / 1e6
		row.Last = late
		if c.Rules.Kind == scoring.Points {
			row.Time += late
		}
		if c.Rules.Kind != scoring.IOI {
			row.Time += t.Penalty
		}
		places = append(places, scoring.RankedRow{Row: row})
	}
	better := func(x, y scoring.RankedRow) bool {
		switch {
		case c.Rules.Kind == scoring.ICPC && x.Solved != y.Solved:
			return x.Solved > y.Solved
		case c.Rules.Kind != scoring.ICPC && x.Points != y.Points:
			return x.Points > y.Points
		case c.Rules.Kind != scoring.IOI && x.Time != y.Time:
			return x.Time < y.Time
		}
		return c.Rules.Kind == scoring.ICPC && x.Last < y.Last
	}
	slices.SortFunc(places, func(x, y scoring.RankedRow) int {
		if better(x, y) {
			return -1
		} else if better(y, x) {
			return 1
		}
		return cmp.Or(slices.Index(names, x.Team.Name)-slices.Index(names, y.Team.Name), strings.Compare(x.Team.ID, y.Team.ID))
	})
	for i := range places {
		if places[i].Team.Hidden {
			continue
		}
		places[i].Rank = 1
		for _, other := range places {
			if !other.Team.Hidden && better(other, places[i]) {
				places[i].Rank++
			}
		}
	}
	for i, p := range c.Problems {
		col := scoring.Column{Problem: p}
		for _, place := range places {
			if place.Team.Hidden {
				continue
			}
			cell := place.Cells[i]
			col.Attempts += cell.Attempts
			col.Pending += cell.Pending
			if cell.Solved {
				col.Solved++
			}
			if cell.Attempts+cell.Pending > 0 {
				col.Attempted++
			}
			if cell.First {
				col.First = place.Team.ID
			}
		}
		columns = append(columns, col)
	}
	return places, columns
}

func earlier(s, t scoring.Submission) int {
	return cmp.Or(s.At.Compare(t.At), cmp.Compare(s.Number, t.Number))
}

// check compares a Scoreboard with the result of slow.
func check(t interface{ Fatalf(string, ...any) }, b *scoring.Scoreboard, c scoring.Contest, teams []scoring.Team,
	submissions []scoring.Submission, v scoring.View) {
	places, columns := slow(c, teams, submissions, v)
	if !slices.EqualFunc(b.Rows(), places,
		func(x, y scoring.RankedRow) bool { return x.Rank == y.Rank && reflect.DeepEqual(*x.Row, *y.Row) }) ||
		!slices.Equal(b.Columns(), columns) {
		want := scoring.New(c, teams, submissions, v)
		t.Fatalf("a board is\n%s%+v\nmade from all submissions it is\n%s\nand the slow one has %d rows and %+v", draw(b), b.Columns(), draw(want),
			len(places), columns)
	}
}

// names lists team names in the order of the Unicode Collation Algorithm.
var names = []string{"ant", "Ant", "bee", "Élan", "zoo"}

// A world is a contest with random changes.
type world struct {
	draw        func(below int) int
	contest     scoring.Contest
	teams       []scoring.Team
	submissions []scoring.Submission
	view        scoring.View
}

func newWorld(draw func(below int) int) *world {
	w := &world{draw: draw}
	kinds := scoring.Kinds
	w.contest = scoring.Contest{Rules: scoring.DefaultRules(kinds[draw(len(kinds))]), Start: start, Length: 100 * time.Minute}
	w.contest.Rules.CompileErrors, w.contest.Rules.BestGroups = draw(2) == 1, draw(2) == 1
	w.contest.Problems = w.problems()
	for range 1 + draw(4) {
		w.teams = append(w.teams, w.team(len(w.teams)))
	}
	return w
}

func (w *world) problems() (all []scoring.Problem) {
	for _, label := range []string{"A", "B", "C"}[:1+w.draw(3)] {
		all = append(all, scoring.Problem{Label: label, Points: float64(100 * (1 + w.draw(3)))})
	}
	return all
}

func (w *world) team(i int) scoring.Team {
	t := scoring.Team{ID: string(rune('a' + i)), Name: names[w.draw(len(names))], Hidden: w.draw(5) == 0}
	if w.draw(4) == 0 {
		t.Penalty = time.Duration(w.draw(5)-2) * 10 * time.Minute
	}
	if w.draw(4) == 0 {
		t.ExtraTime = time.Duration(w.draw(3)) * 5 * time.Minute
	}
	return t
}

func (w *world) submission(number int64) scoring.Submission {
	verdicts := []judge.Verdict{"", "AC", "AC", "WA", "TLE", "CE", "JE"}
	problems := []string{"A", "B", "C"}
	s := scoring.Submission{
		Number: number, Team: string(rune('a' + w.draw(1+w.draw(5)))), Problem: problems[w.draw(1+w.draw(3))],
		At:      start.Add(time.Duration(w.draw(120)-5) * time.Minute).Add(time.Duration(w.draw(3)) * 29 * time.Second),
		Verdict: verdicts[w.draw(len(verdicts))], Ignored: w.draw(8) == 0,
		Unverified: w.draw(5) == 0,
	}
	w.points(&s)
	return s
}

func (w *world) points(s *scoring.Submission) {
	s.Score, s.Parts = nil, nil
	if w.draw(3) == 0 {
		return
	}
	s.Score = &judge.Score{}
	for range w.draw(4) {
		part := float64(w.draw(4)) * 0.1
		s.Parts = append(s.Parts, part)
		s.Score.Points += part
	}
}

// step makes a random change to the world, and returns it.
func (w *world) step() (ch scoring.Change) {
	minute := func() time.Time { return start.Add(time.Duration(w.draw(130)-10) * time.Minute) }
	switch kind := w.draw(12); {
	case kind == 0:
		t := w.team(w.draw(5))
		ch.Teams = append(ch.Teams, t)
		w.teams = append(w.teams, t)
	case kind == 1:
		c := w.contest
		c.Removed = slices.Clone(c.Removed)
		if len(c.Removed) > 0 && w.draw(2) == 0 {
			c.Removed = slices.Delete(c.Removed, 0, 1)
		} else {
			c.Removed = append(c.Removed, scoring.Interval{From: minute(), To: minute()})
		}
		switch w.draw(6) {
		case 0:
			c.Length = time.Duration(w.draw(3)) * 50 * time.Minute
		case 1:
			c.Rules.Penalty = time.Duration(w.draw(3)) * 10 * time.Minute
		case 2:
			c.Problems = w.problems()
		case 3:
			c.Rules.BestGroups = !c.Rules.BestGroups
		}
		w.contest, ch.Contest = c, &c
	case kind == 2:
		v := scoring.View{ShowHidden: w.draw(2) == 0, Unverified: w.draw(2) == 0}
		if w.draw(2) == 0 {
			v.KnownBefore = minute()
		}
		w.view, ch.View = v, &v
	case kind < 6 && len(w.submissions) > 0: // a verdict, a changed verdict, or an override
		for range 1 + w.draw(3) {
			s := w.submissions[w.draw(len(w.submissions))]
			for _, known := range w.submissions { // the current state
				if known.Number == s.Number {
					s = known
				}
			}
			fresh := w.submission(s.Number)
			if w.draw(2) == 0 {
				s.Verdict, s.Score, s.Parts = fresh.Verdict, fresh.Score, fresh.Parts
			} else {
				s.Ignored = !s.Ignored
			}
			ch.Submissions = append(ch.Submissions, s)
			w.submissions = append(w.submissions, s)
		}
	default: // new submissions, in any order of arrival
		s := w.submission(int64(w.draw(1000)))
		ch.Submissions = append(ch.Submissions, s)
		w.submissions = append(w.submissions, s)
	}
	return ch
}

// TestApplyIsAsGoodAsMakingItAnew checks that, after any changes, a Scoreboard equals a new one for the current state,
// and the result of slow.
func TestApplyIsAsGoodAsMakingItAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below := rapid.Int64()
		rng := rand.New(rand.NewPCG(uint64(below.Draw(t, "seed")), 0))
		w := newWorld(rng.IntN)
		b := scoring.New(w.contest, w.teams, nil, w.view)
		check(t, b, w.contest, w.teams, nil, w.view)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before, copies := b.Rows(), []scoring.Row{}
			for _, p := range before {
				copies = append(copies, copied(*p.Row))
			}
			b.Apply(w.step())
			check(t, b, w.contest, w.teams, w.submissions, w.view)
			for i, p := range before {
				if !reflect.DeepEqual(*p.Row, copies[i]) {
					t.Fatalf("a row that was handed out has changed")
				}
			}
			kept(t, before, b.Rows())
		}
		check(t, scoring.New(w.contest, w.teams, w.submissions, w.view), w.contest, w.teams, w.submissions, w.view)
	})
}

func copied(r scoring.Row) scoring.Row {
	team := *r.Team
	r.Team, r.Cells = &team, slices.Clone(r.Cells)
	return r
}

// kept checks that at most three rows get a new pointer although their content is unchanged. These may be the rows
// of the teams in the change.
func kept(t *rapid.T, before, after []scoring.RankedRow) {
	old := map[string]*scoring.Row{}
	for _, p := range before {
		old[p.Team.ID] = p.Row
	}
	changed, moved := 0, 0
	for _, p := range after {
		if was := old[p.Team.ID]; was != nil && was != p.Row {
			changed++
			if reflect.DeepEqual(*was, *p.Row) {
				moved++
			}
		}
	}
	if moved > 3 { // at most those of the submissions in the change
		t.Fatalf("%d rows of %d were created again, though they are unchanged", moved, changed)
	}
}

// FuzzBoard makes random changes that are derived from the fuzzed bytes.
func FuzzBoard(f *testing.F) {
	f.Add([]byte("icpc"))
	for i := range 6 {
		data := make([]byte, 200)
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for j := range data {
			data[j] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		w := newWorld(func(below int) int {
			if len(data) < 2 {
				return 0
			}
			n := int(binary.LittleEndian.Uint16(data))
			data = data[2:]
			return n % below
		})
		b := scoring.New(w.contest, w.teams, nil, w.view)
		for len(data) > 1 {
			b.Apply(w.step())
		}
		check(t, b, w.contest, w.teams, w.submissions, w.view)
	})
}

func TestContestTime(t *testing.T) {
	at := func(d time.Duration) time.Time { return start.Add(d) }
	c := scoring.Contest{Start: start, Length: 5 * time.Hour, Freeze: 4 * time.Hour, Removed: []scoring.Interval{
		{From: at(2 * time.Hour), To: at(150 * time.Minute)}, {From: at(-time.Hour), To: at(10 * time.Minute)},
		{From: at(2 * time.Hour), To: at(130 * time.Minute)}, {From: at(9 * time.Hour), To: at(8 * time.Hour)},
	}}
	for _, row := range []struct{ clock, contest time.Duration }{
		{-time.Minute, -time.Minute},
		{0, 0},
		{5 * time.Minute, 0},
		{10 * time.Minute, 0},
		{time.Hour, 50 * time.Minute},
		{2*time.Hour + 29*time.Minute, 110 * time.Minute},
		{3 * time.Hour, 140 * time.Minute},
	} {
		if got := c.Time(at(row.clock)); got != row.contest {
			t.Errorf("%s after the start the contest time is %s, want %s", row.clock, got, row.contest)
		}
	}
	if got, want := c.End(), at(5*time.Hour+40*time.Minute); !got.Equal(want) {
		t.Errorf("it ends at %s, want %s", got, want)
	}
	// TimeAt must return a time with the given contest time, and no earlier time may have that contest time.
	rapid.Check(t, func(t *rapid.T) {
		c := scoring.Contest{Start: start}
		for range rapid.IntRange(0, 4).Draw(t, "removed") {
			c.Removed = append(c.Removed, scoring.Interval{
				From: at(time.Duration(rapid.IntRange(-5, 50).Draw(t, "from"))),
				To:   at(time.Duration(rapid.IntRange(-5, 50).Draw(t, "to"))),
			})
		}
		passed := time.Duration(rapid.IntRange(1, 40).Draw(t, "passed"))
		moment := c.TimeAt(passed)
		if got, before := c.Time(moment), c.Time(moment.Add(-1)); got != passed || before >= passed {
			t.Fatalf("the moment %s has the contest time %s, and the one before %s, want %s: %v", moment, got, before, passed, c.Removed)
		}
	})
}

func TestAContestWithoutAnEnd(t *testing.T) {
	later := start.Add(1000 * time.Hour)
	c := scoring.Contest{Start: start, Freeze: time.Hour, Unfreeze: start.Add(time.Minute), Problems: []scoring.Problem{{Label: "A"}}}
	if c.Ended(later) || c.Thawed(later) || !c.End().IsZero() {
		t.Error("it has an end")
	}
	accepted := scoring.Submission{Number: 1, Team: "a", Problem: "A", At: later, Verdict: judge.Accepted}
	if b := scoring.New(c, []scoring.Team{{ID: "a"}}, []scoring.Submission{accepted},
		scoring.View{}); !b.Rows()[0].Cells[0].Solved || b.PendingCount() != 0 {
		t.Error("a submission of much later does not count")
	}
	c.Start = time.Time{}
	if b := scoring.New(c, []scoring.Team{{ID: "a"}}, []scoring.Submission{accepted},
		scoring.View{}); b.Rows()[0].Cells[0].Solved || c.Ended(later) || !c.TimeAt(time.Hour).IsZero() || c.Time(later) >= 0 {
		t.Error("it has not started, and something counts")
	}
}

func TestWhoSeesWhatWhen(t *testing.T) {
	frozen := scoring.Contest{Start: start, Length: 5 * time.Hour, Freeze: 4 * time.Hour, Unfreeze: start.Add(6 * time.Hour)}
	early := frozen
	early.Unfreeze = start.Add(time.Hour) // not before the end
	never := frozen
	never.Unfreeze = time.Time{}
	blind := scoring.Contest{Start: start, Length: 5 * time.Hour, Rules: scoring.Rules{HideVerdicts: true}}
	plain := scoring.Contest{Start: start, Length: 5 * time.Hour}
	freeze := start.Add(4 * time.Hour)
	for _, row := range []struct {
		name    string
		contest scoring.Contest
		now     time.Duration
		known   time.Time
		frozen  bool
		next    time.Duration
	}{
		{"nothing is frozen before the freeze", frozen, time.Hour, freeze, false, 4 * time.Hour},
		{"it is frozen at the freeze", frozen, 4 * time.Hour, freeze, true, 5 * time.Hour},
		{"it stays frozen after the end", frozen, 5 * time.Hour, freeze, true, 6 * time.Hour},
		{"it is thawed at the thaw", frozen, 6 * time.Hour, time.Time{}, false, 0},
		{"it is not thawed before the end", early, 299 * time.Minute, freeze, true, 5 * time.Hour},
		{"it is thawed at the end, where the thaw is before it", early, 5 * time.Hour, time.Time{}, false, 0},
		{"it is frozen until the jury unfreezes it", never, 1000 * time.Hour, freeze, true, 0},
		{"a blind contest shows nothing", blind, time.Hour, start, false, 5 * time.Hour},
		{"but all at its end", blind, 5 * time.Hour, time.Time{}, false, 0},
		{"another shows all", plain, time.Hour, time.Time{}, false, 5 * time.Hour},
		{"before the start the start is next", plain, -time.Hour, time.Time{}, false, 0},
		{"without a start nothing happens", scoring.Contest{Freeze: time.Hour}, 0, time.Time{}, false, 0},
	} {
		now := start.Add(row.now)
		if got := row.contest.Public(now); !got.KnownBefore.Equal(row.known) || got.ShowHidden {
			t.Errorf("%s: the public sees %+v, want until %s", row.name, got, row.known)
		}
		if got := row.contest.Frozen(now); got != row.frozen {
			t.Errorf("%s: frozen is %v", row.name, got)
		}
		want := time.Time{}
		if row.next != 0 || row.now < 0 {
			want = start.Add(row.next)
		}
		if got := row.contest.NextChange(now); !got.Equal(want) {
			t.Errorf("%s: the next moment is %s, want %s", row.name, got, want)
		}
	}
}

// TestBoardsOfTwoViewsAgree checks that the jury's and the public scoreboard agree on visible teams if both views
// know all verdicts.
func TestBoardsOfTwoViewsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(uint64(rapid.Int64().Draw(t, "seed")), 0))
		w := newWorld(rng.IntN)
		for range 40 {
			w.step()
		}
		staff, public := scoring.New(w.contest, w.teams, w.submissions, scoring.View{ShowHidden: true}),
			scoring.New(w.contest, w.teams, w.submissions, scoring.View{})
		shown := slices.DeleteFunc(slices.Clone(staff.Rows()), func(p scoring.RankedRow) bool { return p.Rank == 0 })
		if !slices.EqualFunc(shown, public.Rows(),
			func(x, y scoring.RankedRow) bool { return x.Rank == y.Rank && reflect.DeepEqual(*x.Row, *y.Row) }) {
			t.Fatalf("the staff sees\n%s\nthe public\n%s", draw(staff), draw(public))
		}
	})
}

// TestAFrozenBoardTellsNothing checks that the public scoreboard does not depend on verdicts after the freeze.
func TestAFrozenBoardTellsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(uint64(rapid.Int64().Draw(t, "seed")), 0))
		w := newWorld(rng.IntN)
		for range 40 {
			w.step()
		}
		view := scoring.View{KnownBefore: start.Add(60 * time.Minute)}
		others := slices.Clone(w.submissions)
		for i := range others {
			if !others[i].At.Before(view.KnownBefore) {
				fresh := w.submission(0)
				others[i].Verdict, others[i].Score, others[i].Parts = fresh.Verdict, fresh.Score, fresh.Parts
			}
		}
		one, two := draw(scoring.New(w.contest, w.teams, w.submissions, view)), draw(scoring.New(w.contest, w.teams, others, view))
		if string(one) != string(two) {
			t.Fatalf("with other verdicts after the freeze the board is\n%s\ninstead of\n%s", two, one)
		}
	})
}
