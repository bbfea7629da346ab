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

// Spare says where the cases stand that are not stored: in a folder of their own below
// dir, which may be removed at any time.
func (f *Folder) Spare(dir string) {
	for g := range f.Groups {
		if f.Stored(f.Groups[g].Name) {
			continue
		}
		for i := range f.Groups[g].Cases {
			if c := &f.Groups[g].Cases[i]; c.Line != "" {
				base := filepath.Join(dir, c.Group, c.Name)
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
