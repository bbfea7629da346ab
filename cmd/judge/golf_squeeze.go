package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge/contests/golf"
	"assay/judge/report"
	"assay/judge/workspace"
)

// squeezeFiles looks for shorter texts of right answers.
func (g *golfing) squeezeFiles(ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.Range, files []string) error {
	for _, file := range files {
		if ext := filepath.Ext(file); file == "-" || ext == ".md" || ext == ".markdown" {
			return usageError{fmt.Errorf("--squeeze %s: it must be a source file, for the shorter one is written beside it", file)}
		}
	}
	var results []*golf.Result
	for _, file := range files {
		r, err := g.squeezeFile(ctx, c, contest, stage, file)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	return golfExit(results)
}

func (g *golfing) squeezeFile(ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.Range, file string) (*golf.Result, error) {
	answer, flags, err := contest.ReadAnswer(stage, file, nil, g.reading)
	if err != nil {
		return nil, usageError{err}
	}
	o := g.proof
	o.Flags = flags
	s, err := stage.Squeeze(ctx, answer, o, func(step golf.Step) {
		fmt.Fprint(c.out, report.GolfStep(step.Bytes, step.What))
	})
	if err != nil {
		return nil, err
	}
	if s.First.Verdict != golf.Right {
		fmt.Fprint(c.out, report.GolfText(&s.First.GolfProved))
		return s.First, nil
	}
	path := ""
	if s.Code != answer.Counted {
		if path, err = writeBeside(file, s.Code); err != nil {
			return nil, err
		}
	}
	fmt.Fprint(c.out, report.GolfSqueezed(&s.First.GolfProved, path, s.Bytes))
	return s.First, nil
}

// writeBeside writes a text to a new file named after another: ans.squeezed.py.
func writeBeside(file, text string) (string, error) {
	ext := filepath.Ext(file)
	base := strings.TrimSuffix(file, ext) + ".squeezed"
	for n := 1; ; n++ {
		path := base + ext
		if n > 1 {
			path = fmt.Sprintf("%s-%d%s", base, n, ext)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("write the shorter answer: %w", err)
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("write the shorter answer: %w", err)
		}
		return path, nil
	}
}
