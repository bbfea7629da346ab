package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/judge/host/client"
)

// TestOneWhoFloods: a contestant has only so many submissions that wait; an administrator cancels
// them, and those of nobody else.
func TestOneWhoFloods(t *testing.T) {
	h := newHouse(t)
	n := h.submission("")
	h.give("other", "program")
	send := func(who string) (int, string) {
		t.Helper()
		n.Key += "x"
		return h.ask(who, "POST", client.SubmissionsPath, n)
	}
	for i := range 100 {
		if code, said := send("submit"); code != 200 {
			t.Fatal(i, code, said)
		}
	}
	if code, said := send("submit"); code != 429 || !strings.Contains(said, "100 of your submissions are not judged yet") {
		t.Errorf("the next is answered %d %s", code, said)
	}
	if code, said := send("other"); code != 200 {
		t.Errorf("another's is answered %d %s", code, said)
	}
	for query, want := range map[string]int{"": 400, "?login=nobody": 404, "?problem=none": 404, "?login=submit&problem=none": 404} {
		if code, said := h.ask("admin", "DELETE", client.SubmissionsPath+query, nil); code != want {
			t.Errorf("%q is answered %d %s, want %d", query, code, said, want)
		}
	}
	for query, want := range map[string]int{"?login=submit": 100, "?login=other&problem=sum": 1} {
		code, said := h.ask("admin", "DELETE", client.SubmissionsPath+query, nil)
		var done client.Cancelled
		if err := json.Unmarshal([]byte(said), &done); err != nil || code != 200 || done.Submissions != want {
			t.Errorf("%q is answered %d %s, want %d", query, code, said, want)
		}
	}
	if code, said := send("submit"); code != 200 {
		t.Errorf("after that one is answered %d %s", code, said)
	}
	entries, err := h.store.Audited(t.Context(), "", 10)
	if err != nil || !strings.Contains(fmt.Sprint(entries), "100 submissions") {
		t.Errorf("the audit says %+v, %v", entries, err)
	}
}
