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
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// A clarificationLine is a clarification with the fields that the reader may see.
type clarificationLine struct {
	Slug   string // of the contest
	Number int64
	Jury   bool
	Team   string // the asking team, or the recipients as text; empty for all
	Label  string // of the problem; may be empty
	// Technical reports whether the clarification is in the technical category, and not general or about a
	// problem.
	Technical  bool
	Text       string
	Question   string
	At         time.Time
	By         string // username of the author; only for the jury
	Open       bool   // an unanswered request
	Answerable bool   // a request that the reader may answer
	Claimed    string // username of the judge who claimed it; may be empty
	Mine       bool   // the reader claimed it
	ReplyTo    int64  // number of the request that it answers; zero if none
	Replies    []clarificationLine
}

// groupThreads groups answers under their requests if both are listed. Threads are sorted by their newest message. If
// waiting is true, unanswered requests come first, oldest on top.
func groupThreads(newestFirst []clarificationLine, onlyUnanswered bool) []clarificationLine {
	replies, requests := map[int64][]clarificationLine{}, map[int64]clarificationLine{}
	for _, c := range newestFirst {
		requests[c.Number] = c
	}
	var open, rest []clarificationLine
	added := map[int64]bool{}
	for _, c := range slices.Backward(newestFirst) {
		if _, found := requests[c.ReplyTo]; found {
			c.Question = "" // it is shown above
			replies[c.ReplyTo] = append(replies[c.ReplyTo], c)
		} else if onlyUnanswered && c.Open {
			open = append(open, c)
			added[c.Number] = true
		}
	}
	for _, c := range newestFirst {
		if request, found := requests[c.ReplyTo]; found {
			c = request
		}
		if !added[c.Number] {
			added[c.Number] = true
			c.Replies = replies[c.Number]
			rest = append(rest, c)
		}
	}
	return append(open, rest...)
}

// clarificationsView is the page of clarifications.
type clarificationsView struct {
	Slug              string
	All               []clarificationLine
	CanAsk, Jury      bool
	Open              bool       // show only unanswered requests
	OnlyAnnouncements bool       // show only announcements
	About             string     // show only this category or problem label; see aboutAll
	Labels            []string   // problem labels
	Older             int64      // number before which the next page begins; zero if none
	Reply             *replyView // the request shown beside the jury's list; may be nil
}

// The categories in filters and forms, in addition to problem labels.
const (
	aboutAll       = "" // in a form, it means general
	aboutGeneral   = ":general"
	aboutTechnical = ":technical"
)

// Query returns the filter of the list as a URL query.
func (v clarificationsView) Query() template.URL { return v.query(v.Open, v.OnlyAnnouncements) }

// AllQuery, OpenQuery and AnnouncementsQuery return the query for all messages, unanswered requests, and announcements.
func (v clarificationsView) AllQuery() template.URL           { return v.query(false, false) }
func (v clarificationsView) OpenQuery() template.URL          { return v.query(true, false) }
func (v clarificationsView) AnnouncementsQuery() template.URL { return v.query(false, true) }

func (v clarificationsView) query(open, announcements bool) template.URL {
	q := url.Values{}
	if open {
		q.Set("open", "yes")
	}
	if announcements && !open {
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
func (v clarificationsView) OlderQuery() template.URL {
	if q := v.Query(); q != "" {
		return q + template.URL(fmt.Sprint("&before=", v.Older))
	}
	return template.URL(fmt.Sprint("?before=", v.Older))
}

// matches reports whether a clarification matches the filter.
func (v clarificationsView) matches(c clarificationLine) bool {
	switch {
	case v.Open && !c.Open, v.OnlyAnnouncements && (!c.Jury || c.ReplyTo != 0):
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
	Picked         bool // selected by the address
	SavedReplies   []string
	CanSaveReplies bool // the reader may change the saved replies
	To             recipientsView
	Draft          string // the answer as entered
	Errors         web.FieldErrors
	SameProblem    []clarificationLine // answered requests about the same problem
}

// readClarifications reads the clarifications that the caller may see. Hidden is the lowest number of the
// clarifications that become visible when the contest starts, or 0 if there are none.
func (s *site) readClarifications(r *web.Request, f store.ClarificationFilter) (all []clarificationLine, hidden int64, err error) {
	rows, hidden, err := s.Clarifications(r.Context(), access.Of(r).ContestAccess, f)
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
	jury := r.Can(auth.AnswerClarification)
	all := make([]clarificationLine, len(rows))
	for i, c := range rows {
		all[i] = clarificationLine{
			Slug: access.Of(r).Contest.Slug, Number: c.Number, Jury: c.Jury, Team: c.TeamName, Label: labels[c.Problem],
			Technical: c.Category == store.Technical, Text: cmp.Or(c.Text, erasedText), Question: c.Question, At: c.At, ReplyTo: c.ReplyTo,
			Open: !c.Jury && c.Answers == 0, Answerable: jury && !c.Jury,
		}
		if c.To.Chosen() {
			all[i].Team = "your team and others" // only the jury sees the other recipients
		}
		if jury && c.To.Chosen() {
			all[i].Team = recipientNames(c.To)
		}
		if jury && c.Jury {
			all[i].By = c.Login
		}
		if jury && all[i].Open {
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
	v := clarificationsView{
		Slug: access.Of(r).Contest.Slug, CanAsk: r.Can(auth.RequestClarification),
		Jury: r.Can(auth.AnswerClarification), Reply: reply,
	}
	v.Open, v.OnlyAnnouncements = v.Jury && r.FormValue("open") != "", v.Jury && r.FormValue("said") != ""
	if v.Jury {
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
	all, hidden, err := s.readClarifications(r, f)
	if err != nil {
		return err
	}
	if len(all) > most {
		all = all[:most]
		v.Older = all[most-1].Number
	}
	list := groupThreads(all, v.Jury)
	for _, c := range list {
		if v.matches(c) {
			v.All = append(v.All, c)
		}
	}
	if v.Jury {
		if v.Reply, err = s.selectReply(r, list, reply); err != nil {
			return err
		}
	}
	if len(all) > 0 && f.Before == 0 {
		upto := all[0].Number
		if hidden > 0 { // hidden ones appear as unread at the start
			upto = min(upto, hidden-1)
		}
		if err := s.Store.MarkRead(r.Context(), access.Of(r).Contest.ID, r.Me.ID, upto); err != nil {
			return err
		}
	}
	return s.RenderPage(w, r, code, "clarifications", "Clarifications", v)
}

// selectReply returns the request that the jury can answer beside the list. If reply is nil, it is the first
// unanswered request; if all are answered, selectReply returns nil, nil. Otherwise selectReply completes reply.
func (s *site) selectReply(r *web.Request, list []clarificationLine, reply *replyView) (*replyView, error) {
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
	reply.SavedReplies, reply.CanSaveReplies = savedReplies(access.Of(r).Contest), r.Can(auth.SeeAll)
	if reply.To.To == "" {
		var err error
		if reply.To, err = s.recipientsView(r, true); err != nil {
			return nil, err
		}
	}
	reply.To.Team = reply.Team
	const most = 5
	for _, c := range list {
		if c.Label != "" && c.Label == reply.Label && c.Number != reply.Number && len(c.Replies) > 0 && len(reply.SameProblem) < most {
			reply.SameProblem = append(reply.SameProblem, c)
		}
	}
	return reply, nil
}

// newClarificationView is the form for a clarification request or an announcement.
type newClarificationView struct {
	Slug     string
	Jury     bool
	Problems []*store.ContestProblem
	Problem  string // label, or aboutTechnical
	To       recipientsView
	Text     string
	Errors   web.FieldErrors
}

func (s *site) newClarification(w http.ResponseWriter, r *web.Request) error {
	return s.newClarificationPage(w, r, http.StatusOK, newClarificationView{Problem: r.FormValue("problem")})
}

func (s *site) newClarificationPage(w http.ResponseWriter, r *web.Request, code int, v newClarificationView) (err error) {
	v.Slug, v.Jury = access.Of(r).Contest.Slug, r.Can(auth.AnswerClarification)
	title := "Ask the jury"
	if v.Jury {
		title = "Post announcement"
	}
	if v.Jury && v.To.To == "" {
		if v.To, err = s.recipientsView(r, false); err != nil {
			return err
		}
	}
	if r.Can(auth.SeeProblems) {
		if v.Problems, err = s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID); err != nil {
			return err
		}
	}
	return s.RenderPage(w, r, code, "newclarification", title, v)
}

// erasedText is shown for a clarification whose text was deleted with an account.
const erasedText = "(deleted with the account of its author)"

// maxTextLength is the maximum length of a clarification in letters.
const maxTextLength = 2000

// readClarificationText reads the text of a form, and checks it.
func readClarificationText(r *web.Request) (text string, fieldErrors web.FieldErrors) {
	text = strings.TrimSpace(strings.ReplaceAll(cmp.Or(r.Field("text"), r.PostFormValue("canned")), "\r\n", "\n"))
	switch {
	case text == "":
		fieldErrors.Add("text", "enter a text")
	case utf8.RuneCountInString(text) > maxTextLength:
		fieldErrors.Add("text", "the text has more than %d letters", maxTextLength)
	}
	return text, fieldErrors
}

// clarify accepts a clarification request, or an announcement from the jury.
func (s *site) clarify(w http.ResponseWriter, r *web.Request) error {
	text, fieldErrors := readClarificationText(r)
	v := newClarificationView{Problem: r.PostFormValue("problem"), Text: text, Errors: fieldErrors}
	n := store.NewClarification{Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Jury: r.Can(auth.AnswerClarification), Text: text}
	switch {
	case v.Problem == aboutTechnical:
		n.Category = store.Technical
	case v.Problem != "" && r.Can(auth.SeeProblems):
		f, err := s.ParseQuery(r.Context(), access.Of(r).Contest, intake.SubmissionQuery{Problem: v.Problem})
		if refusal := web.AsRefusal(err); refusal != nil {
			v.Errors = append(v.Errors, web.RefusalErrors(refusal, "problem")...)
		} else if err != nil {
			return err
		}
		n.Problem = f.Problem
	}
	if n.Jury {
		recipients, err := s.readRecipients(r, &n, "")
		if err != nil {
			return err
		}
		if v.To = recipients; recipients.Wrong.Text != "" {
			v.Errors = append(v.Errors, recipients.Wrong)
		}
	}
	if len(v.Errors) == 0 && !n.Jury {
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
		if errors.Is(err, store.ErrDuplicateText) {
			return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
		}
		if errors.Is(err, store.ErrTooManyQuestions) {
			v.Errors, err = web.RefusalErrors(intake.MaxPendingClarifications.Refusal(), ""), nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 {
		return s.newClarificationPage(w, r, http.StatusBadRequest, v)
	}
	if n.Jury {
		if err := s.Audit(r, "announce", access.Of(r).Contest.Slug, describeAnnouncement(number, n)); err != nil {
			return err
		}
	}
	return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
}

// describeAnnouncement describes an announcement for the audit log.
func describeAnnouncement(number int64, n store.NewClarification) string {
	text := strconv.FormatInt(number, 10)
	if len(n.Teams)+len(n.Groups) > 0 {
		text += " to " + describeRecipients(n)
	}
	return text
}

// clarificationRequest returns the clarification request with the number in the address.
func (s *site) clarificationRequest(r *web.Request) (c *store.Clarification, line *clarificationLine, err error) {
	n, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil || n < 1 {
		return nil, nil, web.ErrNotFound
	}
	rows, _, err := s.Clarifications(r.Context(), access.Of(r).ContestAccess, store.ClarificationFilter{Before: n + 1, Limit: 1})
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || rows[0].Number != n || rows[0].Jury {
		return nil, nil, web.ErrNotFound
	}
	lines, err := s.clarificationLines(r, rows)
	if err != nil {
		return nil, nil, err
	}
	return rows[0], &lines[0], nil
}

func (s *site) clarificationRequestPage(w http.ResponseWriter, r *web.Request) error {
	_, line, err := s.clarificationRequest(r)
	if err != nil {
		return err
	}
	return s.clarificationsPage(w, r, http.StatusOK, &replyView{clarificationLine: *line, Picked: true})
}

// answerRequest sends an answer to a clarification request. The recipients are the team that asked, that team and further
// teams or groups, or all teams.
func (s *site) answerRequest(w http.ResponseWriter, r *web.Request) error {
	c, line, err := s.clarificationRequest(r)
	if err != nil {
		return err
	}
	text, fieldErrors := readClarificationText(r)
	n := store.NewClarification{
		Contest: access.Of(r).Contest.ID, Account: r.Me.ID, Jury: true, Text: text, ReplyTo: c.Number,
		OnlyFirst: r.PostFormValue("first") != "",
	}
	recipients, err := s.readRecipients(r, &n, c.Team)
	if err != nil {
		return err
	}
	if recipients.Wrong.Text != "" {
		fieldErrors = append(fieldErrors, recipients.Wrong)
	}
	if len(fieldErrors) > 0 {
		return s.clarificationsPage(w, r, http.StatusBadRequest, &replyView{
			clarificationLine: *line, Picked: true, To: recipients, Draft: text, Errors: fieldErrors,
		})
	}
	_, err = s.Store.Clarify(r.Context(), n)
	if errors.Is(err, store.ErrDuplicateText) {
		return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/clar")
	}
	if err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "answer", access.Of(r).Contest.Slug, strconv.FormatInt(c.Number, 10)+" to "+describeRecipients(n),
		"/c/"+access.Of(r).Contest.Slug+"/clar")
}

// claimRequest records for other judges that the caller is about to answer a request, or that the caller releases it.
func (s *site) claimRequest(w http.ResponseWriter, r *web.Request) error {
	c, line, err := s.clarificationRequest(r)
	if err != nil {
		return err
	}
	account := r.Me.ID
	if r.PostFormValue("do") == "release" {
		account = ""
	}
	claimed, err := s.Store.ClaimRequest(r.Context(), access.Of(r).Contest.ID, c.Number, account)
	if err != nil {
		return err
	}
	if claimed {
		s.clarificationNumbers.claimCounter(access.Of(r).Contest.ID).Add(1)
	}
	if !claimed && account != "" && !line.Mine {
		return &intake.Refusal{
			Code: http.StatusConflict, Text: fmt.Sprintf("another judge is about to answer request %d", c.Number),
			Hint: "reload the list to see who",
		}
	}
	return web.Redirect(w, r, fmt.Sprintf("/c/%s/clar/%d", access.Of(r).Contest.Slug, c.Number))
}
