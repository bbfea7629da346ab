package gen

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"assay/judge/internal/atomicfile"
	"assay/judge/internal/cachedir"
)

// savedLimits bound what is saved of all problems.
var savedLimits = cachedir.Limits{Bytes: 512 << 20, Files: 20_000}

// saved is a case that was made by a run of Generate that came to no end.
type saved struct {
	In, Ans []byte // Ans is nil if there is no answer yet
}

// savedAs returns where a case is saved: under what it is made from.
func (m *Maker) savedAs(sources string, t *task) string {
	return filepath.Join(m.Saved, hashBytes([]byte(m.Folder.ID + "\n" + sources + "\n" + t.c.Line + "\n" + t.seed))[:32])
}

// save saves the cases that were made, for the next run: this one ends with a fault of
// another line, or was interrupted.
func (m *Maker) save(sources string, todo []*task) error {
	for _, t := range todo {
		if m.Saved == "" || !t.drawn() {
			continue
		}
		var s saved
		var err error
		if s.In, err = os.ReadFile(t.staged + ".in"); err == nil && t.made() {
			s.Ans, err = os.ReadFile(t.staged + ".ans")
		}
		if errors.Is(err, os.ErrNotExist) { // it was put in place
			continue
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(s)
		if err == nil {
			err = atomicfile.Write(m.savedAs(sources, t), text)
		}
		if err != nil {
			return err
		}
	}
	if m.Saved != "" {
		cachedir.Trim(m.Saved, savedLimits)
	}
	return nil
}

// recall takes what is saved of the cases. A damaged file is one that does not exist.
func (m *Maker) recall(sources, staging string, todo []*task) error {
	stand(staging, todo)
	for _, t := range todo {
		if m.Saved == "" || t.drawn() {
			continue
		}
		path := m.savedAs(sources, t)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var s saved
		if json.Unmarshal(text, &s) == nil && len(s.In) > 0 {
			err := t.writeInput(s.In)
			if err == nil && s.Ans != nil {
				err = t.writeAnswer(s.Ans)
			}
			if err != nil {
				return err
			}
		}
		os.Remove(path)
	}
	return nil
}
