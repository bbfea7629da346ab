package scoring

import "slices"

// Award is an award of a contest with the teams that have it, by their ids.
type Award struct {
	ID, Citation string
	Teams        []string
}

// AwardRules say which awards a contest has.
type AwardRules struct {
	Gold, Silver, Bronze int    // medals
	Main                 string // only teams of this group win medals; if empty, all do
	Groups               []AwardGroup
	Problems             []string // ids in awards, in the order of the columns
}

// AwardGroup is a group that has a winner.
type AwardGroup struct{ ID, Name string }

// Awards returns the awards of a board in their order. An award that no team has is there, too. A team
// that solved nothing wins nothing; hidden teams win nothing.
func Awards(b *Board, r AwardRules) []Award {
	ranks := func(group string) (in []Place) {
		for _, p := range b.Places() {
			if p.Rank > 0 && (group == "" || slices.Contains(p.Team.Groups, group)) {
				in = append(in, p)
			}
		}
		return Ranked(in)
	}
	between := func(places []Place, from, to int) []string {
		teams := []string{}
		for _, p := range places {
			if p.Rank > from && p.Rank <= to && (p.Solved > 0 || p.Points > 0) {
				teams = append(teams, p.Team.ID)
			}
		}
		return teams
	}
	main := ranks(r.Main)
	silver, bronze := r.Gold+r.Silver, r.Gold+r.Silver+r.Bronze
	all := []Award{
		{"winner", "Contest winner", between(main, 0, 1)},
		{"gold-medal", "Gold medal winner", between(main, 0, r.Gold)},
		{"silver-medal", "Silver medal winner", between(main, r.Gold, silver)},
		{"bronze-medal", "Bronze medal winner", between(main, silver, bronze)},
	}
	for i, c := range b.Columns() {
		one := Award{"first-to-solve-" + r.Problems[i], "First to solve problem " + c.Label, []string{}}
		if c.First != "" {
			one.Teams = append(one.Teams, c.First)
		}
		all = append(all, one)
	}
	for _, g := range r.Groups {
		all = append(all, Award{"group-winner-" + g.ID, "Winner of group " + g.Name, between(ranks(g.Name), 0, 1)})
	}
	return all
}

// Ranked returns some of the places of a board with their ranks among each other.
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
