package contest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// contestView is the page of a contest.
type contestView struct {
	Slug, Name   string
	Starts, Ends time.Time
	Problems     []problemLine
	Closed       string // why the problems are not shown
	Mine         []web.Line
	Team         string
	LogIn        bool                // the reader could take part after logging in
	Announced    []clarificationLine // the last to all
}

type problemLine struct {
	Label, Title string
	Points       int64
	Colour       string
	Best         web.State // the reader's
	Tries        int
}

func (s *site) contest(w http.ResponseWriter, r *web.Request) (err error) {
	c := access.Of(r).Contest
	v := contestView{Slug: c.Slug, Name: c.Name, Starts: c.Starts, Ends: access.Of(r).Ends(), LogIn: r.Me == nil}
	if access.Of(r).Team != nil {
		v.Team = access.Of(r).Team.Name
	}
	const announced = 3
	if v.Announced, err = s.clarificationsOf(r, store.ClarificationFilter{Contest: c.ID, Limit: announced}); err != nil {
		return err
	}
	if !r.Can(auth.SeeProblems) {
		v.Closed = "The problems are here as soon as the contest begins."
		return s.Page(w, r, http.StatusOK, "contest", c.Name, v)
	}
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	labels, best := map[string]string{}, map[string]*problemLine{}
	for _, p := range problems {
		v.Problems = append(v.Problems, problemLine{Label: p.Label, Title: p.Title, Points: p.Points, Colour: p.Colour})
		labels[p.Slug] = p.Label
	}
	for i := range v.Problems {
		best[v.Problems[i].Label] = &v.Problems[i]
	}
	if r.Me != nil {
		const shown = 20
		mine, err := s.Store.Submissions(r.Context(), mine(r, "", 500))
		if err != nil {
			return err
		}
		for i, sub := range mine {
			line := access.Of(r).Line(sub, labels, access.Of(r).Ends())
			if i < shown {
				v.Mine = append(v.Mine, line)
			}
			if p := best[line.Label]; p != nil && !sub.Ignored {
				p.Tries++
				if p.Best.Words == "" || sub.Verdict == judge.Accepted {
					p.Best = line.State
				}
			}
		}
	}
	return s.Page(w, r, http.StatusOK, "contest", c.Name, v)
}

// mine are the submissions of the caller and of their team, to a problem or to all.
func mine(r *web.Request, problem string, limit int) store.Filter {
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
	Samples            []client.Sample
	Submit             *web.SourceForm // nil where nothing may be submitted
	Why                string          // and why not
	Mine               []web.Line
	Wrong              string
}

func (s *site) problem(w http.ResponseWriter, r *web.Request) error {
	return s.problemPage(w, r, http.StatusOK, web.SourceForm{Key: rand.Text()}, "")
}

func (s *site) problemPage(w http.ResponseWriter, r *web.Request, code int, f web.SourceForm, wrong string) error {
	p := access.Of(r).Problem
	v := problemView{Slug: access.Of(r).Contest.Slug, Label: p.Label, Title: p.Title, Wrong: wrong}
	sheet, err := s.Sheet(p.Problem)
	if err != nil {
		return err
	}
	if v.Statement, err = s.statementOf(w, r, sheet, "/c/"+v.Slug+"/p/"+p.Label, access.Of(r).Contest.Settings.Statements); err != nil {
		return err
	}
	if sheet != nil {
		v.TimeMS, v.Memory, v.Samples = sheet.TimeMS, sheet.Memory, sheet.Samples
	}
	if r.Can(auth.Submit) {
		if f.Languages, err = s.OfferedLanguages(r, sheet, access.Of(r).Contest.Settings.Languages); err != nil {
			return err
		}
		f.MaxSize, v.Submit = s.MaxSize, &f
	} else if r.Me != nil {
		v.Why = "This contest takes no submissions from you now."
	}
	if r.Me != nil {
		mine, err := s.Store.Submissions(r.Context(), mine(r, p.Slug, 20))
		if err != nil {
			return err
		}
		for _, sub := range mine {
			v.Mine = append(v.Mine, access.Of(r).Line(sub, map[string]string{p.Slug: p.Label}, access.Of(r).Ends()))
		}
	}
	return s.Page(w, r, code, "problem", p.Label+". "+p.Title, v)
}

// sample is the input or the answer of a sample, to be kept as a file.
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

// submit takes a submission: files, or a text.
func (s *site) submit(w http.ResponseWriter, r *web.Request) error {
	f, err := s.ReadSource(w, r)
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
			err = web.BadRequest("%s is not taken in this contest", l.Name)
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
		return s.problemPage(w, r, refusal.Code, f, web.Reason(refusal))
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/c/%s/s/%d", access.Of(r).Contest.Slug, kept.Number))
}
