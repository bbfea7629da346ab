package cachedir_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge/internal/cachedir"
)

// key returns a key with a short name.
func key(name string) string { return fmt.Sprintf("%s-%016x", name, len(name)) }

// writes returns a fill function that writes a file of size bytes.
func writes(size int) func(dir string) error {
	return func(dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "sub", "file"), []byte(strings.Repeat("x", size)), 0o755)
	}
}

func add(t *testing.T, s *cachedir.Cache, name string, fill func(dir string) error) string {
	t.Helper()
	dir, err := s.Add(t.Context(), key(name), fill)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tidy checks that no temporary directories or locks are left while no process uses the cache.
func tidy(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{".tmp", ".locks"} {
		left, err := os.ReadDir(filepath.Join(home, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", name, left, err)
		}
	}
}

func TestAddOnce(t *testing.T) {
	home := t.TempDir()
	var filled atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			dir, err := cachedir.Open(home, cachedir.Limits{}).Add(t.Context(), key("a"), func(dir string) error {
				filled.Add(1)
				time.Sleep(20 * time.Millisecond) // other callers arrive meanwhile
				return writes(3)(dir)
			})
			if data, _ := os.ReadFile(filepath.Join(dir, "sub", "file")); err != nil || string(data) != "xxx" {
				t.Errorf("Add = %q, %v with %q in it", dir, err, data)
			}
		})
	}
	all.Wait()
	if n := filled.Load(); n != 1 {
		t.Errorf("20 at once filled the entry %d times, want once", n)
	}
	tidy(t, home)
}

func TestAFillThatFails(t *testing.T) {
	home := t.TempDir()
	s := cachedir.Open(home, cachedir.Limits{})
	no := errors.New("no")
	if _, err := s.Add(t.Context(), key("a"), func(dir string) error { return errors.Join(writes(3)(dir), no) }); !errors.Is(err, no) {
		t.Errorf("Add: %v, want what fill says", err)
	}
	if _, ok := s.Find(key("a")); ok {
		t.Error("an entry that was not filled is found")
	}
	tidy(t, home)
}

// TestHeals damages an entry in every possible way, and checks that it is not found and is created again.
func TestHeals(t *testing.T) {
	file := filepath.Join("sub", "file")
	for _, row := range []struct {
		it     string
		damage func(dir string) error
		found  bool
	}{
		{"leaves a whole entry alone", func(string) error { return nil }, true},
		{"knows a file written in place with the same size and time", func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, file))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, file), []byte("yyy"), 0o755), os.Chtimes(
				filepath.Join(dir, file), info.ModTime(), info.ModTime(),
			))
		}, false},
		{"takes the same content for the same", func(dir string) error {
			return os.WriteFile(
				filepath.Join(dir, file), []byte("xxx"), 0o755,
			)
		}, true},
		{"misses a file", func(dir string) error { return os.Remove(filepath.Join(dir, file)) }, false},
		{"sees that a file is cut", func(dir string) error { return os.Truncate(filepath.Join(dir, file), 2) }, false},
		{"sees that a file became a link", func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, file), filepath.Join(dir, "moved")), os.Symlink("../moved", filepath.Join(dir, file)))
		}, false},
		{"sees that a link leads elsewhere", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "link")), os.Symlink("else where", filepath.Join(dir, "link")))
		}, false},
		{"is a plain file", func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644)) }, false},
		{"has a manifest that is cut", func(dir string) error { return os.Truncate(filepath.Join(dir, ".manifest"), 40) }, false},
		{"has an empty manifest", func(dir string) error { return os.Truncate(filepath.Join(dir, ".manifest"), 0) }, false},
		{"has a manifest of something else", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".manifest"), []byte("assay cache 1 0 0\nfile\nend\n"), 0o644)
		}, false},
		{"has a manifest that leads out", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".manifest"), []byte("assay cache 1 0 0\nfile 0 0,0,0,0 \"../../x\"\nend\n"), 0o644)
		}, false},
		{"is gone", os.RemoveAll, false},
	} {
		t.Run(row.it, func(t *testing.T) {
			home := t.TempDir()
			fill := func(dir string) error {
				return errors.Join(writes(3)(dir), os.Symlink("sub dir/file", filepath.Join(dir, "link")))
			}
			dir := add(t, cachedir.Open(home, cachedir.Limits{}), "a", fill)
			if err := row.damage(dir); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second Find uses what the first recorded
				if _, found := cachedir.Open(home, cachedir.Limits{}).Find(key("a")); found != row.found {
					t.Errorf("Find of an entry that %s: found is %v, want %v", row.it, found, row.found)
				}
			}
			if again := add(t, cachedir.Open(home, cachedir.Limits{}), "a", fill); again != dir {
				t.Errorf("made again at %s, want %s", again, dir)
			}
			if data, err := os.ReadFile(filepath.Join(dir, file)); string(data) != "xxx" {
				t.Errorf("made again with %q, %v in it", data, err)
			}
			tidy(t, home)
		})
	}
}

// TestLimitsHold checks that the cache is within its limits after each addition, and that the most recently used
// entries stay.
func TestLimitsHold(t *testing.T) {
	home := t.TempDir()
	const most = 100 << 10
	limits := cachedir.Limits{Bytes: most, Files: 30}
	for i := range 40 {
		name := fmt.Sprintf("e%02d", i)
		s := cachedir.Open(home, limits) // opened each time, as by each command
		dir := add(t, s, name, writes(1000+i*300))
		past := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, ".manifest"), past, past); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, ok := s.Find(key("e00")); !ok {
				t.Fatalf("entry 0 is gone after entry %d, though it is asked for again and again", i)
			}
		}
		s.Close()
		if bytes, files := disk(t, home); bytes > most || files > 30 {
			t.Fatalf("after entry %d the cache has %d bytes in %d files", i, bytes, files)
		}
	}
	var left []string
	entries, _ := os.ReadDir(home)
	for _, e := range entries {
		if e.Name()[0] != '.' {
			left = append(left, e.Name()[:3])
		}
	}
	if got, want := strings.Join(left, " "), "e00 e37 e38 e39"; got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
	tidy(t, home)
}

// disk returns the size of all entries, counted as for the limits.
func disk(t *testing.T, home string) (bytes int64, files int) {
	t.Helper()
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue
		}
		err := filepath.WalkDir(filepath.Join(home, e.Name()), func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			bytes += (info.Size() + 4095) / 4096 * 4096
			files++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return bytes, files
}

func TestSumsThatAreLost(t *testing.T) {
	for _, text := range []string{"", "x", "-5 3\n", "99999999999999 1\n"} {
		home := t.TempDir()
		limits := cachedir.Limits{Bytes: 60 << 10}
		for i := range 10 {
			s := cachedir.Open(home, limits)
			add(t, s, fmt.Sprint("e", i), writes(9000))
			s.Close()
			if err := os.WriteFile(filepath.Join(home, ".sums"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if bytes, _ := disk(t, home); bytes > limits.Bytes {
				t.Fatalf("with the sums %q the cache has %d bytes after %d entries", text, bytes, i+1)
			}
		}
		if entries, _ := os.ReadDir(home); len(entries) < 4 {
			t.Errorf("with the sums %q only %v are left", text, entries)
		}
	}
}

// TestInUse checks that the cache of one process does not remove an entry that another process uses. It may remove
// an entry that only its own process uses.
func TestInUse(t *testing.T) {
	home := t.TempDir()
	limits := cachedir.Limits{Bytes: 80 << 10}
	user, other := cachedir.Open(home, limits), cachedir.Open(home, limits)
	add(t, user, "a", writes(20<<10))
	add(t, other, "b", writes(10<<10))
	add(t, other, "c", writes(14<<10)) // removes its own b
	if _, ok := user.Find(key("a")); !ok {
		t.Error("an entry in use was removed")
	}
	if _, ok := user.Find(key("b")); ok {
		t.Error("an unused entry is still there")
	}
	_, err := other.Add(t.Context(), key("d"), writes(45<<10))
	if err == nil || !strings.Contains(err.Error(), "full of what running judges use") {
		t.Errorf("Add to a cache that is in use: %v", err)
	}
	add(t, user, "d", writes(45<<10))
	if bytes, _ := disk(t, home); bytes > limits.Bytes {
		t.Errorf("the cache has %d bytes", bytes)
	}
	tidy(t, home)
}

// TestStrangers checks that other files in the directory are not treated as entries.
func TestStrangers(t *testing.T) {
	home := t.TempDir()
	strange := filepath.Join(home, "letters", "to-ann")
	if err := errors.Join(os.MkdirAll(filepath.Dir(strange), 0o755), os.WriteFile(strange, make([]byte, 1<<20), 0o644)); err != nil {
		t.Fatal(err)
	}
	s := cachedir.Open(home, cachedir.Limits{Bytes: 50 << 10})
	for i := range 5 {
		add(t, s, fmt.Sprint("e", i), writes(20<<10))
	}
	if _, err := os.Stat(strange); err != nil {
		t.Errorf("a user's file: %v", err)
	}
	for _, bad := range []string{"", "a", "../" + key("a"), ".tmp-0000000000000000", "letters"} {
		if _, err := s.Add(t.Context(), bad, writes(1)); err == nil {
			t.Errorf("Add takes the key %q", bad)
		}
	}
}

// TestKilled kills a process while it fills an entry. It checks that the next process removes the leftovers and
// does not wait for the lock of the killed process. It also checks that the unfinished entry of a living process
// stays.
func TestKilled(t *testing.T) {
	if home := os.Getenv("CACHEDIR_FILLS"); home != "" {
		_, _ = cachedir.Open(home, cachedir.Limits{}).Add(t.Context(), key("a"), func(dir string) error {
			err := writes(5)(dir)
			fmt.Println("half", err)
			time.Sleep(time.Hour)
			return err
		})
		return
	}
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "CACHEDIR_FILLS="+home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "half <nil>\n" {
		t.Errorf("the other process says %q, %v", line, err)
	}
	cachedir.Open(home, cachedir.Limits{})
	if left, _ := filepath.Glob(filepath.Join(home, ".tmp", "*")); len(left) != 1 {
		t.Errorf("while a process fills there is %q, want its directory", left)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the process was killed
	s := cachedir.Open(home, cachedir.Limits{})
	if left, _ := filepath.Glob(filepath.Join(home, ".tmp", "*")); len(left) != 0 {
		t.Errorf("after kill -9 and a new start there is still %q", left)
	}
	if _, ok := s.Find(key("a")); ok {
		t.Error("half an entry is found")
	}
	add(t, s, "a", writes(3))
	tidy(t, home)
}

// TestRenew checks that a renewed entry keeps its path.
func TestRenew(t *testing.T) {
	home := t.TempDir()
	s := cachedir.Open(home, cachedir.Limits{})
	dir := add(t, s, "a", writes(3))
	good := func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, "sub", "file"))
		return err == nil && info.Size() == 4
	}
	again, err := s.Renew(t.Context(), key("a"), good, writes(4))
	if info, err2 := os.Stat(filepath.Join(dir, "sub", "file")); err != nil || again != dir || err2 != nil || info.Size() != 4 {
		t.Errorf("Renew: %s, %v; %v, %v", again, err, info, err2)
	}
	if _, err := s.Renew(t.Context(), key("a"), good, func(string) error { return errors.New("called") }); err != nil {
		t.Errorf("Renew of what is good: %v", err)
	}
	tidy(t, home)
}

func TestTrim(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprint(i%3), fmt.Sprint(i))
		when := time.Now().Add(time.Duration(i-20) * time.Minute)
		if err := errors.Join(
			os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, make([]byte, 5000), 0o644),
			os.Chtimes(path, when, when),
		); err != nil {
			t.Fatal(err)
		}
	}
	cachedir.Trim(dir, cachedir.Limits{Bytes: 4 * 8192})
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) != 4 || filepath.Base(left[0]) != "6" {
		t.Errorf("left are %q, want the four newest", left)
	}
	cachedir.Trim(dir, cachedir.Limits{Files: 1})
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) != 1 || filepath.Base(left[0]) != "9" {
		t.Errorf("left are %q, want the newest", left)
	}
}

func TestACacheThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := cachedir.Open(filepath.Join(file, "programs"), cachedir.Limits{}).Add(t.Context(), key("a"), writes(3))
	if _, ok := errors.AsType[*cachedir.Error](err); !ok || !strings.Contains(err.Error(), "cannot be used") {
		t.Errorf("Add: %v", err)
	}
}
