package gen

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/internal/pattern"
	"assay/judge/problem"
)

// stagingPrefix is the prefix of directories that hold cases until all have been generated.
const stagingPrefix = ".generate-"

// stage creates a staging directory on the same file system as the cases. It removes staging directories of interrupted
// runs.
func (m *CaseGenerator) stage(todo []*task) (string, error) {
	if err := os.MkdirAll(m.Directory.Tests, 0o755); err != nil {
		return "", m.unwritable(todo[0].c, fmt.Errorf("create a directory for the cases: %w", err))
	}
	for _, t := range todo {
		if err := m.checkInstallable(t.c); err != nil {
			return "", m.unwritable(t.c, err)
		}
	}
	stale, _ := filepath.Glob(filepath.Join(m.Directory.Tests, stagingPrefix+"*"))
	for _, dir := range stale {
		os.RemoveAll(dir)
	}
	staging, err := os.MkdirTemp(m.Directory.Tests, stagingPrefix+"*")
	if err != nil {
		return "", m.unwritable(todo[0].c, fmt.Errorf("create a directory for the cases: %w", err))
	}
	return staging, nil
}

// checkInstallable returns an error if the files of a case cannot be installed.
func (m *CaseGenerator) checkInstallable(c *judge.Case) error {
	dir := filepath.Dir(c.In)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "create a directory for the cases: mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	for _, path := range []string{c.In, c.Ans} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
		}
	}
	return nil
}

// unstage removes the staging directory. It also removes the parent directory if stage created it and it is still
// empty.
func (m *CaseGenerator) unstage(staging string) {
	os.RemoveAll(staging)
	os.Remove(m.Directory.Tests) // fails if the directory contains cases
}

// unwritable converts an error from writing a case to a fault, if the setter can fix the cause.
func (m *CaseGenerator) unwritable(c *judge.Case, err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	hint := ""
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrExist):
		hint = "another file has this name: move it away"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		hint = "the cases are stored in " + m.Directory.Tests + ": allow your account to write there"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "make room on the disk of " + path.Path
	default:
		return err
	}
	return m.Directory.CaseFault(c, fmt.Sprintf("case %s cannot be written: %v", c.ID(), err), hint+"; nothing was changed")
}

// installGroup installs a group's new cases, and removes generated cases that no line produces any more. It writes the
// manifest last. If place is interrupted before that, the files do not match the manifest, and are regenerated.
func (m *CaseGenerator) installGroup(
	g *judge.Group, updated *Manifest, current map[string]*ManifestCase, tasks map[string]*task, sum *Summary,
) error {
	dir := m.dir(g.Name)
	old, _ := ReadManifest(dir)
	if old == nil {
		old = &Manifest{}
	}
	for i := range g.Cases {
		c := &g.Cases[i]
		if e := current[c.ID()]; e != nil {
			updated.Cases = append(updated.Cases, *e)
		}
		if t := tasks[c.ID()]; t != nil {
			sum.Generated++
			if e := old.entry(c.Name); e == nil || e.In != t.in || e.Ans != t.ans {
				sum.Changed++
			}
			updated.Cases = append(updated.Cases, ManifestCase{Name: c.Name, Line: c.Line, Seed: t.seed, In: t.in, Ans: t.ans})
		}
	}
	manifest := updated.format()
	for i := range g.Cases {
		c := &g.Cases[i]
		t := tasks[c.ID()]
		if t == nil && current[c.ID()] == nil {
			continue
		}
		if t == nil {
			t = &task{c: c, staged: strings.TrimSuffix(c.In, ".in")}
		}
		spare := !m.Directory.Stored(g.Name)
		if spare && m.SpareDir != nil {
			base := filepath.Join(m.SpareDir(m.Directory, manifest), c.Name)
			c.In, c.Ans = base+".in", base+".ans"
		}
		if err := t.install(); err != nil {
			return err
		}
		if spare && tasks[c.ID()] != nil && filepath.Dir(c.In) != dir { // remove the files at the old location
			if err := removeCase(dir, c.Name); err != nil {
				return err
			}
		}
	}
	for _, e := range old.Cases {
		if updated.entry(e.Name) == nil {
			sum.Removed++
			if err := removeCase(dir, e.Name); err != nil {
				return err
			}
		}
	}
	if len(updated.Cases) == 0 {
		return removeIfEmpty(dir)
	}
	return atomicfile.Write(filepath.Join(dir, ManifestFile), manifest)
}

// install installs the files of a case.
func (t *task) install() error {
	for _, file := range []struct{ from, to string }{{t.staged + ".in", t.c.In}, {t.staged + ".ans", t.c.Ans}} {
		err := os.MkdirAll(filepath.Dir(file.to), 0o755)
		if err == nil {
			err = os.Rename(file.from, file.to)
		}
		if errors.Is(err, syscall.EXDEV) { // the cache is on another disk
			var data []byte
			if data, err = os.ReadFile(file.from); err == nil {
				err = atomicfile.Write(file.to, data)
			}
		}
		if err != nil {
			return fmt.Errorf("place case %s: %w; repeat the command to resume", t.c.ID(), err)
		}
	}
	return nil
}

// answerHandwritten runs the reference solution to write the missing answer files of handwritten cases.
func (m *CaseGenerator) answerHandwritten(ctx context.Context, sum *Summary) error {
	var crew *programSet
	for _, g := range m.Directory.Groups {
		for i := range g.Cases {
			c := &g.Cases[i]
			if _, err := os.Stat(c.Ans); c.Line != "" || c.Ans == "" || !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if crew == nil {
				var err error
				if crew, err = m.buildPrograms(ctx); err != nil {
					return err
				}
			}
			if len(c.Files) > 0 {
				return &judge.ProblemError{
					File: c.In,
					Text: "the case has no answer, and the reference is not shown the files beside its input",
					Hint: "write " + filepath.Base(c.Ans) + " by hand",
				}
			}
			input, err := os.ReadFile(c.In)
			if err != nil {
				return fmt.Errorf("answer case %s: %w", c.ID(), err)
			}
			answer, err := RunReference(
				ctx, m.Runner, crew.Reference, referenceFor(m.Directory, c), m.Directory.Limits,
				bytes.NewReader(input),
			)
			if err != nil {
				return m.locateInCase(c, err)
			}
			if err := atomicfile.Write(c.Ans, answer); err != nil {
				return err
			}
			sum.Generated++
			sum.Changed++
		}
	}
	return nil
}

// removeGroups removes the generated cases of groups that are no longer in problem.toml.
func (m *CaseGenerator) removeGroups(sum *Summary) error {
	entries, err := os.ReadDir(m.Directory.Tests)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		known := slices.ContainsFunc(m.Directory.Groups, func(g judge.Group) bool { return g.Name == e.Name() })
		if !e.IsDir() || known {
			continue
		}
		dir := m.dir(e.Name())
		old, faults := ReadManifest(dir)
		if len(faults) > 0 {
			return faults
		}
		for _, c := range old.Cases {
			sum.Removed++
			if err := removeCase(dir, c.Name); err != nil {
				return err
			}
		}
		if err := removeIfEmpty(dir); err != nil {
			return err
		}
	}
	return nil
}

func removeCase(dir, name string) error {
	for _, ext := range []string{".in", ".ans"} {
		if err := os.Remove(filepath.Join(dir, name+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old case: %w", err)
		}
	}
	return nil
}

// removeIfEmpty removes a directory that contains only a manifest. A directory with files that judge did not
// generate is left unchanged.
func removeIfEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != ManifestFile {
			return nil
		}
	}
	return os.RemoveAll(dir)
}

// CheckFiles compares the files on disk with the manifests and the generator lines, without running a program. It
// returns faults for files that are missing, changed manually, out of date, or produced by no line.
func (m *CaseGenerator) CheckFiles() judge.ProblemErrors {
	faults, _, _ := m.CompareFiles()
	return faults
}

// CompareFiles is like CheckFiles, but returns two more results. The doubtful cases are those whose files do not match
// their lines, so that no solution may be judged with them. The result changed lists the groups that were
// generated with other versions of the programs. The current programs may still generate the same files: see
// Redraw.
func (m *CaseGenerator) CompareFiles() (faults judge.ProblemErrors, doubtful []*judge.Case, changed []string) {
	sources, err := m.sources()
	if err != nil {
		return judge.ProblemErrors{{File: m.Directory.Dir, Text: err.Error()}}, nil, nil
	}
	again := "run: judge generate " + m.Directory.ID
	var missing []*judge.Case
	for k := range m.Directory.Groups {
		g := &m.Directory.Groups[k]
		var made, bad []*judge.Case
		for i := range g.Cases {
			if c := &g.Cases[i]; c.Line != "" {
				made = append(made, c)
			}
		}
		dir := m.dir(g.Name)
		manifest, flaws := ReadManifest(dir)
		if len(flaws) > 0 {
			faults, doubtful = append(faults, flaws...), append(doubtful, made...)
			continue
		}
		stored := m.Directory.Stored(g.Name)
		expected := map[string]bool{ManifestFile: true}
		for _, c := range made {
			expected[c.Name+".in"], expected[c.Name+".ans"] = stored, stored
			e := manifest.entry(c.Name)
			switch {
			case e == nil || stored && hasMissingFile(c):
				missing, bad = append(missing, c), append(bad, c)
			case e.Line != c.Line || !m.isSeed(c, e.Seed):
				faults, bad = append(faults, m.Directory.CaseFault(c, fmt.Sprintf(
					"case %s was made from the line %q with another seed", c.ID(), e.Line,
				), again)), append(bad, c)
			case stored:
				if flaws := intactFaults(c, e, again); len(flaws) > 0 {
					faults, bad = append(faults, flaws...), append(bad, c)
				}
			}
		}
		if len(made) > 0 && len(manifest.Cases) > 0 && manifest.Sources != sources {
			changed = append(changed, g.Name)
		}
		doubtful = append(doubtful, bad...)
		faults = append(faults, strayFiles(dir, expected)...)
	}
	if fault := m.Directory.NotGenerated(missing); fault != nil {
		faults = append(judge.ProblemErrors{fault}, faults...)
	}
	return faults, doubtful, changed
}

// hasMissingFile reports whether a file of the case is missing.
func hasMissingFile(c *judge.Case) bool {
	_, err := os.Lstat(c.In)
	_, err2 := os.Lstat(c.Ans)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err2, fs.ErrNotExist)
}

// intactFaults returns faults for the files of a case that differ from the case's manifest entry.
func intactFaults(c *judge.Case, e *ManifestCase, hint string) (faults judge.ProblemErrors) {
	for _, file := range []struct{ path, want string }{{c.In, e.In}, {c.Ans, e.Ans}} {
		switch got, err := hashFile(file.path); {
		case err != nil:
			faults = append(faults, &judge.ProblemError{File: file.path, Text: err.Error()})
		case got != file.want:
			faults = append(
				faults,
				&judge.ProblemError{
					File: file.path, Text: "the file is not the one that was generated",
					Hint: "generated cases are not edited; " + hint,
				},
			)
		}
	}
	return faults
}

func strayFiles(dir string, expected map[string]bool) (faults judge.ProblemErrors) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !expected[e.Name()] && !problem.Leftover(e.Name()) {
			faults = append(faults, &judge.ProblemError{
				File: filepath.Join(dir, e.Name()), Text: "no generator line makes this file",
				Hint: "put cases written by hand into the problem's directory cases/, or remove the file",
			})
		}
	}
	return faults
}

// duplicateSets returns the sets of cases that share an input, in judging order.
func (m *CaseGenerator) duplicateSets(current map[string]*ManifestCase, tasks map[string]*task) (sets [][]*judge.Case) {
	byHash := map[string][]*judge.Case{}
	var inputs []string
	for g := range m.Directory.Groups {
		for i := range m.Directory.Groups[g].Cases {
			c := &m.Directory.Groups[g].Cases[i]
			digest := ""
			switch e, t := current[c.ID()], tasks[c.ID()]; {
			case t != nil:
				digest = t.in
			case e != nil:
				digest = e.In
			default:
				digest, _ = hashFile(c.In) // an unreadable file is reported elsewhere
			}
			if digest == "" {
				continue
			}
			if byHash[digest] == nil {
				inputs = append(inputs, digest)
			}
			byHash[digest] = append(byHash[digest], c)
		}
	}
	for _, digest := range inputs {
		if same := byHash[digest]; len(same) > 1 {
			sets = append(sets, same)
		}
	}
	return sets
}

// duplicates returns a fault if several cases have the same input.
func (m *CaseGenerator) duplicates(current map[string]*ManifestCase, tasks map[string]*task) error {
	var faults judge.ProblemErrors
	alike := m.duplicateSets(current, tasks)
	wanted, different := m.countSeedless(alike)
	reported := map[string]bool{}
	for _, same := range alike {
		last := same[len(same)-1]
		var names []string
		for i, c := range same[:len(same)-1] {
			const most = 5
			if i == most && len(same) > most+2 {
				names = append(names, fmt.Sprintf("and %d more", len(same)-1-most))
				break
			}
			names = append(names, c.ID())
		}
		hint := "remove its line, or give it other arguments or other seeds, such as --seed {101..120}"
		if t := tasks[last.ID()]; t != nil && t.attempts == maxAlike {
			hint = fmt.Sprintf("it was drawn %d times; remove its line, or let it make more different inputs", maxAlike+1)
		}
		if line := seedless(last); different[line] < wanted[line] {
			if reported[line] {
				continue
			}
			reported[line] = true
			what := "the same input"
			if n := different[line]; n > 1 {
				what = fmt.Sprintf("only %d different inputs, not %d", n, wanted[line])
			}
			hint = "lines that differ only in their seed make " + what +
				": let the generator draw all random numbers from its seed (kit: g.Rand), or use fewer seeds"
		}
		faults = append(faults, m.Directory.CaseFault(
			last, fmt.Sprintf("case %s has the same input as %s", last.ID(), strings.Join(names, ", ")), hint,
		))
	}
	slices.SortFunc(faults, func(a, b *judge.ProblemError) int { return cmp.Compare(a.Line, b.Line) })
	return faults.AsError()
}

// countSeedless groups cases by their lines without the seed. For each such line, it counts the wanted cases and
// their different inputs.
func (m *CaseGenerator) countSeedless(alike [][]*judge.Case) (wanted, different map[string]int) {
	wanted, different = map[string]int{}, map[string]int{}
	for g := range m.Directory.Groups {
		for i := range m.Directory.Groups[g].Cases {
			if line := seedless(&m.Directory.Groups[g].Cases[i]); line != "" {
				wanted[line]++
				different[line]++
			}
		}
	}
	for _, same := range alike {
		seen := map[string]bool{}
		for _, c := range same {
			line := seedless(c)
			if line != "" && seen[line] {
				different[line]--
			}
			seen[line] = true
		}
	}
	return wanted, different
}

// seedless returns a generator line without its seed. It returns "" if the line has no seed.
func seedless(c *judge.Case) string {
	if line := seedOf().ReplaceAllString(c.Line, ""); line != c.Line && !problem.Derived(line) {
		return line
	}
	return ""
}

var seedOf = pattern.New(`--?seed[= ]\d+`)
