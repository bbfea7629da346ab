package problem

import (
	"path/filepath"

	"assay/judge"
)

// Stored says whether the generated cases of a group stand in its folder. Those of other
// groups are made on first use: their manifest suffices.
func (f *Folder) Stored(group string) bool { return !f.unstored[group] }

// StoreAll says that the cases of all groups stand in their folders, whatever problem.toml
// says: in a copy of the problem that was made with them.
func (f *Folder) StoreAll() { f.unstored = nil }

// Spare says where the cases stand that are not stored: for each group in a folder of
// its own, which may be removed at any time.
func (f *Folder) Spare(dir func(group string) string) {
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

// readStore reads whether the cases of a group are stored.
func (f *Folder) readStore(key string, g group) *judge.Fault {
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
		return f.Fault(key+".store", "store is true or false", "store = false has the cases of the group made on first use")
	}
	return nil
}
