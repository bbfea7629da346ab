package fill

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/tail"
)

// Script is the authors' shell script that makes the data directory of a package. It runs in the sandbox, in a
// copy of the package. The files that it leaves in the copy's data directory are the cases.
type Script struct {
	Dir  string // the package
	Path string // relative path: "data/gen.sh"

	tools string // path outside the package that it reads: ../../testdata_tools; empty if none
	up    int    // number of levels from the package's directory up to tools
}

// scriptDirs lists the directories that may contain such a script.
var scriptDirs = []string{"data", "generators", "generator", "data_generators", "."}

// scriptNames lists the names that such a script may have.
var scriptNames = []string{"gen.sh", "generate.sh", "generator.sh", "gen_data.sh", "generate_data.sh"}

// sourceLine matches what a script reads from above its directory: ../../testdata_tools/gen.sh, or ../../gen.sh.
var sourceLine = pattern.New(`(?m)^[ \t]*(?:\.|source)[ \t]+[^\n]*?((?:\.\./)+)(?:([\w.-]*tools)/[\w./-]+\.sh|(\w+\.sh))`)

// ScriptIn finds the script that makes the data of the package in dir. It returns nil if there is none, or if the
// script uses a missing directory outside the package.
func ScriptIn(dir string) *Script {
	for _, folder := range scriptDirs {
		for _, name := range scriptNames {
			data, err := os.ReadFile(filepath.Join(dir, folder, name))
			if err != nil {
				continue
			}
			s := &Script{Dir: dir, Path: path.Join(folder, name)}
			if found := sourceLine().FindSubmatch(data); found != nil {
				s.up = strings.Count(string(found[1]), "../")
				if folder != "." {
					s.up--
				}
				if s.up == 0 {
					return s
				}
				if s.tools = toolsOf(dir, s.up, string(found[2])+string(found[3])); s.tools == "" {
					return nil // without that directory the script cannot run
				}
			}
			return s
		}
	}
	return nil
}

// toolsOf returns the path of the directory or file called name that is up levels above a package's directory. If
// it does not exist, toolsOf looks in the package itself, where some authors put a copy before they publish a
// single package.
func toolsOf(dir string, levels int, name string) string {
	for _, at := range []string{filepath.Join(dir, strings.Repeat("../", levels), name), filepath.Join(dir, name)} {
		if info, err := os.Lstat(at); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			return at
		}
	}
	return ""
}

// hasOnlySamples reports whether the package has only its samples as cases.
func (s *Script) hasOnlySamples() bool {
	data := filepath.Join(s.Dir, "data")
	return inputs(data) == inputs(filepath.Join(data, "sample"))
}

func (s *Script) fault(text, hint string) *judge.ProblemError {
	return &judge.ProblemError{File: filepath.Join(s.Dir, filepath.FromSlash(s.Path)), Text: text, Hint: hint}
}

// Limits for a script, which makes all cases and runs compilers and solutions.
const (
	scriptTime   = 10 * time.Minute
	scriptMemory = 4 << 30
	scriptCases  = 8 // number of cases of maximum size
)

// scriptEnv is the environment of scripts. Leak detection is disabled because programs built with a sanitizer
// cannot look for leaks in a sandbox.
var scriptEnv = []string{
	"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + workDir, "LANG=C.UTF-8", "ASAN_OPTIONS=detect_leaks=0",
}

// script runs a script and copies its output to the data directory dir.
func (f *Filler) script(ctx context.Context, s *Script, dir string) (faults judge.ProblemErrors, err error) {
	tree, err := newWorkDir()
	if err != nil {
		return nil, err
	}
	defer remove(tree, &err)
	at, err := s.copyInputs(tree)
	if err != nil {
		return nil, err
	}
	limits := f.Limits
	limits.CPU, limits.Wall, limits.Memory = scriptTime, scriptTime, max(limits.Memory, scriptMemory)
	limits.Processes, limits.Files = max(limits.Processes, 512), max(limits.Files, 1024)
	var said, stderr tail.Buffer
	command := &judge.Command{
		Argv: []string{"bash", path.Base(s.Path)}, Env: scriptEnv, Dir: path.Join(
			workDir, at, path.Dir(s.Path),
		), Limits: limits, Stdout: &said, Stderr: &stderr,
		Mounts: []judge.Mount{f.workMount(tree, scriptCases)},
	}
	x, err := f.Runner.Run(ctx, command)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s.Path, err)
	}
	if v := judge.Classify(x, limits); v != judge.NotJudged {
		faults = append(
			faults,
			s.fault(fmt.Sprintf("the script that makes the cases ended badly (%s, %s)", v.Words(), x.Termination()), cmp.Or(
				strings.TrimSpace(string(stderr.Bytes())), strings.TrimSpace(string(said.Bytes())),
			)),
		)
	}
	made, err := collectCases(filepath.Join(tree, filepath.FromSlash(at)), dir)
	if err == nil && made == 0 && len(faults) == 0 {
		faults = append(faults, s.fault("the script made no cases", "the script must write them to data/secret"))
	}
	return faults, err
}

// copyInputs copies the package and any directory outside it that the script uses. It keeps their relative positions and
// makes the copies writable by every user. It returns the path of the package.
func (s *Script) copyInputs(tree string) (at string, err error) {
	abs, err := filepath.Abs(s.Dir)
	if err != nil {
		return "", err
	}
	at = filepath.Base(abs)
	for above := filepath.Dir(abs); strings.Count(at, "/") < s.up-1; above = filepath.Dir(above) {
		at = path.Join(filepath.Base(above), at)
	}
	if s.tools != "" {
		err = copyDir(s.tools, filepath.Join(tree, filepath.Base(s.tools)), nil)
	}
	to := filepath.Join(tree, filepath.FromSlash(at))
	err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755))
	if err = errors.Join(err, copyDir(abs, to, nil), os.MkdirAll(filepath.Join(to, "data"), 0o755)); err != nil {
		return "", fmt.Errorf("copy package %s: %w", s.Dir, err)
	}
	return at, filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.Type()&fs.ModeSymlink != 0:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o777)
		case filepath.Ext(path) == ".sh":
			data, err := os.ReadFile(path)
			if err == nil { // with Windows line ends, shells do not find commands
				err = os.WriteFile(path, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), 0o666)
			}
			if err != nil {
				return err
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()|0o666)
	})
}

// collectCases copies the cases and groups that a script made to the data directory dir. It follows links, and returns
// the number of inputs that are not samples.
func collectCases(pkg, dir string) (cases int, err error) {
	from, err := os.OpenRoot(pkg)
	if err != nil {
		return 0, fmt.Errorf("read what a script wrote: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return 0, fmt.Errorf("fill the data directory: %w", err)
	}
	defer to.Close()
	return cases, fs.WalkDir(from.FS(), "data", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isCaseFile(path.Base(name)) {
			return err
		}
		info, err := from.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return nil // an unneeded link out of the package, or a broken one
		}
		data, err := from.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read what a script wrote: %w", err)
		}
		rel := strings.TrimPrefix(name, "data/")
		if strings.HasSuffix(name, ".in") && !strings.HasPrefix(rel, "sample/") {
			cases++
		}
		return replace(to, rel, data)
	})
}

// isCaseFile reports whether a file of a data directory belongs to a case or a group.
func isCaseFile(name string) bool {
	return name == "testdata.yaml" || name == "test_group.yaml" ||
		slices.ContainsFunc(Extensions, func(ext string) bool { return strings.HasSuffix(name, ext) })
}
