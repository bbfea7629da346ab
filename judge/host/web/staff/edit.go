package staff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// editView is the form of a contest.
type editView struct {
	New          bool
	Slug         string // of the contest as it is
	F            contestForm
	Problems     []problemChoice
	Formats      []store.Format
	Visibilities []store.Visibility
	Shows        []judge.Show
	Languages    []desk.Spoken
	Wrong        string
	Sure         string   // what a change would do that nobody may have meant; "" for nothing
	Zone         web.Zone // in which the form has times
	ZoneLabel    string
}

// contestForm are the fields of the form, as they were sent.
type contestForm struct {
	Name, Slug, Format, Starts, Length, Freeze, Visibility, Show, PerMinute, Penalty, Languages, Statements string
	Removed                                                                                                 string
	Practice, CompileErrors, Groups, Blind, KeepSources                                                     bool
	Revision                                                                                                string
}

type problemChoice struct {
	Slug, Title string
	// As they were sent; no label is not in the contest.
	Label, Points, Colour string
}

// Words for people of what can be chosen.
var (
	formatWords = map[store.Format]string{
		store.ICPC: "solved problems, then time (ICPC)", store.IOI: "points of the best submission (IOI)", store.Points: "points, then time",
	}
	showWords = map[judge.Show]string{
		judge.ShowVerdict: "the verdict", judge.ShowFirst: "and the number of the first case that failed", judge.ShowCases: "and the verdict and time of each case",
		judge.ShowSamples: "and everything of the samples", judge.ShowAll: "everything, also the secret cases",
	}
)

// Word is what a choice is called.
func (v editView) Word(choice any) string {
	switch c := choice.(type) {
	case store.Format:
		return formatWords[c]
	case store.Visibility:
		return web.VisibilityWords[c]
	case judge.Show:
		return showWords[c]
	}
	return ""
}

// atLayout is how a browser writes a time without a zone.
const atLayout = "2006-01-02T15:04"

func (s *site) newContest(w http.ResponseWriter, r *web.Request) error {
	f := contestForm{Format: string(store.ICPC), Length: "2h", Visibility: string(store.Accounts), Show: string(judge.ShowSamples)}
	return s.editPage(w, r, http.StatusOK, editView{New: true, F: f}, nil)
}

// editPage draws the form; chosen are the problems by slug.
func (s *site) editPage(w http.ResponseWriter, r *web.Request, code int, v editView, chosen map[string]problemChoice) error {
	problems, err := s.usable(r)
	if err != nil {
		return err
	}
	for _, p := range problems {
		one := chosen[p.Slug]
		v.Problems = append(v.Problems, problemChoice{p.Slug, p.Title, one.Label, one.Points, one.Colour})
	}
	if v.Languages, err = s.spoken(problems); err != nil {
		return err
	}
	v.Zone = r.Zone()
	starts, _ := startOf(r, v.F.Starts, time.Time{}, v.Zone) // a wrong one has no day
	v.ZoneLabel = v.Zone.Label(starts, s.Time())
	v.Formats, v.Visibilities, v.Shows = store.Formats, store.Visibilities, judge.Shows
	title := "New contest"
	if !v.New {
		title = "Change " + v.F.Name
	}
	return s.Page(w, r, code, "edit", title, v)
}

func (s *site) makeContest(w http.ResponseWriter, r *web.Request) error {
	c := &store.Contest{}
	problems, v, chosen, err := s.contestOf(w, r, c)
	if err == nil && v.Wrong == "" {
		err = s.Store.NewContest(r.Context(), c, problems)
		if errors.Is(err, store.ErrTaken) {
			v.Wrong, err = "there is a contest with this address already", nil
		}
	}
	if err != nil {
		return err
	}
	if v.Wrong != "" {
		v.New = true
		return s.editPage(w, r, http.StatusBadRequest, v, chosen)
	}
	return s.Done(w, r, "new contest", c.Slug, "", "/c/"+c.Slug)
}

func (s *site) editContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	chosen := map[string]problemChoice{}
	for _, p := range problems {
		one := problemChoice{Label: p.Label, Colour: p.Colour}
		if p.Points != 0 {
			one.Points = fmt.Sprint(p.Points)
		}
		chosen[p.Slug] = one
	}
	f := contestForm{
		Name: c.Name, Slug: c.Slug, Format: string(c.Format), Visibility: string(c.Visibility), Show: string(c.Settings.Shows()), Practice: c.Settings.Practice,
		Languages: strings.Join(c.Settings.Languages, " "), Statements: strings.Join(c.Settings.Statements, " "), Revision: fmt.Sprint(c.Revision), Length: short(c.Length), Freeze: short(c.Freeze),
	}
	if !c.Starts.IsZero() {
		f.Starts = c.Starts.In(r.Zone().Location).Format(atLayout)
	}
	if c.Settings.PerMinute != 0 {
		f.PerMinute = fmt.Sprint(c.Settings.PerMinute)
	}
	if c.Settings.Penalty != 0 {
		f.Penalty = fmt.Sprint(c.Settings.Penalty)
	}
	f.Removed = removedText(c.Settings.Removed, r.Zone())
	f.CompileErrors, f.Groups, f.Blind, f.KeepSources = c.Settings.CompileErrors, c.Settings.Groups, c.Settings.Blind, c.Settings.KeepSources
	return s.editPage(w, r, http.StatusOK, editView{Slug: c.Slug, F: f}, chosen)
}

// short writes a length of time as the form takes it; "" for none.
func short(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return cmp.Or(text, d.String())
}

func (s *site) changeContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	before, was := *c, c.Slug
	problems, v, chosen, err := s.contestOf(w, r, c)
	if err == nil && v.Wrong == "" && r.PostFormValue("sure") == "" {
		if v.Sure, err = s.disruptiveChange(r, &before, c, problems); v.Sure != "" {
			v.Slug = was
			return s.editPage(w, r, http.StatusConflict, v, chosen)
		}
	}
	if err == nil && v.Wrong == "" {
		err = s.Store.SetContest(r.Context(), c, problems)
		switch {
		case errors.Is(err, store.ErrTaken):
			v.Wrong, err = "there is a contest with this address already", nil
		case errors.Is(err, store.ErrChanged):
			return err
		}
	}
	if err != nil {
		return err
	}
	if v.Wrong != "" {
		v.Slug = was
		return s.editPage(w, r, http.StatusBadRequest, v, chosen)
	}
	return s.Done(w, r, "change contest", c.Slug, "", "/c/"+c.Slug)
}

// disruptiveChange describes a change to a running contest that is probably unintended: ending it now,
// or removing a problem with submissions.
func (s *site) disruptiveChange(r *web.Request, before, c *store.Contest, problems []store.NewContestProblem) (string, error) {
	over := func(c *store.Contest) bool { return !c.Ends().IsZero() && !s.Time().Before(c.Ends()) }
	if begun := !before.Starts.IsZero() && !s.Time().Before(before.Starts); begun && !over(before) && over(c) {
		return "the contest would be over at once", nil
	}
	in, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return "", err
	}
	for _, p := range in {
		if slices.ContainsFunc(problems, func(q store.NewContestProblem) bool { return q.Slug == p.Slug }) {
			continue
		}
		sent, err := s.Store.Submissions(r.Context(), store.Filter{Contest: c.ID, Problem: p.Slug, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(sent) > 0 {
			return fmt.Sprintf("problem %s would leave the contest, and what was submitted to it would count no more", p.Label), nil
		}
	}
	return "", nil
}

var labels = regexp.MustCompile(`^[A-Za-z0-9]{1,8}$`)

// mostSettings is the most bytes of the form of a contest.
const mostSettings = 1 << 20

// contestOf makes of what was sent what the contest is to be. What cannot be is told in the
// view, which has the fields as they were.
func (s *site) contestOf(w http.ResponseWriter, r *web.Request, c *store.Contest) (problems []store.NewContestProblem, v editView, chosen map[string]problemChoice, err error) {
	if err := web.ReadForm(w, r, mostSettings); err != nil {
		return nil, v, nil, err
	}
	field := r.Field
	f := contestForm{
		Name: field("name"), Slug: field("slug"), Format: field("format"), Starts: field("starts"), Length: field("length"), Freeze: field("freeze"),
		Visibility: field("visibility"), Show: field("show"), PerMinute: field("per_minute"), Penalty: field("penalty"), Languages: field("languages"), Statements: field("statement_languages"), Removed: field("removed"),
		CompileErrors: field("compile_errors") != "", Groups: field("groups") != "", Blind: field("blind") != "", KeepSources: field("keep_sources") != "", Practice: field("practice") != "", Revision: field("revision"),
	}
	v.F = f
	chosen = map[string]problemChoice{}
	known, err := s.usable(r)
	if err != nil {
		return nil, v, nil, err
	}
	v.Wrong = unusable(r, known)
	for _, p := range known {
		one := problemChoice{Label: field("label-" + p.Slug), Points: field("points-" + p.Slug), Colour: field("colour-" + p.Slug)}
		chosen[p.Slug] = one
		if one.Label == "" {
			continue
		}
		n, perr := strconv.ParseInt(cmp.Or(one.Points, "0"), 10, 32)
		switch {
		case !labels.MatchString(one.Label):
			v.Wrong = fmt.Sprintf("%.20q is not a label of a problem: up to 8 letters and digits, as A", one.Label)
		case perr != nil || n < 0:
			v.Wrong = fmt.Sprintf("%.20q are not the points of a problem", one.Points)
		case one.Colour != "" && !board.GoodColour(one.Colour):
			v.Wrong = fmt.Sprintf("%.20q is not a colour: a name, as red, or #ff0000", one.Colour)
		case slices.ContainsFunc(problems, func(q store.NewContestProblem) bool { return q.Label == one.Label }):
			v.Wrong = fmt.Sprintf("two problems have the label %s", one.Label)
		}
		problems = append(problems, store.NewContestProblem{Label: one.Label, Slug: p.Slug, Points: n, Colour: one.Colour})
	}
	slices.SortFunc(problems, func(a, b store.NewContestProblem) int {
		return cmp.Or(cmp.Compare(len(a.Label), len(b.Label)), cmp.Compare(a.Label, b.Label))
	})
	if problems == nil {
		problems = []store.NewContestProblem{} // which takes out those that were in it
	}
	unspoken, err := s.firstUnknownLanguage(strings.Fields(strings.ReplaceAll(f.Languages, ",", " ")), known)
	if err != nil {
		return nil, v, nil, err
	}
	v.Wrong = cmp.Or(auth.BadName(f.Name), v.Wrong, s.settle(r, &f, c), unspoken)
	return problems, v, chosen, nil
}

// spoken are the languages of problems, whatever contest they are in.
func (s *site) spoken(problems []*store.Problem) ([]desk.Spoken, error) {
	all := make([]*store.ContestProblem, len(problems))
	for i, p := range problems {
		all[i] = &store.ContestProblem{Problem: p}
	}
	return s.Languages(all)
}

// firstUnknownLanguage returns an error text for the first id that names no known language.
func (s *site) firstUnknownLanguage(ids []string, problems []*store.Problem) (wrong string, err error) {
	all, err := s.spoken(problems)
	if err != nil || len(all) == 0 { // no problem has said its languages yet
		return "", err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(l desk.Spoken) bool { return l.ID == id }) {
			return fmt.Sprintf("%.40q is the id of no language here: they are listed below the field", id), nil
		}
	}
	return "", nil
}

// unusable describes the first problem of a contest's form that the caller may not add. If there is
// none, it returns "".
func unusable(r *web.Request, known []*store.Problem) string {
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		slug, is := strings.CutPrefix(name, "label-")
		if !is || strings.TrimSpace(r.PostForm.Get(name)) == "" {
			continue
		}
		if !slices.ContainsFunc(known, func(p *store.Problem) bool { return p.Slug == slug }) {
			return fmt.Sprintf("you cannot add the problem %.80q: it does not exist, or you did not publish it. Ask an administrator to add it", slug)
		}
	}
	return ""
}

// usable returns the problems that the caller may put into the contest, or into a new one.
func (s *site) usable(r *web.Request) ([]*store.Problem, error) {
	var c *store.Contest
	if a := access.Of(r); a != nil {
		c = a.Contest
	}
	return s.UsableProblems(r.Context(), r.Me, c)
}

// settle puts the fields into the contest, and says what is wrong with one.
func (s *site) settle(r *web.Request, f *contestForm, c *store.Contest) string {
	revision, err := strconv.ParseInt(cmp.Or(f.Revision, "0"), 10, 64)
	if err != nil {
		return "the form is not whole: load the page again"
	}
	c.Name, c.Slug, c.Format, c.Visibility, c.Revision = f.Name, f.Slug, store.Format(f.Format), store.Visibility(f.Visibility), revision
	c.Settings.Show, c.Settings.Practice, c.Settings.Languages = judge.Show(f.Show), f.Practice, strings.Fields(strings.ReplaceAll(f.Languages, ",", " "))
	switch {
	case !web.GoodSlug(f.Slug):
		return "the address of a contest is 1 to 40 small letters, digits and -, as spring-2026"
	case f.Slug == store.Practice:
		return "the address " + store.Practice + " is taken"
	case !slices.Contains(store.Formats, c.Format) || !slices.Contains(store.Visibilities, c.Visibility) || !slices.Contains(judge.Shows, c.Settings.Show):
		return "the form is not whole: load the page again"
	}
	if c.Starts, err = startOf(r, f.Starts, s.Time(), r.Zone()); err != nil {
		return err.Error()
	}
	if c.Length, err = length(f.Length); err != nil {
		return err.Error()
	}
	if c.Freeze, err = length(f.Freeze); err != nil {
		return err.Error()
	}
	if c.Freeze != 0 && c.Length != 0 && c.Freeze >= c.Length {
		return "the board stands still before the contest ends, or never"
	}
	if c.Settings.Removed, err = removedOf(f.Removed, c.Starts, c.Length, r.Zone()); err != nil {
		return err.Error()
	}
	c.Settings.Statements = strings.Fields(strings.ReplaceAll(f.Statements, ",", " "))
	for _, code := range c.Settings.Statements {
		if _, err := language.Parse(code); err != nil {
			return fmt.Sprintf("%.20q is not the code of a language of statements: en, de and pt-BR are some", code)
		}
	}
	c.Settings.PerMinute, c.Settings.KeepSources = 0, f.KeepSources
	if f.PerMinute != "" {
		if c.Settings.PerMinute, err = strconv.Atoi(f.PerMinute); err != nil || c.Settings.PerMinute < 1 || c.Settings.PerMinute > 1000 {
			return fmt.Sprintf("%.20q is not how many submissions are taken in a minute: 1 to 1000", f.PerMinute)
		}
	}
	c.Settings.CompileErrors, c.Settings.Groups, c.Settings.Blind, c.Settings.Penalty = f.CompileErrors, f.Groups, f.Blind, 0
	if f.Penalty != "" {
		if c.Settings.Penalty, err = strconv.Atoi(f.Penalty); err != nil || c.Settings.Penalty < 1 || c.Settings.Penalty > 1000 {
			return fmt.Sprintf("%.20q is not how many minutes a rejected submission costs: 1 to 1000", f.Penalty)
		}
	}
	return ""
}

// startOf reads when a contest begins: a time in a zone, or now.
func startOf(r *web.Request, text string, now time.Time, z web.Zone) (time.Time, error) {
	switch {
	case r.PostFormValue("start") == "now":
		return now.Truncate(time.Second), nil
	case text == "":
		return time.Time{}, nil
	}
	for _, layout := range []string{atLayout, atLayout + ":05"} {
		if t, err := time.ParseInLocation(layout, text, z.Location); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is not when a contest begins: a day and a time, as %s", text, atLayout)
}

// length reads a length of time: 2h30m, or minutes; "" for none.
func length(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if minutes, merr := strconv.Atoi(text); merr == nil && minutes < 1_000_000 {
		d, err = time.Duration(minutes)*time.Minute, nil
	}
	if err != nil || d <= 0 || d > 10*365*24*time.Hour {
		return 0, fmt.Errorf("%.40q is not a length of time: 2h30m, or minutes", text)
	}
	return d.Truncate(time.Millisecond), nil
}
