package mutate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"assay/judge"
	"assay/judge/internal/cachedir"
)

// A journal is a file with one line for each judged mutant, so that an interrupted measurement can be resumed. Its
// file name must depend on everything that affects the results. An incomplete line is ignored, so that its mutant
// is rejudged.
type journal struct {
	mu   sync.Mutex
	file *os.File
	done map[[2]int]*entry // by subject and mutant
}

// entry is a line of a journal. It is a Result without its mutant.
type entry struct {
	Subject int               `json:"subject"` // index in the lab
	Mutant  int               `json:"mutant"`
	State   judge.MutantState `json:"state"`
	How     string            `json:"how,omitempty"`
	Case    string            `json:"case,omitempty"`
	Outs    map[int][]byte    `json:"outs,omitempty"`
	Spared  []uint32          `json:"spared,omitempty"`
}

// cacheLimits limits the journals and reports in a cache.
var cacheLimits = cachedir.Limits{Bytes: 256 << 20, Files: 10_000}

// openJournal reads a journal and opens it for appending. It removes the oldest journals in the directory if there
// are too many. If path is empty, nothing is stored.
func openJournal(path string) (*journal, error) {
	j := &journal{done: map[[2]int]*entry{}}
	if path == "" {
		return j, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("keep what is measured: %w", err)
	}
	cachedir.Trim(filepath.Dir(path), cacheLimits)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keep what is measured: %w", err)
	}
	j.file = file
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var e entry
		if json.Unmarshal(line, &e) == nil {
			j.done[[2]int{e.Subject, e.Mutant}] = &e
		}
		if err != nil {
			if len(line) > 0 { // incomplete
				_, _ = file.WriteString("\n")
			}
			return j, nil
		}
	}
}

// find returns the earlier result of a mutant, or nil if there is none.
func (j *journal) find(subject int, s *Subject, m *Mutant) *Result {
	e := j.done[[2]int{subject, m.ID}]
	if e == nil {
		return nil
	}
	r := &Result{Mutant: m, Subject: s, State: e.State, How: e.How, Case: e.Case, outs: e.Outs, spared: e.Spared}
	if r.outs == nil {
		r.outs = map[int][]byte{}
	}
	return r
}

// add appends the result of a mutant. Each line is written with one call, so that lines of two processes do not
// mix.
func (j *journal) add(subject int, r *Result) error {
	if j.file == nil {
		return nil
	}
	line, err := r.line(subject)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(line); err != nil {
		return fmt.Errorf("keep what is measured: %w", err)
	}
	return nil
}

// line formats a result as a line of a journal.
func (r *Result) line(subject int) ([]byte, error) {
	line, err := json.Marshal(entry{subject, r.ID, r.State, r.How, r.Case, r.outs, r.spared})
	if err != nil {
		return nil, fmt.Errorf("keep what is measured: %w", err)
	}
	return append(line, '\n'), nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// Journal returns the path of a measurement's journal.
func Journal(cache, key string) string {
	return filepath.Join(cache, "adequacy", key+".journal")
}

// DropJournal removes the journal of a completed measurement.
func DropJournal(cache, key string) error {
	if err := os.Remove(Journal(cache, key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear what was measured: %w", err)
	}
	return nil
}
