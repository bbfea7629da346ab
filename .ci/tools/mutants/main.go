// Command mutants measures what a package's tests notice: it makes one small change in
// the code at a time, runs the tests, and lists the changes with which they still pass.
//
//	go run -C .ci/tools ./mutants [-every N] ./judge [flags of go test]
//
// It does not write to the tree: changed files reach the compiler as an overlay. Nearly
// all changes stand in one test program, and an environment variable says which of them
// is on; the few that cannot stand beside others, as those of a constant's declaration,
// are compiled one by one. A change that does not compile does not count; one with which
// the tests never end counts as noticed. A line of the file equivalent names a change
// that alters nothing that anybody could see, with the reason.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	every := flag.Int("every", 1, "try only every `N`th change")
	flag.Parse()
	if flag.NArg() == 0 || *every < 1 {
		fmt.Fprintln(os.Stderr, "usage: go run -C .ci/tools ./mutants [-every N] <package> [flags of go test]")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *every); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(pkg string, flags []string, every int) error {
	marked, err := equivalent("mutants/equivalent")
	if err != nil {
		return err
	}
	if err := os.Chdir("../.."); err != nil {
		return err
	}
	p, err := load(pkg)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{pkg: pkg, dir: dir, flags: flags}
	if err := b.build(p); err != nil {
		return err
	}
	tried, noticed, alike := 0, 0, 0
	for i := 0; i < len(p.changes); i += every {
		c := p.changes[i]
		if marked[c.String()] {
			alike++
			continue
		}
		passes, compiles, err := b.try(p, c)
		if err != nil {
			return err
		}
		switch {
		case !compiles:
			continue
		case passes:
			fmt.Printf("%s:%d: %s\n", c.file, c.at.Line, c)
		default:
			noticed++
		}
		tried++
	}
	fmt.Printf("%s: %d of %d changes are noticed (%.1f %%); %d more alter nothing\n",
		pkg, noticed, tried, 100*float64(noticed)/float64(max(tried, 1)), alike)
	return nil
}

// equivalent reads the changes that nobody could notice: those of String, with the
// reason behind.
func equivalent(file string) (map[string]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	marked := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if at := strings.LastIndex(line, " | "); at > 0 && !strings.HasPrefix(line, "#") {
			marked[line[:at]] = true
		}
	}
	return marked, nil
}

// bench runs a package's tests with changes.
type bench struct {
	pkg, dir string
	flags    []string
	program  string        // with all changes that can stand beside others
	timeout  time.Duration // of a run of it
}

// build builds the test program that holds the changes, and runs it with none of them.
func (b *bench) build(p *pack) error {
	files, err := p.together()
	if err != nil {
		return err
	}
	overlay, err := b.overlay(files)
	if err != nil {
		return err
	}
	b.program = filepath.Join(b.dir, "package.test")
	if out, err := exec.Command("go", "test", "-vet=off", "-c", "-o", b.program, "-overlay="+overlay, b.pkg).CombinedOutput(); err != nil {
		return fmt.Errorf("the changes of %s together do not compile:\n%s", b.pkg, out)
	}
	b.timeout = 2 * time.Minute
	start := time.Now()
	if passes, out := b.run(0); !passes {
		return fmt.Errorf("the tests of %s do not pass as they are:\n%s", b.pkg, out)
	}
	b.timeout = 5*time.Second + 5*time.Since(start)
	return nil
}

// run runs the test program with one change.
func (b *bench) run(number int) (passes bool, out string) {
	args := []string{"-test.failfast", "-test.timeout=" + b.timeout.String()}
	for _, f := range b.flags {
		if name, ok := strings.CutPrefix(f, "-"); ok {
			f = "-test." + name
		}
		args = append(args, f)
	}
	cmd := exec.Command(b.program, args...)
	cmd.Dir = b.pkg
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(number))
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	return err == nil, string(said)
}

// try runs the tests with a change.
func (b *bench) try(p *pack, c change) (passes, compiles bool, err error) {
	if c.number > 0 {
		passes, _ = b.run(c.number)
		return passes, true, nil
	}
	if !p.compiles(c) {
		return false, false, nil
	}
	overlay, err := b.overlay(map[string][]byte{c.file: c.apply(p.source[c.file])})
	if err != nil {
		return false, false, err
	}
	args := []string{"test", "-vet=off", "-failfast", "-timeout=" + b.timeout.String(), "-overlay=" + overlay}
	said, err := exec.Command("go", slices.Concat(args, []string{b.pkg}, b.flags)...).CombinedOutput()
	return err == nil, !strings.Contains(string(said), "[build failed]"), nil
}

// overlay writes files that stand in for others, and the list of them.
func (b *bench) overlay(files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for file, text := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		replace[abs] = filepath.Join(b.dir, filepath.Base(file))
		if err := os.WriteFile(replace[abs], text, 0o644); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(b.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o644)
}
