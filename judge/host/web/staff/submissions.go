package staff

import (
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// choiceView is a filter for submissions, with its choices.
type choiceView struct {
	desk.Choice
	Problems  []*store.ContestProblem
	Languages []desk.Spoken
	Groups    []string
	Verdicts  []judge.Verdict
	Unjudged  string // choice for pending submissions; empty if not available
	// Verified is the number of verified verdicts. Verifies is the number of verdicts that require verification.
	Verified, Verifies int
	Errors             web.FieldErrors // of the form for a rejudging
}

// choice reads a filter from an address or a form. It returns a *desk.Refusal if the filter is invalid.
func (s *site) choice(r *web.Request) (v choiceView, f store.Filter, err error) {
	v = choiceView{
		Choice: desk.Choice{
			Problem: r.FormValue("problem"), Who: r.FormValue("who"), Group: r.FormValue("group"), Verdict: r.FormValue("verdict"), Language: r.FormValue("language"),
			Time: r.FormValue("time"), Verify: r.FormValue("verify"), Worker: r.FormValue("worker"), Version: r.FormValue("version"),
		},
		Verdicts: judge.Verdicts(), Unjudged: store.Unjudged,
	}
	if v.Problems, err = s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID); err != nil {
		return v, f, err
	}
	if v.Languages, err = s.usedLanguages(r, v); err != nil {
		return v, f, err
	}
	groups, err := s.Store.Groups(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return v, f, err
	}
	for _, g := range groups {
		v.Groups = append(v.Groups, g.Name)
	}
	slices.SortFunc(v.Groups, web.ByText)
	if v.Verified, v.Verifies, err = s.countVerified(r); err != nil {
		return v, f, err
	}
	f, err = s.Choose(r.Context(), access.Of(r).Contest, v.Choice)
	f.Sites = access.Of(r).Sites
	return v, f, err
}

// countVerified returns how many verdicts of the caller's teams are verified, and how many require verification.
func (s *site) countVerified(r *web.Request) (done, all int, err error) {
	a := access.Of(r)
	if a.Sites == nil {
		return s.Store.CountVerified(r.Context(), a.Contest.ID)
	}
	for _, state := range []string{store.VerifyDone, store.VerifyOpen} {
		rows, err := s.Store.Submissions(r.Context(), store.Filter{Contest: a.Contest.ID, Verify: state, Sites: a.Sites, Limit: math.MaxInt32})
		if err != nil {
			return 0, 0, err
		}
		if all += len(rows); state == store.VerifyDone {
			done = len(rows)
		}
	}
	return done, all, nil
}

// usedLanguages returns the languages of the contest's submissions, and the selected language.
func (s *site) usedLanguages(r *web.Request, v choiceView) ([]desk.Spoken, error) {
	all, err := s.Languages(v.Problems)
	if err != nil {
		return nil, err
	}
	used, err := s.Store.SubmissionLanguages(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(l desk.Spoken) bool {
		return l.ID != v.Language && !slices.ContainsFunc(used, func(u store.SubmissionLanguage) bool {
			return u.Language == l.ID || u.Language == "" && slices.Contains(l.Endings, u.Ending)
		})
	}), nil
}

// A menu is a filter with its values. Each value is a link to the filtered list.
type menu struct {
	Name    string
	Chosen  string // text of the selected value; empty if none
	Options []option
	Field   string // field for entering another value; may be empty
	Value   string // the entered value
}

type option struct {
	Text  string
	Link  template.URL
	Here  bool // it is selected
	value string
}

// menus returns the filters for a list at a path.
func (v *choiceView) menus(path string, times []option) []menu {
	one := func(name, field, chosen string) *menu {
		m := &menu{Name: name}
		m.add(v, path, "Any", field, "", chosen == "")
		return m
	}
	problem, verdict, language := one("Problem", "problem", v.Problem), one("Verdict", "verdict", v.Verdict), one("Language", "language", v.Language)
	for _, p := range v.Problems {
		problem.add(v, path, p.Label+". "+p.Title, "problem", p.Label, v.Problem == p.Label || v.Problem == p.Slug)
	}
	verdict.add(v, path, "Pending", "verdict", v.Unjudged, v.Verdict == v.Unjudged)
	verdict.add(v, path, "Judged", "verdict", store.Judged, v.Verdict == store.Judged)
	verdict.add(v, path, "Not accepted", "verdict", store.NotAccepted, v.Verdict == store.NotAccepted)
	for _, one := range v.Verdicts {
		verdict.add(v, path, string(one)+" "+one.Words(), "verdict", string(one), v.Verdict == string(one))
	}
	for _, l := range v.Languages {
		language.add(v, path, l.Name, "language", l.ID, v.Language == l.ID)
	}
	all := []menu{*problem, *verdict, *language}
	if len(v.Groups) > 0 {
		group := one("Group", "group", v.Group)
		for _, name := range v.Groups {
			group.add(v, path, name, "group", name, v.Group == name)
		}
		all = append(all, *group)
	}
	if len(times) > 0 {
		at := one("Time", "time", v.Time)
		at.Field, at.Value, at.Chosen = "time", v.Time, v.Time
		for _, t := range times {
			at.add(v, path, t.Text, "time", t.value, v.Time == t.value)
		}
		all = append(all, *at)
	}
	if v.Verifies > 0 || v.Verify != "" {
		verify := one("Verification", "verify", v.Verify)
		verify.add(v, path, "Not verified", "verify", store.VerifyOpen, v.Verify == store.VerifyOpen)
		verify.add(v, path, "Verified", "verify", store.VerifyDone, v.Verify == store.VerifyDone)
		all = append(all, *verify)
	}
	for _, typed := range []struct{ name, field, value string }{{"Worker", "worker", v.Worker}, {"Version", "version", v.Version}} {
		if typed.value != "" { // no menu; only links on other pages set this filter
			m := one(typed.name, typed.field, typed.value)
			m.add(v, path, typed.value, typed.field, typed.value, true)
			all = append(all, *m)
		}
	}
	return all
}

// times returns ranges of contest time for the menu. It returns none before the start.
func times(c *store.Contest, now time.Time) (all []option) {
	if c.Starts.IsZero() || now.Before(c.Starts) {
		return nil
	}
	clock := board.Contest(c, nil)
	passed := clock.Time(now)
	text := func(d time.Duration) string { return board.ContestTime(max(0, d)) }
	if c.Length == 0 || passed < c.Length {
		all = append(all, option{Text: "Last 10 minutes", value: text(passed-10*time.Minute) + "-"})
	}
	if c.Freeze > 0 && passed >= c.Freeze {
		all = append(all, option{Text: "After the freeze", value: text(c.Freeze) + "-"})
	}
	if c.Length > 0 && passed >= c.Length {
		all = append(all, option{Text: "After the end", value: text(c.Length) + "-"})
	}
	return append(all, option{Text: "First hour", value: "-1:00:00"})
}

// add adds an option that sets a filter field to value. An empty value turns the filter off.
func (m *menu) add(v *choiceView, path, text, field, value string, here bool) {
	q := v.query()
	if q.Del(field); value != "" {
		if q.Set(field, value); here {
			m.Chosen = text
		}
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	m.Options = append(m.Options, option{text, template.URL(path), here, value}) // path and query are escaped
}

// query returns the filter as a URL query.
func (v *choiceView) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"problem": v.Problem, "who": v.Who, "group": v.Group, "verdict": v.Verdict, "language": v.Language, "time": v.Time, "verify": v.Verify,
		"worker": v.Worker, "version": v.Version} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// submissionsView is the jury's list of a contest's submissions.
type submissionsView struct {
	Slug    string
	Lines   []web.Line
	Choice  choiceView
	Menus   []menu
	Kept    map[string]string // filters without a field in the form
	Older   template.URL      // link to the next page; empty if none
	Rejudge template.URL      // link to rejudge these submissions; empty if not allowed
}

// Filtered reports whether a filter is set.
func (v submissionsView) Filtered() bool { return len(v.Choice.query()) > 0 }

func (s *site) submissions(w http.ResponseWriter, r *web.Request) error {
	const most = 100
	choice, f, err := s.choice(r)
	if err != nil {
		return err
	}
	f.Limit = most + 1
	if text := r.FormValue("before"); text != "" {
		if f.Before, err = strconv.ParseInt(text, 10, 64); err != nil || f.Before < 1 {
			return web.BadRequest("before=%.40q is not the number of a submission", text)
		}
	}
	rows, err := s.Store.Submissions(r.Context(), f)
	if err != nil {
		return err
	}
	path, query := "/c/"+access.Of(r).Contest.Slug, choice.query()
	v := submissionsView{Slug: access.Of(r).Contest.Slug, Choice: choice, Menus: choice.menus(path+"/submissions", times(access.Of(r).Contest, s.Time())), Kept: map[string]string{}}
	for name := range query {
		if name != "who" && name != "time" {
			v.Kept[name] = query.Get(name)
		}
	}
	if len(rows) > 0 && r.Can(auth.SeeAll) {
		v.Rejudge = template.URL(path + "/rejudgings?" + query.Encode()) // path and query are escaped
	}
	if len(rows) > most {
		rows = rows[:most]
		query.Set("before", strconv.FormatInt(rows[most-1].Number, 10))
		v.Older = template.URL(path + "/submissions?" + query.Encode()) // likewise
	}
	labels := map[string]string{}
	for _, p := range choice.Problems {
		labels[p.Slug] = p.Label
	}
	ends, err := access.Of(r).TeamEnds(r.Context())
	if err != nil {
		return err
	}
	for _, row := range rows {
		v.Lines = append(v.Lines, access.Of(r).Line(row, labels, ends(row.Team)))
	}
	return s.Page(w, r, http.StatusOK, "submissions", "Submissions", v)
}
