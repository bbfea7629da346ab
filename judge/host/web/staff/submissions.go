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
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// submissionFilterView is a filter for submissions, with its choices.
type submissionFilterView struct {
	intake.SubmissionQuery
	Problems  []*store.ContestProblem
	Languages []intake.SubmissionLanguage
	Groups    []string
	Verdicts  []judge.Verdict
	Unjudged  string // filter for pending submissions; empty if not available
	// Verified is the number of verified verdicts. MustBeVerified is the number of verdicts that require verification.
	Verified, MustBeVerified int
	Errors                   web.FieldErrors // of the form for a rejudging
}

// readFilter reads a filter from an address or a form. It returns a *intake.Refusal if the filter is invalid.
func (s *site) readFilter(r *web.Request) (v submissionFilterView, f store.SubmissionFilter, err error) {
	v = submissionFilterView{
		SubmissionQuery: intake.SubmissionQuery{
			Problem: r.FormValue("problem"), Who: r.FormValue("who"), Group: r.FormValue("group"),
			Verdict: r.FormValue("verdict"), Language: r.FormValue("language"),
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
	if v.Verified, v.MustBeVerified, err = s.countVerified(r); err != nil {
		return v, f, err
	}
	f, err = s.ParseQuery(r.Context(), access.Of(r).Contest, v.SubmissionQuery)
	f.Sites = access.Of(r).Sites
	return v, f, err
}

// countVerified returns how many verdicts of the caller's teams are verified, and how many require verification.
func (s *site) countVerified(r *web.Request) (verified, required int, err error) {
	a := access.Of(r)
	if a.Sites == nil {
		return s.Store.CountVerified(r.Context(), a.Contest.ID)
	}
	for _, state := range []string{store.VerifyDone, store.VerifyPending} {
		rows, err := s.Store.Submissions(
			r.Context(),
			store.SubmissionFilter{Contest: a.Contest.ID, Verify: state, Sites: a.Sites, Limit: math.MaxInt32},
		)
		if err != nil {
			return 0, 0, err
		}
		if required += len(rows); state == store.VerifyDone {
			verified = len(rows)
		}
	}
	return verified, required, nil
}

// usedLanguages returns the languages of the contest's submissions, and the selected language.
func (s *site) usedLanguages(r *web.Request, v submissionFilterView) ([]intake.SubmissionLanguage, error) {
	languages, err := s.Languages(v.Problems)
	if err != nil {
		return nil, err
	}
	used, err := s.Store.SubmissionLanguages(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(languages, func(l intake.SubmissionLanguage) bool {
		return l.ID != v.Language && !slices.ContainsFunc(used, func(u store.SubmissionLanguage) bool {
			return u.Language == l.ID || u.Language == "" && slices.Contains(l.Extensions, u.Ending)
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
	Text     string
	Link     template.URL
	Selected bool // it is selected
	value    string
}

// menus returns the filters for a list at a path.
func (v *submissionFilterView) menus(path string, times []option) []menu {
	newMenu := func(name, field, chosen string) *menu {
		m := &menu{Name: name}
		m.add(v, path, "Any", field, "", chosen == "")
		return m
	}
	problem, verdict := newMenu("Problem", "problem", v.Problem), newMenu("Verdict", "verdict", v.Verdict)
	language := newMenu("Language", "language", v.Language)
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
	menus := []menu{*problem, *verdict, *language}
	if len(v.Groups) > 0 {
		group := newMenu("Group", "group", v.Group)
		for _, name := range v.Groups {
			group.add(v, path, name, "group", name, v.Group == name)
		}
		menus = append(menus, *group)
	}
	if len(times) > 0 {
		timeMenu := newMenu("Time", "time", v.Time)
		timeMenu.Field, timeMenu.Value, timeMenu.Chosen = "time", v.Time, v.Time
		for _, t := range times {
			timeMenu.add(v, path, t.Text, "time", t.value, v.Time == t.value)
		}
		menus = append(menus, *timeMenu)
	}
	if v.MustBeVerified > 0 || v.Verify != "" {
		verify := newMenu("Verification", "verify", v.Verify)
		verify.add(v, path, "Not verified", "verify", store.VerifyPending, v.Verify == store.VerifyPending)
		verify.add(v, path, "Verified", "verify", store.VerifyDone, v.Verify == store.VerifyDone)
		menus = append(menus, *verify)
	}
	for _, typed := range []struct{ name, field, value string }{{"Worker", "worker", v.Worker}, {"Version", "version", v.Version}} {
		if typed.value != "" { // no menu; only links on other pages set this filter
			m := newMenu(typed.name, typed.field, typed.value)
			m.add(v, path, typed.value, typed.field, typed.value, true)
			menus = append(menus, *m)
		}
	}
	return menus
}

// timeRanges returns ranges of contest time for the menu. It returns none before the start.
func timeRanges(c *store.Contest, now time.Time) (options []option) {
	if c.Starts.IsZero() || now.Before(c.Starts) {
		return nil
	}
	clock := scoreboard.Contest(c, nil)
	passed := clock.Time(now)
	text := func(d time.Duration) string { return scoreboard.ContestTime(max(0, d)) }
	if c.Length == 0 || passed < c.Length {
		options = append(options, option{Text: "Last 10 minutes", value: text(passed-10*time.Minute) + "-"})
	}
	if c.Freeze > 0 && passed >= c.Freeze {
		options = append(options, option{Text: "After the freeze", value: text(c.Freeze) + "-"})
	}
	if c.Length > 0 && passed >= c.Length {
		options = append(options, option{Text: "After the end", value: text(c.Length) + "-"})
	}
	return append(options, option{Text: "First hour", value: "-1:00:00"})
}

// add adds an option that sets a filter field to value. An empty value turns the filter off.
func (m *menu) add(v *submissionFilterView, path, text, field, value string, selected bool) {
	q := v.query()
	if q.Del(field); value != "" {
		if q.Set(field, value); selected {
			m.Chosen = text
		}
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	m.Options = append(m.Options, option{text, template.URL(path), selected, value}) // path and query are escaped
}

// query returns the filter as a URL query.
func (v *submissionFilterView) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"problem": v.Problem, "who": v.Who, "group": v.Group, "verdict": v.Verdict, "language": v.Language, "time": v.Time,
		"verify": v.Verify, "worker": v.Worker, "version": v.Version,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// submissionsView is the jury's list of a contest's submissions.
type submissionsView struct {
	Slug    string
	List    web.SubmissionList
	Choice  submissionFilterView
	Menus   []menu
	Kept    map[string]string // filters without a field in the form
	Older   template.URL      // link to the next page; empty if none
	Rejudge template.URL      // link to rejudge these submissions; empty if not allowed
}

// Filtered reports whether a filter is set.
func (v submissionsView) Filtered() bool { return len(v.Choice.query()) > 0 }

func (s *site) submissions(w http.ResponseWriter, r *web.Request) error {
	const most = 100
	choice, f, err := s.readFilter(r)
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
	v := submissionsView{
		Slug: access.Of(r).Contest.Slug, Choice: choice,
		Menus: choice.menus(path+"/submissions", timeRanges(access.Of(r).Contest, s.Time())),
		Kept:  map[string]string{},
	}
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
	lister, err := access.Of(r).NewLister(choice.Problems)
	if err != nil {
		return err
	}
	ends, err := access.Of(r).TeamEnds(r.Context())
	if err != nil {
		return err
	}
	v.List = web.SubmissionList{Teams: true, Times: access.Of(r).ShowsTimes(), Memory: access.Of(r).ShowsTimes()}
	for _, row := range rows {
		v.List.Lines = append(v.List.Lines, lister.Line(row, ends(row.Team)))
	}
	return s.RenderPage(w, r, http.StatusOK, "submissions", "Submissions", v)
}
