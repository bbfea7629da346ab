package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/store"
)

// listed lists the account types of a contest package, with the type and the capabilities that the Contest API
// sends.
var listed = []struct{ typ, sent, capabilities string }{
	{"team", "team", `"team_submit","post_clar"`},
	{"judge", "judge", `"post_clar"`},
	{"admin", "admin", `"contest_start","contest_thaw","admin_submit","admin_clar"`},
	{"analyst", "analyst", ""},
	{"staff", "staff", ""},
	{"balloon", "staff", ""},
	{"proxy", "staff", `"proxy_submit","proxy_clar"`},
	{"cds", "admin", ""},
	{"shadow", "admin", ""},
}

var submissionID = regexp.MustCompile(`"id":"([0-9]+)"`)

// TestImportedRoles imports an account of each type, and sends requests as each of them.
func TestImportedRoles(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityTeams)
	h.speaking()
	var accounts []string
	for _, a := range listed {
		team := ""
		if a.typ == "team" {
			team = `, "team_id": "8"`
		}
		accounts = append(accounts, fmt.Sprintf(`{"id": "x-%s", "username": "x-%s", "password": "correct-horse", "type": %q%s}`, a.typ, a.typ,
			a.typ, team))
	}
	files := map[string][]byte{"accounts.json": []byte("[" + strings.Join(accounts, ",\n") + "]")}
	if code, said := h.ask("admin", "POST", client.ContestsPath, client.ContestImport{Files: files, Contest: "wf"}); code != http.StatusOK {
		t.Fatalf("%d %s", code, said)
	}
	good := `"problem_id": "sum-2026", "language_id": "sh", "files": [{"data": "` + archiveSchema("a.sh", "echo 1") + `"}]`
	const contest = "/api/2026-01/contests/wf"
	ask := func(typ, method, path, body string) (int, string) {
		answer, said := h.send("x-"+typ+":correct-horse", method, path, "application/json", body)
		return answer.StatusCode, said
	}
	if code, said := h.ask("submit", "POST", contest+"/submissions", nil); code == http.StatusOK {
		t.Fatal(said)
	}
	answer, said := h.send("submit", "POST", contest+"/submissions", "application/json", "{"+good+"}")
	if answer.StatusCode != http.StatusOK {
		t.Fatal(said)
	}
	id := submissionID.FindStringSubmatch(said)[1]
	for _, a := range listed {
		if code, said := ask(a.typ, "GET", contest+"/access", ""); code != http.StatusOK ||
			!strings.Contains(said, `"capabilities":[`+a.capabilities+`]`) {
			t.Errorf("%s may do: %d %s", a.typ, code, said)
		}
		if code, said := ask(a.typ, "GET", contest+"/account", ""); code != http.StatusOK || !strings.Contains(said, `"type":"`+a.sent+`"`) {
			t.Errorf("%s is: %d %s", a.typ, code, said)
		}
		insider := strings.Contains("judge admin staff cds shadow", a.typ)
		if code, _ := ask(a.typ, "GET", contest+"/persons", ""); (code == http.StatusOK) != insider {
			t.Errorf("%s sees persons: %d", a.typ, code)
		}
		if code, _ := ask(a.typ, "GET", contest+"/submissions/"+id+"/files", ""); (code == http.StatusOK) != (insider || a.typ == "analyst") {
			t.Errorf("%s reads a program of team 7: %d", a.typ, code)
		}
		_, said := ask(a.typ, "GET", contest+"/accounts", "")
		if strings.Contains(said, `"ip":"10.0.0.7"`) != (a.sent == "admin") || strings.Contains(said, "password") {
			t.Errorf("%s sees the accounts %s", a.typ, said)
		}
		if all := strings.Count(said, `"id"`); insider && all != 3+len(listed) || !insider && all != 1 {
			t.Errorf("%s sees %d accounts: %s", a.typ, all, said)
		}
		for what, body := range map[string]string{"submissions": "{" + good + "}", "clarifications": `{"text": "by ` + a.typ + `"}`} {
			code, said := ask(a.typ, "POST", contest+"/"+what, body)
			switch writes := a.capabilities != ""; {
			case !writes && (code != http.StatusForbidden || !strings.Contains(said, "does not write")):
				t.Errorf("%s posts %s: %d %s", a.typ, what, code, said)
			case a.typ == "proxy" && (code != http.StatusBadRequest || !strings.Contains(said, "a proxy writes for a team")):
				t.Errorf("%s posts %s of no team: %d %s", a.typ, what, code, said)
			case a.typ == "team" && code != http.StatusOK:
				t.Errorf("%s posts %s: %d %s", a.typ, what, code, said)
			}
		}
		if code, said := ask(a.typ, "PATCH", contest, `{"id": "wf", "start_time": null}`); a.typ != "admin" && code != http.StatusForbidden {
			t.Errorf("%s moves the start: %d %s", a.typ, code, said)
		}
	}
}

// TestProxy checks that a proxy can submit and send clarification requests for each team, and sees only what the
// public sees.
func TestProxy(t *testing.T) {
	h := newHarness(t)
	contestID := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	files := map[string][]byte{"accounts.json": []byte(`[{"id": "site", "username": "site", "password": "correct-horse", "type": "proxy"}]`)}
	if code, said := h.ask("admin", "POST", client.ContestsPath, client.ContestImport{Files: files, Contest: "wf"}); code != http.StatusOK {
		t.Fatalf("%d %s", code, said)
	}
	const submissions, clarifications = "/api/2026-01/contests/wf/submissions", "/api/2026-01/contests/wf/clarifications"
	good := `"problem_id": "sum-2026", "language_id": "sh", "files": [{"data": "` + archiveSchema("a.sh", "echo 1") + `"}]`
	post := func(method, path, body string, code int, want string) {
		t.Helper()
		answer, said := h.send("site:correct-horse", method, path, "application/json", body)
		if answer.StatusCode != code || !strings.Contains(said, want) {
			t.Errorf("%s %s %s: %d %s, want %d with %s", method, path, body, answer.StatusCode, said, code, want)
		}
	}
	for range 15 { // the rate limit of teams does not apply
		post("POST", submissions, `{"team_id": "7", `+good+"}", 200, `"team_id":"7"`)
	}
	post("POST", submissions, `{"team_id": "8", `+good+"}", 200, `"team_id":"8"`) // a team that the public does not see
	post("POST", submissions, `{"team_id": "9", `+good+"}", 400, "no team")
	post("POST", submissions, `{"team_id": "7", "time": "2026-01-01T00:00:00Z", `+good+"}", 400, "leave out id and time")
	post("PUT", submissions+"/x", `{"team_id": "7", `+good+"}", 403, "administrators")
	post("POST", clarifications, `{"from_team_id": "7", "text": "Is 0 even?"}`, 200, `"from_team_id":"7"`)
	post("POST", clarifications, `{"from_team_id": "9", "text": "Is 0 even?"}`, 400, "no team")
	post("POST", clarifications, `{"from_team_id": "7", "to_team_ids": ["8"], "text": "psst"}`, 400, "to the jury alone")
	post("GET", clarifications, "", 200, "[]")
	if _, said := h.send("site:correct-horse", "GET", submissions, "", ""); strings.Contains(said, `"team_id":"8"`) ||
		strings.Contains(said, "files") || strings.Count(said, `"team_id":"7"`) != 15 {
		t.Errorf("a proxy sees %s", said)
	}
	c, err := h.store.Contest(t.Context(), contestID)
	if err != nil {
		t.Fatal(err)
	}
	move := func(starts time.Time) {
		t.Helper()
		c.Starts = starts
		if err := h.store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	move(time.Now().Add(-5*time.Hour - time.Minute))
	post("POST", submissions, `{"team_id": "7", `+good+"}", 403, "is over")
	post("POST", clarifications, `{"from_team_id": "7", "text": "And now?"}`, 403, "is over")
	teams, err := h.store.Teams(t.Context(), contestID)
	if err != nil {
		t.Fatal(err)
	}
	for _, team := range teams {
		if team.ExtraTime = time.Hour; team.ExtID == "7" {
			if err := h.store.SetTeam(t.Context(), team, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	post("POST", submissions, `{"team_id": "7", `+good+"}", 200, `"team_id":"7"`) // this team has extra time
	post("POST", submissions, `{"team_id": "8", `+good+"}", 403, "is over")
	for range 100 - 15 - 1 { // until 100 are pending
		post("POST", submissions, `{"team_id": "7", `+good+"}", 200, `"team_id":"7"`)
	}
	post("POST", submissions, `{"team_id": "7", `+good+"}", 429, "limit reached: 100 pending submissions for each team")
	move(time.Now().Add(time.Hour))
	post("POST", submissions, `{"team_id": "7", `+good+"}", 403, "has not begun")
}

// TestLockedAddress checks that, with lock_address, an account whose team has an address is rejected at every
// other address, both with its token and with its password.
func TestLockedAddress(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic) // account submit must connect from 10.0.0.7
	files := map[string][]byte{"accounts.json": []byte(`[{"id": "x", "username": "x", "password": "correct-horse", "type": "team", ` +
		`"team_id": "8", "ip": "10.0.0.8"}]`)}
	if code, said := h.ask("admin", "POST", client.ContestsPath, client.ContestImport{Files: files, Contest: "wf"}); code != http.StatusOK {
		t.Fatalf("%d %s", code, said)
	}
	for _, locked := range []bool{false, true} {
		h.intake.LockAddress = locked
		for _, tt := range []struct {
			who, path string
			refused   bool
		}{
			{"submit", client.AccountPath, true}, {"submit", "/api/contests/wf/account", true},
			{"x:correct-horse", "/api/contests/wf/account", true},
			{"publish", "/api/contests/wf/account", false}, {"admin", client.AccountPath, false}, {"anonymous", "/api/contests/wf", false},
		} {
			want := http.StatusOK
			if locked && tt.refused {
				want = http.StatusForbidden
			}
			if answer, said := h.send(tt.who, "GET", tt.path, "", ""); answer.StatusCode != want ||
				want != 200 && !strings.Contains(said, "only at the computer of its team") {
				t.Errorf("locked %v, %s asks for %s: %d %s", locked, tt.who, tt.path, answer.StatusCode, said)
			}
		}
	}
}
