package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/report"
)

// homeView is the page that everybody comes to.
type homeView struct {
	Groups  []contestGroup
	Ladders []ladderLine
	Holes   []*store.Hole
	Empty   bool // there is no contest at all that the reader may see
}

type contestGroup struct {
	Title    string
	Contests []contestLine
}

type contestLine struct {
	Slug, Name string
	Starts     time.Time
	Length     time.Duration
	Clock      clockView
	Hidden     bool // but for staff
}

func (s *site) home(w http.ResponseWriter, r *ask) error {
	all, err := s.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	groups := map[auth.Phase]*contestGroup{auth.Running: {Title: "Running"}, auth.Before: {Title: "Coming"}, auth.Over: {Title: "Past"}}
	v := homeView{Empty: true}
	for _, c := range slices.Backward(all) {
		seat, err := s.Seat(r.Context(), c, r.me)
		if err != nil {
			return err
		}
		if !seat.Can(auth.SeeContest) {
			continue
		}
		g := groups[seat.State.Phase]
		g.Contests = append(g.Contests, contestLine{c.Slug, c.Name, c.Starts, c.Length, s.clock(seat), c.Visibility == store.Staff})
		v.Empty = false
	}
	for _, phase := range []auth.Phase{auth.Running, auth.Before, auth.Over} {
		if len(groups[phase].Contests) > 0 {
			v.Groups = append(v.Groups, *groups[phase])
		}
	}
	if v.Ladders, err = s.ladderLines(r); err != nil {
		return err
	}
	if v.Holes, err = s.holeLines(r); err != nil {
		return err
	}
	v.Empty = v.Empty && len(v.Ladders)+len(v.Holes) == 0
	return s.page(w, r, http.StatusOK, "home", s.Name, v)
}

// contestView is the page of a contest.
type contestView struct {
	Slug, Name   string
	Starts, Ends time.Time
	Problems     []problemLine
	Closed       string // why the problems are not shown
	Mine         []lineView
	Team         string
	LogIn        bool                // the reader could take part after logging in
	Announced    []clarificationLine // the last to all
}

type problemLine struct {
	Label, Title string
	Points       int64
	Colour       string
	Best         stateView // the reader's
	Tries        int
}

func (s *site) contest(w http.ResponseWriter, r *ask) (err error) {
	c := r.seat.Contest
	v := contestView{Slug: c.Slug, Name: c.Name, Starts: c.Starts, Ends: r.seat.Ends(), LogIn: r.me == nil}
	if r.seat.Team != nil {
		v.Team = r.seat.Team.Name
	}
	const announced = 3
	if v.Announced, err = s.clarificationsOf(r, store.ClarificationFilter{Contest: c.ID, Limit: announced}); err != nil {
		return err
	}
	if !r.can(auth.SeeProblems) {
		v.Closed = "The problems are here as soon as the contest begins."
		return s.page(w, r, http.StatusOK, "contest", c.Name, v)
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
	if r.me != nil {
		const shown = 20
		mine, err := s.Store.Submissions(r.Context(), mine(r, "", 500))
		if err != nil {
			return err
		}
		for i, sub := range mine {
			line := s.line(r, sub, labels, r.seat.Ends())
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
	return s.page(w, r, http.StatusOK, "contest", c.Name, v)
}

// mine are the submissions of the caller and of their team, to a problem or to all.
func mine(r *ask, problem string, limit int) store.Filter {
	f := store.Filter{Contest: r.seat.Contest.ID, Account: r.me.ID, Problem: problem, Limit: limit}
	if r.seat.Team != nil {
		f.Account, f.Team = "", r.seat.Team.ID
	}
	return f
}

// ends are when the contest ends for its teams; for one that is not there, and for nobody, when
// it ends for those without extra time. A zero time is never.
func (s *site) ends(r *ask) (func(team string) time.Time, error) {
	end := r.seat.Contest.Ends()
	if end.IsZero() {
		return func(string) time.Time { return end }, nil
	}
	teams, err := s.Store.Teams(r.Context(), r.seat.Contest.ID)
	extra := map[string]time.Duration{}
	for _, t := range teams {
		extra[t.ID] = t.ExtraTime
	}
	return func(team string) time.Time { return end.Add(extra[team]) }, err
}

// line is a row of a list of submissions; those that came at the end or later do not count.
func (s *site) line(r *ask, sub *store.Submission, labels map[string]string, end time.Time) lineView {
	label := labels[sub.Problem]
	if label == "" {
		label = "?" // the problem left the contest
	}
	return lineView{
		Slug: r.seat.Contest.Slug, Number: sub.Number, Label: label, Who: sub.Display, Program: sub.Program, Received: sub.Received,
		Late: !end.IsZero() && !sub.Received.Before(end), State: stateOfSent(sub, r.can(auth.SeeAll)),
	}
}

// problemView is the page of a problem.
type problemView struct {
	Slug, Label, Title string
	Statement          statementView
	TimeMS, Memory     int64
	Samples            []client.Sample
	Submit             *submitView // nil where nothing may be submitted
	Why                string      // and why not
	Mine               []lineView
	Wrong              string
}

// submitView is the form by which one submits.
type submitView struct {
	Key       string // that makes sending twice harmless
	Languages []offeredLanguage
	Chosen    string // id
	Text      string
	MaxSize   int64
}

// offeredLanguage is a language that may be chosen. Claims are the endings of files that tell
// it: several languages may have the same, and the first one claims it.
type offeredLanguage struct {
	client.OfferedLanguage
	Claims []string
}

func (s *site) problem(w http.ResponseWriter, r *ask) error {
	return s.problemPage(w, r, http.StatusOK, submitView{Key: rand.Text()}, "")
}

func (s *site) problemPage(w http.ResponseWriter, r *ask, code int, f submitView, wrong string) error {
	p := r.problem
	v := problemView{Slug: r.seat.Contest.Slug, Label: p.Label, Title: p.Title, Wrong: wrong}
	sheet, err := s.Sheet(p.Problem)
	if err != nil {
		return err
	}
	if v.Statement, err = s.statementOf(w, r, sheet, "/c/"+v.Slug+"/p/"+p.Label, r.seat.Contest.Settings.Statements); err != nil {
		return err
	}
	if sheet != nil {
		v.TimeMS, v.Memory, v.Samples = sheet.TimeMS, sheet.Memory, sheet.Samples
	}
	if r.can(auth.Submit) {
		if f.Languages, err = s.offered(r, sheet, r.seat.Contest.Settings.Languages); err != nil {
			return err
		}
		f.MaxSize, v.Submit = s.MaxSize, &f
	} else if r.me != nil {
		v.Why = "This contest takes no submissions from you now."
	}
	if r.me != nil {
		mine, err := s.Store.Submissions(r.Context(), mine(r, p.Slug, 20))
		if err != nil {
			return err
		}
		for _, sub := range mine {
			v.Mine = append(v.Mine, s.line(r, sub, map[string]string{p.Slug: p.Label}, r.seat.Ends()))
		}
	}
	return s.page(w, r, code, "problem", p.Label+". "+p.Title, v)
}

// withoutTitle is a statement without the heading that it begins with: the page has one.
func withoutTitle(statement string) string {
	statement = strings.TrimLeft(statement, "\r\n")
	if first, rest, _ := strings.Cut(statement, "\n"); strings.HasPrefix(first, "# ") {
		return rest
	}
	return statement
}

// offered are the languages in which one may submit: those of the problem that have files of
// their own, that the workers have and are among only, where it has any, by name.
func (s *site) offered(r *ask, sheet *client.Sheet, only []string) (all []offeredLanguage, err error) {
	if sheet == nil {
		return nil, nil
	}
	class, err := s.Store.Class(r.Context(), s.Desk.Class)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	claimed := map[string]bool{}
	for _, l := range sheet.Languages {
		if len(l.Extensions) == 0 {
			continue // it is asked for by name, by the command line
		}
		has := class == nil || len(class.Languages) == 0 || class.Languages[l.ID] != ""
		if has && (len(only) == 0 || slices.Contains(only, l.ID)) {
			one := offeredLanguage{OfferedLanguage: l}
			for _, ending := range l.Extensions {
				if !claimed[ending] {
					claimed[ending], one.Claims = true, append(one.Claims, ending)
				}
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b offeredLanguage) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// sample is the input or the answer of a sample, to be kept as a file.
func (s *site) sample(w http.ResponseWriter, r *ask) error {
	sheet, err := s.Sheet(r.problem.Problem)
	if err != nil {
		return err
	}
	if sheet != nil {
		for _, one := range sheet.Samples {
			for name, text := range map[string]string{one.Name + ".in": one.In, one.Name + ".ans": one.Ans} {
				if name == r.PathValue("file") {
					return attachment(w, name, []byte(text))
				}
			}
		}
	}
	return errNothing
}

// attachment sends a text of somebody else, which a browser keeps and does not show.
func attachment(w http.ResponseWriter, name string, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+quoted(path.Base(name)))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	_, _ = w.Write(data) // to one who may be gone
	return nil
}

// quoted writes a name of a file as headers want it.
func quoted(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// markdown draws a text in Markdown.
func markdown(text string, pictures report.Pictures) (template.HTML, error) {
	var b strings.Builder
	err := report.StatementPart(&b, []byte(text), pictures)
	return template.HTML(b.String()), err // it lets no HTML through but plain elements
}

// multipart reads a form with files, of which most bytes are allowed; what names them.
func (s *site) multipart(w http.ResponseWriter, r *ask, most int64, what string) error {
	r.Body = http.MaxBytesReader(w, r.Body, most*4/3+2*small) // a file of a form that was kept is in base64
	const inMemory = 1 << 20
	err := r.aside(func() error {
		err := r.ParseForm() // of one without files, ParseMultipartForm does not say that it is too large
		if err == nil {
			err = r.ParseMultipartForm(inMemory)
		}
		return err
	})
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return &desk.Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the %s is too large: the most is %d bytes", what, most)}
		}
		if refusal := desk.BodyRefusal(err); refusal != nil {
			return refusal
		}
		return &desk.Refusal{Code: http.StatusBadRequest, Text: "the form was not sent as a browser does"}
	}
	return nil
}

// submit takes a submission: files, or a text.
func (s *site) submit(w http.ResponseWriter, r *ask) error {
	if err := s.multipart(w, r, s.MaxSize, "submission"); err != nil {
		return err
	}
	if r.MultipartForm != nil {
		defer func() { _ = r.MultipartForm.RemoveAll() }() // they are in a folder of the system's
	}
	f := submitView{Key: r.PostFormValue("key"), Chosen: r.PostFormValue("language"), Text: r.PostFormValue("text")}
	sheet, err := s.Sheet(r.problem.Problem)
	if err != nil {
		return err
	}
	offered, err := s.offered(r, sheet, r.seat.Contest.Settings.Languages)
	if err != nil {
		return err
	}
	n := desk.New{Seat: r.seat, Account: r.me, Problem: r.problem.Problem, Key: f.Key, Language: f.Chosen}
	texts, err := s.given(r, &n, offered, f.Text)
	if err != nil && n.Program != "" && !claimed(n.Program, offered) {
		all, aerr := s.offered(r, sheet, nil)
		if aerr != nil {
			return aerr
		}
		if l := endings(n.Program, all); l != nil {
			err = bad("%s is not taken in this contest", l.Name)
		}
	}
	if err == nil {
		err = s.Hurried(r.Context(), n)
	}
	if err == nil {
		err = s.keep(r, &n, texts)
	}
	var kept *store.Accepted
	if err == nil {
		kept, err = s.Take(r.Context(), n)
	}
	if refusal, is := errors.AsType[*desk.Refusal](err); is && refusal.Code < 500 {
		return s.problemPage(w, r, refusal.Code, f, strings.Join(slices.DeleteFunc([]string{refusal.Text, refusal.Hint}, func(t string) bool { return t == "" }), ": "))
	}
	if err != nil {
		return err
	}
	return go303(w, r, fmt.Sprintf("/c/%s/s/%d", r.seat.Contest.Slug, kept.Number))
}

func bad(format string, args ...any) error {
	return &desk.Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// given finds out what was sent: the texts of the files, which it names in n.
func (s *site) given(r *ask, n *desk.New, offered []offeredLanguage, text string) (texts [][]byte, err error) {
	var language *offeredLanguage
	for i := range offered {
		if offered[i].ID == n.Language {
			language = &offered[i]
		}
	}
	if n.Language != "" && language == nil {
		return nil, bad("the language %.40q is not offered here", n.Language)
	}
	files, err := s.sentFiles(r, s.MaxSize)
	if err != nil {
		return nil, err
	}
	switch {
	case len(files) > 0 && strings.TrimSpace(text) != "":
		return nil, bad("there is a file and a text: send one of them")
	case len(files) == 0 && strings.TrimSpace(text) == "":
		return nil, bad("there is nothing to submit: choose a file, or paste the text of your program")
	case len(files) == 0 && language == nil:
		return nil, bad("choose the language of the text")
	}
	if len(files) == 0 {
		n.Program = "main." + language.Extensions[0]
		n.Files = []job.File{{Path: n.Program}}
		return [][]byte{[]byte(strings.ReplaceAll(text, "\r\n", "\n"))}, nil // as browsers end lines
	}
	for _, f := range files {
		if len(f.Data) == 0 {
			return nil, bad("the file %.100q is empty", f.Name)
		}
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		n.Files, texts = append(n.Files, job.File{Path: name}), append(texts, f.Data)
	}
	n.Program = n.Files[0].Path
	if n.Folder = len(files) > 1; n.Folder {
		n.Program = fmt.Sprintf("%s and %d more", n.Program, len(files)-1)
	}
	if language == nil && !n.Folder && len(offered) > 0 && !claimed(n.Program, offered) {
		return nil, bad("no language has programs called %.100q: choose the language, or name the file as programs of its language are named", n.Program)
	}
	return texts, nil
}

// sentFiles reads the files of a form: those that were chosen, and those of a form that was kept
// during a login. Of a file that has more than most bytes it reads one more.
func (s *site) sentFiles(r *ask, most int64) (files []keptFile, err error) {
	for _, text := range r.PostForm[keptFileField] {
		f, err := decodeFile(text)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if r.MultipartForm == nil {
		return files, nil
	}
	for _, h := range r.MultipartForm.File["file"] {
		if h.Filename == "" {
			continue
		}
		file, err := h.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(file, most+1))
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		files = append(files, keptFile{h.Filename, data})
	}
	return files, nil
}

// claimed says whether the ending of a file tells its language; one without an ending may
// say it in its first line.
func claimed(name string, offered []offeredLanguage) bool {
	return path.Ext(name) == "" || endings(name, offered) != nil
}

// endings is a language whose files end as this one does; nil for none.
func endings(name string, offered []offeredLanguage) *client.OfferedLanguage {
	var all []client.OfferedLanguage
	for _, l := range offered {
		all = append(all, l.OfferedLanguage)
	}
	if found := client.Claiming(all, name); len(found) > 0 {
		return &found[0]
	}
	return nil
}

// keep stores the texts of a submission as blobs, once its size is known to be allowed.
func (s *site) keep(r *ask, n *desk.New, texts [][]byte) error {
	for i, text := range texts {
		n.Files[i].Size, n.Files[i].Digest = int64(len(text)), blob.Of(text)
	}
	if err := errors.Join(s.HasDisk(desk.RoomForSubmissions), s.Bounded(n.Files, n.Folder)); err != nil {
		return err
	}
	for _, text := range texts {
		if err := s.Keep(r.Context(), r.me, text); err != nil {
			return err
		}
	}
	return nil
}
