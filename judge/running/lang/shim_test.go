package lang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/running/lang"
)

// shim writes an executable shell script to path.
func shim(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestShims(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	shim(t, dir+"/broken/toyc", "exit 127\n")
	shim(t, dir+"/shims/toyc", fmt.Sprintf("echo x >> %s\necho %s/real\n", asked, dir))
	shim(t, dir+"/real/bin/toyc", "cp $1 main\n")
	t.Setenv("PATH", strings.Join([]string{dir + "/broken", dir + "/shims", os.Getenv("PATH")}, ":"))

	cfg, l := toy(t)
	l.Tools, l.Locate, l.Package = []string{"toyc"}, []string{"toyc", "--where"}, "toy"
	l.Build = [][]string{{"toyc", "{sources}"}}
	cfg.Env = map[string]string{"PATH": "/usr/bin:/bin"}
	cache := t.TempDir()
	for range 3 {
		visible, err := lang.Locate(cfg, cache)
		if err != nil || !slices.Contains(visible, dir+"/real") ||
			slices.ContainsFunc(visible, func(p string) bool { return strings.Contains(p, "shims") }) {
			t.Fatalf("Locate = %q, %v, want the real directory and not the shim's", visible, err)
		}
	}
	box := lang.New(cfg, new(plain), cache, nil)
	s, err := box.Ready(t.Context(), l)
	if err != nil || !slices.Equal(s.Paths, []string{dir + "/real/bin/toyc"}) {
		t.Errorf("Ready = %+v, %v, want the real tool", s, err)
	}
	r, err := box.Build(t.Context(), write(t, "a.toy", "x"), l)
	if err != nil || !r.OK {
		t.Fatalf("Build = %+v, %v", r, err)
	}
	if want := []string{"PATH=" + dir + "/real/bin:/usr/bin:/bin"}; !slices.Equal(r.Program.Env, want) {
		t.Errorf("Env = %q, want %q", r.Program.Env, want)
	}
	if data, _ := os.ReadFile(asked); string(data) != "x\n" {
		t.Errorf("the shim was asked %d times, want once", len(data)/2)
	}
	if err := lang.ForgetToolOutput(cache); err != nil {
		t.Fatal(err)
	}
	if _, err := lang.Locate(cfg, cache); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(asked); string(data) != "x\nx\n" {
		t.Error("after Forget the shim was not asked again")
	}

	// Another version of the tool gives another program.
	shim(t, dir+"/real/bin/toyc", "cp $1 main # version 2\n")
	other, err := lang.New(cfg, new(plain), cache, nil).Build(t.Context(), write(t, "a.toy", "x"), l)
	if err != nil || other.Cached || other.Program.Key == r.Program.Key {
		t.Errorf("Build with a new compiler = %+v, %v, want another key", other, err)
	}
}

// TestShimsFindTheHomeDirectory checks that a shim finds tools in the home directory by their real paths. Files
// that the shim creates in the home directory must not remain.
func TestShimsFindTheHomeDirectory(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	shim(t, home+"/.tools/real/bin/toyc", "cp $1 main\n")
	shim(t, dir+"/toyc", `mkdir -p "$HOME/.shim"; echo x >"$HOME/.shim/settings"; cd "$HOME/.tools/real" && pwd`+"\n")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("HOME", home)
	cfg, l := toy(t)
	l.Tools, l.Locate, l.Package = []string{"toyc"}, []string{"toyc", "--where"}, "toy-tools"
	visible, err := lang.Locate(cfg, t.TempDir())
	if err != nil || !slices.Contains(visible, home+"/.tools/real") {
		t.Errorf("Locate = %q, %v, want the directory below %s", visible, err, home)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 1 {
		t.Errorf("the home directory has %v, %v, want what it had", entries, err)
	}

	// A shim's error message also names the real directory.
	shim(t, dir+"/toyc", `echo "no $HOME/.tools/other" >&2; exit 2`+"\n")
	_, err = lang.New(cfg, compiler(copies), t.TempDir(), nil).Build(t.Context(), write(t, "a.toy", "x"), l)
	if want := "no " + home + "/.tools/other: exit status 2"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Build = %v\nwant %s", err, want)
	}
}

// TestAProbeThatFails checks that a tool whose probe failed is probed again later. Until a probe succeeds, the
// error describes the failure.
func TestAProbeThatFails(t *testing.T) {
	dir := t.TempDir()
	shim(t, dir+"/toyc", "echo 'cannot allocate memory' >&2\nexit 2\n")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	cfg, l := toy(t)
	l.Tools, l.Locate, l.Package = []string{"toyc"}, []string{"toyc", "--where"}, "toy-tools"
	l.Build = [][]string{{"toyc", "{sources}"}}
	cache := t.TempDir()
	tools := lang.New(cfg, compiler(copies), cache, nil)
	_, err := tools.Build(t.Context(), write(t, "a.toy", "x"), l)
	want := "Toy needs toyc, which does not work on this machine: run " + dir + "/toyc --where: cannot allocate memory: exit status 2"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Build = %v\nwant %s", err, want)
	}
	shim(t, dir+"/toyc", "echo "+dir+"\n")
	for it, box := range map[string]*lang.Toolbox{
		"in the same process": tools, "in the next one": lang.New(cfg, compiler(copies), cache, nil),
	} {
		if r, err := box.Build(t.Context(), write(t, "a.toy", "x"), l); err != nil || !r.OK {
			t.Errorf("Build %s, when the tool works = %+v, %v", it, r, err)
		}
	}
}

// TestBrokenShim checks that the system's own tool is used if a shim earlier on the PATH does not work.
func TestBrokenShim(t *testing.T) {
	if info, err := os.Stat("/usr/bin/echo"); err != nil || !info.Mode().IsRegular() {
		t.Skip("no /usr/bin/echo")
	}
	dir := t.TempDir()
	shim(t, dir+"/echo", "exit 1\n")
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	cfg, l := toy(t)
	l.Tools, l.Locate = []string{"echo"}, []string{"echo", "/usr"} // it prints its location
	s, err := lang.New(cfg, new(plain), t.TempDir(), nil).Ready(t.Context(), l)
	if want := []string{"/usr/bin/echo"}; err != nil || !slices.Equal(s.Paths, want) {
		t.Errorf("Ready = %+v, %v, want %q", s, err, want)
	}
}

// TestShimOfNothing checks that a shim whose tool is not installed is ignored.
func TestShimOfNothing(t *testing.T) {
	for it, script := range map[string]string{
		"as pyenv says it": "echo \"pyenv: toyc: command not found\" >&2\nexit 127\n",
		"as asdf says it":  "echo 'No version is set for command toyc' >&2\nexit 126\n",
	} {
		dir := t.TempDir()
		shim(t, dir+"/toyc", script)
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		cfg, l := toy(t)
		l.Tools, l.Locate, l.Package = []string{"toyc"}, []string{"toyc", "--where"}, "toy-tools"
		tools := lang.New(cfg, compiler(copies), t.TempDir(), nil)
		_, err := tools.Build(t.Context(), write(t, "a.toy", "x"), l)
		if want := "Toy needs toyc, which is not installed\n    apt-get install toy-tools"; err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("Build, %s = %v\nwant %s", it, err, want)
		}
		if s, err := tools.Ready(t.Context(), l); err != nil || s.Ready || s.Package != "toy-tools" {
			t.Errorf("Ready, %s = %+v, %v", it, s, err)
		}
	}
}
