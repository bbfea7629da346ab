package contest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/internal/example"
)

// contestView is the page of a contest.
type contestView struct {
	Slug, Name, Format string
	Starts, Ends       time.Time
	Problems           []problemLine
	Teams              int    // number of ranked teams
	Closed             string // why the problems are not shown
	Mine               []web.Line
	Team               string
	Shared             bool   // Team has more than one member
	Standing           string // the team's rank and score; empty if it is not ranked
	LogIn              bool   // the reader could join after logging in
	Changes            bool   // the reader may change the contest
	Start              bool   // the reader may start the contest
	Empty              bool   // no teams have joined
	Announced          []clarificationLine
	Prints             bool // the reader's team can print
}

type problemLine struct {
	Label, Title   string
	Points         int64
	TimeMS, Memory int64
	Best           web.State // best result of the reader
	Tries          int
	Solved         int // teams
}

// announcements returns the newest announcements of the jury to all teams, or to recipients that include the
// reader's team.
func (s *site) announcements(r *web.Request) ([]clarificationLine, error) {
	const most = 3
	all, _, err := s.Clarifications(r.Context(), access.Of(r).Seat, store.ClarificationFilter{})
	if err != nil {
		return nil, err
	}
	var shown []*store.Clarification
	for _, c := range all {
		if own := c.Staff && c.Of(access.Of(r).Team); c.ToAll() || own && (c.To.Chosen() || c.ReplyTo == 0) {
			shown = append(shown, c)
		}
	}
	return s.clarificationLines(r, shown[:min(most, len(shown))])
}

// solvedBy maps problem labels to the number of teams that solved each, and returns the number of ranked teams. If
// the caller may not see the scoreboard, it returns nil, 0, nil.
func (s *site) solvedBy(r *web.Request) (solved map[string]int, ranked int, err error) {
	if !r.Can(auth.SeeBoard) {
		return nil, 0, nil
	}
	l, err := s.Boards.Board(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, 0, err
	}
	solved = map[string]int{}
	_, places, columns := l.Scores(r.Can(auth.SeeAll))
	for _, one := range columns {
		solved[one.Label] = one.Solved
	}
	for _, p := range places {
		if p.Rank > 0 {
			ranked++
		}
	}
	return solved, ranked, nil
}

func (s *site) contest(w http.ResponseWriter, r *web.Request) (err error) {
	c := access.Of(r).Contest
	v := contestView{
		Slug: c.Slug, Name: c.Name, Format: web.ChoiceName(access.Formats, string(c.Format)), Starts: c.Starts,
		Ends: access.Of(r).Ends(), LogIn: r.Me == nil, Changes: r.Can(auth.Change),
	}
	v.Start = v.Changes && (c.Starts.IsZero() || s.Time().Before(c.Starts))
	if v.Changes {
		teams, err := s.Store.Teams(r.Context(), c.ID)
		if err != nil {
			return err
		}
		v.Empty = len(teams) == 0
	}
	if t := access.Of(r).Team; t != nil {
		if v.Team = t.Name; r.Me != nil {
			members, err := s.Store.Members(r.Context(), c.ID)
			if err != nil {
				return err
			}
			v.Shared = len(members[t.ID]) > 1
		}
	}
	v.Prints = c.Settings.Printing && access.Of(r).Team != nil
	if v.Announced, err = s.announcements(r); err != nil {
		return err
	}
	if !r.Can(auth.SeeProblems) {
		if v.Closed = "The problems appear here when the contest starts."; c.Starts.IsZero() {
			v.Closed = "The problems appear here when the jury starts the contest."
		}
		return s.Page(w, r, http.StatusOK, "contest", c.Name, v)
	}
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	solved, ranked, err := s.solvedBy(r)
	if err != nil {
		return err
	}
	v.Teams = ranked
	labels, best := map[string]string{}, map[string]*problemLine{}
	for _, p := range problems {
		line := problemLine{Label: p.Label, Title: p.Title, Points: p.Points, Solved: solved[p.Label]}
		sheet, err := s.Sheet(p.Problem)
		if err != nil {
			return err
		}
		if sheet != nil {
			line.TimeMS, line.Memory = sheet.TimeMS, sheet.Memory
		}
		v.Problems = append(v.Problems, line)
		labels[p.Slug] = p.Label
	}
	for i := range v.Problems {
		best[v.Problems[i].Label] = &v.Problems[i]
	}
	if v.Standing, err = access.Standing(r.Context(), s.Site, access.Of(r).Seat); err != nil {
		return err
	}
	if r.Me != nil {
		const shown, most = 6, 500
		mine, err := s.Store.Submissions(r.Context(), ownFilter(r, "", shown))
		if err != nil {
			return err
		}
		for _, sub := range mine {
			v.Mine = append(v.Mine, access.Of(r).Line(sub, labels, access.Of(r).Ends()))
		}
		attempts, err := s.Store.Attempts(r.Context(), ownFilter(r, "", most))
		if err != nil {
			return err
		}
		for _, a := range attempts {
			line := access.Of(r).Line(a.Best, labels, access.Of(r).Ends())
			if p := best[line.Label]; p != nil {
				p.Tries, p.Best = a.Tries, line.State
			}
		}
	}
	return s.Page(w, r, http.StatusOK, "contest", c.Name, v)
}

// mine lists the submissions of the caller and of their team.
func (s *site) mine(w http.ResponseWriter, r *web.Request) error {
	if err := r.Allow(auth.SeeProblems); err != nil {
		return err
	}
	const most = 500
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	labels := map[string]string{}
	for _, p := range problems {
		labels[p.Slug] = p.Label
	}
	rows, err := s.Store.Submissions(r.Context(), ownFilter(r, "", most))
	if err != nil {
		return err
	}
	v := mineView{Slug: access.Of(r).Contest.Slug}
	for _, row := range rows {
		v.Lines = append(v.Lines, access.Of(r).Line(row, labels, access.Of(r).Ends()))
	}
	return s.Page(w, r, http.StatusOK, "mine", "Your submissions", v)
}

// mineView lists the submissions of the reader and their team.
type mineView struct {
	Slug  string
	Lines []web.Line
}

// ownFilter returns the filter for submissions of the caller and their team. If problem is empty, it matches all
// problems.
func ownFilter(r *web.Request, problem string, limit int) store.Filter {
	f := store.Filter{Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Problem: problem, Limit: limit}
	if access.Of(r).Team != nil {
		f.Account, f.Team = "", access.Of(r).Team.ID
	}
	return f
}

// problemView is the page of a problem.
type problemView struct {
	Slug, Label, Title string
	Statement          statementView
	TimeMS, Memory     int64
	Solved             string // number of teams that solved it, as text; empty if unknown
	Samples, Folded    samplesView
	Asks               bool            // the reader may ask about the problem
	Submit             *web.SourceForm // nil if the reader cannot submit
	Why                string          // why the reader cannot submit
	Mine               []web.Line
	Errors             web.FieldErrors
}

// samplesView lists samples that the statement does not show.
type samplesView struct {
	List  []client.Sample
	Short bool   // all fit into a table
	Base  string // address of the problem's page
}

// Limits for showing samples: the number shown at once, and the lines and characters per line of a short sample.
const (
	mostSamples = 5
	shortLines  = 4
	shortLine   = 36
)

// samplesOf returns the samples that the statement does not show. Folded holds those beyond the first mostSamples.
func samplesOf(sheet *client.Sheet, text, base string) (shown, folded samplesView) {
	all := unshown(sheet, text)
	short := !slices.ContainsFunc(all, func(one client.Sample) bool {
		long := one.Cut
		for _, text := range []string{one.In, one.Ans} {
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			long = long || len(lines) > shortLines || slices.ContainsFunc(lines, func(l string) bool {
				return utf8.RuneCountInString(l) > shortLine
			})
		}
		return long
	})
	n := min(len(all), mostSamples)
	return samplesView{all[:n], short, base}, samplesView{all[n:], short, base}
}

// unshown returns the samples that a statement does not show.
func unshown(sheet *client.Sheet, text string) []client.Sample {
	shows := example.Shows(text)
	return slices.DeleteFunc(slices.Clone(sheet.Samples), func(one client.Sample) bool { return shows(one.In, one.Ans) })
}

// Last returns the reader's newest submission, or nil.
func (v problemView) Last() *web.Line {
	if len(v.Mine) == 0 {
		return nil
	}
	return &v.Mine[0]
}

func (s *site) problem(w http.ResponseWriter, r *web.Request) error {
	if sent, err := s.document(w, r); sent {
		return err
	}
	return s.problemPage(w, r, http.StatusOK, web.SourceForm{Key: rand.Text()}, nil)
}

func (s *site) problemPage(w http.ResponseWriter, r *web.Request, code int, f web.SourceForm, wrong web.FieldErrors) error {
	p := access.Of(r).Problem
	v := problemView{Slug: access.Of(r).Contest.Slug, Label: p.Label, Title: p.Title, Errors: wrong}
	sheet, err := s.Sheet(p.Problem)
	if err != nil {
		return err
	}
	if v.Statement, err = s.statementOf(w, r, sheet, "/c/"+v.Slug+"/p/"+p.Label, access.Of(r).Contest.Settings.Statements); err != nil {
		return err
	}
	if sheet != nil {
		v.TimeMS, v.Memory = sheet.TimeMS, sheet.Memory
		v.Samples, v.Folded = samplesOf(sheet, v.Statement.source, "/c/"+v.Slug+"/p/"+p.Label)
	}
	v.Asks = r.Can(auth.Ask)
	if r.Can(auth.Submit) {
		if f.Languages, err = s.OfferedLanguages(r, sheet, access.Of(r).Contest.Settings.Languages); err != nil {
			return err
		}
		f.MaxSize, v.Submit = s.MaxSize, &f
	} else if r.Me != nil {
		v.Why = "You cannot submit to this contest now."
	}
	if r.Me != nil {
		mine, err := s.Store.Submissions(r.Context(), ownFilter(r, p.Slug, 20))
		if err != nil {
			return err
		}
		for _, sub := range mine {
			v.Mine = append(v.Mine, access.Of(r).Line(sub, map[string]string{p.Slug: p.Label}, access.Of(r).Ends()))
		}
	}
	return s.Page(w, r, code, "problem", p.Label+". "+p.Title, v)
}

// sample sends the input or the answer file of a sample.
func (s *site) sample(w http.ResponseWriter, r *web.Request) error {
	sheet, err := s.Sheet(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if sheet != nil {
		for _, one := range sheet.Samples {
			for name, text := range map[string]string{one.Name + ".in": one.In, one.Name + ".ans": one.Ans} {
				if name == r.PathValue("file") {
					return web.SendFile(w, name, []byte(text))
				}
			}
		}
	}
	return web.ErrNotFound
}

// submit accepts a submission of files or a text.
func (s *site) submit(w http.ResponseWriter, r *web.Request) error {
	f, err := s.ReadSource(w, r)
	if refusal := web.Rejected(err); refusal != nil {
		return s.problemPage(w, r, refusal.Code, web.SourceForm{Key: rand.Text()}, web.Refused(refusal, "file"))
	}
	if err != nil {
		return err
	}
	sheet, err := s.Sheet(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if f.Languages, err = s.OfferedLanguages(r, sheet, access.Of(r).Contest.Settings.Languages); err != nil {
		return err
	}
	n := desk.New{Seat: access.Of(r).Seat, Account: r.Me, Problem: access.Of(r).Problem.Problem, Key: f.Key, Language: f.Chosen}
	texts, err := s.ReadProgram(r, &n, f)
	if err != nil && n.Program != "" && !web.Claimed(n.Program, f.Languages) {
		all, aerr := s.OfferedLanguages(r, sheet, nil)
		if aerr != nil {
			return aerr
		}
		if l := web.ClaimingLanguage(n.Program, all); l != nil {
			err = web.BadField("language", "%s is not allowed in this contest", l.Name)
		}
	}
	if err == nil {
		err = s.Hurried(r.Context(), n)
	}
	if err == nil {
		err = s.StoreProgram(r, &n, texts)
	}
	var kept *store.Accepted
	if err == nil {
		kept, err = s.Take(r.Context(), n)
	}
	if refusal := web.Rejected(err); refusal != nil {
		return s.problemPage(w, r, refusal.Code, f, web.Refused(refusal, "file"))
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/c/%s/s/%d", access.Of(r).Contest.Slug, kept.Number))
}
