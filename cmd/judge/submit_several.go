package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"assay/judge"
)

// judgeEach judges solutions one after the other. It continues after a solution that is not accepted, but returns the
// first error.
func (s *submitOptions) judgeEach(
	ctx context.Context, c *console, paths []string,
	judgeOne func(ctx context.Context, path string, listen func(judge.Event)) (judge.Verdict, error),
) (err error) {
	out, err := s.outputOptions.open(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	several := len(paths) > 1
	listen := func(e judge.Event) {
		if first, ok := e.(*judge.Started); ok && several {
			several = false // printed once
			out.Event(&judge.BatchStarted{
				Format: first.Format, Problem: first.Problem, Title: first.Title, Programs: paths,
				Groups: first.Groups, Cases: first.Cases, Isolation: first.Isolation, Unenforced: first.Unenforced,
			})
		}
		out.Event(e)
	}
	end := &judge.BatchFinished{Submissions: len(paths)}
	var worst judge.Verdict
	for _, path := range paths {
		v, err := judgeOne(ctx, path, listen)
		if err != nil {
			return err
		}
		if worst = judge.Worst(worst, v); v == judge.Accepted {
			end.Accepted++
		}
	}
	if len(paths) > 1 {
		out.Event(end)
	}
	switch worst {
	case judge.Accepted:
		return nil
	case judge.JudgeError:
		return errJudgeFailed
	}
	return errNotAccepted
}

// watchSolutions judges all solutions, and then rejudges each solution when it is saved, until ctx ends.
func (s *submitOptions) watchSolutions(ctx context.Context, c *console, paths []string, judgeThem func(paths []string) error) error {
	next, again := paths, false
	stamps := map[string]string{}
	for _, path := range paths {
		stamps[path] = fileStamp(path)
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		if len(next) > 0 {
			if !s.json && again {
				fmt.Fprintln(c.out)
			}
			again = true
			if err := judgeThem(next); err != nil && !errors.Is(err, errNotAccepted) && !errors.Is(err, errJudgeFailed) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		next = slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
			now := fileStamp(path)
			same := now == stamps[path] || now == missingStamp // the file is being saved
			if !same {
				stamps[path] = now
			}
			return same
		})
	}
}

// keepDirs returns the directories for --keep, one for each solution if there are several.
func (s *submitOptions) keepDirs(paths []string) (map[string]string, error) {
	if s.keep == "" || len(paths) == 1 {
		return map[string]string{paths[0]: s.keep}, nil
	}
	folders, of := map[string]string{}, map[string]string{}
	for _, path := range paths {
		base := filepath.Base(filepath.Clean(path))
		if other, taken := of[base]; taken {
			return nil, usageError{fmt.Errorf("--keep: %s and %s have the same name", other, path)}
		}
		of[base], folders[path] = path, filepath.Join(s.keep, base)
	}
	return folders, nil
}
