package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/internal/golden"
)

// regional imports a contest with objects of all types.
func (h *harness) regional(starts time.Time, visibility store.Visibility) string {
	h.Helper()
	h.submission("one") // this also publishes the problem
	account := func(login string) *store.Account {
		a, err := h.store.AccountByLogin(h.Context(), login)
		if err != nil {
			h.Fatal(err)
		}
		return a
	}
	id, _, err := h.store.ImportContest(h.Context(), &store.ContestImport{
		Contest: &store.Contest{Slug: "wf", Name: "WF", FormalName: "World Finals", MainGroup: "g", Format: store.ICPC,
			Starts: starts, Length: 5 * time.Hour,
			Freeze: 4 * time.Hour, Visibility: visibility},
		Problems:      []store.NewContestProblem{{Label: "A", Slug: "sum", Color: "#0000ff", ExtID: "sum-2026", ColorName: "blue"}},
		Organizations: []store.Organization{{ID: "u1", Name: "U1", Country: "DEU", Region: "DE-BY", Location: `{"latitude":1,"longitude":2}`}},
		Groups:        []store.Group{{ID: "g", Name: "G", Type: "site"}},
		Teams: []store.Team{{ExtID: "7", Name: "Seven", Label: "B2", Organization: "u1", GroupIDs: []string{"g"}},
			{ExtID: "8", Name: "Hidden", Hidden: true}},
		Persons: []store.ContestPerson{{ID: "p1", Name: "Ada", Email: "ada@x", Role: "contestant", Teams: []string{"7"}}},
		Accounts: []store.ImportedAccount{
			{ID: "t7", Type: "team", Team: "7", Person: "p1", Addresses: []string{"10.0.0.7"}, Account: account("submit")},
			{ID: "j", Type: "judge", Role: "judge", Account: account("publish")},
			{ID: "root", Type: "admin", Role: "contest-admin", Account: account("admin")},
		},
	})
	if err != nil {
		h.Fatal(err)
	}
	h.pictures(id, account("admin"), regionalPictures)
	return id
}

// moment matches the time of a scoreboard, which is the time of the last event.
var moment = regexp.MustCompile(`"time":"[^"]*","contest_time":"[^"]*"`)

// TestContestAPI checks the responses to each kind of client in both versions, before and after the start.
func TestContestAPI(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Date(2126, 5, 1, 10, 0, 0, 0, time.UTC), store.VisibilityPublic)
	var out strings.Builder
	walk := func(title string) {
		for _, version := range []string{"2026-01", "2023-06"} {
			for _, who := range []string{"anonymous", "submit", "publish", "admin"} {
				fmt.Fprintf(&out, "\n== %s, %s, %q\n", title, version, who)
				for _, path := range []string{"", "contests", "contests/wf", "contests/wf/access", "contests/wf/state",
					"contests/wf/account", "contests/wf/judgement-types/MLE", "contests/wf/languages",
					"contests/wf/groups", "contests/wf/organizations", "contests/wf/teams", "contests/wf/teams/8",
					"contests/wf/persons", "contests/wf/accounts", "contests/wf/problems", "contests/wf/problems/sum-2026",
					"contests/wf/awards", "contests/wf/scoreboard", "contests/wf/submissions", "contests/wf/clarifications",
				} {
					code, said := h.ask(who, "GET", "/api/"+version+"/"+path, nil)
					if !json.Valid([]byte(said)) {
						t.Errorf("%s: %s", path, said)
					}
					fmt.Fprintf(&out, "%-32s %d %s\n", path, code, moment.ReplaceAllString(strings.ReplaceAll(strings.TrimSpace(said), "\n", ""), "now"))
				}
			}
		}
	}
	walk("before")
	if code, said := h.ask("other", "GET", "/api/contests/wf/account", nil); code != 404 {
		t.Errorf("an account that is nothing in the contest is %d %s", code, said)
	}
	c, err := h.store.Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.Starts = time.Date(2020, 5, 1, 10, 0, 0, 0, time.UTC)
	c.Thaw, c.Finalized = c.Ends().Add(time.Minute), c.Ends().Add(2*time.Minute)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	walk("after")
	golden.Check(t, "testdata/contestapi.golden", []byte(out.String()))
}

// TestContestAPIAccess checks that a contest is not found by clients that may not see it, and that invalid tokens
// are rejected.
func TestContestAPIAccess(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(time.Hour), store.VisibilityTeams)
	for _, tt := range []struct {
		who, path string
		code      int
		want      string
	}{
		{"anonymous", "", 200, `"version":"2023-06"`},
		{"anonymous", "2026-01", 200, `"version":"2026-01"`},
		{"anonymous", "2026-01/", 200, `"version":"2026-01"`},
		{"anonymous", "2024-01/contests", 404, `{"code":404,"message":"there is no such object"}`},
		{"anonymous", "contests", 200, "[]"},
		{"anonymous", "contests/wf", 404, "there is no such object"},
		{"publish", "contests/wf/account", 200, `"type":"judge"`},
		{"anonymous", "contests/wf/teams", 404, "there is no such object"},
		{"other", "contests/wf", 404, "there is no such object"},
		{"submit", "contests/wf", 200, `"penalty_time":20`},
		{"submit", "2026-01/contests/wf", 200, `"penalty_time":"0:20:00.000"`},
		{"submit", "contests/wf/problems", 200, "[]"},
		{"submit", "contests/wf/problems/sum-2026", 404, "there is no such object"},
		{"publish", "contests/wf/problems/sum-2026", 200, `"id":"sum-2026"`},
		{"submit", "contests/wf/accounts/j", 404, "there is no such object"},
		{"submit", "contests/wf/persons", 404, "there is no such object"},
		{"publish", "contests/wf/persons/p1", 200, `"email":"ada@x"`},
		{"admin", "contests/wf/submissions", 200, "[]"},
		{"admin", "contests/wf/submissions/1", 404, "there is no such object"},
		{"admin", "contests/wf/commentary", 200, "[]"},
		{"admin", "contests/wf/scoreboard?group_id=x", 400, "no group"},
		{"admin", "contests/wf/scoreboard?group_id=g", 200, `"rows":[{"rank":1,"team_id":"7"`},
		{"admin", "contests/wf/teams/7/photo", 404, "there is no such object"},
		{"admin", "contests/wf/access/x", 404, "there is no such object"},
		{"admin", "contests/practice", 404, "there is no such object"},
		{"admin", "contests/none/teams", 404, "there is no such object"},
		{"admin", "contest", 404, "there is no such object"},
	} {
		if code, said := h.ask(tt.who, "GET", "/api/"+tt.path, nil); code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%q asks for %s: %d %s, want %d with %s", tt.who, tt.path, code, said, tt.code, tt.want)
		}
	}
	token := strings.TrimPrefix(h.headers["submit"], "Bearer ")
	for _, tt := range []struct {
		user, password string
		code           int
	}{{"submit", token, 200}, {"admin", token, 401}, {"submit", "wrong", 401}, {"submit", "", 401}} {
		r, err := http.NewRequest(http.MethodGet, h.URL+"/api/contests/wf/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(tt.user, tt.password)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		challenge := answer.Header.Get("WWW-Authenticate")
		if answer.StatusCode != tt.code || (challenge != "") != (tt.code == 401) || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s with %q: %d, %q", tt.user, tt.password, answer.StatusCode, challenge)
		}
	}
}

// TestContestAPIAnnounces checks that every property in a response is announced by the access endpoint.
func TestContestAPIAnnounces(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	for _, version := range []string{"2026-01", "2023-06"} {
		for _, who := range []string{"anonymous", "submit", "publish", "admin"} {
			get := func(path string, into any) int {
				t.Helper()
				code, said := h.ask(who, "GET", "/api/"+version+"/contests/wf"+path, nil)
				if code == 200 {
					if err := json.Unmarshal([]byte(said), into); err != nil {
						t.Fatal(err)
					}
				}
				return code
			}
			var access struct {
				Endpoints []struct {
					Type       string
					Properties []string
				}
			}
			get("/access", &access)
			announced := map[string][]string{}
			for _, e := range access.Endpoints {
				announced[e.Type] = e.Properties
			}
			for _, typ := range []string{"judgement-types", "languages", "groups", "organizations", "persons", "teams", "accounts", "problems"} {
				var all []map[string]any
				if code := get("/"+typ, &all); (code == 200) != (announced[typ] != nil) {
					t.Errorf("%q asks for %s: %d, and access announces %v", who, typ, code, announced[typ])
				}
				for _, o := range all {
					for key := range o {
						if !slices.Contains(announced[typ], key) {
							t.Errorf("%q sees %s of %s, and access announces %v", who, key, typ, announced[typ])
						}
					}
				}
			}
		}
	}
}

// TestContestAPIPasswordsOfStaff checks that if only the jury and administrators may log in with passwords, other
// accounts need an access token.
func TestContestAPIPasswordsOfStaff(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.intake.StaffPasswords = true
	hash, err := h.options.Passwords.Hash(t.Context(), "correct-horse")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, login := range []string{"submit", "other"} {
		a, err := h.store.AccountByLogin(t.Context(), login)
		if err == nil {
			ids[login], err = a.ID, h.store.SetPassword(t.Context(), a.ID, hash)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := h.store.SetRole(t.Context(), ids["other"], string(auth.Judge), []string{"submit"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		user, password string
		code           int
		want           string
	}{
		{"submit", "correct-horse", 403, "only staff can log in with a password on this server: use single sign-on"},
		{"submit", "correct-horse", 403, "only staff"}, // now the password is cached
		{"submit", "wrong", 401, "wrong username or password"},
		{"submit", strings.TrimPrefix(h.headers["submit"], "Bearer "), 200, `"username"`},
		{"other", "correct-horse", 200, `"username"`},
	} {
		r, err := http.NewRequest(http.MethodGet, h.URL+"/api/contests/wf/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(tt.user, tt.password)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != tt.code || !strings.Contains(string(data), tt.want) {
			t.Errorf("%s with %q: %d %s, want %d with %s", tt.user, tt.password, res.StatusCode, data, tt.code, tt.want)
		}
	}
}
