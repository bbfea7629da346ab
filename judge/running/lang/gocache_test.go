package lang_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// TestCompiledGoPackages checks that packages in the user's own build cache of Go are not compiled again, unless they
// are damaged, and that nothing is compiled outside the sandbox.
func TestCompiledGoPackages(t *testing.T) {
	user := t.TempDir()
	t.Setenv("GOCACHE", user)
	t.Setenv("GOFLAGS", "-tags=unused") // what the user sets does not count
	golang := func(cache string, args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "GOCACHE="+cache, "CGO_ENABLED=0", "GOENV=off", "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	golang(user, "build", "cmp", "unicode", "unicode/utf8")
	export := golang(user, "list", "-export", "-f", "{{.Export}}", "unicode")
	data, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2]++
	if err := os.WriteFile(export, data, 0o600); err != nil {
		t.Fatal(err)
	}
	freshIn := func(cache string) string {
		out := golang(cache, "list", "-f", "{{if not .Stale}}{{.ImportPath}}{{end}}", "cmp", "unicode", "unicode/utf16", "unicode/utf8")
		return strings.Join(strings.Fields(out), " ")
	}

	for name, row := range map[string]struct {
		reuse                 bool
		list, fresh, progress string
	}{
		"reused":          {true, "cmp\nunicode\nunicode/utf16\nunicode/utf8\nunsafe\n", "cmp unicode/utf8", "Go: 2 of 5 packages"},
		"none to reuse":   {true, "unicode/utf16\n", "", "Go: 0 of 1 packages"},
		"unknown package": {true, "cmp\nunicode/utf9\n", "", "Go: 0 of 2 packages"},
		"no list":         {true, "", "", "Go"},
		"not reused":      {false, "cmp\nunicode/utf8\n", "", "Go: 0 of 2 packages"},
	} {
		t.Run(name, func(t *testing.T) {
			var fresh, progress string
			var box *lang.Toolbox
			cfg, _ := toy(t)
			cfg.Languages[0] = &config.Language{
				ID: "go", Name: "Go", Extensions: []string{"go"}, File: "main.go", Tools: []string{"go"}, Result: []string{"main"},
				Build: [][]string{{"go", "build"}},
				BuildEnv: map[string]string{
					"GOCACHE": "/cache", "GOENV": "off", "GOFLAGS": "-mod=readonly", "CGO_ENABLED": "0",
				},
				Cache: "/cache", Prepare: [][]string{{"go", "prepare"}},
				Prepares: config.PreparedParts{Name: "packages", List: []string{"go", "names"}, GoCache: row.reuse},
			}
			box = lang.New(cfg, compiler(func(build string, c *judge.Command) judge.Exec {
				switch c.Argv[1] {
				case "names":
					_, _ = c.Stdout.Write([]byte(row.list))
				case "prepare":
					progress = box.Preparing()
					checkWritable(t, c.Mounts[1].Host)
					cache := t.TempDir() // the check writes to it
					if err := os.CopyFS(cache, os.DirFS(c.Mounts[1].Host)); err != nil {
						t.Error(err)
					}
					fresh = freshIn(cache)
				case "build":
					return fails(os.WriteFile(filepath.Join(build, "main"), nil, 0o755))
				}
				return judge.Exec{}
			}), t.TempDir(), nil)
			r, err := box.Build(t.Context(), write(t, "main.go", "package main"), cfg.Languages[0])
			if err != nil || !r.OK {
				t.Fatalf("Build: %+v, %v", r, err)
			}
			if fresh != row.fresh || progress != row.progress {
				t.Errorf("compiled already: %q, want %q; %q, want %q", fresh, row.fresh, progress, row.progress)
			}
		})
	}
	if got, want := freshIn(user), "cmp unicode unicode/utf8"; got != want {
		t.Errorf("the user's cache contains %q, want %q", got, want)
	}
}

// checkWritable checks that the sandbox's user can write to a directory and the files in it.
func checkWritable(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o666 != 0o666 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
