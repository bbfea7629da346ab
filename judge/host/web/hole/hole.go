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
	"assay/judge/host/desk"
	"assay/judge/host/flow"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// asPost is the form value for a post in the style of Code Golf Stack Exchange, whose header names the language.
const asPost = "post"

// holeView is the page of a hole, for one language or for all.
type holeView struct {
	Slug, Name string
	Language   string // language key of the ranking; empty for all languages
	LanguageIs string // name of that language
	By         scoring.Measure
	Statement  template.HTML
	Missing    bool
	Submit     *golfForm // nil if the reader cannot submit
	Why        string    // why the reader cannot submit
	Errors     web.FieldErrors
	Board      []golfer
	Languages  []golfLanguage
	Records    []golfRecord
	Mine       []answerLine
	Shown      bool // valid submissions may be read
	Changes    bool // the reader may change the hole
	Line       Line // the hole as listed, with its closing time
}

// golfForm is the form for a golf submission.
type golfForm struct {
	web.SourceForm
	Flags, As string
}

// A golfer is a row of a ranking.
type golfer struct {
	Rank, Size int
	Who        string
	Language   string
	Since      time.Time
	Points     int
	Link       string // to the submission; empty if the reader may not read it
	Mine       bool
}

// A golfLanguage is a language and its best submission.
type golfLanguage struct {
	Name, Link string
	Size, Many int
	Who        string
}

// A golfRecord is a submission that was shorter than all earlier ones.
type golfRecord struct {
	At       time.Time
	Who      string
	Language string
	Size     int
	Before   int
}

// An answerLine is one of the caller's submissions in a list.
type answerLine struct {
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

func (s *site) holePage(w http.ResponseWriter, r *web.Request, code int, f golfForm, wrong web.FieldErrors) error {
	h := at(r).Hole
	v := holeView{
		Slug: h.Slug, Name: h.Name, Language: r.PathValue("lang"), By: measure(r), Errors: wrong, Shown: h.Shown,
		Changes: r.Can(auth.Make), Line: newLine(h, at(r).now),
	}
	p, err := s.Store.Problem(r.Context(), h.ProblemSlug)
	if err != nil {
		return err
	}
	sheet, err := s.Sheet(p)
	if err != nil {
		return err
	}
	text, names := "", map[string]string(nil)
	if sheet != nil && sheet.GolfStatement != "" {
		text, names = sheet.GolfStatement, sheet.GolfPictures
	} else if sheet != nil && len(sheet.All()) > 0 {
		text, names = sheet.All()[0].Text, sheet.All()[0].Pictures
	}
	if v.Missing = text == ""; !v.Missing {
		key := web.StatementKey{Sheet: p.Sheet, Of: web.GolfStatement, Base: "/hole/" + h.Slug}
		if v.Statement, err = s.Statement(key, sheet, text, names); err != nil {
			return err
		}
	}
	offered, err := s.OfferedLanguages(r, sheet, nil)
	if err != nil {
		return err
	}
	for _, l := range offered {
		if l.ID == v.Language {
			v.LanguageIs, f.Chosen = l.Name, cmp.Or(f.Chosen, l.ID)
		}
	}
	if err := s.boards(r, &v); err != nil {
		return err
	}
	if v.Language != "" && v.LanguageIs == "" {
		return web.ErrNotFound
	}
	switch f.Languages, f.MaxSize = offered, s.MaxSize; {
	case r.Can(auth.Golf):
		v.Submit = &f
	default:
		v.Why = at(r).Closed().Sentence()
	}
	title := h.Name
	if v.LanguageIs != "" {
		title += " in " + v.LanguageIs
	}
	return s.Page(w, r, code, "hole", title, v)
}

// measure returns what the ranking counts: bytes, or characters if the address asks for them.
func measure(r *web.Request) scoring.Measure {
	if r.URL.Query().Get("by") == string(scoring.Chars) {
		return scoring.Chars
	}
	return scoring.Bytes
}

// boards sets the rankings and lists in v.
func (s *site) boards(r *web.Request, v *holeView) error {
	h := at(r).Hole
	right, by, err := s.RightAnswers(r.Context(), h)
	if err != nil {
		return err
	}
	keys := map[string]*golfLanguage{}
	for _, a := range right {
		if key, l := a.Language, by[a.Number]; keys[key] == nil && a.Stands {
			keys[key] = &golfLanguage{Name: l.Name, Link: "/hole/" + h.Slug + "/" + url.PathEscape(key)}
		}
		if a.Language == v.Language {
			v.LanguageIs = by[a.Number].Name
		}
	}
	for key, l := range keys {
		board := scoring.Golf(right, key, v.By)
		l.Size, l.Many, l.Who = board[0].Size(v.By), len(board), by[board[0].Number].Display
		v.Languages = append(v.Languages, *l)
	}
	slices.SortFunc(v.Languages, func(a, b golfLanguage) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, p := range scoring.Golf(right, v.Language, v.By) {
		a := by[p.Number]
		row := golfer{
			Rank: p.Rank, Size: p.Size(v.By), Who: a.Display, Language: a.Name, Since: p.Since, Points: p.Points,
			Mine: r.Me != nil && a.Account == r.Me.ID,
		}
		if at(r).Look(a).Can(auth.SeeAnswer) {
			row.Link = fmt.Sprintf("/hole/%s/s/%d", h.Slug, a.Number)
		}
		v.Board = append(v.Board, row)
	}
	const recent = 20
	records := scoring.Records(right, v.Language, v.By)
	for _, one := range slices.Backward(records[max(0, len(records)-recent):]) {
		a := by[one.Number]
		v.Records = append(v.Records, golfRecord{one.Stood, a.Display, a.Name, one.Size(v.By), one.Before})
	}
	if r.Me == nil {
		return nil
	}
	mine, err := s.Store.Answers(r.Context(), h.ID, r.Me.ID, recent)
	for _, a := range mine {
		v.Mine = append(v.Mine, answerLine{a.Number, a.Name, a.Bytes, a.Chars, a.Received, s.answerState(a), a.Why})
	}
	return err
}

// claimed reports whether a worker has claimed the job with the given key in the check of a golf submission.
func (s *site) claimed(a *store.Answer, key string) bool {
	return s.Dispatch.JobState(store.JobID(a.Flow, key), store.Out) == store.Out
}

// answerState returns the state of a golf submission for display.
func (s *site) answerState(a *store.Answer) web.State {
	switch {
	case a.State == store.Proving && !s.claimed(a, flow.QuickKey) && !s.claimed(a, flow.WholeKey):
		return web.State{Class: "none", Words: "waiting", Open: true}
	case a.State == store.Proving:
		return web.State{Class: "none", Words: "checking", Open: true}
	case a.State == store.Standing:
		return web.State{Class: "ac", Code: string(a.Verdict), Words: "valid"}
	case a.State == store.Greyed:
		return web.State{Class: "none", Code: string(a.Verdict), Words: "no longer valid"}
	case a.Verdict == "":
		return web.State{Class: "none", Words: "not checked"}
	}
	return web.State{Class: "wa", Code: string(a.Verdict)}
}

// golf accepts a golf submission, which is a file or a text.
func (s *site) golf(w http.ResponseWriter, r *web.Request) error {
	source, err := s.ReadSource(w, r)
	if refusal := web.Rejected(err); refusal != nil {
		return s.holePage(w, r, refusal.Code, golfForm{SourceForm: web.SourceForm{Key: rand.Text()}}, web.Refused(refusal, "file"))
	}
	if err != nil {
		return err
	}
	f := golfForm{SourceForm: source, Flags: r.PostFormValue("flags"), As: r.PostFormValue("as")}
	n := desk.NewAnswer{
		HoleSeat: at(r).HoleSeat, Key: f.Key,
		How: flow.HoleAnswer{Language: f.Chosen, Flags: strings.Fields(f.Flags), As: f.As},
	}
	var kept *store.Answer
	if err = s.readAnswer(r, &n, f.Text); err == nil {
		kept, err = s.TakeAnswer(r.Context(), n)
	}
	if refusal := web.Rejected(err); refusal != nil {
		return s.holePage(w, r, refusal.Code, f, web.Refused(refusal, "text"))
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/hole/%s/s/%d", at(r).Hole.Slug, kept.Number))
}

// readAnswer reads the form into n.
func (s *site) readAnswer(r *web.Request, n *desk.NewAnswer, text string) error {
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
	if n.How.Language == asPost {
		n.Name, n.How.Language = "answer.md", ""
	}
	return nil
}
