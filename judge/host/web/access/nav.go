package access

import (
	"slices"
	"strings"

	"assay/judge/host/web"
)

// A Heading holds the data that determine the navigation bar of a contest.
type Heading struct {
	Slug, Name         string
	Jury               bool             // the reader may see the teams' submissions
	SiteRestricted     bool             // the reader may see only teams at certain sites
	CanChange          bool             // the reader may change the contest
	BalloonRunner      bool             // the reader is a balloon runner and not in the jury
	Prints             bool             // teams can print
	LoggedIn           bool             // the reader is logged in
	SeesProblems       bool             // the reader sees the problems
	SeesScoreboard     bool             // the reader sees the scoreboard
	SeesClarifications bool             // the reader sees clarifications
	Team               string           // id of the reader's team; may be empty
	Unread             *web.UnreadCount // if nil, only the event stream sends it
}

// NavOf returns the navigation bar of a contest, for a page such as "" or "/scoreboard".
func NavOf(h Heading, page string) web.Nav {
	base := "/c/" + h.Slug
	v := web.Nav{Label: "contest", Object: &web.Tab{Link: base, Name: h.Name}}
	problems, submissions := web.Tab{Link: base, Name: "Problems", Narrow: true}, web.Tab{
		Link: base + "/submissions", Name: "Submissions", Narrow: true,
	}
	board := web.Tab{Link: base + "/scoreboard", Name: "Scoreboard", Narrow: true}
	clar := web.Tab{Link: base + "/clar", Name: "Clarifications", Narrow: true, UnreadStream: base + "/news/events", Count: h.Unread}
	balloons := web.Tab{Link: base + "/balloons", Name: "Balloons", Narrow: true}
	prints := web.Tab{Link: base + "/prints", Name: "Printing", Narrow: true}
	switch {
	case h.BalloonRunner:
		problems.Folded = true
		v.Tabs = []web.Tab{balloons, board, clar, problems}
		if !h.SeesScoreboard {
			v.Tabs = []web.Tab{balloons, clar, problems}
		}
		if h.Prints {
			v.Tabs = slices.Insert(v.Tabs, 1, prints)
		}
	case !h.Jury:
		v.Tabs = []web.Tab{problems}
		if h.LoggedIn && h.SeesProblems {
			submissions.Link = base + "/mine"
			v.Tabs = append(v.Tabs, submissions)
		}
		if h.Team != "" {
			board.Link += "#t-" + h.Team
		}
		if h.SeesScoreboard {
			v.Tabs = append(v.Tabs, board)
		}
		if h.SeesClarifications {
			v.Tabs = append(v.Tabs, clar)
		}
	case h.SiteRestricted:
		problems.Folded, balloons.Folded, prints.Folded = true, true, true
		v.Tabs = []web.Tab{submissions, clar, board, problems, balloons}
		if h.Prints {
			v.Tabs = append(v.Tabs, prints)
		}
	default:
		board.Link += "?view=jury"
		board.Narrow, problems.Folded, balloons.Folded = false, true, true
		v.Tabs = []web.Tab{{Link: base + "/overview", Name: "Overview", Narrow: true}, submissions, clar, board}
		if h.CanChange {
			v.Tabs = append(v.Tabs, web.Tab{Link: base + "/teams", Name: "Teams"})
		}
		v.Tabs = append(v.Tabs, problems, balloons)
		if prints.Folded = true; h.Prints {
			v.Tabs = append(v.Tabs, prints)
		}
		v.Tabs = append(v.Tabs, web.Tab{Link: base + "/rejudgings", Name: "Rejudgings", Folded: true})
		if h.CanChange {
			v.Tabs = append(v.Tabs, web.Tab{Link: base + "/finalize", Name: "Final results", Folded: true},
				web.Tab{Link: base + "/export", Name: "Export", Folded: true},
				web.Tab{Link: base + "/media", Name: "Files", Folded: true}, web.Tab{Link: base + "/edit", Name: "Settings", Folded: true})
		}
	}
	prefixes := map[string][]string{base: {"/p"}, base + "/submissions": {"/submissions", "/s"}, base + "/teams": {"/teams", "/import"}}
	for i := range v.Tabs {
		t := &v.Tabs[i]
		link, _, _ := strings.Cut(strings.SplitN(t.Link, "#", 2)[0], "?")
		t.Current = base+page == link
		for _, prefix := range append(prefixes[link], strings.TrimPrefix(link, base)) {
			t.Current = t.Current || prefix != "" && strings.HasPrefix(page+"/", prefix+"/")
		}
	}
	return v
}
