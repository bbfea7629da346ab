// Package webtest provides a server for tests of the pages, with accounts, contests, holes and ladders that have
// hostile names. It is not part of any command.
package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/ladder"
	"assay/judge/host/queue"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/host/web"
	"assay/judge/host/web/contest"
	"assay/judge/host/web/pages"
)

// HostileMarkup is part of all names in tests.
const HostileMarkup = `"><marked onmouseover=alert(1)>'</pre><script>alert(1)</script>&{{.}}`

// Secret is part of all texts that contestants must not see.
const Secret = "secret-of-the-setters"

// A Harness is a test server with a real database and a real queue, but no worker.
type Harness struct {
	testing.TB
	*httptest.Server
	BackupState web.Backups   // state of the server's backups
	Uploads     int           // number of uploaded packages
	Dir         string        // directory of the database
	clockOffset *atomic.Int64 // how far the clock was advanced
	Store       *store.Store
	Blobs       *blob.Dir
	Intake      *intake.Service
	Dispatch    *dispatch.Dispatcher
	Accounts    map[string]*store.Account
	Problem     *store.Problem
	Ladders     *ladder.Service
}

// Must returns a function that returns the value of a call, and fails the test on its error.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// New returns a harness, which is closed when the test ends. The functions in change may change the options of the
// pages.
func New(t testing.TB, change ...func(*Harness, *web.Options)) *Harness {
	t.Helper()
	dir := storetest.Dir(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	blobs := Must[*blob.Dir](t)(blob.Open(filepath.Join(dir, "blobs"), 0))
	began := time.Now()
	ahead := &atomic.Int64{}
	now := func() time.Time { return began.Add(time.Duration(ahead.Load())) } // independent of the machine's speed
	db := Must[*store.Store](t)(store.Open(t.Context(), store.Options{Dir: dir, Version: "v1", Now: now}))
	t.Cleanup(func() { _ = db.Close() })
	log := slog.New(slog.DiscardHandler)
	d := dispatch.New(dispatch.Options{Store: db, Blobs: blobs, Log: log, Holder: "test", Class: "main"})
	q := Must[*queue.Queue](t)(queue.Open(t.Context(), queue.Options{
		Dir: filepath.Join(dir, "queue"), Classes: []string{"main"}, Listener: d.Listener(),
	}))
	t.Cleanup(q.Close)
	d.SetQueue(q)
	h := &Harness{TB: t, Dir: dir, clockOffset: ahead, Store: db, Blobs: blobs, Dispatch: d, Accounts: map[string]*store.Account{}}
	passwords := auth.NewPasswords()
	passwords.MemoryKiB = 64 // of 19 MiB each, they took a third of the CPU time of package people
	hash := Must[string](t)(passwords.Hash(t.Context(), "correct-horse"))
	for login, role := range map[string]auth.Role{"ada": auth.Contestant, "bob": auth.Contestant, "runner": auth.BalloonRunner,
		"judge": auth.Judge, "chair": auth.Contestant, "other": auth.Contestant, "admin": auth.Admin} {
		made, err := db.NewAccounts(t.Context(), store.NewAccount{
			Login: login, Display: login + HostileMarkup, Email: HostileMarkup, Password: hash, Kind: store.PersonAccount,
			Role: string(role),
		})
		check(err)
		h.Accounts[login] = made[0]
	}
	h.Intake = &intake.Service{
		Store: db, Blobs: blobs, Dispatch: d, MaxSize: 1000, MaxFiles: 3, Class: "main",
		FreeDisk: func() (int64, error) { return 1 << 40, nil }, Now: now,
	}
	pile := []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	sheet, err := json.Marshal(client.ProblemInfo{
		Files:  []client.ProblemFile{{Name: "pile.svg", Type: "image/svg+xml", Size: int64(len(pile)), Digest: h.StoreBlob(pile)}},
		Format: client.ProblemInfoFormat, Title: "Sum" + HostileMarkup, Statement: "# Sum\n\nAdd *both* " + HostileMarkup +
			"\n\n[link](javascript:alert(1))", TimeMS: 1000, Memory: 256 << 20, Golf: true,
		GolfStatement: "# Sum\n\nIn *few* bytes " + HostileMarkup + "\n\n[link](javascript:alert(1))",
		Samples: []client.Sample{
			{Name: "one" + HostileMarkup, In: "1 2\n" + HostileMarkup, Ans: "3\n" + HostileMarkup},
			{Name: "two", In: "2 2\n", Ans: "4\n"},
		},
		Languages: []client.OfferedLanguage{
			{ID: "py", Name: "Python", Extensions: []string{"py"}},
			{ID: "another", Name: "Another Python", Extensions: []string{"py", "apy"}},
			{ID: "sh", Name: "Shell", Extensions: []string{"sh"}}, {ID: "binary", Name: "executable"},
		},
	})
	check(err)
	text, bundled := h.StoreBlob(sheet), h.StoreBlob([]byte(Secret))
	h.Problem = Must[*store.Problem](t)(db.PutBundle(t.Context(), store.NewBundle{
		Problem: "sum", Title: "Sum" + HostileMarkup, Owner: h.Accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled,
		ProblemInfo: text, MadeBy: h.Accounts["admin"].ID,
	}))
	h.Ladders = ladder.New(ladder.Options{Store: db, Dispatch: d, Log: log, Holder: "test", Class: "main", Now: now})
	boards := scoreboard.NewRegistry(
		scoreboard.RegistryOptions{Store: db, Frame: contest.Frame("Test"), Log: slog.New(slog.NewTextHandler(errorLog{t}, nil))},
	)
	o := web.Options{
		Service: h.Intake, Scoreboards: boards, Name: "Test", URL: "http://judge.example", Address: "http://judge.example",
		Passwords: passwords, Log: slog.New(slog.NewTextHandler(errorLog{t}, nil)), KeepAlive: time.Millisecond,
		Backups: func() web.Backups { return h.BackupState }, OnUpload: func() { h.Uploads++ }, Ladders: h.Ladders,
	}
	for _, c := range change {
		c(h, &o)
	}
	h.Server = httptest.NewServer(web.New(o, pages.All...))
	t.Cleanup(h.Close)
	return h
}

// Advance advances the server's clock.
func (h *Harness) Advance(d time.Duration) { h.clockOffset.Add(int64(d)) }

// errorLog fails a test when the server logs an error.
type errorLog struct{ t testing.TB }

func (l errorLog) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("level=ERROR")) {
		l.t.Errorf("the server's log: %s", p)
	}
	return len(p), nil
}

// StoreBlob stores a blob.
func (h *Harness) StoreBlob(data []byte) blob.Digest {
	h.Helper()
	d, _, err := h.Blobs.Add(bytes.NewReader(data))
	if err != nil {
		h.Fatal(err)
	}
	return d
}

// Contest creates a contest with the problem A. It starts after the given duration from now.
func (h *Harness) Contest(slug string, in time.Duration, visible store.Visibility, s store.Settings) *store.Contest {
	h.Helper()
	c := &store.Contest{
		Slug: slug, Name: slug + HostileMarkup, Format: store.ICPC, Starts: time.Now().Add(in), Length: time.Hour,
		Visibility: visible, Settings: s,
	}
	if err := h.Store.NewContest(h.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum", Points: 100}}); err != nil {
		h.Fatal(err)
	}
	return c
}

// Submit stores a submission of an account, and adds the account to the contest.
func (h *Harness) Submit(c *store.Contest, login string) *store.StoredSubmission {
	h.Helper()
	team, err := h.Store.Enter(h.Context(), c.ID, h.Accounts[login])
	if err != nil {
		h.Fatal(err)
	}
	text := []byte("print('source of " + login + "')" + HostileMarkup)
	name := `sum"><marked>.py`
	work := job.Work{
		Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: name,
		Files: []job.File{{Path: name, Size: int64(len(text)), Digest: h.StoreBlob(text)}},
	}
	a, err := h.Store.Submit(h.Context(), store.NewSubmission{
		Contest: c.ID, Team: team.ID, Account: h.Accounts[login].ID, Problem: "sum", Work: work, Priority: job.ContestPriority,
		Class: "main", Cost: time.Second,
	})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

// MarkDispatched marks submissions as dispatched: they are in the queue, and no worker has them yet.
func (h *Harness) MarkDispatched(all ...*store.StoredSubmission) {
	h.Helper()
	epoch := Must[int64](h)(h.Store.AcquireLease(h.Context(), store.EnqueueLease, "test", store.LeaseTerm))
	for _, a := range all {
		if out := Must[[]job.Running](h)(h.Store.MarkDispatched(h.Context(), epoch, job.Running{Job: a.Job, Generation: 1})); len(
			out,
		) != 1 {
			h.Fatalf("the job %s does not wait", a.Job)
		}
		h.Advance(time.Millisecond)
	}
}

// RecordJudgement records a result for a submission, like a worker's.
func (h *Harness) RecordJudgement(a *store.StoredSubmission, events ...judge.Event) {
	h.Helper()
	specs := Must[[]*job.Spec](h)(h.Store.NextJobs(h.Context(), job.ContestPriority, "main", 100))
	for _, s := range specs {
		if s.ID != a.Job {
			continue
		}
		packed, rows, err := job.Pack(events)
		if err != nil {
			h.Fatal(err)
		}
		r := &job.Result{
			Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w" + HostileMarkup, State: job.Done, Rows: rows,
			Events: packed, Machine: Secret,
		}
		r.Finished = events[len(events)-1].(*judge.Finished)
		if _, err := h.Store.RecordResult(h.Context(), r, h.StoreBlob(packed)); err != nil {
			h.Fatal(err)
		}
		return
	}
	h.Fatalf("the job %s does not wait", a.Job)
}

// FailingEvents returns the events of a program that fails on a sample and on a secret test case.
func FailingEvents() []judge.Event {
	detail := func(text string) *judge.Detail {
		return &judge.Detail{
			Input: judge.Excerpt{Text: text + "\n", FirstLine: 1, Size: 10},
			Want:  judge.Excerpt{Text: text + " want\n", FirstLine: 1, Size: 10},
			Got:   judge.Excerpt{Text: text + " got\n", FirstLine: 1, Size: 10},
		}
	}
	return []judge.Event{
		&judge.Started{
			Format: judge.EventFormat, Problem: "sum", Title: "Sum" + HostileMarkup, Program: "sum" + HostileMarkup + ".py",
			Language: "Python" + HostileMarkup, TimeMS: 1000, Memory: 1 << 20, Cases: 2, Groups: []string{"sample", Secret},
			Isolation: "root",
		},
		&judge.Built{Log: "warning" + HostileMarkup},
		&judge.CaseJudged{
			Group: "sample", Case: "one", Verdict: judge.WrongAnswer, Message: "says " + HostileMarkup, Stderr: "stderr" + HostileMarkup,
			Detail: detail("sample " + HostileMarkup),
		},
		&judge.GroupJudged{Group: "sample", Verdict: judge.WrongAnswer, Cases: 1},
		&judge.CaseJudged{
			Group: Secret, Case: Secret + "-2", Verdict: judge.RunTimeError, Message: Secret + HostileMarkup, Stderr: Secret,
			Line: Secret + " 7", Detail: detail(Secret),
		},
		&judge.GroupJudged{Group: Secret, Verdict: judge.RunTimeError, Cases: 1},
		&judge.Finished{
			Verdict: judge.WrongAnswer, Judged: 2, Cases: 2, First: "sample/one", Slowest: Secret + "/" + Secret + "-2",
			TimeMS: 5, Memory: 1000,
		},
	}
}

// Cookie logs an account in and returns its cookie. It returns an empty string for an anonymous reader.
func (h *Harness) Cookie(login string) string {
	h.Helper()
	if login == "" || login == "anonymous" {
		return ""
	}
	a, err := h.Store.Account(h.Context(), h.Accounts[login].ID)
	if err != nil {
		h.Fatal(err)
	}
	text, hash := auth.NewSession()
	if err := h.Store.NewSession(h.Context(), a, hash, "agent"+HostileMarkup); err != nil {
		h.Fatal(err)
	}
	return "assay=" + text
}

// An Response is a response of the server.
type Response struct {
	Code int
	Body string
	http.Header
}

// Fetch sends a request. If fields is not nil, they are sent as a form.
func (h *Harness) Fetch(cookie, method, path string, fields url.Values, header ...string) Response {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, h.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		h.Fatal(err)
	}
	if fields != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return h.Do(r, cookie)
}

// Do sends a request with a cookie.
func (h *Harness) Do(r *http.Request, cookie string) Response {
	h.Helper()
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer res.Body.Close()
	a := Response{Code: res.StatusCode, Header: res.Header}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		data, err := io.ReadAll(res.Body)
		if err != nil {
			h.Fatal(err)
		}
		a.Body = string(data)
	}
	return a
}

// Upload sends a form with files.
func (h *Harness) Upload(cookie, path string, fields map[string]string, files map[string]string) Response {
	h.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := m.WriteField(name, value); err != nil {
			h.Fatal(err)
		}
	}
	for name, text := range files {
		w, err := m.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			h.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		h.Fatal(err)
	}
	r, err := http.NewRequestWithContext(h.Context(), "POST", h.URL+path, &b)
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Content-Type", m.FormDataContentType())
	return h.Do(r, cookie)
}

// hiddenField matches a hidden field of a form.
var hiddenField = regexp.MustCompile(`<input type="hidden" name="([\w.]+)" value="([^"]*)">`)

// HiddenFields returns the hidden fields of the form on a page, such as those of an import's preview.
func HiddenFields(page string) url.Values {
	fields := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(page, -1) {
		fields.Add(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// Import imports a list in two steps: it requests the preview and confirms it.
func (h *Harness) Import(cookie, path string, fields url.Values) Response {
	h.Helper()
	preview := h.Fetch(cookie, "POST", path, fields)
	form := HiddenFields(preview.Body)
	if preview.Code != 200 || form.Get("seen") == "" {
		h.Fatalf("the preview at %s: %d\n%s", path, preview.Code, preview.Body)
	}
	to := "/admin/accounts"
	if slug, is := strings.CutPrefix(path, "/c/"); is {
		to = "/c/" + strings.TrimSuffix(slug, "/import") + "/teams"
	}
	return h.Fetch(cookie, "POST", to, form)
}

// Routes maps the patterns of all routes to their actions.
func Routes() map[string]auth.Action {
	all := map[string]auth.Action{}
	for _, part := range append([]func(*web.Site) web.Pages{web.SharedPages}, pages.All...) {
		for _, r := range part(&web.Site{}).Routes {
			all[r.Pattern] = r.Action
		}
	}
	return all
}
