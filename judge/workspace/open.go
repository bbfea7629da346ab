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
	// unpacked contains what the bundle recorded about the problem. If nil, the problem is not from a bundle.
	unpacked *unpackedBundle
	// findings contains the findings of another process about a package. If nil, this process determines the
	// findings.
	findings *bundle.Findings

	programsOnce sync.Once
	programs     *check.SetterPrograms // set by SetterPrograms

	mu            sync.Mutex       // held while findings are determined
	prepared      *verify.Prepared // nil until it is determined
	withReference *Problem         // this problem with a reference solution; nil until it is determined
	reference     *judge.Program   // the reference solution, if it is a submission
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
	p, faults := l.readProblem()
	return p, faults.AsError()
}

// Load locates and reads a problem. If there are faults, the problem cannot be judged, but may still be returned.
func (w *Workspace) Load(name string) (*Problem, judge.ProblemErrors, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	p, faults := l.readProblem()
	return p, faults, nil
}

// readProblem reads the problem. Faults contain the paths of the original, which users know, and not the paths of a copy.
func (l *Location) readProblem() (*Problem, judge.ProblemErrors) {
	dir := l.w.DisplayPath(l.Dir)
	f, faults := problem.Open(packages.Formats, dir, l.w.DisplayPath(l.casesDir), l.w.Config.Solution)
	for _, fault := range faults {
		restorePosition(l.original, dir, fault)
	}
	if f == nil {
		return nil, faults
	}
	if l.unpacked != nil {
		l.unpacked.applyTo(f)
	} else if f.Package != nil {
		for _, fault := range f.Package.Warnings {
			restorePosition(l.original, f.Dir, fault)
		}
	}
	f.Spare(func(group string) string {
		manifest, _ := os.ReadFile(filepath.Join(f.Tests, group, gen.ManifestFile)) // on error, no cases have been made yet
		return l.w.casesCacheDir(f, manifest)
	})
	return &Problem{Directory: f, w: l.w, original: l.original, unpacked: l.unpacked}, faults
}

// OpenBundle unpacks a bundle to the directory dir, which must have the problem's name, and opens the problem
// there. It ignores the bundle's languages and limits; to use them, set Env.Config.
func (w *Workspace) OpenBundle(b *bundle.Bundle, blobs *blob.Dir, dir string) (*Problem, error) {
	if err := b.Extract(blobs, dir); err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	l := &Location{Name: name, Dir: dir, w: w, casesDir: filepath.Join(dir, bundle.TestsDir), unpacked: &unpackedBundle{name, b.Findings}}
	return l.Open()
}

// SolutionsDir returns the directory of the problem's solutions, which may not exist. A bundle contains no solutions,
// so the contest's solutions are used.
func (p *Problem) SolutionsDir() string {
	if p.unpacked != nil {
		return p.w.DisplayPath(filepath.Join(p.w.Root, "solutions", p.ID))
	}
	return p.w.DisplayPath(problem.Solutions(p.Dir, p.Tests))
}

// RestorePosition changes the position of a fault from a copy to the original that users know: its file, if it
// exists there, and the commands in its hint.
func (p *Problem) RestorePosition(f *judge.ProblemError) { restorePosition(p.original, p.Dir, f) }

// restorePosition changes the position of a fault from a copy to the original package or archive. If original is empty, it
// does nothing. If the fault's hint is about files in an archive, restorePosition adds to the hint that the archive must
// be unpacked first.
func restorePosition(original, copied string, f *judge.ProblemError) {
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
