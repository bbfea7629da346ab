package contestpackage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/internal/golden"
)

// archive reads the files of an archive in testdata.
func archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range a.Files {
		all[f.Name] = f.Data
	}
	return all
}

// server returns the state of a server in memory.
func server() *CurrentState {
	return &CurrentState{
		Now: time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC), Roles: map[string]string{},
		Published:     []*store.Problem{{ID: "1", Slug: "asteroids"}, {ID: "2", Slug: "bottles"}},
		Accounts:      []*store.Account{{ID: "ada", Login: "ada", Display: "Ada", Password: "secret"}},
		CheckPassword: func(_ context.Context, password, hash string) (bool, error) { return password == hash, nil },
	}
}

// put replaces the object in all that has the same id as one. If there is no such object, put adds one.
func put[T any](all []T, one T, id func(T) string) []T {
	if at := slices.IndexFunc(all, func(b T) bool { return id(b) == id(one) }); at >= 0 {
		all[at] = one
		return all
	}
	return append(all, one)
}

// apply makes the changes of a plan.
func (now *CurrentState) apply(p *Plan) {
	if c := p.Import.Contest; c != nil {
		now.Contest = c
		c.ID = "contest"
		if p.Import.Problems != nil {
			now.Problems = nil
		}
	}
	for _, n := range p.Import.Problems {
		now.Problems = append(now.Problems, &store.ContestProblem{Label: n.Label, Points: n.Points, Color: n.Color,
			ExtID: n.ExtID, ColorName: n.ColorName, Problem: &store.Problem{Slug: n.Slug}})
	}
	for _, o := range p.Import.Organizations {
		now.Organizations = put(now.Organizations, o, func(o store.Organization) string { return o.ID })
	}
	for _, g := range p.Import.Groups {
		now.Groups = put(now.Groups, g, func(g store.Group) string { return g.ID })
	}
	for _, t := range p.Import.Teams {
		now.Teams = put(now.Teams, &t, func(t *store.Team) string { return t.ExtID })
	}
	for _, one := range p.Import.Persons {
		now.Persons = put(now.Persons, &one, func(p *store.ContestPerson) string { return p.ID })
	}
	for i, n := range p.Import.Accounts {
		a, created := n.Account, false
		if a == nil {
			a = &store.Account{ID: n.New.Login, Login: n.New.Login, Display: n.New.Display, Password: cmp.Or(p.Passwords[i], "generated")}
			now.Accounts, created = append(now.Accounts, a), true
		} else if p.Passwords[i] != "" {
			a.Password = p.Passwords[i]
		}
		a.Display = cmp.Or(n.Name, a.Display)
		one := &store.ContestAccount{ID: n.ID, Type: n.Type, Person: n.Person, Team: n.Team, Addresses: n.Addresses, Created: created, Account: a}
		if at := slices.IndexFunc(now.ListedAccounts, func(b *store.ContestAccount) bool { return b.ID == n.ID }); at >= 0 {
			one.Created = now.ListedAccounts[at].Created
		}
		now.ListedAccounts = put(now.ListedAccounts, one, func(a *store.ContestAccount) string { return a.ID })
		now.Roles[a.ID] = n.Role
	}
}

// report formats the changes of a plan.
func report(p *Plan) string {
	var b strings.Builder
	for _, l := range p.Lines {
		fmt.Fprintf(&b, "%s %s %s: %s\n", l.State, l.Kind, l.ID, l.Note)
	}
	for _, n := range p.Notes {
		fmt.Fprintln(&b, "note:", n)
	}
	return b.String()
}

// state formats everything that a server stores for a contest.
func (now *CurrentState) state() string {
	var b strings.Builder
	if c := now.Contest; c != nil {
		fmt.Fprintf(&b, "%s %q %q %s %s %v %v %d %s\n", c.Slug, c.Name, c.FormalName, c.Format,
			c.Starts.Format(time.RFC3339Nano), c.Length, c.Freeze, c.Settings.Penalty, c.MainGroup)
	}
	for _, p := range now.Problems {
		fmt.Fprintf(&b, "problem %s %s %s %q %q\n", p.Label, p.Slug, p.ExtID, p.Color, p.ColorName)
	}
	for _, o := range now.Organizations {
		fmt.Fprintf(&b, "organization %+v\n", o)
	}
	for _, g := range now.Groups {
		fmt.Fprintf(&b, "group %+v\n", g)
	}
	for _, t := range now.Teams {
		fmt.Fprintf(&b, "team %s %q %q %q %q %s %s %q %v\n", t.ExtID, t.ICPCID, t.Name, t.Label, t.DisplayName,
			t.Organization, t.Location, t.GroupIDs, t.Hidden)
	}
	for _, p := range now.Persons {
		fmt.Fprintf(&b, "person %+v\n", *p)
	}
	for _, a := range now.ListedAccounts {
		fmt.Fprintf(&b, "account %s %s %s %q %s team %q person %q %q role %q, created %v\n", a.ID, a.Type, a.Account.Login,
			a.Account.Display, a.Account.Password, a.Team, a.Person, a.Addresses, now.Roles[a.Account.ID], a.Created)
	}
	return b.String()
}

func plan(t testing.TB, now *CurrentState, files map[string][]byte) (*Plan, error) {
	t.Helper()
	p, err := Read(files)
	if err != nil {
		return nil, err
	}
	slug := "spring"
	if p.Contest != nil && p.Contest.ID != "" {
		slug = p.Contest.ID
	}
	return PlanImport(t.Context(), p, slug, now)
}

// TestImport compares imported archives with golden files. It also checks that a second import changes nothing.
func TestImport(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		name = filepath.Base(name)
		t.Run(name, func(t *testing.T) {
			now := server()
			files := archive(t, name)
			var out strings.Builder
			// Directories 2 and 3 contain further packages for the same contest.
			for step := 1; step < 4; step++ {
				part := map[string][]byte{}
				for file, data := range files {
					if in, base, is := strings.Cut(file, "/"); is && in == fmt.Sprint(step) {
						part[base] = data
					}
				}
				if len(part) == 0 {
					continue
				}
				p, err := plan(t, now, part)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "import %d\n%s\n", step, report(p))
				now.apply(p)
				again, err := plan(t, now, part)
				if err != nil {
					t.Fatal(err)
				}
				if !again.Empty() || again.Import.Contest != nil || again.Import.Teams != nil || again.Import.Accounts != nil {
					t.Errorf("importing %d again does\n%s", step, report(again))
				}
				fmt.Fprintf(&out, "again: %d unchanged\n\n", again.Unchanged)
			}
			golden.Check(t, "testdata/"+strings.TrimSuffix(name, ".txtar")+".golden", []byte(out.String()+now.state()))
		})
	}
}

// TestUnknownWords checks that a value that is not in the list of allowed values is reported once, together with
// that list.
func TestUnknownWords(t *testing.T) {
	for text, want := range map[string]judge.ProblemError{
		`[{"id": "p", "name": "P", "role": "coch"}]`: {Text: `role is "coch"; it must be one of contestant, coach, staff, other`,
			Hint: `did you mean "coach"?`},
		`[{"id": "p", "name": "P", "role": "driver"}]`: {Text: `role is "driver"; it must be one of contestant, coach, staff, other`},
		`[{"id": "p", "name": "P"}]`:                   {Text: `role is ""; it must be one of contestant, coach, staff, other`},
	} {
		_, err := Read(map[string][]byte{"persons.json": []byte(text)})
		want.File, want.Line = "persons.json", 1
		if faults, is := errors.AsType[judge.ProblemErrors](err); !is || len(faults) != 1 || *faults[0] != want {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// TestMutated checks that a value of the wrong form is rejected with its file and line.
func TestMutated(t *testing.T) {
	base := map[string][]byte{}
	for name, data := range archive(t, "yaml.txtar") {
		if in, file, is := strings.Cut(name, "/"); is && in == "1" {
			base[file] = data
		}
	}
	if _, err := plan(t, server(), base); err != nil {
		t.Fatal(err)
	}
	free := "  name title color " // keys whose value may be any readable text
	done := 0
	for _, name := range slices.Sorted(maps.Keys(base)) {
		lines := strings.Split(string(base[name]), "\n")
		for at, line := range lines {
			head, _, is := strings.Cut(line, ": ")
			key := strings.TrimLeft(head, "- ")
			if !is || key == "x" || key == "y" || key == "rotation" || key == "latitude" || key == "longitude" ||
				key == "time_limit" || key == "twitter_hashtag" || name+key == "contest.yamllocation" || key == "start-time" {
				continue
			}
			bad := []string{"{a: 1}", "\"a\\u202eb\"", "\"a\\nb\"", "\x00", "[", "'"}
			if key != "group_ids" && key != "team_ids" {
				bad = append(bad, "[1, 2]", strings.Repeat("long ", 100))
			}
			if key == "hidden" || key == "ordinal" || strings.HasSuffix(key, "id") && key != "icpc_id" || strings.HasSuffix(key, "ids") {
				bad = append(bad, "no, really?")
			}
			if strings.Contains(free, " "+key+" ") {
				bad = bad[:3]
			}
			for _, value := range bad {
				mutated := slices.Clone(lines)
				mutated[at] = head + ": " + value
				files := maps.Clone(base)
				files[name] = []byte(strings.Join(mutated, "\n"))
				_, err := plan(t, server(), files)
				faults, is := errors.AsType[judge.ProblemErrors](err)
				if !is {
					t.Errorf("%s:%d: %s is %v", name, at+1, mutated[at], err)
					continue
				}
				here := slices.ContainsFunc(faults, func(f *judge.ProblemError) bool {
					// For an open bracket, the YAML library reports the line after it.
					return f.File == name && f.Line >= 1 && (f.Line == at+1 || value == "[" || value == "'")
				})
				if !here {
					t.Errorf("%s:%d: %s is %v", name, at+1, mutated[at], err)
				}
				done++
			}
		}
	}
	if done < 200 {
		t.Errorf("%d mutated files", done)
	}
}

// TestFaults checks that errors in a file are reported with their position and a hint.
func TestFaults(t *testing.T) {
	const contest, teams, accounts = "name: C\nduration: 5:00:00\n", "teams2\t1\n", "accounts\t1\n"
	many := strings.Repeat("x", 37)
	for _, tt := range []struct{ file, data, want string }{
		{"contest.yaml", "name: C\n", "contest.yaml:1: the contest has no duration"},
		{"contest.yaml", "id: The Contest\n" + contest, `contest.yaml:1: "The Contest" cannot be the id of a contest`},
		{"contest.yaml", contest + "penalty_time: 0\n", `contest.yaml:3: penalty_time is "0"; it must be from 1`},
		{"contest.yaml", contest + "penalty_time: 0:20:30\n", "contest.yaml:3: penalty_time"},
		{"contest.yaml", contest + "penalty_time: -20\n", "contest.yaml:3: penalty_time"},
		{"contest.yaml", contest + "scoreboard_freeze_duration: 5:00:00\n", "contest.yaml:3: the scoreboard cannot be frozen"},
		{"contest.yaml", contest + "scoreboard_freeze_duration: -0:30:00\n", "contest.yaml:3: the scoreboard cannot be frozen"},
		{"contest.yaml", contest + "start_time: 2026-11-28 10:00\n", "contest.yaml:3: start_time is"},
		{"contest.yaml", contest + "start_time: 1815-12-10T10:00:00Z\n", "contest.yaml:3: start_time is"},
		{"contest.yaml", "name: C\nduration: 0:00:10\n", "contest.yaml:2: the duration is"},
		{"contest.yaml", "name: C\nduration: 5:61:00\n", "contest.yaml:2: duration is"},
		{"contest.yaml", contest + "scoreboard_type: passfail\n", "did you mean"},
		{"contest.yaml", contest + "main_scoreboard_group_id: none\n",
			`contest.yaml:1: neither the package nor the contest has the group "none"`},
		{"contest.yaml", "name: C\nname: D\nduration: 5:00:00\n", "contest.yaml:2"},
		{"contest.json", "{\"name\": \"C\",\n\"duration\" 1}", "contest.json:2: the file is not JSON"},
		{"contest.json", "{\"name\": \"C\",\n\t\"duration\": \"x\"}", "contest.json:2: duration is"},
		{"contest.json", "[]", "contest.json:1: an object with keys"},
		{"contest.json", "", "contest.json:1: the file is not JSON"},
		{"groups.json", "{}", "groups.json:1: the file must be a list"},
		{"groups.json", "[1]", "groups.json:1: an object with keys"},
		{"groups.json", `[{"id": "a", "name": "A"},` + "\n" + `{"id": "a", "name": "B"}]`, "groups.json:2: the group a is on line 1, too"},
		{"groups.json", `[{"id": "a", "name": "A"},` + "\n" + `{"id": "b", "name": "A"}]`, `groups.json:2: the name "A" is on line 1, too`},
		{"groups.json", `[{"id": "a", "name": "A, B"}]`, "groups.json:1: the name of a group has a comma"},
		{"groups.json", `[{"id": "a", "name": "A", "location": {"latitude": 1}}]`,
			"groups.json:1: location must have the numbers latitude, longitude"},
		{"groups.tsv", "1\tA\n", "groups.tsv:1: the first line is"},
		{"groups.tsv", "", "groups.tsv:1: the file is empty"},
		{"groups.tsv", "groups\t1\r\n\r\nx A\r\n", "groups.tsv:3: the line has 1 columns; the least is 2"},
		{"groups.tsv", "groups\t1\n1\t\n", "groups.tsv:2: the group has no name"},
		{"groups.tsv", "groups\t1\n\tA\n", "groups.tsv:2: the group has no id"},
		{"groups.tsv", "groups\t1\n1\tA\xff\n", "groups.tsv:2: the file is not in UTF-8"},
		{"groups.tsv", "groups\t1\n-a\tA\n", `groups.tsv:2: "-a" is not an id`},
		{"groups.tsv", "groups\t1\n" + many + "\tA\n", "is not an id"},
		{"groups.tsv", "groups\t1\na.\tA\n", `groups.tsv:2: "a." is not an id`},
		{"groups.tsv", "groups\t1\na b\tA\n", `groups.tsv:2: "a b" is not an id`},
		{"teams2.tsv", teams + "1\t2\t3\n", "teams2.tsv:2: the line has 3 columns"},
		{"teams2.tsv", teams + "1\t2\t\tA\n2\t\t\t \n", "teams2.tsv:3: the team has no name"},
		{"teams2.tsv", teams + "1\t2\t3\tA\n", `teams2.tsv:2: neither the package nor the contest has the group "3"`},
		{"teams2.tsv", teams + "1\t2\t\tA\t\t\t\tINST-7\n", `teams2.tsv:2: neither the package nor the contest has the organization "7"`},
		{"teams2.tsv", teams + "1\t2\t\tA\tU\tU\tGermany\tINST-7\n", "teams2.tsv:2: country is"},
		{"organizations.json", `[{"id": "a", "name": "A", "country": "DE"}]`, "organizations.json:1: country is"},
		{"organizations.json", `[{"id": "a", "name": "A", "url": "javascript:1"}]`, "organizations.json:1: url is"},
		{"persons.json", `[{"id": "a", "name": "A", "role": "king"}]`, "persons.json:1: role is"},
		{"persons.json", `[{"id": "a", "name": "A", "role": "coach"}]`, "persons.json:1: a person with the role coach"},
		{"persons.json", `[{"id": "a", "name": "A", "role": "staff", "team_ids": ["9"]}]`, "persons.json:1: neither"},
		{"accounts.tsv", accounts + "team\tA\tteam\tpassword1\n", "accounts.tsv:2: the account team is for a team"},
		{"accounts.tsv", accounts + "team\tA\tteam-007\tpassword1\n", `accounts.tsv:2: neither the package nor the contest has the team "7"`},
		{"accounts.tsv", accounts + "judge\tA\tj 1\tpassword1\n", `accounts.tsv:2: "j 1" is not a username`},
		{"accounts.tsv", accounts + "judge\tA\tj1\tshort\n", "accounts.tsv:2: the password has 5 bytes"},
		{"accounts.tsv", accounts + "judge\tA\tj1\tpassword1\t10.0.0\n", "accounts.tsv:2: \"10.0.0\" is not an IP address"},
		{"accounts.tsv", accounts + "judge\tA\tj1\tpassword1\njudge\tB\tj1\tpassword2\n", "accounts.tsv:3: the"},
		{"accounts.yaml", "- id: a\n  username: u\n  type: judge\n- id: b\n  username: u\n  type: judge\n",
			`accounts.yaml:4: the username "u" is on line 1, too`},
		{"accounts.yaml", "- id: t\n  type: team\n", "accounts.yaml:1: the account t is for a team"},
		{"accounts.tsv", accounts + "judge\tA\t" + many + "\tpassword1\n", "is not an id"},
		{"accounts.tsv", accounts + "judge\tA\t\tpassword1\n", "accounts.tsv:2: the account has no username"},
		{"accounts.yaml", "- username: u\n  type: judge\n", "accounts.yaml:1: the account has no id"},
		{"accounts.yaml", "- id: u\n  type: jugde\n", "accounts.yaml:2: type is"},
		{"accounts.yaml", "- id: u\n  type: judge\n  person_id: p\n", `accounts.yaml:1: neither the package nor the contest has the person "p"`},
		{"problems.yaml", "- id: asteroids\n  label: A\n- id: bottles\n  label: A\n", `problems.yaml:3: the label "A" is on line 1, too`},
		{"problems.yaml", "- id: asteroids\n- id: Asteroids\n", "problems.yaml:2: the problem Asteroids is asteroids on this server"},
		{"problems.yaml", "- id: asteroids\n  label: much-too-long\n", "problems.yaml:2: the label"},
		{"problems.yaml", "- id: asteroids\n  rgb: red\n", "problems.yaml:2: rgb is"},
		{"problems.yaml", "- id: asteroids\n  ordinal: first\n", "problems.yaml:2: ordinal is not a number"},
		{"teams.yaml", "- id: a\n  name: A\n  hidden: perhaps\n", "teams.yaml:3: hidden is neither true nor false"},
		{"teams.yaml", "- id: a\n  name: A\n  group_ids: [[b]]\n", "teams.yaml:3: group_ids must be a list of ids"},
		{"teams.yaml", "- id: a\n  name: A\n  location: {x: 1}\n", "teams.yaml:3: location must have"},
		{"teams.yaml", "- id: a\n  name: A\n  location: 7\n", "teams.yaml:3: location must have"},
		{"teams.yaml", strings.Repeat("#", maxBytes+1), "teams.yaml: the file has more than 4 MiB"},
	} {
		files := map[string][]byte{tt.file: []byte(tt.data)}
		if !strings.HasPrefix(tt.file, "contest.") {
			files["contest.yaml"] = []byte(contest)
		}
		if _, err := plan(t, server(), files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %.60q: got %v, want %s", tt.file, tt.data, err, tt.want)
		}
	}
}

// TestServer checks that a package that does not fit the server is rejected.
func TestServer(t *testing.T) {
	const contest = "name: C\nduration: 5:00:00\nstart_time: 2026-11-28T09:00:00Z\n"
	const two = "- id: asteroids\n  label: A\n- id: bottles\n  label: B\n"
	for _, tt := range []struct {
		name  string
		spoil func(now *CurrentState)
		files map[string]string
		want  string
	}{
		{"no contest", func(now *CurrentState) { now.Contest = nil }, map[string]string{"groups.yaml": "- id: a\n  name: A\n"},
			"the server has no contest spring"},
		{"a start that has passed", func(now *CurrentState) { now.Now = now.Now.Add(2 * time.Hour) },
			map[string]string{"contest.yaml": "start_time: 2026-11-28T12:00:00Z"}, "the contest has started"},
		{"final results", func(now *CurrentState) { now.Contest.Finalized = now.Now }, map[string]string{"contest.yaml": "name: D"}, "are final"},
		{"another username", nil, map[string]string{"accounts.yaml": "- id: j\n  username: other\n  type: judge\n"},
			"accounts.yaml:1: the account j has the username judge here"},
		{"another id", nil, map[string]string{"accounts.yaml": "- id: k\n  username: judge\n  type: judge\n"},
			"belongs to another account of the contest"},
		{"a group's name", nil, map[string]string{"groups.yaml": "- id: h\n  name: G\n"},
			`groups.yaml:1: the contest has the group g with the name "G" already`},
		{"a label", nil, map[string]string{"problems.yaml": "- id: bottles\n  label: A\n"},
			"the contest has the problem asteroids with the label A already"},
		{"a freeze longer than the contest", nil, map[string]string{"contest.yaml": "scoreboard_freeze_duration: 6:00:00"},
			"frozen for longer than the contest"},
	} {
		now := server()
		first, err := plan(t, now, map[string][]byte{
			"contest.yaml": []byte(contest), "problems.yaml": []byte("- id: asteroids\n"), "groups.yaml": []byte("- id: g\n  name: G\n"),
			"accounts.yaml": []byte("- id: j\n  username: judge\n  type: judge\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		now.apply(first)
		if tt.spoil != nil {
			tt.spoil(now)
		}
		files := map[string][]byte{}
		for name, data := range tt.files {
			files[name] = []byte(data)
		}
		if _, err := plan(t, now, files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	// A manual freeze does not change the planned freeze, which the package sets.
	now := server()
	first, err := plan(t, now,
		map[string][]byte{"contest.yaml": []byte(contest + "scoreboard_freeze_duration: 1:00:00\n"), "problems.yaml": []byte(two)})
	if err != nil {
		t.Fatal(err)
	}
	now.apply(first)
	now.Contest.Settings.Planned, now.Contest.Freeze = now.Contest.Freeze, 2*time.Hour
	if again, err := plan(t, now,
		map[string][]byte{"contest.yaml": []byte(contest + "scoreboard_freeze_duration: 1:00:00\n")}); err != nil || !again.Empty() {
		t.Errorf("after a freeze by hand: %v, %v", again, err)
	}
	again, err := plan(t, now, map[string][]byte{"contest.yaml": []byte("scoreboard_freeze_duration: 0:30:00\n")})
	if err != nil || again.Import.Contest.Freeze != 2*time.Hour || again.Import.Contest.Settings.Planned != 270*time.Minute {
		t.Errorf("another freeze after one by hand: %+v, %v", again, err)
	}
}

// TestCollect checks that Collect finds the files of a package in its root, or in the only directory there.
func TestCollect(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("x")}
	for _, tt := range []struct {
		files fstest.MapFS
		want  int
	}{
		{fstest.MapFS{"teams.json": file, "problems/a/a.zip": file, "extra/groups.tsv": file}, 1},
		{fstest.MapFS{"wf/teams.json": file, "wf/contest.yaml": file, ".git/x": file, "__MACOSX/y": file}, 2},
		{fstest.MapFS{"a/teams.json": file, "b/teams.json": file}, 0},
		{fstest.MapFS{"readme.txt": file}, 0},
		{fstest.MapFS{"teams/7/photo.png": file, "teams/photo.png": file, "teams/7/x/photo.png": file, "contest/banner.svg": file,
			"problems/a/a.pdf": file}, 2},
		{fstest.MapFS{"wf/organizations/u1/logo.png": file, "wf/organizations/u1/readme.txt": file, "wf/persons/p/photo.jpg": file}, 2},
		{fstest.MapFS{"teams.json": file, "teams/7/photo.gif": file}, 0},
		{fstest.MapFS{"teams.json": file, "teams/7/photo.a b.png": file}, 0},
		{fstest.MapFS{"teams.json": &fstest.MapFile{Data: make([]byte, maxBytes+1)}}, 0},
	} {
		all, err := Collect(tt.files)
		got := 0
		if all != nil {
			got = len(all.Texts) + len(all.Media)
		}
		if got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%v gives %d files, %v", slices.Sorted(maps.Keys(tt.files)), got, err)
		}
	}
	all, err := Collect(fstest.MapFS{"teams/7/photo.png": file, "teams/8/photo.png": &fstest.MapFile{Data: make([]byte, media.MaxBytes+1)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Inspect(); err == nil || !strings.Contains(err.Error(), "teams/7/photo.png: the file is not a picture") ||
		!strings.Contains(err.Error(), "teams/8/photo.png: the file has more than 8 MiB") {
		t.Errorf("files that are no pictures: %v", err)
	}
	many := fstest.MapFS{}
	for i := range maxMedia + 1 {
		many[fmt.Sprintf("teams/%d/photo.png", i)] = file
	}
	if _, err := Collect(many); err == nil || !strings.Contains(err.Error(), "10001 pictures; the most is 10000") {
		t.Errorf("many files: %v", err)
	}
	if _, err := Collect(os.DirFS(filepath.Join(t.TempDir(), "none"))); err == nil {
		t.Error("a directory that is not there has a package")
	}
	if _, err := Read(map[string][]byte{"teams.json": []byte("[]"),
		"teams2.tsv": []byte("teams2\t1\n")}); err == nil || !strings.Contains(err.Error(), "the package has teams.json, too") {
		t.Errorf("two files with teams: %v", err)
	}
}

// FuzzRead checks that no file causes a panic, and that every error has a file. A package that can be imported
// must be imported completely, and a second import must change nothing.
func FuzzRead(f *testing.F) {
	all := names()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		for file, data := range archive(f, filepath.Base(name)) {
			f.Add(slices.Index(all, filepath.Base(file)), string(data))
		}
	}
	f.Fuzz(func(t *testing.T, which int, data string) {
		if which < 0 || which >= len(all) {
			return
		}
		files := map[string][]byte{all[which]: []byte(data)}
		if !strings.HasPrefix(all[which], "contest.") {
			files["contest.yaml"] = []byte("name: C\nduration: 5:00:00\n")
		}
		now := server()
		p, err := plan(t, now, files)
		if err != nil {
			faults, is := errors.AsType[judge.ProblemErrors](err)
			for _, one := range faults {
				is = is && one.File != "" && one.Text != ""
			}
			if !is {
				t.Errorf("the error is %v", err)
			}
			return
		}
		now.apply(p)
		if again, err := plan(t, now, files); err != nil || !again.Empty() {
			t.Errorf("again: %v\n%s", err, report(again))
		}
	})
}

// FuzzJSON checks that JSON is read as the same values that encoding/json returns.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a":"\ud83d\ude00\/\u2028","b":[1,2.5e1,null,true]}`, "{\t\"a\"\t:\t[\r\n]}", `"\""`,
		`[{"x":"a: b # c"}]`, "{\"a\":\"\u0085\"}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(checkJSON)
}
