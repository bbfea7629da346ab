package contest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestPrintPage checks that a team can print a text or a file, and sees the state of its prints. Other teams do
// not see them.
func TestPrintPage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for _, login := range []string{"ada", "bob"} {
		webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
	}
	const page = "/c/now/print"
	ask := func(login, method string, fields url.Values, code int, wants ...string) {
		t.Helper()
		got := h.Fetch(h.Cookie(login), method, page, fields)
		if got.Code != code {
			t.Fatalf("%s %s %v: %d, want %d\n%s", login, method, fields, got.Code, code, got.Body)
		}
		for _, want := range wants {
			if no := strings.HasPrefix(want, "!"); strings.Contains(got.Body, strings.TrimPrefix(want, "!")) == no {
				t.Errorf("%s %s: %q in\n%s", login, method, want, got.Body)
			}
		}
		if code == 200 || code == 400 {
			webtest.CheckHTML(t, page, got.Body)
		}
	}
	ask("ada", "GET", nil, 200, "You cannot print now")
	ask("ada", "POST", url.Values{"text": {"x"}}, 403, "teams cannot print")
	if body := h.Fetch(h.Cookie("ada"), "GET", "/c/now", nil).Body; strings.Contains(body, page) {
		t.Errorf("the contest offers to print:\n%s", body)
	}
	c.Settings.Printing = true
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	if body := h.Fetch(h.Cookie("ada"), "GET", "/c/now", nil).Body; !strings.Contains(body, page) {
		t.Errorf("the contest does not offer to print:\n%s", body)
	}
	ask("other", "GET", nil, 403, "only teams")
	ask("other", "POST", url.Values{"text": {"x"}}, 403, "only teams")
	ask("ada", "GET", nil, 200, "at most 100 KiB and 10 pages", "20 pages in an hour", "!Your prints")
	ask("ada", "POST", url.Values{"text": {" "}}, 400, "the file is empty")
	ask("ada", "POST", url.Values{"text": {"a\x00" + webtest.HostileMarkup}}, 400, "not plain text")
	ask("ada", "POST", url.Values{"text": {strings.Repeat("x\n", 1000)}}, 400, "more than 10 pages", "x\nx\n")
	ask("ada", "POST", url.Values{"text": {"print(1)" + webtest.HostileMarkup}}, 303)
	ask("ada", "POST", url.Values{"text": {"print(1)" + webtest.HostileMarkup}}, 303) // button pressed twice
	ask("ada", "GET", nil, 200, "Your prints", ">waiting<")
	ask("bob", "GET", nil, 200, "!Your prints")
	prints := webtest.Must[[]*store.Print](t)(h.Store.Prints(t.Context(), c.ID, "", 10))
	if len(prints) != 1 || prints[0].Pages != 1 {
		t.Fatalf("the prints are %v", prints)
	}
	if _, err := h.Store.SetPrint(t.Context(), prints[0], store.PrintFailed, "", "secret of the server"); err != nil {
		t.Fatal(err)
	}
	ask("ada", "GET", nil, 200, ">failed<", "Ask a runner.", "!secret of the server")
	prints[0].State = store.PrintFailed
	if _, err := h.Store.SetPrint(t.Context(), prints[0], store.Printed, "", ""); err != nil {
		t.Fatal(err)
	}
	ask("ada", "GET", nil, 200, ">printed<")
	upload := func(files map[string]string, text string, code int, want string) {
		t.Helper()
		got := h.Upload(h.Cookie("ada"), page, map[string]string{"text": text}, files)
		if got.Code != code || !strings.Contains(got.Body, want) {
			t.Errorf("%v and %q: %d, want %d with %q\n%s", files, text, got.Code, code, want, got.Body)
		}
	}
	upload(map[string]string{"a.py": "1", "b.py": "2"}, "", 400, "print one file, or one text")
	upload(map[string]string{"a.py": "1"}, "x", 400, "print one file, or one text")
	upload(map[string]string{"large.txt": strings.Repeat("x", 100<<10+1)}, "", 400, "more than 100 KiB")
	upload(map[string]string{"a.py": "print(2)"}, " ", 303, "")
	ask("ada", "GET", nil, 200, "a.py", ">waiting<")
	h.Advance(24 * time.Hour)
	ask("ada", "GET", nil, 200, "You cannot print now", ">printed<")
	ask("ada", "POST", url.Values{"text": {"x"}}, 403)
}
