package web_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/pages"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// forger is another site whose pages send forms and scripts to a harness in the name of a logged-in visitor. The
// browser includes the cookie, because it treats two ports of a machine as the same site.
func forger(t *testing.T, to string) *httptest.Server {
	form := func(path, kind, fields string) string {
		return fmt.Sprintf(`<!doctype html><form method="post" enctype="%s" action="%s%s">%s</form><script>document.forms[0].submit()</script>`, kind, to, path, fields)
	}
	const plain, parts = "application/x-www-form-urlencoded", "multipart/form-data"
	field := func(name, value string) string {
		return fmt.Sprintf(`<input name="%s" value="%s">`, name, value)
	}
	pages := map[string]string{
		"logout":   form("/logout", plain, ""),
		"token":    form("/account/tokens", plain, field("label", "mine")+field("scope", "admin")),
		"role":     form("/admin/accounts/bob", plain, field("do", "role")+field("role", "admin")),
		"accounts": form("/admin/accounts", parts, field("list", "Mallory")),
		"submit":   form("/c/now/p/A", parts, field("text", "print(1)")+field("language", "py")),
		"board":    form("/c/now/scoreboard", "text/plain", field("do", "freeze")),
		"mark":     form("/c/now/s/1/override", plain, field("do", "AC")+field("why", "x")),
		"fetch": fmt.Sprintf(`<!doctype html><p id="done"></p><script>
			fetch(%q, {method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({do: 'role', role: 'admin'})})
				.catch(() => {}).finally(() => { document.getElementById('done').textContent = 'done'; })</script>`, to+"/admin/accounts/bob"),
		"read": fmt.Sprintf(`<!doctype html><p id="done"></p><script>
			fetch(%q, {credentials: 'include'}).then((a) => a.text()).catch(() => 'nothing')
				.then((text) => { document.getElementById('done').textContent = text; })</script>`, to+"/account"),
		"frame": fmt.Sprintf(`<!doctype html><iframe src=%q></iframe>`, to+"/account"),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, pages[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	t.Cleanup(s.Close)
	return s
}

// TestForgedForms checks a logged-in administrator's visit to another site. That site can neither act for the
// administrator, nor read the server's pages or show them in a frame.
func TestForgedForms(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	b := browser.Open(t, h.URL+"/login")
	b.Fill("input[name=login]", "admin")
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	evil := forger(t, h.URL)
	for _, page := range []string{"logout", "token", "role", "accounts", "submit", "board", "mark"} {
		b.Navigate(evil.URL + "/" + page)
		b.ExpectContains(page+" is answered", `location.origin + ' ' + document.body.innerText`, h.URL, "cross-origin")
	}
	b.Navigate(evil.URL + "/fetch")
	b.ExpectValue("a script that writes", `document.getElementById('done').textContent`, "done")
	b.Navigate(evil.URL + "/read")
	b.ExpectValue("a script that reads", `document.getElementById('done').textContent`, "nothing")
	b.Navigate(evil.URL + "/frame")
	b.ExpectValue("what is in the frame", `(() => { try { return document.querySelector('iframe').contentDocument === null;`+
		` } catch { return true; } })()`, "true")
	refused := false
	for _, wrong := range b.Errors {
		refused = refused || strings.Contains(wrong, "frame-ancestors")
	}
	if !refused {
		t.Errorf("the browser may show a page in a frame: %s", b.Errors)
	}
	b.Navigate(h.URL + "/account")
	b.ExpectValue("the admin is still there", webtest.HeadingScript, "Your account")
	bob := webtest.Must[*store.Account](t)(h.Store.Account(t.Context(), h.Accounts["bob"].ID))
	sub := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 1))
	after := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID))
	all := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID}))
	if bob.Role != string(auth.Contestant) || sub.Overridden || after.Freeze != 0 || len(all) != 1 {
		t.Errorf("a forged form did something: %+v, %+v, %+v, %d submissions", bob, sub, after, len(all))
	}
	if entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10)); len(entries) != 1 ||
		entries[0].Action != "log in" {
		t.Errorf("the audit has %+v", entries)
	}
}

// TestGuesses checks that only a few of 1,000 guessed passwords for a username are tried, even if all are sent at
// once. Other users must be able to log in meanwhile.
func TestGuesses(t *testing.T) {
	h := webtest.New(t)
	try := func(login, password string) int {
		r, err := http.PostForm(h.URL+"/login", url.Values{"login": {login}, "password": {password}})
		if err != nil {
			return 0
		}
		r.Body.Close()
		return r.StatusCode
	}
	var mu sync.Mutex
	codes := map[int]int{}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			code := try([]string{"judge", "JUDGE"}[i%2], fmt.Sprint("guess", i))
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}}); got.Code != http.StatusSeeOther {
		t.Errorf("another account is answered %d", got.Code)
	}
	all.Wait()
	if codes[403] != 5 || codes[429] != 95 {
		t.Errorf("100 guesses at once are answered %v", codes)
	}
	codes = map[int]int{}
	for range 900 { // one per second, for 15 minutes
		h.Advance(time.Second)
		codes[try("judge", "guess")]++
	}
	if codes[403] < 20 || codes[403] > 40 || codes[403]+codes[429] != 900 {
		t.Errorf("900 guesses, one a second, are answered %v", codes)
	}
	h.Advance(time.Minute)
	if got := try("judge", "correct-horse"); got != 200 { // the page after the login
		t.Errorf("with the right password after a minute: %d", got)
	}
}

// TestFloods checks that an account that sends as many submissions and streams as it can is limited, and that
// other accounts are still served.
func TestFloods(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{PerMinute: 7})
	ada, bob := h.Cookie("ada"), h.Cookie("bob")
	var mu sync.Mutex
	codes := map[int]int{}
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			got := h.Upload(ada, "/c/now/p/A", map[string]string{"key": fmt.Sprint(i)}, map[string]string{"a.py": fmt.Sprint("print(", i, ")")})
			mu.Lock()
			defer mu.Unlock()
			codes[got.Code]++
		})
	}
	all.Wait()
	if codes[303] != 7 || codes[429] != 53 {
		t.Errorf("60 submissions at once are answered %v", codes)
	}
	if sent := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID})); len(sent) != 7 {
		t.Errorf("%d submissions are kept", len(sent))
	}
	kept := 0
	for i := range 60 {
		text := fmt.Sprint("print(", i, ")")
		if has(t, h.Blobs, blob.DigestOf([]byte(text)), int64(len(text))) {
			kept++
		}
	}
	if kept != 7 {
		t.Errorf("the files of %d submissions are kept", kept)
	}
	if got := h.Upload(bob, "/c/now/p/A", nil, map[string]string{"b.py": "print(1)"}); got.Code != 303 {
		t.Errorf("another's submission: %d", got.Code)
	}
	listen := func(cookie string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+"/c/now/news/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", cookie)
		return webtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
	}
	var open []*http.Response
	for range 100 {
		open = append(open, listen(ada))
	}
	if last := open[99]; last.StatusCode != 200 {
		t.Fatalf("the hundredth stream is answered %d", last.StatusCode)
	}
	for _, tt := range []struct {
		who  string
		code int
	}{{ada, 429}, {bob, 200}} {
		got := listen(tt.who)
		if got.StatusCode != tt.code || tt.code == 429 && got.Header.Get("Retry-After") == "" {
			t.Errorf("one stream more is answered %d %v, want %d", got.StatusCode, got.Header, tt.code)
		}
		got.Body.Close()
	}
	if got := h.Fetch(ada, "GET", "/c/now", nil); got.Code != 200 {
		t.Errorf("a page beside the streams: %d", got.Code)
	}
	for _, one := range open {
		one.Body.Close()
	}
	for deadline := time.Now().Add(time.Minute); ; {
		again := listen(ada)
		again.Body.Close()
		if again.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("streams that were closed are still counted")
		}
	}
}

// TestSlowBodies checks that request bodies that never arrive do not delay other requests or garbage collection.
func TestSlowBodies(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	ada, bob := h.Cookie("ada"), h.Cookie("bob")
	var slow []net.Conn
	for i := range 200 {
		conn := webtest.Must[net.Conn](t)(net.Dial("tcp", h.Listener.Addr().String()))
		t.Cleanup(func() { conn.Close() })
		path := []string{"/login", "/c/now/p/A"}[i%2]
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Content-Length: 500\r\n\r\nlogin=a", path, ada)
		slow = append(slow, conn)
	}
	for _, tt := range []struct {
		who, method, path string
		form              url.Values
		code              int
	}{
		{bob, "GET", "/c/now", nil, 200}, {ada, "GET", "/c/now", nil, 200},
		{"", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}}, 303},
		{bob, "POST", "/account/tokens", url.Values{"label": {"mine"}, "scope": {"submit"}}, 200}, {bob, "GET", "/c/now/scoreboard", nil, 200},
	} {
		if got := h.Fetch(tt.who, tt.method, tt.path, tt.form); got.Code != tt.code {
			t.Errorf("%s %s beside them is answered %d, want %d", tt.method, tt.path, got.Code, tt.code)
		}
	}
	if got := h.Upload(bob, "/c/now/p/A", nil, map[string]string{"b.py": "print(1)"}); got.Code != 303 {
		t.Errorf("a submission beside them is answered %d", got.Code)
	}
	// An interrupted request submits nothing.
	for _, conn := range slow {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Fatal(err)
		}
	}
	if sent := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID})); len(sent) != 1 {
		t.Errorf("%d submissions are kept, of which one was whole", len(sent))
	}
}

// TestHostHeader checks that no response contains a host name from the request's headers, and that no redirect
// leads to another site.
func TestHostHeader(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	admin := h.Cookie("admin")
	for _, tt := range []struct{ who, method, path string }{
		{"", "GET", "/"}, {"", "GET", "/c/now"}, {"", "GET", "/c/now/scoreboard"}, {"", "GET", "/account"}, {"", "GET", "/none"},
		{admin, "GET", "/account"},
		{admin, "GET", "/admin/invitations"}, {admin, "GET", "/c/now/teams"}, {"", "POST", "/login"},
	} {
		r := webtest.Must[*http.Request](t)(http.NewRequestWithContext(t.Context(), tt.method, h.URL+tt.path, nil))
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		r.Header.Set("X-Forwarded-Proto", "gopher")
		got := h.Do(r, tt.who)
		if text := got.Body + fmt.Sprint(got.Header); strings.Contains(text, "evil.example") || strings.Contains(text, "gopher") {
			t.Errorf("%s %s says\n%s", tt.method, tt.path, text)
		}
		if cached := got.Get("Cache-Control"); cached != "no-store" && (cached != "no-cache" || !strings.Contains(got.Get("Vary"), "Cookie")) {
			t.Errorf("%s %s may be kept for others: %v", tt.method, tt.path, got.Header)
		}
	}
	for _, next := range []string{"//evil.example", `/\evil.example`, "https://evil.example", "/\t/evil.example", "javascript:alert(1)",
		`\\evil.example`, "/c/now"} {
		got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}, "next": {next}})
		want := "/"
		if next == "/c/now" {
			want = next
		}
		if to := got.Get("Location"); got.Code != 303 || to != want {
			t.Errorf("after a login with next=%q: %d to %q", next, got.Code, to)
		}
	}
}

// TestALeakOfTheDatabase checks that neither the database nor its backup contains a secret with which an attacker
// could log in.
func TestALeakOfTheDatabase(t *testing.T) {
	h := webtest.New(t)
	got := h.Fetch("", "POST", "/login", url.Values{"login": {"admin"}, "password": {"correct-horse"}})
	_, session, _ := strings.Cut(got.Get("Set-Cookie"), "=")
	session, _, _ = strings.Cut(session, ";")
	cookie := "assay=" + session
	between := func(path string, form url.Values, before, after string) string {
		t.Helper()
		page := h.Fetch(cookie, "POST", path, form).Body
		_, rest, found := strings.Cut(page, before)
		word, _, ends := strings.Cut(rest, after)
		if !found || !ends || len(word) < 8 {
			t.Fatalf("%s shows no secret after %q:\n%s", path, before, page)
		}
		return word
	}
	secrets := map[string]string{
		"a session":      session,
		"a password":     "correct-horse",
		"a token":        between("/account/tokens", url.Values{"label": {"mine"}, "scope": {"submit"}}, "--token ", "<"),
		"an invitation":  between("/admin/invitations", url.Values{"uses": {"1"}, "days": {"1"}}, "/invite/", "<"),
		"a new password": between("/admin/accounts/bob", url.Values{"do": {"reset"}}, "<dt>Password</dt><dd><code>", "<"),
	}
	dir := t.TempDir()
	if _, err := h.Store.Backup(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	files := webtest.Must[[]string](t)(filepath.Glob(filepath.Join(dir, "*")))
	files = append(files, webtest.Must[[]string](t)(filepath.Glob(filepath.Join(h.Dir, "assay.db*")))...)
	read := 0
	for _, name := range files {
		data := webtest.Must[[]byte](t)(os.ReadFile(name))
		read += len(data)
		for what, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s stands in %s", what, filepath.Base(name))
			}
		}
	}
	if read < 10_000 || len(files) < 10 {
		t.Errorf("only %d bytes of %d files were looked at", read, len(files))
	}
}

// TestLogOfInvitations checks that errors with an invitation link are logged without its code.
func TestLogOfInvitations(t *testing.T) {
	h := webtest.New(t)
	var log bytes.Buffer
	pages := web.New(web.Options{Service: h.Intake, Log: slog.New(slog.NewTextHandler(&log, nil))}, pages.All...)
	if err := h.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "POST"} {
		log.Reset()
		got := httptest.NewRecorder()
		pages.ServeHTTP(got, httptest.NewRequest(method, "/invite/abcdefgh234567", nil))
		text := log.String() + got.Body.String()
		if got.Code != 500 || !strings.Contains(text, "path=/invite/ ") || strings.Contains(text, "abcdefgh") {
			t.Errorf("%s is answered %d, and of it is told\n%s", method, got.Code, text)
		}
	}
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
