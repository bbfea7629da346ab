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

// Problem is an open problem of a workspace: its directory, with what builds and runs its programs. It is
// safe for concurrent use. Judging does not change it. Prepared determines once, before the first judging,
// what a package leaves open.
type Problem struct {
	*problem.Directory
	w        *Workspace
	original string // see Location
	// thawed is set for a problem from a bundle, and otherwise nil.
	thawed *thawed
	// found is what another process has determined about a package. If nil, it is determined here.
	found *bundle.Frozen

	crewOnce sync.Once
	crew     *check.Crew // set by Crew

	mu        sync.Mutex       // held while something is determined
	prepared  *verify.Prepared // nil before it is known
	answering *Problem         // the same with a reference solution; nil before it is known
	answers   *judge.Program   // the reference solution, if it is a submission
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

// Load locates and reads a problem. With faults it cannot be judged; the problem may still be returned.
func (w *Workspace) Load(name string) (*Problem, judge.Faults, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	p, faults := l.read()
	return p, faults, nil
}

// read reads the problem. Faults have the paths that users know.
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
		l.thawed.applyTo(f)
	} else if f.Package != nil {
		for _, fault := range f.Package.Warnings {
			placeIn(l.original, f.Dir, fault)
		}
	}
	f.Spare(func(group string) string {
		manifest, _ := os.ReadFile(filepath.Join(f.Tests, group, gen.ManifestFile)) // no error: nothing has been made yet
		return l.w.spare(f, manifest)
	})
	return &Problem{Directory: f, w: l.w, original: l.original, thawed: l.thawed}, faults
}

// OpenFrozen unpacks a bundle to the directory dir, whose name is the problem's, and opens the problem there.
// It ignores the bundle's languages and limits; to use them, set Env.Config.
func (w *Workspace) OpenFrozen(b *bundle.Bundle, blobs *blob.Dir, dir string) (*Problem, error) {
	if err := b.LayOut(blobs, dir); err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	l := &Location{Name: name, Dir: dir, w: w, tests: filepath.Join(dir, bundle.TestsFolder), thawed: &thawed{name, b.Frozen}}
	return l.Open()
}

// Solutions returns the directory of the problem's solutions, which may not exist. A bundle contains none, so
// its solutions are those of the contest.
func (p *Problem) Solutions() string {
	if p.thawed != nil {
		return p.w.Near(filepath.Join(p.w.Root, "solutions", p.ID))
	}
	return p.w.Near(problem.Solutions(p.Dir, p.Tests))
}

// PlaceInOriginal moves a fault from a copy to the original that users know: its file, if it exists there,
// and the commands in its hint.
func (p *Problem) PlaceInOriginal(f *judge.Fault) { placeIn(p.original, p.Dir, f) }

// placeIn moves a fault from a copy to the package or archive that it was made of. If original is empty, it
// does nothing. If a hint is about files of an archive, they must be unpacked first.
func placeIn(original, copied string, f *judge.Fault) {
	if original == "" {
		return
	}
	packed := isFile(original)
	if rel, err := filepath.Rel(copied, f.File); err == nil && filepath.IsLocal(rel) {
		// A file that is missing is missing in the original, too.
		if there := filepath.Join(original, rel); rel == "." || packed || exists(there) || !exists(f.File) {
			f.File = there
		}
	}
	f.Text = strings.ReplaceAll(f.Text, copied, original)
	if packed && strings.Contains(f.Hint, copied) {
		f.Hint = "unpack it first; " + strings.ReplaceAll(f.Hint, copied, filepath.Base(copied))
	}
	f.Hint = strings.ReplaceAll(f.Hint, copied, original)
}
