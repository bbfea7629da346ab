package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
	"assay/judge/running/testcache"
	"assay/judge/workspace"
)

var cache string // cache of built programs, shared by all tests

func TestMain(m *testing.M) {
	sandbox.Main() // does not return in a process that the sandbox started
	dir, done, err := testcache.New()
	if err != nil {
		panic(err)
	}
	cache = dir
	code := m.Run()
	done()
	os.Exit(code)
}

// server is the server from which workers fetch blobs.
type server struct {
	mu      sync.Mutex
	all     map[blob.Digest][]byte
	fetched map[blob.Digest]int
	// change, if not nil, may return an error or other bytes for the nth fetch.
	change func(n int, data []byte) (io.ReadCloser, error)
	n      int
}

func newServer() *server {
	return &server{all: map[blob.Digest][]byte{}, fetched: map[blob.Digest]int{}}
}

func (s *server) Fetch(ctx context.Context, why job.Claim, d blob.Digest, size int64) (io.ReadCloser, error) {
	if why == (job.Claim{}) {
		return nil, errors.New("the use of the bytes is unknown")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data, there := s.all[d]
	s.fetched[d]++
	s.n++
	if s.change != nil {
		if r, err := s.change(s.n, data); r != nil || err != nil {
			return r, err
		}
	}
	if !there {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (s *server) put(data []byte) blob.Digest {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := blob.DigestOf(data)
	s.all[d] = data
	return d
}

// count returns the number of fetches.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// freeze bundles a problem and stores it on the server.
func (s *server) freeze(t testing.TB, w *workspace.Workspace, name string) (*workspace.Problem, job.Bundle) {
	t.Helper()
	p, err := w.OpenForJudging(t.Context(), name, workspace.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.Bundle(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := blob.Open(filepath.Join(t.TempDir(), "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.StoreBlobs(kept); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Manifest.Blobs() {
		data, err := kept.Read(e.Digest, e.Size)
		if err != nil {
			t.Fatal(err)
		}
		s.put(data)
	}
	return p, job.Bundle{Manifest: s.put(b.Manifest.Bytes()), Config: s.put(b.Config), Problem: p.ID}
}

// spec returns a job that judges the file or directory at path.
func (s *server) spec(t testing.TB, b job.Bundle, path string) *job.Spec {
	t.Helper()
	j := &job.Spec{ID: "job-" + filepath.Base(path), Generation: 1, Token: "t", Class: "main", Work: job.Work{
		Kind: job.Submission, Bundle: b.Manifest, Config: b.Config, Problem: b.Problem, Program: filepath.Base(path), ContinueOnFailure: true,
	}}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	j.IsDir = info.IsDir()
	root := path
	if !j.IsDir {
		root = filepath.Dir(path)
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel(root, file)
		j.Files = append(j.Files, job.File{Path: filepath.ToSlash(rel), Size: int64(len(data)), Digest: s.put(data)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// contest starts a workspace in a directory.
func contest(t testing.TB, root string) *workspace.Workspace {
	t.Helper()
	return started(t, root, workspace.RunOptions{Jobs: 2})
}

// unboxed is like contest, for a machine without isolation.
func unboxed(t testing.TB, root string) *workspace.Workspace {
	t.Helper()
	return started(t, root, workspace.RunOptions{Jobs: 2, RequiredIsolation: "none"})
}

func started(t testing.TB, root string, how workspace.RunOptions) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Find(workspace.Env{Dir: root, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(how); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// lay extracts an archive to a temporary directory.
func lay(t testing.TB, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// notes collects the messages of a worker.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, text)
}

func (n *notes) has(text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Contains(strings.Join(n.all, "\n"), text)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "\n")
}

// runner creates a runner that shares the cache of built programs.
func runner(t testing.TB, o worker.RunnerOptions) *worker.Runner {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Slots == 0 {
		o.Slots = 1
	}
	if err := os.Symlink(cache, filepath.Join(o.Dir, "cache")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	r, err := worker.NewRunner(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// timeless encodes events without the fields that vary between runs.
func timeless(t testing.TB, events []judge.Event) (lines []string) {
	t.Helper()
	for _, e := range events {
		switch known := e.(type) {
		case *judge.Progressed:
			continue
		case *judge.Built:
			copied := *known
			copied.Millis, copied.Cached = 0, false
			e = &copied
		case *judge.CaseJudged:
			copied := *known
			copied.Exec.CPU, copied.Exec.Wall, copied.Exec.Memory, copied.Note = 0, 0, 0, ""
			if copied.Exec.Killed == judge.Output {
				copied.Exec.Output = 0 // varies with the time of the kill
			}
			e = &copied
		case *judge.Finished:
			copied := *known
			copied.TimeMS, copied.Memory, copied.Slowest = 0, 0, ""
			e = &copied
		}
		data, err := judge.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	return lines
}

// done runs a job that must get a verdict, and returns its result.
func done(t testing.TB, r *worker.Runner, s *job.Spec) *job.Result {
	t.Helper()
	result, err := r.Run(t.Context(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.State != job.Done {
		t.Fatalf("the result is %s: %s", result.State, result.Reason)
	}
	return result
}
