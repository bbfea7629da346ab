package scoring

import (
	"fmt"
	"slices"
	"strings"
)

// An Award is an award in a contest, with the ids of the winning teams.
type Award struct {
	ID, Citation string
	Teams        []string
}

// AwardRules define the awards of a contest.
type AwardRules struct {
	Gold, Silver, Bronze int    // medals
	Main                 string // group whose teams can win medals; if empty, all teams can
	Groups               []AwardGroup
	Problems             []string // problem ids in awards, in column order
	// Organizations lists organizations with an award for their best team. If empty, there are no such awards.
	Organizations []AwardGroup
	// WorldFinals reports whether ranks and honors follow the rules of the World Finals.
	WorldFinals bool
}

// AwardGroup is a group or an organization that has a winner.
type AwardGroup struct{ ID, Name string }

// medals returns the total number of medals. If several teams share the rank of the last medal, each of them gets
// one, so there may be more winners.
func (r *AwardRules) medals() int { return r.Gold + r.Silver + r.Bronze }

// hasScored reports whether a team has solved a problem or has points.
func hasScored(p *RankedRow) bool { return p.Solved > 0 || p.Points > 0 }

// MainRows returns the ranked teams of the main scoreboard: the teams in the group r.Main, or all teams if
// r.Main is empty.
func (b *Scoreboard) MainRows(r *AwardRules) []RankedRow {
	return b.rowsOf(func(t *Team) bool { return r.Main == "" || slices.Contains(t.Groups, r.Main) })
}

// rowsOf returns the ranked teams for which the function in returns true. Their ranks do not count other teams.
func (b *Scoreboard) rowsOf(include func(*Team) bool) []RankedRow {
	var some []RankedRow
	for _, p := range b.Rows() {
		if p.Rank > 0 && include(p.Team) {
			some = append(some, p)
		}
	}
	return Rerank(some)
}

// Awards returns the awards of a scoreboard in order, including those without a winner. Hidden teams and teams
// without a solved problem win nothing. Before the start, no award has a winner.
func Awards(b *Scoreboard, r AwardRules) []Award {
	between := func(places []RankedRow, from, to int) []string {
		teams := []string{}
		for _, p := range places {
			if p.Rank > from && p.Rank <= to && hasScored(&p) {
				teams = append(teams, p.Team.ID)
			}
		}
		return teams
	}
	main := b.MainRows(&r)
	awards := []Award{
		{"winner", "Contest winner", between(main, 0, 1)},
		{"gold-medal", "Gold medal winner", between(main, 0, r.Gold)},
		{"silver-medal", "Silver medal winner", between(main, r.Gold, r.Gold+r.Silver)},
		{"bronze-medal", "Bronze medal winner", between(main, r.Gold+r.Silver, r.medals())},
	}
	for i, c := range b.Columns() {
		one := Award{"first-to-solve-" + r.Problems[i], "First to solve problem " + c.Label, []string{}}
		if c.First != "" {
			one.Teams = append(one.Teams, c.First)
		}
		awards = append(awards, one)
	}
	for _, g := range r.Groups {
		places := b.rowsOf(func(t *Team) bool { return slices.Contains(t.Groups, g.Name) })
		awards = append(awards, Award{"group-winner-" + g.ID, "Winner of group " + g.Name, between(places, 0, 1)})
	}
	for _, o := range r.Organizations {
		places := b.rowsOf(func(t *Team) bool { return t.Organization == o.ID })
		awards = append(awards, Award{"organization-winner-" + o.ID, "Winner of " + o.Name, between(places, 0, 1)})
	}
	if r.WorldFinals {
		awards = append(awards, worldFinalsAwards(main, &r)...)
	}
	return awards
}

// Rerank returns a copy of the given places, ranked only among each other.
func Rerank(rows []RankedRow) []RankedRow {
	ranked := slices.Clone(rows)
	for i := range ranked {
		if i > 0 && rows[i].Rank == rows[i-1].Rank {
			ranked[i].Rank = ranked[i-1].Rank
		} else {
			ranked[i].Rank = i + 1
		}
	}
	return ranked
}

// FinalRanks returns the ranks, in the final results, of the places on the main scoreboard. A team that is not
// ranked, such as one without a solved problem, has rank zero. By the rules of the World Finals, teams without a
// medal that solved equally many problems share a rank, and teams that solved fewer than the median team are not
// ranked.
func FinalRanks(rows []RankedRow, r *AwardRules) []int {
	ranks := make([]int, len(rows))
	same := map[int]int{} // by number of solved problems: rank of the first team without a medal
	for i := range rows {
		p := &rows[i]
		switch {
		case !hasScored(p):
		case !r.WorldFinals || p.Rank <= r.medals():
			ranks[i] = p.Rank
		case p.Solved >= rows[len(rows)/2].Solved:
			if same[p.Solved] == 0 {
				same[p.Solved] = p.Rank
			}
			ranks[i] = same[p.Solved]
		}
	}
	return ranks
}

// worldFinalsAwards returns the awards that only the World Finals have. Before the start, it returns only those with fixed
// ids.
func worldFinalsAwards(rows []RankedRow, r *AwardRules) (awards []Award) {
	ranks := FinalRanks(rows, r)
	last := 0 // number of problems solved by the last team with a medal
	for i := range rows {
		if ranks[i] > 0 && ranks[i] <= r.medals() {
			last = rows[i].Solved
		}
	}
	began := slices.ContainsFunc(rows, func(p RankedRow) bool { return hasScored(&p) })
	named := []Award{
		{"highest-honors", "Highest honors", []string{}}, {"high-honors", "High honors", []string{}}, {"honors", "Honors", []string{}},
		{"honorable-mention", "Honorable mention", []string{}},
	}
	for i, p := range rows {
		to := 3
		if ranks[i] > 0 {
			to = min(max(last-p.Solved, 0), 2)
		}
		if began {
			named[to].Teams = append(named[to].Teams, p.Team.ID)
		}
		if ranks[i] <= r.medals() {
			continue
		}
		id := fmt.Sprint("rank-", ranks[i])
		if len(awards) == 0 || awards[len(awards)-1].ID != id {
			awards = append(awards, Award{id, "Rank " + strings.TrimPrefix(id, "rank-"), nil})
		}
		awards[len(awards)-1].Teams = append(awards[len(awards)-1].Teams, p.Team.ID)
	}
	return append(awards, named...)
}
