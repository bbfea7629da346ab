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
