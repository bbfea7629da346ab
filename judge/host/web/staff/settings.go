package staff

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// settingsView is the form for a contest's settings.
type settingsView struct {
	New          bool
	Slug         string // slug of the stored contest
	Ends         time.Time
	CanStart     bool // the contest has no start time, or a later one
	Uploads      bool // the reader may upload problem packages
	F            settingsForm
	Errors       web.FieldErrors
	Problems     []problemChoice // problems in the contest, by label
	Others       []problemChoice // problems that can be added
	Formats      []web.Choice
	Shows        []web.Choice
	Visibilities []web.Choice // choices of visibility
	Languages    []languageChoice
	KeptFreeze   string   // describes a freeze that the form cannot express; may be empty
	ConfirmText  string   // effect of an unusual change; nothing is saved yet
	Stale        bool     // another user saved the settings since the form was rendered
	Zone         web.Zone // time zone of the form
	ZoneLabel    string
}

type languageChoice struct {
	ID, Name string
	On       bool
}

// problemChoice is a problem in the form, with its fields as sent.
type problemChoice struct {
	Slug, Title          string
	In                   bool
	Label, Points, Color string
}

var (
	showChoices = []web.Choice{
		{Value: string(judge.ShowVerdict), Name: "Verdict only"},
		{Value: string(judge.ShowFirst), Name: "Verdict and number of the first failed test case"},
		{Value: string(judge.ShowCases), Name: "Verdict and time of every test case"},
		{Value: string(judge.ShowSamples), Name: "As above, and full details of the samples (recommended)"},
		{Value: string(judge.ShowAll), Name: "Full details of every test case (reveals secret data)"},
	}
)

// ProblemCount returns the number of selectable problems.
func (v settingsView) ProblemCount() int { return len(v.Problems) + len(v.Others) }

// Row returns a problem with the form's errors.
func (v settingsView) Row(p problemChoice) problemRow { return problemRow{p, v.Errors} }

type problemRow struct {
	problemChoice
	Errors web.FieldErrors
}

// Scoring, Scoreboard, Access, and Advanced each summarize the settings of one group of the form.
func (v settingsView) Scoring() string {
	text := map[string]string{string(store.IOI): "IOI: points", string(store.Points): "points and time"}[v.F.Format]
	penalty := " for each rejected submission"
	switch v.F.Format {
	case string(store.ICPC):
		return "ICPC: solved, then penalty time; " + cmp.Or(v.F.Penalty, "20") + " min" + penalty
	case string(store.Points):
		return text + "; " + cmp.Or(v.F.Penalty, "5") + " min" + penalty
	}
	if v.F.Groups {
		return text + " of the best result of each subtask"
	}
	return text + " of the best submission"
}

func (v settingsView) Scoreboard() string {
	text := map[string]string{
		freezeNever: "never frozen", freezeBefore: "frozen for the last " + v.F.FreezeMinutes + " min", freezeKept: v.KeptFreeze,
	}[v.F.Freeze]
	if v.F.Blind {
		text += "; hidden from the public until the end"
	}
	return text
}

func (v settingsView) Access() string {
	text := "all languages"
	if v.F.SomeLanguages {
		text = web.CountText(len(v.F.Languages), "language", "languages")
	}
	for _, c := range web.Visibilities {
		if c.Value == v.F.Visibility {
			text = strings.ToLower(c.Name) + "; " + text
		}
	}
	text += "; " + cmp.Or(v.F.PerMinute, "10") + " submissions a minute"
	if v.F.Printing {
		text += "; teams can print"
	}
	return text
}

func (v settingsView) Advanced() string {
	text := "no practice after the end"
	if v.F.Practice {
		text = "practice after the end"
	}
	n := 0
	for _, one := range v.F.Removed {
		if one != (intervalForm{}) {
			n++
		}
	}
	if n == 0 {
		return text + "; no excluded time"
	}
	return text + "; " + web.CountText(n, "interval", "intervals") + " of excluded time"
}

func (s *site) newContest(w http.ResponseWriter, r *web.Request) error {
	v := settingsView{New: true, F: settingsForm{
		StartBy: startAt, Hours: "2", Minutes: "0", Format: string(store.ICPC), Freeze: freezeNever, FreezeMinutes: "60",
		Visibility: string(store.VisibilityAccounts), Show: string(judge.ShowSamples),
	}}
	return s.settingsPage(w, r, http.StatusOK, v, nil)
}

// settingsPage renders the form. Chosen maps slugs to the selected problems.
func (s *site) settingsPage(w http.ResponseWriter, r *web.Request, code int, v settingsView, chosen map[string]problemChoice) error {
	problems, err := s.usableProblems(r)
	if err != nil {
		return err
	}
	for _, p := range problems {
		choice := chosen[p.Slug]
		choice.Slug, choice.Title = p.Slug, p.Title
		if choice.In {
			v.Problems = append(v.Problems, choice)
		} else {
			v.Others = append(v.Others, choice)
		}
	}
	slices.SortStableFunc(v.Problems, func(a, b problemChoice) int { return byLabel(a.Label, b.Label) })
	languages, err := s.knownLanguages(problems)
	if err != nil {
		return err
	}
	for _, l := range languages {
		v.Languages = append(v.Languages, languageChoice{l.ID, l.Name, slices.Contains(v.F.Languages, l.ID)})
	}
	for _, id := range v.F.Languages {
		if !slices.ContainsFunc(languages, func(l intake.SubmissionLanguage) bool { return l.ID == id }) {
			v.Languages = append(v.Languages, languageChoice{id, id, true})
		}
	}
	v.Zone, v.Uploads = r.Zone(), r.CanAnywhere(auth.ManageContent)
	starts, _ := v.Zone.ReadMoment(v.F.Starts) // if invalid, the label is for the current time
	v.ZoneLabel = v.Zone.Label(starts, s.Time())
	v.Formats, v.Visibilities, v.Shows = access.Formats, web.Visibilities, showChoices
	v.F.Removed = append(v.F.Removed, intervalForm{})
	title := "New contest"
	if !v.New {
		title = "Settings"
	}
	return s.RenderPage(w, r, code, "settings", title, v)
}

// byLabel compares problem labels: A to Z come before AA.
func byLabel(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

func (s *site) createContest(w http.ResponseWriter, r *web.Request) error {
	c := &store.Contest{}
	problems, v, chosen, err := s.readSettings(w, r, c)
	if err == nil && len(v.Errors) == 0 {
		err = s.Store.NewContest(r.Context(), c, problems)
		if errors.Is(err, store.ErrTaken) {
			v.Errors.Add("slug", "Another contest has this web address.")
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 {
		v.New = true
		return s.settingsPage(w, r, http.StatusBadRequest, v, chosen)
	}
	if err := s.Audit(r, "new contest", c.Slug, ""); err != nil {
		return err
	}
	return web.Redirect(w, r, "/c/"+c.Slug)
}

func (s *site) settingsForm(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	chosen := map[string]problemChoice{}
	for _, p := range problems {
		choice := problemChoice{In: true, Label: p.Label, Color: p.Color}
		if p.Points != 0 {
			choice.Points = fmt.Sprint(p.Points)
		}
		chosen[p.Slug] = choice
	}
	v := settingsView{F: settingsFormOf(c, r.Zone())}
	s.describe(&v, c)
	return s.settingsPage(w, r, http.StatusOK, v, chosen)
}

// describe sets the fields of v that describe the stored contest c and are not fields of the form.
func (s *site) describe(v *settingsView, c *store.Contest) {
	v.Slug, v.Ends = c.Slug, c.Ends()
	v.CanStart = c.Starts.IsZero() || s.Time().Before(c.Starts)
	if settingsFormOf(c, web.Zone{Location: time.UTC}).Freeze == freezeKept {
		v.KeptFreeze = "frozen from " + scoreboard.ContestTime(c.Freeze)
	}
}

func (s *site) changeContest(w http.ResponseWriter, r *web.Request) error {
	before, changed := access.Of(r).Contest, *access.Of(r).Contest
	c := &changed // if not saved, the rest of the page shows the stored contest
	problems, v, chosen, err := s.readSettings(w, r, c)
	code := http.StatusBadRequest
	if err == nil && len(v.Errors) == 0 && r.PostFormValue("confirm") == "" {
		v.ConfirmText, err = s.disruptiveChange(r, before, c, problems)
		code = http.StatusConflict
	}
	if err == nil && len(v.Errors) == 0 && v.ConfirmText == "" {
		err = s.Store.SetContest(r.Context(), c, problems)
		if errors.Is(err, store.ErrTaken) {
			v.Errors.Add("slug", "Another contest has this web address.")
			code, err = http.StatusBadRequest, nil
		}
		if errors.Is(err, store.ErrChanged) {
			stored, serr := s.Store.Contest(r.Context(), c.ID)
			if serr != nil {
				return serr
			}
			v.Stale, v.F.Revision, code, err = true, fmt.Sprint(stored.Revision), http.StatusConflict, nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 || v.Stale || v.ConfirmText != "" {
		s.describe(&v, before)
		return s.settingsPage(w, r, code, v, chosen)
	}
	if err := s.Audit(r, "change contest", c.Slug, ""); err != nil {
		return err
	}
	return web.Redirect(w, r, "/c/"+c.Slug)
}

// disruptiveChange describes a change to a running contest that is probably unintended: ending it
// now, or removing a problem with submissions.
func (s *site) disruptiveChange(r *web.Request, before, c *store.Contest, problems []store.NewContestProblem) (string, error) {
	hasEnded := func(c *store.Contest) bool { return !c.Ends().IsZero() && !s.Time().Before(c.Ends()) }
	if begun := !before.Starts.IsZero() && !s.Time().Before(before.Starts); begun && !hasEnded(before) && hasEnded(c) {
		return "This ends the contest now.", nil
	}
	in, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return "", err
	}
	for _, p := range in {
		if slices.ContainsFunc(problems, func(q store.NewContestProblem) bool { return q.Slug == p.Slug }) {
			continue
		}
		const most = 1000
		sent, err := s.Store.Submissions(r.Context(), store.SubmissionFilter{Contest: c.ID, Problem: p.Slug, Limit: most})
		if err != nil {
			return "", err
		}
		if n := len(sent); n > 0 {
			more := ""
			if n == most {
				more = " or more"
			}
			return fmt.Sprintf(
				"This removes problem %s: its %s%s no longer count. They stay, and count again if you add the problem again.",
				p.Label, web.CountText(n, "submission", "submissions"), more,
			), nil
		}
	}
	return "", nil
}

// knownLanguages returns the languages of the problems, without contest restrictions.
func (s *site) knownLanguages(problems []*store.Problem) ([]intake.SubmissionLanguage, error) {
	problemsOnly := make([]*store.ContestProblem, len(problems))
	for i, p := range problems {
		problemsOnly[i] = &store.ContestProblem{Problem: p}
	}
	return s.Service.Languages(problemsOnly)
}

// settingsFormOf returns the form fields for a stored contest.
func settingsFormOf(c *store.Contest, z web.Zone) settingsForm {
	f := settingsForm{
		Name: c.Name, Slug: c.Slug, StartBy: startByHand, Hours: "2", Minutes: "0", NoEnd: c.Length == 0,
		Format: string(c.Format), Freeze: freezeNever, FreezeMinutes: "60",
		Visibility: string(
			c.Visibility,
		), Show: string(c.Settings.Shows()), SomeLanguages: len(c.Settings.Languages) > 0, Languages: c.Settings.Languages,
		Statements: strings.Join(c.Settings.Statements, " "), Revision: fmt.Sprint(c.Revision), Practice: c.Settings.Practice,
		CompileErrors: c.Settings.CompileErrors, Groups: c.Settings.Groups, Blind: c.Settings.Blind,
		KeepSources: c.Settings.KeepSources, Printing: c.Settings.Printing,
	}
	if !c.Starts.IsZero() {
		f.StartBy, f.Starts = startAt, z.FormatMoment(c.Starts)
	}
	if c.Length != 0 {
		f.Hours, f.Minutes = fmt.Sprint(int(c.Length.Hours())), minutesText(c.Length%time.Hour)
	}
	switch before := c.Length - c.Freeze; {
	case c.Freeze == 0:
	case c.Length == 0 || before%time.Second != 0:
		f.Freeze = freezeKept // frozen manually
	default:
		f.Freeze, f.FreezeMinutes = freezeBefore, minutesText(before)
	}
	if c.Settings.PerMinute != 0 {
		f.PerMinute = fmt.Sprint(c.Settings.PerMinute)
	}
	if c.Settings.Penalty != 0 {
		f.Penalty = fmt.Sprint(c.Settings.Penalty)
	}
	for _, i := range c.Settings.Removed {
		f.Removed = append(f.Removed, intervalForm{z.FormatMoment(i.From), z.FormatMoment(i.To)})
	}
	return f
}

// minutesText formats a duration in minutes, with decimals if it has seconds.
func minutesText(d time.Duration) string {
	return strconv.FormatFloat(d.Minutes(), 'f', -1, 64)
}
