package people_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// forgets makes the harness remove blobs like a server.
func forgets(h *webtest.Harness) {
	h.Intake.RemoveUnused = func(ctx context.Context, all []blob.Digest) error {
		return h.Store.RemoveBlobs(ctx, all, func(blob.Digest) ([]blob.Digest, error) { return nil, nil }, h.Blobs.Remove)
	}
}

// TestErase checks that users can delete their own account and administrators any account. Afterwards no page
// contains the name.
func TestErase(t *testing.T) {
	h := webtest.New(t)
	forgets(h)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	h.Submit(c, "bob")
	source := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 1)).Files[0]
	ada, admin := h.Cookie("ada"), h.Cookie("admin")
	page := h.Fetch(ada, "GET", "/account/erase", nil)
	webtest.CheckHTML(t, "/account/erase", page.Body)
	for _, tt := range []struct {
		cookie, path, login string
		code                int
		to                  string
	}{
		{ada, "/account/erase", "bob", 400, ""},
		{ada, "/admin/accounts/bob/erase", "bob", 403, ""},
		{admin, "/admin/accounts/bob/erase", "", 400, ""},
		{admin, "/admin/accounts/absent/erase", "absent", 404, ""},
		{admin, "/admin/accounts/admin/erase", "admin", 409, ""},
		{admin, "/account/erase", "admin", 409, ""},
		{ada, "/account/erase", "ada", 303, "/"},
		{admin, "/admin/accounts/bob/erase", "bob", 303, "/admin/accounts?done=deleted"},
	} {
		if got := h.Fetch(tt.cookie, "POST", tt.path, url.Values{"login": {tt.login}}); got.Code != tt.code || got.Get("Location") != tt.to {
			t.Errorf("%+v: %d to %q\n%s", tt, got.Code, got.Get("Location"), got.Body)
		}
	}
	if got := h.Fetch(ada, "GET", "/account", nil); got.Code != 303 {
		t.Errorf("she is in: %d", got.Code)
	}
	if has(t, h.Blobs, source.Digest, source.Size) {
		t.Error("her program is there")
	}
	for _, path := range []string{"/admin/accounts", "/c/now/submissions", "/c/now/teams", "/c/now/teams/table.csv",
		"/c/now/scoreboard?view=jury", "/c/now/s/1", "/c/now/s/2", "/admin/audit", "/admin/audit/table.csv"} {
		got := h.Fetch(admin, "GET", path, nil)
		if got.Code != 200 || regexp.MustCompile(`\b(ada|bob)\b`).MatchString(got.Body) {
			t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
		}
	}
	if got := h.Fetch(admin, "GET", "/c/now/s/1", nil); !strings.Contains(got.Body, store.DeletedName) {
		t.Errorf("the submission says\n%s", got.Body)
	}
	if got := h.Fetch(admin, "GET", "/c/now/s/1/source/0", nil); got.Code != 404 {
		t.Errorf("her program: %d", got.Code)
	}
}

// TestAnErasureThatWasInterrupted checks that repeating an interrupted deletion completes it, and that only then
// the account counts as deleted.
func TestAnErasureThatWasInterrupted(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	source := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 1)).Files[0]
	if err := h.Store.RecordBlobUpload(t.Context(), h.Accounts["ada"].ID,
		store.Blob{Digest: source.Digest, Size: source.Size, Kind: store.TemporaryBlob}, 0); err != nil ||
		!has(t, h.Blobs, source.Digest, source.Size) {
		t.Fatal("her program is not there:", err)
	}
	erase := func() error {
		a := webtest.Must[*store.Account](t)(h.Store.Account(t.Context(), h.Accounts["ada"].ID))
		return h.Intake.Erase(t.Context(), a, store.AuditEntry{Actor: h.Accounts["admin"].ID})
	}
	broken := errors.New("the server ended")
	h.Intake.RemoveUnused = func(context.Context, []blob.Digest) error { return broken }
	if err := erase(); !errors.Is(err, broken) || !has(t, h.Blobs, source.Digest, source.Size) {
		t.Fatalf("the erasure is not interrupted: %v", err)
	}
	forgets(h)
	if err := erase(); err != nil || has(t, h.Blobs, source.Digest, source.Size) {
		t.Errorf("asked again: %v; her program is there: %v", err, has(t, h.Blobs, source.Digest, source.Size))
	}
	if err := erase(); err == nil || !strings.Contains(err.Error(), "erased already") {
		t.Errorf("asked once more: %v", err)
	}
}

// TestASlowFormHoldsNothingUp checks that blobs can be removed and accounts deleted while the server is receiving
// a form.
func TestASlowFormHoldsNothingUp(t *testing.T) {
	h := webtest.New(t)
	h.Intake.CollectLock = new(sync.RWMutex)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for path, who := range map[string]string{"/c/now/p/A": "ada", "/c/now/clar": "bob", "/problems": "admin"} {
		c := webtest.Must[net.Conn](t)(net.Dial("tcp", h.Listener.Addr().String()))
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		kind := "multipart/form-data; boundary=x"
		if who == "bob" {
			kind = "application/x-www-form-urlencoded"
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nCookie: %s\r\nContent-Type: %s\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n",
			path, h.Cookie(who), kind)
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") { // its body is waited for
			t.Errorf("%s: %q, %v", path, line, err)
			continue
		}
		if !h.Intake.CollectLock.TryLock() {
			t.Errorf("%s: nothing can be removed while the body is waited for", path)
			continue
		}
		h.Intake.CollectLock.Unlock()
	}
}

// TestPasswordAgain checks that a dangerous action requires the password unless the password was entered recently.
// The action must not be performed before the password is entered.
func TestPasswordAgain(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	const path = "/admin/accounts/bob"
	form := url.Values{"do": {"disable"}, "more": {"a\"<b>", "c"}}
	bob := func() bool {
		return webtest.Must[*store.Account](t)(h.Store.Account(t.Context(), h.Accounts["bob"].ID)).Disabled
	}
	if got := h.Fetch(admin, "POST", path, url.Values{"do": {"enable"}}); got.Code != 303 {
		t.Errorf("after a login: %d", got.Code)
	}
	h.Advance(10 * time.Minute)
	got := h.Fetch(admin, "POST", path, form)
	if got.Code != 403 || bob() {
		t.Fatalf("without the password: %d, bob is out: %v\n%s", got.Code, bob(), got.Body)
	}
	webtest.CheckHTML(t, "the page of the password", got.Body)
	if strings.Contains(got.Body, "Error:") || strings.Contains(got.Body, `class="errors"`) {
		t.Errorf("the page that asks for the password has an error:\n%s", got.Body)
	}
	for _, want := range []string{`action="/admin/accounts/bob"`, `name="do" value="disable"`, `name="more" value="a&#34;&lt;b&gt;"`,
		`name="more" value="c"`} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("the form loses %s:\n%s", want, got.Body)
		}
	}
	form.Set("sure-password", "wrong")
	if got := h.Fetch(admin, "POST", path, form); got.Code != 403 || !strings.Contains(got.Body, "The password is wrong") ||
		strings.Contains(got.Body, `value="wrong"`) || bob() {
		t.Errorf("with a wrong one: %d\n%s", got.Code, got.Body)
	}
	for range 5 {
		h.Fetch(admin, "POST", path, form)
	}
	form.Set("sure-password", "correct-horse")
	if got := h.Fetch(admin, "POST", path, form); got.Code != 403 || !strings.Contains(got.Body, "Too many wrong passwords") {
		t.Errorf("after guesses: %d\n%s", got.Code, got.Body)
	}
	h.Advance(time.Minute)
	if got := h.Fetch(admin, "POST", path, form); got.Code != 303 || !bob() {
		t.Errorf("with the password: %d, bob is out: %v", got.Code, bob())
	}
	if got := h.Fetch(admin, "POST", path, url.Values{"do": {"enable"}}); got.Code != 303 || bob() {
		t.Errorf("soon after: %d", got.Code)
	}
	// Another session of the same account must also confirm the password.
	h.Advance(-11 * time.Minute)
	other := h.Cookie("admin")
	h.Advance(11 * time.Minute)
	if got := h.Fetch(other, "POST", path, url.Values{"do": {"disable"}}); got.Code != 403 {
		t.Errorf("another session: %d", got.Code)
	}
}

// TestAudit checks that the audit log can be filtered by actor, action and object, page by page.
func TestAudit(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	var all []store.AuditEntry
	for range 150 {
		all = append(all, store.AuditEntry{Actor: h.Accounts["judge"].ID, Action: "look", Object: "=1+1", Detail: "at" + webtest.HostileMarkup,
			Address: "192.0.2.7:1"})
	}
	if err := h.Store.Audit(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if got := h.Fetch(admin, "POST", "/admin/accounts/bob", url.Values{"do": {"role"}, "role": {"judge"}}); got.Code != 303 {
		t.Fatal(got.Code)
	}
	lines := func(query string) (int, string) {
		t.Helper()
		got := h.Fetch(admin, "GET", "/admin/audit?"+query, nil)
		webtest.CheckHTML(t, query, got.Body)
		return strings.Count(got.Body, "<tr><th scope=\"row\">"), got.Body
	}
	for query, want := range map[string]int{"": 100, "who=judge": 100, "who=admin": 1, "who=unknown": 0, "about=bob": 1, "action=look": 100,
		"action=look&who=admin": 0, "about==1%2B1": 100} {
		if got, page := lines(query); got != want {
			t.Errorf("%s: %d, want %d\n%.2000s", query, got, want, page)
		}
	}
	_, page := lines("who=judge")
	older := regexp.MustCompile(`href="/admin/audit\?[^"]*before=([0-9a-f-]+)`).FindStringSubmatch(page)
	if older == nil {
		t.Fatalf("there is no second page:\n%s", page)
	}
	if got, _ := lines("who=judge&before=" + older[1]); got != 50 {
		t.Errorf("the second page, before %s, has %d", older[1], got)
	}
	rows, err := csv.NewReader(strings.NewReader(h.Fetch(admin, "GET", "/admin/audit/table.csv?who=judge", nil).Body)).ReadAll()
	if err != nil || len(rows) != 151 || rows[1][1] != "judge" || rows[1][3] != "'=1+1" {
		t.Errorf("the table has %d rows, %v: %v", len(rows), rows[1], err)
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
