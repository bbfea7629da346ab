package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
)

// TestWhatCannotBeJudged checks that the result blames the responsible party for each error.
func TestWhatCannotBeJudged(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	_, any := s.freeze(t, w, "any")
	_, broken := s.freeze(t, w, "broken")
	right := filepath.Join(root, "right.sh")
	n := &notes{}
	r := runner(t, worker.RunnerOptions{Blobs: s, MaxDuration: 5 * time.Minute, OnMessage: n.add})
	for name, tt := range map[string]struct {
		bundle job.Bundle
		change func(*job.Spec)
		blame  judge.Blame
		want   string
	}{
		"it tells a checker that does not compile": {broken, nil, judge.Setter, "broken/checker.c:1: the program does not compile"},
		"it tells a bundle that is none": {
			job.Bundle{Manifest: s.put([]byte("hello\n")), Config: any.Config, Problem: "any"}, nil, judge.Setter,
			"the manifest of the bundle",
		},
		"it tells a configuration that is none": {
			job.Bundle{Manifest: any.Manifest, Config: s.put([]byte("x = 1\n")), Problem: "any"}, nil, judge.Setter,
			"unknown key",
		},
		"it tells a blob that the server lacks": {
			any, func(j *job.Spec) { j.Files[0].Digest = any.Manifest[:32] + any.Config[:32] }, judge.Machine,
			"the server has no blob",
		},
		"it tells a job that makes no sense": {any, func(j *job.Spec) { j.Files = nil }, judge.Machine, "no files"},
		"it tells a part that the server lacks": {
			job.Bundle{
				Manifest: s.put([]byte("frozen 5 " + string(any.Manifest[:32]+any.Config[:32]) + " frozen.json\n")),
				Config:   any.Config, Problem: "any",
			},
			nil, judge.Machine, "the server has no blob",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := s.spec(t, tt.bundle, right)
			if tt.change != nil {
				tt.change(j)
			}
			result, err := r.Run(t.Context(), j, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if result.State != job.Failed || result.Blame != tt.blame || !strings.Contains(result.Reason, tt.want) {
				t.Errorf("%s, the %s's: %s; want the %s's, with %q", result.State, result.Blame, result.Reason, tt.blame, tt.want)
			}
			if dir := filepath.Dir(filepath.Dir(cache)); strings.Contains(result.Reason, "work-") || strings.Contains(result.Reason, dir+"/") {
				t.Errorf("it says where files lie: %s", result.Reason)
			}
		})
	}
	done(t, r, s.spec(t, any, right)) // the runner still works
}

func TestAJobThatDoesNotEnd(t *testing.T) {
	root := lay(t, problems+"-- waits.sh --\nsleep 60\n")
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "any")
	r := runner(t, worker.RunnerOptions{Blobs: s, MaxDuration: time.Second})
	result, err := r.Run(t.Context(), s.spec(t, b, filepath.Join(root, "waits.sh")), nil, nil)
	if err != nil || result.State != job.Failed || result.Blame != judge.Machine || result.Reason != "the job did not end within 1s" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestACancelledJobEndsAtOnce(t *testing.T) {
	root := lay(t, strings.ReplaceAll(problems, "2s", "60s")+"-- waits.sh --\nsleep 1000\n")
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "any")
	r := runner(t, worker.RunnerOptions{Blobs: s})
	ctx, end := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	var ended time.Time
	result, err := r.Run(ctx, s.spec(t, b, filepath.Join(root, "waits.sh")), func(e judge.Event) {
		if _, built := e.(*judge.Built); built {
			ended = time.Now()
			end(why)
		}
	}, nil)
	if result != nil || !errors.Is(err, why) || time.Since(ended) > 50*time.Second {
		t.Errorf("%+v, %v, %v after it was cancelled", result, err, time.Since(ended))
	}
}

// TestAPanicIsAResult checks that a panic becomes a result, and that the worker continues.
func TestAPanicIsAResult(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "any")
	n := &notes{}
	r := runner(t, worker.RunnerOptions{Blobs: s, OnMessage: n.add})
	j := s.spec(t, b, filepath.Join(root, "right.sh"))
	s.change = func(int, []byte) (io.ReadCloser, error) { panic("oh no") }
	result, err := r.Run(t.Context(), j, nil, nil)
	if err != nil || result.State != job.Failed || result.Reason != "the worker panicked: oh no" || !n.has("Fetch") {
		t.Errorf("%+v, %v; noted: %s", result, err, n)
	}
	s.change = nil
	done(t, r, j)
}

// brokenOff is a reader that fails before the end.
type brokenOff struct{ io.Reader }

func (b brokenOff) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the connection broke")
	}
	return n, err
}

func (brokenOff) Close() error { return nil }

// TestAServerThatIsGone checks that the worker retries if a server fails, disconnects or sends wrong bytes. If the
// server stays away, the worker releases the job.
func TestAServerThatIsGone(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "plain")
	j := s.spec(t, b, filepath.Join(root, "right.sh"))
	s.change = func(n int, data []byte) (io.ReadCloser, error) {
		switch n {
		case 1:
			return nil, errors.New("503")
		case 2, 4:
			return brokenOff{bytes.NewReader(data[:len(data)/2])}, nil
		case 3:
			return io.NopCloser(bytes.NewReader([]byte("other bytes"))), nil
		}
		return nil, nil
	}
	done(t, runner(t, worker.RunnerOptions{Blobs: s}), j)
	s.change = func(int, []byte) (io.ReadCloser, error) { return nil, errors.New("server is gone") }
	r := runner(t, worker.RunnerOptions{Blobs: s, RetryFor: time.Second})
	var unhealthy *worker.UnhealthyError
	if result, err := r.Run(t.Context(), j, nil, nil); !errors.As(err, &unhealthy) || !strings.Contains(err.Error(), "server is gone") {
		t.Errorf("%+v, %v", result, err)
	}
	if err := r.CheckHealth(t.Context()); !errors.As(err, &unhealthy) || !strings.Contains(err.Error(), "server is gone") {
		t.Errorf("CheckHealth while the server is gone: %v", err)
	}
	s.change = nil
	if err := r.CheckHealth(t.Context()); err != nil {
		t.Errorf("CheckHealth when it is back: %v", err)
	}
	done(t, r, j)
}

// TestAFolderThatIsGone checks that a worker whose directory was removed releases its jobs and takes none.
func TestAFolderThatIsGone(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "plain")
	j := s.spec(t, b, filepath.Join(root, "right.sh"))
	dir := t.TempDir()
	r := runner(t, worker.RunnerOptions{Blobs: s, Dir: dir, Cache: t.TempDir()})
	done(t, r, j)
	for _, gone := range []string{"work-*", ""} { // the working directory, then the whole data directory
		all, err := filepath.Glob(filepath.Join(dir, gone))
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		for _, one := range all {
			_ = filepath.WalkDir(one, func(p string, _ fs.DirEntry, _ error) error { return os.Chmod(p, 0o755) })
			if err := os.RemoveAll(one); err != nil {
				t.Fatal(err)
			}
		}
		var unhealthy *worker.UnhealthyError
		if result, err := r.Run(t.Context(), j, nil, nil); !errors.As(err, &unhealthy) ||
			!strings.Contains(err.Error(), "a directory of the worker") {
			t.Errorf("without %q: %+v, %v", gone, result, err)
		}
		if err := r.CheckHealth(t.Context()); !errors.As(err, &unhealthy) ||
			!strings.Contains(err.Error(), "a directory of the worker was removed") {
			t.Errorf("without %q it is well: %v", gone, err)
		}
	}
}

// TestADamagedCacheHeals checks that damaged blobs and damaged extracted files are fetched again.
func TestADamagedCacheHeals(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	_, b := s.freeze(t, w, "any")
	n, dir := &notes{}, t.TempDir()
	j := s.spec(t, b, filepath.Join(root, "right.sh"))
	damage := func(suffix string) (damaged int) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
				return err
			}
			damaged++
			return errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, []byte("3\n4\n"), 0o644))
		})
		if err != nil || damaged == 0 {
			t.Fatalf("damaged %d files %s: %v", damaged, suffix, err)
		}
		return damaged
	}
	r := runner(t, worker.RunnerOptions{Dir: dir, Blobs: s})
	done(t, r, j)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	fetched := s.count()
	damage(string(b.Manifest[2:])) // between two runs of the worker
	r = runner(t, worker.RunnerOptions{Dir: dir, Blobs: s, OnMessage: n.add})
	if result := done(t, r, j); result.Finished.Verdict != judge.Accepted || !n.has("fetched again") || s.count() != fetched+1 {
		t.Errorf("%+v after %d fetches, before %d: %s", result.Finished, s.count(), fetched, n)
	}
	time.Sleep(time.Second) // files are checked at most once per second
	damage("sample/one.ans")
	if result := done(t, r, j); result.Finished.Verdict != judge.Accepted || !n.has("laid out again") || s.count() != fetched+2 {
		t.Errorf("%+v after %d fetches, before %d: %s", result.Finished, s.count(), fetched, n)
	}
}

// TestConfigurationsBesideOneAnother checks that jobs with different language configurations run at the same time,
// and that each job uses its own configuration. The number of open problems must be limited.
func TestConfigurationsBesideOneAnother(t *testing.T) {
	s := newServer()
	const languages = "[[language]]\nid = \"odd\"\nname = \"Odd\"\nextensions = [\"odd\"]\npackage = \"dash\"\n" +
		"tools = [\"sh\"]\nfile = \"main.odd\"\nrun = [\"sh\", \"-c\", \"%s\"]\nhello = \"1\"\n"
	var specs []*job.Spec
	for i := range 6 {
		archive := strings.Replace(problems, "-- judge.toml --\n",
			"-- judge.toml --\n"+fmt.Sprintf(languages, fmt.Sprintf("read a b; echo $((a + b + %d))", i)), 1)
		root := lay(t, archive+"-- it.odd --\n1\n")
		_, b := s.freeze(t, contest(t, root), "any")
		specs = append(specs, s.spec(t, b, filepath.Join(root, "it.odd")))
	}
	r := runner(t, worker.RunnerOptions{Blobs: s, Slots: 3})
	var all sync.WaitGroup
	for range 3 {
		for i, j := range specs {
			all.Go(func() {
				result, err := r.Run(t.Context(), j, nil, nil)
				if err != nil || result.State != job.Done || (result.Finished.Verdict == judge.Accepted) != (i == 0) {
					t.Errorf("configuration %d: %+v, %v", i, result, err)
				}
			})
		}
	}
	all.Wait()
}

// TestTheDiskStaysAsItWas checks that 200 jobs leave only caches within their quota on the disk.
func TestTheDiskStaysAsItWas(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	dir := t.TempDir()
	const quota = 80 << 10
	r := runner(t, worker.RunnerOptions{Dir: dir, Blobs: s, Slots: 2, Quota: quota})
	var bundles []job.Bundle
	for _, name := range []string{"any", "plain", "pack"} {
		_, b := s.freeze(t, w, name)
		bundles = append(bundles, b)
	}
	path := filepath.Join(root, "right.sh")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	jobs := make(chan *job.Spec)
	for range 2 {
		all.Go(func() {
			for j := range jobs {
				done(t, r, j)
			}
		})
	}
	for i := range 200 {
		text := append(source, fmt.Sprintf("# %d\n%s\n", i%50, strings.Repeat("#", 4096))...)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		j := s.spec(t, bundles[i%3], path)
		jobs <- j
	}
	close(jobs)
	all.Wait()
	size := int64(0)
	err = filepath.WalkDir(filepath.Join(dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, _ := d.Info()
			size += info.Size()
		}
		return err
	})
	if err != nil || size > quota || size == 0 {
		t.Errorf("%d bytes of blobs, the quota is %d: %v", size, quota, err)
	}
	work, _ := filepath.Glob(filepath.Join(dir, "work-*", "*"))
	if len(work) != len(bundles) {
		t.Errorf("while nothing runs: %q", work)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != "blobs" && e.Name() != "cache" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestBundlesBelowTheQuota checks that an extracted bundle is removed if another needs the space, and that a
// bundle that never fits is reported.
func TestBundlesBelowTheQuota(t *testing.T) {
	root := lay(t, problems)
	s := newServer()
	var specs []*job.Spec
	for i := range 3 {
		data := bytes.Repeat([]byte{byte('a' + i)}, 50_000*(1+5*(i/2)))
		name := fmt.Sprintf("big%d", i)
		for file, text := range map[string][]byte{"problem.toml": []byte("title = \"x\"\n"), "cases/sample/1.in": []byte("1 2\n"),
			"cases/sample/1.ans": []byte("3\n"), "notes.txt": data} {
			to := filepath.Join(root, "problems", name, filepath.FromSlash(file))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		_, b := s.freeze(t, contest(t, root), name)
		specs = append(specs, s.spec(t, b, filepath.Join(root, "right.sh")))
	}
	dir := t.TempDir()
	r := runner(t, worker.RunnerOptions{Dir: dir, Blobs: s, Quota: 90_000})
	for range 2 {
		for _, j := range specs[:2] {
			done(t, r, j)
			if laid, _ := filepath.Glob(filepath.Join(dir, "work-*", "*")); len(laid) != 1 {
				t.Errorf("laid out: %q", laid)
			}
		}
	}
	result, err := r.Run(t.Context(), specs[2], nil, nil)
	if err != nil || result.State != job.Failed || result.Blame != judge.Machine || !strings.Contains(result.Reason, "larger than the cache") {
		t.Errorf("one that does not fit: %+v, %v", result, err)
	}
}

func TestWarm(t *testing.T) {
	root := lay(t, strings.ReplaceAll(problems, "-- problems/plain/cases",
		"-- problems/wrong/problem.toml --\ntitle = \"Wrong\"\n[reference]\nprogram = \"reference.sh\"\n"+
			"-- problems/wrong/reference.sh --\necho 7\n-- problems/wrong/cases/sample/one.in --\n1 2\n"+
			"-- problems/wrong/cases/sample/one.ans --\n3\n-- problems/plain/cases"))
	w, s := contest(t, root), newServer()
	var bundles []job.Bundle
	for _, name := range []string{"any", "plain", "pack", "talk", "broken", "wrong"} {
		_, b := s.freeze(t, w, name)
		bundles = append(bundles, b)
	}
	r := runner(t, worker.RunnerOptions{Blobs: s})
	if err := r.Warm(t.Context(), bundles[:4]); err != nil {
		t.Error(err)
	}
	fetched := s.count()
	for _, b := range bundles[:4] {
		done(t, r, s.spec(t, b, filepath.Join(root, "wrong.sh")))
	}
	if s.count() != fetched+1 { // the submission
		t.Errorf("%d fetches for jobs of warm bundles", s.count()-fetched)
	}
	err := r.Warm(t.Context(), bundles[2:])
	for _, want := range []string{"broken is not ready: ", "does not compile", "wrong is not ready: ",
		"the reference gets WA on the sample sample/one here"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Warm: %v; want %q", err, want)
		}
	}
}

// TestOffer checks the reported capabilities, and that a changed tool is detected.
func TestOffer(t *testing.T) {
	home, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no folder for a tool: %v", err)
	}
	if strings.HasPrefix(home, sandbox.Scratch+"/") {
		t.Skipf("no folder for a tool: programs do not see what is in %s; set XDG_CACHE_HOME to a folder elsewhere", sandbox.Scratch)
	}
	bin, err := os.MkdirTemp(home, "odd-tool-*") // programs cannot see the machine's /tmp
	if err != nil {
		t.Skipf("no folder for a tool: %v", err)
	}
	defer os.RemoveAll(bin)
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(bin, "odd-tool")
	write := func(version string) {
		t.Helper()
		if err := os.WriteFile(tool, []byte("#!/bin/sh\necho odd "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("1.2.3")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	const language = "[[language]]\nid = \"%s\"\nname = \"Odd\"\nextensions = [\"%s\"]\npackage = \"odd-package\"\n" +
		"tools = [\"%s\", \"sh\"]\nversion = [\"%s\"]\nfile = \"main.odd\"\nrun = [\"sh\"]\nhello = \"1\"\n"
	dir := lay(t, "-- judge.toml --\n"+fmt.Sprintf(language, "odd", "odd", "odd-tool", "odd-tool")+fmt.Sprintf(language, "none",
		"none", "no-such-tool", "no-such-tool"))
	n := &notes{}
	r := runner(t, worker.RunnerOptions{Dir: dir, Version: "v7", Slots: 2, OnMessage: n.add})
	o := r.Capabilities()
	_, none := o.Languages["none"]
	if o.Languages["odd"] != "odd 1.2.3" || none || o.InstallHints["none"] != "apt-get install odd-package" || o.Version != "v7" ||
		o.Protocol != job.Protocol || o.Slots != 2 || o.IsolationLevel == "" || o.Machine == "" ||
		!strings.HasPrefix(o.Arch, "linux/") && o.Arch == "" {
		t.Errorf("%+v: %s", o, n)
	}
	if err := r.CheckHealth(t.Context()); err != nil {
		t.Errorf("CheckHealth: %v", err)
	}
	write("1.3.0")
	var unhealthy *worker.UnhealthyError
	if err := r.CheckHealth(t.Context()); !errors.As(err, &unhealthy) ||
		!strings.Contains(err.Error(), `the toolchain of odd has changed from "odd 1.2.3" to "odd 1.3.0": restart the worker`) {
		t.Errorf("CheckHealth after a change: %v", err)
	}
	if n := worker.DefaultSlots(); n < 1 {
		t.Errorf("Slots() = %d", n)
	}
}
