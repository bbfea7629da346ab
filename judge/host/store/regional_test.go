package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge/host/store"
)

// imported returns an import with objects of every kind.
func (h *harness) imported() *store.ContestImport {
	return &store.ContestImport{
		Contest: &store.Contest{
			Slug: "regional", Name: "Regional", FormalName: "A regional contest", MainGroup: "main", Format: store.ICPC,
			Starts: h.clock.Now().Add(time.Hour), Length: 5 * time.Hour, Freeze: 4 * time.Hour, Visibility: store.VisibilityTeams,
		},
		Problems: []store.NewContestProblem{{Label: "A", Slug: "nim", Color: "#ff0000", ExtID: "nim-of-2026", ColorName: "dark red"}},
		Organizations: []store.Organization{{ID: "u1", ICPCID: "42", Name: "U1", FormalName: "University 1", Country: "DEU",
			Region: "DE-BY", URL: "https://u1.example", Location: `{"latitude":1}`}},
		Groups: []store.Group{{ID: "main", ICPCID: "7", Name: "Main", Type: "division"}, {ID: "guests", Name: "Guests"}},
		Teams: []store.Team{
			{ExtID: "7", ICPCID: "700", Name: "Seven", Label: "B2", DisplayName: "Team Seven", Organization: "u1",
				Location: `{"x":1}`, GroupIDs: []string{"main"}},
			{ExtID: "x-1", Name: "Guests", Hidden: true, GroupIDs: []string{"guests", "main"}},
		},
		Persons: []store.ContestPerson{
			{ID: "p1", ICPCID: "9", Name: "Person One", Title: "Dr.", Email: "p@x", Sex: "female", Role: "coach", Teams: []string{"7", "x-1"}},
			{ID: "p2", Name: "Person Two", Role: "contestant", Teams: []string{"7"}},
		},
		Accounts: []store.ImportedAccount{
			{ID: "team7", Type: "team", Team: "7", Addresses: []string{"10.0.0.7"}, New: store.NewAccount{Login: "team7",
				Display: "Seven", Password: "hash", Kind: store.TeamAccount, Role: "contestant"}},
			{ID: "root", Type: "admin", Role: "contest-admin", Person: "p1", Account: h.alice},
		},
	}
}

// TestImportContest checks that an import creates all objects. A second import changes the objects that it lists,
// and leaves all other objects unchanged.
func TestImportContest(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		n := h.imported()
		id, accounts, err := h.ImportContest(t.Context(), n)
		if err != nil || len(accounts) != 2 || accounts[1].ID != h.alice.ID {
			t.Fatal(accounts, err)
		}
		check := func(n *store.ContestImport) {
			t.Helper()
			c, err1 := h.Contest(t.Context(), id)
			orgs, err2 := h.Organizations(t.Context(), id)
			groups, err3 := h.Groups(t.Context(), id)
			persons, err4 := h.Persons(t.Context(), id)
			teams, err5 := h.Teams(t.Context(), id)
			problems, err6 := h.ContestProblems(t.Context(), id)
			listed, err7 := h.ContestAccounts(t.Context(), id)
			if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
				t.Fatal(err)
			}
			if c.FormalName != "A regional contest" || c.MainGroup != "main" ||
				problems[0].ExtID != "nim-of-2026" || problems[0].ColorName != "dark red" {
				t.Errorf("the contest is %+v with %+v", c, problems[0])
			}
			got := store.ContestImport{Organizations: orgs, Groups: groups}
			for _, p := range persons {
				got.Persons = append(got.Persons, *p)
			}
			for _, team := range teams {
				if len(team.Groups) != len(team.GroupIDs) {
					t.Errorf("the groups of %s are %q and %q", team.Name, team.Groups, team.GroupIDs)
				}
				got.Teams = append(got.Teams, store.Team{
					ExtID: team.ExtID, ICPCID: team.ICPCID, Name: team.Name, Label: team.Label, DisplayName: team.DisplayName,
					Organization: team.Organization,
					Location:     team.Location, Hidden: team.Hidden, GroupIDs: team.GroupIDs,
				})
			}
			want := store.ContestImport{Organizations: n.Organizations, Groups: slices.Clone(n.Groups), Persons: n.Persons, Teams: n.Teams}
			slices.SortFunc(want.Groups, func(a, b store.Group) int { return strings.Compare(a.ID, b.ID) })
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			line := ""
			for _, a := range listed {
				role, err := h.GrantedRole(t.Context(), a.Account.ID, id)
				line += fmt.Sprintln(a.ID, a.Type, a.Person, a.Team, a.Addresses, a.Created, a.Account.Login, role, err)
			}
			if want := "root admin p1  [] false alice contest-admin <nil>\nteam7 team  7 [10.0.0.7] true team7  <nil>\n"; line != want {
				t.Errorf("the accounts are\n%s", line)
			}
		}
		check(n)

		// Groups exchange their names, and a team gets extra time that the import does not know.
		teams, err := h.Teams(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		teams[0].ExtraTime = time.Hour
		if err := h.SetTeam(t.Context(), teams[0], ""); err != nil {
			t.Fatal(err)
		}
		n.ID, n.Contest, n.Problems = id, nil, nil
		n.Groups[0].Name, n.Groups[1].Name = n.Groups[1].Name, n.Groups[0].Name
		n.Teams[0].Name, n.Teams[0].GroupIDs = "Siete", []string{"guests"}
		n.Persons[1].Teams = []string{"x-1"}
		n.Accounts[0].Account = accounts[0]
		if _, _, err := h.ImportContest(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		check(n)
		if teams, err := h.Teams(t.Context(), id); err != nil || len(teams) != 2 || teams[0].ExtraTime != time.Hour {
			t.Errorf("the teams are %+v, %v", teams, err)
		}
	})
}

// TestImportContestOrNothing checks that an import that fails at its end changes nothing.
func TestImportContestOrNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for name, spoil := range map[string]func(n *store.ContestImport){
			"a username that is taken":    func(n *store.ContestImport) { n.Accounts[0].New.Login = "alice" },
			"a team that is not there":    func(n *store.ContestImport) { n.Accounts[0].Team = "8" },
			"a group that is not there":   func(n *store.ContestImport) { n.Teams[1].GroupIDs = []string{"none"} },
			"two groups of a name":        func(n *store.ContestImport) { n.Groups[1].Name = "Main" },
			"a problem that is not there": func(n *store.ContestImport) { n.Problems[0].Slug = "none" },
			"an account in another type":  func(n *store.ContestImport) { n.Accounts[1].Type = "king" },
			"an account twice": func(n *store.ContestImport) {
				n.Accounts[1].ID = "other"
				n.Accounts = append(n.Accounts, n.Accounts[1])
				n.Accounts[2].ID = "third"
			},
			"a contest that is not there":  func(n *store.ContestImport) { n.Contest, n.ID = nil, "none" },
			"a contest that was not there": func(n *store.ContestImport) { n.Contest.ID = "none" },
		} {
			n := h.imported()
			spoil(n)
			if _, _, err := h.ImportContest(t.Context(), n); err == nil {
				t.Errorf("%s is imported", name)
			}
			if all, err := h.Contests(t.Context()); err != nil || len(all) != 0 {
				t.Errorf("%s leaves %v, %v", name, all, err)
			}
			if _, err := h.AccountByLogin(t.Context(), "team7"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s leaves an account: %v", name, err)
			}
		}
	})
}

// TestEditKeepsIDs checks that ids and other properties that an import has set are kept when the contest is
// edited, or joined on a page.
func TestEditKeepsIDs(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.PutBundle(t.Context(), bundle(h.alice.ID, "hex", "1")); err != nil {
			t.Fatal(err)
		}
		n := h.imported()
		n.Teams[1].ExtID, n.Accounts = "3", nil
		n.Persons = nil
		id, _, err := h.ImportContest(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct{ color, want string }{{"#ff0000", "dark red"}, {"blue", ""}} {
			c, err := h.Contest(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			c.Name = "Changed"
			if err := h.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "hex"}, {Label: "B",
				Slug: "nim", Color: step.color}}); err != nil {
				t.Fatal(err)
			}
			all, err := h.ContestProblems(t.Context(), id)
			if err != nil || all[0].ExtID != "hex" || all[1].ExtID != "nim-of-2026" || all[1].ColorName != step.want {
				t.Errorf("%d: the problems are %+v, %+v, %v", i, all[0], all[1], err)
			}
			if c, err := h.Contest(t.Context(), id); err != nil || c.FormalName != "A regional contest" || c.MainGroup != "main" {
				t.Errorf("%d: the contest is %+v, %v", i, c, err)
			}
		}
		// The new team has the number 3, but another team has the id 3.
		team, err := h.Enter(t.Context(), id, h.alice)
		if err != nil || team.Number != 3 || team.ExtID != "team-3" {
			t.Errorf("the new team is %+v, %v", team, err)
		}
		team.Groups, team.Label = []string{"New", "Main"}, "C3"
		if err := h.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
		got, err := h.TeamOf(t.Context(), id, h.alice.ID)
		if err != nil || !slices.Equal(got.Groups, team.Groups) || !slices.Equal(got.GroupIDs, []string{"group-3", "main"}) || got.Label != "C3" {
			t.Errorf("the team is %+v, %v", got, err)
		}
		if stale := *got; true {
			stale.Label = "D4"
			was := got.Revision()
			if err := h.SetTeam(t.Context(), &stale, was); err != nil {
				t.Error(err)
			}
			if err := h.SetTeam(t.Context(), got, was); !errors.Is(err, store.ErrChanged) {
				t.Errorf("a label that changed meanwhile: %v", err)
			}
		}
	})
}

// TestGroupsOfBefore checks that the migration creates groups from the lists of group names that teams had in
// earlier schemas.
func TestGroupsOfBefore(t *testing.T) {
	onNew(t, func(t *testing.T, dsn string) {
		db := openAt(t, dsn, "00014")
		long := strings.Repeat("é", 2000)
		lists := []string{"", "7a", "7a,été \U0001F600,7b", ",7b,,x,7b,", long}
		for _, contest := range []string{"c1", "c2"} {
			if _, err := db.Exec(`INSERT INTO contest (id, slug, name, format, length, visibility, settings, revision,
					next_number, last_seq, last_time)
				VALUES ('` + contest + `', '` + contest + `', 'C', 'icpc', 1, 'public', '{}', 1, 1, 0, 0)`); err != nil {
				t.Fatal(err)
			}
			for i, list := range lists {
				if _, err := db.Exec(fmt.Sprintf(`INSERT INTO team (id, contest, number, name, hidden, extra_time, extra_penalty, team_groups)
					VALUES ('%s-%d', '%s', %d, 'T', FALSE, 0, 0, '%s')`, contest, i, contest, i+1, list)); err != nil {
					t.Fatal(err)
				}
			}
		}
		s := open(t, store.Options{DSN: dsn})
		for _, contest := range []string{"c1", "c2"} {
			teams, err := s.Teams(t.Context(), contest)
			if err != nil || len(teams) != len(lists) {
				t.Fatal(teams, err)
			}
			for i, want := range [][]string{nil, {"7a"}, {"7a", "été \U0001F600", "7b"}, {"7b", "x"}, {long}} {
				if team := teams[i]; !slices.Equal(team.Groups, want) || team.ExtID != fmt.Sprint(i+1) {
					t.Errorf("team %d of %s is %q in %q, want %q", i, contest, team.ExtID, team.Groups, want)
				}
			}
			if groups, err := s.Groups(t.Context(),
				contest); err != nil || len(groups) != 5 || groups[0].ID != "group-1" || groups[4].ID != "group-5" {
				t.Errorf("the groups are %v, %v", groups, err)
			}
		}
	})
}

// TestErasePersons checks that deleting an account also deletes its person and, with a team's last account, the
// team's persons. A coach of another team stays.
func TestErasePersons(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		n := h.imported()
		n.Persons = append(n.Persons, store.ContestPerson{ID: "p3", Name: "Person Three", Role: "other"})
		n.Accounts[1].Person = "p3"
		id, accounts, err := h.ImportContest(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		left := func() (all string) {
			persons, err := h.Persons(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range persons {
				all += p.ID + " "
			}
			return all
		}
		if _, err := h.Erase(t.Context(), accounts[0].ID); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != "p1 p3 " {
			t.Errorf("after the team the persons are %s", got)
		}
		teams, err := h.Teams(t.Context(), id)
		if err != nil || teams[0].Name != store.DeletedName || teams[0].DisplayName+teams[0].ICPCID != "" ||
			teams[0].Organization != "u1" || len(teams[0].Groups) != 1 {
			t.Errorf("the team is %+v, %v", teams[0], err)
		}
		if _, err := h.Erase(t.Context(), h.alice.ID); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != "p1 " {
			t.Errorf("after the account the persons are %s", got)
		}
		if all, err := h.ContestAccounts(t.Context(), id); err != nil || len(all) != 0 {
			t.Errorf("the accounts are %v, %v", all, err)
		}
	})
}
