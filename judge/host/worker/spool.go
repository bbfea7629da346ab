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

// spool is the folder of results that are not handed in yet, a file each.
type spool struct{ dir string }

const spoolExtension = ".json"

func openSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of results: %w", err)
	}
	return &spool{dir}, nil
}

// put keeps a result, as a whole or not at all.
func (s *spool) put(r *job.Result) (file string, err error) {
	data, err := r.Encode()
	if err != nil {
		return "", err
	}
	name := blob.Of(fmt.Appendf(nil, "%s %d", r.Job, r.Generation)) // a job's name may be no file's
	file = filepath.Join(s.dir, string(name[:32])+spoolExtension)
	if err := atomicfile.Write(file, data); err != nil {
		return "", fmt.Errorf("keep the result of job %s: %w", r.Job, err)
	}
	return file, nil
}

// remove forgets a result; "" is none.
func (s *spool) remove(file string) {
	if file != "" {
		_ = os.Remove(file) // at worst it is handed in again, which changes nothing
	}
}

// keptResult is a result as it stands in the folder.
type keptResult struct {
	file   string
	result *job.Result
}

// left lists what is in the folder. What was not written to its end goes; a note says
// what else could not be read.
func (s *spool) left() (all []keptResult, notes []string) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, []string{fmt.Sprintf("list the results that are not handed in: %v", err)}
	}
	for _, e := range entries {
		file := filepath.Join(s.dir, e.Name())
		if !strings.HasSuffix(e.Name(), spoolExtension) {
			_ = os.Remove(file) // a temporary file of a process that was killed
			continue
		}
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r, bad := job.DecodeResult(data)
		if err = errors.Join(err, bad); err != nil {
			notes = append(notes, fmt.Sprintf("a result that was kept is lost, its job will be done again: %s: %v", file, err))
			_ = os.Remove(file)
			continue
		}
		all = append(all, keptResult{file, r})
	}
	return all, notes
}
