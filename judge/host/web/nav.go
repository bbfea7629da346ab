package web

import (
	"strings"

	"assay/judge/host/auth"
)

// A Nav is the bar at the top of each page: where the reader is, the tabs of this place, and what
// the reader can create.
type Nav struct {
	Label string // of the tabs, for screen readers
	Place *Tab   // the contest, ladder or hole; nil outside of them
	Tabs  []Tab
	New   []Tab // what the reader can create
}

// A Tab is an entry of the bar.
type Tab struct {
	Link, Name string
	Here       bool   // the page belongs to it
	Folded     bool   // it is in the menu More
	Narrow     bool   // it stays in the bar on a narrow screen; others are in the menu More there
	News       string // if not empty, the address of the stream of what waits for the reader
	Count      *News
}

// More reports whether the bar has a menu More, on a wide screen, and on a narrow one.
func (v Nav) More() (wide bool) {
	for _, t := range v.Tabs {
		wide = wide || t.Folded
	}
	return wide
}

// Slim reports whether some tabs are in the menu More on a narrow screen.
func (v Nav) Slim() bool {
	for _, t := range v.Tabs {
		if t.Folded || !t.Narrow {
			return true
		}
	}
	return false
}

// InMore returns the tab of the page if it is in the menu More, and else one without a name.
func (v Nav) InMore() (here Tab) {
	for _, t := range v.Tabs {
		if t.Here && t.Folded {
			here = t
		}
	}
	return here
}

// InSlim reports whether the tab of the page is in the menu More of a narrow screen.
func (v Nav) InSlim() bool {
	for _, t := range v.Tabs {
		if t.Here && (t.Folded || !t.Narrow) {
			return true
		}
	}
	return false
}

// siteNav returns the bar outside of contests. If can is nil, the reader may do nothing special.
func siteNav(path string, can func(auth.Action) bool) Nav {
	v := Nav{
		Label: "site",
		Tabs: []Tab{
			{Link: "/", Name: "Contests", Narrow: true}, {Link: "/golf", Name: "Code golf", Narrow: true},
			{Link: "/ladders", Name: "Ladders", Narrow: true},
		},
	}
	if can(auth.Make) {
		v.Tabs = append(v.Tabs, Tab{Link: "/problems", Name: "Problems"}, Tab{Link: "/arena", Name: "Arena"})
		v.New = []Tab{
			{Link: "/admin/contests/new", Name: "Contest"}, {Link: "/admin/holes/new", Name: "Golf hole"},
			{Link: "/admin/ladders/new", Name: "Ladder"}, {Link: "/arena#new", Name: "Tournament"},
			{Link: "/problems#upload", Name: "Problem package"},
		}
		if can(auth.Accounts) {
			v.New = append(v.New, Tab{Link: "/admin/contests/import", Name: "Contest package"})
		}
	}
	if can(auth.Accounts) {
		v.Tabs = append(v.Tabs, Tab{Link: "/admin/accounts", Name: "People"})
	}
	if can(auth.Machines) {
		v.Tabs = append(v.Tabs, Tab{Link: "/admin/workers", Name: "System"})
	}
	within := map[string][]string{
		"/": {"/admin/contests"}, "/golf": {"/hole", "/admin/holes"}, "/ladders": {"/ladder", "/admin/ladders"}, "/problems": {"/problem"},
		"/admin/accounts": {"/admin/invitations", "/admin/import"}, "/admin/workers": {"/admin/audit"},
	}
	for i := range v.Tabs {
		t := &v.Tabs[i]
		t.Here = path == t.Link
		for _, prefix := range append(within[t.Link], t.Link) {
			t.Here = t.Here || prefix != "/" && strings.HasPrefix(path+"/", prefix+"/")
		}
	}
	return v
}

// roleWords names a role for the menu of the account.
func roleWords(r auth.Role) string {
	return map[auth.Role]string{auth.Runner: "balloon runner", auth.Judge: "jury", auth.ContestAdmin: "contest administrator",
		auth.Admin: "administrator"}[r]
}
