package access

import (
	"slices"
	"strings"

	"assay/judge/host/web"
)

// A Heading holds the data that determine the navigation bar of a contest.
type Heading struct {
	Slug, Name string
	Jury       bool      // the reader may see the teams' submissions
	Sited      bool      // the reader may see only teams at certain sites
	Changes    bool      // the reader may change the contest
	Runner     bool      // the reader is a balloon runner and not in the jury
	Prints     bool      // teams can print
	LoggedIn   bool      // the reader is logged in
	Began      bool      // the reader sees the problems
	Board      bool      // the reader sees the scoreboard
	Clar       bool      // the reader sees clarifications
	Team       string    // id of the reader's team; may be empty
	News       *web.News // if nil, only the event stream sends it
}

// NavOf returns the navigation bar of a contest, for a page such as "" or "/scoreboard".
func NavOf(h Heading, page string) web.Nav {
	base := "/c/" + h.Slug
	v := web.Nav{Label: "contest", Place: &web.Tab{Link: base, Name: h.Name}}
	problems, submissions := web.Tab{Link: base, Name: "Problems", Narrow: true}, web.Tab{
		Link: base + "/submissions", Name: "Submissions", Narrow: true,
	}
	board := web.Tab{Link: base + "/scoreboard", Name: "Scoreboard", Narrow: true}
	clar := web.Tab{Link: base + "/clar", Name: "Clarifications", Narrow: true, News: base + "/news/events", Count: h.News}
	balloons := web.Tab{Link: base + "/balloons", Name: "Balloons", Narrow: true}
	prints := web.Tab{Link: base + "/prints", Name: "Printing", Narrow: true}
	switch {
	case h.Runner:
		problems.Folded = true
		v.Tabs = []web.Tab{balloons, board, clar, problems}
		if !h.Board {
			v.Tabs = []web.Tab{balloons, clar, problems}
		}
		if h.Prints {
			v.Tabs = slices.Insert(v.Tabs, 1, prints)
		}
	case !h.Jury:
		v.Tabs = []web.Tab{problems}
		if h.LoggedIn && h.Began {
			submissions.Link = base + "/mine"
			v.Tabs = append(v.Tabs, submissions)
		}
		if h.Team != "" {
			board.Link += "#t-" + h.Team
		}
		if h.Board {
			v.Tabs = append(v.Tabs, board)
		}
		if h.Clar {
			v.Tabs = append(v.Tabs, clar)
		}
	case h.Sited:
		problems.Folded, balloons.Folded, prints.Folded = true, true, true
		v.Tabs = []web.Tab{submissions, clar, board, problems, balloons}
		if h.Prints {
			v.Tabs = append(v.Tabs, prints)
		}
	default:
		board.Link += "?view=jury"
		board.Narrow, problems.Folded, balloons.Folded = false, true, true
		v.Tabs = []web.Tab{{Link: base + "/overview", Name: "Overview", Narrow: true}, submissions, clar, board}
		if h.Changes {
			v.Tabs = append(v.Tabs, web.Tab{Link: base + "/teams", Name: "Teams"})
		}
		v.Tabs = append(v.Tabs, problems, balloons)
		if prints.Folded = true; h.Prints {
			v.Tabs = append(v.Tabs, prints)
		}
		v.Tabs = append(v.Tabs, web.Tab{Link: base + "/rejudgings", Name: "Rejudgings", Folded: true})
		if h.Changes {
			v.Tabs = append(v.Tabs, web.Tab{Link: base + "/finalize", Name: "Final results", Folded: true},
				web.Tab{Link: base + "/export", Name: "Export", Folded: true},
				web.Tab{Link: base + "/media", Name: "Files", Folded: true}, web.Tab{Link: base + "/edit", Name: "Settings", Folded: true})
		}
	}
	within := map[string][]string{base: {"/p"}, base + "/submissions": {"/submissions", "/s"}, base + "/teams": {"/teams", "/import"}}
	for i := range v.Tabs {
		t := &v.Tabs[i]
		link, _, _ := strings.Cut(strings.SplitN(t.Link, "#", 2)[0], "?")
		t.Here = base+page == link
		for _, prefix := range append(within[link], strings.TrimPrefix(link, base)) {
			t.Here = t.Here || prefix != "" && strings.HasPrefix(page+"/", prefix+"/")
		}
	}
	return v
}
