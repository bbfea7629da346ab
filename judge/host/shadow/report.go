package shadow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/store"
)

// A Report compares a contest with its primary.
type Report struct {
	Source   *store.ExternalSource
	Lag      time.Duration // time since the last data from the primary; 0 if there was none
	Silent   bool          // the lag exceeds MaxSilence
	Matrix   Matrix
	Differ   []VerdictPair
	Problems []store.ExternalProblem
	// HasBoard lists the teams with different ranks, and Awards the awards that differ. HasBoard reports whether the
	// primary provides a scoreboard.
	HasBoard bool
	Ranks    []RankPair
	Awards   []AwardPair
	seq      int64         // number of the contest's last event at the time of the comparison
	unjudged []VerdictPair // only the primary has a verdict
}

// A Difference is a difference from the primary that must be acknowledged before the results can be final.
type Difference struct {
	Text   string
	Number int64 // of the submission on this server; 0 if the difference is about something else
}

// Differences returns the differences. Their texts name objects by their ids at the primary.
func (r *Report) Differences() (differences []Difference) {
	add := func(number int64, format string, args ...any) {
		differences = append(differences, Difference{fmt.Sprintf(format, args...), number})
	}
	if r.Source.LastReceived.IsZero() {
		add(0, "the primary has sent nothing")
	}
	for _, p := range r.Differ {
		add(p.Submission.Number, "submission %s: %s at the primary, %s here", p.Submission.ExtID, p.Theirs, p.Ours)
	}
	for _, p := range r.unjudged {
		add(p.Submission.Number, "submission %s: %s at the primary, pending here", p.Submission.ExtID, p.Theirs)
	}
	for _, p := range r.Ranks {
		add(0, "rank of team %s: %s at the primary, %s here", p.Team, p.Theirs.text(), p.Ours.text())
	}
	for _, p := range r.Awards {
		add(0, "award %s: teams %s at the primary, %s here", p.ID, strings.Join(p.Theirs, ", "), strings.Join(p.Ours, ", "))
	}
	for _, p := range r.Problems {
		add(0, "%s %s: %s", p.Type, p.ID, p.Text)
	}
	return differences
}

// Comparison returns the texts of the differences, together with the source and the state of the contest that were
// compared.
func (r *Report) Comparison() *store.Comparison {
	c := &store.Comparison{Source: r.Source, Seq: r.seq}
	for _, d := range r.Differences() {
		c.Differences = append(c.Differences, d.Text)
	}
	return c
}

// A Matrix counts submissions by the primary's verdict (rows) and this server's verdict (columns). An empty
// verdict means pending.
type Matrix struct {
	Rows, Columns []judge.Verdict
	Cells         [][]int
}

// NewMatrix returns the Matrix of the given pairs.
func NewMatrix(pairs []VerdictPair) (m Matrix) {
	seen := func(all []judge.Verdict, v judge.Verdict) []judge.Verdict {
		if slices.Contains(all, v) {
			return all
		}
		return append(all, v)
	}
	for _, p := range pairs {
		m.Rows, m.Columns = seen(m.Rows, p.Theirs), seen(m.Columns, p.Ours)
	}
	slices.Sort(m.Rows)
	slices.Sort(m.Columns)
	m.Cells = make([][]int, len(m.Rows))
	for i := range m.Cells {
		m.Cells[i] = make([]int, len(m.Columns))
	}
	for _, p := range pairs {
		m.Cells[slices.Index(m.Rows, p.Theirs)][slices.Index(m.Columns, p.Ours)]++
	}
	return m
}

// A Rank is a row of a scoreboard. Its field Rank is 0 if the team is not ranked.
type Rank struct{ Rank, Solved, Minutes int }

// text returns the rank as text.
func (r Rank) text() string {
	if r.Rank == 0 {
		return "none"
	}
	return fmt.Sprintf("%d with %d solved in %d min", r.Rank, r.Solved, r.Minutes)
}

// A RankPair is a team with its ranks on the primary and on this server.
type RankPair struct {
	Team, Name   string // the id, and the display name
	Theirs, Ours Rank
}

// An AwardPair is an award with the ids of its teams on the primary and on this server.
type AwardPair struct {
	ID           string
	Theirs, Ours []string
}

// NewReport compares a contest with its primary at the time now. It returns store.ErrNotFound if the contest does
// not follow a primary.
func NewReport(ctx context.Context, db *store.Store, feeds *feed.Registry, contest string, now time.Time) (*Report, error) {
	if _, err := feeds.Contest(ctx, contest); err != nil { // it may record that the contest has ended
		return nil, err
	}
	row, err := db.Contest(ctx, contest)
	if err != nil {
		return nil, err
	}
	source, err := db.ExternalSource(ctx, contest)
	if err != nil {
		return nil, err
	}
	r := &Report{Source: source, seq: row.LastSeq}
	if !source.LastReceived.IsZero() {
		r.Lag = max(now.Sub(source.LastReceived), 0)
	}
	r.Silent = source.LastReceived.IsZero() || r.Lag > MaxSilence
	objects, err1 := db.ExternalObjects(ctx, contest, "")
	submissions, err2 := db.ShadowSubmissions(ctx, contest)
	var err3 error
	r.Problems, err3 = db.ExternalProblems(ctx, contest)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	m := NewMirror(objects)
	pairs := VerdictPairs(submissions, m.Verdicts())
	r.Matrix = NewMatrix(pairs)
	for _, p := range pairs {
		switch {
		case p.Differs():
			r.Differ = append(r.Differ, p)
		case p.isPending():
			r.unjudged = append(r.unjudged, p)
		}
	}
	return r, r.results(ctx, m, feeds, contest)
}

// results compares the scoreboards and the awards.
func (r *Report) results(ctx context.Context, m Mirror, feeds *feed.Registry, contest string) error {
	c, err := feeds.Contest(ctx, contest)
	if err != nil {
		return err
	}
	reader := feed.Reader{Version: clics.V2023, Role: clics.Admin}
	board, _ := c.Scoreboard(reader, "")
	data, err := clics.Encode(clics.Reader{Version: reader.Version, Role: reader.Role}, clics.Scoreboard, board)
	if err != nil {
		return err
	}
	if theirs := parseRanks([]byte(r.Source.Scoreboard)); theirs != nil {
		r.HasBoard = true
		r.Ranks = rankPairs(theirs, parseRanks(data), func(id string) string {
			o := m.object("teams", id)
			return cmp.Or(o.text("display_name"), o.text("name"), id)
		})
	}
	lines, err := c.List(reader, clics.Awards)
	if err != nil {
		return err
	}
	ours := map[string][]string{}
	for _, l := range lines {
		ours[l.ID] = parseObject(string(l.Data)).texts("team_ids")
	}
	for _, id := range m.ids("awards") { // awards that only this server has do not count
		p := AwardPair{id, m.object("awards", id).texts("team_ids"), ours[id]}
		slices.SortFunc(p.Theirs, compareIDs)
		slices.SortFunc(p.Ours, compareIDs)
		if !slices.Equal(p.Theirs, p.Ours) {
			r.Awards = append(r.Awards, p)
		}
	}
	return nil
}

// parseRanks parses a scoreboard. It returns nil if the data is not valid.
func parseRanks(data []byte) map[string]Rank {
	var board struct {
		Rows []struct {
			Rank  int             `json:"rank"`
			Team  json.RawMessage `json:"team_id"`
			Score struct {
				Solved int             `json:"num_solved"`
				Time   json.RawMessage `json:"total_time"`
			} `json:"score"`
		} `json:"rows"`
	}
	if json.Unmarshal(data, &board) != nil || board.Rows == nil {
		return nil
	}
	all := map[string]Rank{}
	for _, row := range board.Rows {
		minutes, _ := parsePenalty(plainText(row.Score.Time)) // 0 if it is missing
		all[plainText(row.Team)] = Rank{row.Rank, row.Score.Solved, minutes}
	}
	return all
}

// rankPairs returns the teams whose ranks differ, in the order of the primary's ranks.
func rankPairs(theirs, ours map[string]Rank, name func(id string) string) (pairs []RankPair) {
	for id, t := range theirs {
		if ours[id] != t {
			pairs = append(pairs, RankPair{id, name(id), t, ours[id]})
		}
	}
	for id, o := range ours {
		if _, there := theirs[id]; !there {
			pairs = append(pairs, RankPair{id, name(id), Rank{}, o})
		}
	}
	slices.SortFunc(pairs, func(a, b RankPair) int {
		return cmp.Or(cmp.Compare(a.Theirs.Rank, b.Theirs.Rank), cmp.Compare(a.Ours.Rank, b.Ours.Rank), strings.Compare(a.Team, b.Team))
	})
	return pairs
}
