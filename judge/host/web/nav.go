package web

import (
	"strings"

	"assay/judge/host/auth"
)

// A Nav is the navigation bar at the top of each page. It contains the contest, ladder or hole of the page, tabs,
// and links to create objects.
type Nav struct {
	Label  string // of the tabs, for screen readers
	Object *Tab   // contest, ladder or hole; nil on other pages
	Tabs   []Tab
	New    []Tab // objects that the reader can create
}

// A Tab is an entry in the navigation bar.
type Tab struct {
	Link, Name   string
	Current      bool   // the current page belongs to the tab
	Folded       bool   // in the menu More
	Narrow       bool   // stays in the bar on narrow screens, instead of the menu More
	UnreadStream string // address of the stream of unread counts; may be empty
	Count        *UnreadCount
}

// HasMore reports whether the bar has the menu "More" on a wide screen.
func (v Nav) HasMore() (wide bool) {
	for _, t := range v.Tabs {
		wide = wide || t.Folded
	}
	return wide
}

// HasMoreIfNarrow reports whether the bar has the menu "More" on a narrow screen.
func (v Nav) HasMoreIfNarrow() bool {
	for _, t := range v.Tabs {
		if t.Folded || !t.Narrow {
			return true
		}
	}
	return false
}

// CurrentInMore returns the current page's tab if the tab is in the menu "More". Otherwise it returns the zero Tab.
func (v Nav) CurrentInMore() (current Tab) {
	for _, t := range v.Tabs {
		if t.Current && t.Folded {
			current = t
		}
	}
	return current
}

// CurrentInMoreIfNarrow reports whether the current page's tab is in the menu "More" on a narrow screen.
func (v Nav) CurrentInMoreIfNarrow() bool {
	for _, t := range v.Tabs {
		if t.Current && (t.Folded || !t.Narrow) {
			return true
		}
	}
	return false
}

// siteNav returns the navigation bar for pages outside of contests. The function can reports whether the reader
// may perform an action.
func siteNav(path string, can func(auth.Action) bool) Nav {
	v := Nav{
		Label: "site",
		Tabs: []Tab{
			{Link: "/", Name: "Contests", Narrow: true}, {Link: "/golf", Name: "Code golf", Narrow: true},
			{Link: "/ladders", Name: "Ladders", Narrow: true},
		},
	}
	if can(auth.ManageContent) {
		v.Tabs = append(v.Tabs, Tab{Link: "/problems", Name: "Problems"}, Tab{Link: "/tournaments", Name: "Arena"})
		v.New = []Tab{
			{Link: "/admin/contests/new", Name: "Contest"}, {Link: "/admin/holes/new", Name: "Golf hole"},
			{Link: "/admin/ladders/new", Name: "Ladder"}, {Link: "/tournaments#new", Name: "Tournament"},
			{Link: "/problems#upload", Name: "Problem package"},
		}
		if can(auth.ManageAccounts) {
			v.New = append(v.New, Tab{Link: "/admin/contests/import", Name: "Contest package"})
		}
	}
	if can(auth.ManageAccounts) {
		v.Tabs = append(v.Tabs, Tab{Link: "/admin/accounts", Name: "People"})
	}
	if can(auth.SeeWorkers) {
		v.Tabs = append(v.Tabs, Tab{Link: "/admin/workers", Name: "System"})
	}
	prefixes := map[string][]string{
		"/": {"/admin/contests"}, "/golf": {"/hole", "/admin/holes"}, "/ladders": {"/ladder", "/admin/ladders"}, "/problems": {"/problem"},
		"/admin/accounts": {"/admin/invitations", "/admin/import"}, "/admin/workers": {"/admin/audit"},
	}
	for i := range v.Tabs {
		t := &v.Tabs[i]
		t.Current = path == t.Link
		for _, prefix := range append(prefixes[t.Link], t.Link) {
			t.Current = t.Current || prefix != "/" && strings.HasPrefix(path+"/", prefix+"/")
		}
	}
	return v
}

// roleText returns the name of a role for the account menu.
func roleText(r auth.Role) string {
	return map[auth.Role]string{auth.BalloonRunner: "balloon runner", auth.Judge: "jury", auth.ContestAdmin: "contest administrator",
		auth.Admin: "administrator"}[r]
}
