package fill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/cachedir"
	"assay/judge/internal/strict"
)

// PackageIn returns what Generators needs to know about the package in dir.
func PackageIn(dir, stage string) Package {
	p := Package{Dir: dir, Stage: stage}
	file := filepath.Join(dir, "problem.yaml")
	if data, err := os.ReadFile(file); err == nil {
		n, _ := strict.ParseYAML(file, data) // the reader of the package reports its faults
		var kind strings.Builder
		for _, item := range append(n.Get("type").Items(), n.Get("validation").Items()...) {
			kind.WriteString(item.Text + " ")
		}
		p.Empty = strings.Contains(kind.String(), "interactive") || strings.Contains(kind.String(), "multi-pass")
	}
	entries, _ := os.ReadDir(filepath.Join(dir, "submissions", "accepted")) // if there are none, cases have no answers
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			p.Default = append(
				p.Default,
				&judge.SetterProgram{Path: filepath.Join(dir, "submissions", "accepted", e.Name()), Protocol: "plain"},
			)
		}
	}
	return p
}

// NeedsFilling reports whether the package's data directory contains fewer secret cases than the recipe makes, for
// example only the samples.
func NeedsFilling(dir string, r *Recipe) bool {
	if r.Script != nil {
		return r.Script.hasOnlySamples()
	}
	want := 0
	for _, c := range r.Cases {
		for _, at := range append([]string{c.Path}, c.ExtraPaths...) {
			if strings.HasPrefix(at, "secret/") {
				want++
			}
		}
	}
	secret := filepath.Join(dir, "data", "secret")
	return want > 0 && inputs(secret) < want || want == 0 && inputs(filepath.Join(dir, "data")) == 0
}

// inputs counts the inputs below a directory.
func inputs(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // without the directory there are none
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".in") {
			n++
		}
		return nil
	})
	return n
}

// FilledPackage is a filled package in a cache.
type FilledPackage struct {
	Dir    string              // a copy of the package whose data directory is filled
	Faults judge.ProblemErrors // for cases that could not be made
}

// OpenCache opens the cache of filled packages.
func OpenCache(cache string) *cachedir.Cache {
	return cachedir.Open(filepath.Join(cache, "filled"), cachedir.Limits{Bytes: maxFilledBytes, Files: maxFilledFiles})
}

// FillCached makes a copy of the package dir in a cache, and fills its data directory by the recipe. While nothing
// changes, the copy is made only once. If there were faults, the next command tries again, because their cause may
// be outside the package, such as a missing tool.
func (f *Filler) FillCached(ctx context.Context, dir string, copies *cachedir.Cache, read func(stage string) (
	*Recipe, judge.ProblemErrors, judge.ProblemErrors,
)) (*FilledPackage, error) {
	key, err := hashDir(dir, f.Follow)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", dir, err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(abs)
	var k FilledPackage
	complete := func(home string) bool {
		_, err := os.Stat(filepath.Join(home, completeFile))
		return err == nil
	}
	// If another judge uses a copy that lacks cases, it switches to the new copy at the same path.
	home, err := copies.Renew(ctx, strings.TrimLeft(base, ".")+"-"+key, complete, func(home string) error {
		return f.fillCopy(ctx, &k, dir, home, base, read)
	})
	if err != nil {
		return nil, err
	}
	k.Dir = filepath.Join(home, base)
	return &k, nil
}

// Limits for all filled packages together.
const (
	maxFilledBytes = 16 << 30
	maxFilledFiles = 1_000_000
)

// completeFile is a file beside a filled package. It exists if all cases could be made.
const completeFile = "done"

// fillCopy copies the package to tmp/base and fills its data directory.
func (f *Filler) fillCopy(ctx context.Context, k *FilledPackage, dir, tmp, base string, read func(stage string) (
	*Recipe, judge.ProblemErrors, judge.ProblemErrors,
)) error {
	to := filepath.Join(tmp, base)
	if err := copyDir(dir, to, f.Follow); err != nil {
		return fmt.Errorf("copy package %s: %w", dir, err)
	}
	stage := filepath.Join(tmp, "programs")
	recipe, flaws, faults := read(stage)
	if len(faults) > 0 {
		return faults
	}
	data := filepath.Join(to, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return fmt.Errorf("fill package %s: %w", dir, err)
	}
	made, err := f.Fill(ctx, recipe, data)
	if err != nil {
		return err
	}
	k.Faults = slices.Concat(flaws, made)
	if inputs(data) == 0 {
		return append(k.Faults, &judge.ProblemError{File: dir, Text: "no case could be made"})
	}
	if len(k.Faults) == 0 {
		err = os.WriteFile(filepath.Join(tmp, completeFile), nil, 0o644)
	}
	return errors.Join(err, os.RemoveAll(stage))
}

// isIgnored reports whether a file or directory of a package does not affect judging.
func isIgnored(name string) bool {
	return name == ".git" || name == ".github" || name == "__pycache__" || name == "node_modules"
}

// hashDir returns a hash of all files below dir, including targets of links that follow allows. If follow is
// nil, it allows none.
func hashDir(dir string, follow func(link string) (string, bool)) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && isIgnored(d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v\n", filepath.ToSlash(rel), d.Type())
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			fmt.Fprintf(sum, "%q\n", target)
			if err != nil || follow == nil {
				return err
			}
			if real, ok := follow(path); ok && !isInside(dir, real) {
				return hashLinked(sum, real)
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return hashFile(sum, path)
	})
	return hex.EncodeToString(sum.Sum(nil)[:12]), err
}

func hashFile(sum io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	n, err := io.Copy(sum, file)
	fmt.Fprintf(sum, "%d\n", n)
	return err
}

// hashLinked adds the target of a link to the hash.
func hashLinked(sum io.Writer, real string) error {
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		key, err := hashDir(real, nil)
		fmt.Fprintln(sum, key)
		return err
	case info.Mode().IsRegular():
		return hashFile(sum, real)
	}
	return nil
}

// copyDir copies files, directories and links. Links that would point elsewhere after the copy are replaced by
// their targets if follow allows it. If follow is nil, it allows none.
func copyDir(from, to string, follow func(link string) (string, bool)) error {
	abs, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && isIgnored(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			if follow != nil {
				if real, ok := follow(path); ok && !isInside(abs, real) {
					return copyLinked(real, target)
				}
			}
			return os.Symlink(link, target)
		case d.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil
	})
}

// isInside reports whether path is dir or lies in it.
func isInside(dir, path string) bool {
	if full, err := filepath.EvalSymlinks(dir); err == nil {
		dir = full
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// copyLinked copies the target of a link.
func copyLinked(from, to string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return copyDir(from, to, nil)
	case info.Mode().IsRegular():
		return copyFile(from, to)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
