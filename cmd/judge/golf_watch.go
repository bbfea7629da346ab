package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/report"
	"assay/judge/workspace"
)

// watchInterval is the interval at which files are checked for changes.
const watchInterval = 100 * time.Millisecond

// watchFiles checks submissions whenever their files are saved, until ctx is done.
func (g *golfOptions) watchFiles(
	ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.SubmissionChecker, files []string,
) error {
	seen := map[string]string{}
	sizes := map[string]int{}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		for _, file := range files {
			if file == "-" {
				return usageError{errors.New("--watch needs files: standard input cannot be saved again")}
			}
			now := fileStamp(file)
			if now == seen[file] {
				continue
			}
			seen[file] = now
			if err := g.watchOnce(ctx, c, contest, stage, file, sizes); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// watchOnce checks a file and prints a line.
func (g *golfOptions) watchOnce(
	ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.SubmissionChecker, file string,
	sizes map[string]int,
) error {
	r, err := g.checkOne(ctx, c, contest, stage, file)
	usage := judge.BlameOf(err) == judge.Caller
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case usage: // partly saved, or temporarily missing
		fmt.Fprint(c.out, report.GolfUnreadable(file, err))
		return nil
	case err != nil:
		return err
	}
	change := 0
	if before, ok := sizes[file]; ok {
		change = r.Bytes - before
	}
	sizes[file] = r.Bytes
	fmt.Fprint(c.out, report.GolfWatchLine(&r.GolfChecked, change))
	return nil
}

// missingStamp is the stamp of a missing file, which may be about to be written.
const missingStamp = "none"

// fileStamp returns a text that changes when file changes. If file is a directory, the text changes with any of its
// contents.
func fileStamp(file string) string {
	var all strings.Builder
	err := filepath.WalkDir(file, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&all, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return missingStamp
	}
	if err != nil {
		return err.Error()
	}
	return all.String()
}
