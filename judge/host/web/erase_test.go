package web_test

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
)

// forgets makes the harness remove blobs as the server does.
func (h *harness) forgets() {
	h.desk.Forget = func(ctx context.Context, all []blob.Digest) error {
		return h.store.ForgetBlobs(ctx, all, func(blob.Digest) ([]blob.Digest, error) { return nil, nil }, h.blobs.Remove)
	}
}

// TestErase: somebody erases himself, staff erases another; no page has the name any more.
func TestErase(t *testing.T) {
	h := newHarness(t)
	h.forgets()
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	h.judged(h.send(c, "ada"), failing()...)
	h.send(c, "bob")
	source := must[*store.Submission](t)(h.store.SubmissionByNumber(t.Context(), c.ID, 1)).Files[0]
	ada, admin := h.cookie("ada"), h.cookie("admin")
	page := h.ask(ada, "GET", "/account/erase", nil)
	harmless(t, "/account/erase", page.body)
	for _, tt := range []struct {
		cookie, path, login string
		code                int
		to                  string
	}{
		{ada, "/account/erase", "bob", 400, ""},
		{ada, "/admin/accounts/bob/erase", "bob", 403, ""},
		{admin, "/admin/accounts/bob/erase", "", 400, ""},
		{admin, "/admin/accounts/nobody/erase", "nobody", 404, ""},
		{admin, "/admin/accounts/admin/erase", "admin", 409, ""},
		{admin, "/account/erase", "admin", 409, ""},
		{ada, "/account/erase", "ada", 303, "/"},
		{admin, "/admin/accounts/bob/erase", "bob", 303, "/admin/accounts"},
	} {
		if got := h.ask(tt.cookie, "POST", tt.path, url.Values{"login": {tt.login}}); got.code != tt.code || got.Get("Location") != tt.to {
			t.Errorf("%+v: %d to %q\n%s", tt, got.code, got.Get("Location"), got.body)
		}
	}
	if got := h.ask(ada, "GET", "/account", nil); got.code != 303 {
		t.Errorf("she is in: %d", got.code)
	}
	if h.blobs.Has(source.Digest, source.Size) {
		t.Error("her program is there")
	}
	for _, path := range []string{"/admin/accounts", "/c/now/submissions", "/c/now/teams", "/c/now/teams/table.csv", "/c/now/board?view=staff", "/c/now/s/1", "/c/now/s/2", "/admin/audit", "/admin/audit/table.csv"} {
		got := h.ask(admin, "GET", path, nil)
		if got.code != 200 || regexp.MustCompile(`\b(ada|bob)\b`).MatchString(got.body) {
			t.Errorf("%s: %d\n%s", path, got.code, got.body)
		}
	}
	if got := h.ask(admin, "GET", "/c/now/s/1", nil); !strings.Contains(got.body, store.Deleted) {
		t.Errorf("the submission says\n%s", got.body)
	}
	if got := h.ask(admin, "GET", "/c/now/s/1/source/0", nil); got.code != 404 {
		t.Errorf("her program: %d", got.code)
	}
}

// TestAnErasureThatWasInterrupted: asked again it does what is left, and only then it was done
// already.
func TestAnErasureThatWasInterrupted(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	h.judged(h.send(c, "ada"), failing()...)
	source := must[*store.Submission](t)(h.store.SubmissionByNumber(t.Context(), c.ID, 1)).Files[0]
	if err := h.store.NoteSent(t.Context(), h.accounts["ada"].ID, store.Blob{Digest: source.Digest, Size: source.Size, Kind: store.Brief}, 0); err != nil || !h.blobs.Has(source.Digest, source.Size) {
		t.Fatal("her program is not there:", err)
	}
	erase := func() error {
		a := must[*store.Account](t)(h.store.Account(t.Context(), h.accounts["ada"].ID))
		return h.desk.Erase(t.Context(), a, store.Entry{Actor: h.accounts["admin"].ID})
	}
	broken := errors.New("the server ended")
	h.desk.Forget = func(context.Context, []blob.Digest) error { return broken }
	if err := erase(); !errors.Is(err, broken) || !h.blobs.Has(source.Digest, source.Size) {
		t.Fatalf("the erasure is not interrupted: %v", err)
	}
	h.forgets()
	if err := erase(); err != nil || h.blobs.Has(source.Digest, source.Size) {
		t.Errorf("asked again: %v; her program is there: %v", err, h.blobs.Has(source.Digest, source.Size))
	}
	if err := erase(); err == nil || !strings.Contains(err.Error(), "erased already") {
		t.Errorf("asked once more: %v", err)
	}
}

// TestASlowFormHoldsNothingUp: while a form comes, blobs may be removed, and somebody be erased.
func TestASlowFormHoldsNothingUp(t *testing.T) {
	h := newHarness(t)
	h.desk.Sweeping = new(sync.RWMutex)
	h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	for path, who := range map[string]string{"/c/now/p/A": "ada", "/c/now/clar": "bob", "/problems": "admin"} {
		c := must[net.Conn](t)(net.Dial("tcp", h.Listener.Addr().String()))
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		kind := "multipart/form-data; boundary=x"
		if who == "bob" {
			kind = "application/x-www-form-urlencoded"
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nCookie: %s\r\nContent-Type: %s\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n", path, h.cookie(who), kind)
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") { // its body is waited for
			t.Errorf("%s: %q, %v", path, line, err)
			continue
		}
		if !h.desk.Sweeping.TryLock() {
			t.Errorf("%s: nothing can be removed while the body is waited for", path)
			continue
		}
		h.desk.Sweeping.Unlock()
	}
}

// TestPasswordAgain: what is dangerous asks for the password where it was not typed lately,
// and does then what was asked for; nothing before.
func TestPasswordAgain(t *testing.T) {
	h := newHarness(t)
	admin := h.cookie("admin")
	const path = "/admin/accounts/bob"
	form := url.Values{"do": {"out"}, "more": {"a\"<b>", "c"}}
	bob := func() bool {
		return must[*store.Account](t)(h.store.Account(t.Context(), h.accounts["bob"].ID)).Disabled
	}
	if got := h.ask(admin, "POST", path, url.Values{"do": {"in"}}); got.code != 303 {
		t.Errorf("after a login: %d", got.code)
	}
	h.later(10 * time.Minute)
	got := h.ask(admin, "POST", path, form)
	if got.code != 403 || bob() {
		t.Fatalf("without the password: %d, bob is out: %v\n%s", got.code, bob(), got.body)
	}
	harmless(t, "the page of the password", got.body)
	for _, want := range []string{`action="/admin/accounts/bob"`, `name="do" value="out"`, `name="more" value="a&#34;&lt;b&gt;"`, `name="more" value="c"`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the form loses %s:\n%s", want, got.body)
		}
	}
	form.Set("sure-password", "wrong")
	if got := h.ask(admin, "POST", path, form); got.code != 403 || !strings.Contains(got.body, "this is not your password") || strings.Contains(got.body, `value="wrong"`) || bob() {
		t.Errorf("with a wrong one: %d\n%s", got.code, got.body)
	}
	for range 5 {
		h.ask(admin, "POST", path, form)
	}
	form.Set("sure-password", "correct-horse")
	if got := h.ask(admin, "POST", path, form); got.code != 403 || !strings.Contains(got.body, "too many wrong passwords") {
		t.Errorf("after guesses: %d\n%s", got.code, got.body)
	}
	h.later(time.Minute)
	if got := h.ask(admin, "POST", path, form); got.code != 303 || !bob() {
		t.Errorf("with the password: %d, bob is out: %v", got.code, bob())
	}
	if got := h.ask(admin, "POST", path, url.Values{"do": {"in"}}); got.code != 303 || bob() {
		t.Errorf("soon after: %d", got.code)
	}
	// Another session of the same account has to say it, too.
	h.later(-11 * time.Minute)
	other := h.cookie("admin")
	h.later(11 * time.Minute)
	if got := h.ask(other, "POST", path, url.Values{"do": {"out"}}); got.code != 403 {
		t.Errorf("another session: %d", got.code)
	}
}

// TestAudit: what people did is found by who, what and whom, page by page.
func TestAudit(t *testing.T) {
	h := newHarness(t)
	admin := h.cookie("admin")
	var all []store.Entry
	for range 150 {
		all = append(all, store.Entry{Actor: h.accounts["judge"].ID, Action: "look", Object: "=1+1", Detail: "at" + evil, Address: "192.0.2.7:1"})
	}
	if err := h.store.Audit(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if got := h.ask(admin, "POST", "/admin/accounts/bob", url.Values{"do": {"role"}, "role": {"judge"}}); got.code != 303 {
		t.Fatal(got.code)
	}
	lines := func(query string) (int, string) {
		t.Helper()
		got := h.ask(admin, "GET", "/admin/audit?"+query, nil)
		harmless(t, query, got.body)
		return strings.Count(got.body, "<tr><th scope=\"row\">"), got.body
	}
	for query, want := range map[string]int{"": 100, "who=judge": 100, "who=admin": 1, "who=nobody": 0, "about=bob": 1, "action=look": 100, "action=look&who=admin": 0, "about==1%2B1": 100} {
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
	rows, err := csv.NewReader(strings.NewReader(h.ask(admin, "GET", "/admin/audit/table.csv?who=judge", nil).body)).ReadAll()
	if err != nil || len(rows) != 151 || rows[1][1] != "judge" || rows[1][3] != "'=1+1" {
		t.Errorf("the table has %d rows, %v: %v", len(rows), rows[1], err)
	}
}
