package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// thawed is a bundle that was laid out.
type thawed struct {
	file  string // the bundle file, or what else people call it
	found *bundle.Frozen
}

const (
	blobQuota = 8 << 30             // bytes of all laid out bundles, each content once
	keepLaid  = 30 * 24 * time.Hour // how long a laid out bundle stays that nobody uses
)

// layOut makes a problem folder of a bundle file, in the cache, and has its languages and
// limits take the place of the contest's.
func (w *Workspace) layOut(file string) (dir string, err error) {
	b, err := bundle.Read(file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := w.adopt(file, b.Config); err != nil {
		return "", err
	}
	blobs, err := blob.Open(filepath.Join(w.Cache, "blobs"), blobQuota)
	if err != nil {
		return "", err
	}
	all := filepath.Join(w.Cache, "bundles")
	home := filepath.Join(all, string(b.Manifest.ID())[:32])
	dir = filepath.Join(home, bundle.Name(file))
	if err := b.LayOut(blobs, dir); err != nil {
		return "", err
	}
	w.bundles.Store(w.Near(dir), &thawed{file, b.Frozen})
	now := time.Now()
	_ = os.Chtimes(home, now, now) // in a cache that is read-only nothing is removed either
	if old, err := os.ReadDir(all); err == nil {
		for _, e := range old {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keepLaid {
				_ = os.RemoveAll(filepath.Join(all, e.Name())) // at worst it stays
			}
		}
	}
	return dir, nil
}

// OpenFrozen lays a bundle out as the folder dir, whose name is the problem's, and opens
// the problem there. The bundle's own languages and limits do not count: they are
// Env.Config, if they are to. The caller must call Forget when the problem is not used
// any more.
func (w *Workspace) OpenFrozen(b *bundle.Bundle, blobs *blob.Folder, dir string) (*Problem, error) {
	if err := b.LayOut(blobs, dir); err != nil {
		return nil, err
	}
	w.bundles.Store(w.Near(dir), &thawed{filepath.Base(dir), b.Frozen})
	p, faults := w.read(dir, filepath.Join(dir, bundle.TestsFolder))
	return p, faults.AsError()
}

// Forget forgets what is known of the problem that OpenFrozen opened in a folder.
func (w *Workspace) Forget(dir string) { w.bundles.Delete(w.Near(dir)) }

// adopt makes a bundle's languages and limits those of the workspace.
func (w *Workspace) adopt(file string, data []byte) error {
	own, err := w.Config.Portable()
	if err != nil || bytes.Equal(own, data) {
		return err
	}
	if w.Box != nil {
		return &judge.Misuse{Err: fmt.Errorf("%s has other languages or limits than what it is judged with\n    name it alone", file)}
	}
	adopted, err := config.LoadPortable(file, data, w.Config)
	if err != nil {
		return err
	}
	w.Config, w.House = adopted, false
	return nil
}

// thawed returns what is known of a problem that came in a bundle, nil for others.
func (w *Workspace) thawed(dir string) *thawed {
	known, ok := w.bundles.Load(dir)
	if !ok {
		return nil
	}
	return known.(*thawed)
}

// thaw makes what was found out of a problem true of its folder again.
func (w *Workspace) thaw(f *problem.Folder) {
	t := w.thawed(f.Dir)
	if t == nil {
		return
	}
	f.StoreAll()
	if f.Package == nil {
		return
	}
	f.Package.Flaws = thawFaults(f, t.found.Faults)
}

// solutions is the folder of a problem's solutions. Those of a bundle, which has none, are
// the contest's.
func (w *Workspace) solutions(f *problem.Folder) string {
	if w.thawed(f.Dir) != nil {
		return filepath.Join(w.Root, "solutions", f.ID)
	}
	return problem.Solutions(f.Dir, f.Tests)
}

// problemWord stands for the problem's folder in the texts of frozen faults.
const problemWord = "{problem}"

// thawedBuilder stands for what builds graders: it fails as it did when the problem was
// frozen.
type thawedBuilder struct {
	found  *bundle.Frozen
	folder *problem.Folder
}

func (b thawedBuilder) Part(_ context.Context, p *judge.Part) (*judge.Program, error) {
	for i, fault := range b.found.Dropped {
		if filepath.Join(b.folder.Dir, filepath.FromSlash(fault.File)) == p.Path {
			return nil, thawFaults(b.folder, b.found.Dropped)[i]
		}
	}
	return nil, nil
}

// Freeze makes a bundle of a problem that is ready to be judged. It finds out what
// changes verdicts and would be something else on another machine.
func (w *Workspace) Freeze(ctx context.Context, f *Problem) (*bundle.Bundle, error) {
	own, err := w.Config.Portable()
	if err != nil {
		return nil, err
	}
	if t := f.thawed; t != nil {
		return bundle.Freeze(bundle.Source{Dir: f.Dir}, t.found, own)
	}
	found := &bundle.Frozen{Format: bundle.FrozenFormat}
	with := f // with a reference
	if f.Package != nil {
		if with, err = f.freezeFindings(ctx, found); err != nil {
			return nil, err
		}
	}
	if found.Languages, err = w.settersLanguages(with.Folder); err != nil {
		return nil, err
	}
	s := bundle.Source{Dir: f.Dir, Tests: f.Tests, Cases: map[string][]string{}, Follow: icpc.Repository(f.Dir).Follow}
	if f.Golf != nil {
		s.Drivers = w.driversFolder(f)
	}
	keep := ""
	if with.Reference != nil {
		keep = f.inFolder(with.Reference.Path)
	}
	s.Without = func(name string) bool {
		top, _, deep := strings.Cut(name, "/")
		others := deep && (top == "solutions" || f.Package != nil && top == "submissions")
		return others && name != keep && !strings.HasPrefix(keep, name+"/") && !strings.HasPrefix(name, keep+"/")
	}
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			if c.Line != "" && !f.Stored(g.Name) {
				s.Cases[g.Name] = append(s.Cases[g.Name], c.In, c.Ans)
			}
		}
	}
	return bundle.Freeze(s, found, own)
}

// freezeFindings finds out about a package what its files do not say. It returns the
// problem with a reference, where there is one.
func (f *Problem) freezeFindings(ctx context.Context, found *bundle.Frozen) (with *Problem, err error) {
	if err := f.freezePrepared(ctx, found); err != nil {
		return nil, err
	}
	found.Faults = f.freezeFaults(f.Package.Flaws)
	with, err = f.Answering(ctx)
	if _, fault := errors.AsType[*judge.Fault](err); fault {
		return f, nil
	}
	if err == nil && with != f {
		found.Reference = f.inFolder(with.Reference.Path)
	}
	return with, err
}

// freezePrepared notes what Prepared found.
func (f *Problem) freezePrepared(ctx context.Context, found *bundle.Frozen) error {
	prepared, err := f.Prepared(ctx)
	if err != nil {
		return err
	}
	found.Dropped = f.freezeFaults(prepared.Graders)
	if found.TimeLimitFrom = prepared.Limit; prepared.Limit != "" {
		found.TimeLimitUS = f.Limits.CPU.Microseconds()
	}
	return nil
}

// freezeFaults takes out of faults where the problem's folder stands.
func (f *Problem) freezeFaults(faults judge.Faults) (frozen judge.Faults) {
	for _, fault := range faults {
		own := *fault
		own.File = f.inFolder(own.File)
		for _, dir := range []string{f.Dir, f.own} {
			if dir != "" {
				own.Text, own.Hint = strings.ReplaceAll(own.Text, dir, problemWord), strings.ReplaceAll(own.Hint, dir, problemWord)
			}
		}
		frozen = append(frozen, &own)
	}
	return frozen
}

// thawFaults puts the problem's name there instead.
func thawFaults(f *problem.Folder, frozen judge.Faults) (faults judge.Faults) {
	for _, fault := range frozen {
		own := *fault
		own.File = path.Join(f.ID, own.File)
		own.Text, own.Hint = strings.ReplaceAll(own.Text, problemWord, f.ID), strings.ReplaceAll(own.Hint, problemWord, f.ID)
		faults = append(faults, &own)
	}
	return faults
}

// inFolder writes the path of a file of the problem from its folder on.
func (f *Problem) inFolder(file string) string {
	for _, dir := range []string{f.Dir, f.own} {
		if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(file)
}

// settersLanguages are the languages of the programs that judge submissions.
func (w *Workspace) settersLanguages(f *problem.Folder) ([]string, error) {
	used := map[string]bool{}
	for _, p := range parts(f) {
		if p.Speaks == judge.Checktestdata {
			continue
		}
		l, err := w.languageOf(f, p.Path)
		if err != nil {
			return nil, err
		}
		if l != nil {
			used[l.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(used)), nil
}

// parts are the setter's programs.
func parts(f *problem.Folder) []*judge.Part {
	all := []*judge.Part{f.Reference, f.Validator, f.Generator, f.Interactor, f.Static, f.Checker.Program}
	if f.Golf != nil {
		all = append(all, f.Golf.Generator, f.Golf.Checker)
	}
	if f.Grading != nil {
		all = append(all, graders(f.Grading.Root)...)
	}
	return slices.DeleteFunc(all, func(p *judge.Part) bool { return p == nil })
}

func graders(n *judge.Node) (all []*judge.Part) {
	all = append(all, n.Legacy.Grader)
	for _, child := range n.Children {
		all = append(all, graders(child)...)
	}
	return all
}

// languageOf is the language of a setter's program; nil where nobody can tell, which is
// a fault that judging tells.
func (w *Workspace) languageOf(f *problem.Folder, program string) (*config.Language, error) {
	if f.Package == nil {
		l, err := w.Tools.Detect(program, "", lang.BySetter)
		if _, unusable := errors.AsType[*lang.UnusableError](err); unusable {
			return nil, nil
		}
		return l, err
	}
	dir, err := os.MkdirTemp("", "assay-stage-*")
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", program, err)
	}
	defer os.RemoveAll(dir)
	_, l, err := w.stage(f.Package, source{path: program, from: lang.BySetter}, dir)
	if err != nil {
		return nil, nil
	}
	return l, nil
}
