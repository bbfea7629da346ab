package contest

import (
	"fmt"
	"strings"
	"testing"
)

// TestThreads checks that answers are listed below their requests, and that the jury sees unanswered requests
// first.
func TestThreads(t *testing.T) {
	ask := func(n int64, open bool) clarificationLine { return clarificationLine{Number: n, Open: open} }
	reply := func(n, to int64) clarificationLine {
		return clarificationLine{Number: n, Jury: true, ReplyTo: to, Question: "quoted"}
	}
	for _, row := range []struct {
		what    string
		list    []clarificationLine // newest first
		waiting bool
		want    string
	}{
		{"nothing", nil, true, ""},
		{"open questions of a team", []clarificationLine{ask(3, true), ask(2, true), reply(1, 0)}, false, "3 2 1 quoted"},
		{"open questions for the jury", []clarificationLine{ask(3, true), reply(2, 0), ask(1, true)}, true, "1 3 2 quoted"},
		{"answers in order", []clarificationLine{reply(5, 1), reply(4, 2), reply(3, 1), ask(2, false), ask(1, false)}, true, "1(3 5) 2(4)"},
		{"an answer without its question", []clarificationLine{reply(9, 4), ask(8, true)}, true, "8 9 quoted"},
	} {
		var got []string
		for _, c := range groupThreads(row.list, row.waiting) {
			text := fmt.Sprint(c.Number)
			var below []string
			for _, r := range c.Replies {
				below = append(below, strings.TrimSpace(fmt.Sprint(r.Number, " ", r.Question)))
			}
			if len(below) > 0 {
				text += "(" + strings.Join(below, " ") + ")"
			}
			got = append(got, strings.TrimSpace(text+" "+c.Question))
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%s: %q, want %q", row.what, text, row.want)
		}
	}
}
