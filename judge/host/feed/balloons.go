package feed

import (
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// markFew recomputes c.few, the frozen submissions whose verdicts balloon runners may see. It marks the judgements
// of all submissions that are new in c.few, or no longer in it, as changed. The caller must have locked the
// contest.
func (c *Contest) markFew() {
	few := map[string]bool{}
	public, bound := c.setup.scored.Public(c.now), c.setup.contest.Settings.BalloonsInFreeze
	if bound > 0 && !public.Known.IsZero() && !c.now.Before(public.Known) {
		known := c.boards[1].Balloons(public, bound).Known
		for id, s := range c.counted {
			if known[s.Number] {
				few[id] = true
			}
		}
	}
	for _, u := range c.units[clics.Judgements] {
		if few[u.of] != c.few[u.of] {
			u.stamp = c.stamp
		}
	}
	for id := range c.few {
		if !few[id] {
			c.lost = c.stamp
		}
	}
	c.few = few
}

// touchTeams adds to touched the judgements of all teams that sent one of the given submissions. How many problems
// a team has solved decides which of its frozen judgements a balloon runner sees.
func (c *Contest) touchTeams(touched map[key]bool, submissions []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	teams := map[string]bool{}
	for _, id := range submissions {
		teams[c.counted[id].Team] = true
	}
	for id, s := range c.counted {
		if teams[s.Team] {
			touched[key{clics.Judgements, id}] = true
		}
	}
}

// mayHaveLost reports whether a balloon runner may have seen judgements before these events that it must not see
// after them. A new verdict hides no other verdict. A replaced verdict may hide later verdicts of the team,
// because the team may then have solved more problems. A new submission that was received before a known one may
// hide verdicts for the same reason.
func (c *Contest) mayHaveLost(events []store.Event) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := c.setup.scored.Public(c.now).Known
	created, replaced, earliest := map[string]bool{}, map[string]bool{}, map[string]time.Time{}
	all := len(events) > many
	for _, e := range events {
		s := c.counted[e.Object]
		switch {
		case e.Kind == store.OfSubmission && e.Op == store.Created:
			created[e.Object] = true
			if at, is := earliest[s.Team]; !is || s.At.Before(at) {
				earliest[s.Team] = s.At
			}
		case e.Kind == store.OfSubmission:
			replaced[s.Team] = true
		case e.Kind == store.OfContest, e.Kind == store.OfTeam && e.Op != store.Created:
			all = true
		}
	}
	if known.IsZero() || c.setup.contest.Settings.BalloonsInFreeze == 0 && !all {
		return false
	}
	for id, s := range c.counted {
		at, later := earliest[s.Team]
		later = later && s.At.After(at)
		hidden := !s.At.Before(known) && !c.few[id] && !created[id]
		if hidden && (all || replaced[s.Team] || later) {
			return true
		}
	}
	return false
}
