package runner_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestPrintsPage checks that a runner can print with the browser, and that two runners cannot print the same file.
func TestPrintsPage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.VisibilityPublic, store.Settings{Printing: true})
	const page = "/c/spring/prints"
	teams := map[string]*store.Team{}
	for login, group := range map[string]string{"ada": "North", "bob": "South"} {
		team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
		team.Label, team.Groups = group[:1]+"-7", []string{group}
		if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
		teams[login] = team
	}
	for _, login := range []string{"ada", "bob"} {
		webtest.Must[int64](t)(h.Store.NewPrint(t.Context(), store.Print{
			Contest: c.ID, Team: teams[login].ID, Account: h.Accounts[login].ID, Name: login + ".py" + webtest.HostileMarkup,
			Body: "of " + login + webtest.HostileMarkup + "\fsecond", Pages: 2,
		}, 20))
	}
	runner, judge := h.Cookie("runner"), h.Cookie("judge")
	has := func(cookie, path, heading string, wants ...string) {
		t.Helper()
		got := h.Fetch(cookie, "GET", path, nil)
		body := got.Body
		if heading != "" {
			body = section(body, heading)
		}
		for _, want := range wants {
			if no := strings.HasPrefix(want, "!"); strings.Contains(body, strings.TrimPrefix(want, "!")) == no {
				t.Errorf("%s, %s: %q in\n%s", path, heading, want, got.Body)
			}
		}
		webtest.CheckHTML(t, path, got.Body)
	}
	post := func(cookie, number, do string, code int, want string) {
		t.Helper()
		if got := h.Fetch(cookie, "POST", page+"/"+number+"?group=North", url.Values{"do": {do}}); got.Code != code ||
			!strings.Contains(got.Body+got.Header.Get("Location"), want) {
			t.Fatalf("%s %s: %d %s, want %d with %q\n%s", do, number, got.Code, got.Header.Get("Location"), code, want, got.Body)
		}
	}
	has(runner, "/c/spring/balloons", "", `href="/c/spring/prints"`)
	has(runner, page, "To print", "ada.py", "seat N-7", "2 pages", "bob.py", "North")
	if body := h.Fetch(runner, "GET", page, nil).Body; strings.Index(body, "ada.py") > strings.Index(body, "bob.py") {
		t.Errorf("the newest print is first:\n%s", body)
	}
	has(runner, page+"?group=South", "To print", "!ada.py", "bob.py")
	has(runner, page+"?seats=n-", "To print", "ada.py", "!bob.py")
	has(runner, page+"?group=West", "", "No prints match")
	if got := h.Fetch(h.Cookie("ada"), "GET", page, nil); got.Code != 403 {
		t.Errorf("a contestant sees the prints: %d", got.Code)
	}
	for _, path := range []string{page + "/1", page + "/9", page + "/x"} {
		if got := h.Fetch(h.Cookie("bob"), "GET", path, nil); got.Code != 403 {
			t.Errorf("a contestant reads %s: %d", path, got.Code)
		}
	}
	post(runner, "9", "take", 404, "")
	post(runner, "1", "", 400, "not one of take, done and back")
	post(runner, "1", "take", 303, "/c/spring/prints/1?group=North")
	post(runner, "1", "take", 303, "/c/spring/prints/1") // button tapped twice
	has(runner, page+"/1", "", "seat N-7", "page 1 of 2", "page 2 of 2", "of ada", "second", "Mark as printed")
	has(judge, page+"/1", "", "of ada", "!Mark as printed")
	has(runner, page, "Printing<", "ada.py", "printed by runner", "Put back")
	has(judge, page, "Printing<", "ada.py", "!Put back")
	other := h.Cookie("admin")
	post(other, "1", "take", 409, "another runner or the print command")
	post(runner, "1", "back", 303, page+"?group=North")
	post(runner, "1", "back", 303, page)
	has(runner, page, "To print", "ada.py")
	if p := webtest.Must[*store.Print](t)(h.Store.Print(t.Context(), c.ID, 1)); p.Printer != "" {
		t.Errorf("a print that was put back is %s's", p.Printer)
	}
	post(runner, "1", "take", 303, "")
	post(judge, "1", "back", 303, page)  // by the jury
	post(runner, "1", "done", 303, page) // it was printed anyway
	has(runner, page+"?group=North", "Printed<", "ada.py")
	has(runner, page+"?group=South", "", "!ada.py")
	post(runner, "1", "take", 303, "")
	post(runner, "1", "done", 303, page)
	post(runner, "1", "done", 303, page)
	has(runner, page, "Printed<", "ada.py", "printed by runner", "Print again")
	post(runner, "1", "back", 409, "")
	post(other, "1", "take", 303, "") // the paper was lost
	post(runner, "1", "done", 409, "")
	post(other, "1", "done", 303, "")

	// Simulate the print command.
	p := webtest.Must[*store.Print](t)(h.Store.Print(t.Context(), c.ID, 2))
	set := func(to store.PrintState, reason string) {
		t.Helper()
		if done := webtest.Must[bool](t)(h.Store.SetPrint(t.Context(), p, to, "", reason)); !done {
			t.Fatal("the state is another one")
		}
		p.State = to
	}
	set(store.Printing, "")
	has(runner, page, "Printing<", "bob.py", "print command", "!Put back")
	post(runner, "2", "take", 409, "")
	post(runner, "2", "done", 409, "")
	post(runner, "2", "back", 409, "")
	set(store.PrintFailed, "no paper"+webtest.HostileMarkup)
	has(runner, page, "Failed", "bob.py", "no paper", "Try again")
	post(runner, "2", "back", 303, page)
	has(runner, page, "To print", "bob.py")
	p.State = store.PrintWaiting
	set(store.PrintFailed, "no paper")
	post(runner, "2", "take", 303, "")
	post(runner, "2", "done", 303, "")
	has(runner, page, "", "Nothing to print")
	for i := range 51 {
		n := webtest.Must[int64](t)(h.Store.NewPrint(t.Context(), store.Print{
			Contest: c.ID, Team: teams["ada"].ID, Account: h.Accounts["ada"].ID, Name: fmt.Sprint("file-", i), Body: fmt.Sprint(i), Pages: 1,
		}, 100))
		webtest.Must[bool](t)(h.Store.SetPrint(t.Context(), &store.Print{Contest: c.ID, Number: n, State: store.PrintWaiting}, store.Printed,
			h.Accounts["runner"].ID, ""))
	}
	has(runner, page, "Printed<", "file-50", "file-1 ", "!file-0 ", "3 more were printed before")
	has(runner, page+"?group=South", "Printed<", "!file-50", "bob.py", "!more were printed")
	if _, err := h.Store.Erase(t.Context(), h.Accounts["bob"].ID); err != nil {
		t.Fatal(err)
	}
	has(runner, page+"/2", "", "deleted with the account", "!page 1 of")
}
