package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/cases/gen"
	"assay/judge/cases/verify"
	"assay/judge/packages"
	"assay/judge/problem"
	"assay/judge/running/check"
)

// Problem is an open problem of a workspace: its folder, with what builds and runs its
// programs. It is safe for concurrent use. Judging does not change it; what a package
// leaves open is found out once, before the first judging, by Prepared.
type Problem struct {
	*problem.Folder
	w        *Workspace
	original string // see Location
	// thawed is what is known of a problem that came in a bundle, nil for others.
	thawed *thawed
	// found is what was found out about a package elsewhere, nil for what is found out here.
	found *bundle.Frozen

	crewOnce sync.Once
	crew     *check.Crew // set by Crew

	mu        sync.Mutex       // held while something is found out
	prepared  *verify.Prepared // nil before it is known
	answering *Problem         // the same with a reference; nil before it is known
	answers   *judge.Program   // the reference, where a submission was taken for it
}

// Open locates and reads a problem.
func (w *Workspace) Open(name string) (*Problem, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, err
	}
	return l.Open()
}

// Open reads the problem.
func (l *Location) Open() (*Problem, error) {
	p, faults := l.read()
	return p, faults.AsError()
}

// Folder locates and reads a problem. With faults it cannot be judged; it may still be
// there.
func (w *Workspace) Folder(name string) (*Problem, judge.Faults, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	p, faults := l.read()
	return p, faults, nil
}

// read reads the problem. Faults are placed where people know its files.
func (l *Location) read() (*Problem, judge.Faults) {
	dir := l.w.Near(l.Dir)
	f, faults := problem.Open(packages.Formats, dir, l.w.Near(l.tests), l.w.Config.Solution)
	for _, fault := range faults {
		placeIn(l.original, dir, fault)
	}
	if f == nil {
		return nil, faults
	}
	if l.thawed != nil {
		l.thawed.thaw(f)
	} else if f.Package != nil {
		for _, fault := range f.Package.Flaws {
			placeIn(l.original, f.Dir, fault)
		}
	}
	f.Spare(func(group string) string {
		manifest, _ := os.ReadFile(filepath.Join(f.Tests, group, gen.ManifestFile)) // none: nothing is made yet
		return l.w.spare(f, manifest)
	})
	return &Problem{Folder: f, w: l.w, original: l.original, thawed: l.thawed}, faults
}

// OpenFrozen lays a bundle out as the folder dir, whose name is the problem's, and opens
// the problem there. The bundle's own languages and limits do not count: they are
// Env.Config, if they are to.
func (w *Workspace) OpenFrozen(b *bundle.Bundle, blobs *blob.Folder, dir string) (*Problem, error) {
	if err := b.LayOut(blobs, dir); err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	l := &Location{Name: name, Dir: dir, w: w, tests: filepath.Join(dir, bundle.TestsFolder), thawed: &thawed{name, b.Frozen}}
	return l.Open()
}

// Solutions is the folder of the problem's solutions; it may be missing. Those of a bundle,
// which has none, are the contest's.
func (p *Problem) Solutions() string {
	if p.thawed != nil {
		return p.w.Near(filepath.Join(p.w.Root, "solutions", p.ID))
	}
	return p.w.Near(problem.Solutions(p.Dir, p.Tests))
}

// PlaceInOriginal makes a fault of a copy one of what people know: its file, if that is there
// too, and what is to be typed.
func (p *Problem) PlaceInOriginal(f *judge.Fault) { placeIn(p.original, p.Dir, f) }

// placeIn moves a fault from a copy to the package or archive that it was made of; "" is
// none. What is to be typed about files of an archive needs them unpacked.
func placeIn(original, copied string, f *judge.Fault) {
	if original == "" {
		return
	}
	packed := isFile(original)
	if rel, err := filepath.Rel(copied, f.File); err == nil && filepath.IsLocal(rel) {
		if there := filepath.Join(original, rel); rel == "." || packed || exists(there) || !exists(f.File) { // what is missing, is missing there
			f.File = there
		}
	}
	f.Text = strings.ReplaceAll(f.Text, copied, original)
	if packed && strings.Contains(f.Hint, copied) {
		f.Hint = "unpack it first; " + strings.ReplaceAll(f.Hint, copied, filepath.Base(copied))
	}
	f.Hint = strings.ReplaceAll(f.Hint, copied, original)
}
