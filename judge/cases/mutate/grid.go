package mutate

import (
	"context"
	"slices"
)

// FindKillers finds, for each mutant that a case has killed, further cases that kill it. It tries cases with few steps
// first. The parameter most is the maximum number of cases per mutant.
func (l *Runner) FindKillers(ctx context.Context, results []*Result, limit int) error {
	bySubject := map[*Subject][]*Result{}
	for _, r := range results {
		if r.State == Killed {
			bySubject[r.Subject] = append(bySubject[r.Subject], r)
		}
	}
	done, of := 0, 0
	for _, list := range bySubject {
		of += len(list)
	}
	for _, s := range l.Subjects {
		list := bySubject[s]
		err := l.forEachIndex(ctx, s, len(list), func(ctx context.Context, w *workerSet, d *outputJudge, i int) error {
			return list[i].findKillers(ctx, l, w, d, limit)
		}, func(n int) {
			if l.Progress != nil {
				l.Progress(done+n, of)
			}
		})
		if err != nil {
			return err
		}
		done += len(list)
	}
	return nil
}

// findKillers finds more cases that kill the mutant.
func (r *Result) findKillers(ctx context.Context, l *Runner, w *workerSet, d *outputJudge, limit int) error {
	r.Killers = []string{r.Case}
	slots, _ := r.Subject.splitSpared(r.Subject.reaching(r.Mutant))
	for len(slots) > 0 && len(r.Killers) < limit {
		at, ran, err := w.findKill(r.Mutant, slots)
		if err != nil || at == len(slots) {
			return err
		}
		c, wrong := &l.cases[slots[at]], true
		if ran.end == otherOutput {
			if wrong, _, err = d.wrong(ctx, c, ran.out); err != nil {
				return err
			}
		}
		if wrong && !slices.Contains(r.Killers, c.id) {
			r.Killers = append(r.Killers, c.id)
		}
		slots = slots[at+1:]
	}
	return nil
}
