package feed

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/scoreboard"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// stateOf returns the state of a contest at the time now.
func stateOf(c *store.Contest, now time.Time) clics.Object {
	m := clics.Milestones{Start: c.Starts, End: c.Ends(), Thaw: c.Thaw, Final: c.Finalized}
	if c.Freeze != 0 && !c.Starts.IsZero() {
		scored := scoreboard.Contest(c, nil)
		m.Freeze = scored.TimeAt(c.Freeze)
	} else if c.Freeze != 0 {
		m.Freeze = time.Unix(1<<40, 0) // the time of the freeze is not known yet
	}
	return clics.StateOf(m, now)
}

// passedMoments returns the names of the moments of a contest, such as the freeze, that have passed at the time now. The
// names are sorted and separated by spaces.
func passedMoments(c *store.Contest, now time.Time) string {
	var come []string
	for name, at := range stateOf(c, now) {
		if at != nil {
			come = append(come, name)
		}
	}
	slices.Sort(come)
	return strings.Join(come, " ")
}

// updateScores updates the scoreboards with changed submissions. If rebuild is true, it builds new scoreboards. It
// returns the units that depend on the scoreboards: the state and the awards. The caller must have
// locked the contest.
func (c *Contest) updateScores(rebuild bool, changed []scoring.Submission) []*unit {
	views := [2]scoring.View{c.setup.scored.Public(c.now), {Unverified: true}}
	for i, v := range views {
		if c.boards[i] != nil && !rebuild {
			c.boards[i].Apply(scoring.Change{Submissions: changed})
			continue
		}
		var teams []scoring.Team
		for _, t := range c.setup.teams {
			teams = append(teams, scoring.Team{
				ID: t.ID, Name: t.Name, Groups: t.Groups, Organization: t.Organization, Hidden: t.Hidden, Penalty: t.ExtraPenalty,
				ExtraTime: t.ExtraTime,
			})
		}
		var counted []scoring.Submission
		for _, s := range c.counted {
			counted = append(counted, s)
		}
		c.boards[i] = scoring.New(c.setup.scored, teams, counted, v)
	}
	units := append(
		[]*unit{{unitKey: unitKey{clics.State, ""}, items: []item{{Object: stateOf(c.setup.contest, c.now)}}}},
		c.awardUnits()...)
	for _, u := range c.units[clics.Awards] { // deleted awards
		if !slices.ContainsFunc(units, func(is *unit) bool { return is.unitKey == u.unitKey }) {
			units = append(units, &unit{unitKey: u.unitKey})
		}
	}
	return units
}

// firstToSolve is the prefix of the ids of first-to-solve awards, followed by a problem id.
const firstToSolve = "first-to-solve-"

// awardUnits returns the units of all awards, both those that administrators have set and computed ones. An award that
// an administrator has set or turned off is not computed.
func (c *Contest) awardUnits() (units []*unit) {
	settings := &c.setup.contest.Settings
	prizes := map[string]*unit{}
	for i, to := range []audience{outsiders, insiders} {
		for _, one := range c.computeAwards(c.boards[i]) {
			if slices.Contains(settings.AwardsOff, one.ID) || settings.AwardIndex(one.ID) >= 0 {
				continue
			}
			u := prizes[one.ID]
			if u == nil {
				u = &unit{unitKey: unitKey{clics.Awards, one.ID}}
				prizes[one.ID], units = u, append(units, u)
			}
			it := item{
				Object:   clics.Object{"id": one.ID, "citation": cmp.Or(settings.Citations[one.ID], one.Citation), "team_ids": one.Teams},
				audience: to,
			}
			it.NamesProblem = strings.HasPrefix(one.ID, firstToSolve)
			u.items = append(u.items, it)
		}
	}
	hidden := func(ext string) bool {
		for _, t := range c.setup.teams {
			if t.ExtID == ext {
				return t.Hidden
			}
		}
		return true
	}
	known := c.setup.scored.Public(c.now).KnownBefore
	frozen := !known.IsZero() && !c.now.Before(known)
	computed := c.computeAwards(c.boards[0])
	for _, one := range settings.Awards {
		shown := slices.DeleteFunc(append([]string{}, one.Teams...), hidden)
		o := clics.Object{"id": one.ID, "citation": one.Citation, "team_ids": append([]string{}, one.Teams...)}
		public := clone(o)
		public["team_ids"] = shown
		if frozen && slices.ContainsFunc(computed, func(a scoring.Award) bool { return a.ID == one.ID }) {
			delete(public, "team_ids") // the teams would reveal results that the scoreboard hides
		}
		units = append(
			units,
			&unit{
				unitKey: unitKey{clics.Awards, one.ID},
				items: []item{
					{Object: o, audience: insiders},
					{
						Object: public, audience: outsiders,
						Visibility: clics.Visibility{NamesProblem: strings.HasPrefix(one.ID, firstToSolve)},
					},
				},
			},
		)
	}
	return units
}

// computeAwards returns the awards for a scoreboard, with the team ids of the Contest API.
func (c *Contest) computeAwards(b *scoring.Scoreboard) []scoring.Award {
	all := scoring.Awards(b, c.setup.awardRules())
	for i := range all {
		for j, id := range all[i].Teams {
			all[i].Teams[j] = c.setup.teams[id].ExtID
		}
	}
	return all
}

// awardRules returns the rules for computing awards.
func (s *setup) awardRules() scoring.AwardRules {
	settings := &s.contest.Settings
	gold, silver, bronze := settings.MedalCounts()
	r := scoring.AwardRules{Gold: gold, Silver: silver, Bronze: bronze + s.contest.FinalB, WorldFinals: settings.WorldFinals}
	for _, g := range s.groups {
		r.Groups = append(r.Groups, scoring.AwardGroup{ID: g.ID, Name: g.Name})
		if g.ID == s.contest.MainGroup {
			r.Main = g.Name
		}
	}
	for _, p := range s.problems {
		r.Problems = append(r.Problems, p.ExtID)
	}
	if settings.OrganizationWinners {
		for _, o := range s.organizations {
			r.Organizations = append(r.Organizations, scoring.AwardGroup{ID: o.ID, Name: o.Name})
		}
	}
	return r
}

// FinalRanks returns the rows of the jury's main scoreboard, and their ranks in the final results.
func (c *Contest) FinalRanks() ([]scoring.RankedRow, []int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r := c.setup.awardRules()
	places := c.boards[1].MainRows(&r)
	return places, scoring.FinalRanks(places, &r)
}

// ComputedAwards returns the computed awards, including those that an administrator has set or turned off. They
// are based on the jury's scoreboard.
func (c *Contest) ComputedAwards() []scoring.Award {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.computeAwards(c.boards[1])
}

// ComputesAward reports whether ComputedAwards contains an award with the given id.
func (c *Contest) ComputesAward(id string) bool {
	return slices.ContainsFunc(c.ComputedAwards(), func(a scoring.Award) bool { return a.ID == id })
}

// Scoreboard returns the scoreboard that a reader sees. If group is empty, it returns the main scoreboard.
// Otherwise it returns the scoreboard of the group with this id, or false if there is no such group.
func (c *Contest) Scoreboard(reader Reader, group string) (clics.Object, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b, name := c.boards[0], ""
	if reader.Role.SeesAll() {
		b = c.boards[1]
	}
	if group == "" && reader.Version == clics.V2026 {
		group = c.setup.contest.MainGroup // this version can express it
	}
	if group != "" {
		at := slices.IndexFunc(c.setup.groups, func(g store.Group) bool { return g.ID == group })
		if at < 0 {
			return nil, false
		}
		name = c.setup.groups[at].Name
	}
	var places []scoring.RankedRow
	for _, p := range b.Rows() {
		if p.Rank > 0 && (name == "" || slices.Contains(p.Team.Groups, name)) && c.setup.teamAtSites(reader, p.Team.ID) {
			places = append(places, p)
		}
	}
	rows := []clics.Object{}
	for _, p := range scoring.Rerank(places) {
		rows = append(rows, c.scoreboardRow(&p, reader))
	}
	return clics.Object{
		"time": c.at, "contest_time": c.setup.contestTime(c.at), "state": stateOf(c.setup.contest, c.now), "rows": rows,
	}, true
}

// scoreboardRow returns a row of a scoreboard.
func (c *Contest) scoreboardRow(p *scoring.RankedRow, reader Reader) clics.Object {
	total := clics.Object{"num_solved": p.Solved}
	passFail := c.setup.contest.Format == store.ICPC
	if passFail {
		total["total_time"] = clics.Minutes(p.Time)
	} else {
		total = clics.Object{"score": p.Points}
	}
	if p.Solved > 0 {
		total["time"] = clics.Minutes(p.Last)
	}
	cells := []clics.Object{}
	for i, cell := range p.Cells {
		if !reader.Role.SeesAll() && !c.started() {
			break // no role sees the problems yet
		}
		o := clics.Object{"problem_id": c.setup.problems[i].ExtID, "num_judged": cell.Attempts, "num_pending": cell.Pending}
		if passFail {
			o["solved"] = cell.Solved
		} else {
			o["score"] = cell.Points
		}
		if cell.Solved {
			o["time"] = clics.Minutes(cell.Time)
		}
		cells = append(cells, o)
	}
	return clics.Object{"rank": p.Rank, "team_id": c.setup.teams[p.Team.ID].ExtID, "score": total, "problems": cells}
}

// started reports whether the contest has begun.
func (c *Contest) started() bool { return c.setup.scored.Started(c.now) }
