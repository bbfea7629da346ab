package gen

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"assay/judge/internal/atomicfile"
	"assay/judge/internal/cachedir"
)

// savedLimits limits the saved cases of all problems together.
var savedLimits = cachedir.Limits{Bytes: 512 << 20, Files: 20_000}

// A savedCase is a case that an interrupted or failed run of Generate produced.
type savedCase struct {
	In, Ans []byte // Ans is nil if there is no answer yet
}

// savedPath returns the path under which a case is saved. It contains a hash of everything that determines the case.
func (m *CaseGenerator) savedPath(sources string, t *task) string {
	return filepath.Join(m.SavedDir, hashBytes([]byte(m.Directory.ID + "\n" + sources + "\n" + t.c.Line + "\n" + t.seed))[:32])
}

// save saves finished cases for the next run. It is called if this run fails or is interrupted.
func (m *CaseGenerator) save(sources string, todo []*task) error {
	for _, t := range todo {
		if m.SavedDir == "" || !t.drawn() {
			continue
		}
		var s savedCase
		var err error
		if s.In, err = os.ReadFile(t.staged + ".in"); err == nil && t.made() {
			s.Ans, err = os.ReadFile(t.staged + ".ans")
		}
		if errors.Is(err, os.ErrNotExist) { // the case has been installed
			continue
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(s)
		if err == nil {
			err = atomicfile.Write(m.savedPath(sources, t), text)
		}
		if err != nil {
			return err
		}
	}
	if m.SavedDir != "" {
		cachedir.Trim(m.SavedDir, savedLimits)
	}
	return nil
}

// restoreSaved copies saved cases into the staging directory. It ignores damaged files.
func (m *CaseGenerator) restoreSaved(sources, staging string, todo []*task) error {
	setStagedPaths(staging, todo)
	for _, t := range todo {
		if m.SavedDir == "" || t.drawn() {
			continue
		}
		path := m.savedPath(sources, t)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var s savedCase
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
