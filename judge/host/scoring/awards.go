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

// scored reports whether a team has solved a problem or has points.
func scored(p *Place) bool { return p.Solved > 0 || p.Points > 0 }

// MainPlaces returns the ranked teams of the main scoreboard: the teams in the group r.Main, or all teams if
// r.Main is empty.
func (b *Board) MainPlaces(r *AwardRules) []Place {
	return b.placesOf(func(t *Team) bool { return r.Main == "" || slices.Contains(t.Groups, r.Main) })
}

// placesOf returns the ranked teams for which the function in returns true. Their ranks do not count other teams.
func (b *Board) placesOf(in func(*Team) bool) []Place {
	var some []Place
	for _, p := range b.Places() {
		if p.Rank > 0 && in(p.Team) {
			some = append(some, p)
		}
	}
	return Ranked(some)
}

// Awards returns the awards of a scoreboard in order, including those without a winner. Hidden teams and teams
// without a solved problem win nothing. Before the start, no award has a winner.
func Awards(b *Board, r AwardRules) []Award {
	between := func(places []Place, from, to int) []string {
		teams := []string{}
		for _, p := range places {
			if p.Rank > from && p.Rank <= to && scored(&p) {
				teams = append(teams, p.Team.ID)
			}
		}
		return teams
	}
	main := b.MainPlaces(&r)
	all := []Award{
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
		all = append(all, one)
	}
	for _, g := range r.Groups {
		places := b.placesOf(func(t *Team) bool { return slices.Contains(t.Groups, g.Name) })
		all = append(all, Award{"group-winner-" + g.ID, "Winner of group " + g.Name, between(places, 0, 1)})
	}
	for _, o := range r.Organizations {
		places := b.placesOf(func(t *Team) bool { return t.Organization == o.ID })
		all = append(all, Award{"organization-winner-" + o.ID, "Winner of " + o.Name, between(places, 0, 1)})
	}
	if r.WorldFinals {
		all = append(all, honors(main, &r)...)
	}
	return all
}

// Ranked returns a copy of the given places, ranked only among each other.
func Ranked(some []Place) []Place {
	ranked := slices.Clone(some)
	for i := range ranked {
		if i > 0 && some[i].Rank == some[i-1].Rank {
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
func FinalRanks(places []Place, r *AwardRules) []int {
	ranks := make([]int, len(places))
	same := map[int]int{} // by number of solved problems: rank of the first team without a medal
	for i := range places {
		p := &places[i]
		switch {
		case !scored(p):
		case !r.WorldFinals || p.Rank <= r.medals():
			ranks[i] = p.Rank
		case p.Solved >= places[len(places)/2].Solved:
			if same[p.Solved] == 0 {
				same[p.Solved] = p.Rank
			}
			ranks[i] = same[p.Solved]
		}
	}
	return ranks
}

// honors returns the awards that only the World Finals have. Before the start, it returns only those with fixed
// ids.
func honors(places []Place, r *AwardRules) (all []Award) {
	ranks := FinalRanks(places, r)
	last := 0 // number of problems solved by the last team with a medal
	for i := range places {
		if ranks[i] > 0 && ranks[i] <= r.medals() {
			last = places[i].Solved
		}
	}
	began := slices.ContainsFunc(places, func(p Place) bool { return scored(&p) })
	named := []Award{
		{"highest-honors", "Highest honors", []string{}}, {"high-honors", "High honors", []string{}}, {"honors", "Honors", []string{}},
		{"honorable-mention", "Honorable mention", []string{}},
	}
	for i, p := range places {
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
		if len(all) == 0 || all[len(all)-1].ID != id {
			all = append(all, Award{id, "Rank " + strings.TrimPrefix(id, "rank-"), nil})
		}
		all[len(all)-1].Teams = append(all[len(all)-1].Teams, p.Team.ID)
	}
	return append(all, named...)
}
