package shadow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/store"
)

// TestParseLine checks that lines in all versions of event feeds give the same objects.
func TestParseLine(t *testing.T) {
	for _, tt := range []struct{ line, want, since, wrong string }{
		{`{"type":"teams","id":"7","data":{"id":"7","name":"T"},"token":"e.1"}`, `teams 7 {"id":"7","name":"T"}`, "since_token=e.1", ""},
		{`{"token":"a b&c","id":"7","type":"teams","data":{ "id" : "7" }}`, `teams 7 {"id":"7"}`, "since_token=a+b%26c", ""},
		{`{"type":"teams","id":"7","data":null,"token":"2"}`, `teams 7 `, "since_token=2", ""},
		{`{"type":"contest","id":"wf","data":{"id":"wf"},"token":"2"}`, `contest  {"id":"wf"}`, "since_token=2", ""},
		{`{"type":"state","id":null,"data":{"started":null},"token":"2"}`, `state  {"started":null}`, "since_token=2", ""},
		{`{"type":"groups","id":null,"data":[{"id":"1"},{"id":2}],"token":"3"}`, `all groups 1 {"id":"1"} groups 2 {"id":2}`, "since_token=3",
			""},
		{`{"type":"teams","id":7,"data":{"id":7},"token":4}`, `teams 7 {"id":7}`, "since_token=4", ""},
		{`{"type":"runs","id":"7","data":{"id":"7"},"token":"4"}`, ``, "since_token=4", ""},
		{`{"type":"teams","id":"cd17","op":"create","data":{"id":"7"}}`, `teams 7 {"id":"7"}`, "since_id=cd17", ""},
		{`{"type":"contests","id":"cd18","op":"update","data":{"id":"wf"}}`, `contest  {"id":"wf"}`, "since_id=cd18", ""},
		{`{"type":"teams","id":"cd19","op":"delete","data":{"id":"7"}}`, `teams 7 `, "since_id=cd19", ""},
		{`{"type":"teams","id":"7","data":{"id":"7"}}`, `teams 7 {"id":"7"}`, "", ""},
		{`{"type":"teams","id":null,"data":{"name":"x"},"token":"5"}`, "", "since_token=5", "no id"},
		{`{"type":"teams","id":"7","data":"x","token":"5"}`, "", "since_token=5", "not a JSON object"},
		{`{"type":"teams","id":"x","op":"delete","data":7}`, "", "since_id=x", "without an id"},
		{`{"type":"teams"`, "", "", "not JSON"},
	} {
		l, err := parseLine([]byte(tt.line))
		var got []string
		if l.all {
			got = append(got, "all")
		}
		for _, o := range l.objects {
			got = append(got, fmt.Sprintf("%s %s %s", o.Type, o.ID, o.Data))
		}
		if text := strings.Join(got, " "); text != tt.want || l.since != tt.since || (err == nil) != (tt.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s\n is %q since %q: %v", tt.line, text, l.since, err)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"type":"teams","id":"7","data":{"id":"7","name":"T"},"token":"e.1"}`))
	f.Add([]byte(`{"type":"groups","id":null,"data":[{"id":"1"},{"id":2}],"token":"3"}`))
	f.Add([]byte(`{"type":"teams","id":"cd19","op":"delete","data":{"id":"7"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseLine(data)
		for _, o := range l.objects {
			if !storedTypes[o.Type] || o.Data != "" && !json.Valid([]byte(o.Data)) || (o.ID == "") != (o.Type == "contest" || o.Type == "state") {
				t.Errorf("%q has %+v, %v", data, o, err)
			}
		}
	})
}

// TestLines checks that the complete lines are read from a feed that breaks off within a line.
func TestLines(t *testing.T) {
	whole := "{\"a\":1}\n\n  {\"b\":2}\r\n{\"c\":\"" + strings.Repeat("x", 100_000) + "\"}\n{\"d\":4}\n"
	ends := []int{8, 9, 20, 20 + 100_009, len(whole)}
	for _, cut := range []int{0, 7, 8, 9, 12, 19, 20, 50_000, 100_028, 100_029, 100_030, len(whole) - 1, len(whole)} {
		var got []string
		torn, err := readLines(strings.NewReader(whole[:cut]), func(data []byte) error {
			if data != nil && !json.Valid(data) {
				t.Errorf("cut at %d: %.40q", cut, data)
			}
			got = append(got, string(data))
			return nil
		})
		n := 0
		for _, end := range ends {
			if end <= cut {
				n++
			}
		}
		if within := cut > 0 && whole[cut-1] != '\n'; err != nil || len(got) != n || torn != within {
			t.Errorf("cut at %d: %d lines, want %d, torn: %v: %v", cut, len(got), n, torn, err)
		}
	}
	if _, err := readLines(strings.NewReader(strings.Repeat("x", maxLine+100_000)), nil); err == nil ||
		!strings.Contains(err.Error(), "8 MiB") {
		t.Errorf("a line without end: %v", err)
	}
}

// TestVerdicts checks which of a submission's judgements on the primary is current. It also checks which verdict
// of this server corresponds to it.
func TestVerdicts(t *testing.T) {
	types := []store.ExternalObject{
		{Type: "judgement-types", ID: "AC", Data: `{"id":"AC","penalty":false,"solved":true}`},
		{Type: "judgement-types", ID: "OK", Data: `{"id":"OK","penalty":false,"solved":true}`},
		{Type: "judgement-types", ID: "WA", Data: `{"id":"WA","penalty":true,"solved":false}`},
		{Type: "judgement-types", ID: "NO", Data: `{"id":"NO","penalty":true,"solved":false}`},
		{Type: "judgement-types", ID: "SLE", Data: `{"id":"SLE","penalty":true,"solved":false,"simplified_judgement_type_id":"RTE"}`},
		{Type: "judgement-types", ID: "CE", Data: `{"id":"CE","penalty":false,"solved":false}`},
		{Type: "judgement-types", ID: "IE", Data: `{"id":"IE","penalty":false,"solved":false}`},
		{Type: "judgement-types", ID: "JE", Data: `{"id":"JE","penalty":false,"solved":false}`},
	}
	costs := store.ExternalObject{Type: "judgement-types", ID: "CE", Data: `{"id":"CE","penalty":true,"solved":false}`}
	for _, tt := range []struct {
		name       string
		judgements []string
		want       judge.Verdict
		more       []store.ExternalObject
	}{
		{"accepted", []string{`"judgement_type_id":"AC"`}, "AC", nil},
		{"solved by another name", []string{`"judgement_type_id":"OK"`}, "AC", nil},
		{"rejected by another name", []string{`"judgement_type_id":"NO"`}, "WA", nil},
		{"simplified", []string{`"judgement_type_id":"SLE"`}, "RTE", nil},
		{"free", []string{`"judgement_type_id":"CE"`}, "CE", nil},
		{"free by another name", []string{`"judgement_type_id":"IE"`}, "CE", nil},
		{"compile errors cost", []string{`"judgement_type_id":"CE"`}, "CE", []store.ExternalObject{costs}},
		{"not announced", []string{`"judgement_type_id":"TLE"`}, "TLE", nil},
		{"neither announced nor known", []string{`"judgement_type_id":"?"`}, "WA", nil},
		{"judge error", []string{`"judgement_type_id":"JE"`}, "", nil},
		{"pending", []string{`"judgement_type_id":null`}, "", nil},
		{"pending without the property", []string{``}, "", nil},
		{"rejudged", []string{`"judgement_type_id":"WA","current":false,"start_time":"2026-01-01T10:00:05Z"`,
			`"judgement_type_id":"AC","current":true,"start_time":"2026-01-01T10:00:00Z"`}, "AC", nil},
		{"rejudged at DOMjudge", []string{`"judgement_type_id":"WA","valid":false,"start_time":"2026-01-01T10:00:05Z"`,
			`"judgement_type_id":"AC","valid":true,"start_time":"2026-01-01T10:00:00Z"`}, "AC", nil},
		{"the latest", []string{`"judgement_type_id":"AC","start_time":"2026-01-01T10:00:05.5+01"`,
			`"judgement_type_id":"WA","start_time":"2026-01-01T10:00:05Z"`}, "WA", nil},
		{"at one time, the higher id", []string{`"judgement_type_id":"AC"`, `"judgement_type_id":"WA"`}, "WA", nil},
		{"the latest is pending", []string{`"judgement_type_id":"AC","start_time":"2026-01-01T10:00:00Z"`,
			`"start_time":"2026-01-01T10:00:05Z"`}, "", nil},
	} {
		objects := append(append([]store.ExternalObject{}, types...), tt.more...)
		for i, j := range tt.judgements {
			id := fmt.Sprint(9 + i) // 10 comes after 9
			objects = append(objects, store.ExternalObject{Type: "judgements", ID: id,
				Data: strings.Replace(fmt.Sprintf(`{"id":%q,"submission_id":"s",%s}`, id, j), ",}", "}", 1)})
		}
		if got := NewMirror(objects).Verdicts()["s"]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDiffers checks that verdicts with the same simplified verdict are equal. A submission that one of the
// systems has not judged is not a difference.
func TestDiffers(t *testing.T) {
	all := []store.ShadowSubmission{
		{ExtID: "1", Verdict: judge.Accepted, Ended: true}, {ExtID: "2", Verdict: judge.WrongAnswer, Ended: true},
		{ExtID: "3", Verdict: judge.MemoryLimit, Ended: true}, {ExtID: "4", Ended: true}, {ExtID: "5"},
		{ExtID: "6", Verdict: judge.Accepted, Ended: true}, {ExtID: "7", Verdict: judge.JudgeError, Ended: true},
	}
	theirs := map[string]judge.Verdict{"1": "AC", "2": "TLE", "3": "RTE", "4": "AC", "5": "AC", "7": "WA"}
	pairs := VerdictPairs(all, theirs)
	var differ []string
	for _, p := range pairs {
		if p.Differs() {
			differ = append(differ, p.Submission.ExtID)
		}
	}
	if got := strings.Join(differ, " "); got != "2 7" {
		t.Errorf("these differ: %s", got)
	}
	if got, want := fmt.Sprint(NewMatrix(pairs)), "{[ AC RTE TLE WA] [ AC JE MLE WA not judged] [[0 1 0 0 0 0] [1 1 0 0 0 1] [0 0 0 1 0 0] "+
		"[0 0 0 0 1 0] [0 0 1 0 0 0]]}"; got != want {
		t.Errorf("the matrix is %s", got)
	}
}

// TestRanks compares scoreboards in the formats of both API versions, with teams that differ or are missing.
func TestRanks(t *testing.T) {
	theirs := parseRanks([]byte(`{"rows":[{"rank":1,"team_id":"a","score":{"num_solved":2,"total_time":"1:05:00.000"}},
		{"rank":2,"team_id":"b","score":{"num_solved":1,"total_time":30}},{"rank":3,"team_id":3,"score":{"num_solved":0,"total_time":0}}]}`))
	ours := parseRanks([]byte(`{"rows":[{"rank":1,"team_id":"a","score":{"num_solved":2,"total_time":65}},
		{"rank":2,"team_id":"b","score":{"num_solved":1,"total_time":"0:50:00.000"}},{"rank":3,"team_id":"d","score":{"num_solved":0,"total_time":0}}]}`))
	got := fmt.Sprint(rankPairs(theirs, ours, strings.ToUpper))
	if want := "[{d D {0 0 0} {3 0 0}} {b B {2 1 30} {2 1 50}} {3 3 {3 0 0} {0 0 0}}]"; got != want {
		t.Errorf("%s", got)
	}
	for _, none := range []string{"", "[]", `{"rows":null}`, "null", "x"} {
		if parseRanks([]byte(none)) != nil {
			t.Errorf("%q is a scoreboard", none)
		}
	}
}

// TestOpen checks which addresses are valid contest addresses, and which files can contain a password.
func TestOpen(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example/api/contests/x":          "https://a.example/api/ /api/contests/x/event-feed",
		"http://a.example/d/api/2026-01/contests/x": "http://a.example/d/api/2026-01/ /d/api/2026-01/contests/x/event-feed",
		"https://a.example/contests/x/?strict=1#a":  "https://a.example/ /contests/x/event-feed",
		"ftp://a.example/api/contests/x":            "must begin with https://",
		"a.example/api/contests/x":                  "must begin with https://",
		"https://a.example/api":                     "does not end in /contests/ID",
		"https://a.example/api/contests/x/teams":    "does not end in /contests/ID",
	} {
		p, err := NewPrimary(&store.ExternalSource{URL: url})
		got := fmt.Sprint(err)
		if err == nil {
			got = p.base.String() + " " + p.resolve("event-feed").Path
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
