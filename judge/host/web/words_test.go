package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// oldWords matches terms that the pages replaced by those of contest organizers.
var oldWords = regexp.MustCompile(`(?i)\b(slips?|shut out|let in|logins?|bring|brought|judge again|look again|take back|taken back|for ` +
	`ever|staff|who takes part)\b`)

// TestWordsOfPages checks that each page has a heading, at most one filled button, the right tabs, and no retired
// terms.
func TestWordsOfPages(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	h.Intake.Registration = auth.Open
	admin := h.Cookie("admin")
	made := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{"all": {"yes"}, "why": {"a wrong answer file"}})
	if made.Code != 303 {
		t.Fatalf("create a rejudging: %d\n%s", made.Code, made.Body)
	}
	h.Fetch(admin, "POST", "/admin/invitations", url.Values{"note": {"class 7b"}, "uses": {"40"}, "days": {"7"}})
	h.Fetch(admin, "POST", "/admin/accounts/bob", url.Values{"do": {"disable"}})
	for path, says := range map[string][]string{
		"/account":       {"Create token", "Change password", "No access tokens yet", "this session", "Delete account…"},
		"/account/erase": {"Delete your account", "Type admin to confirm", "Delete account"},
		"/admin/accounts": {"People", "Accounts Import Invitations", "Change accounts", "Create new passwords", "Enable accounts",
			"Disable accounts", "Contest administrator", "disabled", "active"},
		"/admin/accounts/ada":       {"Save role", "Create new password", "Disable account", "Delete account…"},
		"/admin/accounts/bob":       {"Enable account", "disabled"},
		"/admin/accounts/ada/erase": {"Delete account", "Type ada to confirm", "verdicts and ranks on scoreboards"},
		"/admin/import":             {"Import people", "Accounts Import Invitations", "Check list", "Print login sheets"},
		"/admin/invitations":        {"Invitations", "Anyone with the link can create a contestant account", "0 of 40", "Revoke link", "active"},
		"/admin/workers":            {"Workers Audit log", "No worker is connected", "Backups"},
		"/admin/audit":              {"Audit log", "Download CSV", "change account"},
		"/admin/audit?who=judge":    {"No entries match", "Clear filters"},
		"/c/now/teams": {"1 team · 1 person", "Import teams", "Download CSV", "Edit teams", "Change teams", "Remove teams…",
			"New login sheets…", "1–1 of 1"},
		"/c/now/teams?q=absent":     {"No team matches", "Clear filters"},
		"/c/now/teams/edit?t=1":     {"Edit 1 team", "Extra penalty (min)", "Save changes"},
		"/c/now/teams/remove?t=1":   {"Remove 1 team", "cannot be removed, because it has 1 submission", "Hide the team"},
		"/c/now/teams/login-sheets": {"New login sheets", "Replace the passwords of all 1 team", "Create new passwords"},
		"/c/now/import":             {"Import teams", "Check list"},
		"/c/now/finalize": {"Final results", "of 5 checks are open", "The contest has not ended", "1 rejudging is open",
			"All clarification requests are answered", "Check again"},
		"/c/now/rejudgings": {"Create rejudging", "Verdicts do not change until you apply the rejudging", "0 of 1"},
		made.Get("Location"): {"Rejudging: a wrong answer file", "Cancel rejudging", "0 of 1 submissions are judged",
			"No verdict changes so far"},
		"/problems":    {"Problems", "1 problem on this server", "Upload a problem package", "Upload package"},
		"/problem/sum": {"Versions", "current", "Practice"},
	} {
		page := h.Fetch(admin, "GET", path, nil)
		webtest.CheckHTML(t, path, page.Body)
		_, body, _ := strings.Cut(page.Body, "<main")
		body, _, _ = strings.Cut(body, "</main>")
		text := webtest.Text("<main" + body)
		for _, want := range says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", path, want, text)
			}
		}
		if old := oldWords.FindString(strings.NewReplacer("login sheets", "", "Last login", "", "last login", "").Replace(text)); old != "" {
			t.Errorf("%s says %q:\n%s", path, old, text)
		}
		if !strings.Contains(body, `<div class="head">`) {
			t.Errorf("%s has no head:\n%s", path, body)
		}
		if filled := len(regexp.MustCompile(`class="(btn )?main"`).FindAllString(body, -1)); filled > 1 {
			t.Errorf("%s has %d filled buttons", path, filled)
		}
	}
	for path, says := range map[string]string{"/login": "Username", "/register": "Repeat password"} {
		page := h.Fetch("", "GET", path, nil)
		webtest.CheckHTML(t, path, page.Body)
		if text := webtest.Text(page.Body); page.Code != 200 || !strings.Contains(text, says) {
			t.Errorf("%s: %d does not say %q:\n%s", path, page.Code, says, text)
		}
	}
	// The jury sees no tabs for pages that it may not open.
	if page := h.Fetch(h.Cookie("judge"), "GET", "/admin/workers", nil); page.Code != 200 ||
		strings.Contains(page.Body, `href="/admin/audit"`) {
		t.Errorf("the jury has a tab of the audit log: %d\n%s", page.Code, page.Body)
	}
}

// TestTimesInSentences checks that a time that may be shown as "in 39 min" does not follow a word such as "at".
func TestTimesInSentences(t *testing.T) {
	files, err := filepath.Glob("*/templates/*.html")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	relative := regexp.MustCompile(`\b(since|at|until|from|to) (<b>)?\{\{template "time"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := relative.FindString(string(text)); found != "" {
			t.Errorf("%s has %q: use the template date", file, found)
		}
	}
}
