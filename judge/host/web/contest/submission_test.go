package contest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestSubmit checks typical submissions, both valid and invalid.
func TestSubmit(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{PerMinute: 3, Languages: []string{"py"}})
	ada := h.Cookie("ada")
	const path = "/c/now/p/A"
	for name, tt := range map[string]struct {
		fields, files map[string]string
		code          int
		want          string
	}{
		"nothing":                {nil, nil, 400, "there is nothing to submit"},
		"blanks":                 {map[string]string{"text": " \n"}, nil, 400, "there is nothing to submit"},
		"a text in no language":  {map[string]string{"text": "print(1)"}, nil, 400, "choose the language of the text"},
		"a language not offered": {map[string]string{"text": "echo", "language": "sh"}, nil, 400, "is not offered here"},
		"both": {map[string]string{"text": "x", "language": "py"}, map[string]string{"a.py": "x"}, 400,
			"there is a file and a text"},
		"an empty file":        {nil, map[string]string{"a.py": ""}, 400, "is empty"},
		"an unknown ending":    {nil, map[string]string{"a.exe": "x"}, 400, "no language has programs called"},
		"an ending of another": {nil, map[string]string{"a.sh": "x"}, 400, "is not allowed in this contest"},
		"too large a file":     {nil, map[string]string{"a.py": strings.Repeat("x", 1001)}, 413, "the most is 1000 bytes"},
		"a huge file":          {nil, map[string]string{"a.py": strings.Repeat("x", 1<<20)}, 413, "too large"},
		"too many files":       {nil, map[string]string{"a.py": "x", "b.py": "x", "c.py": "x", "d.py": "x"}, 413, "in 3 files"},
		"one file twice":       {nil, map[string]string{"a/x.py": "x", "b/x.py": "y"}, 400, "stands twice"},
		"no problem":           {nil, nil, 404, ""},
	} {
		to := path
		if name == "no problem" {
			to = "/c/now/p/B"
		}
		if got := h.Upload(ada, to, tt.fields, tt.files); got.Code != tt.code || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%s: %d, want %d with %q in\n%s", name, got.Code, tt.code, tt.want, got.Body)
		}
	}
	h.Contest("all", -time.Minute, store.VisibilityAccounts, store.Settings{})
	page := h.Fetch(ada, "GET", "/c/all/p/A", nil).Body
	for _, want := range []string{`value="py" data-ext="py"`, `value="another" data-ext="apy"`, `value="sh" data-ext="sh"`} {
		if !strings.Contains(page, want) || strings.Contains(page, "executable") {
			t.Errorf("the languages are not offered as %s:\n%s", want, page)
		}
	}
	if teams, err := h.Store.Teams(t.Context(), c.ID); err != nil || len(teams) != 0 {
		t.Errorf("who sent nothing takes part: %v, %v", teams, err)
	}
	// These submissions are accepted. If one is sent twice, it is stored once.
	for i, tt := range []struct {
		fields, files map[string]string
		number        string
	}{
		{map[string]string{"text": "print(1)\r\nprint(2)", "language": "py", "key": "k"}, nil, "1"},
		{map[string]string{"text": "print(1)\r\nprint(2)", "language": "py", "key": "k"}, nil, "1"},
		{map[string]string{"key": "l"}, map[string]string{`C:\home\SOL.PY`: "x"}, "2"},
		{nil, map[string]string{"a.py": "x", "b.txt": "y"}, "3"},
	} {
		got := h.Upload(ada, path, tt.fields, tt.files)
		if want := "/c/now/s/" + tt.number; got.Code != 303 || got.Get("Location") != want {
			t.Errorf("%d: %d to %s, want %s:\n%s", i, got.Code, got.Get("Location"), want, got.Body)
		}
	}
	if got := h.Upload(ada, path, nil, map[string]string{"a.py": "x"}); got.Code != 429 || !strings.Contains(got.Body, "wait a minute") {
		t.Errorf("too fast: %d\n%s", got.Code, got.Body)
	}
	sub := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 1))
	text := webtest.Must[[]byte](t)(h.Blobs.Read(sub.Files[0].Digest, 100))
	if sub.Program != "main.py" || string(text) != "print(1)\nprint(2)" || sub.Team == "" {
		t.Errorf("got %+v with %q", sub, text)
	}
	if got := h.Fetch(ada, "GET", "/c/now", nil); !strings.Contains(got.Body, "3 submissions") ||
		!strings.Contains(got.Body, `href="/c/now/s/3"`) {
		t.Errorf("the contest's page does not tell of the submissions:\n%s", got.Body)
	}
	// A judge tries a problem. The submission is unscored.
	if got := h.Upload(h.Cookie("judge"), path, nil, map[string]string{"a.py": "x"}); got.Code != 303 {
		t.Errorf("the judge: %d", got.Code)
	}
	if sub := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 4)); sub.Team != "" {
		t.Errorf("the judge takes part: %+v", sub)
	}
}

// TestAJudgingIsLive reads the event stream of a judgement from beginning to end.
func TestAJudgingIsLive(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{Show: judge.ShowSamples})
	a := h.Submit(c, "ada")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // if an event never arrives
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", h.URL+"/c/now/s/1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", h.Cookie("ada"))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var said strings.Builder
	buffer := make([]byte, 4096)
	until := func(text string) {
		t.Helper()
		for !strings.Contains(said.String(), text) {
			n, err := res.Body.Read(buffer)
			said.Write(buffer[:n])
			if err != nil {
				t.Fatalf("%v before %q:\n%s", err, text, said.String())
			}
		}
	}
	if res.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("a server in front may keep the stream back")
	}
	until("waiting")
	until("this submission is next")
	h.Submit(c, "bob")
	if page := h.Fetch(h.Cookie("bob"), "GET", "/c/now/s/2", nil).Body; !strings.Contains(page, "1 submission goes first") {
		t.Errorf("the page of a waiting submission does not tell its place:\n%s", page)
	}
	// A worker's progress is shown as far as the reader may see it.
	var lines [][]byte
	for _, e := range webtest.FailingEvents()[:6] {
		lines = append(lines, webtest.Must[[]byte](t)(judge.EncodeEvent(e)))
	}
	running := job.Running{Job: a.Job, Generation: 1}
	h.Dispatch.Listener().Taken("w", running)
	h.Dispatch.Listener().Progress("w", job.Progress{Running: running, Events: lines})
	until("1/2")
	until("2 of 2 cases")
	if page := h.Fetch(h.Cookie("ada"), "GET", "/c/now/s/1", nil); !strings.Contains(page.Body, `http-equiv="refresh"`) ||
		!strings.Contains(page.Body, `data-events="/c/now/s/1/events"`) {
		t.Errorf("the page of an open judging is not live:\n%s", page.Body)
	}
	webtest.CheckHTML(t, "the page of an open judging", h.Fetch(h.Cookie("ada"), "GET", "/c/now/s/1", nil).Body)
	h.RecordJudgement(a, webtest.FailingEvents()...)
	until("event: end")
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	said.Write(rest)
	if all := said.String(); !strings.Contains(all, "wrong answer") || strings.Contains(all, webtest.Secret) ||
		strings.Contains(all, "<marked") {
		t.Errorf("the stream says\n%s", all)
	}
	if page := h.Fetch(h.Cookie("ada"), "GET", "/c/now/s/1", nil); strings.Contains(page.Body, `http-equiv="refresh"`) ||
		strings.Contains(page.Body, "data-events") {
		t.Errorf("the page of an ended judging is live:\n%s", page.Body)
	}
}

// TestAJudgeErrorIsADelay checks that a judge error looks like a delay to the contestant, and that the jury sees
// the error.
func TestAJudgeErrorIsADelay(t *testing.T) {
	h := webtest.New(t)
	a := h.Submit(h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: judge.ShowCases}), "ada")
	events := webtest.FailingEvents()
	events[len(events)-1] = &judge.Finished{Verdict: judge.JudgeError, Judged: 2, Cases: 2}
	h.RecordJudgement(a, events...)
	verdict := regexp.MustCompile(`\bJE\b`) // a form key may contain these letters
	for _, path := range []string{"/c/now/s/1", "/c/now", "/c/now/p/A"} {
		if page := h.Fetch(h.Cookie("ada"), "GET", path, nil).Body; !strings.Contains(page, "pending: the jury is investigating") ||
			strings.Contains(page, "judge error") || verdict.MatchString(page) {
			t.Errorf("her page %s says\n%s", path, page)
		}
	}
	for _, path := range []string{"/c/now/s/1", "/c/now/submissions"} {
		if page := h.Fetch(h.Cookie("judge"), "GET", path, nil).Body; !strings.Contains(page, "judge error") {
			t.Errorf("the judge's page %s says\n%s", path, page)
		}
	}
}

// TestReasonsAreForTheJury checks that only the jury sees why judging failed, why a submission was rejudged, and
// why a verdict was overridden.
func TestReasonsAreForTheJury(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: judge.ShowAll})
	a := h.Submit(c, "ada")
	specs := webtest.Must[[]*job.Spec](t)(h.Store.NextJobs(t.Context(), job.ContestPriority, "main", 1))
	if _, err := h.Store.RecordResult(t.Context(), &job.Result{
		Job: a.Job, Generation: specs[0].Generation, Token: specs[0].Token, Worker: "w", State: job.Done,
		Finished: &judge.Finished{Verdict: judge.JudgeError}, Reason: "the disk is full",
	}, ""); err != nil {
		t.Fatal(err)
	}
	tells := func(reason string) {
		t.Helper()
		for who, shown := range map[string]bool{"ada": false, "bob": false, "runner": false, "judge": true, "admin": true} {
			for _, path := range []string{"/c/now/s/1", "/c/now/s/1/events", "/c/now", "/c/now/mine", "/c/now/p/A"} {
				shown := shown && path == "/c/now/s/1"
				if got := h.Fetch(h.Cookie(who), "GET", path, nil); strings.Contains(got.Body, reason) != shown {
					t.Errorf("%s reads %q at %s: %v\n%s", who, reason, path, !shown, got.Body)
				}
			}
		}
	}
	tells("the disk is full")
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{"who": {"#1"}, "why": {"a larger disk"}}); got.Code != 303 {
		t.Fatalf("rejudge: %d\n%s", got.Code, got.Body)
	}
	tells("a larger disk")
	if got := h.Fetch(admin, "POST", "/c/now/s/1/override",
		url.Values{"do": {"WA"}, "why": {"read by hand"}, "was": {"0"}, "sure-password": {"correct-horse"}}); got.Code != 303 {
		t.Fatalf("override: %d\n%s", got.Code, got.Body)
	}
	tells("read by hand")
}

// TestALanguageThatNoWorkerHas checks that a submission is refused if no worker has its language, because it would
// wait forever.
func TestALanguageThatNoWorkerHas(t *testing.T) {
	h := webtest.New(t)
	ctx, text := t.Context(), "echo"
	digest := blob.DigestOf([]byte(text))
	if err := h.Intake.StoreBlob(ctx, h.Accounts["ada"], []byte(text)); err != nil {
		t.Fatal(err)
	}
	take := func(language string, files ...string) error {
		n := intake.NewSubmission{Account: h.Accounts["ada"], Problem: h.Problem, Program: files[0], Language: language, Folder: len(files) > 1}
		for _, name := range files {
			n.Files = append(n.Files, job.File{Path: name, Size: int64(len(text)), Digest: digest})
		}
		_, err := h.Intake.Submit(ctx, n)
		return err
	}
	if err := take("", "a.sh"); err != nil {
		t.Errorf("before anybody has said what workers have: %v", err)
	}
	if _, err := h.Store.CreateClass(ctx, "main", job.Capabilities{Languages: map[string]string{"another": "Another 1.0"}}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		language string
		files    []string
		refused  bool
	}{
		"by its ending":                        {files: []string{"a.sh"}, refused: true},
		"by its name":                          {language: "shell", files: []string{"a.txt"}, refused: true},
		"by its id":                            {language: "sh", files: []string{"a.py"}, refused: true},
		"another of the same ending is there":  {files: []string{"a.py"}},
		"a folder in which one may be another": {files: []string{"a.py", "b.sh"}},
		"a folder":                             {files: []string{"a.sh", "b.sh"}, refused: true},
		"nothing tells":                        {files: []string{"a.xyz"}},
		"a language that a worker may know":    {language: "klingon", files: []string{"a.sh"}},
	} {
		err := take(tt.language, tt.files...)
		if tt.refused != (err != nil && strings.Contains(err.Error(), "no worker here has Shell: choose another language")) ||
			!tt.refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPracticeIsMarked checks that submissions after the end are marked as unscored for contestants and jury, but
// submissions in extra time are not.
func TestPracticeIsMarked(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("past", -90*time.Minute, store.VisibilityAccounts, store.Settings{Practice: true}) // of an hour
	const mark = "after the end"
	for login, extra := range map[string]time.Duration{"ada": 0, "bob": time.Hour} {
		team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
		team.ExtraTime = extra
		if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
		sent := h.Submit(c, login)
		for who, path := range map[string]string{login: "/c/past", "judge": fmt.Sprintf("/c/past/s/%d", sent.Number),
			"admin": "/c/past/submissions?who=" + login} {
			if page := h.Fetch(h.Cookie(who), "GET", path, nil); page.Code != 200 || strings.Contains(page.Body, mark) != (extra == 0) {
				t.Errorf("%s of %s for %s: %d\n%s", path, login, who, page.Code, page.Body)
			}
		}
	}
}

// TestSandboxIsForTheJury checks that only the jury sees the sandbox in which a submission ran.
func TestSandboxIsForTheJury(t *testing.T) {
	for _, show := range []judge.Visibility{judge.ShowCases, judge.ShowAll} {
		h := webtest.New(t)
		n := h.Submit(h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{Show: show}), "ada")
		h.RecordJudgement(n, webtest.FailingEvents()...)
		for login, want := range map[string]bool{"ada": false, "judge": true} {
			page := h.Fetch(h.Cookie(login), "GET", "/c/now/s/1", nil).Body
			if strings.Contains(page, "Sandbox: root") != want || !strings.Contains(page, "wrong answer") {
				t.Errorf("shown is %s: the page of %s:\n%s", show, login, page)
			}
		}
	}
}

// TestOwnColumns checks that contestants see the language of their submissions, and times only if the contest shows
// them.
func TestOwnColumns(t *testing.T) {
	for show, times := range map[judge.Visibility]bool{judge.ShowFirst: false, judge.ShowCases: true} {
		h := webtest.New(t)
		h.RecordJudgement(h.Submit(h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: show}), "ada"),
			webtest.FailingEvents()...)
		for path, want := range map[string]struct{ language, time string }{
			"/c/now/mine": {"<small>Python</small>", `<td class="num hide">0.01 s</td><td class="num hide">1 MiB</td>`},
			"/c/now/p/A":  {" · Python</small>", `<td class="num">0.01 s</td>`},
			"/c/now":      {" · Python</small>", ""},
			"/c/now/s/1":  {"</time> · Python</p>", ""},
		} {
			page := h.Fetch(h.Cookie("ada"), "GET", path, nil).Body
			webtest.CheckHTML(t, path, page)
			if !strings.Contains(page, want.language) || want.time != "" &&
				(strings.Contains(page, want.time) != times || strings.Contains(page, "Max time") != times) {
				t.Errorf("the contest shows %q: %s lacks %q, or its time is not as expected:\n%s", show, path, want.language, page)
			}
		}
	}
}
