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

// Problem is an open problem of a workspace: its directory, and the tools that build and run its programs. It is
// safe for concurrent use. Judging does not change it. Before the first judging, Prepared determines once what a
// package does not specify.
type Problem struct {
	*problem.Directory
	w        *Workspace
	original string // see Location
	// thawed contains what the bundle recorded about the problem. If nil, the problem is not from a bundle.
	thawed *thawed
	// found contains the findings of another process about a package. If nil, this process determines the
	// findings.
	found *bundle.Frozen

	crewOnce sync.Once
	crew     *check.Crew // set by Crew

	mu        sync.Mutex       // held while findings are determined
	prepared  *verify.Prepared // nil until it is determined
	answering *Problem         // this problem with a reference solution; nil until it is determined
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

// Load locates and reads a problem. If there are faults, the problem cannot be judged, but may still be returned.
func (w *Workspace) Load(name string) (*Problem, judge.Faults, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	p, faults := l.read()
	return p, faults, nil
}

// read reads the problem. Faults contain the paths of the original, which users know, and not the paths of a copy.
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
		manifest, _ := os.ReadFile(filepath.Join(f.Tests, group, gen.ManifestFile)) // on error, no cases have been made yet
		return l.w.spare(f, manifest)
	})
	return &Problem{Directory: f, w: l.w, original: l.original, thawed: l.thawed}, faults
}

// OpenFrozen unpacks a bundle to the directory dir, which must have the problem's name, and opens the problem
// there. It ignores the bundle's languages and limits; to use them, set Env.Config.
func (w *Workspace) OpenFrozen(b *bundle.Bundle, blobs *blob.Dir, dir string) (*Problem, error) {
	if err := b.LayOut(blobs, dir); err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	l := &Location{Name: name, Dir: dir, w: w, tests: filepath.Join(dir, bundle.TestsFolder), thawed: &thawed{name, b.Frozen}}
	return l.Open()
}

// Solutions returns the directory of the problem's solutions, which may not exist. A bundle contains no solutions,
// so the contest's solutions are used.
func (p *Problem) Solutions() string {
	if p.thawed != nil {
		return p.w.Near(filepath.Join(p.w.Root, "solutions", p.ID))
	}
	return p.w.Near(problem.Solutions(p.Dir, p.Tests))
}

// PlaceInOriginal changes the position of a fault from a copy to the original that users know: its file, if it
// exists there, and the commands in its hint.
func (p *Problem) PlaceInOriginal(f *judge.Fault) { placeIn(p.original, p.Dir, f) }

// placeIn changes the position of a fault from a copy to the original package or archive. If original is empty, it
// does nothing. If the fault's hint is about files in an archive, placeIn adds to the hint that the archive must
// be unpacked first.
func placeIn(original, copied string, f *judge.Fault) {
	if original == "" {
		return
	}
	packed := isFile(original)
	if rel, err := filepath.Rel(copied, f.File); err == nil && filepath.IsLocal(rel) {
		// Change the path unless the file was added to the copy. A file that is missing in the copy is also
		// missing in the original.
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
