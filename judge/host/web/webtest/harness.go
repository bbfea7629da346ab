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
	"assay/judge/host/board"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/dispatch"
	"assay/judge/host/job"
	"assay/judge/host/ladder"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/host/web"
	"assay/judge/host/web/contest"
	"assay/judge/host/web/pages"
)

// Evil is part of all names in tests.
const Evil = `"><marked onmouseover=alert(1)>'</pre><script>alert(1)</script>&{{.}}`

// Secret is part of all texts that contestants must not see.
const Secret = "secret-of-the-setters"

// A Harness is a test server with a real database and a real queue, but no worker.
type Harness struct {
	testing.TB
	*httptest.Server
	BackupState web.Backups   // state of the server's backups
	Uploads     int           // number of uploaded packages
	Dir         string        // directory of the database
	ahead       *atomic.Int64 // how far the clock was advanced
	Store       *store.Store
	Blobs       *blob.Dir
	Desk        *desk.Desk
	Dispatch    *dispatch.Dispatcher
	Accounts    map[string]*store.Account
	Problem     *store.Problem
	Ladders     *ladder.Keeper
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
		Dir: filepath.Join(dir, "queue"), Classes: []string{"main"}, Listen: d.Listener(),
	}))
	t.Cleanup(q.Close)
	d.Use(q)
	h := &Harness{TB: t, Dir: dir, ahead: ahead, Store: db, Blobs: blobs, Dispatch: d, Accounts: map[string]*store.Account{}}
	passwords := auth.NewPasswords()
	hash := Must[string](t)(passwords.Hash(t.Context(), "correct-horse"))
	for login, role := range map[string]auth.Role{"ada": auth.Contestant, "bob": auth.Contestant, "runner": auth.Runner,
		"judge": auth.Judge, "chair": auth.Contestant, "other": auth.Contestant, "admin": auth.Admin} {
		made, err := db.NewAccounts(t.Context(), store.NewAccount{
			Login: login, Display: login + Evil, Email: Evil, Password: hash, Kind: store.Person, Role: string(role),
		})
		check(err)
		h.Accounts[login] = made[0]
	}
	h.Desk = &desk.Desk{
		Store: db, Blobs: blobs, Dispatch: d, MaxSize: 1000, MaxFiles: 3, Class: "main",
		FreeDisk: func() (int64, error) { return 1 << 40, nil }, Now: now,
	}
	pile := []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	sheet, err := json.Marshal(client.Sheet{
		Files:  []client.SheetFile{{Name: "pile.svg", Type: "image/svg+xml", Size: int64(len(pile)), Digest: h.Put(pile)}},
		Format: client.SheetFormat, Title: "Sum" + Evil, Statement: "# Sum\n\nAdd *both* " + Evil +
			"\n\n[link](javascript:alert(1))", TimeMS: 1000, Memory: 256 << 20, Golf: true,
		GolfStatement: "# Sum\n\nIn *few* bytes " + Evil + "\n\n[link](javascript:alert(1))",
		Samples:       []client.Sample{{Name: "one" + Evil, In: "1 2\n" + Evil, Ans: "3\n" + Evil}, {Name: "two", In: "2 2\n", Ans: "4\n"}},
		Languages: []client.OfferedLanguage{
			{ID: "py", Name: "Python", Extensions: []string{"py"}},
			{ID: "another", Name: "Another Python", Extensions: []string{"py", "apy"}},
			{ID: "sh", Name: "Shell", Extensions: []string{"sh"}}, {ID: "binary", Name: "executable"},
		},
	})
	check(err)
	text, bundled := h.Put(sheet), h.Put([]byte(Secret))
	h.Problem = Must[*store.Problem](t)(db.PutBundle(t.Context(), store.NewBundle{
		Problem: "sum", Title: "Sum" + Evil, Owner: h.Accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled,
		Sheet: text, MadeBy: h.Accounts["admin"].ID,
	}))
	h.Ladders = ladder.New(ladder.Options{Store: db, Dispatch: d, Log: log, Holder: "test", Class: "main", Now: now})
	boards := board.NewHall(board.HallOptions{Store: db, Frame: contest.Frame("Test"), Log: slog.New(slog.NewTextHandler(logged{t}, nil))})
	o := web.Options{
		Desk: h.Desk, Boards: boards, Name: "Test", URL: "http://judge.example", Address: "http://judge.example",
		Passwords: passwords, Log: slog.New(slog.NewTextHandler(logged{t}, nil)), KeepAlive: time.Millisecond,
		Backups: func() web.Backups { return h.BackupState }, Uploaded: func() { h.Uploads++ }, Ladders: h.Ladders,
	}
	for _, c := range change {
		c(h, &o)
	}
	h.Server = httptest.NewServer(web.New(o, pages.All...))
	t.Cleanup(h.Close)
	return h
}

// Later advances the server's clock.
func (h *Harness) Later(d time.Duration) { h.ahead.Add(int64(d)) }

// logged fails a test when the server logs an error.
type logged struct{ t testing.TB }

func (l logged) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("level=ERROR")) {
		l.t.Errorf("the server's log: %s", p)
	}
	return len(p), nil
}

// Put stores a blob.
func (h *Harness) Put(data []byte) blob.Digest {
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
		Slug: slug, Name: slug + Evil, Format: store.ICPC, Starts: time.Now().Add(in), Length: time.Hour,
		Visibility: visible, Settings: s,
	}
	if err := h.Store.NewContest(h.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum", Points: 100}}); err != nil {
		h.Fatal(err)
	}
	return c
}

// Send stores a submission of an account, and adds the account to the contest.
func (h *Harness) Send(c *store.Contest, login string) *store.Accepted {
	h.Helper()
	team, err := h.Store.Enter(h.Context(), c.ID, h.Accounts[login])
	if err != nil {
		h.Fatal(err)
	}
	text := []byte("print('source of " + login + "')" + Evil)
	name := `sum"><marked>.py`
	work := job.Work{
		Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: name,
		Files: []job.File{{Path: name, Size: int64(len(text)), Digest: h.Put(text)}},
	}
	a, err := h.Store.Submit(h.Context(), store.NewSubmission{
		Contest: c.ID, Team: team.ID, Account: h.Accounts[login].ID, Problem: "sum", Work: work, Lane: job.Contest,
		Class: "main", Cost: time.Second,
	})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

// Queued marks submissions as dispatched: they are in the queue, and no worker has them yet.
func (h *Harness) Queued(all ...*store.Accepted) {
	h.Helper()
	epoch := Must[int64](h)(h.Store.TakeLead(h.Context(), store.FeedLead, "test", store.LeadTerm))
	for _, a := range all {
		if out := Must[[]job.Running](h)(h.Store.MarkOut(h.Context(), epoch, job.Running{Job: a.Job, Generation: 1})); len(out) != 1 {
			h.Fatalf("the job %s does not wait", a.Job)
		}
		h.Later(time.Millisecond)
	}
}

// Judged records a result for a submission, like a worker's.
func (h *Harness) Judged(a *store.Accepted, events ...judge.Event) {
	h.Helper()
	specs := Must[[]*job.Spec](h)(h.Store.Next(h.Context(), job.Contest, "main", 100))
	for _, s := range specs {
		if s.ID != a.Job {
			continue
		}
		packed, rows, err := job.Pack(events)
		if err != nil {
			h.Fatal(err)
		}
		r := &job.Result{
			Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w" + Evil, State: job.Done, Rows: rows,
			Events: packed, Machine: Secret,
		}
		r.Finished = events[len(events)-1].(*judge.Finished)
		if _, err := h.Store.Fold(h.Context(), r, h.Put(packed)); err != nil {
			h.Fatal(err)
		}
		return
	}
	h.Fatalf("the job %s does not wait", a.Job)
}

// Failing returns the events of a program that fails on a sample and on a secret test case.
func Failing() []judge.Event {
	detail := func(text string) *judge.Detail {
		return &judge.Detail{
			Input: judge.Excerpt{Text: text + "\n", FirstLine: 1, Size: 10},
			Want:  judge.Excerpt{Text: text + " want\n", FirstLine: 1, Size: 10},
			Got:   judge.Excerpt{Text: text + " got\n", FirstLine: 1, Size: 10},
		}
	}
	return []judge.Event{
		&judge.Started{
			Format: judge.EventFormat, Problem: "sum", Title: "Sum" + Evil, Program: "sum" + Evil + ".py",
			Language: "Python" + Evil, TimeMS: 1000, Memory: 1 << 20, Cases: 2, Groups: []string{"sample", Secret},
			Isolation: "root",
		},
		&judge.Built{Log: "warning" + Evil},
		&judge.CaseJudged{
			Group: "sample", Case: "one", Verdict: judge.WrongAnswer, Message: "says " + Evil, Stderr: "stderr" + Evil,
			Detail: detail("sample " + Evil),
		},
		&judge.GroupJudged{Group: "sample", Verdict: judge.WrongAnswer, Cases: 1},
		&judge.CaseJudged{
			Group: Secret, Case: Secret + "-2", Verdict: judge.RunTimeError, Message: Secret + Evil, Stderr: Secret,
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
	if err := h.Store.NewSession(h.Context(), a, hash, "agent"+Evil); err != nil {
		h.Fatal(err)
	}
	return "assay=" + text
}

// An Answer is a response of the server.
type Answer struct {
	Code int
	Body string
	http.Header
}

// Ask sends a request. If fields is not nil, they are sent as a form.
func (h *Harness) Ask(cookie, method, path string, fields url.Values, header ...string) Answer {
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
func (h *Harness) Do(r *http.Request, cookie string) Answer {
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
	a := Answer{Code: res.StatusCode, Header: res.Header}
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
func (h *Harness) Upload(cookie, path string, fields map[string]string, files map[string]string) Answer {
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

// hidden matches a hidden field of a form.
var hidden = regexp.MustCompile(`<input type="hidden" name="([\w.]+)" value="([^"]*)">`)

// Shown returns the hidden fields of the form on a page, such as those of an import's preview.
func Shown(page string) url.Values {
	fields := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		fields.Add(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// Imported imports a list in two steps: it requests the preview and confirms it.
func (h *Harness) Imported(cookie, path string, fields url.Values) Answer {
	h.Helper()
	preview := h.Ask(cookie, "POST", path, fields)
	form := Shown(preview.Body)
	if preview.Code != 200 || form.Get("seen") == "" {
		h.Fatalf("the preview at %s: %d\n%s", path, preview.Code, preview.Body)
	}
	to := "/admin/accounts"
	if slug, is := strings.CutPrefix(path, "/c/"); is {
		to = "/c/" + strings.TrimSuffix(slug, "/import") + "/teams"
	}
	return h.Ask(cookie, "POST", to, form)
}

// Routes maps the patterns of all routes to their actions.
func Routes() map[string]auth.Action {
	all := map[string]auth.Action{}
	for _, part := range append([]func(*web.Site) web.Pages{web.Shared}, pages.All...) {
		for _, r := range part(&web.Site{}).Routes {
			all[r.Pattern] = r.Action
		}
	}
	return all
}
