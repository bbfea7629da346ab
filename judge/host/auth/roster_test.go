package auth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/store"
)

func TestParseRoster(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []Person
	}{
		"names":                       {"Ada Lovelace\n\n  Alan Turing \r\n", []Person{{Name: "Ada Lovelace"}, {Name: "Alan Turing"}}},
		"names with commas":           {"Lovelace, Ada", []Person{{Name: "Lovelace, Ada"}}},
		"of a Mac of long ago":        {"Ada\rAlan", []Person{{Name: "Ada"}, {Name: "Alan"}}},
		"one column":                  {"Name\nAda\n", []Person{{Name: "Ada"}}},
		"a table":                     {"login,name,email,password,team,group\nada,\"Lovelace, Ada\",a@x.org,12345678,Us,\"7b, 7c\"\n", []Person{{"Lovelace, Ada", "ada", "a@x.org", "12345678", "Us", "7b, 7c"}}},
		"semicolons and a mark":       {"\uFEFFKlasse;Name\n7b;Zoë\n;\n", []Person{{Name: "Zoë"}}},
		"tabs, as spreadsheets paste": {"Name\tLogin\r\nAda\tada\r\n", []Person{{Name: "Ada", Login: "ada"}}},
		"short rows":                  {"login,name\nada\n", []Person{{Login: "ada"}}},
	} {
		if got, err := ParseRoster(tt.text); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("it reads %s: got %q, %v; want %q", name, got, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"":                           "the list has no names",
		"name,login\n":               "the list has no names",
		"\xff":                       "the list is not written in UTF-8: save it again as UTF-8",
		"Ada\nA\tB":                  "line 2 of the list: the name has a letter that nobody can see: letter 2 is U+0009",
		strings.Repeat("x", 201):     "line 1 of the list: a name has 200 letters at most",
		strings.Repeat("x\n", 2001):  "the list has 2001 people; the most at once is 2000",
		"login,name\n\nbad login,X":  `line 3 of the list: "bad login" is not a login: letters, digits, - and _, 40 at most`,
		"login,password\nada,123":    "line 2 of the list: a password has 8 to 200 letters",
		"login,email\n,a@x.org":      "line 2 of the list has neither a name nor a login",
		"login,name\na,\"b":          "the list is not a table: parse error on line 2, column 5: extraneous or missing \" in quoted-field",
		"login,name\nada,A\nada,B":   "the login ada stands twice in the list",
		"name,group\nAda,\"a,\x1b\"": "line 2 of the list: the group \"\\x1b\": the name has a letter that nobody can see: letter 1 is U+001B",
	} {
		got, err := ParseRoster(text)
		if err == nil || err.Error() != want || judge.Whose(err) != judge.Asker {
			t.Errorf("%.30q: got %q, %v; want %s", text, got, err, want)
		}
	}
}

func FuzzParseRoster(f *testing.F) {
	for _, text := range []string{"Ada\nAlan", "login;name\na;b\n\"c;d\"", "\uFEFFname\tpassword\nx\t12345678", "name,,\n\x00,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		people, err := ParseRoster(text)
		if err != nil {
			if judge.Whose(err) != judge.Asker {
				t.Fatalf("%q: %v is somebody else's fault", text, err)
			}
			return
		}
		for _, p := range people {
			if p.Name == "" && p.Login == "" || !GoodLogin(loginOf(p.Name)) {
				t.Fatalf("%q gives %+v, whose login is %q", text, p, loginOf(p.Name))
			}
		}
	})
}

func TestLoginOf(t *testing.T) {
	for name, want := range map[string]string{
		"Ada Lovelace": "ada-lovelace", "Zoë  O'Neill-Šimić": "zoe-oneill-simic", "李雷": "student", "x": "student", "  7b 12 ": "7b-12",
		strings.Repeat("long ", 20): "long-long-long-long-long-long-long",
	} {
		if got := loginOf(name); got != want {
			t.Errorf("loginOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestImport: two of one name are two people, the same list again makes nobody, and others
// of a name that is there are somebody else.
func TestImport(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := NewPasswords()
	if _, err := s.NewAccount(t.Context(), "Bo", "Bo the admin", store.Person, "admin"); err != nil {
		t.Fatal(err)
	}
	list := []Person{{Name: "Ada L"}, {Name: "Ada L", Team: "The team"}, {Name: "Bo"}, {Login: "ada-l-2", Team: "The team", Name: "X", Email: "x@y", Password: "12345678"}}
	want := "ada-l ada-l-3 bo-2 ada-l-2"
	for round := range 2 {
		made, there, accounts, err := p.Import(t.Context(), s, list, Contestant, store.Practice)
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
