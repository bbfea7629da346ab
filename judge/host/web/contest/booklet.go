package contest

import (
	"cmp"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/report"
)

// bookletView holds the statements of a contest, for printing.
type bookletView struct {
	Slug    string
	Booklet template.HTML
}

// booklet shows all statements of a contest on one page, for printing.
func (s *site) booklet(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	b := report.Booklet{Title: c.Name, About: formatPeriod(c.Starts, access.Of(r).Ends())}
	for _, p := range problems {
		problem, err := s.bookletProblem(w, r, p)
		if err != nil {
			return err
		}
		b.Problems = append(b.Problems, problem)
	}
	v := bookletView{Slug: c.Slug}
	if v.Booklet, err = report.BookletFragment(&b); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "booklet", "All problems", v)
}

func (s *site) bookletProblem(w http.ResponseWriter, r *web.Request, p *store.ContestProblem) (one report.BookletProblem, err error) {
	one = report.BookletProblem{Label: p.Label, Title: p.Title, Language: "en"}
	info, err := s.ProblemInfo(p.Problem)
	if err != nil || info == nil {
		return one, err
	}
	base := "/c/" + access.Of(r).Contest.Slug + "/p/" + p.Label
	one.CPU, one.Memory = time.Duration(info.TimeMS)*time.Millisecond, info.Memory
	statement := s.chooseStatement(w, r, info.StatementsIn(access.Of(r).Contest.Settings.Statements))
	if statement != nil {
		one.Language = cmp.Or(statement.Language, "en")
		one.Markdown, one.Pictures = []byte(statement.Text), web.Pictures(info, statement.Pictures, base)
		if f := info.File(statement.Document); f != nil && strings.TrimSpace(statement.Text) == "" {
			one.Document, one.Link = path.Base(f.Name), web.FileLink(base, f)
			return one, nil // the document contains the samples
		}
	}
	for _, sample := range samplesNotInStatement(info, string(one.Markdown)) {
		if sample.Cut {
			sample.In, sample.Ans = sample.In+"\n...", ""
		}
		one.Samples = append(one.Samples, report.BookletSample{In: sample.In, Out: sample.Ans})
	}
	return one, nil
}

// formatPeriod returns the date and time of a contest. It returns an empty string if the contest is not scheduled.
func formatPeriod(starts, ends time.Time) string {
	const day, clock = "2 January 2006", "15:04"
	switch start, end := starts.Local(), ends.Local(); {
	case starts.IsZero():
		return ""
	case ends.IsZero():
		return start.Format(day + ", " + clock + " MST")
	case start.Format(day) == end.Format(day):
		return start.Format(day+", "+clock) + " to " + end.Format(clock+" MST")
	default:
		return start.Format(day+", "+clock) + " to " + end.Format(day+", "+clock+" MST")
	}
}
