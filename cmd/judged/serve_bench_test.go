package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/freeport"
	"assay/judge/host/job"
	"assay/judge/host/server"
	"assay/judge/host/store"
)

// realServer prepares a contest whose problem "nothing" expects no output, and a data directory for `judged
// serve`.
func realServer(b *testing.B, cases int) (h *harness, contest string) {
	b.Helper()
	h = &harness{t: b, dir: b.TempDir(), answered: map[string]judge.Verdict{}}
	contest = filepath.Join(h.dir, "contest")
	h.part = serverPart{Data: filepath.Join(contest, "data"), Listen: freeport.Address(b), Metrics: freeport.Address(b)}
	files := map[string]string{"judge.toml": "[limits.source]\nsize = \"8MiB\"\n", "problems/nothing/problem.toml": "title = \"Nothing\"\n"}
	for i := range cases {
		files[fmt.Sprintf("problems/nothing/cases/sample/c%d.in", i)] = "1 2\n"
		files[fmt.Sprintf("problems/nothing/cases/sample/c%d.ans", i)] = "\n"
	}
	for name, text := range files {
		file := filepath.Join(contest, name)
		must(b, os.MkdirAll(filepath.Dir(file), 0o700))
		must(b, os.WriteFile(file, []byte(text), 0o600))
	}
	return h, contest
}

// openFor starts `judged serve` and waits until its problem is published. Without one, this is a bundled problem.
func (h *harness) openFor(contest string, workers int) *client.Client {
	h.t.Helper()
	h.serving = h.judged(contest, "server", "serve", "--workers", fmt.Sprint(workers), "--listen", h.part.Listen, "--metrics", h.part.Metrics)
	var admin *client.Client
	h.wait("the server has its problem", func() bool {
		if _, _, err := server.Admin(h.part.Data); err != nil {
			return false
		}
		admin = h.admin()
		all, err := admin.Problems(h.t.Context())
		return err == nil && slices.ContainsFunc(all, func(p client.Problem) bool { return p.Slug == "nothing" || p.Slug == "wythoff" })
	})
	return admin
}

// real starts `judged worker` and waits until it is online.
func (h *harness) real(admin *client.Client, name string, slots int) *process {
	h.t.Helper()
	w := h.hire(name, slots, 0)
	p := h.judged(h.dir, name, "worker", "--data", w.Dir, "--slots", fmt.Sprint(slots), "--join", w.Address.String())
	h.wait("the worker is here", func() bool {
		all, err := admin.Workers(h.t.Context())
		return err == nil && slices.ContainsFunc(all, func(w client.Worker) bool { return w.Name == name && w.Connected })
	})
	return p
}

// static builds a static program from the body of its main function.
func static(b *testing.B, dir, body string) (program string) {
	b.Helper()
	source := filepath.Join(dir, "main.go")
	must(b, os.WriteFile(source, []byte("package main\n\nimport \"time\"\n\nvar _ time.Time\n\nfunc main() {\n"+body+"\n}\n"), 0o600))
	return built(b, filepath.Join(dir, "noop.exe"), source)
}

func built(b *testing.B, out, from string) string {
	b.Helper()
	cmd := exec.Command("go", "build", "-o", out, from)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return out
}

// BenchmarkServeOfSubmit measures how many submissions per second a server judges, with one worker of one slot or
// two. It compares this with `judge submit` in a loop in the same run, with processes as users start them. The
// solution is always the same. It has one case and does nothing, or has 100 cases of 10 ms each.
func BenchmarkServeOfSubmit(b *testing.B) {
	b.Run("tiny", func(b *testing.B) { serveOfSubmit(b, 1, 60, "") })
	b.Run("second", func(b *testing.B) {
		serveOfSubmit(b, 100, 4, "for t := time.Now(); time.Since(t) < 10*time.Millisecond; {\n}")
	})
}

func serveOfSubmit(b *testing.B, cases, each int, body string) {
	var program, contest string
	servers := map[int]func(n int) time.Duration{}
	for slots := 1; slots <= 2; slots++ {
		h, in := realServer(b, cases)
		if contest = in; program == "" {
			program = static(b, h.dir, body)
		}
		admin := h.openFor(contest, 0)
		h.real(admin, "w", slots)
		servers[slots] = func(n int) time.Duration { return h.judgeAll(admin, program, n) }
		servers[slots](2 * slots) // fills the caches
	}
	command := built(b, filepath.Join(b.TempDir(), "judge"), "assay/cmd/judge")
	submit := func() {
		cmd := exec.Command(command, "submit", "nothing", program, "-j", "1", "--color", "never")
		cmd.Dir = contest
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, text)
		}
	}
	submit()
	took, loop := map[int]time.Duration{}, time.Duration(0)
	for b.Loop() {
		for slots := 1; slots <= 2; slots++ {
			took[slots] += servers[slots](each)
			start := time.Now()
			for range each / 2 {
				submit()
			}
			loop += time.Since(start)
		}
	}
	for slots, t := range took {
		b.ReportMetric(float64(loop)/float64(t), fmt.Sprintf("x-submit/%d-slots", slots))
		b.ReportMetric(float64(t.Microseconds())/1000/float64(b.N*each), fmt.Sprintf("ms/job/%d-slots", slots))
	}
	b.ReportMetric(float64(loop.Microseconds())/1000/float64(b.N*each), "ms/submit")
}

// judgeAll sends n submissions from four goroutines. It returns the time from the first request to the last
// verdict.
func (h *harness) judgeAll(c *client.Client, program string, n int) time.Duration {
	h.t.Helper()
	db := h.database()
	defer db.Close()
	start := time.Now()
	var all sync.WaitGroup
	next := make(chan bool, n)
	for range n {
		next <- true
	}
	close(next)
	for range 4 {
		all.Go(func() {
			for range next {
				if _, err := c.Submit(h.t.Context(), "nothing", client.Program{Path: program, Name: "noop.exe"}); err != nil {
					h.t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for open := 1; open > 0; time.Sleep(2 * time.Millisecond) {
		must(h.t, db.QueryRow("SELECT count(*) FROM job WHERE done_at IS NULL").Scan(&open))
	}
	took := time.Since(start)
	if bad := h.count("SELECT count(*) FROM judgement WHERE verdict <> 'AC'"); bad > 0 {
		h.t.Fatalf("%d are not accepted", bad)
	}
	return took
}

// BenchmarkUnderBackground measures the time from a submission to its verdict while 1,000 background jobs wait,
// and compares it with an idle server. There is one slot, and each program runs for 0.1 s.
func BenchmarkUnderBackground(b *testing.B) {
	h, contest := realServer(b, 1)
	program := static(b, h.dir, "time.Sleep(100 * time.Millisecond)")
	admin := h.openFor(contest, 0)
	worker := h.real(admin, "w", 1)
	probe := func(n int) (all []time.Duration) {
		for range n {
			start := time.Now()
			s, err := admin.Submit(b.Context(), "nothing", client.Program{Path: program, Name: "noop.exe"})
			must(b, err)
			end, err := admin.FollowSubmission(b.Context(), s.ID, func(judge.Event) {})
			must(b, err)
			if end.Verdict != judge.Accepted {
				b.Fatalf("got %+v", end)
			}
			all = append(all, time.Since(start))
			time.Sleep(37 * time.Millisecond) // start at a different moment of another job each time
		}
		slices.Sort(all)
		return all
	}
	probe(2) // fills the caches
	const each = 40
	for b.Loop() {
		idle := probe(each)
		h.stop()
		h.inStore(func(s *store.Store) { h.background(s, 1000) })
		admin = h.openFor(contest, 0)
		h.wait("the worker is at work again", func() bool {
			return h.count("SELECT count(*) FROM job WHERE lane = 2 AND done_at IS NOT NULL") > 2
		})
		busy := probe(each)
		if left := h.count("SELECT count(*) FROM job WHERE lane = 2 AND done_at IS NULL"); left < 500 {
			b.Fatalf("only %d jobs are left in the background", left)
		}
		for name, all := range map[string][]time.Duration{"idle": idle, "busy": busy} {
			b.ReportMetric(float64(all[each/2].Microseconds())/1000, "ms/"+name)
			b.ReportMetric(float64(all[each*9/10].Microseconds())/1000, "ms/"+name+"-p90")
		}
		b.ReportMetric(float64(busy[each/2])/float64(idle[each/2]), "x-idle")
	}
	worker.kill()
}

// background stores n background jobs that are like the last submission.
func (h *harness) background(s *store.Store, n int) {
	ctx := context.Background()
	last, err := s.Submissions(ctx, store.SubmissionFilter{Limit: 1})
	must(h.t, err)
	p, err := s.Problem(ctx, "nothing")
	must(h.t, err)
	work := job.Work{Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: "nothing", Program: last[0].Program,
		Files: last[0].Files}
	for range n {
		_, err := s.Submit(ctx, store.NewSubmission{Account: last[0].Account, Problem: "nothing", Work: work, Priority: job.BackgroundPriority,
			Class: server.Class, Cost: time.Second})
		must(h.t, err)
	}
}

// BenchmarkIdle measures the memory of an idle `judged serve` and of the worker that it started, a few seconds
// after the start. Shared memory is counted once.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		h, contest := realServer(b, 1)
		admin := h.openFor(contest, 1)
		h.wait("the worker is here", func() bool {
			all, err := admin.Workers(b.Context())
			return err == nil && len(all) == 1 && all[0].Connected
		})
		time.Sleep(5 * time.Second)
		serve, program := memory(b, h.serving.Process.Pid)
		own, _ := h.memory()
		b.ReportMetric(serve/(1<<20), "MiB/serve")
		b.ReportMetric((own-serve)/(1<<20), "MiB/children")
		b.ReportMetric(program/(1<<20), "MiB/program")
		b.ReportMetric((own+program)/(1<<20), "MiB")
		h.stop()
	}
}

// memory returns the memory in bytes that the server and its children do not share, and the memory that they
// share.
func (h *harness) memory() (own, shared float64) {
	for _, pid := range running("", h.serving.Process.Pid) {
		alone, program := memory(h.t, pid)
		own, shared = own+alone, max(shared, program)
	}
	return own, shared
}

// memory returns the number of bytes that a process uses alone, and the number that can be shared with other
// processes, such as its program.
func memory(b testing.TB, pid int) (own, shared float64) {
	b.Helper()
	return status(b, pid, "RssAnon:"), status(b, pid, "RssFile:") + status(b, pid, "RssShmem:")
}

// status returns a size in bytes from /proc/PID/status.
func status(b testing.TB, pid int, what string) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(b, err)
	for line := range strings.Lines(string(data)) {
		var name string
		var kib float64
		if _, _ = fmt.Sscan(line, &name, &kib); name == what {
			return kib * 1024
		}
	}
	b.Fatalf("the kernel tells no %s of process %d", what, pid)
	return 0
}
