package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestContestantsByTheCommandLine checks that contestants see through the command line exactly what contests show.
// If there are no contests, other accounts must be able to practice.
func TestContestantsByTheCommandLine(t *testing.T) {
	h := newHarness(t)
	sum := h.submission("one") // this also publishes the problem
	account, err := h.store.NewAccount(t.Context(), "student", "Student", store.PersonAccount, string(auth.Contestant))
	if err != nil {
		t.Fatal(err)
	}
	text, hash := auth.NewToken()
	if _, err := h.store.NewToken(t.Context(), account.ID, hash, "", []string{"submit"}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	h.headers["student"] = "Bearer " + text
	h.give("student", "program")
	h.give("admin", "program")
	problems := func(who string) (slugs, bundles string) {
		t.Helper()
		code, said := h.ask(who, "GET", client.ProblemsPath, nil)
		var all []client.Problem
		if err := json.Unmarshal([]byte(said), &all); code != 200 || err != nil {
			t.Fatalf("%d, %v: %s", code, err, said)
		}
		for _, p := range all {
			slugs, bundles = slugs+p.Slug+" ", bundles+string(p.Bundle)
		}
		return slugs, bundles
	}
	submit := func(who string, want int) (s client.Submission) {
		t.Helper()
		sum.Key += "x"
		code, said := h.ask(who, "POST", client.SubmissionsPath, sum)
		if code != want {
			t.Errorf("%s submits: %d, want %d: %s", who, code, want, said)
		}
		if code == 200 {
			if err := json.Unmarshal([]byte(said), &s); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}

	// If no contest has the problem, contestants cannot see it.
	if slugs, _ := problems("student"); slugs != "" {
		t.Errorf("the student sees %s", slugs)
	}
	if slugs, _ := problems("submit"); slugs != "sum " {
		t.Errorf("who practises sees %q", slugs)
	}
	submit("student", 404)
	practised := submit("submit", 200)

	// A contest that has not begun hides the problem from all except the jury.
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
		Visibility: store.VisibilityAccounts, Settings: store.Settings{Show: judge.ShowCases}}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"student", "submit"} {
		if slugs, _ := problems(who); slugs != "" {
			t.Errorf("before the start %s sees %s", who, slugs)
		}
		submit(who, 404)
		sum.Problem = "A"
		submit(who, 404)
		sum.Problem = "sum"
	}
	submit("admin", 200)

	// While the contest runs, submissions belong to it.
	c.Starts = time.Now().Add(-time.Minute)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"student", "submit"} {
		if slugs, bundles := problems(who); slugs != "sum " || bundles != "" {
			t.Errorf("%s sees %q in %q", who, slugs, bundles)
		}
	}
	// Submissions do not go to a contest that is open only for practice.
	for slug, ago := range map[string]time.Duration{"old": 5 * time.Hour} {
		other := &store.Contest{Slug: slug, Name: slug, Format: store.ICPC, Starts: time.Now().Add(-ago), Length: time.Hour,
			Visibility: store.VisibilityAccounts, Settings: store.Settings{Practice: true}}
		if err := h.store.NewContest(t.Context(), other, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
			t.Fatal(err)
		}
	}
	sent := submit("student", 200)
	kept, err := h.store.Submission(t.Context(), sent.ID)
	if err != nil || kept.Contest != c.ID || kept.Team == "" {
		t.Fatalf("got %+v, %v", kept, err)
	}
	const secret = "secret-of-the-setters"
	var specs []*job.Spec
	for _, priority := range []job.Priority{job.ContestPriority, job.PracticePriority} {
		more, err := h.store.NextJobs(t.Context(), priority, "main", 9)
		if err != nil || len(more) == 0 {
			t.Fatal(more, err)
		}
		specs = append(specs, more...)
	}
	events := []judge.Event{
		&judge.Started{Format: judge.EventFormat, Problem: "sum", Title: "Sum", Cases: 1, Groups: []string{secret}},
		&judge.CaseJudged{Group: secret, Case: secret, Verdict: judge.WrongAnswer, Message: secret, Line: secret},
		&judge.Finished{Verdict: judge.WrongAnswer, Judged: 1, Cases: 1, First: secret + "/" + secret},
	}
	packed, rows, err := job.Pack(events)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := h.blobs.Add(strings.NewReader(string(packed)))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		if s.Priority == job.PracticePriority || s.ID == kept.Judgement {
			r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: secret, State: job.Done, Rows: rows, Events: packed,
				Finished: events[2].(*judge.Finished)}
			if _, err := h.store.RecordResult(t.Context(), r, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, want := range map[string]string{"": `"WA"`, "/events": `"1/1"`} {
		code, said := h.ask("student", "GET", client.SubmissionsPath+"/"+sent.ID+path, nil)
		if code != 200 || strings.Contains(said, secret) || path != "" && !strings.Contains(said, `"case":"1"`) || !strings.Contains(said, `WA`) {
			t.Errorf("%s: %d, want %s in it: %s", path, code, want, said)
		}
		if code, said := h.ask("admin", "GET", client.SubmissionsPath+"/"+sent.ID+path, nil); code != 200 || !strings.Contains(said, secret) {
			t.Errorf("the admin: %d, %s", code, said)
		}
	}
	// The list contains contest and practice submissions: the caller's own, or all for an administrator.
	for who, want := range map[string]string{"student": "spring:student", "submit": ":submit", "admin": "spring:student :admin :submit"} {
		list := func(query string) (got []string, last string) {
			t.Helper()
			code, said := h.ask(who, "GET", client.SubmissionsPath+query, nil)
			var all []client.Submission
			if err := json.Unmarshal([]byte(said), &all); code != 200 || err != nil {
				t.Fatal(code, said)
			}
			for _, s := range all {
				got, last = append(got, s.Contest+":"+s.Login), s.ID
			}
			return got, last
		}
		got, last := list("?problem=sum")
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s lists %q, want %q", who, got, wanted)
		}
		if rest, _ := list("?before=" + last); rest != nil {
			t.Errorf("before the first of %s there is %q", who, rest)
		}
	}
	// The caller submitted in practice before the contest. Now the submission shows no more than the contest
	// allows.
	if code, said := h.ask("submit", "GET", client.SubmissionsPath+"/"+practised.ID+"/events", nil); code != 200 ||
		strings.Contains(said, secret) || !strings.Contains(said, "WA") {
		t.Errorf("the submission of before: %d, %s", code, said)
	}
	// The results of workflows such as golf checks contain test data.
	workflow := client.NewWorkflow{Kind: "golf", Problem: "sum", Files: sum.Files}
	for who, want := range map[string]int{"student": http.StatusForbidden, "submit": http.StatusNotFound} {
		if code, said := h.ask(who, "PUT", client.WorkflowsPath+"/AAAAAAAAAAAAAAAAAAAAAAAA", workflow); code != want {
			t.Errorf("a workflow of %s: %d, want %d: %s", who, code, want, said)
		}
	}
	// A problem can be named by its label. The contest can be named, but must exist.
	sum.Problem = "a"
	if labeled := submit("student", 200); labeled.Problem != "sum" {
		t.Errorf("the label is of %+v", labeled)
	}
	sum.Problem = "B"
	submit("student", 404)
	sum.Problem = "sum"
	sum.Contest = "spring"
	submit("student", 200)
	sum.Contest = "autumn"
	submit("student", 404)

	// If two contests are running, a request must name the contest, even if it names the problem by its label.
	other := *c
	other.ID, other.Slug = "", "summer"
	if err := h.store.NewContest(t.Context(), &other, []store.NewContestProblem{{Slug: "sum", Label: "A"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sum", "A"} {
		sum.Problem, sum.Contest = name, ""
		submit("student", 409)
		sum.Contest = "summer"
		if sent := submit("student", 200); sent.Contest != "summer" || sent.Problem != "sum" {
			t.Errorf("%s of summer is %+v", name, sent)
		}
	}
	hidden := *c
	hidden.ID, hidden.Slug, hidden.Visibility = "", "hidden", store.VisibilityJury
	if err := h.store.NewContest(t.Context(), &hidden, []store.NewContestProblem{{Slug: "sum", Label: "H"}}); err != nil {
		t.Fatal(err)
	}
	for contest, want := range map[string]string{"summer": `the contest summer has no problem \"B\"`,
		"none": `there is no contest \"none\"`, "hidden": `there is no contest \"hidden\"`} {
		n := sum
		n.Problem, n.Contest, n.Key = "B", contest, "AAAAAAAAAAAAAAAAAAAAAAAB"
		if code, said := h.ask("student", "POST", client.SubmissionsPath, n); code != 404 || !strings.Contains(said, want) {
			t.Errorf("B of %s: %d, want %s: %s", contest, code, want, said)
		}
	}
	other.Starts = time.Now().Add(-3 * time.Hour) // now only one contest is running
	if err := h.store.SetContest(t.Context(), &other, nil); err != nil {
		t.Fatal(err)
	}
	sum.Problem, sum.Contest = "A", ""
	if sent := submit("student", 200); sent.Contest != "spring" {
		t.Errorf("A of the running one is %+v", sent)
	}

	// After its end, the contest accepts no submissions.
	sum.Contest = ""
	c.Starts = time.Now().Add(-3 * time.Hour)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	sum.Contest = "spring"
	submit("student", 403)

	// A sheet must be one.
	bad := client.NewProblem{Title: "Sum", Manifest: blob.DigestOf([]byte("x")), Config: blob.DigestOf([]byte("x")), Info: "x"}
	if code, _ := h.ask("publish", "PUT", client.ProblemsPath+"/sum", bad); code == 200 {
		t.Error("a problem with a sheet that is none is published")
	}
}
