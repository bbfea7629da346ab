package web_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// differing matches what differs between two servers whatever the verdicts are: random ids, digests, and times.
var differing = regexp.MustCompile(`"(from|to)":\d+|[0-9a-f]{24,64}|[A-Za-z0-9_-]{26,` +
	`64}|\d{4}-\d\d-\d\d[T ][0-9:.]+(Z|[+-]\d\d:\d\d)?|\d+:\d\d(:\d\d)?|\d{10,}`)

// reported matches an event of a scoreboard or of the balloons that reports the first accepted submission.
var reported = regexp.MustCompile(`first to solve|<b>bob|"all":true`)

// listen opens a stream. The returned function reads the data of the next event.
func listen(h *webtest.Harness, cookie, path string) func() string {
	h.Helper()
	r := webtest.Must[*http.Request](h)(http.NewRequestWithContext(h.Context(), "GET", h.URL+path, nil))
	r.Header.Set("Cookie", cookie)
	res := webtest.Must[*http.Response](h)(http.DefaultClient.Do(r))
	h.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func() (data string) {
		h.Helper()
		for lines.Scan() {
			if line, is := strings.CutPrefix(lines.Text(), "data: "); is {
				data += line
			} else if data != "" {
				return data
			}
		}
		h.Fatalf("the stream %s ends: %v", path, lines.Err())
		return ""
	}
}

// TestFrozenVerdictsAreSecretOnPages checks that every page, table and stream of a contest is the same for the
// public, other contestants and balloon runners, if two contests differ only in frozen verdicts of a team.
func TestFrozenVerdictsAreSecretOnPages(t *testing.T) {
	const base = "/c/spring"
	readers := []string{"anonymous", "bob", "other", "runner"}
	streams := map[string]string{ // the reader of each stream
		base + "/scoreboard/events?version=0": "bob", "/events?t=" + url.QueryEscape(base+"/scoreboard/events?version=0"): "anonymous",
		base + "/balloons/events": "runner", base + "/news/events": "bob",
	}
	play := func(frozen ...judge.Verdict) (all map[string]string) {
		h := webtest.New(t)
		c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
		c.Freeze = 20 * time.Minute
		if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		all = map[string]string{}
		plain := func(s string) string { return differing.ReplaceAllString(s, "#") }
		send := func(login string, minute int) *store.StoredSubmission {
			team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
			text := []byte("print(1)")
			return webtest.Must[*store.StoredSubmission](t)(h.Store.Submit(t.Context(), store.NewSubmission{
				Contest: c.ID, Team: team.ID, Account: h.Accounts[login].ID, Problem: "sum", Priority: job.ContestPriority, Class: "main",
				At: c.Starts.Add(time.Duration(minute) * time.Minute),
				Work: job.Work{
					Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "sum.py",
					Files: []job.File{{Path: "sum.py", Size: int64(len(text)), Digest: h.StoreBlob(text)}},
				},
			}))
		}
		judged := func(a *store.StoredSubmission, v judge.Verdict) {
			h.RecordJudgement(a, &judge.Finished{Verdict: v, Passed: 1, Judged: 2, Cases: 2})
		}
		early := send("bob", 5)
		var late []*store.StoredSubmission
		for i := range frozen {
			late = append(late, send("ada", 21+i))
		}
		cookies := map[string]string{}
		for _, who := range readers {
			cookies[who] = h.Cookie(who)
		}
		next := map[string]func() string{}
		for path, who := range streams {
			next[path] = listen(h, cookies[who], path)
			all["the first event of "+path] = plain(next[path]())
		}
		for i, a := range late {
			judged(a, frozen[i])
		}
		judged(early, judge.Accepted)
		// Each stream is read until it shows the verdict from before the freeze.
		for path := range streams {
			event := ""
			for !strings.Contains(path, "news") && !reported.MatchString(event) {
				event = strings.ReplaceAll(plain(next[path]()), `\"`, `"`)
			}
			all["the last event of "+path] = event
		}
		for pattern := range webtest.Routes() {
			method, path := filled(pattern, "spring")
			if method != "GET" || !strings.Contains(pattern, "{slug}") || strings.HasSuffix(path, "/events") {
				continue
			}
			for _, who := range readers {
				for _, path := range slices.Compact([]string{path, strings.Replace(path, "/s/1", "/s/2", 1)}) { // of bob and of ada
					got := h.Fetch(cookies[who], "GET", path, nil)
					if got.Header.Get("Content-Type") == "application/zip" { // has the time of the start
						got.Body = fmt.Sprint(len(got.Body))
					}
					all[who+" "+path] = plain(fmt.Sprint(got.Code, " ", got.Header.Get("Location"), " ", len(got.Header), "\n", got.Body))
				}
			}
		}
		all["the home page"] = plain(h.Fetch(cookies["bob"], "GET", "/", nil).Body)
		all["own"] = plain(h.Fetch(h.Cookie("ada"), "GET", base+"/s/2", nil).Body)
		return all
	}
	one := play(judge.WrongAnswer, judge.Accepted)
	for _, frozen := range [][]judge.Verdict{{judge.Accepted, judge.WrongAnswer}, {judge.CompileError, judge.JudgeError}} {
		two := play(frozen...)
		if one["own"] == two["own"] {
			t.Errorf("the team does not see its own verdicts %v", frozen)
		}
		delete(two, "own")
		var wrong []string
		for what, said := range two {
			if said != one[what] {
				wrong = append(wrong, fmt.Sprintf("%s: with %v\n%s\nwith WA, AC\n%s", what, frozen, said, one[what]))
			}
		}
		slices.Sort(wrong)
		if len(wrong) > 0 || len(two) < 60 {
			t.Errorf("%d of %d answers depend on frozen verdicts:\n%s", len(wrong), len(two), strings.Join(wrong, "\n"))
		}
	}
}
