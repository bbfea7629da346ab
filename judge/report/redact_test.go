package report_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/report"
)

// marked returns a judging in which each secret text is unique: SECRET and a number.
func marked() (events []judge.Event, secrets int) {
	secret := func(format string) string {
		secrets++
		return fmt.Sprintf(format, fmt.Sprintf("SECRET%03d", secrets))
	}
	excerpt := func() judge.Excerpt {
		text := secret("%s 1 2\n")
		return judge.Excerpt{Text: text, FirstLine: 1, Size: int64(len(text))}
	}
	group := secret("%s")
	events = append(events,
		&judge.Started{
			Format: judge.EventFormat, Problem: "sum", Title: "Sum", Program: "sol.py", Language: "Python 3",
			TimeMS: 1000, Memory: 1 << 28, Cases: 4, Groups: []string{judge.SampleGroup, group},
			Isolation: "isolated",
		},
		&judge.Noted{Text: secret("the package has a fault: secret/%s.in")},
		&judge.Built{Millis: 3},
		&judge.CaseJudged{Group: judge.SampleGroup, Case: "1", Verdict: judge.Accepted})
	first, slowest := "", ""
	for _, v := range []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.RunTimeError} {
		c := &judge.CaseJudged{
			Group: group, Case: secret("case-%s"), Verdict: v, Exec: judge.Exec{Exit: 42, Signal: secret("SIG%s"), CPU: 1e6},
			Message: secret("want %s"), Note: secret("note %s"), Line: secret("random %s --seed 1"), Dialogue: secret("< %s\n"), Team: "try again",
		}
		if v != judge.Accepted {
			c.Stderr = secret("/secret/%s.in: no such file\n")
			c.Detail = &judge.Detail{Input: excerpt(), Want: excerpt(), Got: excerpt(), Place: &judge.Position{Line: 1, Column: 1}}
		}
		if slowest = c.ID(); first == "" && v != judge.Accepted {
			first = c.ID()
		}
		events = append(events, c)
	}
	return append(events,
		&judge.GroupJudged{Group: group, Verdict: judge.WrongAnswer, Passed: 1, Cases: 3, Message: secret("grader: %s")},
		&judge.UnknownEvent{Kind: "later", Line: []byte(secret(`{"event":"later","text":"%s"}`))},
		&judge.Finished{Verdict: judge.WrongAnswer, Passed: 2, Judged: 4, Cases: 4, First: first, Slowest: slowest, TimeMS: 1, Memory: 1},
	), secrets
}

// TestRedactedDrawings checks that no report on redacted events contains a secret, and that every report contains
// the checker's message for the team.
func TestRedactedDrawings(t *testing.T) {
	drawings := map[string]func(io.Writer) report.Report{
		"JSON":     report.JSON,
		"terminal": func(w io.Writer) report.Report { return report.Terminal(w, report.TerminalOptions{}) },
		"HTML":     report.HTML,
		"JUnit":    report.JUnit,
	}
	mark := regexp.MustCompile(`SECRET\d+`)
	for name, open := range drawings {
		draw := func(events []judge.Event) string {
			var b bytes.Buffer
			r := open(&b)
			for _, e := range events {
				r.Event(e)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		events, secrets := marked()
		for _, show := range judge.VisibilityLevels {
			text := draw(judge.Redact(events, show))
			if seen := mark.FindAllString(text, -1); show == judge.ShowAll && len(seen) < secrets/3 || show != judge.ShowAll && len(seen) > 0 {
				t.Errorf("%s, %s: these of %d secrets are seen: %q", name, show, secrets, seen)
			}
			if name != "JUnit" && !strings.Contains(text, "wrong answer") && !strings.Contains(text, `"WA"`) {
				t.Errorf("%s, %s: the verdict is gone:\n%s", name, show, text)
			}
			if name == "HTML" && show != judge.ShowAll && strings.Contains(text, "0 bytes") {
				t.Errorf("%s, %s: a size that is not told is drawn as 0:\n%s", name, show, text)
			}
			if name != "JUnit" && !strings.Contains(text, "try again") {
				t.Errorf("%s, %s: what the contestant is told is gone:\n%s", name, show, text)
			}
		}
	}
}
