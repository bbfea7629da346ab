package web_test

import (
	"bytes"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
)

// TestEndedSession: what somebody has written whose session has ended comes back, to be sent
// again; but no password, and nothing to a browser that never had a session.
func TestEndedSession(t *testing.T) {
	h := newHarness(t)
	h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	const ended, text = "assay=nosuchsession", "is 0 allowed?\nI ask" + evil
	got := h.ask(ended, "POST", "/c/now/clar", url.Values{"text": {text}, "problem": {"A"}})
	harmless(t, "the page", got.body)
	for _, want := range []string{"Your session has ended", `action="/c/now/clar"`, `name="problem" value="A"`, "\n" + html.EscapeString(text) + "</textarea>", `href="/login?next=%2f"`} {
		if got.code != 401 || !strings.Contains(got.body, want) {
			t.Errorf("%d, without %q in\n%s", got.code, want, got.body)
		}
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("language", "c")
	_ = w.WriteField("text", strings.Repeat("x\n", 100))
	file, _ := w.CreateFormFile("file", "sol.c")
	_, _ = file.Write([]byte("int main;"))
	w.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/c/now/p/A", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Referer", h.URL+"/c/now/p/A?x=1")
	if got := h.do(r, ended); got.code != 401 || !strings.Contains(got.body, "<code>sol.c</code> must be chosen again") || !strings.Contains(got.body, "x\nx\n") || !strings.Contains(got.body, `href="/c/now/p/A?x=1"`) {
		t.Errorf("with a file: %d\n%s", got.code, got.body)
	}
	for name, row := range map[string]struct {
		cookie, path string
		fields       url.Values
	}{
		"nobody":     {"", "/c/now/clar", url.Values{"text": {text}}},
		"a password": {ended, "/account/password", url.Values{"password": {"old"}, "new-password": {"another one"}}},
		"too much":   {ended, "/c/now/clar", url.Values{"text": {strings.Repeat("x", 300<<10)}}},
	} {
		if got := h.ask(row.cookie, "POST", row.path, row.fields); got.code != 303 || got.Get("Location") != "/login?next=%2F" {
			t.Errorf("%s: %d to %q\n%s", name, got.code, got.Get("Location"), got.body)
		}
	}
}
