package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/cases/gen"
	"assay/judge/cases/verify"
	"assay/judge/internal/suggest"
	"assay/judge/packages"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
	"assay/judge/running/check"
)

// Problem is an open problem of a workspace: its folder, with what builds and runs its
// programs. It is safe for concurrent use. Judging does not change it; what a package
// leaves open is found out once, before the first judging, by Prepared.
type Problem struct {
	*problem.Folder
	w   *Workspace
	own string // what people know, where the folder is a copy of it: a package whose cases were made, an archive; "" elsewhere
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

// Open finds and reads a problem.
func (w *Workspace) Open(name string) (*Problem, error) {
	p, faults, err := w.Folder(name)
	if err != nil {
		return nil, err
	}
	return p, faults.AsError()
}

// Folder finds and reads a problem, and unpacks it if it is in an archive. With
// faults it cannot be judged; it may still be there.
func (w *Workspace) Folder(name string) (*Problem, judge.Faults, error) {
	dir, tests, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	p, faults := w.read(dir, tests)
	return p, faults, nil
}

// Locate finds the folder of a problem and of its generated cases, and unpacks it if
// it is in an archive. What the contest does not have may be a problem of the house.
func (w *Workspace) Locate(name string) (dir, tests string, err error) {
	if bundle.Is(name) && isFile(name) {
		if name, err = w.layOut(name); err != nil {
			return "", "", err
		}
	}
	dir, tests, err = problem.Find(packages.Formats, w.Root, name)
	if missing, ok := errors.AsType[*problem.NotFoundError](err); ok {
		lent, failed := w.Lent()
		switch {
		case failed != nil:
			return "", "", failed
		case slices.Contains(lent, name):
			root, _ := w.houseRoot()
			return problem.Find(packages.Formats, root, name)
		}
		own, _ := w.Own()
		if _, near := suggest.Closest(name, own); !near && !strings.ContainsRune(name, filepath.Separator) {
			if _, near := suggest.Closest(name, lent); near || missing.Hint == suggest.List(own) {
				missing.Hint = suggest.Hint(name, slices.Concat(own, lent))
			}
		}
	}
	if err == nil && icpc.IsArchive(dir) {
		archive := w.Near(dir)
		if dir, err = w.unpack(dir); err == nil {
			w.unpacked.Store(w.Near(dir), archive)
		}
		if tests = dir; err == nil && own(dir) {
			tests = filepath.Join(dir, "testcases") // as of a folder outside any contest
		}
	}
	return dir, tests, err
}

// read reads the problem in a folder.
func (w *Workspace) read(dir, tests string) (*Problem, judge.Faults) {
	f, faults := problem.Open(packages.Formats, w.Near(dir), w.Near(tests), w.Config.Solution)
	own := w.known(dir)
	for _, fault := range faults {
		placeIn(own, w.Near(dir), fault)
	}
	if f == nil {
		return nil, faults
	}
	if f.Package != nil {
		for _, fault := range f.Package.Flaws {
			placeIn(own, f.Dir, fault)
		}
	}
	w.thaw(f)
	f.Spare(func(group string) string {
		manifest, _ := os.ReadFile(filepath.Join(f.Tests, group, gen.ManifestFile)) // none: nothing is made yet
		return w.spare(f, manifest)
	})
	return &Problem{Folder: f, w: w, own: own, thawed: w.thawed(f.Dir)}, faults
}

// known is the archive that a folder was unpacked from, "" where it was not.
func (w *Workspace) known(dir string) string {
	archive, _ := w.unpacked.Load(w.Near(dir))
	path, _ := archive.(string)
	return path
}

// unpack lays an archive out in the cache, once for each version of it, and
// returns the package's folder there.
func (w *Workspace) unpack(archive string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", &judge.Fault{File: archive, Text: problem.Reason(err)}
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read %s: %w", archive, err)
	}
	base := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	home, err := w.archives.Add(context.Background(), hex.EncodeToString(sum.Sum(nil)[:16]), func(home string) error {
		_, err := icpc.Unpack(archive, filepath.Join(home, base), own, polygon.Is, problem.IsPlain)
		return err
	})
	if err != nil {
		return "", err
	}
	return icpc.PackageIn(archive, filepath.Join(home, base), own, polygon.Is, problem.IsPlain)
}

// own says whether a folder is a problem of the judge's own form.
func own(dir string) bool { return isFile(filepath.Join(dir, problem.File)) }
