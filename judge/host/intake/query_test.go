package intake_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestChooseTimes checks that contest times in a choice do not include removed intervals.
func TestChooseTimes(t *testing.T) {
	d := newDoor(t)
	start := d.now
	c := &store.Contest{ID: "c", Slug: "autumn", Starts: start, Length: 5 * time.Hour, Settings: store.Settings{
		Removed: []store.Interval{{From: start.Add(time.Hour), To: start.Add(90 * time.Minute)}},
	}}
	const never = time.Duration(-1)
	for text, want := range map[string]struct {
		since, until time.Duration
		wrong        string
	}{
		"":                  {never, never, ""},
		"0:30-0:45":         {30 * time.Minute, 45 * time.Minute, ""},
		" 0:30 \u2013 0:45": {30 * time.Minute, 45 * time.Minute, ""},
		"0:30:15-":          {30*time.Minute + 15*time.Second, never, ""},
		"-2:00":             {never, 150 * time.Minute, ""},
		"1:30-2:00":         {2 * time.Hour, 150 * time.Minute, ""},
		"120:00-":           {120*time.Hour + 30*time.Minute, never, ""},
		"-":                 {0, 0, "is not a range of contest times"},
		"1:00":              {0, 0, "is not a range of contest times"},
		"1-2":               {0, 0, "is not a range of contest times"},
		"1:60-":             {0, 0, "is not a range of contest times"},
		"1:00-x":            {0, 0, "is not a range of contest times"},
		"x-1:00":            {0, 0, "is not a range of contest times"},
		"1:00-2:00-3:00":    {0, 0, "is not a range of contest times"},
		"1:00:00:00-":       {0, 0, "is not a range of contest times"},
		"99999999999:00-":   {0, 0, "is not a range of contest times"},
		"1:00-1:00":         {0, 0, "ends before it begins"},
		"2:00-1:00":         {0, 0, "ends before it begins"},
	} {
		f, err := d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Time: text})
		if want.wrong != "" {
			if got, text := code(t, err); got != 400 || !strings.Contains(text, want.wrong) {
				t.Errorf("%q: %d %q, want %q", text, got, text, want.wrong)
			}
			continue
		}
		at := func(d time.Duration) time.Time {
			if d == never {
				return time.Time{}
			}
			return start.Add(d)
		}
		if err != nil || !f.Since.Equal(at(want.since)) || !f.Until.Equal(at(want.until)) {
			t.Errorf("%q: %s to %s (%v), want %s to %s", text, f.Since, f.Until, err, at(want.since), at(want.until))
		}
	}
	c.Starts = time.Time{}
	if got, text := code(t, second(d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Time: "1:00-"}))); got != 400 ||
		!strings.Contains(text, "no start time yet") {
		t.Errorf("before there is a start: %d %q", got, text)
	}
}

// TestChooseOneOf checks that a choice can select a submission by its number and a group by its name.
func TestChooseOneOf(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityAccounts, auth.Running, store.Settings{})
	for who, want := range map[string]int64{"#7": 7, " #7 ": 7, "7": 0, "#0": -1, "#x": -1, "#": -1, "#-7": -1, "#9223372036854775807": -1} {
		f, err := d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Who: who})
		if want < 0 {
			if got, text := code(t, err); got != 400 || !strings.Contains(text, "is not the number of a submission") {
				t.Errorf("%q: %d %q", who, got, text)
			}
		} else if err != nil || f.Number != want || (f.Submitter == "") != (want > 0) {
			t.Errorf("%q: %+v, %v", who, f, err)
		}
	}
	if got, text := code(t, second(d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Group: "north"}))); got != 400 ||
		!strings.Contains(text, `has no group "north"`) {
		t.Errorf("a group that is not there: %d %q", got, text)
	}
	teams, err := d.Store.Teams(t.Context(), c.ID)
	d.must(err)
	teams[0].Groups = []string{"north"}
	d.must(d.Store.SetTeam(t.Context(), teams[0], ""))
	if f, err := d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Group: "north", Verdict: store.Judged}); err != nil ||
		f.Group != "north" || f.Verdict != store.Judged {
		t.Errorf("a group: %+v, %v", f, err)
	}
}

func TestLanguageName(t *testing.T) {
	languages := []intake.SubmissionLanguage{
		{ID: "python2", Name: "Python 2", AllExtensions: []string{"py"}},
		{ID: "python3", Name: "Python 3", Extensions: []string{"py", "py3"}, AllExtensions: []string{"py", "py3"}},
		{ID: "binary", Name: "executable"},
	}
	for _, tt := range []struct{ selected, file, want string }{
		{"", "main.py", "Python 3"},
		{"", "MAIN.PY3", "Python 3"},
		{"python2", "main.py", "Python 2"},
		{"python2", "main.c", "Python 2"},
		{"removed", "main.py", "removed"},
		{"", "main.c", ""},
		{"", "main", ""},
		{"", "", ""},
	} {
		sub := &store.Submission{Language: tt.selected}
		if tt.file != "" {
			sub.Files = []job.File{{Path: tt.file}, {Path: "other.py"}}
		}
		if got := intake.LanguageName(languages, sub); got != tt.want {
			t.Errorf("%q as %q is in %q, want %q", tt.file, tt.selected, got, tt.want)
		}
	}
}
