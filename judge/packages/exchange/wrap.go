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

// role is what a program is in a package.
type role string

const (
	asOutputValidator role = "output validator"
	asInputValidator  role = "input validator"
	asInteractor      role = "interactor"
	asStaticValidator role = "static validator"
)

// program writes one of the setter's programs to a folder of the package, where it
// must speak Kattis' protocol.
func (e *exporter) program(p *judge.Part, dir string, as role) error {
	to := filepath.Join(e.dir, filepath.FromSlash(dir))
	if err := e.sources(p, to); err != nil {
		return err
	}
	switch p.Speaks {
	case "kattis":
		return nil
	case "kit":
		return e.wrapKit(p, to, as)
	case "testlib":
		return e.wrapTestlib(p, to, as)
	}
	return &judge.Fault{File: p.Path, Text: fmt.Sprintf("cannot be exported: a program that speaks %q as %s", p.Speaks, as)}
}

// sources are the extensions of the files in a folder.
func extensions(dir string) (all []string) {
	entries, _ := os.ReadDir(dir) // it was written just before
	for _, e := range entries {
		all = append(all, path.Ext(e.Name()))
	}
	return all
}

// The scripts by which a package builds and runs a program that is no C, C++ or
// Python.
const (
	kitBuild = `#!/bin/sh
# Builds a validator that is written in Go with the kit, which is in this folder.
cd "$(dirname "$0")" || exit 1
export HOME="${HOME:-$PWD}" GOFLAGS=-mod=mod GOWORK=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
export GOCACHE="${GOCACHE:-$PWD/.gocache}" PATH="$PATH:/usr/local/go/bin:/usr/lib/go/bin"
exec go build -trimpath -buildvcs=false -o validator .
`
	kitRun = `#!/bin/sh
exec "$(dirname "$0")/validator" --kattis "$@"
`
	// An interactor of the kit speaks it without being asked.
	kitInteractor = `#!/bin/sh
exec "$(dirname "$0")/validator" "$@"
`
	kitModule = "module assay\n\ngo 1.26\n"

	testlibBuild = `#!/bin/sh
# Builds a program that is written in C++ with testlib.
cd "$(dirname "$0")" || exit 1
exec g++ -std=gnu++17 -O2 -o program *.cpp
`
	// testlibVerdict says with Kattis' exit codes what testlib's say.
	testlibVerdict = `rm -f "$out"
case $code in
0) exit 42 ;;
1 | 2 | 4 | 8) exit 43 ;;
esac
exit 1
`
	// A checker that speaks testlib's protocol takes the output from a file.
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

// wrapKit adds to a Go program the kit, and the scripts that build and run it. A kit
// program answers to Kattis' protocol when it is asked to.
func (e *exporter) wrapKit(p *judge.Part, to string, as role) error {
	if !slices.Contains(extensions(to), ".go") {
		return &judge.Fault{File: p.Path, Text: fmt.Sprintf("cannot be exported: an %s that speaks the kit's protocol and is not written in Go", as), Hint: "write it for Kattis' protocol"}
	}
	err := fs.WalkDir(e.kit, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(e.kit, name)
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
	if e.notes == nil || !slices.ContainsFunc(e.notes, func(n string) bool { return strings.Contains(n, "need Go") }) {
		e.notes.add("validators of the package need Go where they are built, by the script build: the format knows only C, C++ and Python by itself")
	}
	run := kitRun
	if as == asInteractor {
		run = kitInteractor
	}
	return scripts(to, map[string]string{"go.mod": kitModule, "build": kitBuild, "run": run})
}

// wrapTestlib adds to a C++ program the scripts that build it and translate.
func (e *exporter) wrapTestlib(p *judge.Part, to string, as role) error {
	if err := needsTestlib(p, to, string(as)); err != nil {
		return err
	}
	run := testlibChecker
	if as == asInputValidator {
		run = testlibValidator
	}
	return scripts(to, map[string]string{"build": testlibBuild, "run": run})
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
