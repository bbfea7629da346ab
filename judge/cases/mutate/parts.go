package mutate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Mutants can be judged in parts, on several machines. Part judges every step-th mutant and returns lines of a
// journal. Judge, given a journal with these lines, judges the remaining mutants.

// Count returns the number of mutants of all programs.
func (l *Lab) Count() (n int) {
	for _, s := range l.Subjects {
		n += len(s.Mutants)
	}
	return n
}

// Identity hashes all mutants. If two labs have the same identity, lines of a journal refer to the same mutants in
// both.
func (l *Lab) Identity() string {
	sum := sha256.New()
	fmt.Fprintln(sum, format, len(l.cases))
	for _, s := range l.Subjects {
		fmt.Fprintf(sum, "%q %d %d\n", filepath.Base(s.Path), len(s.Mutants), s.stack)
		for _, m := range s.Mutants {
			fmt.Fprintf(sum, "%d %s %q %d %q\n", m.ID, m.Operator, m.File, m.Line, s.Diff(m))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Judge runs each mutant on the cases until one kills it.
func (l *Lab) Judge(ctx context.Context) (all []*Result, err error) {
	before, err := openJournal(l.Journal)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, before.close()) }()
	return l.judge(ctx, before, 0, 1)
}

// Part judges the mutants with the numbers first, first+step, first+2*step, and so on. The mutants of all programs
// are numbered together. Part returns a line of a journal for each of these mutants.
func (l *Lab) Part(ctx context.Context, first, step int) (lines [][]byte, err error) {
	results, err := l.judge(ctx, &journal{}, first, step)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if !l.stateful {
			r.outs = nil // not needed here
		}
		line, err := r.line(slices.Index(l.Subjects, r.Subject))
		if err != nil {
			return nil, err
		}
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines, nil
}

// judge judges the mutants selected by first and step, as in Part, except those in the journal.
func (l *Lab) judge(ctx context.Context, before *journal, first, step int) (all []*Result, err error) {
	of, number := (l.Count()-first+step-1)/step, 0
	for at, s := range l.Subjects {
		var mutants []*Mutant
		for _, m := range s.Mutants {
			if number >= first && (number-first)%step == 0 {
				mutants = append(mutants, m)
			}
			number++
		}
		done := len(all)
		results := make([]*Result, len(mutants))
		err := l.share(ctx, s, len(mutants), func(ctx context.Context, w *bench, d *decider, i int) (err error) {
			if results[i] = before.find(at, s, mutants[i]); results[i] != nil {
				return nil
			}
			if results[i], err = l.one(ctx, s, w, d, mutants[i]); err != nil {
				return err
			}
			return before.add(at, results[i])
		}, func(n int) {
			if l.Progress != nil {
				l.Progress(done+n, of)
			}
		})
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}
