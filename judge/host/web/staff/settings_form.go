package staff

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"assay/judge"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// settingsForm holds the fields of a contest's settings as sent.
type settingsForm struct {
	Name, Slug                  string
	StartBy, Starts             string // StartBy is startAt or startByHand
	Hours, Minutes              string
	NoEnd                       bool
	Format, Penalty             string
	CompileErrors, Groups       bool
	Freeze, FreezeMinutes       string // Freeze is freezeNever, freezeBefore, or freezeKept
	Blind                       bool
	Visibility, Show, PerMinute string
	SomeLanguages               bool
	Languages                   []string
	Statements                  string // language codes
	Practice, KeepSources       bool
	Printing                    bool
	Removed                     []intervalForm
	Revision                    string
}

// intervalForm holds the fields of a removed interval.
type intervalForm struct{ From, To string }

// Values of radio buttons.
const (
	startAt      = "at"
	startByHand  = "hand"
	freezeNever  = "no"
	freezeBefore = "before"
	freezeKept   = "keep"
)

var (
	validLabel = regexp.MustCompile(`^[A-Za-z0-9]{1,8}$`)
)

// maxSettingsForm is the maximum size in bytes of a settings form.
const maxSettingsForm = 1 << 20

// readSettings reads the form into c. The view holds the fields as sent. If fields are invalid, v.Errors lists
// them and c is incomplete.
func (s *site) readSettings(
	w http.ResponseWriter, r *web.Request, c *store.Contest,
) (problems []store.NewContestProblem, v settingsView, chosen map[string]problemChoice, err error) {
	if err := web.ReadForm(w, r, maxSettingsForm); err != nil {
		return nil, v, nil, err
	}
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	isSet := func(name string) bool { return r.PostFormValue(name) != "" }
	f := settingsForm{
		Name: field("name"), Slug: field("slug"), StartBy: cmp.Or(field("start_by"), startAt), Starts: field("starts"),
		Hours: field("hours"), Minutes: field("minutes"), NoEnd: isSet("no_end"),
		Format: field("format"), Penalty: field("penalty"), CompileErrors: isSet("compile_errors"), Groups: field("groups") == "best",
		Freeze: cmp.Or(field("freeze"), freezeNever), FreezeMinutes: field("freeze_minutes"), Blind: isSet("blind"),
		Visibility: field("visibility"), Show: field("show"), PerMinute: field("per_minute"),
		SomeLanguages: field("languages_by") == "some", Languages: r.PostForm["language"],
		Statements: field("statement_languages"), Practice: isSet("practice"), KeepSources: isSet("keep_sources"),
		Printing: isSet("printing"), Revision: field("revision"),
	}
	tos := r.PostForm["removed_to"]
	for i, start := range r.PostForm["removed_from"] {
		if interval := (intervalForm{From: start}); i < len(tos) {
			if interval.To = tos[i]; interval != (intervalForm{}) {
				f.Removed = append(f.Removed, interval)
			}
		}
	}
	v.F = f
	usable, err := s.usableProblems(r)
	if err != nil {
		return nil, v, nil, err
	}
	v.Errors.CheckName(f.Name)
	if v.F.Slug = v.Errors.ReadSlug(f.Slug, f.Name, "spring-2026"); v.F.Slug == store.Practice {
		v.Errors.Add("slug", "The web address %s is reserved.", store.Practice)
	}
	s.applyForm(&v, c, r.Zone(), field("start") == "now")
	problems, chosen = readProblems(r, usable, &v.Errors)
	if text := firstUnusable(r, usable); text != "" {
		v.Errors.Add("problems", "%s", text)
	}
	c.Settings.Languages = nil
	if f.SomeLanguages {
		if c.Settings.Languages = f.Languages; len(f.Languages) == 0 {
			v.Errors.Add("languages", "Select at least one language, or all languages.")
		}
		id, err := s.firstUnknownLanguage(f.Languages, usable)
		if err != nil {
			return nil, v, nil, err
		}
		if id != "" {
			v.Errors.Add("languages", "Unknown language %.40q: choose from the list.", id)
		}
	}
	return problems, v, chosen, nil
}

// readProblems reads the problems of the contest. A problem without a label gets the next unused letter.
func readProblems(
	r *web.Request, usable []*store.Problem, e *web.FieldErrors,
) (problems []store.NewContestProblem, chosen map[string]problemChoice) {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	chosen = map[string]problemChoice{}
	problems = []store.NewContestProblem{} // nil would leave the problems unchanged
	used := map[string]bool{}
	for _, p := range usable {
		used[field("label-"+p.Slug)] = true
	}
	added := r.PostForm["problem"]
	nextLabel := 0
	for _, p := range usable {
		choice := problemChoice{
			In: slices.Contains(added, p.Slug), Label: field("label-" + p.Slug), Points: field("points-" + p.Slug),
			Color: field("color-" + p.Slug),
		}
		if choice.In && choice.Label == "" {
			for used[labelOf(nextLabel)] {
				nextLabel++
			}
			choice.Label = labelOf(nextLabel)
			used[choice.Label] = true
		}
		chosen[p.Slug] = choice
		if !choice.In {
			continue
		}
		points, err := strconv.ParseInt(cmp.Or(choice.Points, "0"), 10, 32)
		switch {
		case !validLabel.MatchString(choice.Label):
			e.Add("label-"+p.Slug, "The label of %s, %.20q, needs 1 to 8 letters and digits, for example A.", p.Title, choice.Label)
		case slices.ContainsFunc(problems, func(q store.NewContestProblem) bool { return q.Label == choice.Label }):
			e.Add("label-"+p.Slug, "Two problems have the label %s: change one of them.", choice.Label)
		case err != nil || points < 0:
			e.Add("points-"+p.Slug, "The points of %s, %.20q, need a whole number from 0.", p.Title, choice.Points)
		case choice.Color != "" && !scoreboard.ValidColor(choice.Color):
			e.Add("color-"+p.Slug, "The color of %s, %.20q, needs a name such as red, or a value such as #ff0000.", p.Title, choice.Color)
		}
		problems = append(problems, store.NewContestProblem{Label: choice.Label, Slug: p.Slug, Points: points, Color: choice.Color})
	}
	slices.SortFunc(problems, func(a, b store.NewContestProblem) int { return byLabel(a.Label, b.Label) })
	return problems, chosen
}

// labelOf returns label number n, beginning with 0: A to Z, then AA.
func labelOf(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return labelOf(n/26-1) + labelOf(n%26)
}

// firstUnknownLanguage returns the first id that names no known language. It returns an empty string if all are
// known.
func (s *site) firstUnknownLanguage(ids []string, problems []*store.Problem) (string, error) {
	languages, err := s.knownLanguages(problems)
	if err != nil || len(languages) == 0 { // no problem has reported its languages yet
		return "", err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(languages, func(l intake.SubmissionLanguage) bool { return l.ID == id }) {
			return id, nil
		}
	}
	return "", nil
}

// applyForm copies the form fields to the contest, except its problems and languages. If startsNow is set, the
// contest starts now.
func (s *site) applyForm(v *settingsView, c *store.Contest, z web.Zone, startsNow bool) {
	f, e := &v.F, &v.Errors
	var err error
	if c.Revision, err = strconv.ParseInt(cmp.Or(f.Revision, "0"), 10, 64); err != nil {
		e.Add("name", "The form is incomplete: load the page again.")
	}
	c.Name, c.Slug, c.Format, c.Visibility = f.Name, f.Slug, store.Format(f.Format), store.Visibility(f.Visibility)
	c.Settings.Show, c.Settings.Practice, c.Settings.KeepSources = judge.Visibility(f.Show), f.Practice, f.KeepSources
	c.Settings.CompileErrors, c.Settings.Groups, c.Settings.Blind, c.Settings.Printing = f.CompileErrors, f.Groups, f.Blind, f.Printing
	old := *c // before the form
	for _, check := range []struct {
		field string
		known bool
	}{
		{"format", slices.Contains(store.Formats, c.Format)},
		{"visibility", slices.Contains(store.Visibilities, c.Visibility)},
		{"show", slices.Contains(judge.VisibilityLevels, c.Settings.Show)},
	} {
		if !check.known {
			e.Add(check.field, "Select one of the choices.")
		}
	}
	if c.Starts = (time.Time{}); startsNow {
		c.Starts = s.Time().Truncate(time.Second)
	} else if f.StartBy == startAt && f.Starts != "" {
		if c.Starts, err = z.ReadMoment(f.Starts); err != nil {
			e.Add("starts", "Enter a date and a time, for example 12 Dec 2026, 09:00.")
		}
	} else if f.StartBy == startAt {
		e.Add("starts", "Enter a date and a time, or select to start the contest by hand.")
	}
	if c.Length = 0; !f.NoEnd {
		hours, herr := readNumber(f.Hours, time.Hour)
		minutes, merr := readNumber(f.Minutes, time.Minute)
		if c.Length = hours + minutes; herr != nil || merr != nil || c.Length <= 0 || c.Length > 10*365*24*time.Hour {
			e.Add("hours", "Enter the duration in hours and minutes, for example 2 h 30 min.")
		}
	}
	switch f.Freeze {
	case freezeNever:
		c.Freeze = 0
	case freezeKept:
		c.Freeze = old.Freeze
	default:
		before, err := readNumber(f.FreezeMinutes, time.Minute)
		c.Freeze = c.Length - before
		clock := scoreboard.Contest(&old, nil)
		if before == old.Length-old.Freeze && c.Length > old.Length && clock.Frozen(s.Time()) {
			c.Freeze = old.Freeze // more time must not show what was hidden
		}
		switch {
		case f.NoEnd:
			e.Add("freeze_minutes", "A contest without an end cannot be frozen before its end. Freeze it by hand, on the scoreboard.")
		case err != nil || before <= 0 || len(*e) == 0 && c.Freeze <= 0:
			e.Add("freeze_minutes", "Enter the minutes before the end, fewer than the contest has.")
		}
	}
	if f.Freeze == freezeKept && c.Length != 0 && c.Freeze >= c.Length {
		e.Add("freeze_minutes", "The contest would end before the scoreboard is frozen: choose another time.")
	}
	c.Settings.PerMinute, c.Settings.Penalty = 0, 0
	for _, check := range []struct {
		field, text, what string
		to                *int
	}{
		{"per_minute", f.PerMinute, "submissions per minute", &c.Settings.PerMinute},
		{"penalty", f.Penalty, "penalty minutes", &c.Settings.Penalty},
	} {
		if check.text == "" {
			continue
		}
		if *check.to, err = strconv.Atoi(check.text); err != nil || *check.to < 1 || *check.to > 1000 {
			e.Add(check.field, "Enter a number of %s from 1 to 1000.", check.what)
		}
	}
	c.Settings.Statements = strings.Fields(strings.ReplaceAll(f.Statements, ",", " "))
	for _, code := range c.Settings.Statements {
		if _, err := language.Parse(code); err != nil {
			e.Add("statement_languages", "%.20q is not a language code: use codes such as en, de or pt-BR.", code)
		}
	}
	c.Settings.Removed = readRemoved(f.Removed, c, z, e)
}

// readNumber parses a non-negative number of units. An empty text means 0.
func readNumber(text string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseFloat(cmp.Or(strings.Replace(text, ",", ".", 1), "0"), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > 100_000 {
		return 0, errors.New("not a number from 0 to 100000")
	}
	return time.Duration(n * float64(unit)).Round(time.Millisecond), nil
}

// readRemoved reads the removed intervals. Each must begin while the contest is running, because it has no effect
// at other times.
func readRemoved(fields []intervalForm, c *store.Contest, z web.Zone, e *web.FieldErrors) (intervals []store.Interval) {
	if len(fields) > 0 && c.Starts.IsZero() {
		e.Add("removed", "Set the start time of the contest before you exclude time.")
		return nil
	}
	text := func(i store.Interval) string {
		return fmt.Sprintf("%s to %s", i.From.In(z.Location).Format(momentLayout), i.To.In(z.Location).Format(momentLayout))
	}
	for _, f := range fields {
		start, err := z.ReadMoment(f.From)
		end, terr := z.ReadMoment(f.To)
		if err != nil || terr != nil || start.IsZero() || end.IsZero() || !start.Before(end) {
			e.Add("removed", "Enter for each interval a time at which it begins and a later one at which it ends.")
			return nil
		}
		intervals = append(intervals, store.Interval{From: start, To: end})
	}
	slices.SortFunc(intervals, func(a, b store.Interval) int { return a.From.Compare(b.From) })
	ends := c.Starts.Add(c.Length)
	for i, interval := range intervals {
		if i > 0 && interval.From.Before(intervals[i-1].To) {
			e.Add("removed", "Two intervals overlap: %s, and %s.", text(intervals[i-1]), text(interval))
			return nil
		}
		if interval.From.Before(c.Starts) || c.Length > 0 && !interval.From.Before(ends) {
			e.Add(
				"removed", "The interval %s is not during the contest, which lasts from %s to %s.", text(interval),
				c.Starts.In(z.Location).Format(momentLayout), ends.In(z.Location).Format(momentLayout),
			)
			return nil
		}
		ends = ends.Add(interval.To.Sub(interval.From)) // each interval extends the contest
	}
	return intervals
}

// momentLayout is the layout of dates with times on pages.
const momentLayout = "2 Jan 2006, 15:04:05"

// firstUnusable returns an error message for the first problem in a form that the caller may not add. It returns an
// empty string if there is none.
func firstUnusable(r *web.Request, usable []*store.Problem) string {
	for _, slug := range r.PostForm["problem"] {
		if !slices.ContainsFunc(usable, func(p *store.Problem) bool { return p.Slug == slug }) {
			return fmt.Sprintf(
				"You cannot add the problem %.80q: it does not exist, or you did not publish it. Ask an administrator to add it.",
				slug,
			)
		}
	}
	return ""
}

// usableProblems returns the problems that the caller may add to the contest, or to a new one.
func (s *site) usableProblems(r *web.Request) ([]*store.Problem, error) {
	var c *store.Contest
	if a := access.Of(r); a != nil {
		c = a.Contest
	}
	return s.UsableProblems(r.Context(), r.Me, c)
}
