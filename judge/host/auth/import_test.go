package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/roster"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func plan(t *testing.T, s *store.Store, list *roster.List, contest string) *Plan {
	t.Helper()
	p, err := PlanImport(t.Context(), s, list, Contestant, contest)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLoginOf(t *testing.T) {
	for name, want := range map[string]string{
		"Ada Lovelace": "ada-lovelace", "Zoë  O'Neill-Šimić": "zoe-oneill-simic", "Łukasz Größe": "lukasz-grosse",
		"Ọ̀lá Saʿdī": "ola-sadi", "Team ٣": "team-3",
		"Ægir Ørsted": "aegir-orsted", "李雷": "li-lei", "x": "student", "👩": "student",
		"김철수": "gimceolsu", "Дмитрий Объедков": "dmitrii-obedkov", "Ольга": "olga", "Γιώργος": "giorgos", "محمد": "mhmd",
		"שלום": "shlvm", "たなか ゆき": "tanaka-yuki", "ＡＢＣ１２": "abc12", "Nguyễn Văn": "nguyen-van",
		"a\u0301b": "ab", "e\u0323\u0302x": "ex", `a"b`: "ab", "a–b": "a-b", "Թամար": "tamar", "½ x": "1-2-x",
		"İpek": "ipek", "  7b 12 ": "7b-12",
		strings.Repeat("long ", 20): "long-long-long-long-long-long-long",
	} {
		if got := UsernameFor(name); got != want {
			t.Errorf("LoginOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestImport checks that two rows with the same name create two accounts, that importing the same list again
// creates none, and that a different person with an existing name gets a new account.
func TestImport(t *testing.T) {
	s := opened(t)
	p := NewPasswords()
	if _, err := s.NewAccount(t.Context(), "Bo", "Bo the admin", store.PersonAccount, "admin"); err != nil {
		t.Fatal(err)
	}
	list := []roster.Person{
		{Name: "Ada L"}, {Name: "Ada L", Team: "The team"}, {Name: "Bo"},
		{Login: "ada-l-2", Team: "The team", Name: "X", Email: "x@y", Password: "12345678"},
	}
	want := "ada-l ada-l-3 bo-2 ada-l-2"
	for round := range 2 {
		made, there, accounts, err := p.Import(t.Context(), s, plan(t, s, roster.NewList(list...), store.Practice))
		if err != nil || len(accounts) != 4 || accounts[1].Login != "ada-l-3" {
			t.Fatalf("got %v, %v, %v, %v", made, there, accounts, err)
		}
		teams, err := s.Teams(t.Context(), store.Practice)
		var entered []string
		for _, team := range teams {
			entered = append(entered, team.Name)
		}
		if got, want := strings.Join(entered, ", "), "Ada L, The team, Bo"; err != nil || got != want {
			t.Errorf("round %d: the teams %s, want %s: %v", round, got, want, err)
		}
		got := slices.Concat(there, made)
		var logins []string
		for _, slip := range got {
			logins = append(logins, slip.Login)
			a, err := s.AccountByLogin(t.Context(), slip.Login)
			if err != nil || a.Role != string(Contestant) || a.Display != slip.Name {
				t.Errorf("the account %+v of %+v, %v", a, slip, err)
			}
			if good, err := p.Check(t.Context(), slip.Password, a.Password); err != nil || good != (round == 0) {
				t.Errorf("the password of %+v: %v, %v", slip, good, err)
			}
		}
		if fmt.Sprint(len(made), len(there)) != []string{"4 0", "0 4"}[round] || strings.Join(logins, " ") != want {
			t.Errorf("round %d: %d made, %d there: %q; want %q", round, len(made), len(there), logins, want)
		}
	}
}

// rows formats the rows of a plan.
func rows(p *Plan) string {
	var lines []string
	for _, r := range p.Rows {
		line := fmt.Sprintf("%d %s: %s %s", r.Line, r.State, r.Login, r.Name)
		if r.Team != "" || r.Groups != nil {
			line += fmt.Sprintf(" in %s %q", r.Team, r.Groups)
		}
		if text := strings.Join(r.Notes, "; ") + r.Wrong; text != "" {
			line += " (" + text + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestPlan checks that a plan states the result for each row, and that Import produces this result.
func TestPlan(t *testing.T) {
	s := opened(t)
	accounts, err := s.NewAccounts(t.Context(),
		store.NewAccount{Login: "Bo", Display: "Bo B", Email: "secret@x", Kind: store.PersonAccount}, store.NewAccount{
			Login: "ida", Display: "Ida", Kind: store.PersonAccount,
		})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddEntrants(t.Context(), store.Practice,
		[]store.Entrant{{Account: accounts[1], Team: "Old", Groups: []string{"7a"}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetDisabled(t.Context(), accounts[1].ID, true); err != nil {
		t.Fatal(err)
	}
	list, err := roster.Read([]byte("Name;Login;E-Mail;Passwort;Team;Klasse\n" +
		"Ada;;a@x;;;9a\n" +
		"Ada;;;;;\n" +
		"bo  b;bo;;;Old;7b\n" +
		"Ida;;;;Other;\n" +
		"Bo;BO;;;;\n" +
		"Eva;ada;;;New;\"9b, 9c\"\n" +
		"Flo;flo;;;New;9b\n" +
		"Gus;gus x;;;;\n" +
		"Hal;FLO;;;;\n" +
		"Pia;;;123;;\n" +
		";;p@x;;;\n" +
		"A\x1bB;;;;;\n" +
		"Cleo;;;;;\"a,\x1b\"\n" +
		"Lin;;;;\"x\ty\";\n" +
		"Tom;ida;;;;\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, s, list, store.Practice)
	want := `2 new account: ada-2 Ada in Ada ["9a"]
3 new account: ada-3 Ada in Ada [] (another person with the name of line 2)
4 existing account: Bo Bo B in Old ["7a"] (keeps the password; the groups are those of the team; team of 2)
5 existing account: ida Ida in Old ["7a"] (keeps the password; the account is disabled; stays in the team)
6 error: BO Bo (the username BO is on line 4, too)
7 new account: ada Eva in New ["9b" "9c"] (team of 2)
8 new account: flo Flo in New ["9b" "9c"] (the groups are those of the team; team of 2)
9 error: gus x Gus ("gus x" is not a username: use letters, digits, - and _, at most 40, such as gus-x)
10 error: FLO Hal (the username FLO is on line 8, too)
11 error:  Pia (a password has from 8 to 200 bytes: write a longer or shorter one, or leave it out to have one generated)
12 error:   (there is neither a name nor a username)
13 error:  A` + "\x1b" + `B (the name contains an invisible character: character 2 is U+001B)
14 error:  Cleo (the group "\x1b": the name contains an invisible character: character 1 is U+001B)
15 error:  Lin in x	y [] (the team: the name contains an invisible character: character 2 is U+0009)
16 error: ida Tom (the username ida belongs to Ida: choose another, or leave the name out if this is the same person)`
	if got := rows(p); got != want {
		t.Errorf("the plan is\n%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(p.New, p.Existing, p.Teams, p.Wrong, len(p.Notes)); got != "4 2 3 9 0" {
		t.Errorf("it counts %s", got)
	}
	if p.Rows[2].Email != "" || p.Rows[0].Email != "a@x" {
		t.Errorf("it tells an address that is not on the list: %+v", p.Rows)
	}
	made, there, all, err := NewPasswords().Import(t.Context(), s, p)
	if err != nil || len(made) != 4 || len(there) != 2 || len(all) != 6 {
		t.Fatalf("%v, %v, %v, %v", made, there, all, err)
	}
	teams, err := s.Teams(t.Context(), store.Practice)
	if err != nil {
		t.Fatal(err)
	}
	members, err := s.Members(t.Context(), store.Practice)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, team := range teams {
		line := team.Name + fmt.Sprintf(" %q:", team.Groups)
		for _, a := range members[team.ID] {
			line += " " + a.Login
		}
		got = append(got, line)
	}
	if want := `Old ["7a"]: Bo ida|Ada ["9a"]: ada-2|Ada []: ada-3|New ["9b" "9c"]: ada flo`; strings.Join(got, "|") != want {
		t.Errorf("the teams are %s, want %s", strings.Join(got, "|"), want)
	}
}

// TestPlanIsAllThere checks that plans with different effects have different digests.
func TestPlanIsAllThere(t *testing.T) {
	s := opened(t)
	digests := map[string]string{}
	other := &store.Contest{Slug: "other", Name: "Other", Format: store.ICPC, Starts: time.Now(), Length: time.Hour,
		Visibility: store.VisibilityPublic}
	if err := s.NewContest(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"Name\nAda", "Name\nBo", "Name;Login\nAda;x", "Name;E-Mail\nAda;a@x", "Name;Password\nAda;12345678",
		"Name;Password\nAda;12345679", "Name\nAda\nBo", "Name;Team\nAda;T", "Name;Team;Class\nAda;T;9a", "Name\nAda\n\x1b",
	} {
		list, err := roster.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, contest := range []string{"", store.Practice, other.ID} {
			for _, role := range []Role{Contestant, Judge} {
				what := fmt.Sprintf("%q as %s in %s", text, role, contest)
				if contest == "" && strings.Contains(text, "Team") {
					continue // this change has no effect
				}
				p, err := PlanImport(t.Context(), s, list, role, contest)
				if err != nil || digests[p.Digest] != "" {
					t.Errorf("%s has the digest of %s: %v", what, digests[p.Digest], err)
				}
				digests[p.Digest] = what
			}
		}
	}
	list := roster.NewList(roster.Person{Name: "Ada"})
	before := plan(t, s, list, "")
	if again := plan(t, s, list, ""); again.Digest != before.Digest {
		t.Error("the same plan has another digest")
	}
	if _, err := s.NewAccount(t.Context(), "ada", "Eva", store.PersonAccount, ""); err != nil {
		t.Fatal(err)
	}
	if after := plan(t, s, list, ""); after.Digest == before.Digest || after.Rows[0].Login != "ada-2" {
		t.Errorf("there is another account, and the plan is %+v", after)
	}
	if made, _, _, err := NewPasswords().Import(t.Context(), s, before); !errors.Is(err, store.ErrTaken) || len(made) > 0 {
		t.Errorf("a plan that is too old: %v, %v", made, err)
	}
}

// TestPlanOfUsernames checks that a username alone identifies an existing account, and that a list may contain a
// username only once.
func TestPlanOfUsernames(t *testing.T) {
	s := opened(t)
	if _, err := s.NewAccount(t.Context(), "bo", "Bo", store.PersonAccount, ""); err != nil {
		t.Fatal(err)
	}
	p := plan(t, s, roster.NewList(roster.Person{Login: "Bo"}, roster.Person{Login: "eva"}, roster.Person{Login: "Eva"},
		roster.Person{Login: "EVA"}, roster.Person{Login: "x", Password: "1234\n5678"}), "")
	want := `1 existing account: bo Bo (keeps the password)
2 new account: eva eva
3 error: Eva Eva (the username Eva is on line 2, too)
4 error: EVA EVA (the username EVA is on line 2, too)
5 error: x x (the password has a line break or another character that cannot be typed: write another one, or leave it out)`
	if got := rows(p); got != want {
		t.Errorf("the plan is\n%s\nwant\n%s", got, want)
	}
}

func TestPlanNotes(t *testing.T) {
	s := opened(t)
	for text, want := range map[string]string{
		"Name;Team\nAda;T": "Teams and groups belong to a contest", "Name;Class\nAda;9a": "Teams and groups belong to a contest",
		"J\xfcrgen": "was read as Windows-1252", "Ada": "",
	} {
		list, err := roster.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p := plan(t, s, list, "")
		if got := strings.Join(p.Notes, "|"); !strings.Contains(got, want) || want == "" && got != "" || p.Teams != 0 ||
			p.Rows[0].Team != "" || p.Rows[0].Groups != nil {
			t.Errorf("%q: the notes %q of %+v, want %q", text, got, p.Preview, want)
		}
	}
}
