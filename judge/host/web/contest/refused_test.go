package contest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// sure returns the fields of a form that also confirms the password.
func sure(pairs ...string) map[string]string {
	fields := map[string]string{"sure-password": "correct-horse"}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	return fields
}

// TestRefusedForms checks the pages of refused forms with webtest.RefusedField.
func TestRefusedForms(t *testing.T) {
	h, golf := webtest.New(t), webtest.New(t) // a hole of a problem is closed while a contest with the problem runs
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Languages: []string{"py"}, Printing: true})
	golf.Hole("nim")
	h.Ladder("hill", store.VisibilityAccounts, true)
	empty := &store.Ladder{Slug: "empty", Name: "Empty", Problem: "sum", ChosenRules: []byte("{}"), Visibility: store.VisibilityPublic,
		PerAccount: 1, Owner: h.Accounts["admin"].ID}
	if err := h.Store.NewLadder(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	h.Contest("bare", time.Hour, store.VisibilityAccounts, store.Settings{})
	h.Submit(c, "ada")
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	long := strings.Repeat("x", 2001)
	for name, tt := range map[string]struct {
		login, path   string
		fields, files map[string]string // files are nil for a form without files
		field, typed  string            // typed is what the page keeps
	}{
		"a program in no language": {"ada", "/c/now/p/A", map[string]string{"text": "print(17)"}, map[string]string{}, "language",
			"print(17)</textarea>"},
		"a language that is another": {"ada", "/c/now/p/A", map[string]string{"text": "echo 17", "language": "sh"}, map[string]string{},
			"language", "echo 17</textarea>"},
		"nothing to submit": {"ada", "/c/now/p/A", map[string]string{"language": "py"}, map[string]string{}, "file",
			`value="py" data-ext="py" selected`},
		"a file of no language":      {"ada", "/c/now/p/A", nil, map[string]string{"a.exe": "x"}, "language", ""},
		"a file that is not allowed": {"ada", "/c/now/p/A", nil, map[string]string{"a.sh": "x"}, "language", ""},
		"an empty file":              {"ada", "/c/now/p/A", nil, map[string]string{"a.py": ""}, "file", ""},
		"a file and a text": {"ada", "/c/now/p/A", map[string]string{"text": "x17"}, map[string]string{"a.py": "x"}, "file",
			"x17</textarea>"},
		"too large a program": {"ada", "/c/now/p/A", nil, map[string]string{"a.py": strings.Repeat("x", 1001)}, "file", ""},
		"a huge program":      {"ada", "/c/now/p/A", nil, map[string]string{"a.py": strings.Repeat("x", 1<<20)}, "file", ""},
		"golf in no language": {"ada", "/hole/nim", map[string]string{"text": "lambda:17"}, map[string]string{}, "language",
			"lambda:17</textarea>"},
		"no golf": {"ada", "/hole/nim", map[string]string{"flags": "-p"}, map[string]string{}, "text", `value="-p"`},
		"golf with bad flags": {"ada", "/hole/nim", map[string]string{"text": "x17", "language": "py", "flags": "-cprint(1)"},
			map[string]string{}, "flags", "x17</textarea>"},
		"golf twice": {"ada", "/hole/nim", map[string]string{"text": "x17"}, map[string]string{"a.py": "x"}, "file",
			"x17</textarea>"},
		"huge golf": {"ada", "/hole/nim", nil, map[string]string{"a.py": strings.Repeat("x", 1<<20)}, "file", ""},
		"a bot in no language": {"ada", "/ladder/hill", map[string]string{"name": "b17", "text": "x17"}, map[string]string{}, "language",
			`value="b17"`},
		"a bot without a name":    {"ada", "/ladder/hill", map[string]string{"text": "x17"}, map[string]string{}, "name", "x17</textarea>"},
		"a bot without a program": {"ada", "/ladder/hill", map[string]string{"name": "b17"}, map[string]string{}, "file", `value="b17"`},
		"a huge bot":              {"ada", "/ladder/hill", nil, map[string]string{"a.py": strings.Repeat("x", 1<<20)}, "file", ""},
		"no question":             {"ada", "/c/now/clar", map[string]string{"problem": "A"}, nil, "text", `value="A" selected`},
		"a long question":         {"ada", "/c/now/clar", map[string]string{"text": long}, nil, "text", long + "</textarea>"},
		"a question about nothing": {"ada", "/c/now/clar", map[string]string{"problem": "Z", "text": "why 17?"}, nil, "problem",
			"why 17?</textarea>"},
		"an announcement to no team": {"judge", "/c/now/clar", map[string]string{"to": "chosen", "text": "all 17"}, nil, "to",
			"all 17</textarea>"},
		"no answer": {"judge", "/c/now/clar/1", map[string]string{"to": "team"}, nil, "text", ""},
		"an answer to no team": {"judge", "/c/now/clar/1", map[string]string{"to": "team", "team": "gone", "text": "no 17"}, nil, "to",
			"no 17</textarea>"},
		"a long reply": {"admin", "/c/now/clar/replies", map[string]string{"replies": "yes 17\n" + long}, nil, "replies",
			long + "</textarea>"},
		"no reason":        {"judge", "/c/now/s/1/override", map[string]string{"do": "WA", "was": "0"}, nil, "why", ""},
		"nothing to print": {"ada", "/c/now/print", nil, map[string]string{}, "text", ""},
		"two prints": {"ada", "/c/now/print", map[string]string{"text": "x17"}, map[string]string{"a": "x"}, "file",
			"x17</textarea>"},
		"a rejudging of all":         {"admin", "/c/now/rejudgings", map[string]string{"why": "w17"}, nil, "all", `value="w17"`},
		"a rejudging without reason": {"admin", "/c/now/rejudgings", map[string]string{"who": "ada"}, nil, "why", `value="ada"`},
		"a rejudging of no team":     {"admin", "/c/now/rejudgings", map[string]string{"who": "#x", "why": "w17"}, nil, "who", `value="w17"`},
		"a rejudging of no verdict": {"admin", "/c/now/rejudgings", map[string]string{"verdict": "XX", "why": "w17"}, nil, "verdict",
			`value="w17"`},
		"a rejudging of no time": {"admin", "/c/now/rejudgings", map[string]string{"time": "9", "why": "w17"}, nil, "time", `value="w17"`},
		"a rejudging of no version": {"admin", "/c/now/rejudgings", map[string]string{"version": "abc", "why": "w17"}, nil, "version",
			`value="w17"`},
		"a rejudging against none": {"admin", "/c/now/rejudgings", map[string]string{"problem": "A", "against": "abc", "why": "w17"}, nil,
			"against", `value="w17"`},
		"too many repeats": {"admin", "/c/now/rejudgings", map[string]string{"problem": "A", "repeats": "999", "why": "w17"}, nil,
			"repeats", `value="999"`},
		"a file of no object": {"admin", "/c/now/media", map[string]string{"object": "teams/none", "property": "photo"},
			map[string]string{}, "object", ""},
		"no file": {"admin", "/c/now/media", map[string]string{"object": "contest/", "property": "logo", "tag": "dark"},
			map[string]string{}, "file", `value="dark"`},
		"a bad tag": {"admin", "/c/now/media", map[string]string{"object": "contest/", "property": "logo", "tag": "a b"},
			map[string]string{"a.svg": "x"}, "tag", `value="a b"`},
		"another kind": {"admin", "/c/now/media", map[string]string{"object": "contest/", "property": "photo", "tag": "dark"},
			map[string]string{"a.svg": "x"}, "property", `value="dark"`},
		"no package": {"admin", "/problems", map[string]string{"name": "p17"}, map[string]string{}, "file", `value="p17"`},
		"a package with a bad name": {"admin", "/problems", map[string]string{"name": "P 17"}, map[string]string{"a.zip": "x"}, "name",
			`value="P 17"`},
		"a label of many letters": {"ada", "/account/tokens", map[string]string{"scope": "submit", "label": strings.Repeat("l", 101)}, nil,
			"label", strings.Repeat("l", 101)},
		"another permission": {"ada", "/account/tokens", map[string]string{"scope": "admin", "label": "l17"}, nil, "scope",
			`value="l17"`},
		"a wrong password": {"ada", "/account/password",
			map[string]string{"old": "x", "password": "long-enough", "again": "long-enough"}, nil, "old", ""},
		"a short password": {"ada", "/account/password", map[string]string{"old": "correct-horse", "password": "x", "again": "x"},
			nil, "password", ""},
		"another password": {"ada", "/account/password",
			map[string]string{"old": "correct-horse", "password": "long-enough", "again": "x"}, nil, "again", ""},
		"an invitation for no use": {"admin", "/admin/invitations", map[string]string{"uses": "x", "days": "2", "note": "n17"}, nil, "uses",
			`value="n17"`},
		"an invitation for too many": {"admin", "/admin/invitations", map[string]string{"uses": "99999", "days": "2", "note": "n17"}, nil,
			"uses", `value="99999"`},
		"an invitation for no time":  {"admin", "/admin/invitations", map[string]string{"uses": "3", "days": "x"}, nil, "days", `value="3"`},
		"a contest without a name":   {"admin", "/admin/contests/new", map[string]string{"slug": "s17"}, nil, "name", `value="s17"`},
		"a login without a password": {"", "/login", map[string]string{"login": "l17", "next": "/c/now"}, nil, "password", `value="l17"`},
		"a login without a username": {"", "/login", map[string]string{"login": "l 17", "password": "x", "next": "/c/now"}, nil, "login",
			`value="/c/now"`},
		"a contest to delete":     {"admin", "/c/bare/delete", sure("slug", "x17"), nil, "slug", ""},
		"a hole to delete":        {"admin", "/hole/nim/delete", sure("slug", "x17"), nil, "remove-slug", `id="remove"`},
		"a ladder to delete":      {"admin", "/ladder/empty/delete", sure("slug", "x17"), nil, "remove-slug", `id="remove"`},
		"oneself to delete":       {"ada", "/account/erase", sure("login", "x17"), nil, "login", ""},
		"an account to delete":    {"admin", "/admin/accounts/bob/erase", sure("login", "x17"), nil, "login", ""},
		"new login sheets":        {"admin", "/c/now/teams/login-sheets", sure("t", "1"), nil, "sure", `name="t" value="1"`},
		"no account to change":    {"admin", "/admin/accounts-change", sure("do", "disable"), nil, "rows", ""},
		"an account that is gone": {"admin", "/admin/accounts-change", sure("do", "disable", "account", "gone"), nil, "rows", ""},
		"the caller's account": {"admin", "/admin/accounts-change", sure("do", "disable", "account", "admin"), nil, "rows",
			`value="admin" checked`},
		"no change of an account": {"admin", "/admin/accounts-change", sure("account", "bob"), nil, "do", `value="bob" checked`},
		"a role that is none": {"admin", "/admin/accounts/bob?contest=now", sure("do", "contest-role", "contest", "now", "role", "x"),
			nil, "contest-role", ""},
		"no team to change":   {"admin", "/c/now/teams/change", map[string]string{"do": "hide"}, nil, "rows", `value="hide" selected`},
		"no change of a team": {"admin", "/c/now/teams/change", map[string]string{"t": "1", "value": "v17"}, nil, "do", `value="v17"`},
		"no time for a team": {"admin", "/c/now/teams/change", map[string]string{"t": "1", "do": "extra", "value": "v17"}, nil,
			"value", `value="extra" selected`},
		"a team in no group": {"admin", "/c/now/teams/change", map[string]string{"t": "1", "do": "join"}, nil, "value",
			`value="1" checked`},
		"no team to remove": {"admin", "/c/now/teams/remove", map[string]string{}, nil, "rows", ""},
	} {
		h := h
		if strings.HasPrefix(tt.path, "/hole/") {
			h = golf
		}
		var got webtest.Response
		if tt.files != nil {
			got = h.Upload(h.Cookie(tt.login), tt.path, tt.fields, tt.files)
		} else {
			form := url.Values{}
			for key, value := range tt.fields {
				form.Set(key, value)
			}
			got = h.Fetch(h.Cookie(tt.login), "POST", tt.path, form)
		}
		webtest.RefusedField(t, name, got, tt.field, tt.typed)
	}
	admin := h.Cookie("admin")
	h.Advance(time.Hour) // the login no longer confirms the password
	got := h.Fetch(admin, "POST", "/c/bare/delete", url.Values{"slug": {"s17"}, "sure-password": {"x"}})
	webtest.RefusedField(t, "a wrong confirmation", got, "sure-password", `name="slug" value="s17"`)
}
