// Package scoring computes the scoreboard of a contest from the contest, its teams, their submissions and a view.
//
// A Scoreboard is changed by Apply. The result is what New would return for the current state, in whatever order the
// changes arrived: submissions in any order, changed verdicts, ignored submissions, removed intervals, a
// contestant's extra time, and the start or end of a freeze. Cheap changes are computed incrementally. For all
// others, the scoreboard is recomputed.
//
// Rows that did not change keep their pointers, so that a caller that renders rows can detect changes.
//
// The rules are those of the ICPC's Contest Control System Requirements, of the IOI, and of AtCoder. A submission
// counts from the start of the contest until the end for its team; practice does not count. A submission that is
// not judged, or whose verdict is a judge error, is pending and changes no score.
//
// The package is pure: it uses no clock, no database and no network, and renders nothing.
package scoring

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"sort"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"assay/judge"
)

// A Submission contains the properties of a submission that a scoreboard depends on.
type Submission struct {
	// Number is unique, and increases with the time of arrival.
	Number  int64
	Team    string // id
	Problem string // label
	At      time.Time
	Verdict judge.Verdict // empty while pending
	// Score is the score of the submission. It is nil if the problem has no scores.
	Score *judge.Score
	// Parts lists the points of the test groups whose sum is the score. It is nil if the score is not such a sum.
	Parts   []float64
	Ignored bool // by the jury: the submission has no effect
	// Unverified reports whether a judge must verify the verdict before it is public.
	Unverified bool
}

// before compares two submissions by the time of arrival.
func (s *Submission) before(t *Submission) int {
	return cmp.Or(s.At.Compare(t.At), cmp.Compare(s.Number, t.Number))
}

// A Cell is the result of a team in a problem.
type Cell struct {
	Attempts int  // counting judged submissions: rejected ones and the accepted one
	Pending  int  // isPending or unknown submissions before any accepted one
	Solved   bool // a submission was accepted
	// First reports whether no team solved the problem before, and no earlier submission is pending or unverified.
	// Hidden teams are never first, and do not affect which team is first.
	First  bool
	Time   time.Duration // of the accepted submission, in whole minutes (Points: s); unused for IOI
	Points float64       // for IOI and Points
}

// A Row is a team with its score. It never changes.
type Row struct {
	Team   *Team
	Cells  []Cell // by problem
	Solved int
	Points float64       // for IOI and Points
	Time   time.Duration // penalty time for ICPC; time of the score for Points
	Last   time.Duration // contest time of the last accepted submission
}

// A RankedRow is a row with its rank.
type RankedRow struct {
	// Rank is 1 for the best team. Tied teams have the same rank, and the following ranks are skipped. Hidden
	// teams have rank 0.
	Rank int
	*Row
}

// A Column contains the totals of a problem over all ranked teams.
type Column struct {
	Problem
	Attempts  int // number of judged submissions that count
	Pending   int
	Solved    int    // teams
	Attempted int    // number of teams with a submission
	First     string // id of the first team to solve it; may be empty
}

// A Scoreboard is a contest's scoreboard in one view. Its read methods may be called concurrently, but not during
// Apply. Their results do not change.
type Scoreboard struct {
	contest     Contest
	view        View
	clock       clock
	column      map[string]int // problem label to index
	entries     map[string]*teamEntry
	submissions map[int64]*Submission
	rows        []*teamEntry // in order
	ranked      []RankedRow
	columns     []Column
}

// An teamEntry is a team with the data from which its row is computed.
type teamEntry struct {
	team        *Team
	name        string // sort key for tied teams
	submissions [][]*Submission
	keys        []firstSubmissions // by problem
	row         *Row
}

// A firstSubmissions contains the first accepted and the first pending submission of a team to a problem. Together with the
// keys of other teams it decides which team was the first to solve the problem.
type firstSubmissions struct{ solved, pending *Submission }

// A Change contains new data. Each submission or team replaces the one with the same number or id. If Contest or
// View is not nil, it replaces the Scoreboard's contest or view. The Scoreboard keeps the slices, so the caller must not
// change them.
type Change struct {
	Submissions []Submission
	Teams       []Team
	Contest     *Contest
	View        *View
}

// New returns a Scoreboard. If several teams have the same id, or several submissions the same number, the last one
// counts.
func New(c Contest, teams []Team, submissions []Submission, v View) *Scoreboard {
	b := &Scoreboard{contest: c, view: v, entries: map[string]*teamEntry{}, submissions: make(map[int64]*Submission, len(submissions))}
	b.Apply(Change{Contest: &c, View: &v, Teams: teams, Submissions: submissions})
	return b
}

// Apply applies a change to the Scoreboard.
func (b *Scoreboard) Apply(ch Change) {
	if ch.Contest != nil || ch.View != nil || len(ch.Teams) > 0 {
		b.recompute(ch)
		return
	}
	dirty := map[*teamEntry]bool{}
	columns := map[int]bool{}
	touch := func(s *Submission) (e *teamEntry, i int, ok bool) {
		e, known := b.entries[s.Team]
		i, listed := b.column[s.Problem]
		if !known || !listed || !b.isVisible(e.team) {
			return nil, 0, false
		}
		dirty[e], columns[i] = true, true
		return e, i, true
	}
	for _, s := range ch.Submissions {
		if old := b.submissions[s.Number]; old != nil {
			if e, i, ok := touch(old); ok {
				e.submissions[i] = slices.DeleteFunc(e.submissions[i], func(t *Submission) bool { return t == old })
			}
		}
		b.submissions[s.Number] = &s
		if e, i, ok := touch(&s); ok {
			index, _ := slices.BinarySearchFunc(e.submissions[i], &s, (*Submission).before)
			e.submissions[i] = slices.Insert(e.submissions[i], index, &s)
		}
	}
	if len(dirty) == 0 {
		return
	}
	for e := range dirty {
		b.scoreTeam(e)
	}
	for i := range columns {
		b.findFirst(i)
	}
	b.rows = slices.DeleteFunc(b.rows, func(e *teamEntry) bool { return dirty[e] })
	for e := range dirty {
		index := sort.Search(len(b.rows), func(i int) bool { return b.before(e, b.rows[i]) < 0 })
		b.rows = slices.Insert(b.rows, index, e)
	}
	b.rankRows()
	b.countColumns()
}

// recompute computes everything again, but keeps the pointers of unchanged rows.
func (b *Scoreboard) recompute(ch Change) {
	if ch.Contest != nil {
		b.contest = *ch.Contest
	}
	if ch.View != nil {
		b.view = *ch.View
	}
	for _, s := range ch.Submissions {
		b.submissions[s.Number] = &s
	}
	var keys collate.Buffer
	order := collate.New(language.AmericanEnglish)
	for _, t := range ch.Teams {
		e := b.entries[t.ID]
		if e == nil {
			e = &teamEntry{}
			b.entries[t.ID] = e
		}
		if e.team == nil || !reflect.DeepEqual(e.team, &t) {
			e.team, e.name = &t, string(order.KeyFromString(&keys, t.Name))
			keys.Reset()
		}
	}
	b.clock = clock{b.contest.Start, b.contest.removed()}
	b.column = make(map[string]int, len(b.contest.Problems))
	for i, p := range b.contest.Problems {
		b.column[p.Label] = i
	}
	b.rows = b.rows[:0]
	for _, e := range b.entries {
		e.submissions, e.keys = make([][]*Submission, len(b.contest.Problems)), make([]firstSubmissions, len(b.contest.Problems))
		if b.isVisible(e.team) {
			b.rows = append(b.rows, e)
		}
	}
	for _, s := range b.submissions {
		if e, known := b.entries[s.Team]; known {
			if i, listed := b.column[s.Problem]; listed {
				e.submissions[i] = append(e.submissions[i], s)
			}
		}
	}
	before := make(map[*teamEntry]*Row, len(b.rows))
	for _, e := range b.rows {
		for _, subs := range e.submissions {
			slices.SortFunc(subs, (*Submission).before)
		}
		before[e] = e.row
		e.row = nil
		b.scoreTeam(e)
	}
	for i := range b.contest.Problems {
		b.findFirst(i)
	}
	for _, e := range b.rows {
		if old := before[e]; old != nil && old.Team == e.team && equalRows(old, e.row) {
			e.row = old
		}
	}
	slices.SortFunc(b.rows, b.before)
	b.rankRows()
	b.countColumns()
}

func equalRows(a, b *Row) bool {
	return a.Solved == b.Solved && a.Points == b.Points && a.Time == b.Time && a.Last == b.Last && slices.Equal(a.Cells, b.Cells)
}

func (b *Scoreboard) isVisible(t *Team) bool { return !t.Hidden || b.view.ShowHidden }

// scoreTeam computes a team's row.
func (b *Scoreboard) scoreTeam(e *teamEntry) {
	row := &Row{Team: e.team, Cells: make([]Cell, len(b.contest.Problems))}
	rules := &b.contest.Rules
	for i := range row.Cells {
		row.Cells[i], e.keys[i] = b.scoreCell(e, i)
		c := &row.Cells[i]
		if e.row != nil {
			c.First = e.row.Cells[i].First // the method first updates it later
		}
		if c.Solved {
			row.Solved++
		}
		row.Points += c.Points
		if rules.Kind == IOI || !c.Solved {
			continue
		}
		row.Last = max(row.Last, c.Time)
		row.Time += rules.Penalty * time.Duration(c.Attempts-1)
		if rules.Kind == ICPC {
			row.Time += c.Time
		}
	}
	row.Points = roundPoints(row.Points)
	switch rules.Kind {
	case Points:
		row.Time += row.Last + e.team.Penalty
	case ICPC:
		row.Time += e.team.Penalty
	}
	e.row = row
}

// roundPoints removes the rounding errors of adding decimals, so that 0.1 + 0.2 equals 0.3.
func roundPoints(points float64) float64 { return math.Round(points*1e6) / 1e6 }

// scoreCell computes a team's result in a problem from the team's submissions in order of arrival.
func (b *Scoreboard) scoreCell(e *teamEntry, problem int) (c Cell, k firstSubmissions) {
	rules := &b.contest.Rules
	var best []float64 // per test group
	for _, s := range e.submissions[problem] {
		if s.Ignored || !b.inContest(e.team, s.At) {
			continue
		}
		if b.isPending(s) {
			c.Pending++
			if k.pending == nil {
				k.pending = s
			}
			continue
		}
		if s.Unverified && k.pending == nil {
			k.pending = s // a judge may still change the verdict
		}
		if s.Verdict == judge.CompileError && !rules.CompileErrors {
			continue
		}
		c.Attempts++
		if rules.Kind == IOI {
			c.Solved = c.Solved || s.Verdict == judge.Accepted
			if rules.BestGroups && len(s.Parts) > 0 {
				best = bestParts(best, s.Parts)
			}
			c.Points = max(c.Points, s.points(b.contest.Problems[problem].Points))
			continue
		}
		if s.Verdict == judge.Accepted {
			c.Solved, k.solved = true, s
			unit := time.Second
			if rules.Kind == ICPC {
				unit = time.Minute
			} else {
				c.Points = b.contest.Problems[problem].Points
			}
			c.Time = b.clock.time(s.At).Truncate(unit)
			break
		}
	}
	sum := 0.0
	for _, points := range best {
		sum += points
	}
	c.Points = roundPoints(max(c.Points, sum))
	return c, k
}

// points returns the score of a submission. If the problem has no scores, an accepted submission gets the number
// of points in the argument worth.
func (s *Submission) points(maximum float64) float64 {
	switch {
	case s.Score != nil:
		return s.Score.Points
	case s.Verdict == judge.Accepted:
		return maximum
	}
	return 0
}

// bestParts keeps the better result for each group.
func bestParts(best, parts []float64) []float64 {
	for i, points := range parts {
		if i == len(best) {
			best = append(best, points)
		}
		best[i] = max(best[i], points)
	}
	return best
}

// inContest reports whether a time is between the start of the contest and its end for a team.
func (b *Scoreboard) inContest(t *Team, at time.Time) bool {
	if b.contest.Start.IsZero() || at.Before(b.contest.Start) {
		return false
	}
	return b.contest.Length <= 0 || b.clock.time(at) < b.contest.Length+max(t.ExtraTime, 0)
}

// isPending reports whether a submission has no verdict yet, or a verdict that this view must not show.
func (b *Scoreboard) isPending(s *Submission) bool {
	return s.Verdict == judge.NotJudged || s.Verdict == judge.JudgeError || s.Unverified && !b.view.Unverified ||
		!b.view.KnownBefore.IsZero() && !s.At.Before(b.view.KnownBefore)
}

// findFirst finds the first team to solve a problem. It replaces the rows of teams that have become first or are no
// longer first.
func (b *Scoreboard) findFirst(problem int) {
	var winner *teamEntry
	if b.contest.Rules.Kind != IOI {
		var open *Submission
		for _, e := range b.rows {
			k := e.keys[problem]
			if e.team.Hidden {
				continue
			}
			if k.solved != nil && (winner == nil || k.solved.before(winner.keys[problem].solved) < 0) {
				winner = e
			}
			if k.pending != nil && (open == nil || k.pending.before(open) < 0) {
				open = k.pending
			}
		}
		if winner != nil && open != nil && open.before(winner.keys[problem].solved) <= 0 {
			winner = nil
		}
	}
	for _, e := range b.rows {
		if is := e == winner; is != e.row.Cells[problem].First {
			row := *e.row
			row.Cells = slices.Clone(row.Cells)
			row.Cells[problem].First = is
			e.row = &row
		}
	}
}

// compare compares two rows. The better row comes first. It returns 0 if they are tied.
func (b *Scoreboard) compare(x, y *Row) int {
	switch b.contest.Rules.Kind {
	case ICPC:
		return cmp.Or(cmp.Compare(y.Solved, x.Solved), cmp.Compare(x.Time, y.Time), cmp.Compare(x.Last, y.Last))
	case Points:
		return cmp.Or(cmp.Compare(y.Points, x.Points), cmp.Compare(x.Time, y.Time))
	}
	return cmp.Compare(y.Points, x.Points)
}

// before compares two entries by the order in which rows are shown.
func (b *Scoreboard) before(x, y *teamEntry) int {
	return cmp.Or(b.compare(x.row, y.row), cmp.Compare(x.name, y.name), cmp.Compare(x.team.Name, y.team.Name),
		cmp.Compare(x.team.ID, y.team.ID))
}

// rankRows makes the places.
func (b *Scoreboard) rankRows() {
	b.ranked = make([]RankedRow, len(b.rows))
	ranked, rank := 0, 0
	var above *Row
	for i, e := range b.rows {
		b.ranked[i].Row = e.row
		if e.team.Hidden {
			continue
		}
		if ranked++; above == nil || b.compare(above, e.row) != 0 {
			rank = ranked
		}
		b.ranked[i].Rank, above = rank, e.row
	}
}

// countColumns computes the columns.
func (b *Scoreboard) countColumns() {
	b.columns = make([]Column, len(b.contest.Problems))
	for i := range b.columns {
		b.columns[i].Problem = b.contest.Problems[i]
	}
	for _, e := range b.rows {
		if e.team.Hidden {
			continue
		}
		for i := range e.row.Cells {
			cell, c := &e.row.Cells[i], &b.columns[i]
			c.Attempts += cell.Attempts
			c.Pending += cell.Pending
			if cell.Solved {
				c.Solved++
			}
			if cell.Attempts > 0 || cell.Pending > 0 {
				c.Attempted++
			}
			if cell.First {
				c.First = e.team.ID
			}
		}
	}
}

// Contest returns the contest. The caller must not modify the data that it refers to.
func (b *Scoreboard) Contest() Contest { return b.contest }

// View returns the view of the scoreboard.
func (b *Scoreboard) View() View { return b.view }

// Rows returns the rows in order.
func (b *Scoreboard) Rows() []RankedRow { return b.ranked }

// Columns returns the problems with the totals over all teams.
func (b *Scoreboard) Columns() []Column { return b.columns }

// PendingCount returns the number of pending submissions of visible teams within their contest time.
func (b *Scoreboard) PendingCount() (n int) {
	for _, p := range b.ranked {
		for _, c := range p.Cells {
			n += c.Pending
		}
	}
	return n
}
