package hole

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/workflow"
)

// postFormat is the form value for a post in the style of Code Golf Stack Exchange, whose header names the language.
const postFormat = "post"

// holeView is the page of a hole, for one language or for all.
type holeView struct {
	Slug, Name   string
	Language     string // language key of the ranking; empty for all languages
	LanguageName string // name of that language
	Measure      scoring.Measure
	Statement    template.HTML
	NoStatement  bool
	Submit       *golfForm // nil if the reader cannot submit
	Why          string    // why the reader cannot submit
	Errors       web.FieldErrors
	Ranking      []golfer
	Languages    []golfLanguage
	Records      []golfRecord
	Mine         []submissionLine
	Shown        bool // valid submissions may be read
	CanChange    bool // the reader may change the hole
	Line         Line // the hole as listed, with its closing time
}

// golfForm is the form for a golf submission.
type golfForm struct {
	web.SourceForm
	Flags, As string
}

// A golfer is a row of a ranking.
type golfer struct {
	Rank, Size int
	Author     string
	Language   string
	Since      time.Time
	Points     int
	Link       string // to the submission; empty if the reader may not read it
	Mine       bool
}

// A golfLanguage is a language and its best submission.
type golfLanguage struct {
	Name, Link        string
	Size, Submissions int
	Author            string
}

// A golfRecord is a submission that was shorter than all earlier ones.
type golfRecord struct {
	At       time.Time
	Author   string
	Language string
	Size     int
	OldSize  int
}

// An submissionLine is one of the caller's submissions in a list.
type submissionLine struct {
	Number   int64
	Language string
	Size     int
	Chars    int
	Received time.Time
	State    web.State
	Why      string
}

func (s *site) hole(w http.ResponseWriter, r *web.Request) error {
	return s.holePage(w, r, http.StatusOK, golfForm{SourceForm: web.SourceForm{Key: rand.Text()}}, nil)
}

func (s *site) holePage(w http.ResponseWriter, r *web.Request, code int, f golfForm, fieldErrors web.FieldErrors) error {
	h := accessOf(r).Hole
	v := holeView{
		Slug: h.Slug, Name: h.Name, Language: r.PathValue("lang"), Measure: measureOf(r), Errors: fieldErrors, Shown: h.ShowSubmissions,
		CanChange: r.Can(auth.ManageContent), Line: newLine(h, accessOf(r).now),
	}
	p, err := s.Store.Problem(r.Context(), h.ProblemSlug)
	if err != nil {
		return err
	}
	info, err := s.ProblemInfo(p)
	if err != nil {
		return err
	}
	text, names := "", map[string]string(nil)
	if info != nil && info.GolfStatement != "" {
		text, names = info.GolfStatement, info.GolfPictures
	} else if info != nil && len(info.AllStatements()) > 0 {
		text, names = info.AllStatements()[0].Text, info.AllStatements()[0].Pictures
	}
	if v.NoStatement = text == ""; !v.NoStatement {
		key := web.StatementKey{ProblemInfo: p.ProblemInfo, Of: web.GolfStatementLanguage, Base: "/hole/" + h.Slug}
		if v.Statement, err = s.Statement(key, info, text, names); err != nil {
			return err
		}
	}
	offered, err := s.OfferedLanguages(r, info, nil)
	if err != nil {
		return err
	}
	for _, l := range offered {
		if l.ID == v.Language {
			v.LanguageName, f.SelectedLanguage = l.Name, cmp.Or(f.SelectedLanguage, l.ID)
		}
	}
	if err := s.setRankings(r, &v); err != nil {
		return err
	}
	if v.Language != "" && v.LanguageName == "" {
		return web.ErrNotFound
	}
	switch f.Languages, f.MaxSize = offered, s.MaxSize; {
	case r.Can(auth.SubmitGolf):
		v.Submit = &f
	default:
		v.Why = accessOf(r).Closed().Sentence()
	}
	title := h.Name
	if v.LanguageName != "" {
		title += " in " + v.LanguageName
	}
	return s.RenderPage(w, r, code, "hole", title, v)
}

// measureOf returns what the ranking counts: bytes, or characters if the address asks for them.
func measureOf(r *web.Request) scoring.Measure {
	if r.URL.Query().Get("by") == string(scoring.Chars) {
		return scoring.Chars
	}
	return scoring.Bytes
}

// setRankings sets the rankings and lists in v.
func (s *site) setRankings(r *web.Request, v *holeView) error {
	h := accessOf(r).Hole
	submissions, byNumber, err := s.ValidSubmissions(r.Context(), h)
	if err != nil {
		return err
	}
	keys := map[string]*golfLanguage{}
	for _, a := range submissions {
		if key, l := a.Language, byNumber[a.Number]; keys[key] == nil && a.Valid {
			keys[key] = &golfLanguage{Name: l.Name, Link: "/hole/" + h.Slug + "/" + url.PathEscape(key)}
		}
		if a.Language == v.Language {
			v.LanguageName = byNumber[a.Number].Name
		}
	}
	for key, l := range keys {
		board := scoring.RankGolf(submissions, key, v.Measure)
		l.Size, l.Submissions, l.Author = board[0].Size(v.Measure), len(board), byNumber[board[0].Number].Display
		v.Languages = append(v.Languages, *l)
	}
	slices.SortFunc(v.Languages, func(a, b golfLanguage) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, p := range scoring.RankGolf(submissions, v.Language, v.Measure) {
		a := byNumber[p.Number]
		row := golfer{
			Rank: p.Rank, Size: p.Size(v.Measure), Author: a.Display, Language: a.Name, Since: p.Since, Points: p.Points,
			Mine: r.Me != nil && a.Account == r.Me.ID,
		}
		if accessOf(r).ForSubmission(a).Can(auth.SeeGolfSubmission) {
			row.Link = fmt.Sprintf("/hole/%s/s/%d", h.Slug, a.Number)
		}
		v.Ranking = append(v.Ranking, row)
	}
	const recent = 20
	records := scoring.Records(submissions, v.Language, v.Measure)
	for _, record := range slices.Backward(records[max(0, len(records)-recent):]) {
		a := byNumber[record.Number]
		v.Records = append(v.Records, golfRecord{record.ValidSince, a.Display, a.Name, record.Size(v.Measure), record.Before})
	}
	if r.Me == nil {
		return nil
	}
	ownSubmissions, err := s.Store.GolfSubmissions(r.Context(), h.ID, r.Me.ID, recent)
	for _, a := range ownSubmissions {
		v.Mine = append(v.Mine, submissionLine{a.Number, a.Name, a.Bytes, a.Chars, a.Received, s.submissionState(a), a.Why})
	}
	return err
}

// isClaimed reports whether a worker has claimed the job with the given key in the check of a golf submission.
func (s *site) isClaimed(a *store.GolfSubmission, key string) bool {
	return s.Dispatch.JobState(store.WorkflowJobID(a.Workflow, key), store.JobDispatched) == store.JobDispatched
}

// submissionState returns the state of a golf submission for display.
func (s *site) submissionState(a *store.GolfSubmission) web.State {
	switch {
	case a.State == store.GolfChecking && !s.isClaimed(a, workflow.SamplesKey) && !s.isClaimed(a, workflow.ExhaustiveKey):
		return web.State{Class: "none", Words: "waiting", Pending: true}
	case a.State == store.GolfChecking:
		return web.State{Class: "none", Words: "checking", Pending: true}
	case a.State == store.GolfValid:
		return web.State{Class: "ac", Code: string(a.Verdict), Words: "valid"}
	case a.State == store.GolfInvalidated:
		return web.State{Class: "none", Code: string(a.Verdict), Words: "no longer valid"}
	case a.Verdict == "":
		return web.State{Class: "none", Words: "not checked"}
	}
	return web.State{Class: "wa", Code: string(a.Verdict)}
}

// submit accepts a golf submission, which is a file or a text.
func (s *site) submit(w http.ResponseWriter, r *web.Request) error {
	source, err := s.ReadSource(w, r)
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.holePage(w, r, refusal.Code, golfForm{SourceForm: web.SourceForm{Key: rand.Text()}}, web.RefusalErrors(refusal, "file"))
	}
	if err != nil {
		return err
	}
	f := golfForm{SourceForm: source, Flags: r.PostFormValue("flags"), As: r.PostFormValue("as")}
	n := intake.NewGolfSubmission{
		HoleAccess: accessOf(r).HoleAccess, Key: f.Key,
		Options: workflow.GolfSubmissionOptions{Language: f.SelectedLanguage, Flags: strings.Fields(f.Flags), Reading: f.As},
	}
	var stored *store.GolfSubmission
	if err = s.readSubmission(r, &n, f.Text); err == nil {
		stored, err = s.SubmitGolf(r.Context(), n)
	}
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.holePage(w, r, refusal.Code, f, web.RefusalErrors(refusal, "text"))
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/hole/%s/s/%d", accessOf(r).Hole.Slug, stored.Number))
}

// readSubmission reads the form into n.
func (s *site) readSubmission(r *web.Request, n *intake.NewGolfSubmission, text string) error {
	n.Data = []byte(strings.ReplaceAll(text, "\r\n", "\n")) // browsers send CRLF
	files, err := r.Files(s.MaxSize)
	if err != nil {
		return err
	}
	if len(files) > 1 || len(files) == 1 && strings.TrimSpace(text) != "" {
		return web.BadField("file", "a submission is one file or one text: send one of them")
	}
	for _, f := range files {
		n.Name, n.Data = f.Name, f.Data
	}
	if n.Options.Language == postFormat {
		n.Name, n.Options.Language = "answer.md", ""
	}
	return nil
}
