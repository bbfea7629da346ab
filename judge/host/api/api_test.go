package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/api"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// harness is a server for tests, with a real database and a real queue, but without workers.
type harness struct {
	options api.Options
	*testing.T
	*httptest.Server
	store   *store.Store
	blobs   *blob.Dir
	d       *dispatch.Dispatcher
	intake  *intake.Service
	ahead   *atomic.Int64     // how far the database's clock is ahead, in nanoseconds
	headers map[string]string // by caller
	ids     map[string]string // of tokens
	seed    []byte            // key of the worker w
	key     string
	mixed   func(classes ...string) // sets the mixed classes
	// preparing means that the contest's problems are still being published.
	preparing atomic.Bool
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	dir := storetest.Dir(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"), 0)
	must(err)
	ahead := new(atomic.Int64)
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1",
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	must(err)
	t.Cleanup(func() { _ = db.Close() })
	log := slog.New(slog.DiscardHandler)
	d := dispatch.New(dispatch.Options{Store: db, Blobs: blobs, Log: log, Holder: "test", Class: "main"})
	q, err := queue.Open(t.Context(), queue.Options{Dir: filepath.Join(dir, "queue"), Classes: []string{"main"}, Listener: d.Listener()})
	must(err)
	t.Cleanup(q.Close)
	d.SetQueue(q)
	h := &harness{T: t, store: db, blobs: blobs, d: d, ahead: ahead, headers: map[string]string{"anonymous": ""}, ids: map[string]string{}}
	for _, who := range []string{"submit", "publish", "admin", "other", "revoked", "expired"} {
		account, err := db.NewAccount(t.Context(), who, who, store.PersonAccount, "")
		must(err)
		scope := map[string]string{"other": "submit", "revoked": "admin", "expired": "admin"}[who]
		if scope == "" {
			scope = who
		}
		text, hash := auth.NewToken()
		until := time.Time{}
		if who == "expired" {
			until = time.Now().Add(-time.Hour)
		}
		token, err := db.NewToken(t.Context(), account.ID, hash, "", []string{scope}, until)
		must(err)
		h.headers[who], h.ids[who] = "Bearer "+text, token.ID
	}
	must(db.RevokeToken(t.Context(), h.ids["revoked"]))
	for _, name := range []string{"w", "gone"} {
		seed, key, err := queue.ReadKey(filepath.Join(dir, name))
		must(err)
		w, err := db.AdmitWorker(t.Context(), store.NewWorker{Name: name, Class: "main", Key: key, Capabilities: offer()})
		must(err)
		if name == "gone" {
			must(db.SetWorkerState(t.Context(), w.ID, store.WorkerRevoked, ""))
			h.ids["gone key"] = string(seed)
		} else {
			h.seed, h.key = seed, key
		}
	}
	options := api.Options{
		IsPreparing: h.preparing.Load,
		Service: &intake.Service{Store: db, Blobs: blobs, Dispatch: d, MaxSize: 1000, MaxFiles: 3, Class: "main",
			Practice: store.PracticeAll, FreeDisk: func() (int64, error) { return 1 << 40, nil }},
		Scoreboards: scoreboard.NewRegistry(scoreboard.RegistryOptions{Store: db, Log: log}),
		Name:        "Test", Version: "v1", Passwords: auth.NewPasswords(), Bridge: q.Bridge(), Log: log,
		CheckReady: func(context.Context) ([]string, error) { return []string{"a worker is ill"}, nil },
		Backup:     func(_ context.Context, name string) (string, error) { return name, nil },
		Move:       func(context.Context) (client.MoveResult, error) { return client.MoveResult{Lines: []string{"x"}}, nil },
	}
	h.intake, h.options = options.Service, options
	var answers atomic.Value
	h.mixed = func(classes ...string) {
		options.MixedClasses = classes
		answers.Store(compared(t, api.Routed(options, time.Millisecond)))
	}
	h.mixed()
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		answers.Load().(http.Handler).ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func offer() job.Capabilities {
	return job.Capabilities{Protocol: job.Protocol, Version: "v1", Arch: "linux/amd64", IsolationLevel: "root",
		Languages: map[string]string{"sh": "x"}, Slots: 1, Machine: "m"}
}

// as returns the Authorization header of a caller.
func (h *harness) as(who, method, path string) string {
	h.Helper()
	sign := func(seed []byte, now time.Time, path string) string {
		text, err := auth.Sign(seed, now, method, path)
		if err != nil {
			h.Fatal(err)
		}
		return text
	}
	path, _, _ = strings.Cut(path, "?")
	switch who {
	case "worker":
		return sign(h.seed, time.Now(), path)
	case "guest":
		return sign([]byte(h.ids["guest key"]), time.Now(), path)
	case "gone worker":
		return sign([]byte(h.ids["gone key"]), time.Now(), path)
	case "late worker":
		return sign(h.seed, time.Now().Add(-6*time.Minute), path)
	case "forger": // uses the signature of another request
		return sign(h.seed, time.Now(), path+"x")
	}
	text, known := h.headers[who]
	if !known {
		h.Fatalf("there is no caller %q", who)
	}
	return text
}

// ask sends a request as the caller who, and returns the status and the body of the response. A body that is not a
// string is sent as JSON.
func (h *harness) ask(who, method, path string, body any) (int, string) {
	h.Helper()
	data, isText := body.(string)
	if !isText && body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			h.Fatal(err)
		}
		data = string(text)
	}
	r, err := http.NewRequestWithContext(h.Context(), method, h.URL+path, strings.NewReader(data))
	if err != nil {
		h.Fatal(err)
	}
	if text := h.as(who, method, path); text != "" {
		r.Header.Set("Authorization", text)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		h.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

// callers lists all kinds of callers.
var callers = []string{"anonymous", "submit", "publish", "admin", "revoked", "expired", "worker", "gone worker", "late worker", "forger"}

// expected maps each route to a path, a body, and the statuses of the callers that are allowed. All other callers
// must be rejected.
var expected = map[string]struct {
	path string
	body any
	may  string // allowed callers with their statuses
}{
	"GET /v1/server":                        {"/v1/server", nil, "all 200"},
	"GET /v1/account":                       {"/v1/account", nil, "submit 200, publish 200, admin 200"},
	"POST /v1/blobs/missing":                {"/v1/blobs/missing", client.Blobs{}, "submit 200, publish 200, admin 200"},
	"PUT /blob/{digest}":                    {"/blob/" + string(blob.DigestOf(nil)), "", "submit 200, publish 200, admin 200"},
	"GET /blob/{digest}":                    {"/blob/" + string(blob.DigestOf([]byte("none"))), nil, "worker 400"},
	"GET /v1/problems":                      {"/v1/problems", nil, "submit 200, publish 200, admin 200"},
	"GET /v1/contests/{slug}/scoreboard":    {"/v1/contests/none/scoreboard", nil, "submit 404, publish 404, admin 404"},
	"GET /v1/contests/{slug}/export/{part}": {"/v1/contests/none/export/package", nil, "admin 404"},
	"POST /v1/contests/{slug}/rejudgings":   {"/v1/contests/practice/rejudgings", client.NewRejudging{}, "admin 400"},
	"GET /v1/contests/{slug}/rejudgings":    {"/v1/contests/practice/rejudgings", nil, "admin 200"},
	"GET /v1/rejudgings/{id}":               {"/v1/rejudgings/none", nil, "admin 404"},
	"PUT /v1/rejudgings/{id}":               {"/v1/rejudgings/none", client.RejudgingUpdate{State: "applied"}, "admin 404"},
	"PUT /v1/problems/{slug}":               {"/v1/problems/sum", "{", "publish 400, admin 400"},
	"POST /v1/submissions":                  {"/v1/submissions", "{", "submit 400, admin 400"},
	"GET /v1/submissions":                   {"/v1/submissions", nil, "submit 200, admin 200"},
	"DELETE /v1/submissions":                {"/v1/submissions", nil, "admin 400"},
	"GET /v1/submissions/{id}":              {"/v1/submissions/none", nil, "submit 404, admin 404"},
	"DELETE /v1/submissions/{id}":           {"/v1/submissions/none", nil, "submit 404, admin 404"},
	"GET /v1/submissions/{id}/events":       {"/v1/submissions/none/events", nil, "submit 404, admin 404"},
	"POST /v1/holes/{hole}/answers":         {"/v1/holes/none/answers", client.NewGolfSubmission{}, "submit 404, admin 404"},
	"GET /v1/holes/{hole}/answers/{number}": {"/v1/holes/none/answers/1", nil, "submit 404, admin 404"},
	"PUT /v1/workflows/{id}":                {"/v1/workflows/AAAAAAAAAAAAAAAAAAAAAAAA", "{", "submit 400, publish 400, admin 400"},
	"DELETE /v1/workflows/{id}":             {"/v1/workflows/none", nil, "submit 404, publish 404, admin 404"},
	"GET /v1/workflows/{id}/tasks":          {"/v1/workflows/none/tasks", nil, "submit 404, publish 404, admin 404"},
	"GET /v1/queue":                         {"/v1/queue", nil, "submit 200, publish 200, admin 200"},
	"GET /v1/queue/accounts":                {"/v1/queue/accounts", nil, "admin 200"},
	"GET /v1/tokens":                        {"/v1/tokens", nil, "admin 200"},
	"POST /v1/tokens":                       {"/v1/tokens", "{", "admin 400"},
	"DELETE /v1/tokens/{id}":                {"/v1/tokens/none", nil, "admin 404"},
	"GET /v1/accounts":                      {"/v1/accounts", nil, "admin 200"},
	"POST /v1/accounts":                     {"/v1/accounts", "{", "admin 400"},
	"PUT /v1/accounts/{login}":              {"/v1/accounts/none", "{", "admin 400"},
	"GET /v1/invitations":                   {"/v1/invitations", nil, "admin 200"},
	"POST /v1/invitations":                  {"/v1/invitations", "{", "admin 400"},
	"DELETE /v1/invitations/{id}":           {"/v1/invitations/none", nil, "admin 404"},
	"DELETE /v1/accounts/{login}":           {"/v1/accounts/none", nil, "admin 404"},
	"POST /v1/workers/invites":              {"/v1/workers/invites", "{", "admin 400"},
	"POST /v1/workers/join":                 {"/v1/workers/join", "{", "all 400"},
	"POST /v1/workers/hello":                {"/v1/workers/hello", "{", "worker 400"},
	"GET /v1/workers":                       {"/v1/workers", nil, "admin 200"},
	"PUT /v1/workers/{name}":                {"/v1/workers/none", "{", "admin 400"},
	"GET /v1/classes":                       {"/v1/classes", nil, "admin 200"},
	"PUT /v1/classes/{name}":                {"/v1/classes/none", "{", "admin 400"},
	"GET /v1/judgements":                    {"/v1/judgements?origin=untrusted", nil, "admin 200"},
	"POST /v1/backup":                       {"/v1/backup", "{", "admin 400"},
	"POST /v1/move":                         {"/v1/move", "", "admin 200"},
	"POST /v1/contests":                     {"/v1/contests", "{", "admin 400"},
	"POST /v1/contests/shadow":              {"/v1/contests/shadow", client.NewShadow{URL: "none"}, "admin 400"},
	"DELETE /v1/contests/{slug}/shadow":     {"/v1/contests/none/shadow", nil, "admin 404"},
}

// TestWhoMayAskWhat calls all routes as every kind of caller. An unidentified caller without permission must get
// 401, and an identified one 403.
func TestWhoMayAskWhat(t *testing.T) {
	h := newHarness(t)
	refused := map[string]int{
		"anonymous": 401, "revoked": 401, "expired": 401, "late worker": 401, "forger": 401,
		"submit": 403, "publish": 403, "admin": 403, "worker": 403, "gone worker": 403,
	}
	if got := len(api.Patterns()); got != len(expected) {
		t.Errorf("there are %d routes, and %d are expected", got, len(expected))
	}
	for _, pattern := range api.Patterns() {
		row, known := expected[pattern]
		if !known {
			t.Errorf("no rule says who may ask %s", pattern)
			continue
		}
		method, _, _ := strings.Cut(pattern, " ")
		may := map[string]int{}
		for _, one := range strings.Split(row.may, ", ") {
			who, status, _ := strings.Cut(one, " ")
			for _, caller := range callers {
				if who == caller || who == "all" {
					may[caller] = int(status[0]-'0')*100 + int(status[2]-'0')
				}
			}
		}
		for _, who := range callers {
			want := may[who]
			if want == 0 {
				want = refused[who]
			}
			got, said := h.ask(who, method, row.path, row.body)
			if got != want {
				t.Errorf("%s as %s is answered %d %s, want %d", pattern, who, got, said, want)
			}
			var one map[string]any
			if got >= 400 && (json.Unmarshal([]byte(said), &one) != nil || one["error"] == "") {
				t.Errorf("%s as %s is refused with %q, which is no reason", pattern, who, said)
			}
		}
	}
}

// give uploads a blob as the given caller.
func (h *harness) give(who, data string) blob.Digest {
	h.Helper()
	d := blob.DigestOf([]byte(data))
	if code, said := h.ask(who, "PUT", client.BlobPath+string(d), data); code != 200 {
		h.Fatalf("the blob of %s: %d %s", who, code, said)
	}
	return d
}

// submission publishes a problem, and returns a submission for the caller "submit" whose blob has been uploaded.
func (h *harness) submission(key string) client.NewSubmission {
	h.Helper()
	const data = "program"
	d := h.give("submit", data)
	h.give("publish", data)
	publisher, err := h.store.AccountByLogin(h.Context(), "publish")
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.store.PutBundle(h.Context(), store.NewBundle{Problem: "sum", Title: "Sum", Owner: publisher.ID, ID: d, Manifest: d,
		Config: d, MadeBy: publisher.ID}); err != nil {
		h.Fatal(err)
	}
	return client.NewSubmission{Key: key, Problem: "sum", Program: "a.sh",
		Files: []job.File{{Path: "a.sh", Size: int64(len(data)), Digest: d}}}
}

// TestProblemsThatAreNotThereYet checks that a missing problem is not reported as final while problems are still
// being published.
func TestProblemsThatAreNotThereYet(t *testing.T) {
	h := newHarness(t)
	ask := func(want string) {
		t.Helper()
		if code, said := h.ask("submit", "POST", "/v1/submissions",
			client.NewSubmission{Problem: "sum", Program: "a.sh", Files: []job.File{{Path: "a.sh"}}}); code != 404 || !strings.Contains(said, want) {
			t.Errorf("%d %s, want %q", code, said, want)
		}
	}
	h.preparing.Store(true)
	if _, said := h.ask("anonymous", "GET", client.ServerPath, nil); !strings.Contains(said, `"preparing":true`) {
		t.Errorf("the server says %s", said)
	}
	ask("still being prepared: try again in a minute")
	h.preparing.Store(false)
	ask("it has none yet that you may see")
}

// TestBadInput sends invalid submissions. Each must be rejected with one clear sentence and must not be stored.
func TestBadInput(t *testing.T) {
	h := newHarness(t)
	good := h.submission("k")
	with := func(change func(*client.NewSubmission)) client.NewSubmission {
		n := good
		n.Files = append([]job.File(nil), good.Files...)
		change(&n)
		return n
	}
	none := blob.DigestOf([]byte("none"))
	for name, c := range map[string]struct {
		who, method, path string
		body              any
		status            int
		says              string
	}{
		"JSON cut":        {"submit", "POST", "/v1/submissions", `{"key":"x`, 400, "not the JSON that was expected"},
		"JSON of another": {"submit", "POST", "/v1/submissions", `[]`, 400, "not the JSON that was expected"},
		"token expired":   {"expired", "GET", "/v1/account", nil, 401, `"the token has expired"`},
		"token revoked":   {"revoked", "GET", "/v1/account", nil, 401, `"the token was revoked"`},
		"no such path":    {"admin", "GET", "/v2/x", nil, 404, "there is nothing at /v2/x"},
		"problem unknown": {"submit", "POST", "/v1/submissions", with(func(n *client.NewSubmission) { n.Problem = "nim" }), 404,
			`no problem \"nim\"`},
		"blob missing": {"submit", "POST", "/v1/submissions", with(func(n *client.NewSubmission) { n.Files[0].Digest = none }), 409,
			"the server lacks the bytes of"},
		"no files": {"submit", "POST", "/v1/submissions", with(func(n *client.NewSubmission) { n.Files = nil }), 400, "has no files"},
		"path leads out": {"submit", "POST", "/v1/submissions",
			with(func(n *client.NewSubmission) { n.IsDir = true; n.Files[0].Path = "../a.sh" }), 400, "../a.sh"},
		"program nameless": {"submit", "POST", "/v1/submissions", with(func(n *client.NewSubmission) { n.Program = "" }), 400, "the program"},
		"submission large": {"submit", "POST", "/v1/submissions", with(func(n *client.NewSubmission) { n.Files[0].Size = 1001 }), 413,
			"the most is 1000 bytes"},
		"before":       {"submit", "GET", "/v1/submissions?before=x", nil, 400, "is not the id of a submission"},
		"digest":       {"submit", "PUT", "/blob/xyz", "a", 400, "xyz"},
		"blob damaged": {"submit", "PUT", "/blob/" + string(none), "nine", 400, "the bytes are not those of the blob"},
		"blob large":   {"submit", "PUT", "/blob/" + string(none), strings.Repeat("x", 1001), 413, "a file has 1001 bytes"},
		"blobs too many": {"submit", "POST", "/v1/blobs/missing", client.Blobs{Blobs: make([]client.Blob, client.MaxBlobs+1)}, 413,
			"ask in several requests"},
		"blobs negative": {"submit", "POST", "/v1/blobs/missing", client.Blobs{Blobs: []client.Blob{{Digest: none, Size: -1}}}, 400,
			"is not a blob"},
		"blobs large": {"submit", "POST", "/v1/blobs/missing", client.Blobs{Blobs: []client.Blob{{Digest: none, Size: 1001}}}, 413,
			"a file has 1001 bytes"},
		"slug":             {"publish", "PUT", "/v1/problems/A%20B", client.NewProblem{}, 400, "is not the name of a problem"},
		"manifest unnamed": {"publish", "PUT", "/v1/problems/new", client.NewProblem{Config: none}, 400, "the manifest"},
		"manifest missing": {"publish", "PUT", "/v1/problems/new", client.NewProblem{Manifest: none, Config: good.Files[0].Digest}, 409,
			"the server lacks the blob"},
		"manifest of another": {"publish", "PUT", "/v1/problems/new",
			client.NewProblem{Manifest: good.Files[0].Digest, Config: good.Files[0].Digest}, 400, "the bundle"},
		"login": {"admin", "POST", "/v1/tokens", client.NewToken{Login: "a b", Scopes: []client.Scope{"submit"}}, 400,
			"is not the name of an account"},
		"scope": {"admin", "POST", "/v1/tokens", client.NewToken{Login: "ann", Scopes: []client.Scope{"all"}}, 400,
			"is not a scope"},
		"no scope":           {"admin", "POST", "/v1/tokens", client.NewToken{Login: "ann"}, 400, "a token needs a scope"},
		"worker's name":      {"admin", "POST", "/v1/workers/invites", client.NewJoinCode{Worker: "../x"}, 400, "is not the name of a worker"},
		"end of a rejudging": {"admin", "PUT", "/v1/rejudgings/x", client.RejudgingUpdate{State: "done"}, 400, "is no end of a rejudging"},
		"rejudge in vain": {"admin", "POST", "/v1/contests/practice/rejudgings", client.NewRejudging{Reason: "x", Verdict: "WA"}, 409,
			"no submission matches the filter"},
		"rejudge what": {"admin", "POST", "/v1/contests/practice/rejudgings", client.NewRejudging{Reason: "x", Problem: "hex"}, 400,
			"has no problem"},
		"worker taken":   {"admin", "POST", "/v1/workers/invites", client.NewJoinCode{Worker: "w"}, 409, "there is a worker w already"},
		"worker's state": {"admin", "PUT", "/v1/workers/w", client.WorkerUpdate{State: "tired"}, 400, "is not a state of a worker"},
		"worker unknown": {"admin", "PUT", "/v1/workers/x", client.WorkerUpdate{State: "active"}, 404, "there is no worker"},
		"worker revoked": {"admin", "PUT", "/v1/workers/gone", client.WorkerUpdate{State: "active"}, 409,
			"was revoked and cannot be used again"},
		"key": {"anonymous", "POST", "/v1/workers/join", client.JoinRequest{Code: "x", Key: "y", Capabilities: offer()}, 400,
			"no key of a worker"},
		"JSON large": {"anonymous", "POST", "/v1/workers/join", strings.Repeat(" ", 64<<10+1), 413,
			"the request has more than 65536 bytes"},
		"values many": {"submit", "POST", "/v1/submissions", `{"files":[{}` + strings.Repeat(",{}", 100_000) + "]}", 413,
			"the request has more than 100000 values"},
		"code": {"anonymous", "POST", "/v1/workers/join", client.JoinRequest{Code: "x", Key: h.key, Capabilities: offer()}, 403,
			"the join code is not known here"},
		"slots": {"worker", "POST", "/v1/workers/hello",
			client.HelloRequest{Capabilities: job.Capabilities{Protocol: job.Protocol, Slots: 1_000_000}}, 400, "a worker has 1 to 256"},
		"other machine": {"worker", "POST", "/v1/workers/hello",
			client.HelloRequest{Capabilities: job.Capabilities{Protocol: job.Protocol + 1, Slots: 1}}, 409, "upgrade the server first"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, said := h.ask(c.who, c.method, c.path, c.body); got != c.status || !strings.Contains(said, c.says) {
				t.Errorf("is answered %d %s, want %d %s", got, said, c.status, c.says)
			}
		})
	}
	if _, said := h.ask("admin", "GET", "/v1/submissions", nil); strings.TrimSpace(said) != "[]" {
		t.Errorf("something of it is kept: %s", said)
	}
}

// TestHealth checks that readiness notes follow the word "ok" in the response.
func TestHealth(t *testing.T) {
	h := newHarness(t)
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ok\na worker is ill\n"} {
		if code, said := h.ask("anonymous", "GET", path, nil); code != 200 || said != want {
			t.Errorf("%s is answered %d %q", path, code, said)
		}
	}
}

// TestBodyCut closes connections in the middle of request bodies.
func TestBodyCut(t *testing.T) {
	h := newHarness(t)
	d := blob.DigestOf([]byte("four"))
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	head := "PUT /blob/" + string(d) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nAuthorization: " + h.headers["submit"] + "\r\n\r\nfo"
	if _, err := io.WriteString(c, head); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(c)
	if err != nil || !bytes.Contains(said, []byte("400 Bad Request")) ||
		!bytes.Contains(said, []byte("the connection closed before the upload ended")) {
		t.Errorf("half a blob is answered %s, %v", said, err)
	}
	c.Close()
	if has(t, h.blobs, d, 4) {
		t.Error("half a blob is kept as a whole one")
	}
}

// TestOthers checks that only the owner and administrators can see, follow or cancel a submission. A request
// repeated after a lost response must change nothing.
func TestOthers(t *testing.T) {
	h := newHarness(t)
	send := h.submission("k")
	var mine, again client.Submission
	status, said := h.ask("submit", "POST", "/v1/submissions", send)
	if err := json.Unmarshal([]byte(said), &mine); err != nil || status != 200 {
		t.Fatal(status, said, err)
	}
	_, said = h.ask("submit", "POST", "/v1/submissions", send)
	if err := json.Unmarshal([]byte(said), &again); err != nil || again.ID != mine.ID {
		t.Errorf("the same submission sent again is another: %s, %v", said, err)
	}
	path := "/v1/submissions/" + mine.ID
	if _, said := h.ask("submit", "GET", path, nil); mine.Position == nil || !strings.Contains(said, `"place":{"before":0,`) {
		t.Errorf("a waiting submission has no place: %+v, %s", mine, said)
	}
	for _, c := range []struct{ method, path string }{{"GET", path}, {"GET", path + "/events"}, {"DELETE", path}} {
		if got, said := h.ask("other", c.method, c.path, nil); got != 404 {
			t.Errorf("another's %s %s is answered %d %s", c.method, c.path, got, said)
		}
	}
	if _, said := h.ask("other", "GET", "/v1/submissions", nil); strings.TrimSpace(said) != "[]" {
		t.Errorf("another sees %s", said)
	}
	if _, said := h.ask("admin", "GET", path, nil); !strings.Contains(said, mine.ID) {
		t.Errorf("an admin sees %s", said)
	}
	for range 2 { // the first response may have been lost
		if got, said := h.ask("submit", "DELETE", path, nil); got != 200 {
			t.Errorf("to cancel is answered %d %s", got, said)
		}
	}
	if got, said := h.ask("submit", "GET", path+"/events", nil); got != 200 || !strings.Contains(said, `"end":{`) ||
		!strings.Contains(said, `"cancelled"`) || strings.Contains(said, "place") {
		t.Errorf("the stream of what was cancelled is %d %s", got, said)
	}
}

// TestServerEnds checks that a request interrupted by a server shutdown does not get a success response.
func TestServerEnds(t *testing.T) {
	h := newHarness(t)
	ctx, end := context.WithCancel(t.Context())
	end()
	r := httptest.NewRequestWithContext(ctx, "GET", "/v1/tokens", nil)
	r.Header.Set("Authorization", h.headers["admin"])
	w := httptest.NewRecorder()
	h.Config.Handler.ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("is answered %d %s", w.Code, w.Body)
	}
}

// TestStrangersWaitForEachOther checks which requests from a network are queued: those with invalid tokens or
// codes, those that need no token, and streams. Other requests must not wait for them.
func TestStrangersWaitForEachOther(t *testing.T) {
	h := newHarness(t)
	network := intake.Network("127.0.0.1:1").String()
	for _, tt := range []struct {
		turns                   *intake.RequestQueue
		who, method, path, body string
		status                  int
	}{
		{&h.intake.InvalidTokenQueue, "anonymous", "GET", client.ProblemsPath, "", http.StatusUnauthorized},
		{&h.intake.InvalidTokenQueue, "anonymous", "POST", client.JoinPath,
			toJSON(t, client.JoinRequest{Code: "guess", Key: h.key, Capabilities: offer()}), http.StatusForbidden},
		{&h.intake.InvalidTokenQueue, "anonymous", "POST", client.JoinPath, "{", http.StatusBadRequest},
		{&h.intake.PublicQueue, "anonymous", "GET", client.ServerPath, "", http.StatusOK},
		{&h.intake.PublicQueue, "anonymous", "POST", client.JoinPath, "{", http.StatusBadRequest},
		{&h.intake.PublicQueue, "anonymous", "GET", "/healthz", "", http.StatusOK},
		{&h.intake.PublicQueue, "anonymous", "GET", "/readyz", "", http.StatusOK},
		{&h.intake.PublicQueue, "anonymous", "GET", "/v1/nothing", "", http.StatusNotFound},
		{&h.intake.PublicQueue, "submit", "GET", client.SubmissionsPath + "/none/events", "", http.StatusNotFound},
		{&h.intake.PublicQueue, "anonymous", "GET", queue.Path, "", http.StatusUpgradeRequired},
	} {
		turn, err := tt.turns.Wait(t.Context(), network)
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan int, 1)
		go func() {
			defer close(answered) // even if the request fails
			code, _ := h.ask(tt.who, tt.method, tt.path, tt.body)
			answered <- code
		}()
		if code, said := h.ask("submit", "GET", client.ProblemsPath, nil); code != http.StatusOK {
			t.Errorf("who has a token is answered %d %s", code, said)
		}
		select {
		case code := <-answered:
			t.Errorf("%s %s is answered %d before its turn", tt.method, tt.path, code)
		case <-time.After(20 * time.Millisecond):
		}
		turn.End()
		if code := <-answered; code != tt.status {
			t.Errorf("%s %s is answered %d, want %d", tt.method, tt.path, code, tt.status)
		}
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// has reports whether a blob exists.
func has(t testing.TB, f *blob.Dir, d blob.Digest, size int64) bool {
	t.Helper()
	there, err := f.Has(d, size)
	if err != nil {
		t.Fatal(err)
	}
	return there
}
