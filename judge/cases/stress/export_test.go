package stress

import (
	"context"
	"slices"

	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
)

// Grammar returns the declared input format, or nil if there is none.
func (l *Tester) Grammar() *format.Grammar { return l.grammar }

// Forget makes the lab ignore the declared input format, so that only the validator can check inputs.
func (l *Tester) Forget() { l.grammar = nil }

// Ways returns the names of the methods (see way) by which Shrink makes inputs smaller.
func (l *Tester) Ways() (names []string) {
	for _, w := range l.shrinkMethods() {
		if !slices.Contains(names, w.name) {
			names = append(names, w.name)
		}
	}
	return names
}

// ShrinkWithout is like Shrink, but omits the method with the given name.
func (l *Tester) ShrinkWithout(ctx context.Context, t *Trial, budget shrink.Budget, name string) (*Shrunk, error) {
	return l.shrink(ctx, t, budget, nil, slices.DeleteFunc(slices.Clone(l.shrinkMethods()),
		func(w shrinkMethod) bool { return w.name == name }))
}
