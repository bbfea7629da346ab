package hole_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// TestAHoleIsMade checks that an administrator can create a hole on a page, and only for a golf problem.
func TestAHoleIsMade(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "GET", "/admin/holes/new", nil); got.Code != 200 || !strings.Contains(got.Body, `value="sum"`) {
		t.Fatalf("the form: %d\n%s", got.Code, got.Body)
	}
	fields := func(pairs ...string) url.Values {
		f := url.Values{"problem": {"sum"}, "slug": {"nim"}, "name": {"Nim"}, "visibility": {"public"}}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	for wrong, f := range map[string]url.Values{
		"Choose a problem from the list": fields("problem", "none"), "Use 1 to 40 lower-case letters": fields("slug", "No Slug"),
		"A name is missing": fields("name", " "), "Select one of the choices": fields("visibility", "teams"),
	} {
		if got := h.Fetch(admin, "POST", "/admin/holes/new", f); got.Code != 400 || !strings.Contains(got.Body, wrong) {
			t.Errorf("%v: %d, want 400 and %q", f, got.Code, wrong)
		}
	}
	if got := h.Fetch(admin, "POST", "/admin/holes/new", fields()); got.Code != 303 || got.Get("Location") != "/hole/nim" {
		t.Fatalf("made: %d %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	if got := h.Fetch(admin, "POST", "/admin/holes/new", fields()); got.Code != 400 ||
		!strings.Contains(got.Body, "Another hole has this web address") {
		t.Errorf("made twice: %d", got.Code)
	}
	if got := h.Fetch("", "GET", "/", nil); !strings.Contains(got.Body, `href="/hole/nim"`) {
		t.Errorf("the home page does not lead to it:\n%s", got.Body)
	}
	if got := h.Fetch("", "GET", "/hole/nim", nil); !strings.Contains(got.Body, "In <em>few</em> bytes") ||
		strings.Contains(got.Body, "Add <em>both</em>") || strings.Contains(got.Body, "javascript:") {
		t.Errorf("a hole does not show the golf statement: %s", got.Body)
	}
	if got := h.Fetch("", "GET", "/hole/nim", nil); got.Code != 200 || !strings.Contains(got.Body, "No valid submission yet") ||
		!strings.Contains(got.Body, "Only users who are logged in") {
		t.Errorf("its page: %d\n%s", got.Code, got.Body)
	}
	change := fields("revision", "1", "shown", "on", "closed", "on", "name", "The nim")
	if got := h.Fetch(admin, "POST", "/hole/nim/edit", change); got.Code != 303 {
		t.Errorf("changed: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/hole/nim/edit", change); got.Code != 409 {
		t.Errorf("changed by who was late: %d", got.Code)
	}
	if got := h.Upload(h.Cookie("ada"), "/hole/nim", map[string]string{"text": "x", "language": "py"}, nil); got.Code != 403 ||
		!strings.Contains(got.Body, "takes no more submissions") {
		t.Errorf("an answer to a closed hole: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "GET", "/hole/nim/edit", nil); got.Code != 200 || strings.Count(got.Body, " checked") != 3 {
		t.Errorf("the settings: %d\n%s", got.Code, got.Body)
	}
}

// TestAHoleClosesByItself checks that a hole closes at its closing time, which its page, the home page and its
// form show.
func TestAHoleClosesByItself(t *testing.T) {
	h := webtest.New(t)
	admin, ada := h.Cookie("admin")+"; zone=Europe/Berlin", h.Cookie("ada")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := h.Intake.Time()
	closes := now.Add(time.Hour).In(berlin).Truncate(time.Minute)
	moment, machine := closes.Format("2006-01-02T15:04"), closes.UTC().Format(time.RFC3339)
	save := func(path string, code int, want string, pairs ...string) {
		t.Helper()
		f := url.Values{"problem": {"sum"}, "name": {"Nim"}, "visibility": {"public"}, "zone": {"Europe/Berlin"}}
		if o, err := h.Store.Hole(t.Context(), "nim"); err == nil {
			f.Set("revision", fmt.Sprint(o.Revision))
		}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		if got := h.Fetch(admin, "POST", path, f); got.Code != code || !strings.Contains(got.Body+got.Get("Location"), want) {
			t.Errorf("%s with %q: %d, want %d and %q\n%s", path, pairs, got.Code, code, want, got.Body)
		}
	}
	pages := func(when string, wants ...string) {
		t.Helper()
		for _, path := range []string{"/", "/golf", "/hole/nim"} {
			page := h.Fetch("", "GET", path, nil).Body
			for _, want := range wants {
				if none := strings.HasPrefix(want, "!"); strings.Contains(page, strings.TrimPrefix(want, "!")) == none {
					t.Errorf("%s: %s: %q\n%s", when, path, want, page)
				}
			}
		}
	}
	send := func(want int, says string) {
		t.Helper()
		got := h.Upload(ada, "/hole/nim", map[string]string{"text": fmt.Sprint("print(", h.Intake.Time().UnixMicro(), ")"), "language": "py"},
			nil)
		if got.Code != want || !strings.Contains(got.Body, says) {
			t.Errorf("an answer gets %d, want %d and %q\n%s", got.Code, want, says, got.Body)
		}
	}
	save("/admin/holes/new", 400, "Enter a date and a time, for example", "slug", "nim", "closes", "soon")
	save("/admin/holes/new", 400, "This time has passed.", "slug", "nim", "closes",
		now.In(berlin).Add(-time.Minute).Format("2006-01-02T15:04"))
	save("/admin/holes/new", 303, "/hole/nim", "slug", "nim")
	pages("a hole without an end", "! · clos")
	save("/hole/nim/edit", 303, "/hole/nim", "closes", moment)
	pages("before", ` · closes <time datetime="`+machine, "! · closed")
	if page := h.Fetch(admin, "GET", "/hole/nim/edit", nil).Body; !strings.Contains(page, `type="datetime-local" value="`+moment) ||
		!strings.Contains(page, "closes "+closes.Format("2 Jan 2006, 15:04")) || !strings.Contains(page, "Time zone: Europe/Berlin") {
		t.Errorf("the settings:\n%s", page)
	}
	send(303, "")
	h.Advance(closes.Sub(now))
	pages("after", ` · closed <time datetime="`+machine, "! · closes")
	send(403, "Nim closed on "+closes.UTC().Format("2 Jan 2006 at 15:04 UTC"))
	if page := h.Fetch(ada, "GET", "/hole/nim", nil).Body; !strings.Contains(page, `The hole closed on <time datetime="`+machine) ||
		strings.Contains(page, "<textarea") {
		t.Errorf("the page of a hole that has closed:\n%s", page)
	}

	// The settings show a closed hole, and other changes keep its closing time. A later time, or none, opens the
	// hole again.
	if page := h.Fetch(admin, "GET", "/hole/nim/edit", nil).Body; !strings.Contains(page, `name="closed" value="on" checked`) ||
		!strings.Contains(page, "<small>closed</small>") {
		t.Errorf("the settings of a hole that has closed:\n%s", page)
	}
	save("/hole/nim/edit", 303, "", "closes", moment, "closed", "on", "shown", "on")
	pages("changed", ` · closed <time datetime="`+machine)
	save("/hole/nim/edit", 400, "Enter a later one, leave it empty, or select Closed.", "closes", moment)
	save("/hole/nim/edit", 303, "", "closed", "on")
	pages("closed by hand", "! · closed <", " · closed")
	save("/hole/nim/edit", 303, "", "closed", "on", "closes", moment)
	pages("closed by hand before its time", "! · closed <", " · closed")
	save("/hole/nim/edit", 303, "", "closes", closes.Add(time.Hour).Format("2006-01-02T15:04"))
	send(303, "")
	save("/hole/nim/edit", 303, "")
	pages("open", "! · clos")
	if log := h.Fetch(admin, "GET", "/admin/audit?action=change+hole", nil).Body; !strings.Contains(log, "closes "+machine) {
		t.Errorf("the audit log does not have the time:\n%s", log)
	}
}

// TestBadAnswers checks that each invalid submission is refused with a message, and is not stored.
func TestBadAnswers(t *testing.T) {
	h := webtest.New(t)
	h.Hole("nim")
	if _, err := h.Store.CreateClass(t.Context(), "main", job.Capabilities{Languages: map[string]string{"py": "Python 3.14"}}); err != nil {
		t.Fatal(err)
	}
	ada := h.Cookie("ada")
	for want, sent := range map[string]struct{ fields, files map[string]string }{
		"the submission is empty": {map[string]string{"text": " \n", "language": "py"}, nil},
		"choose it":               {map[string]string{"text": "print(1)"}, nil},
		"is not known here":       {map[string]string{"text": "print(1)", "language": "klingon"}, nil},
		"no worker here has Shell: a submission in it cannot be checked": {map[string]string{"text": "echo", "language": "sh"}, nil},
		"no worker here has Shell":                                       {nil, map[string]string{"a.sh": "echo"}},
		"no language has programs called":                                {nil, map[string]string{"a.xyz": "echo"}},
		"has code in it": {map[string]string{"text": "1", "language": "py",
			"flags": "-cprint(1)"}, nil},
		"flags are not counted": {map[string]string{"text": "1", "language": "py",
			"flags": strings.Repeat("-Oabcdefgh ", 9)}, nil},
		"is too large": {map[string]string{"language": "py"},
			map[string]string{"a.py": strings.Repeat("x", 1<<20)}},
		"the limit is 1000": {map[string]string{"text": strings.Repeat("x", 1001),
			"language": "py"}, nil},
		"the post has no code": {map[string]string{"text": "# Python, 3 bytes\n\nnothing",
			"language": "post"}, nil},
		"is a function or a program":           {map[string]string{"text": "1", "language": "py", "as": "song"}, nil},
		"send one of them":                     {map[string]string{"text": "1"}, map[string]string{"a.py": "2"}},
		"a submission is one file or one text": {nil, map[string]string{"a.py": "1", "b.py": "2"}},
	} {
		got := h.Upload(ada, "/hole/nim", sent.fields, sent.files)
		if got.Code < 400 || got.Code >= 500 || strings.Count(got.Body, `role="alert"`) != 1 && !strings.Contains(got.Body, "too large") ||
			!strings.Contains(got.Body, want) {
			t.Errorf("%q: %d\n%s", want, got.Code, got.Body)
		}
	}
	if o, err := h.Store.Hole(t.Context(), "nim"); err != nil || o.Submissions != 0 {
		t.Errorf("kept are %+v, %v", o, err)
	}
	for i := range 11 {
		got := h.Upload(ada, "/hole/nim", map[string]string{"text": fmt.Sprint("print(", i, ")"), "language": "py"}, nil)
		if want := map[bool]int{true: 429, false: 303}[i == 10]; got.Code != want {
			t.Errorf("answer %d: %d\n%s", i, got.Code, got.Body)
		}
	}
}

// TestAFileOutlivesTheSession checks that the file of a form is stored if the form was kept during a login and
// therefore carries the file in a field.
func TestAFileOutlivesTheSession(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	kept := web.File{Name: "a.py", Data: []byte("print(1)")}
	if got := h.Upload(h.Cookie("ada"), "/hole/nim", map[string]string{"kept-file": kept.Encoded()}, nil); got.Code != 303 {
		t.Fatalf("the form that came back: %d\n%s", got.Code, got.Body)
	}
	if a, err := h.Store.GolfSubmission(t.Context(), o.ID, 1); err != nil || a.File.Digest != blob.DigestOf(kept.Data) {
		t.Errorf("stored is %+v, %v", a, err)
	}
}

// TestAnAnswerAppears checks a submission from the form to the rankings, exports and feeds. Only its author can
// read it.
func TestAnAnswerAppears(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	ada := h.Cookie("ada")
	key := map[string]string{"key": "once", "text": webtest.GolfSource + "\r\n", "language": "py", "flags": "-O"}
	for range 2 { // repeated, so stored once
		if got := h.Upload(ada, "/hole/nim/py", key, nil); got.Code != 303 || got.Get("Location") != "/hole/nim/s/1" {
			t.Fatalf("sent: %d %s\n%s", got.Code, got.Get("Location"), got.Body)
		}
	}
	a := webtest.Must[*store.GolfSubmission](t)(h.Store.GolfSubmission(t.Context(), o.ID, 1))
	if got := h.Fetch(ada, "GET", "/hole/nim/s/1/source", nil); got.Body != webtest.GolfSource+"\n" ||
		got.Get("Content-Disposition") != "attachment; filename*=UTF-8''answer.py" {
		t.Errorf("its text is %q, %v", got.Body, got.Header)
	}
	if got := h.Fetch(ada, "GET", "/hole/nim/s/1", nil); !strings.Contains(got.Body, "waiting for a worker to check") ||
		!strings.Contains(got.Body, `data-events="/hole/nim/s/1/events"`) {
		t.Errorf("its page while it waits:\n%s", got.Body)
	}
	h.RecordGolfCheck(a, "py", judge.GolfCorrect, 40)
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "1"), "py", judge.GolfCorrect, 40)
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "2"), "sh", judge.GolfCorrect, 30)
	h.RecordGolfCheck(h.SubmitGolf(o, "ada", "3"), "py", judge.GolfIncorrect, 20)
	page := h.Fetch(ada, "GET", "/hole/nim/s/1", nil)
	if !strings.Contains(page.Body, "40 bytes: rank 1 of 2 in ") || !strings.Contains(page.Body, ", 2 of 2 over all") ||
		!strings.Contains(page.Body, webtest.GolfSource) {
		t.Errorf("its page:\n%s", page.Body)
	}
	if got := h.Fetch(ada, "GET", "/hole/nim/s/4", nil); !strings.Contains(got.Body, "5 5") || !strings.Contains(got.Body, "it is 10") ||
		strings.Contains(got.Body, "place") {
		t.Errorf("the page of a wrong one:\n%s", got.Body)
	}
	board := h.Fetch("", "GET", "/hole/nim", nil)
	if strings.Contains(board.Body, webtest.GolfSource) || strings.Count(board.Body, "<bdi>") != 1+2+2+2 {
		t.Errorf("the board of all:\n%s", board.Body)
	}
	if got := h.Fetch("", "GET", "/hole/nim/sh?by=chars", nil); got.Code != 200 || !strings.Contains(got.Body, "29") {
		t.Errorf("the board of a language: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch("", "GET", "/hole/nim/klingon", nil); got.Code != 404 {
		t.Errorf("the board of no language: %d", got.Code)
	}
	if got := h.Fetch(h.Cookie("bob"), "GET", "/hole/nim/s/1", nil); got.Code != 404 {
		t.Errorf("another reads it: %d", got.Code)
	}
	var rows []map[string]any
	if got := h.Fetch("", "GET", "/hole/nim/scoreboard.json?lang=py", nil); json.Unmarshal([]byte(got.Body), &rows) != nil ||
		len(rows) != 2 || rows[0]["name"] != "ada"+webtest.HostileMarkup || rows[0]["bytes"] != 40.0 {
		t.Errorf("as JSON: %s", got.Body)
	}
	table, err := csv.NewReader(strings.NewReader(h.Fetch("", "GET", "/hole/nim/scoreboard.csv", nil).Body)).ReadAll()
	if err != nil || len(table) != 3 || table[0][0] != "\ufeffrank" || table[1][1] != "bob"+webtest.HostileMarkup || table[1][3] != "30" {
		t.Errorf("as CSV: %q, %v", table, err)
	}
	var feed struct {
		Items []struct{ ID, Title string }
	}
	if got := h.Fetch("", "GET", "/hole/nim/feed.json", nil); json.Unmarshal([]byte(got.Body), &feed) != nil || len(feed.Items) != 2 ||
		!strings.HasPrefix(feed.Items[1].Title, "ada"+webtest.HostileMarkup+": 40 bytes") ||
		feed.Items[1].ID != "http://judge.example/hole/nim/s/1" {
		t.Errorf("the feed: %s", got.Body)
	}
	var atom struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if got := h.Fetch("", "GET", "/hole/nim/feed.atom", nil); xml.Unmarshal([]byte(got.Body), &atom) != nil || len(atom.Entries) != 2 ||
		!strings.HasPrefix(atom.Entries[0].Title, "bob"+webtest.HostileMarkup) {
		t.Errorf("the feed: %s", got.Body)
	}
	for number, want := range map[string]string{"1": "1 of 2, 40 bytes", "2": "2 of 2, 40 bytes"} {
		got := h.Fetch("", "GET", "/hole/nim/s/"+number+"/badge.svg", nil)
		if got.Code != 200 || !strings.Contains(got.Body, want) || xml.Unmarshal([]byte(got.Body), new(struct{})) != nil {
			t.Errorf("the badge of %s: %d %s", number, got.Code, got.Body)
		}
	}
	for _, number := range []string{"4", "9", "x"} { // wrong, missing, not a number
		if got := h.Fetch("", "GET", "/hole/nim/s/"+number+"/badge.svg", nil); got.Code != http.StatusNotFound {
			t.Errorf("the badge of %s: %d", number, got.Code)
		}
	}
	o.ShowSubmissions = true
	if err := h.Store.SetHole(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := h.Fetch("", "GET", "/hole/nim/s/1", nil); got.Code != 200 || !strings.Contains(got.Body, webtest.GolfSource) {
		t.Errorf("once answers are shown: %d", got.Code)
	}
	if got := h.Fetch(h.Cookie("bob"), "GET", "/hole/nim/s/4", nil); got.Code != 404 {
		t.Errorf("a wrong one of another: %d", got.Code)
	}
}

// TestAHoleInABrowser checks in a browser that a user can read a hole, submit, and see the progress of the check
// and the rank. It uses a phone and a desktop screen, with and without scripts.
func TestAHoleInABrowser(t *testing.T) {
	webtest.RunInBrowsers(t, atHole)
}

func atHole(t *testing.T, width int, scripts bool) {
	h := webtest.New(t)
	o := h.Hole("nim")
	h.RecordGolfCheck(h.SubmitGolf(o, "ada", "1"), "py", judge.GolfCorrect, 40)
	b := browser.Open(t, h.URL+"/")
	b.SetWidth(width)
	b.AllowScripts(scripts)
	look := func(page string) {
		t.Helper()
		b.ExpectValue(page+": what is wider than the screen", webtest.OverflowScript, "")
		b.Screenshot(fmt.Sprintf("hole-%d-%v-%s", width, scripts, page))
	}
	b.Navigate(h.URL + "/hole/nim")
	b.ExpectContains("the hole", webtest.StatusScript, "ada", "Only users who are logged in may submit", "Records")
	look("hole")
	b.Navigate(h.URL + "/login?next=/hole/nim")
	b.Fill("input[name=login]", h.Accounts["bob"].Login)
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	b.ExpectValue("the hole again", webtest.AddressScript, "/hole/nim")
	if scripts {
		b.Fill("textarea[name=text]", "\u00e4bc\n")
		b.Eval(`document.querySelector('textarea[name=text]').dispatchEvent(new Event('input'))`)
		b.ExpectContains("the length", `document.getElementById('count').textContent`, "4 bytes in UTF-8, 3 characters")
	}
	b.Fill("textarea[name=text]", "")
	b.Follow("form[data-submit] button")
	b.ExpectContains("nothing was sent", webtest.AlertScript, "the submission is empty")
	b.Fill("textarea[name=text]", "lambda i,j:0")
	b.Fill("select[name=language]", "py")
	b.Follow("form[data-submit] button")
	b.ExpectValue("the answer", webtest.AddressScript, "/hole/nim/s/2")
	b.ExpectContains("it waits", webtest.StatusScript, "waiting for a worker to check samples and edges")
	look("waits")

	// The check ends. With scripts, the page shows that by itself.
	a := webtest.Must[*store.GolfSubmission](t)(h.Store.GolfSubmission(t.Context(), o.ID, 2))
	h.RecordGolfCheck(a, "py", judge.GolfCorrect, 12)
	right := func(text string) bool { return strings.Contains(text, "12 bytes: rank 1 of 2 in") }
	if !scripts {
		b.Navigate(h.URL + "/hole/nim/s/2")
	}
	if got := b.WaitFor(webtest.StatusScript, right); !right(got) {
		t.Fatalf("its page after the proof:\n%s", got)
	}
	if scripts { // load the part below the verdict
		b.Navigate(h.URL + "/hole/nim/s/2")
	}
	b.ExpectContains("it is right", webtest.StatusScript, "RIGHT", "12 bytes: rank 1 of 2 in", "Checks", "Badge")
	look("right")
	b.Navigate(h.URL + "/hole/nim/py?by=chars")
	b.ExpectContains("the board", webtest.StatusScript, "Your submissions", "ada", "by bytes")
	look("board")
}

// TestHoleForm checks that errors are shown beside their fields and above the form, and that input is kept. If
// another user saved the settings meanwhile, no change is lost.
func TestHoleForm(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	fields := func(pairs ...string) url.Values {
		f := url.Values{"problem": {"sum"}, "slug": {""}, "name": {"Nim für alle"}, "visibility": {"jury"}, "shown": {"on"}}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	got := h.Fetch(admin, "POST", "/admin/holes/new", fields("problem", "", "slug", "No Slug", "visibility", ""))
	for _, want := range []string{
		"Error: New golf hole", "3 fields need a change", `href="#problem"`, `id="problem-error"`, `href="#slug"`, `id="slug-error"`,
		"for example no-slug", `id="visibility-error"`,
		`value="Nim für alle"`, `value="No Slug"`, `name="shown" value="on" checked`,
	} {
		if got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%d, without %q:\n%s", got.Code, want, got.Body)
		}
	}
	if got := h.Fetch(admin, "POST", "/admin/holes/new", fields("name", "!?")); !strings.Contains(got.Body,
		"no letters or digits to make one from") {
		t.Errorf("a name without letters: %d\n%s", got.Code, got.Body)
	}
	got = h.Fetch(admin, "POST", "/admin/holes/new", fields())
	if got.Code != 303 || got.Get("Location") != "/hole/nim-fur-alle" {
		t.Fatalf("made: %d %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	edit := "/hole/nim-fur-alle/edit"
	if got := h.Fetch(admin, "POST", edit, fields("revision", "1", "name", "First")); got.Code != 303 {
		t.Errorf("changed: %d\n%s", got.Code, got.Body)
	}
	got = h.Fetch(admin, "POST", edit, fields("revision", "1", "name", "Second"))
	if got.Code != 409 || !strings.Contains(got.Body, "someone else changed the settings") ||
		!strings.Contains(got.Body, `value="Second"`) || !strings.Contains(got.Body, `name="revision" value="2"`) {
		t.Errorf("overtaken: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", edit, fields("revision", "2", "name", "Second", "problem", "other", "slug", "other")); got.Code != 303 {
		t.Errorf("saved again: %d\n%s", got.Code, got.Body)
	}
	if o, err := h.Store.Hole(t.Context(), "nim-fur-alle"); err != nil || o.Name != "Second" || o.ProblemSlug != "sum" {
		t.Errorf("the hole is %+v, %v", o, err)
	}
}

// TestTheLengthIsLargest checks that the page shows the length of the shortest submission in large type, even
// without scripts.
func TestTheLengthIsLargest(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	if got := h.Fetch("", "GET", "/hole/nim", nil); strings.Contains(got.Body, `<span class="length">`) {
		t.Errorf("a length without submissions:\n%s", got.Body)
	}
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "1"), "py", judge.GolfCorrect, 40)
	h.RecordGolfCheck(h.SubmitGolf(o, "ada", "2"), "py", judge.GolfCorrect, 33)
	if got := h.Fetch("", "GET", "/hole/nim", nil); strings.Count(got.Body, `<span class="length">33</span> bytes`) != 1 {
		t.Errorf("the page has no largest length:\n%s", got.Body)
	}
}
