package problem

import (
	"path/filepath"

	"assay/judge"
)

// Stored reports whether the generated cases of a group are stored in its directory. Cases of other groups are
// made on first use, from their manifest.
func (f *Directory) Stored(group string) bool { return !f.unstored[group] }

// StoreAll marks the cases of all groups as stored, regardless of problem.toml. It is for a copy of the problem
// that contains them.
func (f *Directory) StoreAll() { f.unstored = nil }

// Spare sets the directories for the cases of groups that are not stored. These directories may be removed at any
// time.
func (f *Directory) Spare(dir func(group string) string) {
	for g := range f.Groups {
		if f.Stored(f.Groups[g].Name) {
			continue
		}
		home := dir(f.Groups[g].Name)
		for i := range f.Groups[g].Cases {
			if c := &f.Groups[g].Cases[i]; c.Line != "" {
				base := filepath.Join(home, c.Name)
				c.In, c.Ans = base+".in", base+".ans"
			}
		}
	}
}

// readStore reads whether the cases of a group are to be stored.
func (f *Directory) readStore(key string, g group) *judge.ProblemError {
	switch store := g.Store.(type) {
	case nil:
	case bool:
		if !store {
			if f.unstored == nil {
				f.unstored = map[string]bool{}
			}
			f.unstored[g.Name] = true
		}
	default:
		return f.Fault(key+".store", "store is true or false", "with store = false, the cases of the group are made on first use")
	}
	return nil
}
