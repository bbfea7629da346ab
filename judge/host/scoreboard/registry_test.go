package scoreboard_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/scoreboard"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// A harness is a database with a running contest, and a Registry that uses it.
type harness struct {
	*testing.T
	store   *store.Store
	hall    *scoreboard.Registry
	contest *store.Contest
	people  []*store.Account
	teams   []*store.Team
}

var digest = blob.DigestOf([]byte("a bundle"))

func newHarness(t *testing.T) *harness {
	h := &harness{T: t}
	var err error
	h.store, err = store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "test"})
	h.must(err)
	t.Cleanup(func() { h.must(h.store.Close()) })
	for _, name := range []string{"ann", "bob", "cleo", "dan"} {
		a, err := h.store.NewAccount(t.Context(), name, strings.ToUpper(name), store.PersonAccount, "")
		h.must(err)
		h.people = append(h.people, a)
	}
	var problems []store.NewContestProblem
	for i, slug := range []string{"sum", "max"} {
		_, err = h.store.PutBundle(t.Context(), store.NewBundle{
			Problem: slug, Title: "The " + slug, Owner: h.people[0].ID, ID: digest, Manifest: digest, Config: digest, MadeBy: h.people[0].ID,
		})
		h.must(err)
		problems = append(problems, store.NewContestProblem{Label: string(rune('A' + i)), Slug: slug, Color: "red"})
	}
	h.contest = &store.Contest{
		Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(-time.Hour).Truncate(time.Microsecond).UTC(),
		Length: 5 * time.Hour, Visibility: store.VisibilityPublic,
	}
	h.must(h.store.NewContest(t.Context(), h.contest, problems))
	for _, a := range h.people {
		team, err := h.store.Enter(t.Context(), h.contest.ID, a)
		h.must(err)
		h.teams = append(h.teams, team)
	}
	h.hall = h.open()
	return h
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// open creates a Registry, as a server does when it starts.
func (h *harness) open() *scoreboard.Registry {
	return scoreboard.NewRegistry(scoreboard.RegistryOptions{
		Store: h.store, Log: slog.New(slog.NewTextHandler(h.Output(), nil)),
		Frame: func(hd scoreboard.Heading, _ scoreboard.Viewer) (before, after []byte, err error) {
			return []byte("<h1>" + hd.Name + "</h1>"), []byte("<hr>"), nil
		},
	})
}

func (h *harness) submit(person int, problem string) (id string) {
	h.Helper()
	s, err := h.store.Submit(h.Context(), store.NewSubmission{
		Contest: h.contest.ID, Team: h.teams[person].ID, Account: h.people[person].ID, Problem: problem, Priority: job.ContestPriority,
		Class: "main",
		Work: job.Work{
			Kind: job.Submission, Bundle: digest, Config: digest, Problem: problem, Program: "a.py",
			Files: []job.File{{Path: "a.py", Size: 1, Digest: digest}},
		},
	})
	h.must(err)
	return s.ID
}

// verdict records a verdict for one of the contest's pending jobs. The function which returns the index of that
// job, given the number of pending jobs.
func (h *harness) verdict(which func(n int) int, v judge.Verdict) {
	h.Helper()
	h.verdictOf(job.ContestPriority, which, v)
}

func (h *harness) verdictOf(priority job.Priority, which func(n int) int, v judge.Verdict) {
	h.Helper()
	waiting, err := h.store.NextJobs(h.Context(), priority, "main", 1000)
	h.must(err)
	if len(waiting) == 0 {
		return
	}
	s := waiting[which(len(waiting))]
	f, err := h.store.RecordResult(h.Context(), &job.Result{
		Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done, Finished: &judge.Finished{Verdict: v},
	}, "")
	if err != nil || f.Outcome != store.Counted {
		h.Fatalf("%+v, %v", f, err)
	}
}

// truth returns the ranking that a new Registry reads from the database.
func (h *harness) truth(staff bool) []scoring.RankedRow {
	h.Helper()
	l, err := h.open().Scoreboard(h.Context(), h.contest.ID)
	h.must(err)
	_, places, _ := l.Scores(staff)
	return places
}

// agrees waits until the scoreboard of the Registry equals the one in the database.
func (h *harness) agrees() {
	h.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		same := true
		var text string
		for _, staff := range []bool{false, true} {
			l, err := h.hall.Scoreboard(h.Context(), h.contest.ID)
			h.must(err)
			_, got, _ := l.Scores(staff)
			want := h.truth(staff)
			same = same && slices.EqualFunc(got, want,
				func(x, y scoring.RankedRow) bool { return x.Rank == y.Rank && reflect.DeepEqual(x.Row, y.Row) })
			text += fmt.Sprintln("staff:", staff) + dump(got) + "want\n" + dump(want)
		}
		if same {
			return
		}
		if time.Now().After(deadline) {
			h.Fatalf("the board in memory is not the one of the database:\n%s", text)
		}
	}
}

func dump(places []scoring.RankedRow) (text string) {
	for _, p := range places {
		text += fmt.Sprintf("%d %+v %+v\n", p.Rank, *p.Team, p.Cells)
	}
	return text
}

// TestABoardFollowsTheLog checks that, after any sequence of changes in a contest, the scoreboard in memory equals
// the one that a new Registry reads from the database.
func TestABoardFollowsTheLog(t *testing.T) {
	h := newHarness(t)
	h.agrees()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		switch rng.IntN(9) {
		case 0:
			team := *h.teams[rng.IntN(4)]
			team.Hidden, team.ExtraPenalty, team.Name = rng.IntN(3) == 0, time.Duration(rng.IntN(3))*time.Minute, fmt.Sprint("team ", rng.IntN(3))
			h.must(h.store.SetTeam(t.Context(), &team, ""))
		case 1:
			c, err := h.store.Contest(t.Context(), h.contest.ID)
			h.must(err)
			c.Settings.Penalty, c.Freeze = rng.IntN(30), time.Duration(rng.IntN(2))*30*time.Minute
			h.must(h.store.SetContest(t.Context(), c, nil))
		case 2, 3, 4, 5:
			h.submit(rng.IntN(4), []string{"sum", "max"}[rng.IntN(2)])
		default:
			h.verdict(rng.IntN, []judge.Verdict{"AC", "WA", "CE", "JE"}[rng.IntN(4)])
		}
		if i%6 == 0 {
			h.agrees()
		}
	}
	h.agrees()
	// Problems change their labels.
	c, err := h.store.Contest(t.Context(), h.contest.ID)
	h.must(err)
	h.must(h.store.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "max"}}))
	h.agrees()
	// These are more events than are read individually.
	for range 300 {
		h.submit(rng.IntN(4), "max")
		h.verdict(rng.IntN, []judge.Verdict{"AC", "WA"}[rng.IntN(2)])
	}
	h.agrees()
}

func TestNoBoard(t *testing.T) {
	h := newHarness(t)
	for _, id := range []string{store.Practice, "none"} {
		if l, err := h.hall.Scoreboard(t.Context(), id); l != nil || !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the board of %q: %v, %v", id, l, err)
		}
	}
}

// TestServed checks three responses: a page, also unchanged and compressed; an event stream that reports a change
// and ends with the server; and a table.
func TestServed(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { // returns when the context is done
		defer close(ended)
		h.hall.Run(ctx)
	}()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l, err := h.hall.Scoreboard(r.Context(), h.contest.ID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		staff := r.URL.Query().Has("staff")
		switch r.URL.Path {
		case "/scoreboard":
			if known, err := l.ServePage(w, r, scoreboard.Viewer{Jury: staff}); !known {
				http.Error(w, fmt.Sprint(err), http.StatusNotFound)
			}
		case "/events":
			h.hall.ServeEvents(w, r, l, staff)
		case "/csv":
			l.ServeCSV(w, r, staff)
		}
	}))
	defer web.Close()
	get := func(path string, headers ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+path, nil)
		h.must(err)
		req.Header.Set("Accept-Encoding", "identity")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		h.must(err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		h.must(err)
		return resp, string(body)
	}
	page, body := get("/scoreboard")
	if page.StatusCode != 200 || !strings.HasPrefix(body, "<h1>Spring</h1>") || !strings.HasSuffix(body, "<hr>") ||
		strings.Count(body, `<tr id="t-`) != 4 {
		t.Errorf("%s\n%s", page.Status, body)
	}
	if again, body := get("/scoreboard", "If-None-Match", page.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("the same page again: %s %q", again.Status, body)
	}
	if other, _ := get("/scoreboard", "If-None-Match", `"other"`); other.StatusCode != 200 {
		t.Errorf("another page than the known one: %s", other.Status)
	}
	zipped, packed := get("/scoreboard", "Accept-Encoding", "br;q=1.0, gzip;q=0.8")
	r, err := gzip.NewReader(strings.NewReader(packed))
	h.must(err)
	if plain, err := io.ReadAll(r); zipped.Header.Get("Content-Encoding") != "gzip" || err != nil || string(plain) != body {
		t.Errorf("compressed: %v, %v\n%s", zipped.Header, err, plain)
	}
	for _, accept := range []string{"br", "gzip;q=0", "gzip; q=0.0", "xgzip"} {
		if plain, _ := get("/scoreboard", "Accept-Encoding", accept); plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("who accepts %q gets %s", accept, plain.Header.Get("Content-Encoding"))
		}
	}
	if none, _ := get("/scoreboard?group=none"); none.StatusCode != http.StatusNotFound {
		t.Errorf("a group that is not there: %s", none.Status)
	}
	if bad, _ := get("/events?version=x"); bad.StatusCode != http.StatusBadRequest {
		t.Errorf("a version that is no number: %s", bad.Status)
	}
	if table, body := get("/csv"); !strings.HasPrefix(table.Header.Get("Content-Type"), "text/csv") || strings.Count(body, "\n") != 5 {
		t.Errorf("the table: %v\n%s", table.Header, body)
	}

	version := strings.SplitN(strings.SplitN(body, `data-version="`, 2)[1], `"`, 2)[0]
	stream, err := http.Get(web.URL + "/events?version=" + version)
	h.must(err)
	defer stream.Body.Close()
	events := make(chan map[string]any)
	go func() { // returns at the end of the stream
		defer close(events)
		for in := bufio.NewReader(stream.Body); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				var e map[string]any
				if json.Unmarshal(data, &e) != nil {
					t.Errorf("no JSON: %s", data)
				}
				events <- e
			}
		}
	}()
	h.submit(1, "sum")
	first := <-events
	if fmt.Sprint(int64(first["from"].(float64))) != version || !strings.Contains(fmt.Sprint(first["rows"]), "BOB") ||
		strings.Contains(fmt.Sprint(first["rows"]), "ANN") {
		t.Errorf("after a submission: %v", first)
	}
	h.verdict(func(int) int { return 0 }, judge.Accepted)
	if second := <-events; second["from"] != first["to"] || !strings.Contains(fmt.Sprint(second["rows"], second["sums"]), "first to solve") {
		t.Errorf("after its verdict: %v", second)
	}
	// A viewer with an unknown version must reload everything.
	other, err := http.Get(web.URL + "/events?version=1")
	h.must(err)
	defer other.Body.Close()
	in := bufio.NewScanner(other.Body)
	for in.Scan() && !strings.HasPrefix(in.Text(), "data: ") {
	}
	if !strings.Contains(in.Text(), `"all":true`) {
		t.Errorf("who comes with another version is told %q", in.Text())
	}
	cancel()
	<-ended
	if e, open := <-events; open {
		t.Errorf("after the end of the server: %v", e)
	}
}
