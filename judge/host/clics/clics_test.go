package clics

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/internal/golden"
)

// TestAccess compares the whole table with a golden file: each property of each type, and who sees it in which
// version.
func TestAccess(t *testing.T) {
	var out strings.Builder
	for _, typ := range append(slices.Clone(Types), row, score, cell, file) {
		fmt.Fprintf(&out, "%s\n", typ)
		seen := map[string]bool{}
		for _, p := range propertyTable[typ] {
			if seen[p.name] {
				t.Errorf("%s has %s twice", typ, p.name)
			}
			seen[p.name] = true
			var who []string
			for _, r := range Roles {
				word := ""
				for _, v := range Versions {
					switch {
					case CanSee(r, v, typ, p.name, false):
						word += "+"
					case CanSee(r, v, typ, p.name, true):
						word += "o"
					default:
						word += "-"
					}
				}
				who = append(who, word)
			}
			fmt.Fprintf(&out, "  %-30s %s\n", p.name, strings.Join(who, " "))
		}
	}
	head := fmt.Sprintf("%s\nversions %s: + always, o of the own team, - never\n",
		strings.Join(strings.Fields(fmt.Sprint(Roles)), " "), fmt.Sprint(Versions))
	golden.Check(t, "testdata/table.golden", []byte(head+out.String()))

	// Access lists exactly what CanSee allows, and no endpoint that the server does not have.
	for _, r := range Roles {
		for _, v := range Versions {
			listed := map[Type][]string{}
			for _, e := range Access(r, v, false) {
				if listed[e.Type] = e.Properties; len(e.Properties) == 0 {
					t.Errorf("%s in %s: %s without properties", r, v, e.Type)
				}
			}
			for _, typ := range Types {
				if (listed[typ] != nil) != HasEndpoint(r, typ) {
					t.Errorf("%s in %s: %s has %v", r, v, typ, listed[typ])
				}
				for _, p := range propertyTable[typ] {
					if slices.Contains(listed[typ], p.name) != CanSee(r, v, typ, p.name, true) {
						t.Errorf("%s in %s: %s.%s", r, v, typ, p.name)
					}
				}
			}
			for _, e := range Access(r, v, true) {
				if slices.Contains(e.Properties, "shortname") || slices.Contains(e.Properties, "hidden") && v == V2026 {
					t.Errorf("%s in %s: %v", r, v, e)
				}
			}
		}
	}
}

// TestCapabilities checks the capabilities of each role in each version.
func TestCapabilities(t *testing.T) {
	want := map[Role][2]string{ // in 2026-01 and 2023-06
		Team: {"team_submit post_clar", "team_submit team_clar"}, Judge: {"post_clar", ""},
		Admin: {"contest_start contest_thaw admin_submit admin_clar", "contest_start contest_thaw admin_submit admin_clar"},
		Proxy: {"proxy_submit proxy_clar", "proxy_submit proxy_clar"},
	}
	for _, r := range Roles {
		for i, v := range Versions {
			if got := strings.Join(Capabilities(r, v), " "); got != want[r][i] || Capabilities(r, v) == nil {
				t.Errorf("%s in %s: %q, want %q", r, v, got, want[r][i])
			}
		}
	}
}

// facts returns all combinations of facts.
func facts() (all []Visibility) {
	for i := range 1 << 7 {
		bit := func(n int) bool { return i>>n&1 == 1 }
		all = append(all, Visibility{bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6)})
	}
	return all
}

// TestVisible compares every role, type and combination of facts with an independent copy of the rules.
func TestVisible(t *testing.T) {
	insider := []Role{Judge, Staff, CDS, Shadow, Admin}
	want := func(r Role, typ Type, f Visibility) bool {
		if slices.Contains(insider, r) {
			return true
		}
		shown := !f.Hidden || r == Analyst
		switch typ {
		case Persons:
			return false
		case Accounts:
			return f.Own && r != Public
		case Problems:
			return f.Started
		case Teams, Submissions:
			return shown || f.Own
		case Judgements:
			return r == Team && f.Own || shown && (!f.Frozen || r == Balloon && f.FewSolved)
		case Runs:
			return r == Team && f.Own || shown && !f.Frozen
		case Clarifications:
			return (f.Started || !f.NamesProblem) && (f.ToAll || f.Own || r == Analyst)
		}
		return true
	}
	n := 0
	for _, r := range Roles {
		for _, typ := range Types {
			for _, f := range facts() {
				if got := Visible(r, typ, f); got != want(r, typ, f) {
					t.Errorf("%s sees %s with %+v: %v", r, typ, f, got)
				}
				n++
			}
		}
	}
	if n != 10*16*128 {
		t.Errorf("%d rows", n)
	}
	for r, want := range map[Role]string{Public: "", Team: "team", Balloon: "staff", Proxy: "staff", Analyst: "analyst",
		Judge: "judge", Staff: "staff", CDS: "admin", Shadow: "admin", Admin: "admin"} {
		if got := r.AccountType(); got != want {
			t.Errorf("%s is of the type %q", r, got)
		}
	}
}

func at(clock string) time.Time {
	when, err := time.Parse("2006-01-02T15:04:05.999999999", "2026-11-28T"+clock)
	if err != nil {
		panic(err)
	}
	return when
}

// examples returns two objects of each type: one with all properties, and one with as few as possible.
func examples() map[Type][]Object {
	picture := []Object{{"href": "contests/c/x/1/logo/a.png", "filename": "a.png",
		"hash": "d41d8cd98f00b204e9800998ecf8427e", "mime": "image/png", "width": 56, "height": 57, "tag": []string{"light"}}}
	state := StateOf(Milestones{Start: at("10:00:00"), Freeze: at("14:00:00"), End: at("15:00:00")}, at("14:30:00"))
	return map[Type][]Object{
		Contest: {
			{"id": "c", "shortname": "c", "name": "C & <D>", "formal_name": "\u2028É", "start_time": at("10:00:00.1239"),
				"countdown_pause_time": 3*time.Minute + 38749*time.Millisecond, "duration": 5 * time.Hour,
				"scoreboard_freeze_duration": time.Hour, "scoreboard_thaw_time": at("16:00:00"), "scoreboard_type": "pass-fail",
				"main_scoreboard_group_id": "g",
				"penalty_time":             Minutes(20 * time.Minute), "banner": picture, "logo": picture, "problemset": picture},
			{"id": "c", "name": "C", "duration": time.Duration(0), "scoreboard_type": "score", "start_time": time.Time{}},
		},
		State: {state, StateOf(Milestones{Start: at("10:00:00"), Freeze: at("14:00:00")}, at("13:00:00")),
			StateOf(Milestones{}, at("10:00:00")), StateOf(Milestones{Start: at("10:00:00"),
				End: at("15:00:00"), Final: at("15:10:00")}, at("16:00:00"))},
		JudgementTypes: {JudgementTypesOf(false)[1].Object(), JudgementTypesOf(true)[1].Object(), JudgementTypesOf(false)[4].Object()},
		Languages: {{"id": "java", "name": "Java", "entry_point_required": true, "entry_point_name": "Main class",
			"extensions": []string{"java"}}, {"id": "c", "name": "C", "entry_point_required": false, "extensions": []string{}}},
		Problems: {{"id": "p", "label": "A", "name": "P", "ordinal": 0, "rgb": "#00f", "color": "blue",
			"time_limit": Seconds(2500 * time.Millisecond), "memory_limit": 2048, "output_limit": 8,
			"code_limit": 128, "test_data_count": 10, "max_score": 99.5, "statement": picture, "attachments": picture},
			{"id": "p", "label": "A", "name": "P", "ordinal": 1, "time_limit": Seconds(2 * time.Second), "test_data_count": 0}},
		Groups: {{"id": "g", "icpc_id": "1", "name": "G", "type": "site",
			"location": json.RawMessage(`{"latitude": 1.5, "longitude": 2}`), "logo": picture}, {"id": "g", "name": "G"}},
		Organizations: {{"id": "o", "icpc_id": "1", "name": "O", "formal_name": "OO", "country": "DEU",
			"country_flag": picture, "country_subdivision": "DE-BY", "country_subdivision_flag": picture,
			"url": "https://o.example", "location": json.RawMessage(`{}`), "logo": picture}, {"id": "o", "name": "O"}},
		Teams: {{"id": "7", "icpc_id": "1", "name": "T", "label": "B2", "display_name": "TT", "organization_id": "o",
			"group_ids": []string{"g", "h"}, "hidden": true, "location": json.RawMessage(`{"x":1}`), "photo": picture},
			{"id": "7", "name": "T", "label": "7", "group_ids": []string{}}},
		Persons: {{"id": "p", "icpc_id": "1", "name": "P", "title": "Dr.", "email": "p@x", "sex": "female", "role": "coach",
			"team_ids": []string{"7"}, "photo": picture}, {"id": "p", "name": "P", "role": "other"}},
		Accounts: {{"id": "a", "username": "a", "name": "A", "type": "team", "ip": "10.0.0.1", "team_id": "7",
			"person_id": "p"}, {"id": "a", "username": "a", "type": "judge"}},
		Submissions: {{"id": "1", "language_id": "c", "problem_id": "p", "team_id": "7", "account_id": "a",
			"time": at("11:00:00"), "contest_time": time.Hour, "entry_point": "Main", "files": picture},
			{"id": "1", "language_id": "c", "problem_id": "p", "time": at("09:45:00"), "contest_time": -15 * time.Minute}},
		Judgements: {{"id": "j", "submission_id": "1", "judgement_type_id": "MLE", "simplified_judgement_type_id": "RTE",
			"score": 1.5, "current": true, "start_time": at("11:00:00"), "start_contest_time": time.Hour,
			"end_time": at("11:00:01.5"), "end_contest_time": time.Hour + 1500*time.Millisecond,
			"max_run_time": Seconds(1234567 * time.Microsecond)}, {"id": "j", "submission_id": "1",
			"start_time": at("11:00:00"), "start_contest_time": time.Hour, "current": false}},
		Runs: {{"id": "r", "judgement_id": "j", "ordinal": 1, "judgement_type_id": "AC", "time": at("11:00:00"),
			"contest_time": time.Hour, "run_time": Seconds(0)}},
		Clarifications: {{"id": "2", "from_team_id": "7", "to_team_ids": []string{"7"}, "to_group_ids": []string{"g"},
			"to_team_id": "7", "reply_to_id": "1", "problem_id": "p", "text": "a\n\"b\"", "time": at("11:00:00"), "contest_time": time.Hour},
			{"id": "1", "text": "x", "time": at("11:00:00"), "contest_time": time.Hour}},
		Awards: {{"id": "winner", "citation": "Winner", "team_ids": []string{}}, {"id": "w", "citation": "W"}},
		Scoreboard: {{"time": at("14:30:00"), "contest_time": 270 * time.Minute, "state": state, "rows": []Object{
			{"rank": 1, "team_id": "7", "score": Object{"num_solved": 1, "total_time": Minutes(65 * time.Minute),
				"time": Minutes(25 * time.Minute)}, "problems": []Object{
				{"problem_id": "p", "num_judged": 3, "num_pending": 0, "solved": true, "time": Minutes(25 * time.Minute)},
				{"problem_id": "q", "num_judged": 0, "num_pending": 1, "solved": false}}},
			{"rank": 2, "team_id": "8", "score": Object{"score": 12.25}, "problems": []Object{{"problem_id": "p",
				"num_judged": 1, "num_pending": 0, "score": 12.25}}},
		}}, {"rows": []Object{}}},
	}
}

// TestEncode encodes an object of each type in both versions, for the public and for an administrator.
func TestEncode(t *testing.T) {
	all := examples()
	for _, v := range Versions {
		var out strings.Builder
		for _, typ := range Types {
			if len(all[typ]) == 0 {
				t.Errorf("there is no example of %s", typ)
			}
			fmt.Fprintf(&out, "%s\n", typ)
			for _, o := range all[typ] {
				for _, to := range []Reader{{v, Admin, false, false}, {v, Admin, false, true}, {v, Public, false, true}, {v, Team, true, false},
					{v, Team, false, false}} {
					data, err := Encode(to, typ, o)
					if err != nil || !json.Valid(data) {
						t.Fatalf("%s: %v\n%s", typ, err, data)
					}
					fmt.Fprintf(&out, "  %-6s %-5v %s\n", to.Role, to.Own, data)
				}
			}
			whole := all[typ][0]
			for _, p := range propertyTable[typ] {
				if _, is := whole[p.name]; !is && typ != State {
					t.Errorf("the example of %s has no %s", typ, p.name)
				}
			}
		}
		golden.Check(t, "testdata/objects-"+string(v)+".golden", []byte(out.String()))
	}
}

// TestSchema has the schemas of all types in both versions.
func TestSchema(t *testing.T) {
	var out strings.Builder
	for _, typ := range Types {
		for _, v := range Versions {
			data, err := json.Marshal(Schema(typ, v))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s %s\n  %s\n", typ, v, data)
		}
	}
	golden.Check(t, "testdata/schemas.golden", []byte(out.String()))
}

// TestEncodeRefuses checks that Encode rejects values that no client would understand.
func TestEncodeRefuses(t *testing.T) {
	for _, o := range []Object{{"id": 1.5i}, {"nothing": 1}, {"location": json.RawMessage("{")}, {"id": make(chan int)},
		{"photo": []Object{{"nothing": 1}}}} {
		if out, err := Encode(Reader{V2026, Admin, false, false}, Teams, o); err == nil {
			t.Errorf("%v is %s", o, out)
		}
	}
}

func TestTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00:00.000", time.Millisecond - 1: "0:00:00.000", -time.Millisecond + 1: "0:00:00.000", -time.Millisecond: "-0:00:00.001",
		4*time.Hour + 23*time.Minute + 3*time.Second + 100*time.Millisecond: "4:23:03.100",
		-15*time.Minute - 32457*time.Millisecond:                            "-0:15:32.457",
		100 * time.Hour:                                                     "100:00:00.000", time.Hour - time.Millisecond: "0:59:59.999",
	} {
		if got := FormatRelTime(d); got != want {
			t.Errorf("RelTime(%v) = %s, want %s", d, got, want)
		}
	}
	for when, want := range map[time.Time]string{
		at("10:00:00.9999"): "2026-11-28T10:00:00.999Z", at("10:00:00").In(time.FixedZone("", 3600)): "2026-11-28T10:00:00.000Z",
	} {
		if got := FormatTime(when); got != want {
			t.Errorf("Time(%v) = %s, want %s", when, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0", time.Second: "1", 10 * time.Second: "10",
		1500 * time.Millisecond: "1.5", 1050 * time.Millisecond: "1.05", time.Millisecond: "0.001", 100 * time.Second: "100"} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %s, want %s", d, got, want)
		}
	}
}

// TestParseTimes checks which times and durations are accepted from clients.
func TestParseTimes(t *testing.T) {
	const none = time.Duration(-1)
	for text, want := range map[string]time.Duration{
		"0:00:00.000": 0, "0:03:38.749": 3*time.Minute + 38*time.Second + 749*time.Millisecond, "-0:15:00": -15 * time.Minute,
		"100:59:59.999": 101*time.Hour - time.Millisecond,
		"0:60:00":       none, "0:00:60": none, "0:3:00": none, "3:00": none, "1:02:03:04": none, "": none, "::": none, "0:00:": none,
		"0:00:1e1": none, "+1:00:00": none,
		"0:00:-1": none, "--1:00:00": none, "0:00:00.000.0": none, "70000:00:00": none, "a:00:00": none, "0:aa:00": none,
	} {
		if got, err := ParseRelTime(text); (err != nil) != (want == none) || err == nil && got != want {
			t.Errorf("ParseRelTime(%q) = %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]time.Time{
		"2026-11-28T10:00:00.000Z": at("10:00:00"), "2026-11-28T11:00:00+01": at("10:00:00"), "2026-11-28T11:00:00+0100": at("10:00:00"),
		"2026-11-28T09:30:00.25-00:30": at("10:00:00.25"), "2026-11-28T10:00:00": {}, "2026-11-28 10:00:00Z": {}, "2026-13-28T10:00:00Z": {},
		"now": {}, "": {},
	} {
		if got, err := ParseTime(text); (err != nil) != want.IsZero() || err == nil && !got.Equal(want) {
			t.Errorf("ParseTime(%q) = %v, %v", text, got, err)
		}
	}
}

// TestStateOf checks that, at any time, the past events of a contest are in the order that the specification
// requires.
func TestStateOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		draw := func() time.Time {
			if rng.IntN(4) == 0 {
				return time.Time{}
			}
			return at("10:00:00").Add(time.Duration(rng.IntN(6)) * time.Hour)
		}
		m, now := Milestones{draw(), draw(), draw(), draw(), draw()}, at("10:00:00").Add(time.Duration(rng.IntN(7))*time.Hour)
		o := StateOf(m, now)
		get := func(name string) time.Time { when, _ := o[name].(time.Time); return when }
		for _, pair := range [][2]string{{"started", "frozen"}, {"started", "ended"}, {"ended", "thawed"}, {"ended",
			"finalized"}, {"finalized", "end_of_updates"}} {
			first, then := get(pair[0]), get(pair[1])
			if !then.IsZero() && (first.IsZero() || then.Before(first) || then.After(now)) {
				t.Fatalf("%+v at %v: %s is %v, and %s %v", m, now, pair[0], first, pair[1], then)
			}
		}
		if started := get("started"); started.IsZero() != (m.Start.IsZero() || m.Start.After(now)) {
			t.Fatalf("%+v at %v: started is %v", m, now, started)
		}
		_, says := o["frozen"]
		if says == m.Freeze.IsZero() {
			t.Fatalf("%+v: frozen is said: %v", m, says)
		}
		both := !get("finalized").IsZero() && (m.Freeze.IsZero() || !get("thawed").IsZero())
		if both == get("end_of_updates").IsZero() {
			t.Fatalf("%+v at %v: %v", m, now, o)
		}
	}
}

// TestJudgementTypes checks that each simplified verdict is in the same list and simplifies to itself.
func TestJudgementTypes(t *testing.T) {
	all := JudgementTypesOf(false)
	for _, one := range all {
		at := slices.IndexFunc(all, func(b JudgementType) bool { return b.ID == one.Simplified })
		if at < 0 || all[at].Simplified != one.Simplified ||
			one.Solved != (one.ID == "AC") || one.Penalty && (one.ID == "AC" || one.ID == "CE" || one.ID == "JE") {
			t.Errorf("%+v", one)
		}
	}
	for id, want := range map[string]string{"MLE": "RTE", "OLE": "WA", "ILE": "TLE", "RTE": "RTE", "WA": "WA", "TLE": "TLE"} {
		if i := slices.IndexFunc(all, func(one JudgementType) bool { return one.ID == id }); all[i].Simplified != want || !all[i].Penalty {
			t.Errorf("%+v, want %s", all[i], want)
		}
	}
	if !JudgementTypesOf(true)[1].Penalty {
		t.Error("a compile error costs nothing")
	}
}
