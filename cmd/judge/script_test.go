package main

import (
	"archive/zip"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/cmd/internal/scripts"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

var updateScripts = flag.Bool("update", false, "write what the commands print into the scripts")

func TestMain(m *testing.M) {
	sandbox.Main()
	scripts.RunTests(m, map[string]func(){"judge": func() { runMain(noticeInterval()) }})
}

// noticeInterval returns the time between two notices in scripts, from the environment variable NOTICES. If
// NOTICES is not set, there are no notices, so that output does not depend on the machine's load.
func noticeInterval() time.Duration {
	interval, err := time.ParseDuration(os.Getenv("NOTICES"))
	if err != nil {
		return 1000 * time.Hour
	}
	return interval
}

// TestScripts runs commands as a user would and compares their output. The name of a script begins with the
// command or feature that the script tests.
func TestScripts(t *testing.T) {
	house, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	require := sandboxtest.Any().Isolation
	if require != "" {
		t.Logf("this machine gives no isolation: every script asks for %q by name", require)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *updateScripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOUSE", house)
			env.Setenv("ASSAY_CACHE", os.Getenv("ASSAY_CACHE"))
			env.Setenv("PATH", env.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			if require != "" {
				env.Setenv("ASSAY_REQUIRE", require)
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "mounts":
				return exec.Command("unshare", "-m", "true").Run() == nil, nil
			case "slow": // slow parts run only if this variable is set, as in .ci/slow
				return os.Getenv("ASSAY_SLOW") != "", nil
			}
			_, err := exec.LookPath(name) // [python3], [g++], ...: whether the program is installed
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exitcode": scripts.ExitCode,
			"elf": foreignELF, "huge": hugeFile, "badname": badName, "pack": pack, "untimed": scripts.RemoveTimes, "cut": cut},
		RequireUniqueNames: true,
	})
}

// foreignELF implements the command "elf FILE", which writes the header of an executable for a machine that does
// not exist.
func foreignELF(ts *testscript.TestScript, _ bool, args []string) {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x02\x01") // 64 bits, most significant byte first
	head[17], head[19], head[23] = 2, 0x2b, 1
	head[53], head[55], head[57] = 64, 56, 0
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), head, 0o755))
}

// hugeFile implements the command "huge FILE", which makes a sparse file of 1 GiB.
func hugeFile(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(1 << 30))
	ts.Check(f.Close())
}

// badName implements the command "badname FILE". It copies the file to a name that is not UTF-8, and sets the
// variable BADNAME to that name.
func badName(ts *testscript.TestScript, _ bool, args []string) {
	name := "caf\xe9 \x01.sh"
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(ts.ReadFile(args[0])), 0o644))
	ts.Setenv("BADNAME", name)
}

// pack implements the command "pack ARCHIVE FOLDER [ENTRY...]". It packs the directory under its name, followed by
// the entries, each with a line of text. An entry that ends with "@" is a link.
func pack(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: pack ARCHIVE FOLDER [ENTRY...]")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	z := zip.NewWriter(f)
	root := ts.MkAbs(args[1])
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(filepath.Dir(root), path)
		w, err := z.Create(filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		_, err = w.Write([]byte(ts.ReadFile(path)))
		return err
	}))
	for _, name := range args[2:] {
		h := &zip.FileHeader{Name: strings.TrimSuffix(name, "@")}
		if h.SetMode(0o644); h.Name != name {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		w, err := z.CreateHeader(h)
		ts.Check(err)
		_, err = w.Write([]byte("evil"))
		ts.Check(err)
	}
	ts.Check(z.Close())
}

// cut implements the command "cut FROM TO", which copies a file without its last 1,500 bytes.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text[:len(text)-1500]), 0o644))
}
