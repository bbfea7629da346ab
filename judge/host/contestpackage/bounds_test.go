package contestpackage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// TestBounds checks the last accepted and the first rejected value of each limit.
func TestBounds(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("x", n) }
	account := func(password, username string) string {
		return fmt.Sprintf("- {id: a, username: %s, type: judge, password: '%s'}", username, password)
	}
	size := func(n int) string { return "[]" + strings.Repeat(" ", n-2) }
	for _, tt := range []struct {
		file, data string
		fits       bool
	}{
		{"contest.yaml", "duration: 0:01:00", true}, {"contest.yaml", "duration: 0:00:59", false},
		{"contest.yaml", "duration: 8784:00:00", true}, {"contest.yaml", "duration: 8784:00:01", false},
		{"contest.yaml", "duration: 5:00:00\npenalty_time: 1", true}, {"contest.yaml", "duration: 5:00:00\npenalty_time: 0:00:59", false},
		{"contest.yaml", "duration: 5:00:00\npenalty_time: 1000", true}, {"contest.yaml", "duration: 5:00:00\npenalty_time: 1001", false},
		{"contest.yaml", "duration: 5:00:00\npenalty_time: 0:01:00", true}, {"contest.yaml", "duration: 5:00:00\npenalty_time: +20", false},
		{"contest.yaml", "duration: 5:00:00\nstart_time: 1971-01-01T00:00:00Z", true},
		{"contest.yaml", "duration: 5:00:00\nstart_time: 1970-12-31T23:59:59Z", false},
		{"contest.yaml", "duration: 5:00:00\nstart_time: 2199-12-31T23:59:59Z", true},
		{"contest.yaml", "duration: 5:00:00\nstart_time: 2200-01-01T00:00:00Z", false},
		{"problems.yaml", "- {id: asteroids, label: " + letters(8) + "}", true},
		{"problems.yaml", "- {id: asteroids, label: " + letters(9) + "}", false},
		{"problems.yaml", "- {id: asteroids, ordinal: 1e9}", true}, {"problems.yaml", "- {id: asteroids, ordinal: 1000000001}", false},
		{"problems.yaml", "- {id: asteroids, ordinal: -1e9}", true}, {"problems.yaml", "- {id: asteroids, ordinal: -1000000001}", false},
		{"problems.yaml", "- {id: asteroids, ordinal: .nan}", false},
		{"teams.yaml", "- {id: t, name: T, location: {x: 1e6, y: -1e6, rotation: 0}}", true},
		{"teams.yaml", "- {id: t, name: T, location: {x: 1000001, y: 0, rotation: 0}}", false},
		{"teams.yaml", "- {id: t, name: T, location: {x: 0, y: -1000001, rotation: 0}}", false},
		{"teams.yaml", "- {id: t, name: T, location: {x: 0, y: .nan, rotation: 0}}", false},
		{"teams.yaml", "- {id: t, name: T, label: " + letters(200) + "}", true},
		{"teams.yaml", "- {id: t, name: T, label: " + letters(201) + "}", false},
		{"teams.yaml", "- {id: t, name: T, label: \"a\\u0007\"}", false},
		{"teams.yaml", "- {id: " + letters(36) + ", name: T}", true}, {"teams.yaml", "- {id: " + letters(37) + ", name: T}", false},
		{"accounts.yaml", account(letters(auth.MinPassword), "a"), true}, {"accounts.yaml", account(letters(auth.MinPassword-1), "a"), false},
		{"accounts.yaml", account(letters(auth.MaxPassword), "a"), true}, {"accounts.yaml", account(letters(auth.MaxPassword+1), "a"), false},
		{"accounts.yaml", "- {id: a, type: judge, password: \"password\\u0007\"}", false},
		{"accounts.yaml", account("password", letters(40)), true}, {"accounts.yaml", account("password", letters(41)), false},
		{"accounts.tsv", "accounts\t1\njudge\tA\t" + letters(36) + "\tpassword", true},
		{"accounts.tsv", "accounts\t1\njudge\tA\t" + letters(37) + "\tpassword", false},
		{"teams.json", size(maxBytes), true}, {"teams.json", size(maxBytes + 1), false},
	} {
		files := map[string]string{tt.file: tt.data}
		if tt.file != "contest.yaml" {
			files["contest.yaml"] = plainContest
		}
		if _, err := plan(t, server(), texts(files)); (err == nil) != tt.fits {
			t.Errorf("%s %.80q: %v", tt.file, tt.data, err)
		}
	}
	for n, fits := range map[int]bool{maxBytes: true, maxBytes + 1: false} {
		all, err := Collect(fstest.MapFS{"teams.json": &fstest.MapFile{Data: make([]byte, n)}})
		if (err == nil) != fits || fits && len(all.Texts["teams.json"]) != n {
			t.Errorf("a file of %d bytes: %v", n, err)
		}
	}
	if _, err := Collect(brokenFS{}); !errors.Is(err, errBroken) {
		t.Errorf("a directory that cannot be read: %v", err)
	}
}

var errBroken = errors.New("a broken disk")

type brokenFS struct{}

func (brokenFS) Open(name string) (fs.File, error) {
	if name == "." {
		return fstest.MapFS{"wf/groups.tsv": &fstest.MapFile{}}.Open(name)
	}
	if strings.HasPrefix(name, "wf") {
		return nil, errBroken
	}
	return nil, fs.ErrNotExist
}

// TestTimes checks that start times and durations are read with millisecond precision.
func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1:02": time.Hour + 2*time.Minute, "0:00:07": 7 * time.Second,
		"1:02:03.4":    time.Hour + 2*time.Minute + 3*time.Second + 400*time.Millisecond,
		"0:00:00.0019": time.Millisecond, "-0:15:01.050": -(15*time.Minute + time.Second + 50*time.Millisecond),
		"99999:59:59.999": 100000*time.Hour - time.Millisecond,
	} {
		if got, ok := duration(text); !ok || got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for _, bad := range []string{"", "1", "1:60", "1:00:60", "100000:00", "1:2", "a:00", "1:00:00.", "+1:00"} {
		if got, ok := duration(bad); ok || got != 0 {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

// TestLists checks that an empty list in a file means that the contest has no objects of that kind. A missing file
// says nothing about them. If the package contains the file for a kind, referenced objects of that kind must be in
// the file.
func TestLists(t *testing.T) {
	for _, tt := range []struct{ file, data, missing string }{
		{"problems.yaml", "[]", "missing problem asteroids: it stays"}, {"groups.yaml", "[]", "missing group g: it stays"},
		{"teams.yaml", "[]", "missing team t: it stays"}, {"persons.yaml", "[]", "missing person p: it stays"},
		{"accounts.yaml", "[]", "missing account a: it stays"}, {"organizations.yaml", "[]", "missing organization o: it stays"},
	} {
		now := imported(t, map[string]string{
			"contest.yaml": plainContest, "problems.yaml": "- id: asteroids", "groups.yaml": "- {id: g, name: G}",
			"teams.yaml":         "- {id: t, name: T}",
			"organizations.yaml": "- {id: o, name: O}", "persons.yaml": "- {id: p, name: P, role: staff}", "accounts.yaml": "- {id: a, type: judge}",
		})
		p, err := plan(t, now, texts(map[string]string{tt.file: tt.data}))
		if err != nil || report(p) != tt.missing+"\n" || !p.Empty() || p.Import.Problems != nil || p.Import.ID != "contest" {
			t.Errorf("an empty %s: %v\n%s%+v", tt.file, err, report(p), p.Import)
		}
	}
	lists := map[string]string{"groups": "[]", "organizations": "[]", "teams": "[]", "persons": "[]"}
	for _, tt := range []struct{ file, data, listed, want string }{
		{"teams.yaml", "- {id: t, name: T, group_ids: [x]}", "groups", `the package has no group "x"`},
		{"teams.yaml", "- {id: t, name: T, organization_id: x}", "organizations", `the package has no organization "x"`},
		{"persons.yaml", "- {id: p, name: P, role: coach, team_ids: [x]}", "teams", `the package has no team "x"`},
		{"accounts.yaml", "- {id: a, type: team, team_id: x}", "teams", `the package has no team "x"`},
		{"accounts.yaml", "- {id: a, type: judge, person_id: x}", "persons", `the package has no person "x"`},
		{"contest.yaml", plainContest + "main_scoreboard_group_id: x", "groups", `the package has no group "x"`},
	} {
		files := map[string]string{"contest.yaml": plainContest, tt.file: tt.data, tt.listed + ".yaml": lists[tt.listed]}
		if _, err := Read(texts(files)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v", tt.file, tt.data, err)
		}
	}
}

// TestFaultsInOrder checks that errors are sorted by file and line, and that each is reported once.
func TestFaultsInOrder(t *testing.T) {
	_, err := Read(texts(map[string]string{
		"teams.yaml": "- 1\n- {id: a, name: A, hidden: x}\n- {id: '-', name: B}\n", "groups.json": "[]", "groups.tsv": "1\tA\n2\tB\n",
		"accounts.tsv": "accounts\t1\nx\n", "organizations.json": `[{"id":"o","name":"<&>","url":"x"}]`,
	}))
	faults, _ := errors.AsType[judge.ProblemErrors](err)
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	want := []string{"accounts.tsv:2", "groups.tsv:0", "organizations.json:1", "teams.yaml:1", "teams.yaml:2", "teams.yaml:3"}
	if !slices.Equal(got, want) {
		t.Errorf("the faults are at %q, want %q", got, want)
	}
	if o := imported(t, map[string]string{"contest.yaml": plainContest,
		"organizations.json": `[{"id":"o","name":"<&>"}]`}).Organizations; o[0].Name != "<&>" {
		t.Errorf("the name is %q", o[0].Name)
	}
}

// TestLabels checks that the default label of a problem is the letter of its position. From the 27th problem on,
// it is the problem's id.
func TestLabels(t *testing.T) {
	var list strings.Builder
	for i := range 28 {
		fmt.Fprintf(&list, "- id: p%d\n", i)
	}
	p, err := Read(texts(map[string]string{"problems.yaml": list.String()}))
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]string{0: "A", 25: "Z", 26: "p26", 27: "p27"} {
		if got := p.Problems[at].Label; got != want {
			t.Errorf("problem %d has the label %q, want %q", at, got, want)
		}
	}
	// Problems with an ordinal are sorted by their ordinals. The other problems keep their positions.
	p, err = Read(texts(map[string]string{"problems.yaml": "- {id: a, ordinal: 2}\n- {id: b}\n- {id: c, ordinal: 0}"}))
	if err != nil || p.Problems[0].ID+p.Problems[1].ID+p.Problems[2].ID != "cba" {
		t.Errorf("in the order of their ordinals: %+v, %v", p.Problems, err)
	}
}

// TestTSVCells checks how the columns of institutions2.tsv are interpreted.
func TestTSVCells(t *testing.T) {
	now := imported(t, map[string]string{"contest.yaml": plainContest,
		"institutions2.tsv": "institutions2\t1\r\nINST-U-0012\tFormal\t\tx\tUSA\thttps://x.example\r\n\r\nINST-7\tSeven\tS\r\n000\tZero\r\n"})
	var got []string
	for _, o := range now.Organizations {
		got = append(got, strings.Join([]string{o.ID, o.ICPCID, o.Name, o.FormalName, o.Country, o.URL}, ","))
	}
	if want := []string{"12,12,Formal,Formal,USA,https://x.example", "7,7,S,Seven,,", "000,000,Zero,Zero,,"}; !slices.Equal(got, want) {
		t.Errorf("institutions2.tsv gives %q, want %q", got, want)
	}
	// teams2.tsv changes only the name, the formal name and the country of an organization.
	now = imported(t, map[string]string{"contest.yaml": plainContest,
		"organizations.yaml": "- {id: '7', icpc_id: '7', name: S, formal_name: Seven, country: DEU, url: 'https://x.example', location: " +
			"{latitude: 1, longitude: 2}}"})
	for line, want := range map[string]string{
		"1\t1\t\tOne\tSeven\tS\tDEU\tINST-7": "", "1\t1\t\tOne\t\tS\t\tINST-7": "",
		"1\t1\t\tOne\tOther\tN\tFRA\tINST-7": "name, formal_name, country", "1\t1\t\tOne\t\tN\t\tINST-7": "name",
	} {
		p, err := plan(t, now, texts(map[string]string{"teams2.tsv": "teams2\t1\n" + line}))
		if err != nil {
			t.Error(err)
			continue
		}
		changes := ""
		for _, l := range p.Lines {
			if l.State == Changed && l.Kind == string(organizations) {
				changes = l.Note
			}
		}
		if changes != want {
			t.Errorf("%q changes %q, want %q", line, changes, want)
		}
	}
}

// TestAccountsAgain checks the names, passwords and teams of accounts that are imported a second time.
func TestAccountsAgain(t *testing.T) {
	first := map[string]string{"contest.yaml": plainContest, "teams.yaml": "- {id: '7', name: Seven}\n- {id: '8', name: Eight}",
		"accounts.tsv": "accounts\t1\nteam\t\tteam-7\tpassword1\njudge\tJudge\tjudge\tpassword2\n"}
	now := imported(t, first)
	for i, want := range []struct {
		kind    store.AccountKind
		display string
	}{{store.TeamAccount, "Seven"}, {store.PersonAccount, "Judge"}} {
		a := now.Accounts[1+i]
		if a.Display != want.display {
			t.Errorf("the account %s has the name %q, want %q", a.Login, a.Display, want.display)
		}
	}
	p, err := plan(t, server(), texts(first))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []store.AccountKind{store.TeamAccount, store.PersonAccount} {
		if got := p.Import.Accounts[i].New.Kind; got != want {
			t.Errorf("account %d is of the kind %s, want %s", i, got, want)
		}
	}
	for line, want := range map[string]string{
		"team\tNew\tteam-7\tpassword1": "name", "team\t\tteam-7\tpassword9": "password", "team\t\tteam-7\tpassword1": "", "team\t\tteam-7": "",
	} {
		p, err := plan(t, now, texts(map[string]string{"accounts.tsv": "accounts\t1\n" + line}))
		if err != nil {
			t.Error(err)
			continue
		}
		var notes []string
		for _, l := range p.Lines {
			if l.State == Changed {
				notes = append(notes, l.Note)
			}
		}
		if got := strings.Join(notes, ";"); got != want {
			t.Errorf("%q changes %q, want %q", line, got, want)
		}
		if want == "name" && p.Import.Accounts[0].Name != "New" || want == "password" && p.Passwords[0] != "password9" {
			t.Errorf("%q: %+v, %q", line, p.Import.Accounts, p.Passwords)
		}
	}
	// The existing account of a person keeps its name and password.
	p, err = plan(t, server(), texts(map[string]string{"contest.yaml": plainContest,
		"accounts.yaml": "- {id: x, username: ADA, type: judge, name: N, password: password1}"}))
	if err != nil || p.Passwords[0] != "" || p.Import.Accounts[0].Account == nil || p.Import.Accounts[0].Name != "" {
		t.Errorf("an account that exists: %v, %+v", err, p)
	}
}

// TestProblemsAgain checks that a second package changes the ids and labels of the contest's problems.
func TestProblemsAgain(t *testing.T) {
	now := imported(t, map[string]string{"contest.yaml": plainContest,
		"problems.yaml": "- {id: asteroids, label: X, rgb: '#123'}\n- {id: bottles, label: B}"})
	p, err := plan(t, now, texts(map[string]string{"problems.yaml": "- {id: Asteroids, label: Y}\n- {id: bottles, label: B}"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := report(p); !strings.Contains(got, "changed problem Asteroids: label Y, color #112233\n") ||
		strings.Contains(got, "added problem") {
		t.Errorf("the same problem under another id: %s", got)
	}
	if n := p.Import.Problems; len(n) != 2 || n[0].Slug != "asteroids" || n[0].ExtID != "Asteroids" || n[0].Color != "#112233" {
		t.Errorf("the problems are %+v", n)
	}
	now.apply(p)
	// This package changes nothing, because the problem already has its new id, and 20 minutes is the default
	// penalty.
	p, err = plan(t, now, texts(map[string]string{"contest.yaml": "penalty_time: 20",
		"problems.yaml": "- {id: Asteroids, label: Y}\n- {id: bottles, label: B}"}))
	if err != nil || !p.Empty() {
		t.Errorf("the same again: %v\n%s", err, report(p))
	}
	for minutes, changes := range map[string]bool{"19": true, "20": false, "21": true} {
		p, err := plan(t, now, texts(map[string]string{"contest.yaml": "penalty_time: " + minutes}))
		if err != nil || p.Empty() == changes {
			t.Errorf("%s minutes: %v, %v", minutes, p, err)
		}
	}
}
