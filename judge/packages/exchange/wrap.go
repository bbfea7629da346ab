package exchange

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
)

// role is the role of a program in a package.
type role string

const (
	asOutputValidator role = "output validator"
	asInputValidator  role = "input validator"
	asInteractor      role = "interactor"
	asStaticValidator role = "static validator"
	asGenerator       role = "generator"
)

// program writes one of the setter's programs to a directory of the package, where it must use Kattis' protocol.
func (e *exporter) program(p *judge.SetterProgram, dir string, kind role) error {
	to := filepath.Join(e.dir, filepath.FromSlash(dir))
	if err := e.sources(p, to); err != nil {
		return err
	}
	switch p.Protocol {
	case "kattis":
		if importsKit(to) { // uses kit.Interact, which follows the protocol
			return e.wrapKit(p, to, asInteractor)
		}
		return e.standalone(to, false)
	case "kit":
		return e.wrapKit(p, to, kind)
	case "testlib":
		return e.wrapTestlib(p, to, kind)
	}
	return &judge.ProblemError{File: p.Path, Text: fmt.Sprintf("cannot be exported: a program that speaks %q as %s", p.Protocol, kind)}
}

// extensions returns the extensions of the files in a directory.
func extensions(dir string) (all []string) {
	entries, _ := os.ReadDir(dir) // it was written just before
	for _, e := range entries {
		all = append(all, path.Ext(e.Name()))
	}
	return all
}

// Scripts with which a package builds and runs a program that is not in C, C++ or Python.
const (
	goBuild = `#!/bin/sh
# Builds a program that is written in Go, with the kit if it is in this directory.
cd "$(dirname "$0")" || exit 1
export HOME="${HOME:-$PWD}" GOFLAGS=-mod=mod GOWORK=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
export GOCACHE="${GOCACHE:-$PWD/.gocache}" PATH="$PATH:/usr/local/go/bin:/usr/lib/go/bin"
exec go build -trimpath -buildvcs=false -o validator .
`
	kitRun = `#!/bin/sh
exec "$(dirname "$0")/validator"%s "$@"
`
	pythonRun = `#!/bin/sh
exec python3 "$(dirname "$0")/%s"%s "$@"
`
	pythonBuild = `#!/bin/sh
# There is nothing to build. Some judges take the script run only where this one is.
`
	kitCPP = `#!/bin/sh
# Builds a program that is written in C++, with the kit if it is in this directory.
cd "$(dirname "$0")" || exit 1
exec g++ -std=gnu++20 -O2 -I. -o validator *%s
`
	kitModule = "module assay\n\ngo 1.26\n"

	testlibBuild = `#!/bin/sh
# Builds a program that is written in C++ with testlib.
cd "$(dirname "$0")" || exit 1
exec g++ -std=gnu++17 -O2 -o program *.cpp
`
	// testlibVerdict converts testlib's exit codes to those of Kattis.
	testlibVerdict = `rm -f "$out"
case $code in
0) exit 42 ;;
1 | 2 | 4 | 8) exit 43 ;;
esac
exit 1
`
	// A testlibChecker that uses testlib's protocol reads the output from a file.
	testlibChecker = `#!/bin/sh
# Has a checker that speaks testlib's protocol speak Kattis'.
here=$(dirname "$0"); in=$1; ans=$2; feedback=$3; shift 3
out=$(mktemp) || exit 1
cat > "$out"
"$here/program" "$@" "$in" "$out" "$ans" 2> "${feedback}judgemessage.txt"
code=$?
` + testlibVerdict
	testlibValidator = `#!/bin/sh
# Has a validator that speaks testlib's protocol speak Kattis'.
"$(dirname "$0")/program" "$@" && exit 42
exit 43
`
)

// wrapKit adds to a program the kit of its language, and the scripts that build and run it. A kit program uses
// Kattis' protocol if a flag requests it.
func (e *exporter) wrapKit(p *judge.SetterProgram, to string, kind role) error {
	all := extensions(to)
	switch {
	case slices.Contains(all, ".go"):
		return e.wrapGo(to, kind)
	case slices.Contains(all, ".py"):
		entry, err := pythonEntry(to)
		if err != nil {
			return err
		}
		return e.wrapBeside(to, "kit.py", map[string]string{"build": pythonBuild, "run": fmt.Sprintf(pythonRun, entry, protocolFlag(kind))})
	}
	for _, ext := range cppExtensions {
		if slices.Contains(all, ext) {
			return e.wrapBeside(
				to, "kit.hpp",
				map[string]string{"build": fmt.Sprintf(kitCPP, ext), "run": fmt.Sprintf(kitRun, protocolFlag(kind))},
			)
		}
	}
	return &judge.ProblemError{
		File: p.Path,
		Text: fmt.Sprintf("cannot be exported: an %s that speaks the kit's protocol and is not written in Go, Python or C++", kind),
		Hint: "write it for Kattis' protocol",
	}
}

// protocolFlag returns the argument that makes a kit program use Kattis' protocol. An interactor does not need one, and a
// generator gets its seed from the script seededRun.
func protocolFlag(kind role) string {
	if kind == asInteractor || kind == asGenerator {
		return ""
	}
	return " --kattis"
}

// wrapBeside adds the kit to a program that finds the kit in its own directory, and the scripts that build
// and run it. The program's own copy of the kit stays.
func (e *exporter) wrapBeside(to, name string, files map[string]string) error {
	if _, err := os.Lstat(filepath.Join(to, name)); err != nil {
		kit, err := fs.ReadFile(e.options.Kit, name)
		if err != nil {
			return fmt.Errorf("copy the kit: %w", err)
		}
		if err := write(filepath.Join(to, name), kit, 0o644); err != nil {
			return err
		}
	}
	return scripts(to, files)
}

// pythonEntry returns the file that starts a Python program: the only file, or the one with the usual name.
func pythonEntry(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil {
		return "", err
	}
	for i, file := range files {
		files[i] = filepath.Base(file)
	}
	for _, name := range []string{"main.py", "__main__.py"} {
		if slices.Contains(files, name) {
			return name, nil
		}
	}
	return files[0], nil
}

// wrapGo adds the kit to a program in Go, and the scripts that build and run it.
func (e *exporter) wrapGo(to string, kind role) error {
	err := fs.WalkDir(e.options.Kit, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(e.options.Kit, name)
		if err != nil {
			return err
		}
		return write(filepath.Join(to, "judge", "kit", filepath.FromSlash(name)), data, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copy the kit: %w", err)
	}
	tests, _ := filepath.Glob(filepath.Join(to, "*_test.go"))
	for _, test := range tests {
		if err := os.Remove(test); err != nil {
			return err
		}
	}
	e.noteGo()
	return scripts(to, map[string]string{"go.mod": kitModule, "build": goBuild, "run": fmt.Sprintf(kitRun, protocolFlag(kind))})
}

// wrapTestlib adds to a C++ program the scripts that build it and convert its exit codes.
func (e *exporter) wrapTestlib(p *judge.SetterProgram, to string, kind role) error {
	if err := e.copyTestlib(p, to, string(kind)); err != nil {
		return err
	}
	run := testlibChecker
	if kind == asInputValidator {
		run = testlibValidator
	}
	return scripts(to, map[string]string{"build": testlibBuild, "run": run})
}

// standalone adds the scripts that build and run a program without the kit. Unless always is set, it does so only
// if the format does not know the program's language.
func (e *exporter) standalone(to string, always bool) error {
	all := extensions(to)
	for _, own := range []string{"build", "run"} {
		if _, err := os.Lstat(filepath.Join(to, own)); err == nil {
			return nil
		}
	}
	run := fmt.Sprintf(kitRun, "")
	switch {
	case slices.Contains(all, ".go"):
		all := map[string]string{"build": goBuild, "run": run}
		if _, err := os.Lstat(filepath.Join(to, "go.mod")); err != nil {
			all["go.mod"] = "module program\n\ngo 1.26\n"
		}
		e.noteGo()
		return scripts(to, all)
	case !always:
		return nil
	case slices.Contains(all, ".py"):
		entry, err := pythonEntry(to)
		if err != nil {
			return err
		}
		return scripts(to, map[string]string{"build": pythonBuild, "run": fmt.Sprintf(pythonRun, entry, "")})
	}
	for _, ext := range cppExtensions {
		if slices.Contains(all, ext) {
			return scripts(to, map[string]string{"build": fmt.Sprintf(kitCPP, ext), "run": run})
		}
	}
	return nil
}

var cppExtensions = []string{".cpp", ".cc", ".cxx"}

// noteGo adds, only once, the note that building the package requires Go.
func (e *exporter) noteGo() {
	const note = "programs of the package are built with Go, by their script `build`: the format itself supports only C, C++ and Python"
	if !slices.Contains(e.notes, note) {
		e.notes.add(note)
	}
}

func wantsTestlib(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.cpp"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("testlib.h")) {
			return true
		}
	}
	return false
}

func scripts(dir string, files map[string]string) error {
	for name, text := range files {
		mode := fs.FileMode(0o755)
		if name == "go.mod" {
			mode = 0o644
		}
		if err := write(filepath.Join(dir, name), []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}
