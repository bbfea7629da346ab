package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
)

// speaking sets the languages of the contest's problem.
func (h *harness) speaking(change ...func(*client.ProblemInfo)) {
	h.Helper()
	all := client.ProblemInfo{Format: client.ProblemInfoFormat, Title: "Sum", Cases: 2,
		Languages: []client.OfferedLanguage{{ID: "sh", Name: "Shell", Extensions: []string{"sh"}}}}
	for _, f := range change {
		f(&all)
	}
	sheet, err := json.Marshal(all)
	must := func(err error) {
		if err != nil {
			h.Fatal(err)
		}
	}
	must(err)
	digest := blob.DigestOf(sheet)
	s, err := h.blobs.Stage(bytes.NewReader(sheet))
	must(err)
	must(s.Commit())
	p, err := h.store.Problem(h.Context(), "sum")
	must(err)
	_, err = h.store.PutBundle(h.Context(), store.NewBundle{Problem: "sum", Title: p.Title, Owner: p.Owner, ID: p.Bundle, Manifest: p.Bundle,
		Config: p.Config, ProblemInfo: digest, MadeBy: p.Owner})
	must(err)
}

func archiveSchema(files ...string) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, _ := z.Create(files[i])
		_, _ = io.WriteString(w, files[i+1])
	}
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// send sends a request with a body and returns the response. Who is a caller or "login:password".
func (h *harness) send(who, method, path, contentType, body string) (*http.Response, string) {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if login, password, basic := strings.Cut(who, ":"); basic {
		r.SetBasicAuth(login, password)
	} else if h.headers[who] != "" {
		r.Header.Set("Authorization", h.headers[who])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		h.Fatal(err)
	}
	return answer, string(data)
}

// TestContestAPIWrites checks valid writes by clients, and the reasons why others are rejected.
func TestContestAPIWrites(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	sources := archiveSchema("a.sh", "echo 1")
	of := func(problem, language, archive, more string) string {
		return fmt.Sprintf(`"problem_id": %q, "language_id": %q, "files": [{"data": %q%s}]`, problem, language, archive, more)
	}
	good := of("sum-2026", "sh", sources, "")
	const submissions, clarifications = "/api/2026-01/contests/wf/submissions", "/api/2026-01/contests/wf/clarifications"
	ago := time.Now().Add(-time.Minute).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
	for _, tt := range []struct {
		who, method, path, body string
		code                    int
		want                    string
	}{
		{"anonymous", "POST", submissions, "{" + good + "}", 401, "logged in"},
		{"other", "POST", submissions, "{" + good + "}", 200, `"id"`},
		{"submit", "POST", submissions, "{" + good + "}", 200, `"problem_id":"sum-2026","team_id":"7"`},
		{"submit", "POST", submissions, `{"team_id": "7", ` + good + "}", 200, `"files":[{"href":"contests/wf/submissions/`},
		{"submit", "POST", submissions, `{"team_id": "8", ` + good + "}", 400, "not yours"},
		{"submit", "POST", submissions, `{"id": "x", ` + good + "}", 400, "leave out id"},
		{"submit", "POST", submissions, `{"time": ` + ago + `, ` + good + "}", 400, "leave out id and time"},
		{"submit", "POST", submissions, `{"contest_time": "0:00:01", ` + good + "}", 400, "contest_time"},
		{"submit", "PUT", submissions + "/x", "{" + good + "}", 403, "administrators"},
		{"submit", "POST", submissions, "{" + of("sum", "sh", sources, "") + "}", 400,
			`no problem with the id \"sum\": contests/wf/problems lists the ids`},
		{"submit", "POST", submissions, "{" + of("sum-2026", "c", sources, "") + "}", 400,
			`no language with the id \"c\": contests/wf/languages lists the ids`},
		{"submit", "POST", submissions, `{"problem_id": "sum-2026", "files": [{"data": "` + sources + `"}]}`, 400, "missing"},
		{"submit", "POST", submissions, `{"problem_id": "sum-2026", "language_id": "sh"}`, 400, "one archive"},
		{"submit", "POST", submissions, "{" + of("sum-2026", "sh", archiveSchema(), "") + "}", 400, "no files"},
		{"submit", "POST", submissions, "{" + of("sum-2026", "sh", "AAAA", "") + "}", 400, "zip"},
		{"submit", "POST", submissions, "{" + of("sum-2026", "sh", sources, `, "mime": "text/plain"`) + "}", 400, "application/zip"},
		{"submit", "POST", submissions, "{" + of("sum-2026", "sh", archiveSchema("a.sh", strings.Repeat("x", 2000)), "") + "}", 413, "too large"},
		{"submit", "POST", submissions, "{" + of("sum-2026", "sh", archiveSchema("../a.sh", "x"), "") + "}", 400, `"message"`},
		{"submit", "POST", submissions, `{`, 400, "JSON"},
		{"admin", "PUT", submissions + "/site1.7", `{"team_id": "8", "time": ` + ago + `, ` + good + "}", 200, `"id":"site1.7"`},
		{"admin", "PUT", submissions + "/site1.7", `{"team_id": "8", "time": ` + ago + `, ` + good + "}", 409, "with this id"},
		{"admin", "PUT", submissions + "/a.", `{"team_id": "8", "time": ` + ago + `, ` + good + "}", 400, "an id has"},
		{"admin", "PUT", submissions + "/a", `{"id": "b", "team_id": "8", "time": ` + ago + `, ` + good + "}", 409, "not that of the address"},
		{"admin", "POST", submissions, `{"team_id": "8", "time": ` + ago + `, ` + good + "}", 200, `"team_id":"8"`},
		{"admin", "POST", submissions, `{"team_id": "9", "time": ` + ago + `, ` + good + "}", 400,
			`no team with the id \"9\": contests/wf/teams lists the ids`},
		{"admin", "POST", submissions, `{"team_id": "8", ` + good + "}", 400, "time is missing"},
		{"admin", "POST", submissions, `{"team_id": "8", "time": "2100-01-01T10:00:00+01", ` + good + "}", 400, "future"},
		{"admin", "POST", submissions, `{"team_id": "8", "time": "2001-01-01T10:00:00Z", ` + good + "}", 400, "before the start"},
		{"admin", "DELETE", submissions + "/1", "", 405, "does not take DELETE"},

		{"submit", "POST", clarifications, `{"text": "Why?", "problem_id": "sum-2026"}`, 200,
			`"id":"1","from_team_id":"7","problem_id":"sum-2026","text":"Why?"`},
		{"submit", "POST", clarifications, `{"text": "Why?", "problem_id": "sum-2026"}`, 409, "a moment ago"},
		{"submit", "POST", clarifications, `{"text": " "}`, 400, "letters"},
		{"submit", "POST", clarifications, `{"text": "a", "to_team_ids": ["8"]}`, 400, "jury alone"},
		{"submit", "POST", clarifications, `{"text": "a", "from_team_id": "8"}`, 400, "not yours"},
		{"other", "POST", clarifications, `{"text": "a"}`, 200, `"id"`}, // its submission has added it to the contest
		{"publish", "POST", clarifications, `{"text": "So.", "reply_to_id": "1", "to_team_ids": ["7"]}`, 200,
			`"to_team_ids":["7"],"reply_to_id":"1"`},
		{"publish", "POST", clarifications, `{"text": "So.", "reply_to_id": "9"}`, 400,
			`no question with the id \"9\": contests/wf/clarifications lists the ids`},
		{"publish", "POST", clarifications, `{"text": "So.", "reply_to_id": "1", "to_team_ids": ["8"]}`, 400, "the team that asks"},
		{"publish", "POST", clarifications, `{"text": "So.", "to_group_ids": ["x"]}`, 400,
			`no group with the id \"x\": contests/wf/groups lists the ids`},
		{"publish", "POST", clarifications, `{"text": "So.", "to_team_ids": ["7", "x"]}`, 400,
			`no team with the id \"x\": contests/wf/teams lists the ids`},
		{"publish", "POST", clarifications, `{"text": "So.", "to_team_ids": []}`, 400, "are empty"},
		{"publish", "POST", clarifications, `{"text": "So.", "to_team_ids": [], "to_group_ids": []}`, 400, "are empty"},
		{"publish", "POST", clarifications, `{"text": "So.", "from_team_id": "7", "to_group_ids": ["g"]}`, 400, "leave out from_team_id"},
		{"admin", "POST", clarifications, `{"text": "So.", "time": ` + ago + `, "from_team_id": "7", "to_group_ids": ["g"]}`, 400,
			"leave out from_team_id"},
		{"submit", "POST", clarifications, `{"text": "a", "to_group_ids": ["g"]}`, 400, "jury alone"},
		{"publish", "POST", clarifications, `{"text": "So.", "to_group_ids": ["g"], "to_team_ids": []}`, 200,
			`"to_group_ids":["g"],"text":"So."`},
		{"publish", "POST", clarifications, `{"text": "So.", "to_group_ids": ["g"], "to_team_ids": ["8", "7"]}`, 200,
			`"to_team_ids":["7","8"],"to_group_ids":["g"]`},
		{"publish", "POST", clarifications, `{"text": "To you and them.", "reply_to_id": "1", "to_team_ids": ["8", "7"]}`, 200,
			`"to_team_ids":["7","8"],"reply_to_id":"1"`},
		{"publish", "POST", clarifications, `{"text": "Of your group.", "reply_to_id": "1", "to_group_ids": ["g"]}`, 200,
			`"to_group_ids":["g"],"reply_to_id":"1"`},
		{"publish", "POST", clarifications, `{"text": "Hi."}`, 200, `"text":"Hi."`},
		{"admin", "PUT", clarifications + "/c7", `{"text": "Ho.", "time": ` + ago + `}`, 200, `"id":"c7","text":"Ho."`},
	} {
		answer, said := h.send(tt.who, tt.method, tt.path, "application/json", tt.body)
		if answer.StatusCode != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s %s by %s: %d %s, want %d with %s\n%s", tt.method, tt.path, tt.who, answer.StatusCode, said, tt.code, tt.want, tt.body)
		}
		if tt.code == 200 {
			if at := answer.Header.Get("Location"); !strings.HasPrefix(at, tt.path) {
				t.Errorf("the location is %q", at)
			} else if again, now := h.send(tt.who, "GET", at, "", ""); again.StatusCode != 200 || now != said {
				t.Errorf("at %s is %d %s, and %s was said", at, again.StatusCode, now, said)
			}
		}
	}
	for query, want := range map[string]int{"?team_id=8": 2, "?team_id=7": 2, "?team_id=7&problem_id=sum-2026": 2,
		"?team_id=": 0, "?problem_id=x": 0, "?strict=1": 5} {
		_, said := h.send("admin", "GET", submissions+query, "", "")
		var all []any
		if err := json.Unmarshal([]byte(said), &all); err != nil || len(all) != want {
			t.Errorf("%s has %d: %v", query, len(all), err)
		}
	}
	answer, files := h.send("admin", "GET", "/api/2026-01/contests/wf/submissions/site1.7/files", "", "")
	z, err := zip.NewReader(strings.NewReader(files), int64(len(files)))
	if answer.Header.Get("Content-Type") != "application/zip" || err != nil || len(z.File) != 1 || z.File[0].Name != "a.sh" {
		t.Errorf("the files are %v, %v", answer, err)
	}
	for _, who := range []string{"anonymous", "submit"} {
		if answer, _ := h.send(who, "GET", "/api/2026-01/contests/wf/submissions/site1.7/files", "", ""); answer.StatusCode != 404 {
			t.Errorf("%s reads the program of another team: %d", who, answer.StatusCode)
		}
	}
}

// TestDOMjudgeSubmit sends the requests that DOMjudge's submit sends.
func TestDOMjudgeSubmit(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	if _, said := h.send("submit", "GET", "/api/contests", "", ""); !strings.Contains(said, `"shortname":"wf"`) {
		t.Errorf("the contests are %s", said)
	}
	if _, said := h.send("submit", "GET", "/api/contests?strict=1", "", ""); strings.Contains(said, "shortname") {
		t.Errorf("strictly, the contests are %s", said)
	}
	form := func(problem, language string) (contentType, body string) {
		var out bytes.Buffer
		w := multipart.NewWriter(&out)
		_ = w.WriteField("problem", problem)
		_ = w.WriteField("language", language)
		_ = w.WriteField("entry_point", "a.sh")
		part, _ := w.CreateFormFile("code[]", "a.sh")
		_, _ = io.WriteString(part, "echo 1")
		_ = w.Close()
		return w.FormDataContentType(), out.String()
	}
	contentType, body := form("sum-2026", "sh")
	answer, said := h.send("submit", "POST", "/api/contests/wf/submissions", contentType, body)
	var got struct {
		ID   string
		Time time.Time
	}
	if err := json.Unmarshal([]byte(said), &got); err != nil || answer.StatusCode != 200 || got.ID == "" || got.Time.IsZero() {
		t.Errorf("%d %s: %v", answer.StatusCode, said, err)
	}
	contentType, body = form("sum-2026", "cobol")
	if answer, said := h.send("submit", "POST", "/api/contests/wf/submissions", contentType, body); answer.StatusCode != 400 ||
		!strings.Contains(said, `no language with the id \"cobol\": contests/wf/languages lists the ids`) {
		t.Errorf("%d %s", answer.StatusCode, said)
	}
}

// TestContestAPIPasswords checks that a client can send a password, must wait after wrong ones, and is rejected
// once the password has changed.
func TestContestAPIPasswords(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	now := time.Now()
	h.intake.Now = func() time.Time { return now } // otherwise the delay could end while a password is checked
	hash, err := auth.NewPasswords().Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.store.AccountByLogin(t.Context(), "submit")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.SetPassword(t.Context(), a.ID, hash); err != nil {
		t.Fatal(err)
	}
	const path = "/api/contests/wf/account"
	loggedIn := func() time.Time {
		t.Helper()
		if a, err = h.store.Account(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		return a.LastLogin
	}
	ask := func(who string, code int) string {
		t.Helper()
		answer, said := h.send(who, "GET", path, "", "")
		if answer.StatusCode != code {
			t.Errorf("%s is %d %s, want %d", who, answer.StatusCode, said, code)
		}
		return said
	}
	before := loggedIn() // by a token
	h.ahead.Store(int64(time.Hour))
	ask("submit:wrong", 401)
	if at := loggedIn(); !at.Equal(before) {
		t.Errorf("after a wrong password, the last login was %v, and before %v", at, before)
	}
	for range 3 {
		if said := ask("submit:correct horse", 200); !strings.Contains(said, `"username":"submit"`) {
			t.Error(said)
		}
	}
	first := loggedIn()
	h.ahead.Store(int64(time.Hour + time.Minute))
	ask("submit:correct horse", 200) // cached, so nothing is written
	if at := loggedIn(); first.Sub(before) < 59*time.Minute || !at.Equal(first) {
		t.Errorf("the last login was %v, and a minute later %v", first, at)
	}
	for range 5 {
		ask("submit:wrong", 401)
	}
	if said := ask("submit:wrong", 429); !strings.Contains(said, "too many wrong passwords") {
		t.Error(said)
	}
	ask("submit:correct horse", 200) // cached, so a client is not locked out by attackers
	if err := h.store.SetPassword(t.Context(), a.ID, ""); err != nil {
		t.Fatal(err)
	}
	ask("submit:correct horse", 429)
	answer, _ := h.send("anonymous", "OPTIONS", path, "", "")
	if answer.StatusCode != 204 || answer.Header.Get("Access-Control-Allow-Headers") != "Authorization" {
		t.Errorf("a browser is told %d %v", answer.StatusCode, answer.Header)
	}
}

// TestContestPatch moves the start, pauses the countdown, and unfreezes the scoreboard.
func TestContestPatch(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(time.Hour), store.VisibilityPublic)
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(`"2006-01-02T15:04:05.000Z"`) }
	patch := func(who, body string, code int, want string) {
		t.Helper()
		answer, said := h.send(who, "PATCH", "/api/2026-01/contests/wf", "application/json", body)
		if answer.StatusCode != code || !strings.Contains(said, want) {
			t.Errorf("%s: %d %s, want %d with %s", body, answer.StatusCode, said, code, want)
		}
	}
	patch("publish", `{"id": "wf", "start_time": null}`, 403, "administrators")
	patch("admin", `{"start_time": null}`, 400, "the id is missing")
	patch("admin", `{"id": "x", "start_time": null}`, 409, "not that of the address")
	patch("admin", `{"id": "wf"}`, 400, "either")
	patch("admin", `{"id": "wf", "start_time": null, "countdown_pause_time": "0:03:38.749"}`, 200,
		`"start_time":null,"countdown_pause_time":"0:03:38.749"`)
	patch("admin", `{"id": "wf", "start_time": null, "countdown_pause_time": "3"}`, 400, "duration")
	patch("admin", `{"id": "wf", "start_time": `+at(10*time.Second)+`}`, 403, "within 30 seconds")
	patch("admin", `{"id": "wf", "start_time": `+at(2*time.Hour)+`, "countdown_pause_time": "0:03:38.749"}`, 400, "start_time is null")
	patch("admin", `{"id": "wf", "start_time": `+at(2*time.Hour)+`}`, 200, `"duration":"5:00:00.000"`)
	patch("admin", `{"id": "wf", "scoreboard_thaw_time": `+at(-time.Hour)+`}`, 403, "before the contest has ended")
	patch("admin", `{"id": "wf", "scoreboard_thaw_time": null}`, 400, "is a time")
	c, err := h.store.Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.Starts = time.Now().Add(-6 * time.Hour)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	patch("admin", `{"id": "wf", "start_time": `+at(2*time.Hour)+`}`, 403, "has begun")
	patch("admin", `{"id": "wf", "scoreboard_thaw_time": `+at(time.Hour)+`}`, 204, "")
	patch("admin", `{"id": "wf", "scoreboard_thaw_time": `+at(-time.Hour)+`}`, 200, `"scoreboard_thaw_time":"20`)
	patch("admin", `{"id": "wf", "scoreboard_thaw_time": `+at(-time.Hour)+`}`, 403, "already")
}

// TestContestAPIAwards creates, changes and deletes awards. The awards that the server computes must remain.
func TestContestAPIAwards(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	const path = "/api/2026-01/contests/wf/awards"
	for _, tt := range []struct {
		who, method, id, body string
		code                  int
		want                  string
	}{
		{"submit", "POST", "", `{"citation": "Best", "team_ids": []}`, 403, "administrators"},
		{"admin", "POST", "", `{"citation": "Best", "team_ids": ["7"]}`, 200, `,"citation":"Best","team_ids":["7"]}`},
		{"admin", "POST", "", `{"id": "x", "citation": "Best", "team_ids": ["7"]}`, 400, "leave out the id"},
		{"admin", "POST", "", `{"citation": "Best"}`, 400, "missing"},
		{"admin", "POST", "", `{"citation": "", "team_ids": []}`, 400, "citation must"},
		{"admin", "POST", "", `{"citation": "Best", "team_ids": ["9"]}`, 400, "no team"},
		{"admin", "PUT", "/fun", `{"citation": "Fun", "team_ids": ["7", "8"]}`, 200, `"team_ids":["7","8"]`},
		{"admin", "PUT", "/fun", `{"id": "x", "citation": "Fun", "team_ids": []}`, 409, "not that of the address"},
		{"anonymous", "GET", "/fun", "", 200, `"team_ids":["7"]`}, // the other team is hidden
		{"admin", "PATCH", "/fun", `{"citation": "More fun"}`, 200, `"citation":"More fun","team_ids":["7","8"]`},
		{"admin", "PATCH", "/none", `{"citation": "More fun"}`, 404, "no such"},
		{"admin", "PUT", "/winner", `{"citation": "I", "team_ids": ["7"]}`, 403, "computes"},
		{"admin", "DELETE", "/winner", "", 403, "computes"},
		{"admin", "DELETE", "/fun", "", 204, ""},
		{"admin", "DELETE", "/fun", "", 404, "no such"},
		{"anonymous", "GET", "/fun", "", 404, "no such"},
		{"anonymous", "GET", "/winner", "", 200, `"team_ids":[]`},
	} {
		answer, said := h.send(tt.who, tt.method, path+tt.id, "application/json", tt.body)
		if answer.StatusCode != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s %s of %s by %s: %d %s, want %d with %s", tt.method, tt.id, tt.body, tt.who, answer.StatusCode, said, tt.code, tt.want)
		}
	}
	// The id of a deleted award is not reused.
	used := map[string]bool{}
	for range 3 {
		answer, said := h.send("admin", "POST", path, "application/json", `{"citation": "Best", "team_ids": []}`)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(said), &made); err != nil || answer.StatusCode != 200 || used[made.ID] || !store.IsExtID(made.ID) {
			t.Fatalf("%d %s after %v, %v", answer.StatusCode, said, used, err)
		}
		used[made.ID] = true
		if answer, said := h.send("admin", "DELETE", path+"/"+made.ID, "", ""); answer.StatusCode != 204 {
			t.Fatalf("%d %s", answer.StatusCode, said)
		}
	}
}

// TestEventFeed reads a feed over HTTP. It checks the initial objects, later changes, and rejected requests.
func TestEventFeed(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	const path = "/api/2026-01/contests/wf/event-feed"
	answer, said := h.send("admin", "GET", path+"?stream=false", "", "")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if answer.Header.Get("Content-Type") != "application/x-ndjson" ||
		!strings.HasPrefix(said, `{"type":"contest","id":null,"data":{"id":"wf"`) || len(lines) < 20 {
		t.Fatalf("the feed is %d %s", answer.StatusCode, said)
	}
	var last struct{ Token string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if _, said := h.send("admin", "GET", path+"?stream=false&types=teams,state", "", ""); strings.Contains(said, "problems") ||
		strings.Count(said, "\n") != 3 {
		t.Errorf("teams and state are %s", said)
	}
	if _, said := h.send("admin", "GET", path+"?stream=false&strict=1", "", ""); strings.Contains(said, `"type":"accounts"`) {
		t.Errorf("strictly, the feed is %s", said)
	}
	for query, code := range map[string]int{"?since_id=999999?strict=1": 400, "?since_token=x": 400, "?types=x": 400,
		"?types=scoreboard": 400} {
		if answer, said := h.send("admin", "GET", path+query, "", ""); answer.StatusCode != code {
			t.Errorf("%s: %d %s", query, answer.StatusCode, said)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+path+"?since_token="+last.Token, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", h.headers["admin"])
	live, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Body.Close()
	h.speaking()
	if answer, said := h.send("submit", "POST", "/api/contests/wf/submissions", "application/json", fmt.Sprintf(
		`{"problem_id": "sum-2026", "language_id": "sh", "files": [{"data": %q}]}`, archiveSchema("a.sh", "x"))); answer.StatusCode != 200 {
		t.Fatal(said)
	}
	var got bytes.Buffer
	for part := make([]byte, 4096); !strings.Contains(got.String(), `"type":"judgements"`); {
		n, err := live.Body.Read(part)
		got.Write(part[:n])
		if err != nil {
			t.Fatalf("%v after %s", err, &got)
		}
	}
	if !strings.Contains(got.String(), `"type":"submissions"`) || strings.Contains(got.String(), `"type":"teams"`) {
		t.Errorf("after a token comes %s", &got)
	}
}
