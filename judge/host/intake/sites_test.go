package intake_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// sites adds two sites and another group to a contest. The team "team" is at the north site, and "outsider" at the south
// site. The account "roleless" has a team without a site.
func (d *door) sites(c *store.Contest) map[string]*store.Team {
	d.Helper()
	_, _, err := d.Store.ImportContest(d.Context(), &store.ContestImport{ID: c.ID, Groups: []store.Group{
		{ID: "n", Name: "North", Type: intake.SiteGroup}, {ID: "s", Name: "South", Type: intake.SiteGroup}, {ID: "new", Name: "Newcomers"},
	}})
	d.must(err)
	teams := map[string]*store.Team{}
	for login, groups := range map[string][]string{"team": {"North"}, "outsider": {"Newcomers", "South"}, "roleless": nil} {
		team, err := d.Store.Enter(d.Context(), c.ID, d.who[login])
		d.must(err)
		team.Groups = groups
		d.must(d.Store.SetTeam(d.Context(), team, ""))
		teams[login], err = d.Store.TeamOf(d.Context(), c.ID, d.who[login].ID)
		d.must(err)
	}
	return teams
}

// TestCovers checks which teams and groups a role covers: all, unless it is restricted to sites.
func TestCovers(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	teams := d.sites(c)
	for _, tt := range []struct {
		sites  []string
		teams  string
		groups string
		noTeam bool
	}{
		{nil, "outsider roleless team", "n new s", true},
		{[]string{}, "", "", false},
		{[]string{"n"}, "team", "n", false},
		{[]string{"s"}, "outsider", "s", false},
		{[]string{"n", "s"}, "outsider team", "n s", false},
		{[]string{"new"}, "outsider", "new", false},
		{[]string{"none"}, "", "", false},
	} {
		s := &intake.ContestAccess{Contest: c, Sites: tt.sites}
		covered, err := d.CoveredTeams(t.Context(), s)
		d.must(err)
		var logins []string
		for _, login := range slices.Sorted(maps.Keys(teams)) {
			team := teams[login]
			if s.Covers(team) {
				logins = append(logins, login)
			}
			if (covered[team.ID] != nil) != s.Covers(team) {
				t.Errorf("sites %q: the covered teams are %v, and %s is covered: %v", tt.sites, covered, login, s.Covers(team))
			}
		}
		groups := slices.DeleteFunc([]string{"n", "new", "s"}, func(id string) bool { return !s.CoversGroup(id) })
		if strings.Join(logins, " ") != tt.teams || strings.Join(groups, " ") != tt.groups || s.Covers(nil) != tt.noTeam {
			t.Errorf("sites %q: covers %q, %q and no team %v, want %q, %q and %v",
				tt.sites, logins, groups, s.Covers(nil), tt.teams, tt.groups, tt.noTeam)
		}
	}
}

// TestSetContestRole checks which roles in a contest can be given, and which of them can be restricted to sites. A role that
// is refused changes nothing.
func TestSetContestRole(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	d.sites(c)
	sited := []auth.Role{auth.BalloonRunner, auth.Judge}
	for _, role := range []auth.Role{"", auth.Contestant, auth.BalloonRunner, auth.Judge, auth.ContestAdmin, auth.Admin, "king"} {
		for _, sites := range [][]string{nil, {"n"}, {"s", "n"}, {"none"}, {"new"}, {"n", "new"}} {
			d.must(d.Store.SetContestRole(t.Context(), d.who["roleless"].ID, c.ID, string(auth.Judge), "s"))
			want, state := http.StatusOK, fmt.Sprint(role, slices.Sorted(slices.Values(sites)))
			if role == "king" || role == auth.Admin || len(sites) > 0 && (!slices.Contains(sited, role) ||
				slices.ContainsFunc(sites, func(id string) bool { return id != "n" && id != "s" })) {
				want, state = http.StatusBadRequest, "judge[s]"
			}
			got, text := code(t, d.SetContestRole(t.Context(), d.who["roleless"], c, role, sites))
			now, at, err := d.Store.ContestRole(t.Context(), d.who["roleless"].ID, c.ID)
			d.must(err)
			if is := fmt.Sprint(now, at); got != want || is != state {
				t.Errorf("%q at %q: %d %q, and the role is %s; want %d and %s", role, sites, got, text, is, want, state)
			}
		}
	}
}

// TestClarificationsOfASite checks which messages a judge of a site reads, and which of them count as unanswered. The judge
// must not read the names of other teams. A limit counts only messages that the judge may read.
func TestClarificationsOfASite(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	teams := d.sites(c)
	north, south, other := teams["team"].ID, teams["outsider"].ID, teams["roleless"].ID
	messages := []store.NewClarification{ // the text begins with the sites that read it
		{Team: north, Text: "n asks"}, {Team: south, Text: "s asks"}, {Team: north, Text: "n asks again"}, {Team: other, Text: "- asks"},
		{Jury: true, ReplyTo: 3, Team: north, Text: "n is answered"},
		{Jury: true, Teams: []string{south, other}, Text: "s and another team"},
		{Jury: true, Teams: []string{north, south}, Text: "ns as teams"},
		{Jury: true, Groups: []string{"s"}, Text: "s as a site"}, {Jury: true, Groups: []string{"n"}, Text: "n as a site"},
		{Jury: true, Text: "ns and all others"}, {Jury: true, Groups: []string{"n"}, Text: "n at the edge of a page"},
	}
	for i := range 199 { // the database is read in pages of 200 messages
		messages = append(messages, store.NewClarification{Jury: true, Groups: []string{"s"}, Text: fmt.Sprint("s again ", i)})
	}
	for _, n := range messages {
		n.Contest, n.Account = c.ID, d.who["judge"].ID
		d.must(second(d.Store.Clarify(t.Context(), n)))
	}
	for _, tt := range []struct {
		sites   []string
		pending int
	}{{nil, 3}, {[]string{"n"}, 1}, {[]string{"s"}, 1}, {[]string{"s", "n"}, 2}, {[]string{}, 0}} {
		s := d.seat(c, "chair")
		s.Sites = tt.sites
		reads := func(sites string) bool {
			return tt.sites == nil || strings.ContainsAny(sites, strings.Join(tt.sites, ""))
		}
		var want []string // newest first
		for _, n := range slices.Backward(messages) {
			if sites, _, _ := strings.Cut(n.Text, " "); reads(sites) || n.Text == "ns and all others" {
				want = append(want, n.Text)
			}
		}
		for _, limit := range []int{0, 1, 2, 6, 7, 8, 1000} {
			all, _, err := d.Clarifications(t.Context(), s, store.ClarificationFilter{Limit: limit})
			d.must(err)
			var got []string
			for _, one := range all {
				got = append(got, one.Text)
				for _, to := range one.To.Teams {
					if to.ID == north && !reads("n") || to.ID == south && !reads("s") || to.ID == other && !reads("-") {
						t.Errorf("sites %q: %q names %s", tt.sites, one.Text, to.Name)
					}
				}
			}
			if first := want[:min(cmp.Or(limit, 200), len(want))]; !slices.Equal(got, first) {
				t.Errorf("sites %q, at most %d: reads %q, want %q", tt.sites, limit, got, first)
			}
		}
		if n, err := d.PendingClarifications(t.Context(), s); err != nil || n != tt.pending {
			t.Errorf("sites %q: %d are unanswered (%v), want %d", tt.sites, n, err, tt.pending)
		}
	}
}
