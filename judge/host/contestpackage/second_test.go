package contestpackage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/internal/strict"
)

// imported imports packages in order into an empty server, and returns its state.
func imported(t *testing.T, packages ...map[string]string) *CurrentState {
	t.Helper()
	now := server()
	for i, files := range packages {
		p, err := plan(t, now, texts(files))
		if err != nil {
			t.Fatalf("package %d: %v", i+1, err)
		}
		now.apply(p)
	}
	return now
}

func texts(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	return all
}

const plainContest = "name: C\nduration: 5:00:00\n"

// TestRenamedGroup checks that a new name of a group is a change, and that an account is named after a team that only
// the contest has.
func TestRenamedGroup(t *testing.T) {
	now := imported(t, map[string]string{
		"contest.yaml": plainContest, "groups.json": `[{"id": "n", "name": "North"}]`,
		"teams.json": `[{"id": "6", "name": "Six"}, {"id": "7", "name": "Seven"}]`,
	})
	p, err := plan(t, now, texts(map[string]string{
		"groups.json":   `[{"id": "n", "name": "Far North"}]`,
		"accounts.json": `[{"id": "t7", "type": "team", "username": "team-seven", "password": "secret-7", "team_id": "7"}]`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := report(p); !strings.Contains(got, "changed group n: name") {
		t.Errorf("a renamed group: %q", got)
	}
	if got := p.Import.Accounts; len(got) != 1 || got[0].New.Display != "Seven" {
		t.Errorf("the account of a team: %+v", got)
	}
	now.apply(p)
	if len(now.Groups) != 1 || now.Groups[0].Name != "Far North" {
		t.Errorf("the groups are %+v", now.Groups)
	}
}

// TestOrganizationsOfTeams checks that a line of teams2.tsv also describes its organization, unless the package
// has a file of organizations.
func TestOrganizationsOfTeams(t *testing.T) {
	const (
		teams = "teams2\t1\n1\t\t\tOne\tFormal A\tA\tDEU\tINST-7\n2\t\t\tTwo\tFormal A\tA\tDEU\tINST-7\n"
		both  = teams + "3\t\t\tThree\tFormal B\tB\tFRA\tINST-8\n"
	)
	ids := func(now *CurrentState) (all []string) {
		for _, o := range now.Organizations {
			all = append(all, o.ID+" "+o.Name)
		}
		return all
	}
	now := imported(t, map[string]string{"contest.yaml": plainContest, "teams2.tsv": both})
	if got := ids(now); !slices.Equal(got, []string{"7 A", "8 B"}) {
		t.Errorf("teams2.tsv alone gives %q", got)
	}
	// A later teams2.tsv with fewer teams does not report missing organizations, because it does not list
	// organizations.
	p, err := plan(t, now, texts(map[string]string{"teams2.tsv": teams}))
	if err != nil {
		t.Fatal(err)
	}
	if got := report(p); got != "missing team 3: it stays\n" {
		t.Errorf("fewer teams: %q", got)
	}
	// An organization that teams2.tsv refers to may exist only in the contest.
	if p, err = plan(t, now, texts(map[string]string{"teams2.tsv": "teams2\t1\n1\t\t\tOne\t\t\t\tINST-8\n"})); err != nil {
		t.Error(err)
	} else if got := report(p); !strings.Contains(got, "changed team 1: organization_id") {
		t.Errorf("an organization of the contest: %q", got)
	}

	listed := `[{"id": "7", "name": "Seven"}]`
	now = imported(t, map[string]string{"contest.yaml": plainContest, "teams2.tsv": teams, "organizations.json": listed})
	if got := ids(now); !slices.Equal(got, []string{"7 Seven"}) {
		t.Errorf("organizations.json and teams2.tsv give %q", got)
	}
	_, err = plan(t, server(), texts(map[string]string{"contest.yaml": plainContest, "teams2.tsv": both, "organizations.json": listed}))
	if err == nil || !strings.Contains(err.Error(), `teams2.tsv:4: the package has no organization "8"`) {
		t.Errorf("an organization that organizations.json lacks: %v", err)
	}
	_, err = plan(t, server(), texts(map[string]string{"contest.yaml": plainContest, "teams2.tsv": teams, "organizations.json": "[]"}))
	if err == nil || !strings.Contains(err.Error(), `the package has no organization "7"`) {
		t.Errorf("an empty organizations.json: %v", err)
	}
	// If the package has a file of organizations, an organization that exists only in the contest is reported as
	// missing.
	p, err = plan(t, now, texts(map[string]string{"organizations.json": `[{"id": "9", "name": "Nine"}]`}))
	if err != nil {
		t.Fatal(err)
	}
	if got := report(p); !strings.Contains(got, "missing organization 7") || !strings.Contains(got, "added organization 9") {
		t.Errorf("another organizations.json: %q", got)
	}
}

// TestSecondPackage checks that a second package changes exactly the keys that it contains.
func TestSecondPackage(t *testing.T) {
	first := map[string]string{
		"contest.yaml": plainContest,
		"groups.yaml":  "- {id: g, icpc_id: '5', name: G, type: site, location: {latitude: 1, longitude: 2}}\n",
		"organizations.yaml": "- {id: o, icpc_id: '6', name: O, formal_name: Of O, country: DEU, country_subdivision: DE-BY, url: " +
			"'https://o.example'}\n",
		"teams.yaml": "- {id: t, icpc_id: '7', name: T, label: L, display_name: D, organization_id: o, group_ids: [g], hidden: true," +
			" location: {x: 1, y: 2, rotation: 3}}\n",
		"persons.yaml":  "- {id: p, icpc_id: '8', name: P, title: Dr, email: p@example, sex: female, role: contestant, team_ids: [t]}\n",
		"accounts.yaml": "- {id: a, username: a, type: team, team_id: t, person_id: p, ip: 10.0.0.1, password: password1}\n",
	}
	for _, tt := range []struct{ file, data, want string }{
		{"groups.yaml", "- {id: g, name: G}", ""},
		{"organizations.yaml", "- {id: o, name: O}", ""},
		{"teams.yaml", "- {id: t, name: T}", ""},
		{"persons.yaml", "- {id: p, name: P, role: contestant, team_ids: [t]}", ""},
		{"accounts.yaml", "- {id: a, username: a, type: team}", ""},
		{"groups.yaml", "- {id: g, name: G, icpc_id: '9', type: other, location: null}", "icpc_id, type, location"},
		{"organizations.yaml", "- {id: o, name: N, icpc_id: null, formal_name: null, country: null, country_subdivision: null, url: null}",
			"icpc_id, name, formal_name, country, country_subdivision, url"},
		{"teams.yaml", "- {id: t, name: T, hidden: false}", "hidden"},
		{"teams.yaml", "- {id: t, name: T, hidden: null}", "hidden"},
		{"teams.yaml", "- {id: t, name: T, hidden: true}", ""},
		{"teams.yaml", "- {id: t, name: N, icpc_id: null, label: null, display_name: null, organization_id: null, group_ids: [], location: null}",
			"icpc_id, name, label, display_name, organization_id, location, group_ids"},
		{"persons.yaml", "- {id: p, name: P, role: coach, team_id: t}", "role"},
		{"persons.yaml", "- {id: p, name: N, role: staff, team_id: null, icpc_id: null, title: null, email: null, sex: null}",
			"icpc_id, name, title, email, sex, role, team_id"},
		{"persons.yaml", "- {id: p, name: P, role: staff, team_ids: []}", "role, team_ids"},
		{"accounts.yaml", "- {id: a, username: a, type: team, ip: null, person_id: null}", "person_id, ip"},
		{"accounts.yaml", "- {id: a, username: a, type: judge, team_id: null}", "type, team_id, role"},
	} {
		now := imported(t, first)
		p, err := plan(t, now, texts(map[string]string{tt.file: tt.data}))
		if err != nil {
			t.Errorf("%s: %v", tt.data, err)
			continue
		}
		var got []string
		for _, l := range p.Lines {
			if l.State != Changed {
				t.Errorf("%s: %+v", tt.data, l)
			}
			got = append(got, l.Note)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s changes %q, want %q", tt.data, got, tt.want)
		}
		before := now.state()
		if now.apply(p); tt.want == "" && now.state() != before {
			t.Errorf("%s changes what it does not say:\n%s\nwas\n%s", tt.data, now.state(), before)
		}
	}
}

// TestFreeze checks that a package states the time from the freeze to the end, and a contest the time from the
// start to the freeze. A new length keeps the time from the freeze to the end. That time must be shorter than the
// contest.
func TestFreeze(t *testing.T) {
	const hour = time.Hour
	for _, tt := range []struct {
		length, freeze time.Duration // of the contest; freeze counts from the start
		data           string
		want           time.Duration // from the start
		changes, fault string
	}{
		{5 * hour, 4 * hour, "name: C", 4 * hour, "", ""},
		{5 * hour, 4 * hour, "duration: 5:00:00", 4 * hour, "", ""},
		{5 * hour, 4 * hour, "duration: 3:00:00", 2 * hour, "duration", ""},
		{5 * hour, 4 * hour, "duration: 1:00:01", time.Second, "duration", ""},
		{5 * hour, 4 * hour, "duration: 1:00:00", 0, "", "frozen for longer than the contest"},
		{5 * hour, 4 * hour, "duration: 0:30:00", 0, "", "frozen for longer than the contest"},
		{5 * hour, 0, "duration: 0:30:00", 0, "duration", ""},
		{5 * hour, 0, "duration: 3:00:00\nscoreboard_freeze_duration: 1:00:00", 2 * hour, "duration, scoreboard_freeze_duration", ""},
		{5 * hour, 4 * hour, "scoreboard_freeze_duration: 2:00:00", 3 * hour, "scoreboard_freeze_duration", ""},
		{5 * hour, 4 * hour, "scoreboard_freeze_duration: 1:00:00", 4 * hour, "", ""},
		{5 * hour, 4 * hour, "scoreboard_freeze_duration: null", 0, "scoreboard_freeze_duration", ""},
		{5 * hour, 4 * hour, "scoreboard_freeze_duration: 0:00:00", 0, "scoreboard_freeze_duration", ""},
		{5 * hour, 0, "scoreboard_freeze_duration: 0:00:00", 0, "", ""},
		{5 * hour, 0, "scoreboard_freeze_duration: 5:00:00", 0, "", "frozen for longer than the contest"},
		{5 * hour, 0, "scoreboard_freeze_duration: 4:59:59", time.Second, "scoreboard_freeze_duration", ""},
		{5 * hour, 0, "duration: 2:00:00\nscoreboard_freeze_duration: 2:00:00", 0, "", "cannot be frozen for"},
	} {
		now := server()
		now.Contest = &store.Contest{ID: "c", Slug: "spring", Name: "C", Format: store.ICPC, Length: tt.length, Freeze: tt.freeze}
		p, err := plan(t, now, texts(map[string]string{"contest.yaml": tt.data}))
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%q of %v frozen at %v: %v", tt.data, tt.length, tt.freeze, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q of %v frozen at %v: %v", tt.data, tt.length, tt.freeze, err)
			continue
		}
		got, changes := tt.freeze, ""
		if c := p.Import.Contest; c != nil {
			got, changes = c.Freeze, p.Lines[0].Note
		}
		if got != tt.want || changes != tt.changes {
			t.Errorf("%q of %v frozen at %v: frozen at %v (%s), want %v (%s)", tt.data, tt.length, tt.freeze, got, changes, tt.want, tt.changes)
		}
	}
}

// TestJSONForms checks that JSON with any or no white space gives the same objects with correct lines.
func TestJSONForms(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int // of the second key
	}{
		{`{"a":{"b":"x: y\tz"},"c":[1,"2"]}`, 1},
		{"\t{\t\"a\"\t:\t{\t\"b\"\t:\t\"x: y\\tz\"\t}\t,\t\"c\"\t:\t[\t1\t,\t\"2\"\t]\t}\t", 1},
		{"{\r\n\t\"a\":{\"b\":\"x: y\\u0009z\"},\r\n\t\"c\":[\r\n\t\t1,\"2\"]}", 3},
		{"{ \"a\" : { \"b\" : \"x\\u003a y\\tz\" },\n \"c\" : [ 1 , \"2\" ] }", 2},
	} {
		text := tt.text
		out, fault := yamlOfJSON("x.json", []byte(text))
		if fault != nil {
			t.Errorf("%q: %v", text, fault)
			continue
		}
		root, faults := strict.ParseYAML("x.json", out)
		if len(faults) > 0 {
			t.Errorf("%q becomes %q: %v", text, out, faults)
			continue
		}
		items := root.Get("c").Items()
		if got := root.Get("a").Get("b").Text; got != "x: y\tz" || len(items) != 2 || items[0].Text != "1" || items[1].Text != "2" {
			t.Errorf("%q: %q, %d items", text, got, len(items))
		}
		if got := root.Key("c").Line; got != tt.line {
			t.Errorf("%q: the second key is on line %d, want %d", text, got, tt.line)
		}
	}
	for _, tt := range []struct {
		text string
		line int
	}{{"", 1}, {"{", 1}, {"{\n\"a\": 1,\n}", 3}, {"{\n\n\"a\" 1}", 3}, {"[1]\nx", 2}, {"[1]\n\n\n]", 4}, {"\nx", 2}} {
		if _, fault := yamlOfJSON("x.json", []byte(tt.text)); fault == nil || fault.Line != tt.line || fault.File != "x.json" {
			t.Errorf("%q: %+v, want line %d", tt.text, fault, tt.line)
		}
	}
}
