package exchange

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
)

// An interactor that uses testlib's protocol becomes an output validator. The checker that judges the interactor's
// output is in a directory beside the output validator.
const (
	testlibPair = `#!/bin/sh
# Builds programs that speak testlib's protocol, in C++ or Python.
cd "$(dirname "$0")" || exit 1
for p in interactor checker; do
	if [ -n "$(ls $p/*.cpp 2>/dev/null)" ]; then
		g++ -std=gnu++17 -O2 -o $p/program $p/*.cpp || exit 1
	elif [ -d $p ]; then
		main=$(ls $p/*.py)
		printf '#!/bin/sh\nexec python3 "$(dirname "$0")/%s" "$@"\n' "$(basename "$main")" > $p/program
		chmod +x $p/program
	fi
done
`
	// The interactor writes its own output to a file. The checker reads that file as the output to be judged.
	testlibInteractor = `#!/bin/sh
# Has an interactor that speaks testlib's protocol speak Kattis'.
here=$(dirname "$0"); in=$1; ans=$2; feedback=$3; shift 3
out=$(mktemp) || exit 1
"$here/interactor/program" "$@" "$in" "$out" "$ans" 2> "${feedback}judgemessage.txt"
code=$?
if [ $code = 0 ] && [ -d "$here/checker" ]; then
	"$here/checker/program"CHECKER_ARGS "$in" "$out" "$ans" 2> "${feedback}judgemessage.txt"
	code=$?
fi
` + testlibVerdict
)

// testlibInteractor writes the interactor and, if the problem has one, its checker.
func (e *exporter) testlibInteractor(dir string) error {
	to := filepath.Join(e.dir, filepath.FromSlash(dir))
	parts := map[string]*judge.SetterProgram{"interactor": e.from.Interactor}
	if e.from.Checker.Program != nil {
		parts["checker"] = e.from.Checker.Program
	}
	for name, p := range parts {
		if p.Protocol != "testlib" {
			return e.fault(
				name,
				fmt.Sprintf("an interactor that speaks testlib's protocol with a %s that speaks %q", name, p.Protocol),
				"write both for testlib, or the interactor for Kattis' protocol",
			)
		}
		if err := e.sources(p, filepath.Join(to, name)); err != nil {
			return err
		}
		if slices.Equal(extensions(filepath.Join(to, name)), []string{".py"}) {
			continue
		}
		if err := e.copyTestlib(p, filepath.Join(to, name), name); err != nil {
			return err
		}
	}
	args := ""
	if p := e.from.Checker.Program; p != nil {
		for _, a := range p.Args {
			args += " '" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return scripts(to, map[string]string{"build": testlibPair, "run": strings.Replace(testlibInteractor, "CHECKER_ARGS", args, 1)})
}

// sources copies a program's file or directory into a directory.
func (e *exporter) sources(p *judge.SetterProgram, to string) error {
	info, err := os.Stat(p.Path)
	if err != nil {
		return &judge.ProblemError{File: p.Path, Text: err.Error()}
	}
	if info.IsDir() {
		return copyTree(p.Path, to)
	}
	return copyFile(p.Path, filepath.Join(to, filepath.Base(p.Path)))
}

// copyTestlib copies testlib.h beside a program that includes it. It returns a fault for a program that a package
// could not build.
func (e *exporter) copyTestlib(p *judge.SetterProgram, dir, program string) error {
	exts := extensions(dir)
	if !slices.Contains(exts, ".cpp") {
		return &judge.ProblemError{
			File: p.Path,
			Text: fmt.Sprintf("cannot be exported: an %s that speaks testlib's protocol and is not written in C++ (*.cpp)", program),
			Hint: "write it for Kattis' protocol",
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "testlib.h")); err == nil || !wantsTestlib(dir) {
		return nil
	}
	if e.options.Header != nil {
		if header, ok := e.options.Header("testlib.h"); ok {
			return write(filepath.Join(dir, "testlib.h"), header, 0o644)
		}
	}
	return &judge.ProblemError{
		File: p.Path,
		Text: "cannot be exported: testlib.h is neither beside the program nor where judge.toml says (headers in the table [setter])",
		Hint: "copy it there",
	}
}
