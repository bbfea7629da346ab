package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// TestSitesOfAPI checks that a judge or a balloon runner of one site reads only the data of the site's teams in
// the Contest API and its feeds. It also checks that such a judge can write only to the site's teams.
func TestSitesOfAPI(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	account := func(login string) *store.Account {
		a, err := h.store.AccountByLogin(t.Context(), login)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	role := func(role string, sites ...string) {
		t.Helper()
		if err := h.store.SetContestRole(t.Context(), account("publish").ID, id, role, sites...); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := h.store.ImportContest(t.Context(), &store.ContestImport{ID: id,
		Groups: []store.Group{{ID: "h", Name: "H", Type: "site"}, {ID: "room", Name: "Room"}},
		Teams:  []store.Team{{ExtID: "nine", Name: "Nine", GroupIDs: []string{"h"}}},
		Persons: []store.ContestPerson{{ID: "p9", Name: "Nina", Role: "contestant", Teams: []string{"nine"}},
			{ID: "p0", Name: "Boss", Role: "staff"}},
		Accounts: []store.ImportedAccount{{ID: "t9", Type: "team", Team: "nine", Account: account("other")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const contest = "/api/2026-01/contests/wf"
	post := func(who, path, body string) (int, string) {
		answer, said := h.send(who, "POST", contest+path, "application/json", body)
		return answer.StatusCode, said
	}
	good := func(who, path, body string) {
		t.Helper()
		if code, said := post(who, path, body); code != 200 {
			t.Fatalf("%s sends %s: %d %s", who, body, code, said)
		}
	}
	program := `{"problem_id": "sum-2026", "language_id": "sh", "files": [{"data": "` + archiveSchema("a.sh", "echo 1") + `"}]}`
	good("submit", "/submissions", program)
	good("other", "/submissions", program)
	good("submit", "/clarifications", `{"text": "asks seven"}`)
	good("other", "/clarifications", `{"text": "asks nine"}`)
	good("admin", "/clarifications", `{"text": "said to both", "to_team_ids": ["7", "nine"], "time": "2026-01-01T10:00:00Z"}`)
	good("admin", "/clarifications", `{"text": "said to h", "to_group_ids": ["h"], "time": "2026-01-01T10:00:00Z"}`)
	good("admin", "/clarifications", `{"text": "said to all", "reply_to_id": "2", "time": "2026-01-01T10:00:00Z"}`)

	// Each endpoint has one object per site.
	endpoints := []struct{ path, seven, nine string }{
		{"/teams", `"id":"7"`, `"id":"nine"`},
		{"/teams/7", `"id":"7"`, ""},
		{"/teams/nine", "", `"id":"nine"`},
		{"/persons", `"id":"p1"`, `"id":"p9"`},
		{"/persons", `"id":"p0"`, ""},
		{"/accounts", `"id":"t7"`, `"id":"t9"`},
		{"/submissions", `"team_id":"7"`, `"team_id":"nine"`},
		{"/submissions/1", `"id":"1"`, ""},
		{"/submissions/2", "", `"id":"2"`},
		{"/submissions/1/files", "a.sh", ""},
		{"/submissions/2/files", "", "a.sh"},
		{"/judgements", `"submission_id":"1"`, `"submission_id":"2"`},
		{"/clarifications", "asks seven", "asks nine"},
		{"/clarifications", "", "said to h"},
		{"/clarifications", `"7"`, `"nine"`},
		{"/clarifications", "said to all", `"reply_to_id":"2"`},
		{"/scoreboard", `"team_id":"7"`, ""},
		{"/scoreboard?group_id=h", "", `"team_id":"nine"`},
		{"/event-feed?stream=false", `"team_id":"7"`, `"team_id":"nine"`},
		{"/event-feed?stream=false", "asks seven", "asks nine"},
	}
	ofJury := "persons accounts clarifications files"
	walk := func(what, path string, seven, nine, jury bool) {
		t.Helper()
		for _, e := range endpoints {
			code, said := h.ask("publish", "GET", contest+e.path, nil)
			if !jury && (strings.Contains(ofJury, strings.Trim(e.path, "/")) || strings.HasSuffix(e.path, "files") ||
				strings.Contains(e.seven, "asks")) {
				seen := said
				if strings.Contains(seen, "asks") || strings.Contains(seen, "a.sh") || strings.Contains(seen, "said to h") {
					t.Errorf("%s at %s: %d %s", what, e.path, code, said)
				}
				continue
			}
			for _, part := range []struct {
				text string
				want bool
			}{{e.seven, seven || e.seven == "said to all" || e.seven == `"id":"p0"`}, {e.nine, nine}} {
				if part.text != "" && strings.Contains(said, part.text) != part.want {
					t.Errorf("%s at %s: want %s %v: %d %s", what, e.path, part.text, part.want, code, said)
				}
			}
			if alone := e.seven == "" && !nine || e.nine == "" && !seven && e.seven != `"id":"p0"`; alone && strings.Count(e.path, "/") > 1 &&
				code != 404 {
				t.Errorf("%s at %s: %d %s", what, e.path, code, said)
			}
		}
	}
	role("judge", "g")
	walk("a judge of g", "", true, false, true)
	_, feed := h.ask("publish", "GET", contest+"/event-feed?stream=false", nil)
	token := feed[strings.LastIndex(feed, `"token":"`)+len(`"token":"`):]
	token, _, _ = strings.Cut(token, `"`)
	resumed := func() int {
		code, _ := h.ask("publish", "GET", contest+"/event-feed?stream=false&since_token="+token, nil)
		return code
	}
	if code := resumed(); code != 200 {
		t.Errorf("its token: %d", code)
	}
	for _, tt := range []struct {
		body string
		code int
		want string
	}{
		{`{"text": "to all"}`, 400, "a judge of a site writes to its teams"},
		{`{"text": "to all", "reply_to_id": "1"}`, 400, "a judge of a site writes to its teams"},
		{`{"text": "no", "to_team_ids": ["nine"]}`, 400, "no team"},
		{`{"text": "no", "to_team_ids": ["7", "nine"]}`, 400, "no team"},
		{`{"text": "no", "to_group_ids": ["h"]}`, 400, "no group"},
		{`{"text": "no", "to_group_ids": ["room"]}`, 400, "no group"},
		{`{"text": "no", "to_team_ids": ["7"], "reply_to_id": "2"}`, 400, "no question"},
		{`{"text": "yes", "to_team_ids": ["7"], "reply_to_id": "1"}`, 200, `"reply_to_id":"1"`},
		{`{"text": "hear", "to_group_ids": ["g"]}`, 200, `"to_group_ids":["g"]`},
	} {
		if code, said := post("publish", "/clarifications", tt.body); code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d %s, want %d %s", tt.body, code, said, tt.code, tt.want)
		}
	}
	role("judge", "h")
	walk("a judge of h", "", false, true, true)
	if code := resumed(); code != 400 {
		t.Errorf("a token of another site: %d", code)
	}
	role("judge", "g", "h")
	walk("a judge of both", "", true, true, true)
	role("runner", "g")
	walk("a runner of g", "", true, false, false)
	role("judge")
	walk("a judge", "", true, true, true)
	role("judge", "g")
	feed = ""
	_, feed = h.ask("publish", "GET", contest+"/event-feed?stream=false", nil)
	token = feed[strings.LastIndex(feed, `"token":"`)+len(`"token":"`):]
	token, _, _ = strings.Cut(token, `"`)
	if _, _, err := h.store.ImportContest(t.Context(), &store.ContestImport{ID: id,
		Teams: []store.Team{{ExtID: "7", Name: "Seven", GroupIDs: []string{"room"}}}}); err != nil {
		t.Fatal(err)
	}
	walk("a judge of g after its team left", "", false, false, true)
	if code := resumed(); code != 400 {
		t.Errorf("a token from before the team left: %d", code)
	}
	// The group is no longer a site, so the account has no role in the contest.
	if _, _, err := h.store.ImportContest(t.Context(), &store.ContestImport{ID: id, Groups: []store.Group{{ID: "g", Name: "G"}}}); err != nil {
		t.Fatal(err)
	}
	for _, typ := range []clics.Type{clics.Persons, "submissions/1/files"} {
		if code, said := h.ask("publish", "GET", fmt.Sprint(contest, "/", typ), nil); code != 404 {
			t.Errorf("%s: %d %s", typ, code, said)
		}
	}
}
