package workspace_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/report"
	"assay/judge/workspace"
)

// telling contains two problems in which each text by the setter occurs once. Their programs and the submission
// repeat everything that they receive.
const telling = `
-- judge.toml --
-- problems/told/problem.toml --
title = "Told"
[limits]
time = "2s"
[reference]
program = "reference.sh"
[checker]
program = "checker.sh"
speaks = "kattis"
args = ["argument-of-the-checker"]
[generator]
program = "generator.sh"
speaks = "plain"
[[group]]
name = "group-of-secrets"
description = "words-about-secrets"
cases = ["word-of-the-line"]
store = false
-- problems/told/reference.sh --
read a; echo answer-to-$a
-- problems/told/generator.sh --
echo input-by-$1
-- problems/told/checker.sh --
echo message-of-the-checker > $3/judgemessage.txt
cat $1 $2 >> $3/judgemessage.txt
echo note-for-the-team > $3/teammessage.txt
echo error-of-the-checker >&2
exit 43
-- problems/told/cases/sample/case-of-the-sample.in --
input-of-the-sample
-- problems/told/cases/sample/case-of-the-sample.ans --
answer-of-the-sample
-- problems/told/cases/other-group/case-by-hand.in --
input-by-hand
-- problems/told/cases/other-group/case-by-hand.ans --
answer-by-hand
-- problems/talk/problem.toml --
title = "Talk"
kind = "interactive"
[limits]
time = "2s"
[interactor]
program = "interactor.sh"
speaks = "kattis"
-- problems/talk/interactor.sh --
cat $1
echo dialogue-of-the-interactor
echo message-of-the-interactor > $3/judgemessage.txt
echo note-for-the-team > $3/teammessage.txt
exit 43
-- problems/talk/cases/sample/case-of-the-sample.in --
input-of-the-sample
-- problems/talk/cases/other-group/case-by-hand.in --
input-by-hand
-- repeats.sh --
while read line; do echo said-$line; echo $line >&2; done
`

// TestWhatAContestantSees judges submissions that fail on every case. It checks that the redacted events, as JSON
// and as a page, do not contain the setter's texts.
func TestWhatAContestantSees(t *testing.T) {
	w, root := contest(t, telling)
	manifest(t, w, "told")
	secrets := []string{
		"argument-of-the-checker", "group-of-secrets", "words-about-secrets", "word-of-the-line", "input-by", "answer-to", "answer-by-hand",
		"other-group", "case-by-hand",
	}
	ofSamples := []string{
		"case-of-the-sample", "input-of-the-sample", "message-of-the",
	}
	for _, id := range []string{"told", "talk"} {
		p, err := w.OpenForJudging(t.Context(), id, workspace.RunOptions{})
		if err != nil {
			t.Fatal(id, err)
		}
		var events []judge.Event
		s := workspace.Submission{Path: filepath.Join(root, "repeats.sh"), Name: "repeats.sh"}
		if _, err := w.Submit(
			t.Context(), p, s, judge.Options{ContinueAfterFailure: true, Jobs: 2},
			func(e judge.Event) { events = append(events, e) },
		); err != nil {
			t.Fatal(err)
		}
		if all := published(t, events, judge.ShowAll); !strings.Contains(all, "input-by") || !strings.Contains(all, "message-of-the") {
			t.Fatalf("%s: the judging tells nothing that could be kept secret:\n%s", id, all)
		}
		for _, show := range judge.VisibilityLevels[:len(judge.VisibilityLevels)-1] {
			text := published(t, events, show)
			hidden := secrets
			if show != judge.ShowSamples {
				hidden = slices.Concat(secrets, ofSamples)
			} else if !strings.Contains(text, "input-of-the-sample") {
				t.Errorf("%s, %s: the sample is not shown", id, show)
			}
			for _, secret := range hidden {
				if at := strings.Index(text, secret); at >= 0 {
					t.Errorf("%s, %s: %s is seen: ...%s", id, show, secret, text[max(0, at-200):min(len(text), at+80)])
				}
			}
		}
	}
}

// published returns what a server shows about a judging: its events and its page.
func published(t *testing.T, events []judge.Event, show judge.Visibility) string {
	t.Helper()
	kept := judge.Redact(events, show)
	var b bytes.Buffer
	for _, e := range kept {
		line, err := judge.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if err := report.HTMLFragment(&b, "", kept); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
