package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
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
	"assay/judge/host/web"
)

var update = flag.Bool("update", false, "write the golden files anew")

// evil is what people put into everything that they may name.
const evil = `"><marked onmouseover=alert(1)>'</pre><script>alert(1)</script>&{{.}}`

// secret stands in all that no contestant may see.
const secret = "secret-of-the-setters"

// harness is a server for tests: a real database and a real queue, and no worker.
type harness struct {
	backups web.Backups // what the server says of them
	poked   int         // how often it was told that a package was brought
	testing.TB
	*httptest.Server
	dir      string        // of the database
	ahead    *atomic.Int64 // of the clock, since the harness was made
	store    *store.Store
	blobs    *blob.Folder
	desk     *desk.Desk
	d        *dispatch.Dispatcher
	accounts map[string]*store.Account
	problem  *store.Problem
	ladders  *ladder.Keeper
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	blobs := must[*blob.Folder](t)(blob.Open(filepath.Join(dir, "blobs"), 0))
	began := time.Now()
	ahead := &atomic.Int64{}
	now := func() time.Time { return began.Add(time.Duration(ahead.Load())) } // however slow the machine is
	db := must[*store.Store](t)(store.Open(t.Context(), store.Options{Dir: dir, Version: "v1", Now: now}))
	t.Cleanup(func() { _ = db.Close() })
	log := slog.New(slog.DiscardHandler)
	d := dispatch.New(dispatch.Options{Store: db, Blobs: blobs, Log: log, Holder: "test", Class: "main"})
	q := must[*queue.Queue](t)(queue.Open(t.Context(), queue.Options{Folder: filepath.Join(dir, "queue"), Classes: []string{"main"}, Listen: d.Listener()}))
	t.Cleanup(q.Close)
	d.Use(q)
	h := &harness{TB: t, dir: dir, ahead: ahead, store: db, blobs: blobs, d: d, accounts: map[string]*store.Account{}}
	passwords := auth.NewPasswords()
	hash := must[string](t)(passwords.Hash(t.Context(), "correct-horse"))
	for login, role := range map[string]auth.Role{"ada": auth.Contestant, "bob": auth.Contestant, "runner": auth.Runner, "judge": auth.Judge, "chair": auth.Contestant, "other": auth.Contestant, "admin": auth.Admin} {
		made, err := db.NewAccounts(t.Context(), store.NewAccount{Login: login, Display: login + evil, Email: evil, Password: hash, Kind: store.Person, Role: string(role)})
		check(err)
		h.accounts[login] = made[0]
	}
	h.desk = &desk.Desk{Store: db, Blobs: blobs, Dispatch: d, MaxSize: 1000, MaxFiles: 3, Class: "main", FreeDisk: func() (int64, error) { return 1 << 40, nil }, Now: now}
	pile := []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	sheet, err := json.Marshal(client.Sheet{
		Files:  []client.SheetFile{{Name: "pile.svg", Type: "image/svg+xml", Size: int64(len(pile)), Digest: h.put(pile)}},
		Format: client.SheetFormat, Title: "Sum" + evil, Statement: "# Sum\n\nAdd *both* " + evil + "\n\n[link](javascript:alert(1))", TimeMS: 1000, Memory: 256 << 20, Golf: true,
		GolfStatement: "# Sum\n\nIn *few* bytes " + evil + "\n\n[link](javascript:alert(1))",
		Samples:       []client.Sample{{Name: "one" + evil, In: "1 2\n" + evil, Ans: "3\n" + evil}, {Name: "two", In: "2 2\n", Ans: "4\n"}},
		Languages:     []client.OfferedLanguage{{ID: "py", Name: "Python", Extensions: []string{"py"}}, {ID: "another", Name: "Another Python", Extensions: []string{"py", "apy"}}, {ID: "sh", Name: "Shell", Extensions: []string{"sh"}}, {ID: "binary", Name: "executable"}},
	})
	check(err)
	text, bundled := h.put(sheet), h.put([]byte(secret))
	h.problem = must[*store.Problem](t)(db.PutBundle(t.Context(), store.NewBundle{
		Problem: "sum", Title: "Sum" + evil, Owner: h.accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled, Sheet: text, MadeBy: h.accounts["admin"].ID,
	}))
	h.ladders = ladder.New(ladder.Options{Store: db, Dispatch: d, Log: log, Holder: "test", Class: "main", Now: now})
	boards := board.NewHall(board.HallOptions{Store: db, Frame: web.Frame("Test"), Log: slog.New(slog.NewTextHandler(logged{t}, nil))})
	h.Server = httptest.NewServer(web.New(web.Options{
		Desk: h.desk, Boards: boards, Name: "Test", URL: "http://judge.example", Address: "http://judge.example", Passwords: passwords, Log: slog.New(slog.NewTextHandler(logged{t}, nil)), KeepAlive: time.Millisecond,
		Backups: func() web.Backups { return h.backups }, Uploaded: func() { h.poked++ }, Ladders: h.ladders,
	}))
	t.Cleanup(h.Close)
	return h
}

// later puts the server's clock forward.
func (h *harness) later(d time.Duration) { h.ahead.Add(int64(d)) }

// logged fails a test where the server finds itself at fault.
type logged struct{ t testing.TB }

func (l logged) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("level=ERROR")) {
		l.t.Errorf("the server's log: %s", p)
	}
	return len(p), nil
}

func (h *harness) put(data []byte) blob.Digest {
	h.Helper()
	d, _, err := h.blobs.Add(bytes.NewReader(data))
	if err != nil {
		h.Fatal(err)
	}
	return d
}

// contest makes a contest with the problem A, which begins so long after now.
func (h *harness) contest(slug string, in time.Duration, visible store.Visibility, s store.Settings) *store.Contest {
	h.Helper()
	c := &store.Contest{Slug: slug, Name: slug + evil, Format: store.ICPC, Starts: time.Now().Add(in), Length: time.Hour, Visibility: visible, Settings: s}
	if err := h.store.NewContest(h.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum", Points: 100}}); err != nil {
		h.Fatal(err)
	}
	return c
}

// send hands a submission in, of an account with a team.
func (h *harness) send(c *store.Contest, login string) *store.Accepted {
	h.Helper()
	team, err := h.store.Enter(h.Context(), c.ID, h.accounts[login])
	if err != nil {
		h.Fatal(err)
	}
	text := []byte("print('source of " + login + "')" + evil)
	name := `sum"><marked>.py`
	work := job.Work{
		Kind: job.Submission, Bundle: h.problem.Bundle, Config: h.problem.Config, Problem: "sum", Program: name,
		Files: []job.File{{Path: name, Size: int64(len(text)), Digest: h.put(text)}},
	}
	a, err := h.store.Submit(h.Context(), store.NewSubmission{Contest: c.ID, Team: team.ID, Account: h.accounts[login].ID, Problem: "sum", Work: work, Lane: job.Contest, Class: "main", Cost: time.Second})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

// judged ends the judging of a submission as a worker does.
func (h *harness) judged(a *store.Accepted, events ...judge.Event) {
	h.Helper()
	specs := must[[]*job.Spec](h)(h.store.Next(h.Context(), job.Contest, "main", 100))
	for _, s := range specs {
		if s.ID != a.Job {
			continue
		}
		packed, rows, err := job.Pack(events)
		if err != nil {
			h.Fatal(err)
		}
		r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w" + evil, State: job.Done, Rows: rows, Events: packed, Machine: secret}
		r.Finished = events[len(events)-1].(*judge.Finished)
		if _, err := h.store.Fold(h.Context(), r, h.put(packed)); err != nil {
			h.Fatal(err)
		}
		return
	}
	h.Fatalf("the job %s does not wait", a.Job)
}

// failing is a judging that fails on a sample and on a secret case.
func failing() []judge.Event {
	detail := func(text string) *judge.Detail {
		return &judge.Detail{Input: judge.Excerpt{Text: text + "\n", FirstLine: 1, Size: 10}, Want: judge.Excerpt{Text: text + " want\n", FirstLine: 1, Size: 10}, Got: judge.Excerpt{Text: text + " got\n", FirstLine: 1, Size: 10}}
	}
	return []judge.Event{
		&judge.Started{Format: judge.EventFormat, Problem: "sum", Title: "Sum" + evil, Program: "sum" + evil + ".py", Language: "Python" + evil, TimeMS: 1000, Memory: 1 << 20, Cases: 2, Groups: []string{"sample", secret}, Rung: "root"},
		&judge.Built{Log: "warning" + evil},
		&judge.CaseJudged{Group: "sample", Case: "one", Verdict: judge.WrongAnswer, Message: "says " + evil, Stderr: "stderr" + evil, Detail: detail("sample " + evil)},
		&judge.GroupJudged{Group: "sample", Verdict: judge.WrongAnswer, Cases: 1},
		&judge.CaseJudged{Group: secret, Case: secret + "-2", Verdict: judge.RunTimeError, Message: secret + evil, Stderr: secret, Line: secret + " 7", Detail: detail(secret)},
		&judge.GroupJudged{Group: secret, Verdict: judge.RunTimeError, Cases: 1},
		&judge.Finished{Verdict: judge.WrongAnswer, Judged: 2, Cases: 2, First: "sample/one", Slowest: secret + "/" + secret + "-2", TimeMS: 5, Memory: 1000},
	}
}

// cookie logs an account in; nobody is "".
func (h *harness) cookie(login string) string {
	h.Helper()
	if login == "" || login == "anonymous" {
		return ""
	}
	a, err := h.store.Account(h.Context(), h.accounts[login].ID)
	if err != nil {
		h.Fatal(err)
	}
	text, hash := auth.NewSession()
	if err := h.store.NewSession(h.Context(), a, hash, "agent"+evil); err != nil {
		h.Fatal(err)
	}
	return "assay=" + text
}

// answer is what was answered.
type answer struct {
	code int
	body string
	http.Header
}

// ask sends a request; fields make it a form.
func (h *harness) ask(cookie, method, path string, fields url.Values, header ...string) answer {
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
	return h.do(r, cookie)
}

func (h *harness) do(r *http.Request, cookie string) answer {
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
	a := answer{code: res.StatusCode, Header: res.Header}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		data, err := io.ReadAll(res.Body)
		if err != nil {
			h.Fatal(err)
		}
		a.body = string(data)
	}
	return a
}

// upload sends the form of a submission.
func (h *harness) upload(cookie, path string, fields map[string]string, files map[string]string) answer {
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
	return h.do(r, cookie)
}

// hidden is a field of a form that is not shown.
var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// shown are the fields of the form that a preview of an import has.
func shown(page string) url.Values {
	fields := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		fields.Set(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// imported imports a list in the two steps of a page: the preview, and the import of what it shows.
func (h *harness) imported(cookie, path string, fields url.Values) answer {
	h.Helper()
	preview := h.ask(cookie, "POST", path, fields)
	form := shown(preview.body)
	if preview.code != 200 || form.Get("seen") == "" {
		h.Fatalf("the preview at %s: %d\n%s", path, preview.code, preview.body)
	}
	to := "/admin/accounts"
	if slug, is := strings.CutPrefix(path, "/c/"); is {
		to = "/c/" + strings.TrimSuffix(slug, "/import") + "/teams"
	}
	return h.ask(cookie, "POST", to, form)
}
