package contestpackage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge/host/store"
)

// contest plans the changes to the contest and its problems.
func (l *planner) contest(slug string) {
	if l.Contest == nil && l.current.Contest == nil {
		l.addFault("contest.yaml", 0, "add the file, or name a contest of the server",
			"the server has no contest %s, and the package has no file for it", slug)
		return
	}
	c := store.Contest{
		Slug: slug, Name: slug, Format: store.ICPC, Visibility: store.VisibilityTeams,
		Settings: store.Settings{Printing: true},
	}
	if l.current.Contest != nil {
		c = *l.current.Contest
	}
	var changes []string
	if p := l.Contest; p != nil {
		changes = l.applySettings(&c, p)
	}
	var problems []store.NewContestProblem
	if l.Problems != nil {
		var did bool
		if problems, did = l.problems(); did {
			changes = append(changes, "problems")
		} else {
			problems = nil
		}
	}
	switch {
	case l.current.Contest == nil:
		if c.Length == 0 {
			l.addFault(l.Contest.File, l.Contest.Line, "", "the contest has no duration")
		}
		l.addLine(Added, contests, slug, "its teams alone see it until you change who may")
	case len(changes) > 0:
		l.addLine(Changed, contests, slug, strings.Join(changes, ", "))
	default:
		if l.Contest != nil {
			l.plan.Unchanged++
		}
		return
	}
	l.plan.Import.Contest, l.plan.Import.Problems = &c, problems
}

// applySettings applies the contest settings of a package to c, and returns the changed keys.
func (l *planner) applySettings(c *store.Contest, p *Contest) (changes []string) {
	set := func(key string, differs bool) bool {
		if differs {
			changes = append(changes, key)
		}
		return differs
	}
	if p.Name != nil && set("name", *p.Name != c.Name) {
		c.Name = *p.Name
	}
	if p.FormalName != nil && set("formal_name", *p.FormalName != c.FormalName) {
		c.FormalName = *p.FormalName
	}
	if p.MainGroup != nil && set("main_scoreboard_group_id", *p.MainGroup != c.MainGroup) {
		c.MainGroup = *p.MainGroup
		l.checkExists(p.File, p.Line, groups, c.MainGroup)
	}
	started := !c.Starts.IsZero() && !l.current.Now.Before(c.Starts)
	if p.Start != nil && set("start_time", !p.Start.Equal(c.Starts.Truncate(time.Millisecond))) {
		if started {
			l.addFault(p.File, p.Line, "", "the contest has started, and its start does not change: %s", c.Starts.Format(time.RFC3339))
		}
		c.Starts = *p.Start
	}
	freeze := cmp.Or(c.Settings.Planned, c.Freeze) // Planned is set if the scoreboard was frozen manually
	var frozen time.Duration                       // time before the end
	if freeze != 0 {
		frozen = c.Length - freeze
	}
	if p.Duration != nil && set("duration", *p.Duration != c.Length) {
		c.Length = *p.Duration
	}
	if p.Freeze != nil || freeze != 0 {
		if p.Freeze != nil {
			frozen = *p.Freeze
		}
		freezeAt := c.Length - frozen
		if frozen == 0 {
			freezeAt = 0
		}
		if freezeAt < 0 || freezeAt == 0 && frozen != 0 {
			l.addFault(p.File, p.Line, "", "the scoreboard is frozen for longer than the contest")
		}
		if freezeAt != freeze {
			set("scoreboard_freeze_duration", p.Freeze != nil)
			if c.Settings.Planned != 0 {
				c.Settings.Planned = freezeAt
			} else {
				c.Freeze = freezeAt
			}
		}
	}
	if p.ByPoints != nil && set("scoreboard_type", *p.ByPoints != (c.Format != store.ICPC)) {
		if c.Format = store.ICPC; *p.ByPoints {
			c.Format = store.IOI
		}
	}
	if p.Penalty != nil && c.Format == store.ICPC {
		minutes := int(*p.Penalty / time.Minute)
		if set("penalty_time", minutes != cmp.Or(c.Settings.Penalty, defaultPenalty)) {
			c.Settings.Penalty = minutes
		}
	}
	return changes
}

// defaultPenalty is the ICPC's penalty time in minutes.
const defaultPenalty = 20

// colorPattern matches a color name.
var colorPattern = regexp.MustCompile(`^[a-zA-Z]{1,30}$`)

// problems returns the contest's problems in the order of the package, followed by the problems that the package
// does not list. The result changed reports whether they differ from the current problems of the contest.
func (l *planner) problems() (all []store.NewContestProblem, changed bool) {
	var old []store.NewContestProblem
	for _, p := range l.current.Problems {
		old = append(old, store.NewContestProblem{Label: p.Label, Slug: p.Slug, Points: p.Points, Color: p.Color,
			ExtID: p.ExtID, ColorName: p.ColorName})
	}
	used := map[string]bool{}
	for _, p := range l.Problems {
		index := slices.IndexFunc(old, func(b store.NewContestProblem) bool { return b.ExtID == p.ID })
		n := store.NewContestProblem{}
		if index >= 0 {
			n = old[index]
		} else {
			is := slices.IndexFunc(l.current.Published, func(b *store.Problem) bool { return b.Slug == cmp.Or(p.Slug, strings.ToLower(p.ID)) })
			if is < 0 {
				l.addLine(Skipped, problems, p.ID, "the server has no such problem: publish it, then import again")
				continue
			}
			n.Slug = l.current.Published[is].Slug
			if index = slices.IndexFunc(old, func(b store.NewContestProblem) bool { return b.Slug == n.Slug }); index >= 0 {
				n = old[index] // the contest's problem gets the id in the package
			}
		}
		if used[n.Slug] {
			l.addFault(p.File, p.Line, "", "the problem %s is %s on this server, which is in the contest twice", p.ID, n.Slug)
		}
		used[n.Slug] = true
		before := n
		n.Label, n.ExtID = p.Label, p.ID
		if n.Color = cmp.Or(p.RGB, n.Color); n.Color == "" && colorPattern.MatchString(p.Color) {
			n.Color = p.Color
		}
		if p.Color != "" && p.Color != cmp.Or(n.ColorName, n.Color) {
			n.ColorName = p.Color
		}
		switch {
		case index < 0:
			l.addLine(Added, problems, p.ID, "as "+n.Label)
		case n != before:
			l.addLine(Changed, problems, p.ID, fmt.Sprintf("label %s, color %s", n.Label, cmp.Or(n.Color, "none")))
		default:
			l.plan.Unchanged++
		}
		all = append(all, n)
	}
	for _, b := range old {
		if used[b.Slug] {
			continue
		}
		l.addLine(Missing, problems, b.ExtID, "it stays")
		if index := slices.IndexFunc(all, func(n store.NewContestProblem) bool { return n.Label == b.Label }); index >= 0 {
			l.addFault("problems", 0, "choose another label, or take the problem out of the contest",
				"the contest has the problem %s with the label %s already", b.ExtID, b.Label)
		}
		all = append(all, b)
	}
	if all == nil {
		all = []store.NewContestProblem{}
	}
	return all, !slices.Equal(all, old)
}
