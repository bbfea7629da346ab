package judge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
)

// TestScoresOfMutants checks the percentage of mutants known to be wrong that the cases kill.
func TestScoresOfMutants(t *testing.T) {
	for _, test := range []struct {
		counts judge.MutantCounts
		want   float64
		words  string
	}{
		{judge.MutantCounts{
			Mutants: 9, Unseparated: 2, Unreached: 7,
		}, 100, "mutation score: 100.0 % (0 of 0 killed); no input distinguishes 2 more from the correct program"},
		{judge.MutantCounts{Killed: 1}, 100, "mutation score: 100.0 % (1 of 1 killed)"},
		{judge.MutantCounts{Survived: 1}, 0, "mutation score: 0.0 % (0 of 1 killed)"},
		{judge.MutantCounts{Killed: 2, Survived: 2}, 50, "mutation score: 50.0 % (2 of 4 killed)"},
		{judge.MutantCounts{
			Killed: 3, Survived: 5, Unseparated: 1,
		}, 37.5, "mutation score: 37.5 % (3 of 8 killed); no input distinguishes 1 more from the correct program"},
		{judge.MutantCounts{Killed: 99_999, Survived: 1}, 99.9, "mutation score: 99.9 % (99999 of 100000 killed)"},
		{judge.MutantCounts{Killed: 2, Survived: 4}, 33.3, "mutation score: 33.3 % (2 of 6 killed)"},
	} {
		if got := test.counts.Score(); got != test.want {
			t.Errorf("%+v: the score is %v, want %v", test.counts, got, test.want)
		}
		if got := (&judge.AdequacyMeasured{Total: test.counts}).Score(); got != test.words {
			t.Errorf("%+v:\n got %s\nwant %s", test.counts, got, test.words)
		}
	}
}

// TestMutantsThatAreListed checks that the mutants that a case should kill are listed. With All, it checks that
// equivalent and unseparated mutants are listed too.
func TestMutantsThatAreListed(t *testing.T) {
	e := &judge.AdequacyMeasured{}
	for _, state := range []judge.MutantState{
		judge.MutantUnreached, judge.MutantSurvived, judge.MutantEquivalent, judge.MutantUnseparated,
		judge.MutantSurvived,
	} {
		e.Mutants = append(e.Mutants, judge.UnkilledMutant{State: state})
	}
	for all, want := range map[bool][]judge.MutantState{
		false: {judge.MutantSurvived, judge.MutantSurvived},
		true:  {judge.MutantSurvived, judge.MutantEquivalent, judge.MutantUnseparated, judge.MutantSurvived},
	} {
		e.All = all
		var got []judge.MutantState
		for _, m := range e.Listed() {
			got = append(got, m.State)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("All %v (-want +got):\n%s", all, diff)
		}
	}
}

func TestGoalsThatAreShown(t *testing.T) {
	e := &judge.CoverageMeasured{Goals: []judge.CoverageGoal{{Cases: 0}, {Cases: 1}, {Cases: 2}, {Cases: 0}, {Cases: 7}}}
	if got := e.CoveredCount(); got != 3 {
		t.Errorf("Shown() = %d of goals with 0, 1, 2, 0 and 7 cases, want 3", got)
	}
}

func TestLanguagesAreNamedWithTheirFlags(t *testing.T) {
	for want, e := range map[string]judge.GolfChecked{
		"Perl":           {Language: "Perl"},
		"Perl + -p":      {Language: "Perl", Flags: []string{"-p"}},
		"Perl + -l -040": {Language: "Perl", Flags: []string{"-l", "-040"}},
	} {
		if got := e.LanguageWithFlags(); got != want {
			t.Errorf("%q %q is called %q, want %q", e.Language, e.Flags, got, want)
		}
	}
}
