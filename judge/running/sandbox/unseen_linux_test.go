//go:build amd64 || arm64

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// TestUnseenTools checks that a tool on the PATH that the sandbox does not show is reported with all the
// directories that it needs. With these directories it can be run. Names in programs are not looked up.
func TestUnseenTools(t *testing.T) {
	home, err := os.UserHomeDir()
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(home, "assay-tools-") // not below /tmp, which no sandbox shows
	}
	if err != nil || strings.HasPrefix(dir, "/tmp") {
		t.Skipf("no home in which directories can be made: %v, set HOME to one", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("HOME", filepath.Join(dir, "home"))
	at := func(name string) string { return filepath.Join(dir, name) }
	script := func(name, interpreter string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o755), os.WriteFile(at(name), []byte("#!"+interpreter+"\necho here\n"), 0o755))
	}
	if err := errors.Join(os.Chmod(dir, 0o755), script("home/bin/own", "/bin/sh"), script("pkg/bin/plain", "/bin/sh"), script(
		"shown/cared", at("far/bin/sh"),
	),
		os.MkdirAll(at("far/bin"), 0o755), os.Symlink("/bin/sh", at("far/bin/sh")), os.Symlink("../pkg/bin/plain", at("shown/linked")),
		os.MkdirAll(at("folders"), 0o755), os.Symlink(at("pkg/bin"), at("shown/folder")),
	); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(temporary, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := t.TempDir()
	if err := errors.Join(os.Chmod(program, 0o755), os.WriteFile(
		filepath.Join(program, "run"), []byte("#!"+at("far/bin/sh")+"\n"), 0o755,
	)); err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, readOnly []string, argv0 string) error {
		box, err := sandbox.New(sandbox.Options{ReadOnly: readOnly, Workers: 1, Isolation: sandbox.Isolated})
		if err != nil {
			t.Skip("this machine does not isolate: run as root, or allow user namespaces")
		}
		defer box.Close()
		_, err = box.Run(t.Context(), &judge.Command{
			Argv: []string{argv0}, Env: []string{"PATH=/usr/bin:/bin"}, Mounts: []judge.Mount{{Host: program, At: judge.ProgramDir}},
		})
		return err
	}
	for name, tt := range map[string]struct {
		argv0  string
		path   string // the judge's PATH
		chain  []string
		hidden []string
		never  bool
	}{
		"in a bin of its own":  {at("pkg/bin/plain"), "", []string{at("pkg/bin/plain")}, []string{at("pkg")}, false},
		"in the bin of a home": {"own", at("home/bin"), []string{at("home/bin/own")}, []string{at("home/bin")}, false},
		"a link that leads out": {"linked", at("folders") + ":" + at("shown"), []string{
			at("shown/linked"), at("pkg/bin/plain"),
		}, []string{at("pkg")}, false},
		"a directory that is a link": {at("shown/folder/plain"), "", []string{
			at("shown/folder/plain"), at("pkg/bin/plain"),
		}, []string{at("pkg")}, false},
		"a script with an interpreter":  {at("shown/cared"), "", []string{at("shown/cared"), at("far/bin/sh")}, []string{at("far")}, false},
		"below the temporary directory": {temporary, "", []string{temporary}, []string{filepath.Dir(temporary)}, true},
		"nowhere":                       {at("gone"), "", nil, nil, false},
		"nowhere on the PATH":           {"assay-gone", at("home/bin"), nil, nil, false},
		"a program with an interpreter": {judge.ProgramDir + "/run", "", nil, nil, false},
		"a program that is not there":   {judge.ProgramDir + "/gone", "", nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.path != "" {
				t.Setenv("PATH", tt.path)
			}
			err := run(t, []string{at("shown")}, tt.argv0)
			unseen, is := errors.AsType[*judge.NotVisibleError](err)
			if tt.chain == nil {
				if _, refused := errors.AsType[*judge.ExecError](err); is || !refused || strings.Contains(err.Error(), "visible") {
					t.Errorf("Run = %v, want an *ExecError", err)
				}
				return
			}
			if !is {
				t.Fatalf("Run = %v, want an *UnseenError", err)
			}
			if !slices.Equal(unseen.Chain, tt.chain) || !strings.Contains(err.Error(), "it is "+strings.Join(tt.chain, ", which needs ")+"\n") {
				t.Errorf("it needs %q, want %q: %v", unseen.Chain, tt.chain, err)
			}
			if strings.Join(unseen.Hidden, " ") != strings.Join(tt.hidden, " ") || unseen.Reserved != tt.never {
				t.Errorf("it is hidden in %q, want %q; never shown: %v", unseen.Hidden, tt.hidden, unseen.Reserved)
			}
			if judge.BlameOf(err) != judge.Machine || strings.Contains(err.Error(), "visible = [") == tt.never {
				t.Errorf("the error is %v", err)
			}
			if !tt.never && filepath.IsAbs(tt.argv0) {
				if err := run(t, append([]string{at("shown")}, unseen.Hidden...), tt.argv0); err != nil {
					t.Errorf("with what is to be visible: %v", err)
				}
			}
		})
	}
}

// TestOnlyToolsAreUnseen checks that a file below a mount is not looked up on the host, and that nothing is hidden
// without isolation.
func TestOnlyToolsAreUnseen(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(tool, []byte("#!/no/such/interpreter\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{string(sandbox.None), sandbox.Isolated} {
		box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: level})
		if err != nil {
			t.Logf("this machine does not give the level: %v", err)
			continue
		}
		c := &judge.Command{Argv: []string{tool}}
		if level == sandbox.Isolated {
			c.Mounts = []judge.Mount{{Host: t.TempDir(), At: dir}}
		}
		_, err = box.Run(t.Context(), c)
		if _, refused := errors.AsType[*judge.ExecError](err); !refused {
			t.Errorf("%s: Run = %v, want an *ExecError", level, err)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}
}
