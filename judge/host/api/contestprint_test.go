package api_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
)

// TestContestAPIPrints checks that a team can print in the running contest as DOMjudge's clients do.
func TestContestAPIPrints(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	set := func(change func(c *store.Contest)) {
		t.Helper()
		c, err := h.store.Contest(t.Context(), id)
		if err == nil {
			change(c)
			err = h.store.SetContest(t.Context(), c, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	body := func(name, text string) string {
		return fmt.Sprintf(`{"original_name": %q, "file_contents": %q, "language": "Python 3", "entry_point": "a.py"}`, name, b64(text))
	}
	ask := func(who, kind, path, sent string, code int, want string) {
		t.Helper()
		answer, said := h.send(who, "POST", path, kind, sent)
		if answer.StatusCode != code || !strings.Contains(said, want) {
			t.Errorf("%s by %s: %d %s, want %d with %s\n%.100s", path, who, answer.StatusCode, said, code, want, sent)
		}
	}
	const path, text = "/api/printing/team", "application/json"
	ask("submit", text, path, body("a.py", "1"), 403, "teams cannot print in WF")
	set(func(c *store.Contest) { c.Settings.Printing = true })
	ask("anonymous", text, path, body("a.py", "1"), 401, "logged in")
	ask("other", text, path, body("a.py", "1"), 403, "in no team")
	ask("submit", text, path, body("/home/a.py", "print(1)\n"), 200, `"success":true`)
	ask("submit", text, "/api/2026-01/printing/team", body("b.py", "print(2)\n"), 200, `"success":true`)
	ask("submit", text, path, body("b.py", "print(2)\n"), 200, `"success":true`) // again
	ask("submit", "application/x-www-form-urlencoded", path,
		url.Values{"original_name": {"c.py"}, "file_contents": {b64("print(3)")}, "language": {"Python 3"}}.Encode(), 200, `"success":true`)
	for want, sent := range map[string]string{
		"not base64": `{"original_name": "a", "file_contents": "%"}`, "is missing": `{"original_name": "a"}`, "the JSON of a print": `{`,
		"not plain text": body("a", "\x00"), "is empty": body("a", " "),
	} {
		ask("submit", text, path, sent, 400, want)
	}
	ask("submit", text, path, `{"file_contents": "YQ=="}`, 400, "is missing")
	ask("submit", text, path, body("a", strings.Repeat("x", 100<<10+1)), 413, "more than 100 KiB")
	ask("submit", text, path, body("a", strings.Repeat("x\n", 10<<10)), 413, "more than 10 pages")
	ask("submit", text, path, body("a", strings.Repeat("x", 1<<20)), 413, "more than")
	ask("submit", text, path, body("d", "x"+strings.Repeat("\fx", 9)), 200, "")
	ask("submit", text, path, body("e", "x"+strings.Repeat("\fx", 7)), 429, "20 pages in an hour")
	ask("submit", text, path, body("e", "x"+strings.Repeat("\fx", 6)), 200, "")
	if answer, said := h.send("submit", "GET", path, "", ""); answer.StatusCode != 405 || answer.Header.Get("Allow") != "POST" {
		t.Errorf("a GET: %d %s", answer.StatusCode, said)
	}
	prints, err := h.store.Prints(t.Context(), id, "", 10)
	if err != nil || len(prints) != 5 || prints[4].Name != "a.py" || prints[4].Language != "Python 3" || prints[4].Pages != 1 ||
		prints[1].Pages != 10 {
		t.Errorf("the prints are %v, %v", prints, err)
	}
	member, err := h.store.AccountByLogin(t.Context(), "submit")
	if err != nil {
		t.Fatal(err)
	}
	token, hash := auth.NewToken()
	if _, err := h.store.NewToken(t.Context(), member.ID, hash, "", []string{string(client.Publish)}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	ask("submit:"+token, text, path, body("f", "x"), 403, "the scopes of the token do not allow to print")
	second := &store.Contest{Slug: "second", Name: "Second", Format: store.ICPC, Starts: time.Now(), Length: time.Hour,
		Visibility: store.VisibilityPublic, Settings: store.Settings{Printing: true}}
	if err := h.store.NewContest(t.Context(), second, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Enter(t.Context(), second.ID, member); err != nil {
		t.Fatal(err)
	}
	ask("submit", text, path, body("f", "x"), 409, "teams of two contests that run")
	second.Settings.Printing = false
	if err := h.store.SetContest(t.Context(), second, nil); err != nil {
		t.Fatal(err)
	}
	set(func(c *store.Contest) { c.Starts = time.Now().Add(time.Hour) })
	ask("submit", text, path, body("f", "x"), 403, "")
	if err := h.store.RemoveContest(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	ask("submit", text, path, body("f", "x"), 403, "has not begun")
	set(func(c *store.Contest) { c.Starts = time.Now().Add(-6 * time.Hour) })
	ask("submit", text, path, body("f", "x"), 403, "is over")
}
