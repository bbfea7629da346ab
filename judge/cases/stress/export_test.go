package stress

import (
	"context"
	"slices"

	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
)

// Grammar is the declared form of the inputs; nil for none.
func (l *Lab) Grammar() *format.Grammar { return l.grammar }

// Forget has the lab treat the problem as one that does not declare its inputs, which
// the validator alone knows.
func (l *Lab) Forget() { l.grammar = nil }

// Ways names the ways in which Shrink makes inputs of the problem smaller.
func (l *Lab) Ways() (names []string) {
	for _, w := range l.ways() {
		if !slices.Contains(names, w.name) {
			names = append(names, w.name)
		}
	}
	return names
}

// ShrinkWithout is Shrink without one of its ways.
func (l *Lab) ShrinkWithout(ctx context.Context, t *Trial, budget shrink.Budget, name string) (*Shrunk, error) {
	return l.shrink(ctx, t, budget, nil, slices.DeleteFunc(slices.Clone(l.ways()), func(w way) bool { return w.name == name }))
}
