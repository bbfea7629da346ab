package problem

import (
	"fmt"
	"maps"
	"slices"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// kinds maps kind names in problem.toml to kinds.
var kinds = map[string]judge.Kind{
	"batch":                  {},
	"interactive":            {Interactive: true},
	"multi-pass":             {MultiPass: true},
	"interactive multi-pass": {Interactive: true, MultiPass: true},
	"submit-answer":          {OutputOnly: true},
}

// usualKind is the default kind.
const usualKind = "batch"

func (f *Directory) readKind(t *table) (faults judge.ProblemErrors) {
	if t.Kind == "" {
		t.Kind = usualKind
	}
	kind, ok := kinds[t.Kind]
	if !ok {
		faults = append(
			faults,
			f.Fault("kind", fmt.Sprintf("unknown kind %q", t.Kind), suggest.Hint(t.Kind, slices.Sorted(maps.Keys(kinds)))),
		)
	}
	f.Kind, f.Passes, f.CodeLimit = kind, t.Limits.Passes, int64(t.Limits.Code)
	f.NoFiles = t.Limits.Files != nil && !*t.Limits.Files
	switch {
	case t.Limits.Passes != 0 && ok && !kind.MultiPass:
		faults = append(faults, f.Fault("limits.passes", "the problem has one pass only", `remove the key, or write: kind = "multi-pass"`))
	case t.Limits.Passes < 0 || t.Limits.Passes == 1:
		faults = append(
			faults,
			f.Fault("limits.passes", fmt.Sprintf("a multi-pass problem has at most %d passes", t.Limits.Passes), fmt.Sprintf(
				"write a number from 2 on, or remove the key; the default is %d", judge.DefaultPasses,
			)),
		)
	}
	return faults
}

// fitParts checks that the parts match the kind. If the interactor judges, it removes the default checker.
func (f *Directory) fitParts(t *table) (faults judge.ProblemErrors) {
	_, known := kinds[t.Kind]
	switch {
	case !known:
	case !f.Kind.Interactive && t.Interactor != nil:
		faults = append(faults, f.Fault("interactor", fmt.Sprintf(
			"a problem of the kind %q has no interactor", t.Kind,
		), `remove it, or write: kind = "interactive"`))
	case f.Kind.Interactive && t.Interactor == nil:
		faults = append(faults, f.Fault("kind", "an interactive problem has no interactor", `add: [interactor] program = "interactor"`))
	case f.Kind.Interactive && t.Checker != nil && t.Interactor.Speaks != "testlib":
		faults = append(faults, f.Fault(
			"checker", "the interactor judges, so the checker has nothing to check",
			`remove the checker; only an interactor that speaks "testlib" writes an output for a checker`,
		))
	case f.Kind.Interactive && t.Checker == nil:
		f.Checker = judge.CheckerSpec{}
	case f.Kind.MultiPass && !f.Kind.Interactive && (f.Checker.Program == nil || f.Checker.Program.Protocol != "kattis"):
		faults = append(faults, f.Fault(
			"checker", "a multi-pass problem needs a checker that makes the input of the next pass",
			`add: [checker] program = "checker", speaks = "kattis"; it leaves nextpass.in in its feedback directory`,
		))
	}
	return faults
}
