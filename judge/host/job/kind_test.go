package job

import (
	"maps"
	"slices"
	"testing"

	"assay/judge"
)

// TestKinds checks the lists of kinds that are handled specially.
func TestKinds(t *testing.T) {
	for name, tt := range map[string]struct {
		is   func(Kind) bool
		want []Kind
	}{
		"judging":          {Kind.JudgesSubmission, []Kind{Submission}},
		"patient":          {Kind.RetriesLater, []Kind{Submission}},
		"preemptible":      {Kind.Preemptible, []Kind{GolfCheck}},
		"reports progress": {func(k Kind) bool { return (&Work{Kind: k}).ReportsProgress() }, []Kind{Submission}},
		"alone":            {func(k Kind) bool { return (&Work{Kind: k, Retime: true}).ReportsProgress() }, nil},
		"without files": {func(k Kind) bool {
			w := work()
			w.Kind, w.Files = k, nil
			return w.Check() != nil
		}, []Kind{Submission}},
	} {
		var got []Kind
		for _, k := range slices.Sorted(maps.Keys(kinds)) {
			if tt.is(k) {
				got = append(got, k)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestCheckEvents checks that events are decoded as the kind of the job requires. The events of a judging must
// contain known verdicts. The lines of other kinds need not contain verdicts.
func TestCheckEvents(t *testing.T) {
	judging, _, err := Pack([]judge.Event{&judge.Finished{Verdict: "Fine"}})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := PackLines([][]byte{[]byte(`"a line"`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		w := &Work{Kind: k}
		for name, packed := range map[string][]byte{"an unknown verdict": judging, "lines": lines} {
			if err := w.CheckEvents(packed); (err != nil) != k.JudgesSubmission() {
				t.Errorf("%s: %s: %v", k, name, err)
			}
		}
		if w.CheckEvents([]byte("no archive")) == nil {
			t.Errorf("%s: what is no archive is read", k)
		}
	}
}
