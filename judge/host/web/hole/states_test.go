package hole_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/host/workflow"
)

// recordSamples records the result of a golf submission on samples and edges, after which all inputs are checked.
func recordSamples(h *webtest.Harness, a *store.GolfSubmission, v judge.GolfVerdict) {
	h.Helper()
	_, err := h.Store.AddWorkflowJobs(h.Context(), a.Workflow, store.WorkflowJob{
		Key: workflow.SamplesKey, Priority: job.PracticePriority, Class: "main", Cost: time.Second,
		Work: job.Work{Kind: job.GolfCheck, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "sum"},
	})
	if err != nil {
		h.Fatal(err)
	}
	_, packed := h.GolfResult("py", v, 33)
	for _, s := range webtest.Must[[]*job.Spec](h)(h.Store.NextJobs(h.Context(), job.PracticePriority, "main", 100)) {
		if s.ID != store.WorkflowJobID(a.Workflow, workflow.SamplesKey) {
			continue
		}
		if _, err := h.Store.RecordResult(h.Context(), &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w",
			State: job.Done, Output: []byte("{}"), Events: packed}, h.StoreBlob(packed)); err != nil {
			h.Fatal(err)
		}
	}
}

// TestSubmissionStates checks what the pages of a hole say about a submission in each state: which part of the check runs
// and whether a worker has it, how many inputs were tried, whether the page changes by itself, and what is offered.
func TestSubmissionStates(t *testing.T) {
	claim := func(h *webtest.Harness, a *store.GolfSubmission, key string, events ...judge.Event) {
		running := job.Running{Job: store.WorkflowJobID(a.Workflow, key), Generation: 1}
		h.Dispatch.Listener().Taken("w", running)
		var lines [][]byte
		for _, e := range events {
			lines = append(lines, webtest.Must[[]byte](h)(judge.EncodeEvent(e)))
		}
		h.Dispatch.Listener().Progress("w", job.Progress{Running: running, Events: lines})
	}
	recheck := func(h *webtest.Harness, o *store.Hole) {
		if n, err := h.Dispatch.Recheck(h.Context(), o.ID); n != 1 || err != nil {
			h.Errorf("%d submissions are rechecked, %v", n, err)
		}
	}
	const noWorker = "No worker is online."
	for _, tt := range []struct {
		what string
		set  func(h *webtest.Harness, o *store.Hole, a *store.GolfSubmission)
		list string   // state in the list on the page of the hole
		page []string // texts on the submission's page; ! means absent
	}{
		{"just sent", func(*webtest.Harness, *store.Hole, *store.GolfSubmission) {}, "waiting", []string{
			"waiting for a worker to check samples and edges", "data-events=", `http-equiv="refresh"`, "!inputs", "!Right on samples",
			"!Badge", "!<h2>Checks</h2>", "!rechecked",
			`href="/hole/nim/s/1/source" download`,
		}},
		{"a worker has the samples", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			claim(h, a, workflow.SamplesKey)
		}, "checking", []string{"checking samples and edges", "!waiting for a worker", "data-events="}},
		{"right on the samples", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			recordSamples(h, a, judge.GolfCorrect)
		}, "waiting", []string{
			"waiting for a worker to check all inputs", "Right on samples and edges, with 33 bytes (32 characters) in py",
			"10000 inputs to check.", "!<progress",
		}},
		{"wrong on the samples", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			recordSamples(h, a, judge.GolfIncorrect)
		}, "waiting", []string{"waiting", "!waiting for a worker to check", "!Right on samples", "!inputs to check"}},
		{"a worker has all inputs", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			recordSamples(h, a, judge.GolfCorrect)
			claim(h, a, workflow.ExhaustiveKey, &judge.Progressed{Done: 1, Total: 9000}, &judge.Progressed{Done: 4321, Total: 9000})
		}, "checking", []string{"checking all inputs", `<progress max="9000" value="4321"`, "4321 of 9000 inputs", "!inputs to check."}},
		{"correct", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			h.RecordGolfCheck(a, "py", judge.GolfCorrect, 33)
		}, "valid", []string{"RIGHT", "33 bytes: rank 1 of 1 in", "Badge", "<h2>Checks</h2>", "!data-events=", "!rechecked", "!refresh"}},
		{"incorrect", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			h.RecordGolfCheck(a, "py", judge.GolfIncorrect, 33)
		}, string(judge.GolfIncorrect), []string{"it is 10", "!Badge", "<h2>Checks</h2>", "!data-events=", "!rechecked", "!rank 1"}},
		{"not checked", func(h *webtest.Harness, _ *store.Hole, a *store.GolfSubmission) {
			if err := h.Store.RecordGolfOutcome(h.Context(), store.GolfOutcome{Workflow: a.Workflow, Why: "no worker could"}); err != nil {
				h.Fatal(err)
			}
		}, "not checked", []string{"not checked", "no worker could", "!Badge", "!data-events="}},
		{"rechecked", func(h *webtest.Harness, o *store.Hole, a *store.GolfSubmission) {
			h.RecordGolfCheck(a, "py", judge.GolfCorrect, 33)
			recheck(h, o)
		}, "valid", []string{"RIGHT", "The submission is being rechecked.", "Badge", "data-events=", `http-equiv="refresh"`}},
		{"no longer valid", func(h *webtest.Harness, o *store.Hole, a *store.GolfSubmission) {
			h.RecordGolfCheck(a, "py", judge.GolfCorrect, 33)
			recheck(h, o)
			now := webtest.Must[*store.GolfSubmission](h)(h.Store.GolfSubmission(h.Context(), o.ID, a.Number))
			h.RecordGolfCheck(now, "py", judge.GolfIncorrect, 33)
		}, "no longer valid", []string{"No longer valid: ", "!Badge", "!rank 1", "!data-events=", "!is being rechecked"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h := webtest.New(t)
			o := h.Hole("nim")
			a := h.SubmitGolf(o, "bob", "1")
			tt.set(h, o, a)
			bob := h.Cookie("bob")
			page := h.Fetch(bob, "GET", "/hole/nim/s/1", nil).Body
			for _, want := range tt.page {
				if absent := strings.HasPrefix(want, "!"); strings.Contains(page, strings.TrimPrefix(want, "!")) == absent {
					t.Errorf("the page: %q\n%s", want, page)
				}
			}
			if waits := strings.Contains(tt.page[0], "checking") || strings.Contains(tt.page[0], "waiting"); waits !=
				strings.Contains(page, noWorker) {
				t.Errorf("the page says why nothing happens: %v\n%s", !waits, page)
			}
			_, list, _ := strings.Cut(h.Fetch(bob, "GET", "/hole/nim", nil).Body, "<h2>Your submissions</h2>")
			list, _, _ = strings.Cut(list, "</section>")
			if list = webtest.Text(list); !strings.Contains(list, tt.list) ||
				strings.Contains(list, "no longer") != (tt.list == "no longer valid") {
				t.Errorf("the list does not have %q:\n%s", tt.list, list)
			}
			admin := h.Fetch(h.Cookie("admin"), "GET", "/hole/nim/s/1", nil).Body
			if checked := strings.Contains(page, "<h2>Checks</h2>"); strings.Contains(page, ">By<") ||
				strings.Contains(admin, ">By<") != checked {
				t.Errorf("who checked it is for administrators:\n%s", admin)
			}
		})
	}
}

// TestSubmissionStream checks that the stream of a submission's page sends the part that changes, and ends once the check has
// ended.
func TestSubmissionStream(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "1"), "py", judge.GolfCorrect, 33)
	open := h.SubmitGolf(o, "bob", "2")
	read := func(number int, until string) {
		t.Helper()
		from := fmt.Sprintf("%s/hole/nim/s/%d/events", h.URL, number)
		r := webtest.Must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", from, nil))
		r.Header.Set("Cookie", h.Cookie("bob"))
		got := webtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
		defer got.Body.Close()
		var text strings.Builder
		for in := bufio.NewScanner(got.Body); in.Scan(); {
			if text.WriteString(in.Text() + "\n"); strings.Contains(text.String(), until) {
				return
			}
		}
		t.Errorf("the stream of submission %d ends without %q:\n%s", number, until, text.String())
	}
	read(1, "33 bytes: rank 1 of 1")
	read(2, "waiting for a worker to check samples and edges")
	h.RecordGolfCheck(open, "py", judge.GolfCorrect, 30)
	read(2, "event: end")
	read(2, "30 bytes: rank 1 of 1")
}

// TestHoleReaders checks what each reader sees of submissions in the ranking: a link only to submissions that the reader may
// read, the reader's own row, and own submissions only.
func TestHoleReaders(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	h.RecordGolfCheck(h.SubmitGolf(o, "ada", "1"), "py", judge.GolfCorrect, 40)
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "2"), "py", judge.GolfCorrect, 30)
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "3"), "py", judge.GolfIncorrect, 20)
	look := func(shown bool) {
		t.Helper()
		for login, tt := range map[string]struct {
			links []int // of the ranking
			mine  int   // rank of the own row; 0 if none
			own   []int // listed own submissions, newest first
		}{
			"":      {nil, 0, nil},
			"ada":   {[]int{1}, 2, []int{1}},
			"bob":   {[]int{2}, 1, []int{3, 2}},
			"other": {nil, 0, nil},
			"admin": {[]int{2, 1}, 0, nil},
		} {
			cookie := ""
			if login != "" {
				cookie = h.Cookie(login)
			}
			page := h.Fetch(cookie, "GET", "/hole/nim", nil).Body
			if shown {
				tt.links = []int{2, 1}
			}
			want := ""
			for _, n := range tt.links {
				want += fmt.Sprintf(`<b class="big"><a href="/hole/nim/s/%d">`, n)
			}
			if got := strings.Join(matches(page, `<b class="big"><a href="/hole/nim/s/`, ">"), ""); got != want {
				t.Errorf("shown %v: %q has links %q, want %q", shown, login, got, want)
			}
			want = ""
			for _, n := range tt.own {
				want += fmt.Sprintf(`<th scope="row" class="num"><a href="/hole/nim/s/%d">`, n)
			}
			if got := strings.Join(matches(page, `<th scope="row" class="num"><a href="/hole/nim/s/`, ">"), ""); got != want {
				t.Errorf("shown %v: %q has own submissions %q, want %q", shown, login, got, want)
			}
			if got := strings.Join(matches(page, `<tr class="mine"><td class="num">`, "<"), ""); tt.mine == 0 && got != "" ||
				tt.mine > 0 && got != fmt.Sprintf(`<tr class="mine"><td class="num">%d<`, tt.mine) {
				t.Errorf("shown %v: the own row of %q is %q, want rank %d", shown, login, got, tt.mine)
			}
			for path, reads := range map[string]bool{"/hole/nim/s/1": len(tt.links) == 2 || login == "ada", "/hole/nim/s/3": login == "bob" ||
				login == "admin", "/hole/nim/s/0": false, "/hole/nim/s/-1": false, "/hole/nim/s/01x": false} {
				for _, at := range []string{path, path + "/source"} {
					if got := h.Fetch(cookie, "GET", at, nil); (got.Code == 200) != reads ||
						got.Code != 200 && got.Code != 404 && (got.Code != 303 || login != "") { // without a login, 303 leads to the form
						t.Errorf("shown %v: %q gets %s: %d", shown, login, at, got.Code)
					}
				}
			}
		}
	}
	look(false)
	o.ShowSubmissions = true
	if err := h.Store.SetHole(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	look(true)
}

// TestListedHoles checks what the list of holes says of each hole: its record, and the length of the reader's own shortest
// valid submission.
func TestListedHoles(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	expect := func(login string, wants ...string) {
		t.Helper()
		cookie := ""
		if login != "" {
			cookie = h.Cookie(login)
		}
		page := h.Fetch(cookie, "GET", "/golf", nil).Body
		for _, want := range append(wants, `href="/hole/nim"`) {
			if absent := strings.HasPrefix(want, "!"); strings.Contains(page, strings.TrimPrefix(want, "!")) == absent {
				t.Errorf("%q sees: %q\n%s", login, want, page)
			}
		}
		if creates := strings.Contains(page, "/admin/holes/new"); creates != (login == "admin") {
			t.Errorf("%q may create a hole: %v", login, creates)
		}
	}
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "0"), "py", judge.GolfIncorrect, 20)
	expect("bob", "no valid submission yet", "!yours:")
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "1"), "py", judge.GolfCorrect, 40)
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "2"), "py", judge.GolfCorrect, 50)
	h.RecordGolfCheck(h.SubmitGolf(o, "ada", "3"), "py", judge.GolfCorrect, 30)
	expect("bob", "record <b>30</b> bytes", "yours: 40 bytes")
	expect("ada", "record <b>30</b> bytes", "yours: 30 bytes")
	expect("other", "record <b>30</b> bytes", "!yours:")
	expect("", "record <b>30</b> bytes", "!yours:")
	expect("admin", "!yours:")
}

// matches returns the parts of a page that begin with a text, each up to the next end.
func matches(page, begin, end string) (all []string) {
	for {
		i := strings.Index(page, begin)
		if i < 0 {
			return all
		}
		page = page[i:]
		n := len(begin) + strings.Index(page[len(begin):], end) + len(end)
		all = append(all, page[:n])
		page = page[n:]
	}
}

// TestRecordsAreTheLatest checks that the page of a hole has the 20 latest records and own submissions, newest first, and
// that a record names the length of the one before it.
func TestRecordsAreTheLatest(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	const n = 23
	for i := range n {
		h.RecordGolfCheck(h.SubmitGolf(o, "bob", fmt.Sprint(i)), "py", judge.GolfCorrect, 100-i)
	}
	page := h.Fetch(h.Cookie("bob"), "GET", "/hole/nim", nil).Body
	_, records, _ := strings.Cut(page, "<h2>Records</h2>")
	own, _, _ := strings.Cut(page, "<h2>Ranking</h2>")
	if got := strings.Count(own, `<th scope="row" class="num">`); got != 20 {
		t.Errorf("%d own submissions, want 20", got)
	}
	rows := strings.Split(records, "<tr><td>")[1:]
	if len(rows) != 20 {
		t.Fatalf("%d records, want 20:\n%s", len(rows), records)
	}
	for i, row := range rows {
		want := fmt.Sprintf(`<td class="num">%d</td><td class="num">%d</td>`, 100-n+1+i, 100-n+2+i)
		if !strings.Contains(row, want) {
			t.Errorf("record %d is not %q: %s", i, want, row)
		}
	}
	var feed struct{ Items []struct{ Title string } }
	if err := json.Unmarshal([]byte(h.Fetch("", "GET", "/hole/nim/feed.json", nil).Body), &feed); err != nil || len(feed.Items) != n {
		t.Fatalf("%d items, %v", len(feed.Items), err)
	}
	for i, item := range feed.Items {
		if before := strings.HasSuffix(item.Title, fmt.Sprintf(", %d before", 100-n+2+i)); before == (i == n-1) ||
			before != strings.Contains(item.Title, "before") {
			t.Errorf("item %d is %q", i, item.Title)
		}
	}
}

// TestHoleSummaries checks what the settings say of a hole in the heads of their groups, and which problems a new hole can
// have.
func TestHoleSummaries(t *testing.T) {
	h := webtest.New(t)
	for i, golf := range []bool{false, true, true} {
		info, err := json.Marshal(client.ProblemInfo{Format: client.ProblemInfoFormat, Title: "Other", Golf: golf,
			Statement: []string{"", "In *any* length", ""}[i]})
		if err != nil {
			t.Fatal(err)
		}
		at, of := h.StoreBlob(info), h.StoreBlob(fmt.Append(nil, "bundle", i))
		webtest.Must[*store.Problem](t)(h.Store.PutBundle(t.Context(), store.NewBundle{
			Problem: []string{"no-golf", "golf", "untold"}[i], Title: "Other", Owner: h.Accounts["admin"].ID, ID: of, Manifest: of, Config: of,
			ProblemInfo: at, MadeBy: h.Accounts["admin"].ID,
		}))
	}
	admin := h.Cookie("admin")
	form := h.Fetch(admin, "GET", "/admin/holes/new", nil).Body
	if !strings.Contains(form, `value="golf"`) || strings.Contains(form, `value="no-golf"`) ||
		!strings.Contains(form, `value="public" checked`) {
		t.Errorf("the form for a new hole:\n%s", form)
	}
	later := h.Intake.Time().Add(48 * time.Hour).UTC()
	for i, tt := range []struct {
		fields url.Values
		access string
		state  string
	}{
		{url.Values{"visibility": {"public"}}, "source code hidden", "open for submissions"},
		{url.Values{"visibility": {"jury"}, "shown": {"on"}}, "everyone reads valid submissions", "open for submissions"},
		{url.Values{"visibility": {"accounts"}, "closed": {"on"}}, "source code hidden", "closed"},
		{url.Values{"visibility": {"public"}, "closes": {later.Format("2006-01-02T15:04")}}, "source code hidden",
			"closes " + later.Format("2 Jan 2006, 15:04")},
	} {
		slug := fmt.Sprint("hole-", i)
		tt.fields.Set("slug", slug)
		tt.fields.Set("name", "A hole")
		tt.fields.Set("problem", "golf")
		if got := h.Fetch(admin, "POST", "/admin/holes/new", tt.fields); got.Code != 303 {
			t.Fatalf("%v: %d\n%s", tt.fields, got.Code, got.Body)
		}
		page := h.Fetch(admin, "GET", "/hole/"+slug+"/edit", nil).Body
		for _, want := range []string{tt.access + "</small>", "<small>" + tt.state + "</small>", "0 submissions, open since",
			`value="Other (golf)" readonly`, "View hole", "Delete hole"} {
			if !strings.Contains(page, want) {
				t.Errorf("%v: without %q:\n%s", tt.fields, want, page)
			}
		}
	}
	untold := &store.Hole{Slug: "untold", Name: "Untold", ProblemSlug: "untold", Visibility: store.VisibilityPublic}
	if err := h.Store.NewHole(t.Context(), untold); err != nil {
		t.Fatal(err)
	}
	const none = "This problem was published without a statement."
	if page := h.Fetch("", "GET", "/hole/hole-0", nil).Body; !strings.Contains(page, "In <em>any</em> length") ||
		strings.Contains(page, none) {
		t.Errorf("a problem without a golf statement has its usual one:\n%s", page)
	}
	if page := h.Fetch("", "GET", "/hole/untold", nil).Body; !strings.Contains(page, none) {
		t.Errorf("a problem without any statement:\n%s", page)
	}
	// Whatever the revision of the hole is, a form without a revision or with an invalid one saves nothing.
	save := func(revision string, code int) {
		t.Helper()
		f := url.Values{"visibility": {"public"}, "name": {"A " + revision}, "revision": {revision}}
		if got := h.Fetch(admin, "POST", "/hole/hole-0/edit", f); got.Code != code {
			t.Errorf("saved with the revision %q: %d, want %d\n%s", revision, got.Code, code, got.Body)
		}
	}
	for revision := range 12 {
		save("x", http.StatusBadRequest)
		save("", http.StatusConflict)
		save(fmt.Sprint(revision+1), http.StatusSeeOther)
	}
}
