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
	"assay/judge/host/intake"
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
	ClosedReason       string // why the problems are not shown
	OwnSubmissions     []web.Line
	Team               string
	Shared             bool   // Team has more than one member
	Standing           string // the team's rank and score; empty if it is not ranked
	CanJoin            bool   // the reader could join after logging in
	CanChange          bool   // the reader may change the contest
	CanStart           bool   // the reader may start the contest
	NoTeams            bool   // no teams have joined
	Announcements      []clarificationLine
	CanPrint           bool // the reader's team can print
}

type problemLine struct {
	Label, Title   string
	Points         int64
	TimeMS, Memory int64
	Best           web.State // best result of the reader
	Attempts       int
	Solved         int // teams
}

// announcements returns the newest announcements of the jury to all teams, or to recipients that include the
// reader's team.
func (s *site) announcements(r *web.Request) ([]clarificationLine, error) {
	const most = 3
	all, _, err := s.Clarifications(r.Context(), access.Of(r).ContestAccess, store.ClarificationFilter{})
	if err != nil {
		return nil, err
	}
	var shown []*store.Clarification
	for _, c := range all {
		if forTeam := c.Jury && c.ConcernsTeam(access.Of(r).Team); c.ToAll() || forTeam && (c.To.Chosen() || c.ReplyTo == 0) {
			shown = append(shown, c)
		}
	}
	return s.clarificationLines(r, shown[:min(most, len(shown))])
}

// solvedCounts maps problem labels to the number of teams that solved each, and returns the number of ranked teams. If
// the caller may not see the scoreboard, it returns nil, 0, nil.
func (s *site) solvedCounts(r *web.Request) (solved map[string]int, ranked int, err error) {
	if !r.Can(auth.SeeScoreboard) {
		return nil, 0, nil
	}
	l, err := s.Scoreboards.Scoreboard(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, 0, err
	}
	solved = map[string]int{}
	_, places, columns := l.Scores(r.Can(auth.SeeAll))
	for _, column := range columns {
		solved[column.Label] = column.Solved
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
		Ends: access.Of(r).Ends(), CanJoin: r.Me == nil, CanChange: r.Can(auth.ChangeContest),
	}
	v.CanStart = v.CanChange && (c.Starts.IsZero() || s.Time().Before(c.Starts))
	if v.CanChange {
		teams, err := s.Store.Teams(r.Context(), c.ID)
		if err != nil {
			return err
		}
		v.NoTeams = len(teams) == 0
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
	v.CanPrint = c.Settings.Printing && access.Of(r).Team != nil
	if v.Announcements, err = s.announcements(r); err != nil {
		return err
	}
	if !r.Can(auth.SeeProblems) {
		if v.ClosedReason = "The problems appear here when the contest starts."; c.Starts.IsZero() {
			v.ClosedReason = "The problems appear here when the jury starts the contest."
		}
		return s.RenderPage(w, r, http.StatusOK, "contest", c.Name, v)
	}
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	solved, ranked, err := s.solvedCounts(r)
	if err != nil {
		return err
	}
	v.Teams = ranked
	best := map[string]*problemLine{}
	for _, p := range problems {
		line := problemLine{Label: p.Label, Title: p.Title, Points: p.Points, Solved: solved[p.Label]}
		info, err := s.ProblemInfo(p.Problem)
		if err != nil {
			return err
		}
		if info != nil {
			line.TimeMS, line.Memory = info.TimeMS, info.Memory
		}
		v.Problems = append(v.Problems, line)
	}
	for i := range v.Problems {
		best[v.Problems[i].Label] = &v.Problems[i]
	}
	if v.Standing, err = access.RankText(r.Context(), s.Site, access.Of(r).ContestAccess); err != nil {
		return err
	}
	if r.Me != nil {
		const shown, most = 6, 500
		submissions, err := s.Store.Submissions(r.Context(), ownFilter(r, "", shown))
		if err != nil {
			return err
		}
		lister, err := access.Of(r).NewLister(problems)
		if err != nil {
			return err
		}
		for _, sub := range submissions {
			v.OwnSubmissions = append(v.OwnSubmissions, lister.Line(sub, access.Of(r).Ends()))
		}
		attempts, err := s.Store.ProgressByProblem(r.Context(), ownFilter(r, "", most))
		if err != nil {
			return err
		}
		for _, a := range attempts {
			line := lister.Line(a.Best, access.Of(r).Ends())
			if p := best[line.Label]; p != nil {
				p.Attempts, p.Best = a.Attempts, line.State
			}
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "contest", c.Name, v)
}

// ownSubmissions lists the submissions of the caller and of their team.
func (s *site) ownSubmissions(w http.ResponseWriter, r *web.Request) error {
	if err := r.CheckPermission(auth.SeeProblems); err != nil {
		return err
	}
	const most = 500
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	lister, err := access.Of(r).NewLister(problems)
	if err != nil {
		return err
	}
	rows, err := s.Store.Submissions(r.Context(), ownFilter(r, "", most))
	if err != nil {
		return err
	}
	v := ownSubmissionsView{Slug: access.Of(r).Contest.Slug, List: web.SubmissionList{Times: access.Of(r).ShowsTimes(), Memory: access.Of(r).ShowsTimes()}}
	for _, row := range rows {
		v.List.Lines = append(v.List.Lines, lister.Line(row, access.Of(r).Ends()))
	}
	return s.RenderPage(w, r, http.StatusOK, "ownsubmissions", "Your submissions", v)
}

// ownSubmissionsView lists the submissions of the reader and their team.
type ownSubmissionsView struct {
	Slug string
	List web.SubmissionList
}

// ownFilter returns the filter for submissions of the caller and their team. If problem is empty, it matches all
// problems.
func ownFilter(r *web.Request, problem string, limit int) store.SubmissionFilter {
	f := store.SubmissionFilter{Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Problem: problem, Limit: limit}
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
	Solved             string // such as "3 of 8" teams; empty if no team is ranked
	Server             string // its address
	Samples, Folded    samplesView
	CanAsk             bool            // the reader may ask about the problem
	Submit             *web.SourceForm // nil if the reader cannot submit
	ClosedReason       string          // why the reader cannot submit
	OwnSubmissions     []web.Line
	ShowsTimes         bool // OwnSubmissions have times
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
	maxSamples    = 5
	maxShortLines = 4
	maxShortLine  = 36
)

// splitSamples returns the samples that the statement does not show. Folded holds those beyond the first maxSamples.
func splitSamples(info *client.ProblemInfo, text, base string) (shown, folded samplesView) {
	samples := samplesNotInStatement(info, text)
	short := !slices.ContainsFunc(samples, func(sample client.Sample) bool {
		long := sample.Cut
		for _, text := range []string{sample.In, sample.Ans} {
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			long = long || len(lines) > maxShortLines || slices.ContainsFunc(lines, func(l string) bool {
				return utf8.RuneCountInString(l) > maxShortLine
			})
		}
		return long
	})
	n := min(len(samples), maxSamples)
	return samplesView{samples[:n], short, base}, samplesView{samples[n:], short, base}
}

// samplesNotInStatement returns the samples that a statement does not show.
func samplesNotInStatement(info *client.ProblemInfo, text string) []client.Sample {
	shows := example.Shows(text)
	return slices.DeleteFunc(slices.Clone(info.Samples), func(one client.Sample) bool { return shows(one.In, one.Ans) })
}

// NewestSubmission returns the reader's newest submission, or nil.
func (v problemView) NewestSubmission() *web.Line {
	if len(v.OwnSubmissions) == 0 {
		return nil
	}
	return &v.OwnSubmissions[0]
}

func (s *site) problem(w http.ResponseWriter, r *web.Request) error {
	if sent, err := s.statementDocument(w, r); sent {
		return err
	}
	return s.problemPage(w, r, http.StatusOK, web.SourceForm{Key: rand.Text()}, nil)
}

func (s *site) problemPage(w http.ResponseWriter, r *web.Request, code int, f web.SourceForm, fieldErrors web.FieldErrors) error {
	p := access.Of(r).Problem
	v := problemView{Slug: access.Of(r).Contest.Slug, Label: p.Label, Title: p.Title, Errors: fieldErrors}
	info, err := s.ProblemInfo(p.Problem)
	if err != nil {
		return err
	}
	if v.Statement, err = s.renderStatement(w, r, info, "/c/"+v.Slug+"/p/"+p.Label, access.Of(r).Contest.Settings.Statements); err != nil {
		return err
	}
	if info != nil {
		v.TimeMS, v.Memory = info.TimeMS, info.Memory
		v.Samples, v.Folded = splitSamples(info, v.Statement.source, "/c/"+v.Slug+"/p/"+p.Label)
	}
	solved, ranked, err := s.solvedCounts(r)
	if err != nil {
		return err
	}
	if ranked > 0 {
		v.Solved = fmt.Sprintf("%d of %d", solved[p.Label], ranked)
	}
	v.CanAsk, v.Server = r.Can(auth.RequestClarification), s.URL
	if r.Can(auth.Submit) {
		if f.Languages, err = s.OfferedLanguages(r, info, access.Of(r).Contest.Settings.Languages); err != nil {
			return err
		}
		f.MaxSize, v.Submit = s.MaxSize, &f
	} else if r.Me != nil {
		v.ClosedReason = "You cannot submit to this contest now."
	}
	if r.Me != nil {
		submissions, err := s.Store.Submissions(r.Context(), ownFilter(r, p.Slug, 20))
		if err != nil {
			return err
		}
		lister, err := access.Of(r).NewLister([]*store.ContestProblem{p})
		if err != nil {
			return err
		}
		v.ShowsTimes = access.Of(r).ShowsTimes()
		for _, sub := range submissions {
			v.OwnSubmissions = append(v.OwnSubmissions, lister.Line(sub, access.Of(r).Ends()))
		}
	}
	return s.RenderPage(w, r, code, "problem", p.Label+". "+p.Title, v)
}

// sample sends the input or the answer file of a sample.
func (s *site) sample(w http.ResponseWriter, r *web.Request) error {
	info, err := s.ProblemInfo(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if info != nil {
		for _, sample := range info.Samples {
			for name, text := range map[string]string{sample.Name + ".in": sample.In, sample.Name + ".ans": sample.Ans} {
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
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.problemPage(w, r, refusal.Code, web.SourceForm{Key: rand.Text()}, web.RefusalErrors(refusal, "file"))
	}
	if err != nil {
		return err
	}
	info, err := s.ProblemInfo(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if f.Languages, err = s.OfferedLanguages(r, info, access.Of(r).Contest.Settings.Languages); err != nil {
		return err
	}
	n := intake.NewSubmission{
		Access: access.Of(r).ContestAccess, Account: r.Me, Problem: access.Of(r).Problem.Problem, Key: f.Key,
		Language: f.SelectedLanguage,
	}
	texts, err := s.ReadSourceFiles(r, &n, f)
	if err != nil && n.Program != "" && !web.ExtensionSelects(n.Program, f.Languages) {
		offered, aerr := s.OfferedLanguages(r, info, nil)
		if aerr != nil {
			return aerr
		}
		if l := web.LanguageForFile(n.Program, offered); l != nil {
			err = web.BadField("language", "%s is not allowed in this contest", l.Name)
		}
	}
	if err == nil {
		err = s.CheckRate(r.Context(), n)
	}
	if err == nil {
		err = s.StoreSourceFiles(r, &n, texts)
	}
	var stored *store.StoredSubmission
	if err == nil {
		stored, err = s.Submit(r.Context(), n)
	}
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.problemPage(w, r, refusal.Code, f, web.RefusalErrors(refusal, "file"))
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/c/%s/s/%d", access.Of(r).Contest.Slug, stored.Number))
}
