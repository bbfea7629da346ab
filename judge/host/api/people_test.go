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
		var all []client.Person
		_, said := h.ask("admin", "GET", client.PeoplePath, nil)
		if err := json.Unmarshal([]byte(said), &all); err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := count()
	list := []byte("Vorname;Name\nJ\xfcrgen;Gro\xdf\n")
	n := client.NewPeople{List: list, Role: "contestant", DryRun: true}
	code, said := h.ask("admin", "POST", client.PeoplePath, n)
	var s client.Slips
	if err := json.Unmarshal([]byte(said), &s); err != nil || code != 200 || len(s.Made) > 0 || s.Preview.New != 1 || s.Preview.Rows[0].Name != "Jürgen Groß" || s.Preview.Digest == "" {
		t.Fatalf("a dry run: %d %s", code, said)
	}
	for _, tt := range []struct {
		what string
		n    client.NewPeople
		code int
		want string
	}{
		{"another list", client.NewPeople{List: []byte("Eve"), Role: "contestant", Seen: s.Preview.Digest}, 409, "have changed since the preview"},
		{"another role", client.NewPeople{List: list, Role: "judge", Seen: s.Preview.Digest}, 409, "have changed since the preview"},
		{"a row with an error", client.NewPeople{List: []byte("name,login\nEve,e e"), Role: "contestant"}, 400, "line 2:"},
		{"not a list", client.NewPeople{List: []byte("a;b"), Role: "contestant"}, 400, "add a line that names the columns"},
	} {
		if code, said := h.ask("admin", "POST", client.PeoplePath, tt.n); code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d %s", tt.what, code, said)
		}
	}
	if now := count(); now != before {
		t.Fatalf("there are %d accounts, and were %d", now, before)
	}
	n.DryRun, n.Seen = false, s.Preview.Digest
	if code, said := h.ask("admin", "POST", client.PeoplePath, n); code != 200 || !strings.Contains(said, `"username":"jurgen-gross"`) || count() != before+1 {
		t.Errorf("the import: %d %s", code, said)
	}
}
