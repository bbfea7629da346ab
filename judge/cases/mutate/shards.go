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

// MutantCount returns the number of mutants of all programs.
func (l *Runner) MutantCount() (n int) {
	for _, s := range l.Subjects {
		n += len(s.Mutants)
	}
	return n
}

// MutantsHash hashes all mutants. If two labs have the same identity, lines of a journal refer to the same mutants in
// both.
func (l *Runner) MutantsHash() string {
	sum := sha256.New()
	fmt.Fprintln(sum, formatVersion, len(l.cases))
	for _, s := range l.Subjects {
		fmt.Fprintf(sum, "%q %d %d\n", filepath.Base(s.Path), len(s.Mutants), s.stack)
		for _, m := range s.Mutants {
			fmt.Fprintf(sum, "%d %s %q %d %q\n", m.ID, m.Operator, m.File, m.Line, s.Diff(m))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Judge runs each mutant on the cases until one kills it.
func (l *Runner) Judge(ctx context.Context) (results []*Result, err error) {
	before, err := openJournal(l.Journal)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, before.close()) }()
	return l.judgeSelected(ctx, before, 0, 1)
}

// JudgeShard judges the mutants with the numbers first, first+step, first+2*step, and so on. The mutants of all programs
// are numbered together. JudgeShard returns a line of a journal for each of these mutants.
func (l *Runner) JudgeShard(ctx context.Context, first, step int) (lines [][]byte, err error) {
	results, err := l.judgeSelected(ctx, &journal{}, first, step)
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

// judgeSelected judges the mutants selected by first and step, as in JudgeShard, except those in the journal.
func (l *Runner) judgeSelected(ctx context.Context, resumed *journal, first, step int) (judged []*Result, err error) {
	of, number := (l.MutantCount()-first+step-1)/step, 0
	for at, s := range l.Subjects {
		var mutants []*Mutant
		for _, m := range s.Mutants {
			if number >= first && (number-first)%step == 0 {
				mutants = append(mutants, m)
			}
			number++
		}
		done := len(judged)
		results := make([]*Result, len(mutants))
		err := l.forEachIndex(ctx, s, len(mutants), func(ctx context.Context, w *workerSet, d *outputJudge, i int) (err error) {
			if results[i] = resumed.find(at, s, mutants[i]); results[i] != nil {
				return nil
			}
			if results[i], err = l.judgeMutant(ctx, s, w, d, mutants[i]); err != nil {
				return err
			}
			return resumed.add(at, results[i])
		}, func(n int) {
			if l.Progress != nil {
				l.Progress(done+n, of)
			}
		})
		if err != nil {
			return nil, err
		}
		judged = append(judged, results...)
	}
	return judged, nil
}
