package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/judge/host/client"
)

// TestImport checks that a dry run creates no accounts, and that an import makes exactly the changes in its
// preview.
func TestImport(t *testing.T) {
	h := newHarness(t)
	count := func() int {
		var all []client.AccountInfo
		_, said := h.ask("admin", "GET", client.AccountsPath, nil)
		if err := json.Unmarshal([]byte(said), &all); err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := count()
	list := []byte("Vorname;Name\nJ\xfcrgen;Gro\xdf\n")
	n := client.NewAccounts{List: list, Role: "contestant", DryRun: true}
	code, said := h.ask("admin", "POST", client.AccountsPath, n)
	var s client.CreatedAccounts
	if err := json.Unmarshal([]byte(said), &s); err != nil || code != 200 || len(s.Created) > 0 || s.Preview.New != 1 ||
		s.Preview.Rows[0].Name != "Jürgen Groß" || s.Preview.Digest == "" {
		t.Fatalf("a dry run: %d %s", code, said)
	}
	for _, tt := range []struct {
		what string
		n    client.NewAccounts
		code int
		want string
	}{
		{"another list", client.NewAccounts{List: []byte("Eve"), Role: "contestant", PreviewDigest: s.Preview.Digest}, 409,
			"have changed since the preview"},
		{"another role", client.NewAccounts{List: list, Role: "judge", PreviewDigest: s.Preview.Digest}, 409, "have changed since the preview"},
		{"a row with an error", client.NewAccounts{List: []byte("name,login\nEve,e e"), Role: "contestant"}, 400, "line 2:"},
		{"not a list", client.NewAccounts{List: []byte("a;b"), Role: "contestant"}, 400, "add a line that names the columns"},
	} {
		if code, said := h.ask("admin", "POST", client.AccountsPath, tt.n); code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d %s", tt.what, code, said)
		}
	}
	if now := count(); now != before {
		t.Fatalf("there are %d accounts, and were %d", now, before)
	}
	n.DryRun, n.PreviewDigest = false, s.Preview.Digest
	if code, said := h.ask("admin", "POST", client.AccountsPath, n); code != 200 || !strings.Contains(said, `"username":"jurgen-gross"`) ||
		count() != before+1 {
		t.Errorf("the import: %d %s", code, said)
	}
}

// TestARoleThatIsTaken checks that a reduced role revokes exactly the tokens that exceed the new role.
func TestARoleThatIsTaken(t *testing.T) {
	h := newHarness(t)
	for _, tt := range []struct {
		who, role string
		code      int
	}{
		{"publish", "admin", 200},
		{"publish", "contest-admin", 200},
		{"submit", "contestant", 200},
		{"publish", "judge", 401},
		{"publish", "admin", 401}, // restoring the role does not restore the token
	} {
		if code, said := h.ask("admin", "PUT", client.AccountsPath+"/"+tt.who, client.AccountUpdate{Role: tt.role}); code != 200 {
			t.Fatalf("%+v: %d %s", tt, code, said)
		}
		if code, said := h.ask(tt.who, "GET", client.AccountPath, nil); code != tt.code {
			t.Errorf("%+v: %d %s", tt, code, said)
		}
	}
	if code, said := h.ask("admin", "PUT", client.AccountsPath+"/admin", client.AccountUpdate{Role: "contestant"}); code != 200 {
		t.Fatal(code, said)
	}
	if code, said := h.ask("admin", "GET", client.AccountsPath, nil); code != 401 || !strings.Contains(said, "revoked") {
		t.Errorf("who was admin is answered %d %s", code, said)
	}
}

// TestInvisibleTexts checks that labels with invisible characters are rejected, because labels and titles
// appear on other users' terminals.
func TestInvisibleTexts(t *testing.T) {
	h := newHarness(t)
	for _, label := range []string{"\x1b[2Jred", "two\nlines", "\u202eback"} {
		if code, said := h.ask("admin", "POST", "/v1/tokens",
			client.NewToken{Login: "eve", Label: label, Scopes: []client.Scope{client.Submit}}); code != 400 || !strings.Contains(said, "label") {
			t.Errorf("%q: %d %s", label, code, said)
		}
	}
}
