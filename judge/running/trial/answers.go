package trial

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"assay/judge"
)

// outputOnly judges a submission that consists of outputs. The submission is a directory or a ZIP archive with a file
// for each case, or one file for all cases. The name of a case's file is the name of the case with .out or .ans,
// with or without the group's directory.
type outputOnly struct {
	*Batch
	file string // the submission, if it is a single file
	dir  fs.FS
	open io.Closer
}

// outputNames lists the extensions of output files, in the order in which they are tried.
var outputNames = []string{".out", ".ans", ".txt", ""}

// Build opens the submission. If a file is named like a ZIP archive but is not one, the result is a compile error.
func (t *outputOnly) Build(context.Context) (*judge.Built, error) {
	if size, err := t.codeSize(); err != nil || t.CodeLimit > 0 && size > t.CodeLimit {
		return &judge.Built{Verdict: judge.CompileError, Log: fmt.Sprintf(
			"the submission has %d bytes, at most %d are taken", size, t.CodeLimit,
		)}, err
	}
	info, err := os.Stat(t.Source)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the submission: %w", err)
	case info.IsDir():
		root, err := os.OpenRoot(t.Source)
		if err != nil {
			return nil, fmt.Errorf("open the submission: %w", err)
		}
		t.dir, t.open = root.FS(), root
	case strings.EqualFold(path.Ext(t.Source), ".zip"):
		archive, err := zip.OpenReader(t.Source)
		if err != nil {
			return &judge.Built{Verdict: judge.CompileError, Log: "the zip archive cannot be read: " + err.Error()}, nil
		}
		t.dir, t.open = archive, archive
	default:
		t.file = t.Source
	}
	return &judge.Built{}, nil
}

// Close closes the submission.
func (t *outputOnly) Close() (err error) {
	if t.open != nil {
		err = t.open.Close()
	}
	return errors.Join(err, t.Batch.Close())
}

// Try finds the output for the case. It runs nothing.
func (t *outputOnly) Try(_ context.Context, c *judge.Case) (*judge.Attempt, error) {
	file, err := t.find(c)
	if err != nil {
		return nil, err
	}
	if file == nil {
		missing := judge.Outcome{Verdict: judge.WrongAnswer, Message: fmt.Sprintf(
			"the submission has no output for this case: no %s.out", c.Name,
		)}
		return &judge.Attempt{Out: section(""), Outcome: &missing}, nil
	}
	defer file.Close()
	out := &capture{dir: t.TempDir}
	from := io.Reader(file)
	if limit := t.Limits.Output; limit > 0 {
		from = io.LimitReader(file, limit+1)
	}
	if _, err = io.Copy(out, from); err != nil {
		out.close()
		broken := judge.Outcome{Verdict: judge.WrongAnswer, Message: "the case's output cannot be read: " + err.Error()}
		return &judge.Attempt{Out: section(""), Outcome: &broken}, nil
	}
	text, err := out.reader()
	if err != nil {
		out.close()
		return nil, err
	}
	return &judge.Attempt{Exec: judge.Exec{Output: text.Size()}, Out: text, Close: out.close}, nil
}

// find opens the output for the case. It returns nil, nil if there is none.
func (t *outputOnly) find(c *judge.Case) (fs.File, error) {
	if t.file != "" {
		return os.Open(t.file)
	}
	for _, name := range []string{c.ID(), c.Name, path.Base(c.Name)} {
		for _, ending := range outputNames {
			file, err := t.dir.Open(name + ending)
			if err != nil {
				continue // treated as missing, whatever the reason is
			}
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				return file, nil
			}
			file.Close()
		}
	}
	return nil, nil
}
