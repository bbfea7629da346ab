package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// errIDMismatch rejects an object whose id differs from the one in the path.
var errIDMismatch = &status{http.StatusConflict, "the id is not that of the address", ""}

func badRequest(format string, args ...any) error {
	return &status{http.StatusBadRequest, fmt.Sprintf(format, args...), ""}
}

// unknownObject returns the error of an id that no visible object of a type has. Noun names one such object.
func (c *apiClient) unknownObject(t clics.Type, noun, id string) error {
	return &status{
		http.StatusBadRequest, fmt.Sprintf("the contest has no %s with the id %.60q", noun, id),
		fmt.Sprintf("contests/%s/%s lists the ids", c.contestAccess.Contest.Slug, t),
	}
}

// writeObject handles an object sent to a path below a contest.
func (c *apiClient) writeObject(w http.ResponseWriter, r *http.Request, path []string) error {
	switch {
	case c.caller == nil:
		return &status{http.StatusUnauthorized, "only clients that are logged in may write", ""}
	case !c.caller.hasScope(client.Submit) && !c.caller.hasScope(client.Publish):
		return &status{http.StatusForbidden, "the scopes of the token do not allow to write", ""}
	}
	if c.contestAccess.Contest.UpdatesEnded(c.Time()) {
		return store.ErrResultsPublic
	}
	if isQueued(c.caller) {
		upload, err := c.WaitForUpload(r.Context(), c.caller.account)
		if err != nil {
			return err
		}
		defer upload.End()
	}
	r.Body = http.MaxBytesReader(w, r.Body, 2*c.MaxSize+1<<20) // allows for base64 and the archive format
	data, err := readBody(r)
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return c.patchContest(w, r, data)
	}
	id := ""
	if len(path) == 2 {
		id = path[1]
	}
	if path[0] == string(clics.Awards) {
		return c.writeAward(w, r, id, data)
	}
	storeObject := c.storeSubmission
	if path[0] == string(clics.Clarifications) {
		storeObject = c.storeClarification
	}
	var line *feed.Line
	err = c.inSlot(r, c.caller, func() error {
		if c.CollectLock != nil {
			c.CollectLock.RLock()
			defer c.CollectLock.RUnlock()
		}
		line, err = storeObject(r, id, data)
		return err
	})
	if err != nil {
		return err
	}
	return c.respondWritten(w, r, line)
}

// respondWritten responds with the object that the client has written, and its location.
func (c *apiClient) respondWritten(w http.ResponseWriter, r *http.Request, line *feed.Line) error {
	base, _, _ := strings.Cut(r.URL.Path, "/contests/")
	w.Header().Set("Location", fmt.Sprintf("%s/contests/%s/%s/%s", base, c.contestAccess.Contest.Slug, line.Type, line.ID))
	return writeRaw(w, line.Data)
}

// sentFile is a file of a submission sent by a client.
type sentFile struct {
	Data []byte `json:"data"` // base64
	Mime string `json:"mime"`
}

// A sentObject contains the properties common to all sent objects. Pointers distinguish null from a missing
// property.
type sentObject struct {
	ID          *string          `json:"id"`
	Time        *string          `json:"time"`
	ContestTime *json.RawMessage `json:"contest_time"`
	ProblemID   *string          `json:"problem_id"`
}

// sentSubmission is a submission sent by a client.
type sentSubmission struct {
	sentObject
	LanguageID *string    `json:"language_id"`
	TeamID     *string    `json:"team_id"`
	EntryPoint *string    `json:"entry_point"`
	Files      []sentFile `json:"files"`

	form  bool // whether it is a form sent by DOMjudge's submit
	names []string
	texts [][]byte
}

// checkHeader checks the common properties of a sent object. The argument id is the one in the path, or empty.
func (c *apiClient) checkHeader(o *sentObject, id string) (given string, at time.Time, err error) {
	admin := c.reader.Role == clics.Admin
	switch {
	case o.ContestTime != nil && string(*o.ContestTime) != "null":
		return "", at, badRequest("leave out contest_time: time determines it")
	case !admin && id != "":
		return "", at, &status{http.StatusForbidden, "only administrators of the contest may choose ids", ""}
	case !admin && (o.ID != nil || o.Time != nil):
		return "", at, badRequest("leave out id and time: the server sets them")
	case !admin:
		return "", at, nil
	case id == "" && o.ID != nil:
		return "", at, badRequest("leave out the id, or send the object to its address with PUT")
	case id != "" && o.ID != nil && *o.ID != id:
		return "", at, errIDMismatch
	case id != "" && !store.IsExtID(id):
		return "", at, badRequest("an id has 1 to 36 of the letters A-Z a-z 0-9 _ . - and does not begin with . or -")
	case o.Time == nil:
		return "", at, badRequest("the time is missing")
	}
	if at, err = clics.ParseTime(*o.Time); err != nil {
		return "", at, badRequest("%v", err)
	}
	if at.After(c.Time()) {
		return "", at, badRequest("the time is in the future")
	}
	return id, at, nil
}

// readSubmission parses a submission in the body of a request.
func readSubmission(contentType string, data []byte, maxSize int64) (*sentSubmission, error) {
	n := &sentSubmission{}
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil && kind == "multipart/form-data" {
		n.form = true
		return n, n.readForm(multipart.NewReader(bytes.NewReader(data), params["boundary"]), maxSize)
	}
	if bytes.Count(data, []byte{','}) >= maxValues {
		return nil, &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d values", maxValues), ""}
	}
	if err := json.Unmarshal(data, n); err != nil {
		return nil, badRequest("the request is not the JSON of a submission: %v", err)
	}
	if len(n.Files) != 1 {
		return nil, badRequest("files must be one archive; there are %d", len(n.Files))
	}
	if m := n.Files[0].Mime; m != "" && m != "application/zip" {
		return nil, badRequest("send the files of a submission as application/zip, not %.60q", m)
	}
	n.names, n.texts, err = intake.ReadZip(n.Files[0].Data, maxSize)
	return n, err
}

// readForm parses a form sent by DOMjudge's submit.
func (n *sentSubmission) readForm(form *multipart.Reader, maxSize int64) error {
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return badRequest("the form cannot be read: %v", err)
		}
		text, err := io.ReadAll(io.LimitReader(part, maxSize+1))
		if err != nil {
			return badRequest("the form cannot be read: %v", err)
		}
		if maxSize -= int64(len(text)); maxSize < 0 || len(n.texts) >= job.MaxFiles {
			return &status{http.StatusRequestEntityTooLarge, "the submission is too large", ""}
		}
		value := string(text)
		switch part.FormName() {
		case "problem", "problem_id":
			n.ProblemID = &value
		case "language", "language_id":
			n.LanguageID = &value
		case "entry_point":
			n.EntryPoint = &value
		case "team", "team_id":
			n.TeamID = &value
		case "code[]", "code":
			n.names, n.texts = append(n.names, path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))), append(n.texts, text)
		}
	}
}

// findProblem returns the problem with the given id. If label is set, as for forms, name may also be the problem's
// label.
func (c *apiClient) findProblem(r *http.Request, name string, label bool) (*store.ContestProblem, error) {
	lines, err := c.List(c.reader, clics.Problems)
	if err != nil {
		return nil, err
	}
	problems, err := c.Store.ContestProblems(r.Context(), c.contestAccess.Contest.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		visible := slices.ContainsFunc(lines, func(l feed.Line) bool { return l.ID == p.ExtID })
		if visible && (p.ExtID == name || label && p.Label == name) {
			return p, nil
		}
	}
	return nil, c.unknownObject(clics.Problems, "problem", name)
}

// findTeam returns the team with the given id.
func (c *apiClient) findTeam(r *http.Request, id string) (*store.Team, error) {
	teams, err := c.Store.Teams(r.Context(), c.contestAccess.Contest.ID)
	if err != nil {
		return nil, err
	}
	for _, t := range teams {
		if t.ExtID == id && c.contestAccess.Covers(t) {
			return t, nil
		}
	}
	return nil, c.unknownObject(clics.Teams, "team", id)
}

// storeSubmission stores a submission for a team. Administrators of the contest may submit for any team.
func (c *apiClient) storeSubmission(r *http.Request, id string, data []byte) (*feed.Line, error) {
	admin := c.reader.Role == clics.Admin
	switch role := c.reader.Role; {
	case isReadOnly(role):
		return nil, forbidden("an account of this type reads the contest, and does not write")
	case role == clics.Public && !c.contestAccess.Can(auth.Submit), role == clics.Judge && !c.contestAccess.Can(auth.Submit),
		role == clics.Team && c.contestAccess.State.Phase == auth.Before:
		return nil, c.contestAccess.Closed()
	}
	sent, err := readSubmission(r.Header.Get("Content-Type"), data, c.MaxSize)
	if err != nil {
		return nil, err
	}
	n := intake.NewSubmission{Access: c.contestAccess, Account: c.contestAccess.Account, Unlimited: c.caller.hasScope(client.Publish)}
	if !sent.form || id != "" {
		if n.ExtID, n.At, err = c.checkHeader(&sent.sentObject, id); err != nil {
			return nil, err
		}
		if start := c.contestAccess.Contest.Starts; admin && (start.IsZero() || n.At.Before(start)) {
			return nil, badRequest("the time is before the start of the contest")
		}
	}
	switch {
	case c.reader.Role == clics.Proxy:
		if n.Access, err = c.proxyAccess(r, sent.TeamID, "team_id"); err != nil {
			return nil, err
		}
		n.Team = n.Access.Team
		if err := n.Access.Admit(); err != nil {
			return nil, err
		}
	case sent.TeamID == nil:
	case admin:
		if n.Team, err = c.findTeam(r, *sent.TeamID); err != nil {
			return nil, err
		}
	case c.contestAccess.Team == nil || *sent.TeamID != c.contestAccess.Team.ExtID:
		return nil, badRequest("the team is not yours")
	}
	if err := c.storeProgram(r, &n, sent); err != nil {
		return nil, err
	}
	stored, err := c.Submit(r.Context(), n)
	if errors.Is(err, store.ErrTaken) {
		return nil, &status{http.StatusConflict, "the contest has a submission with this id", ""}
	}
	if err != nil {
		return nil, err
	}
	line, err := c.writtenObject(r, clics.Submissions, stored.ExtID, n.Team)
	if err == nil && line == nil { // the client cannot see it, for example because it is unscored
		line = &feed.Line{Type: clics.Submissions, ID: stored.ExtID}
		line.Data, err = json.Marshal(map[string]string{"id": stored.ExtID, "time": clics.FormatTime(firstTime(n.At, stored.Received))})
	}
	return line, err
}

func firstTime(at, otherwise time.Time) time.Time {
	if at.IsZero() {
		return otherwise
	}
	return at
}

// storeProgram determines the problem, language and files of a submission, and stores the files.
func (c *apiClient) storeProgram(r *http.Request, n *intake.NewSubmission, sent *sentSubmission) error {
	if sent.ProblemID == nil || sent.LanguageID == nil {
		return badRequest("the problem or the language is missing")
	}
	p, err := c.findProblem(r, *sent.ProblemID, sent.form)
	if err != nil {
		return err
	}
	languages, err := c.List(c.reader, clics.Languages)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(languages, func(l feed.Line) bool { return l.ID == *sent.LanguageID }) {
		return c.unknownObject(clics.Languages, "language", *sent.LanguageID)
	}
	if len(sent.names) == 0 {
		return badRequest("the submission has no files")
	}
	n.Problem, n.Language = p.Problem, *sent.LanguageID
	for i, name := range sent.names {
		n.Files = append(n.Files, job.File{Path: name, Size: int64(len(sent.texts[i])), Digest: blob.DigestOf(sent.texts[i])})
	}
	n.Program, n.Folder = intake.ProgramName(sent.names)
	if n.Team == nil {
		if err := c.CheckRate(r.Context(), *n); err != nil {
			return err
		}
	}
	if err := errors.Join(c.CheckDisk(intake.MinDiskForSubmissions), c.CheckLimits(n.Files, n.Folder)); err != nil {
		return err
	}
	for _, text := range sent.texts {
		if err := c.StoreBlob(r.Context(), c.contestAccess.Account, text); err != nil {
			return err
		}
	}
	return nil
}

// isReadOnly reports whether accounts with a role cannot change anything.
func isReadOnly(r clics.Role) bool {
	return r != clics.Public && len(clics.Capabilities(r, clics.V2026)) == 0
}

// proxyAccess returns the access of the team for which a proxy writes. Property is the name of the property that
// contains the team's id.
func (c *apiClient) proxyAccess(r *http.Request, id *string, property string) (*intake.ContestAccess, error) {
	if id == nil {
		return nil, badRequest("%s is missing: a proxy writes for a team", property)
	}
	team, err := c.findTeam(r, *id)
	if err != nil {
		return nil, err
	}
	return c.TeamAccess(c.contestAccess, team), nil
}

// writtenObject returns an object that the client has just written, or nil if the client cannot see it. An object that a
// proxy wrote for a team is returned as the team sees it.
func (c *apiClient) writtenObject(r *http.Request, t clics.Type, id string, team *store.Team) (*feed.Line, error) {
	if err := c.Refresh(r.Context(), 0); err != nil {
		return nil, err
	}
	if c.reader.Role == clics.Public { // the first submission has added the account to the contest
		now, err := c.refresh(r)
		if err != nil {
			return nil, err
		}
		c.reader = now.reader
	}
	reader := c.reader
	if reader.Role == clics.Proxy && team != nil {
		reader.Role, reader.Team = clics.Team, team.ID
	}
	lines, err := c.List(reader, t)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if lines[i].ID == id {
			return &lines[i], nil
		}
	}
	return nil, nil
}

// sentClarification is a clarification sent by a client.
type sentClarification struct {
	sentObject
	FromTeamID *string  `json:"from_team_id"`
	ToTeamIDs  []string `json:"to_team_ids"`
	ToTeamID   *string  `json:"to_team_id"` // in 2023-06
	ToGroupIDs []string `json:"to_group_ids"`
	ReplyToID  *string  `json:"reply_to_id"`
	Text       *string  `json:"text"`
}

// maxTextLength is the maximum number of letters in a clarification.
const maxTextLength = 2000

// storeClarification stores a team's clarification request or a message from the jury.
func (c *apiClient) storeClarification(r *http.Request, id string, data []byte) (*feed.Line, error) {
	jury := c.contestAccess.Can(auth.AnswerClarification)
	if isReadOnly(c.reader.Role) {
		return nil, forbidden("an account of this type reads the contest, and does not write")
	}
	if !jury && c.reader.Role != clics.Proxy && (c.reader.Role != clics.Team || !c.contestAccess.Can(auth.RequestClarification)) {
		return nil, c.contestAccess.Closed()
	}
	var sent sentClarification
	if err := json.Unmarshal(data, &sent); err != nil {
		return nil, badRequest("the request is not the JSON of a clarification: %v", err)
	}
	n := store.NewClarification{Contest: c.contestAccess.Contest.ID, Account: c.contestAccess.Account.ID, Jury: jury}
	var err error
	sender := c.contestAccess.Team
	if c.reader.Role == clics.Proxy {
		contestAccess, err := c.proxyAccess(r, sent.FromTeamID, "from_team_id")
		if err != nil {
			return nil, err
		}
		if sender = contestAccess.Team; !contestAccess.Can(auth.RequestClarification) {
			return nil, contestAccess.Closed()
		}
	}
	if n.ExtID, n.At, err = c.checkHeader(&sent.sentObject, id); err != nil {
		return nil, err
	}
	text := ""
	if sent.Text != nil {
		text = strings.TrimSpace(strings.ReplaceAll(*sent.Text, "\r\n", "\n"))
	}
	if n.Text = text; text == "" || utf8.RuneCountInString(text) > maxTextLength {
		return nil, badRequest("the text has %d letters: it must have 1 to %d", utf8.RuneCountInString(text), maxTextLength)
	}
	if err := c.setRecipients(r, &n, &sent, sender); err != nil {
		return nil, err
	}
	if sent.ProblemID != nil {
		p, err := c.findProblem(r, *sent.ProblemID, false)
		if err != nil {
			return nil, err
		}
		n.Problem = p.Slug
	}
	number, err := c.Store.Clarify(r.Context(), n)
	switch {
	case errors.Is(err, store.ErrDuplicateText):
		return nil, &status{http.StatusConflict, "the same clarification was sent a moment ago", ""}
	case errors.Is(err, store.ErrTaken):
		return nil, &status{http.StatusConflict, "the contest has a clarification with this id", ""}
	case errors.Is(err, store.ErrTooManyQuestions):
		return nil, intake.MaxPendingClarifications.Refusal()
	case err != nil:
		return nil, err
	}
	if jury {
		entry := store.AuditEntry{
			Actor: c.caller.name(), Action: "announce", Object: c.contestAccess.Contest.Slug, Detail: fmt.Sprint(number),
			Address: r.RemoteAddr,
		}
		if err := c.Store.Audit(r.Context(), entry); err != nil {
			return nil, err
		}
	}
	line, err := c.writtenObject(r, clics.Clarifications, cmp.Or(n.ExtID, fmt.Sprint(number)), sender)
	if err == nil && line == nil {
		line = &feed.Line{Type: clics.Clarifications, ID: cmp.Or(n.ExtID, fmt.Sprint(number)), Data: json.RawMessage(`{}`)}
	}
	return line, err
}

// setRecipients sets in n the sender and the recipients of a clarification, and the clarification request that it
// answers. If the client is not in the jury, from is the client's team.
func (c *apiClient) setRecipients(r *http.Request, n *store.NewClarification, sent *sentClarification, sender *store.Team) error {
	recipients := sent.ToTeamIDs
	if sent.ToTeamID != nil {
		recipients = append(recipients, *sent.ToTeamID)
	}
	if !n.Jury {
		switch {
		case len(recipients) > 0 || len(sent.ToGroupIDs) > 0 || sent.ReplyToID != nil:
			return badRequest("teams can write to the jury alone: leave out to_team_ids, to_group_ids and reply_to_id")
		case sent.FromTeamID != nil && *sent.FromTeamID != sender.ExtID:
			return badRequest("the team is not yours")
		}
		n.Team = sender.ID
		return nil
	}
	if sent.FromTeamID != nil {
		if c.reader.Role != clics.Admin || len(recipients)+len(sent.ToGroupIDs) > 0 || sent.ReplyToID != nil {
			return badRequest("leave out from_team_id: the jury is the sender")
		}
		n.Jury, recipients = false, []string{*sent.FromTeamID}
	}
	if (sent.ToTeamIDs != nil || sent.ToGroupIDs != nil) && len(recipients)+len(sent.ToGroupIDs) == 0 {
		return badRequest("to_team_ids and to_group_ids are empty: leave them out to tell all teams")
	}
	for _, id := range recipients {
		team, err := c.findTeam(r, id)
		if err != nil {
			return err
		}
		n.Teams = append(n.Teams, team.ID)
	}
	if len(sent.ToGroupIDs) > 0 {
		groups, err := c.Store.Groups(r.Context(), n.Contest)
		if err != nil {
			return err
		}
		for _, id := range sent.ToGroupIDs {
			if !slices.ContainsFunc(groups, func(g store.Group) bool { return g.ID == id && c.contestAccess.CoversGroup(id) }) {
				return c.unknownObject(clics.Groups, "group", id)
			}
		}
		n.Groups = sent.ToGroupIDs
	}
	if c.contestAccess.Sites != nil && len(recipients)+len(sent.ToGroupIDs) == 0 {
		return badRequest("a judge of a site writes to its teams: name them in to_team_ids, or the site in to_group_ids")
	}
	if sent.ReplyToID == nil {
		return nil
	}
	clarifications, err := c.Store.APIClarifications(r.Context(), n.Contest)
	if err != nil {
		return err
	}
	teams, err := c.CoveredTeams(r.Context(), c.contestAccess)
	if err != nil {
		return err
	}
	for _, clarification := range clarifications {
		if clarification.ExtID == *sent.ReplyToID && !clarification.Jury && teams[clarification.Team] != nil {
			n.ReplyTo = clarification.Number
			return c.checkAnswerVisible(r, n, clarification.Team)
		}
	}
	return c.unknownObject(clics.Clarifications, "question", *sent.ReplyToID)
}

// checkAnswerVisible rejects an answer that the team that sent the request could not read.
func (c *apiClient) checkAnswerVisible(r *http.Request, n *store.NewClarification, requester string) error {
	if len(n.Teams)+len(n.Groups) == 0 || slices.Contains(n.Teams, requester) {
		return nil
	}
	teams, err := c.Store.Teams(r.Context(), n.Contest)
	if err != nil {
		return err
	}
	for _, t := range teams {
		if t.ID == requester && slices.ContainsFunc(t.GroupIDs, func(id string) bool { return slices.Contains(n.Groups, id) }) {
			return nil
		}
	}
	return badRequest("an answer goes to the team that asks, to further teams, or to all teams")
}
