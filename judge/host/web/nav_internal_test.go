package web

import (
	"slices"
	"testing"

	"assay/judge/host/auth"
)

// TestSiteNav checks that each page outside of contests belongs to one tab, and that each role sees only tabs that
// it may use.
func TestSiteNav(t *testing.T) {
	for path, want := range map[string]string{
		"/": "Contests", "/admin/contests/new": "Contests", "/golf": "Code golf", "/hole/wythoff/py": "Code golf",
		"/admin/holes/new": "Code golf", "/ladders": "Ladders", "/ladder/hill": "Ladders",
		"/problems": "Problems", "/problem/sum": "Problems", "/tournaments/x": "Arena", "/admin/invitations": "People",
		"/admin/import": "People", "/admin/contests/import": "Contests", "/admin/audit": "System", "/account": "", "/login": "", "/golfing": "",
	} {
		here := ""
		for _, tab := range siteNav(path, func(auth.Action) bool { return true }).Tabs {
			if tab.Current {
				here += tab.Name
			}
		}
		if here != want {
			t.Errorf("%s belongs to %q, want %q", path, here, want)
		}
	}
	for _, tt := range []struct {
		may  []auth.Action
		tabs int
		news int
	}{{nil, 3, 0}, {[]auth.Action{auth.SeeWorkers}, 4, 0}, {[]auth.Action{auth.ManageContent}, 5,
		5}, {[]auth.Action{auth.ManageContent, auth.SeeWorkers, auth.ManageAccounts}, 7, 6}} {
		v := siteNav("/", func(a auth.Action) bool { return slices.Contains(tt.may, a) })
		if len(v.Tabs) != tt.tabs || len(v.New) != tt.news {
			t.Errorf("%v: %d tabs and %d in New, want %d and %d", tt.may, len(v.Tabs), len(v.New), tt.tabs, tt.news)
		}
		if v.HasMore() || v.HasMoreIfNarrow() != (tt.tabs > 3) {
			t.Errorf("%v: a menu More %t, on a narrow screen %t", tt.may, v.HasMore(), v.HasMoreIfNarrow())
		}
	}
}
