package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"assay/judge"
)

func TestPlacesReplace(t *testing.T) {
	at := pathMap{{Host: "/h/scratch", At: "/tmp"}, {Host: "/h/p", At: "/program"}, {Host: "/h/p/deep", At: "/program/deep"}}
	for name, row := range map[string]struct{ in, want string }{
		"it replaces a whole path":                   {"/program", "/h/p"},
		"it replaces the start of a path":            {"/program/a.out", "/h/p/a.out"},
		"it takes the longest mount":                 {"/program/deep/x", "/h/p/deep/x"},
		"it replaces in lists":                       {"PATH=/program:/usr/bin:/tmp", "PATH=/h/p:/usr/bin:/h/scratch"},
		"it replaces after an equals sign":           {"-o=/tmp/x", "-o=/h/scratch/x"},
		"it leaves longer names alone":               {"/programs/x", "/programs/x"},
		"it leaves paths of other directories alone": {"/usr/program/x", "/usr/program/x"},
		"it leaves words alone":                      {"program", "program"},
		"it takes an empty string":                   {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := at.replace(row.in); got != row.want {
				t.Errorf("replace(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

func TestEveryLevelIsDescribed(t *testing.T) {
	for _, r := range Levels() {
		rep := Report{Level: r}
		if len(rep.Enforcements()) != len(enforced) {
			t.Errorf("%s: %d rows", r, len(rep.Enforcements()))
		}
		if weak := rep.Unenforced(); (r == RootV2 || r == RootV1 || r == Root) != (len(weak) == 0) {
			t.Errorf("%s: Unenforced() = %q", r, weak)
		}
	}
	var _ judge.Runner = (*Sandbox)(nil)
}

func TestPlainSweeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is swept there")
	}
	t.Setenv("TMPDIR", t.TempDir())
	// The name contains the id of a living process. The directory must be removed nevertheless, because the judge
	// that made it may have had the same id in another container.
	stale := filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-x", scratchPrefix, os.Getpid()))
	if err := os.Mkdir(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	living := newPlain(Options{})
	used, err := living.scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := newPlain(Options{}).close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("the directory of a judge that is gone is still there")
	}
	if _, err := os.Stat(used); err != nil {
		t.Errorf("the directory of a living judge is gone: %v", err)
	}
	if err := living.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(used)); err == nil {
		t.Error("the directory of a closed sandbox is still there")
	}
}

// TestPlainOutputOfTheQuick checks that the output limit also applies to a process that ends before its first
// check.
func TestPlainOutputOfTheQuick(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no /bin/echo")
	}
	p := newPlain(Options{})
	for range 300 {
		j := &job{Command: &judge.Command{Argv: []string{"/bin/echo", "four"}, Limits: judge.Limits{Output: 4}}}
		if x, err := p.run(t.Context(), j); err != nil || x.Killed != judge.Output || x.Output != 5 {
			t.Fatalf("run() = %+v, %v, want killed for its output of 5 bytes", x, err)
		}
	}
}

// TestPlainMemoryIsNotTheJudges checks that the memory of a large judge is not charged to a small program.
func TestPlainMemoryIsNotTheJudges(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not known to count the judge's memory")
	}
	big := make([]byte, 200<<20)
	for i := range big {
		big[i] = 1
	}
	j := &job{Command: &judge.Command{Argv: []string{"/bin/sleep", "0.1"}, Limits: judge.Limits{Memory: 64 << 20}}}
	x, err := newPlain(Options{}).run(t.Context(), j)
	if err != nil || x.Killed != judge.NoResource || x.Memory > 64<<20 || x.Memory == 0 {
		t.Errorf("run() = %+v, %v, want no fault and the memory of a program that sleeps", x, err)
	}
	runtime.KeepAlive(big)
}
