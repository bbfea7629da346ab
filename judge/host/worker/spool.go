package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/internal/atomicfile"
)

// A resultSpool is a directory of results that the server has not stored yet, with one file per result.
type resultSpool struct{ dir string }

const spoolExtension = ".json"

func openSpool(dir string) (*resultSpool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of results: %w", err)
	}
	return &resultSpool{dir}, nil
}

// put writes a result atomically.
func (s *resultSpool) put(r *job.Result) (file string, err error) {
	data, err := r.Encode()
	if err != nil {
		return "", err
	}
	name := blob.DigestOf(fmt.Appendf(nil, "%s %d", r.Job, r.Generation)) // a job id may not be a valid file name
	file = filepath.Join(s.dir, string(name[:32])+spoolExtension)
	if err := atomicfile.Write(file, data); err != nil {
		return "", fmt.Errorf("save the result of job %s: %w", r.Job, err)
	}
	return file, nil
}

// remove deletes a result. If file is empty, it does nothing.
func (s *resultSpool) remove(file string) {
	if file != "" {
		_ = os.Remove(file) // handing a leftover result in again is harmless
	}
}

// A spooledResult is a result in a spool.
type spooledResult struct {
	file   string
	result *job.Result
}

// pending returns the results in the spool. It removes unfinished files, and returns a note for each finished file
// that cannot be read.
func (s *resultSpool) pending() (results []spooledResult, notes []string) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, []string{fmt.Sprintf("list the saved results: %v", err)}
	}
	for _, e := range entries {
		file := filepath.Join(s.dir, e.Name())
		if !strings.HasSuffix(e.Name(), spoolExtension) {
			_ = os.Remove(file) // temporary file of a killed process
			continue
		}
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r, bad := job.DecodeResult(data)
		if err = errors.Join(err, bad); err != nil {
			notes = append(notes, fmt.Sprintf("a saved result cannot be read, so its job runs again: %s: %v", file, err))
			_ = os.Remove(file)
			continue
		}
		results = append(results, spooledResult{file, r})
	}
	return results, notes
}
