package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/contests/golf"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/job"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// A HoleAccess is an account's access to a hole.
type HoleAccess struct {
	Access
	Hole *store.Hole
}

// HoleAccess returns an account's access to a hole. If a is nil, the caller is not logged in.
func (d *Service) HoleAccess(ctx context.Context, h *store.Hole, a *store.Account) (*HoleAccess, error) {
	t := &HoleAccess{
		Hole:   h,
		Access: Access{Account: a, Role: ServerRole(a), State: auth.State{Phase: auth.Running}, target: holeTarget, name: h.Name},
	}
	contests, err := d.Store.ContestsWithProblem(ctx, h.ProblemSlug)
	if err != nil {
		return nil, err
	}
	contested := false
	for _, c := range contests {
		s, err := d.ContestAccess(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if c.Visibility != store.VisibilityJury && s.State.Phase == auth.Running && !s.Can(auth.SeeAll) {
			contested = true
		}
	}
	if t.closed = holeClosedReason(h, d.Time(), contested); t.closed != "" {
		t.State.Phase = auth.Over
	}
	// An account with auth.SeeAll sees every hole and may submit to it.
	t.State.Visible = isVisible(h.Visibility, a, auth.Can(t.Role, auth.SeeAll, auth.State{}), false)
	return t, nil
}

// holeClosedReason returns why a hole accepts no submissions. If it accepts them, it returns an empty string. Contested
// reports whether the problem is in a running contest and the account is not in its jury. In that case, the hole's
// checks would reveal what the contest hides.
func holeClosedReason(h *store.Hole, now time.Time, contested bool) string {
	switch {
	case h.Closed:
		return h.Name + " is closed and takes no more submissions"
	case h.IsClosed(now):
		return h.Name + " closed on " + h.Closes.Format("2 Jan 2006 at 15:04 UTC") + " and takes no more submissions"
	case contested:
		return h.Name + " takes no submissions while a contest with its problem runs"
	}
	return ""
}

// ForSubmission returns the access to a golf submission in the hole.
func (t *HoleAccess) ForSubmission(a *store.GolfSubmission) *HoleAccess {
	of := &HoleAccess{Access: t.ownedBy(a.Account), Hole: t.Hole}
	of.State.Open = t.Hole.ShowSubmissions && a.State == store.GolfValid
	return of
}

// NewGolfSubmission is a golf submission to store. Its bytes are in Data or in an uploaded blob.
type NewGolfSubmission struct {
	*HoleAccess
	Key     string // see store.NewSubmission
	Name    string // file name; the extension may select the language; a post ends in .md
	File    job.File
	Data    []byte
	Options workflow.GolfSubmissionOptions
}

// SubmitGolf stores a golf submission and starts its check. It returns a *Refusal if the submission is not accepted.
func (d *Service) SubmitGolf(ctx context.Context, n NewGolfSubmission) (*store.GolfSubmission, error) {
	if err := n.Admit(); err != nil {
		return nil, err
	}
	if err := d.readGolfSubmission(ctx, &n); err != nil {
		return nil, err
	}
	p, err := d.Store.Problem(ctx, n.Hole.ProblemSlug)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.CheckDisk(MinDiskForSubmissions), d.checkGolfSubmission(ctx, &n, p)); err != nil {
		return nil, err
	}
	recent, err := d.Store.CountRecentGolfSubmissions(ctx, n.Hole.ID, n.Account.ID, GolfRate.Period)
	if err != nil {
		return nil, err
	}
	if recent >= GolfRate.Max {
		return nil, GolfRate.Refusal()
	}
	if err := d.StoreBlob(ctx, n.Account, n.Data); err != nil {
		return nil, err
	}
	asked, err := json.Marshal(n.Options)
	if err != nil {
		return nil, err
	}
	kind, spec, err := dispatch.GolfCheckSpec(p, n.File, asked, "")
	if err != nil {
		return nil, err
	}
	a, err := d.Store.NewGolfSubmission(ctx, store.NewGolfSubmission{
		Key: n.Key, Hole: n.Hole, Account: n.Account.ID, File: n.File, Request: asked, Spec: spec, Kind: kind,
	})
	if errors.Is(err, store.ErrEnded) { // the hole has been closed in the meantime
		if n.Hole, err = d.Store.Hole(ctx, n.Hole.Slug); err == nil {
			err = &Refusal{Code: http.StatusForbidden, Text: holeClosedReason(n.Hole, d.Time(), false)}
		}
	}
	if err != nil {
		return nil, err
	}
	d.Dispatch.PlanWorkflow(a.Workflow)
	return a, nil
}

// RedactGolfResult returns the result of a check for readers of the submission. It omits the failed ways to call the
// submission.
func RedactGolfResult(p *judge.GolfChecked) *judge.GolfChecked {
	shown := *p
	shown.Explain = nil
	return &shown
}

// readGolfSubmission reads the bytes of a golf submission and checks their size.
func (d *Service) readGolfSubmission(ctx context.Context, n *NewGolfSubmission) (err error) {
	if n.Data == nil {
		if n.File.Size > d.MaxSize {
			return tooLong(n.File.Size, d.MaxSize)
		}
		if err := d.CheckUploaded(ctx, n.Account, job.File{Path: n.Name, Size: n.File.Size, Digest: n.File.Digest}); err != nil {
			return err
		}
		if n.Data, err = d.Blobs.Read(n.File.Digest, d.MaxSize); err != nil {
			return err
		}
	}
	switch size := int64(len(n.Data)); {
	case size > d.MaxSize:
		return tooLong(size, d.MaxSize)
	case strings.TrimSpace(string(n.Data)) == "":
		return badRequest("the submission is empty: paste the code, or choose a file that has some")
	}
	n.File = job.File{Size: int64(len(n.Data)), Digest: blob.DigestOf(n.Data)}
	return nil
}

func tooLong(size, maxSize int64) *Refusal {
	return &Refusal{
		Code: http.StatusRequestEntityTooLarge,
		Text: fmt.Sprintf("the submission has %d bytes; the limit is %d", size, maxSize),
	}
}

// languageRefusal returns a Refusal for a language that a hole does not accept or no worker has.
func languageRefusal(format string, args ...any) *Refusal {
	r := badRequest(format, args...)
	r.Field = "language"
	return r
}

func badRequest(format string, args ...any) *Refusal {
	return &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// checkGolfSubmission rejects a golf submission if the server can tell that no worker could read it. It replaces the
// submission's file name by a name that depends only on the language, because programs can see the name.
func (d *Service) checkGolfSubmission(ctx context.Context, n *NewGolfSubmission, p *store.Problem) error {
	sheet, err := d.ProblemInfo(p)
	if err != nil || sheet == nil {
		return errors.Join(err, badRequest("the problem was published without its metadata: ask an administrator to publish it again"))
	}
	if _, err := n.Options.CheckOptions(""); err != nil {
		wrong := badRequest("%s", err)
		wrong.Field = "flags"
		return wrong
	}
	extension := strings.TrimPrefix(path.Ext(n.Name), ".")
	if len(extension) > 12 || strings.Trim(extension, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") != "" {
		extension = ""
	}
	matches := func(l client.OfferedLanguage) bool { return l.ID == n.Options.Language || l.Name == n.Options.Language }
	post := strings.EqualFold(extension, "md") || strings.EqualFold(extension, "markdown")
	switch {
	case post:
		extension = "md" // the extension that workers expect
		if matches, err = readPost(n, matches); err != nil {
			return err
		}
	case n.Options.Language == "" && extension == "":
		return languageRefusal(
			"the language of the submission is unknown: choose it, or name the file as programs of its language are named",
		)
	}
	languages := slices.DeleteFunc(slices.Clone(sheet.Languages), func(l client.OfferedLanguage) bool { return !matches(l) })
	if n.Options.Language == "" && !post {
		languages = client.LanguagesForFile(sheet.Languages, n.Name)
	}
	if n.File.Path = "answer." + extension; len(languages) == 0 {
		if post {
			return nil // the header may name a language that only a worker recognizes
		}
		if n.Options.Language != "" {
			return languageRefusal("the language %.40q is not known here", n.Options.Language)
		}
		return languageRefusal("no language has programs called %.100q: choose the language, or name the file as programs of its "+
			"language are named", n.Name)
	}
	if extension == "" && len(languages[0].Extensions) > 0 {
		n.File.Path += languages[0].Extensions[0]
	}
	n.File.Path = strings.TrimSuffix(n.File.Path, ".")
	return d.checkInstalled(ctx, languages, ": a submission in it cannot be checked")
}

// readPost reads the header of a post. It returns a function that recognizes the language in the header. If the
// submission itself names a language, it returns means.
func readPost(n *NewGolfSubmission, matches func(client.OfferedLanguage) bool) (func(client.OfferedLanguage) bool, error) {
	post, err := golf.ParsePost(string(n.Data))
	if err != nil {
		return nil, badRequest("%s", err)
	}
	if strings.TrimSpace(post.Code) == "" {
		return nil, badRequest("the code of the post is empty: put it between lines of ```, or indent it by four blanks")
	}
	if err := workflow.CheckFlags(post.Flags); err != nil {
		return nil, badRequest("%s", err)
	}
	if n.Options.Language != "" {
		return matches, nil
	}
	return func(l client.OfferedLanguage) bool {
		return strings.EqualFold(l.Name, post.Language) || strings.EqualFold(l.ID, post.Language)
	}, nil
}

// checkInstalled refuses languages if the workers have none of them. The error ends with so, the consequence.
func (d *Service) checkInstalled(ctx context.Context, languages []client.OfferedLanguage, consequence string) error {
	class, err := d.Store.Class(ctx, d.Class)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range languages {
		if len(class.Languages) == 0 || class.Languages[l.ID] != "" {
			return nil
		}
	}
	return languageRefusal("no worker here has %s%s", languages[0].Name, consequence)
}

// ValidSubmissions returns the golf submissions of a hole that were correct at some time, in the form that ranks them, and
// the stored ones by number.
func (d *Service) ValidSubmissions(
	ctx context.Context, h *store.Hole,
) (submissions []scoring.GolfSubmission, byNumber map[int64]*store.GolfSubmission, err error) {
	answers, err := d.Store.CorrectGolfSubmissions(ctx, h.ID)
	byNumber = make(map[int64]*store.GolfSubmission, len(answers))
	for _, a := range answers {
		byNumber[a.Number] = a
		submissions = append(submissions, scoring.GolfSubmission{
			Number: a.Number, Author: a.Account, Language: a.LanguageKey(), At: a.Received, ValidSince: a.ValidSince,
			Valid: a.State == store.GolfValid, Bytes: a.Bytes, Chars: a.Chars,
		})
	}
	return submissions, byNumber, err
}

// GolfRank describes the rank of the author of a valid submission, in its language and over all, and names the
// submission that counts.
func (d *Service) GolfRank(ctx context.Context, h *store.Hole, a *store.GolfSubmission) (string, error) {
	answers, _, err := d.ValidSubmissions(ctx, h)
	if err != nil {
		return "", err
	}
	in, over := scoring.RankGolf(answers, a.LanguageKey(), scoring.Bytes), scoring.RankGolf(answers, "", scoring.Bytes)
	inLanguage, overall := FindGolfer(in, a.Account), FindGolfer(over, a.Account)
	if inLanguage == nil || overall == nil {
		return "", nil
	}
	words := fmt.Sprintf("rank %d of %d in %s, %d of %d over all", inLanguage.Rank, len(in), a.Name, overall.Rank, len(over))
	if inLanguage.Number != a.Number {
		return fmt.Sprintf("submission %d counts, with %d bytes: %s", inLanguage.Number, inLanguage.Bytes, words), nil
	}
	return fmt.Sprintf("%d bytes: %s", a.Bytes, words), nil
}

// FindGolfer returns the row of an author, or nil if the author has none.
func FindGolfer(ranking []scoring.Golfer, author string) *scoring.Golfer {
	for i := range ranking {
		if ranking[i].Author == author {
			return &ranking[i]
		}
	}
	return nil
}
