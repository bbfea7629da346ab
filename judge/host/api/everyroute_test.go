package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/api"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// well sends a request that must succeed, and returns a property of the response.
func (h *harness) well(who, method, path string, body any, property string) string {
	h.Helper()
	code, said := h.ask(who, method, path, body)
	if code != 200 && code != 204 {
		h.Errorf("%s %s by %s: %d %s", method, path, who, code, said)
	}
	var answer map[string]any
	_ = json.Unmarshal([]byte(said), &answer) // lists have no properties
	return fmt.Sprint(answer[property])
}

// TestEveryRouteOfCommands successfully calls the routes that other tests call only with errors. All responses are
// compared with the description of the API.
func TestEveryRouteOfCommands(t *testing.T) {
	h := newHarness(t)
	h.intake.RemoveUnused = func(context.Context, []blob.Digest) error { return nil }
	j := h.judging()
	j.end()

	again := h.well("admin", "POST", "/v1/contests/practice/rejudgings", client.NewRejudging{All: true, Reason: "x"}, "id")
	h.well("admin", "GET", "/v1/rejudgings/"+again, nil, "id")
	h.well("admin", "PUT", "/v1/rejudgings/"+again, client.RejudgingUpdate{State: "cancelled"}, "")

	file := manifestOf("text")
	h.give("publish", "text")
	config := h.give("publish", "config")
	h.well("publish", "PUT", "/v1/problems/new", client.NewProblem{Title: "New", Manifest: h.give("publish", file), Config: config}, "slug")

	if err := h.store.NewHole(t.Context(), &store.Hole{Slug: "small", Name: "Small", ProblemSlug: "sum",
		Visibility: store.VisibilityPublic}); err != nil {
		t.Fatal(err)
	}
	h.speaking()
	const text = "echo $(($1 + $2))"
	n := client.NewGolfSubmission{Name: "answer.sh", Blob: client.Blob{Digest: h.give("submit", text), Size: int64(len(text))}}
	number := h.well("submit", "POST", "/v1/holes/small/answers", n, "number")
	h.well("submit", "GET", "/v1/holes/small/answers/"+number, nil, "number")

	publisher, err := h.store.AccountByLogin(t.Context(), "publish")
	if err == nil {
		_, err = h.store.NewWorkflow(t.Context(), strings.Repeat("x", 20), string(workflow.Verify), []byte("{}"), publisher.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.well("publish", "DELETE", "/v1/workflows/"+strings.Repeat("x", 20), nil, "")

	h.well("admin", "POST", "/v1/backup", client.Backup{Name: "monday"}, "dir")
	h.well("admin", "POST", "/v1/move", nil, "lines")
	token := h.well("admin", "POST", "/v1/tokens", client.NewToken{Login: "other", Scopes: []client.Scope{client.Submit}}, "id")
	h.well("admin", "DELETE", "/v1/tokens/"+token, nil, "")
	invitation := h.well("admin", "POST", "/v1/invitations", client.NewInvitation{Uses: 2, Days: 1}, "id")
	h.well("admin", "DELETE", "/v1/invitations/"+invitation, nil, "")
	h.well("admin", "PUT", "/v1/workers/w", client.WorkerUpdate{State: "drained"}, "")
	h.well("admin", "DELETE", "/v1/accounts/other", nil, "")
}

// TestEveryRouteOfContests successfully calls the routes of the Contest API that other tests call only with
// errors, in both versions.
func TestEveryRouteOfContests(t *testing.T) {
	h := newHarness(t)
	h.finalContest()
	for _, v := range clics.Versions {
		base := "/api/" + string(v) + "/contests/wf/"
		for _, typ := range clics.Types {
			if typ == clics.Contest || typ == clics.State || typ == clics.Scoreboard {
				continue
			}
			code, said := h.ask("admin", "GET", base+string(typ), nil)
			var all []struct{ ID string }
			if err := json.Unmarshal([]byte(said), &all); err != nil || code != 200 || len(all) == 0 {
				t.Errorf("%s has %d objects: %d, %v", typ, len(all), code, err)
				continue
			}
			h.well("admin", "GET", base+string(typ)+"/"+all[0].ID, nil, "id")
			if typ == clics.Submissions {
				h.well("admin", "GET", base+"submissions/"+all[0].ID+"/files", nil, "")
				h.well("admin", "GET", base+"submissions/"+all[0].ID+"/files/files.zip", nil, "")
			}
		}
		for _, path := range []string{"state", "access", "account", "commentary", "scoreboard?group_id=g", "event-feed?stream=false"} {
			h.well("admin", "GET", base+path, nil, "")
		}
	}
	h.well("admin", "GET", "/v1/contests/wf/export/package", nil, "")
	h.well("admin", "POST", "/v1/contests/shadow", client.NewShadow{URL: h.URL + "/api/contests/wf", Contest: "mirror"}, "contest")
	h.well("admin", "DELETE", "/v1/contests/mirror/shadow", nil, "contest")
}

// TestEveryWriteToContests writes to a running contest, in both versions.
func TestEveryWriteToContests(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	ago := clics.FormatTime(time.Now().Add(-time.Minute))
	for i, v := range clics.Versions {
		base, name := "/api/"+string(v)+"/contests/wf", fmt.Sprint("own", i)
		files := []any{map[string]string{"data": archiveSchema("a.sh", "echo 1")}}
		h.well("submit", "POST", base+"/submissions", map[string]any{"problem_id": "sum-2026", "language_id": "sh", "files": files}, "id")
		h.well("admin", "PUT", base+"/submissions/"+name, map[string]any{"problem_id": "sum-2026", "language_id": "sh",
			"files": files, "team_id": "8", "time": ago}, "id")
		h.well("submit", "POST", base+"/clarifications", map[string]any{"text": "may I? " + name}, "id")
		h.well("admin", "PUT", base+"/clarifications/"+name, map[string]any{"text": "to all: " + name, "time": ago}, "id")
		h.well("admin", "POST", base+"/awards", map[string]any{"citation": "Fun", "team_ids": []string{"7"}}, "id")
		h.well("admin", "PUT", base+"/awards/"+name, map[string]any{"citation": "Fun", "team_ids": []string{"7"}}, "id")
		h.well("admin", "PATCH", base+"/awards/"+name, map[string]any{"citation": "More fun"}, "id")
		h.well("admin", "DELETE", base+"/awards/"+name, nil, "")
	}
	c, err := h.store.Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.Starts = time.Now().Add(2 * time.Hour)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range clics.Versions {
		h.well("admin", "PATCH", "/api/"+string(v)+"/contests/wf", map[string]any{"id": "wf",
			"start_time": clics.FormatTime(time.Now().Add(3 * time.Hour))}, "id")
	}
}

// TestWritesAreStopped checks requests while the server's data is being moved. Writes must be rejected with a
// request to retry. Reads must still work.
func TestWritesAreStopped(t *testing.T) {
	h := newHarness(t)
	h.store.StopWrites()
	code, said := h.ask("admin", "POST", "/v1/tokens", client.NewToken{Login: "submit", Scopes: []client.Scope{client.Submit}})
	if code != http.StatusServiceUnavailable || !strings.Contains(said,
		`{"error":"the data of this server is being moved to another database"`) {
		t.Errorf("%d %s", code, said)
	}
	r, err := http.NewRequestWithContext(t.Context(), "DELETE", h.URL+"/v1/tokens/"+h.ids["other"], nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", h.as("admin", "DELETE", "/v1/tokens/"+h.ids["other"]))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "5" {
		t.Errorf("%d %v", answer.StatusCode, answer.Header)
	}
	h.well("admin", "GET", "/v1/tokens", nil, "")
}

// TestRetryLater checks which errors of the server make clients repeat a request, and when.
func TestRetryLater(t *testing.T) {
	for _, tt := range []struct {
		err   error
		code  int
		after string
	}{
		{store.ErrUnavailable, 503, "5"}, {store.ErrStopped, 503, "5"}, {blob.ErrAway, 503, "5"}, {store.ErrTooManyWaiting, 503, "10"},
		{store.ErrDiskFull, 503, ""}, {syscall.ENOSPC, 503, ""}, {errors.New("secret"), 500, ""},
	} {
		code, text, after := api.StatusOf(fmt.Errorf("read secret: %w", tt.err))
		if code != tt.code || after != tt.after || strings.Contains(text, "secret") {
			t.Errorf("%v: %d, again after %q: %s", tt.err, code, after, text)
		}
	}
}
