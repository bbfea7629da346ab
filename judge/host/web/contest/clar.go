package contest

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// A clarificationLine is a clarification with the fields that the reader may see.
type clarificationLine struct {
	Slug   string // of the contest
	Number int64
	Staff  bool
	Team   string // the asking team, or the recipients as text; empty for all
	Label  string // of the problem; may be empty
	// Technical reports whether the clarification is in the technical category, and not general or about a
	// problem.
	Technical bool
	Text      string
	Question  string
	At        time.Time
	By        string // username of the author; only for the jury
	Open      bool   // an unanswered request
	Asked     bool   // a request that the reader may answer
	Claimed   string // username of the judge who claimed it; may be empty
	Mine      bool   // the reader claimed it
	ReplyTo   int64  // number of the request that it answers; zero if none
	Replies   []clarificationLine
}

// threads groups answers under their requests if both are listed. Threads are sorted by their newest message. If
// waiting is true, unanswered requests come first, oldest on top.
func threads(newestFirst []clarificationLine, waiting bool) []clarificationLine {
	replies, asked := map[int64][]clarificationLine{}, map[int64]clarificationLine{}
	for _, c := range newestFirst {
		asked[c.Number] = c
	}
	var open, rest []clarificationLine
	done := map[int64]bool{}
	for _, c := range slices.Backward(newestFirst) {
		if _, there := asked[c.ReplyTo]; there {
			c.Question = "" // it is shown above
			replies[c.ReplyTo] = append(replies[c.ReplyTo], c)
		} else if waiting && c.Open {
			open = append(open, c)
			done[c.Number] = true
		}
	}
	for _, c := range newestFirst {
		if of, there := asked[c.ReplyTo]; there {
			c = of
		}
		if !done[c.Number] {
			done[c.Number] = true
			c.Replies = replies[c.Number]
			rest = append(rest, c)
		}
	}
	return append(open, rest...)
}

// clarView is the page of clarifications.
type clarView struct {
	Slug        string
	All         []clarificationLine
	Asks, Staff bool
	Open        bool       // show only unanswered requests
	Said        bool       // show only announcements
	About       string     // show only this category or problem label; see aboutAll
	Labels      []string   // problem labels
	Older       int64      // number before which the next page begins; zero if none
	Reply       *replyView // the request shown beside the jury's list; may be nil
}

// The categories in filters and forms, in addition to problem labels.
const (
	aboutAll       = "" // in a form, it means general
	aboutGeneral   = ":general"
	aboutTechnical = ":technical"
)

// Query returns the filter of the list as a URL query.
func (v clarView) Query() template.URL { return v.query(v.Open, v.Said) }

// AllQuery, OpenQuery and SaidQuery return the query for all messages, unanswered requests, and announcements.
func (v clarView) AllQuery() template.URL  { return v.query(false, false) }
func (v clarView) OpenQuery() template.URL { return v.query(true, false) }
func (v clarView) SaidQuery() template.URL { return v.query(false, true) }

func (v clarView) query(open, said bool) template.URL {
	q := url.Values{}
	if open {
		q.Set("open", "yes")
	}
	if said && !open {
		q.Set("said", "yes")
	}
	if v.About != aboutAll {
		q.Set("about", v.About)
	}
	if len(q) == 0 {
		return ""
	}
	return template.URL("?" + q.Encode())
}

// OlderQuery returns the query for the next page.
func (v clarView) OlderQuery() template.URL {
	if q := v.Query(); q != "" {
		return q + template.URL(fmt.Sprint("&before=", v.Older))
	}
	return template.URL(fmt.Sprint("?before=", v.Older))
}

// takes reports whether a clarification matches the filter.
func (v clarView) takes(c clarificationLine) bool {
	switch {
	case v.Open && !c.Open, v.Said && (!c.Staff || c.ReplyTo != 0):
		return false
	case v.About == aboutAll:
		return true
	case v.About == aboutGeneral:
		return c.Label == "" && !c.Technical
	case v.About == aboutTechnical:
		return c.Technical
	}
	return c.Label == v.About
}

// replyView is a clarification request with the form for an answer.
type replyView struct {
	clarificationLine
	Picked bool // selected by the address
	Canned []string
	Saves  bool // the reader may change the saved replies
	To     recipientsView
	Draft  string // the answer as entered
	Errors web.FieldErrors
	Same   []clarificationLine // answered requests about the same problem
}

// clarificationsOf reads the clarifications that the caller may see. Hidden is the lowest number of the
// clarifications that become visible when the contest starts, or 0 if there are none.
func (s *site) clarificationsOf(r *web.Request, f store.ClarificationFilter) (all []clarificationLine, hidden int64, err error) {
	rows, hidden, err := s.Clarifications(r.Context(), access.Of(r).Seat, f)
	if err != nil || len(rows) == 0 {
		return nil, hidden, err
	}
	all, err = s.clarificationLines(r, rows)
	return all, hidden, err
}

// clarificationLines converts clarifications for display.
func (s *site) clarificationLines(r *web.Request, rows []*store.Clarification) ([]clarificationLine, error) {
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	labels := map[string]string{}
	for _, p := range problems {
		labels[p.Slug] = p.Label
	}
	staff := r.Can(auth.Answer)
	all := make([]clarificationLine, len(rows))
	for i, c := range rows {
		all[i] = clarificationLine{
			Slug: access.Of(r).Contest.Slug, Number: c.Number, Staff: c.Staff, Team: c.TeamName, Label: labels[c.Problem],
			Technical: c.Category == store.Technical, Text: cmp.Or(c.Text, erasedText), Question: c.Question, At: c.At, ReplyTo: c.ReplyTo,
			Open: !c.Staff && c.Answers == 0, Asked: staff && !c.Staff,
		}
		if c.To.Chosen() {
			all[i].Team = "your team and others" // only the jury sees the other recipients
		}
		if staff && c.To.Chosen() {
			all[i].Team = named(c.To)
		}
		if staff && c.Staff {
			all[i].By = c.Login
		}
		if staff && all[i].Open {
			all[i].Claimed, all[i].Mine = c.Claimed, c.Claimed == r.Me.Login
		}
	}
	return all, err
}

// clarifications lists clarifications, and marks them as read by the caller.
func (s *site) clarifications(w http.ResponseWriter, r *web.Request) error {
	return s.clarificationsPage(w, r, http.StatusOK, nil)
}

// clarificationsPage renders the list of clarifications. For the jury, the page also shows a clarification request
// with a form for the answer. If reply is nil, that is the first unanswered request.
func (s *site) clarificationsPage(w http.ResponseWriter, r *web.Request, code int, reply *replyView) error {
	const most = 100
	v := clarView{Slug: access.Of(r).Contest.Slug, Asks: r.Can(auth.Ask), Staff: r.Can(auth.Answer), Reply: reply}
	v.Open, v.Said = v.Staff && r.FormValue("open") != "", v.Staff && r.FormValue("said") != ""
	if v.Staff {
		v.About = r.URL.Query().Get("about")
		problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
		if err != nil {
			return err
		}
		for _, p := range problems {
			v.Labels = append(v.Labels, p.Label)
		}
	}
	f := store.ClarificationFilter{Limit: most + 1}
	if text := r.FormValue("before"); text != "" {
		var err error
		if f.Before, err = strconv.ParseInt(text, 10, 64); err != nil || f.Before < 1 {
			return web.BadRequest("before=%.40q is not a clarification number", text)
		}
	}
	all, hidden, err := s.clarificationsOf(r, f)
	if err != nil {
		return err
	}
	if len(all) > most {
		all = all[:most]
		v.Older = all[most-1].Number
	}
	list := threads(all, v.Staff)
	for _, c := range list {
		if v.takes(c) {
			v.All = append(v.All, c)
		}
	}
	if v.Staff {
		if v.Reply, err = s.replyOf(r, list, reply); err != nil {
			return err
		}
	}
	if len(all) > 0 && f.Before == 0 {
		upto := all[0].Number
		if hidden > 0 { // hidden ones appear as unread at the start
			upto = min(upto, hidden-1)
		}
		if err := s.Store.Read(r.Context(), access.Of(r).Contest.ID, r.Me.ID, upto); err != nil {
			return err
		}
	}
	return s.Page(w, r, code, "clar", "Clarifications", v)
}

// replyOf returns the request that the jury can answer beside the list. If reply is nil, it is the first
// unanswered request; if all are answered, replyOf returns nil, nil. Otherwise replyOf completes reply.
func (s *site) replyOf(r *web.Request, list []clarificationLine, reply *replyView) (*replyView, error) {
	for _, c := range list {
		if reply == nil && c.Open {
			reply = &replyView{clarificationLine: c}
		}
		if reply != nil && c.Number == reply.Number {
			reply.clarificationLine = c
		}
	}
	if reply == nil {
		return nil, nil
	}
	reply.Canned, reply.Saves = savedReplies(access.Of(r).Contest), r.Can(auth.SeeAll)
	if reply.To.To == "" {
		var err error
		if reply.To, err = s.recipientsView(r, true); err != nil {
			return nil, err
		}
	}
	reply.To.Team = reply.Team
	const most = 5
	for _, c := range list {
		if c.Label != "" && c.Label == reply.Label && c.Number != reply.Number && len(c.Replies) > 0 && len(reply.Same) < most {
			reply.Same = append(reply.Same, c)
		}
	}
	return reply, nil
}

// newClarView is the form for a clarification request or an announcement.
type newClarView struct {
	Slug     string
	Staff    bool
	Problems []*store.ContestProblem
	Problem  string // label, or aboutTechnical
	To       recipientsView
	Text     string
	Errors   web.FieldErrors
}

func (s *site) newClarification(w http.ResponseWriter, r *web.Request) error {
	return s.clarPage(w, r, http.StatusOK, newClarView{Problem: r.FormValue("problem")})
}

func (s *site) clarPage(w http.ResponseWriter, r *web.Request, code int, v newClarView) (err error) {
	v.Slug, v.Staff = access.Of(r).Contest.Slug, r.Can(auth.Answer)
	title := "Ask the jury"
	if v.Staff {
		title = "Post announcement"
	}
	if v.Staff && v.To.To == "" {
		if v.To, err = s.recipientsView(r, false); err != nil {
			return err
		}
	}
	if r.Can(auth.SeeProblems) {
		if v.Problems, err = s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID); err != nil {
			return err
		}
	}
	return s.Page(w, r, code, "clarnew", title, v)
}

// erasedText is shown for a clarification whose text was deleted with an account.
const erasedText = "(deleted with the account of its author)"

// mostText is the maximum length of a clarification in letters.
const mostText = 2000

// written reads the text of a form, and checks it.
func written(r *web.Request) (text string, wrong web.FieldErrors) {
	text = strings.TrimSpace(strings.ReplaceAll(cmp.Or(r.Field("text"), r.PostFormValue("canned")), "\r\n", "\n"))
	switch {
	case text == "":
		wrong.Add("text", "enter a text")
	case utf8.RuneCountInString(text) > mostText:
		wrong.Add("text", "the text has more than %d letters", mostText)
	}
	return text, wrong
}

// clarify accepts a clarification request, or an announcement from the jury.
func (s *site) clarify(w http.ResponseWriter, r *web.Request) error {
	text, wrong := written(r)
	v := newClarView{Problem: r.PostFormValue("problem"), Text: text, Errors: wrong}
	n := store.NewClarification{Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Staff: r.Can(auth.Answer), Text: text}
	switch {
	case v.Problem == aboutTechnical:
		n.Category = store.Technical
	case v.Problem != "" && r.Can(auth.SeeProblems):
		f, err := s.Choose(r.Context(), access.Of(r).Contest, desk.Choice{Problem: v.Problem})
		if refusal := web.Rejected(err); refusal != nil {
			v.Errors = append(v.Errors, web.Refused(refusal, "problem")...)
		} else if err != nil {
			return err
		}
		n.Problem = f.Problem
	}
	if n.Staff {
		to, err := s.recipients(r, &n, "")
		if err != nil {
			return err
		}
		if v.To = to; to.Wrong.Text != "" {
			v.Errors = append(v.Errors, to.Wrong)
		}
	}
	if len(v.Errors) == 0 && !n.Staff {
		team, err := s.Store.Enter(r.Context(), n.Contest, r.Me)
		if err != nil {
			return err
		}
		n.Team = team.ID
	}
	var number int64
	var err error
	if len(v.Errors) == 0 {
		number, err = s.Store.Clarify(r.Context(), n)
		if errors.Is(err, store.ErrTwice) {
			return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
		}
		if errors.Is(err, store.ErrTooManyQuestions) {
			v.Errors, err = web.Refused(desk.OpenQuestions.Reached(), ""), nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 {
		return s.clarPage(w, r, http.StatusBadRequest, v)
	}
	if n.Staff {
		if err := s.Audit(r, "announce", access.Of(r).Contest.Slug, announced(number, n)); err != nil {
			return err
		}
	}
	return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
}

// announced describes an announcement for the audit log.
func announced(number int64, n store.NewClarification) string {
	text := strconv.FormatInt(number, 10)
	if len(n.Teams)+len(n.Groups) > 0 {
		text += " to " + sentTo(n)
	}
	return text
}

// questionAt returns the clarification request with the number in the address.
func (s *site) questionAt(r *web.Request) (c *store.Clarification, line *clarificationLine, err error) {
	n, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil || n < 1 {
		return nil, nil, web.ErrNotFound
	}
	rows, _, err := s.Clarifications(r.Context(), access.Of(r).Seat, store.ClarificationFilter{Before: n + 1, Limit: 1})
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || rows[0].Number != n || rows[0].Staff {
		return nil, nil, web.ErrNotFound
	}
	lines, err := s.clarificationLines(r, rows)
	if err != nil {
		return nil, nil, err
	}
	return rows[0], &lines[0], nil
}

func (s *site) question(w http.ResponseWriter, r *web.Request) error {
	_, line, err := s.questionAt(r)
	if err != nil {
		return err
	}
	return s.clarificationsPage(w, r, http.StatusOK, &replyView{clarificationLine: *line, Picked: true})
}

// answer sends an answer to a clarification request. The recipients are the team that asked, that team and further
// teams or groups, or all teams.
func (s *site) answer(w http.ResponseWriter, r *web.Request) error {
	c, line, err := s.questionAt(r)
	if err != nil {
		return err
	}
	text, wrong := written(r)
	n := store.NewClarification{
		Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Staff: true, Text: text, ReplyTo: c.Number,
		First: r.PostFormValue("first") != "",
	}
	to, err := s.recipients(r, &n, c.Team)
	if err != nil {
		return err
	}
	if to.Wrong.Text != "" {
		wrong = append(wrong, to.Wrong)
	}
	if len(wrong) > 0 {
		return s.clarificationsPage(w, r, http.StatusBadRequest, &replyView{
			clarificationLine: *line, Picked: true, To: to, Draft: text, Errors: wrong,
		})
	}
	_, err = s.Store.Clarify(r.Context(), n)
	if errors.Is(err, store.ErrTwice) {
		return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
	}
	if err != nil {
		return err
	}
	return s.Done(w, r, "answer", access.Of(r).Contest.Slug, strconv.FormatInt(c.Number, 10)+" to "+sentTo(n),
		"/c/"+access.Of(r).Contest.Slug+"/clar")
}

// claim records for other judges that the caller is about to answer a request, or that the caller releases it.
func (s *site) claim(w http.ResponseWriter, r *web.Request) error {
	c, line, err := s.questionAt(r)
	if err != nil {
		return err
	}
	by := r.Me.ID
	if r.PostFormValue("do") == "release" {
		by = ""
	}
	done, err := s.Store.Claim(r.Context(), access.Of(r).Contest.ID, c.Number, by)
	if err != nil {
		return err
	}
	if done {
		s.seen.claimsIn(access.Of(r).Contest.ID).Add(1)
	}
	if !done && by != "" && !line.Mine {
		return &desk.Refusal{
			Code: http.StatusConflict, Text: fmt.Sprintf("another judge is about to answer request %d", c.Number),
			Hint: "reload the list to see who",
		}
	}
	return web.Redirect(w, r, fmt.Sprintf("/c/%s/clar/%d", access.Of(r).Contest.Slug, c.Number))
}
