package lang

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// put stores an entry of so many bytes that was used at a time.
func put(t *testing.T, c *cache, key string, size int, used time.Time) {
	t.Helper()
	work, err := c.work()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "program")
	e := &entry{Format: cacheFormat, Key: key}
	if err := e.keep(program, "sub/main", strings.NewReader(strings.Repeat("x", size)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.store(e, program); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(c.entryDir(key), "entry.json"), used, used); err != nil {
		t.Fatal(err)
	}
}

func TestTrim(t *testing.T) {
	now := time.Now()
	for _, row := range []struct {
		it   string
		most int64
		want string
	}{
		{"keeps all where there is room", 1000, "aa bb cc dd"},
		{"removes the oldest first", 350, "aa bb dd"},
		{"removes as many as it must", 250, "aa dd"},
		{"never removes what may be in use", 0, "dd"},
	} {
		c := newCache(t.TempDir())
		put(t, c, "aa", 100, now.Add(-10*time.Hour))
		put(t, c, "bb", 100, now.Add(-20*time.Hour))
		put(t, c, "cc", 100, now.Add(-30*time.Hour))
		put(t, c, "dd", 100, now.Add(-time.Hour))
		c.trim(now, row.most)
		var left []string
		for _, key := range []string{"aa", "bb", "cc", "dd"} {
			if _, ok := c.lookup(key); ok {
				left = append(left, key)
			}
		}
		if got := strings.Join(left, " "); got != row.want {
			t.Errorf("it %s: trim to %d bytes left %q, want %q", row.it, row.most, got, row.want)
		}
	}
}

func TestLookupKeepsWhatIsUsed(t *testing.T) {
	now := time.Now()
	c := newCache(t.TempDir())
	put(t, c, "aa", 100, now.Add(-10*time.Hour))
	if _, ok := c.lookup("aa"); !ok {
		t.Fatal("the entry is not found")
	}
	c.trim(now, 0)
	if _, ok := c.lookup("aa"); !ok {
		t.Error("an entry that was just asked for was removed as old")
	}
}

func TestSweepRemovesWhatCrashedJudgesLeft(t *testing.T) {
	now := time.Now()
	c := newCache(t.TempDir())
	old, err := c.work()
	if err != nil {
		t.Fatal(err)
	}
	running, err := c.work()
	if err != nil {
		t.Fatal(err)
	}
	past := now.Add(-25 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	c.sweep(now)
	if _, err := os.Stat(old); err == nil {
		t.Error("an old build folder is still there")
	}
	if _, err := os.Stat(running); err != nil {
		t.Errorf("a new build folder is gone: %v", err)
	}
}

func TestSeed(t *testing.T) {
	c := newCache(t.TempDir())
	setter, err := c.keep("x-setter", "x-setter")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(setter, "00"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(setter, "00", "a"), []byte("std"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(setter, "link")); err != nil {
		t.Fatal(err)
	}
	other, err := c.keep("x-contestant", "x-setter")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(other, "00", "a")); string(data) != "std" || err != nil {
		t.Errorf("the new cache has %q, %v, want what the seed has", data, err)
	}
	if info, err := os.Stat(filepath.Join(other, "00")); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("a folder of the new cache: %v, %v, want it writable for the sandbox's user", info.Mode(), err)
	}
	if _, err := os.Lstat(filepath.Join(other, "link")); err == nil {
		t.Error("a link was taken over")
	}
	if err := os.WriteFile(filepath.Join(other, "b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.keep("x-setter", "x-setter"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(setter, "b")); err == nil {
		t.Error("the setter's cache got what the contestant's has")
	}
}

func TestProbesOfNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	asked := 0
	get := func() {
		t.Helper()
		if said, err := (&probes{file: file}).get("question", func() (string, error) { asked++; return "", nil }); said != "" || err != nil {
			t.Fatalf("get = %q, %v, want nothing", said, err)
		}
	}
	get()
	if get(); asked != 1 {
		t.Errorf("asked %d times at once, want 1: a shim that does not work is slow to say so", asked)
	}
	old, err := json.Marshal((&probes{file: file}).read())
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]probe
	if err := json.Unmarshal(old, &known); err != nil {
		t.Fatal(err)
	}
	for key, p := range known {
		p.When = p.When.Add(-freshNothing)
		known[key] = p
	}
	(&probes{file: file, known: known}).write()
	if get(); asked != 2 {
		t.Errorf("asked %d times after a while, want 2: somebody may have mended it", asked)
	}
}

func TestProbesGetOld(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	asked := 0
	ask := func() (string, error) { asked++; return fmt.Sprint("answer ", asked), nil }
	get := func() string {
		t.Helper()
		said, err := (&probes{file: file}).get("question", ask) // anew from the file
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if a, b := get(), get(); a != "answer 1" || b != "answer 1" {
		t.Errorf("get = %q, then %q, want the first answer twice", a, b)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().Format("2006-01")
	aged := strings.Replace(string(data), `"when": "`+today, `"when": "2020-01`, 1)
	if aged == string(data) {
		t.Fatalf("no time in %s", data)
	}
	if err := os.WriteFile(file, []byte(aged), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != "answer 2" {
		t.Errorf("get of an old answer = %q, want it asked again", got)
	}
	for _, broken := range []string{"", "null", "[1]", `{"x": 1}`} {
		if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		before := asked
		if get(); asked != before+1 {
			t.Errorf("with the file %q nothing was asked", broken)
		}
	}
}

func TestOutermost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOf(rapid.StringMatching(`(/[ab-]{1,2}){1,4}`)).Draw(t, "paths")
		got := outermost(paths)
		inside := func(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
		for _, p := range paths {
			if !slices.ContainsFunc(got, func(dir string) bool { return inside(p, dir) }) {
				t.Errorf("outermost(%q) = %q, which does not show %s", paths, got, p)
			}
		}
		for i, a := range got {
			if !slices.Contains(paths, a) {
				t.Errorf("outermost(%q) = %q: %s was not asked for", paths, got, a)
			}
			for k, b := range got {
				if i != k && inside(a, b) {
					t.Errorf("outermost(%q) = %q: %s is inside %s", paths, got, a, b)
				}
			}
		}
	})
}

// TestHomesStayHidden: no tool, wherever it is, makes somebody's whole home visible.
func TestHomesStayHidden(t *testing.T) {
	for dir, want := range map[string]bool{
		"/home/ann": false, "/home": false, "/": false, "/usr/local/go": false, "/home/ann/.pyenv/versions/3": true, "/opt/node": true, "/home/annabel": true,
	} {
		c := &toolchain{}
		c.show(dir, "/home/ann")
		if got := len(c.visible) == 1; got != want {
			t.Errorf("show(%s) shows it: %v, want %v", dir, got, want)
		}
	}
}
