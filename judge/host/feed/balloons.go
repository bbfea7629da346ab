package feed

import (
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// updateBalloonVisible recomputes c.balloonVisible, the frozen submissions whose verdicts balloon runners may see. It
// marks the judgements of all submissions that are new in c.balloonVisible, or no longer in it, as changed. The
// caller must have locked the contest.
func (c *Contest) updateBalloonVisible() {
	few := map[string]bool{}
	public, bound := c.setup.scored.Public(c.now), c.setup.contest.Settings.BalloonsInFreeze
	if bound > 0 && !public.KnownBefore.IsZero() && !c.now.Before(public.KnownBefore) {
		known := c.boards[1].Balloons(public, bound).Known
		for id, s := range c.counted {
			if known[s.Number] {
				few[id] = true
			}
		}
	}
	for _, u := range c.units[clics.Judgements] {
		if few[u.id] != c.balloonVisible[u.id] {
			u.revision = c.revision
		}
	}
	for id := range c.balloonVisible {
		if !few[id] {
			c.revocations = c.revision
		}
	}
	c.balloonVisible = few
}

// touchTeams adds to touched the judgements of all teams that sent one of the given submissions. How many problems
// a team has solved decides which of its frozen judgements a balloon runner sees.
func (c *Contest) touchTeams(touched map[unitKey]bool, submissions []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	teams := map[string]bool{}
	for _, id := range submissions {
		teams[c.counted[id].Team] = true
	}
	for id, s := range c.counted {
		if teams[s.Team] {
			touched[unitKey{clics.Judgements, id}] = true
		}
	}
}

// mayRevoke reports whether a balloon runner may have seen judgements before these events that it must not see
// after them. A new verdict hides no other verdict. A replaced verdict may hide later verdicts of the team,
// because the team may then have solved more problems. A new submission that was received before a known one may
// hide verdicts for the same reason.
func (c *Contest) mayRevoke(events []store.Event) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := c.setup.scored.Public(c.now).KnownBefore
	created, replaced, earliest := map[string]bool{}, map[string]bool{}, map[string]time.Time{}
	tooMany := len(events) > maxEvents
	for _, e := range events {
		s := c.counted[e.Object]
		switch {
		case e.Kind == store.KindSubmission && e.Op == store.OpCreated:
			created[e.Object] = true
			if at, is := earliest[s.Team]; !is || s.At.Before(at) {
				earliest[s.Team] = s.At
			}
		case e.Kind == store.KindSubmission:
			replaced[s.Team] = true
		case e.Kind == store.KindContest, e.Kind == store.KindTeam && e.Op != store.OpCreated:
			tooMany = true
		}
	}
	if known.IsZero() || c.setup.contest.Settings.BalloonsInFreeze == 0 && !tooMany {
		return false
	}
	for id, s := range c.counted {
		at, later := earliest[s.Team]
		later = later && s.At.After(at)
		hidden := !s.At.Before(known) && !c.balloonVisible[id] && !created[id]
		if hidden && (tooMany || replaced[s.Team] || later) {
			return true
		}
	}
	return false
}
