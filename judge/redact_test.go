package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRedactKnowsEveryEvent checks that each kind of event has an entry in redactions. So a new kind requires a
// decision about what contestants see.
func TestRedactKnowsEveryEvent(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(newEvent)) {
		if redactions[kind] == nil {
			t.Errorf("redactions has no row for the event %q: say what is left of it", kind)
		}
	}
	for kind := range redactions {
		if newEvent[kind] == nil {
			t.Errorf("redactions has a row for %q, which is not an event", kind)
		}
	}
}

// fill sets each string in a value to a unique text that names its field, and each number to 7. Slices get one
// element, and pointers get a target.
func fill(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString("<" + path + ">")
		}
	case reflect.Int, reflect.Int64:
		if v.CanSet() {
			v.SetInt(7)
		}
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`"<` + path + `>"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	}
}

// every returns one event of each kind, with a unique text in each field. The only case is the one that decided
// the verdict.
func every(group string) []Event {
	var all []Event
	for _, kind := range []string{"started", "built", "note", "progressed", "case", "group", "finished"} {
		all = append(all, filled(kind, group))
	}
	for _, kind := range slices.Sorted(maps.Keys(newEvent)) {
		if !slices.ContainsFunc(all, func(e Event) bool { return e.kind() == kind }) {
			all = append(all, filled(kind, group))
		}
	}
	return append(all, &UnknownEvent{Kind: "later", Line: []byte(`{"event":"later","secret":"<later>"}`)}, &UnknownEvent{
		Kind: "case", Line: []byte(`{"event":"case","secret":"<later>"}`),
	})
}

func filled(kind, group string) Event {
	e := newEvent[kind]()
	fill(reflect.ValueOf(e).Elem(), kind)
	switch e := e.(type) {
	case *Started:
		e.Groups = []string{group}
	case *CaseJudged:
		e.Group = group
	case *GroupJudged:
		e.Group = group
	case *Finished:
		e.First, e.Slowest = group+"/<case.Case>", group+"/<case.Case>"
	}
	return e
}

// encoded returns the events as JSON, as the program writes them.
func encoded(t interface{ Fatal(...any) }, events []Event) string {
	var b strings.Builder
	for _, e := range events {
		line, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(b.String())
}

// open lists the fields whose texts contestants see at every level.
var open = []string{
	"started.Problem", "started.Title", "started.Program", "started.Language", "started.Faster", "started.Isolation", "started.Unenforced",
	"built.Verdict", "built.Log", "built.Command", "case.Team", "finished.Verdict",
}

// TestRedact checks that, of all fields of all events, only the texts of the fields listed for the level remain.
// It also covers fields that are added later.
func TestRedact(t *testing.T) {
	ofCases := []string{"case.Verdict", "group.Verdict"}
	ofSamples := []string{"case.Case", "case.Message", "case.Note", "case.Stderr", "case.Dialogue", "case.Exec", "case.Detail"}
	for _, row := range []struct {
		show  Visibility
		group string
		seen  []string
	}{
		{ShowVerdict, "<group>", open},
		{ShowFirst, "<group>", open},
		{ShowCases, "<group>", slices.Concat(open, ofCases)},
		{ShowSamples, "<group>", slices.Concat(open, ofCases)},
		{ShowVerdict, SampleGroup, open},
		{ShowFirst, SampleGroup, open},
		{ShowCases, SampleGroup, slices.Concat(open, ofCases)},
		{ShowSamples, SampleGroup, slices.Concat(open, ofCases, ofSamples)},
		{"another", "<group>", open},
	} {
		text := encoded(t, Redact(every(row.group), row.show))
		for rest := text; ; {
			_, after, found := strings.Cut(rest, "<")
			if !found {
				break
			}
			var secret string
			secret, rest, _ = strings.Cut(after, ">")
			if !slices.ContainsFunc(row.seen, func(field string) bool { return secret == field || strings.HasPrefix(secret, field+".") }) {
				t.Errorf("%s, group %s: the field %s is seen", row.show, row.group, secret)
			}
		}
		for _, field := range row.seen {
			if !strings.Contains(text, "<"+field) {
				t.Errorf("%s, group %s: the field %s is gone", row.show, row.group, field)
			}
		}
	}
	all := every("<group>")
	if got := Redact(all, ShowAll); encoded(t, got) != encoded(t, all) {
		t.Error("with ShowAll something is gone")
	}
}

// judging returns the events for two samples and three secret cases. The second secret case fails.
func judging() []Event {
	events := []Event{&Started{Format: EventFormat, Problem: "p", Groups: []string{SampleGroup, "tight", "corner"}, Cases: 5}, &Built{}}
	for i, c := range []string{"sample/one", "sample/two", "tight/max-9", "corner/empty", "corner/one"} {
		group, name, _ := strings.Cut(c, "/")
		e := &CaseJudged{Group: group, Case: name, Verdict: Accepted, Message: "message " + c, Line: "line " + c}
		if i == 3 {
			e.Verdict, e.Team = WrongAnswer, "mind the empty list"
		} else if i == 4 {
			e.Team = "well done"
		}
		events = append(events, e)
	}
	events = append(events, &CaseJudged{Group: "corner", Case: StaticName, Verdict: Accepted, Message: "static", Static: true})
	return append(
		events, &GroupJudged{Group: "corner", Verdict: WrongAnswer},
		&Finished{Verdict: WrongAnswer, Passed: 4, Judged: 5, Cases: 5, First: "corner/empty", Slowest: "sample/two", TimeMS: 3, Memory: 4},
	)
}

// TestRedactedRuns checks that the JSON of a redacted run does not reveal how the run ended, not even that it
// succeeded. It also checks that decoding the JSON gives the redacted run again.
func TestRedactedRuns(t *testing.T) {
	for _, x := range []Exec{{Exit: 3, Memory: 4, Output: 5}, {Signal: "SIGSEGV"}, {Killed: Processes}, {Killed: Memory}, {}} {
		kept := withoutExit(x)
		data, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"exit", "signal", "memory_bytes", "output_bytes", "processes"} {
			if strings.Contains(string(data), word) {
				t.Errorf("%+v: %s tells of %s", x, data, word)
			}
		}
		var read Exec
		if err := json.Unmarshal(data, &read); err != nil || read != kept {
			t.Errorf("%s is read as %+v, %v", data, read, err)
		}
	}
}

func TestRedactNumbers(t *testing.T) {
	for show, want := range map[Visibility]string{
		ShowVerdict: "note mind the empty list; WA of 0 cases, first , slowest  0 0",
		ShowFirst:   "note mind the empty list; WA of 0 cases, first 4, slowest  0 0",
		ShowCases: "5 cases in [sample 1 2]; sample/1 AC; sample/2 AC; 1/3 AC; 2/4 WA mind the empty list; 2/5 AC well done;" +
			" 2/static-validation AC; group 2 WA; WA of 5 cases, first 2/4, slowest sample/2 3 4",
		ShowSamples: "5 cases in [sample 1 2]; sample/one AC message sample/one; sample/two AC message sample/two; 1/3 AC;" +
			" 2/4 WA mind the empty list; 2/5 AC well done; 2/static-validation AC; group 2 WA; WA of 5 cases, first 2/4, slowest sample/two 3 4",
	} {
		var got []string
		for _, e := range Redact(judging(), show) {
			switch e := e.(type) {
			case *Started:
				if len(e.Groups) > 0 {
					got = append(got, fmt.Sprintf("%d cases in %v", e.Cases, e.Groups))
				}
			case *Noted:
				got = append(got, "note "+e.Text)
			case *CaseJudged:
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s%s%s", e.ID(), e.Verdict, e.Message, e.Line, e.Team)))
			case *GroupJudged:
				got = append(got, fmt.Sprintf("group %s %s", e.Group, e.Verdict))
			case *Finished:
				got = append(got, fmt.Sprintf("%s of %d cases, first %s, slowest %s %v %d", e.Verdict, e.Cases, e.First, e.Slowest, e.TimeMS, e.Memory))
			}
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s:\n got %s\nwant %s", show, text, want)
		}
	}
}

// TestRedactProperty checks that no text marked as secret remains, for any order of the events, and that Redact
// does not modify its input.
func TestRedactProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kinds := slices.Sorted(maps.Keys(newEvent))
		var events []Event
		for range rapid.IntRange(0, 12).Draw(r, "events") {
			group := rapid.SampledFrom([]string{"<secret a>", "<secret b>", "sample<secret c>"}).Draw(r, "group")
			events = append(events, filled(rapid.SampledFrom(kinds).Draw(r, "kind"), group))
		}
		before := encoded(r, events)
		show := rapid.SampledFrom(VisibilityLevels[:len(VisibilityLevels)-1]).Draw(r, "show")
		text := encoded(r, Redact(events, show))
		for _, secret := range []string{
			"<secret", "<case.Case", "<case.Message", "<case.Stderr", "<case.Line", "<case.Detail",
			"<case.Dialogue", "<note", "<solution", "<fault", "<group.Message",
		} {
			if strings.Contains(text, secret) {
				r.Fatalf("%s: %s is seen in\n%s", show, secret, text)
			}
		}
		if encoded(r, events) != before {
			r.Fatal("Redact changed the events that it was given")
		}
	})
}
