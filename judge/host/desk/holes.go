package desk

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
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A HoleSeat is an account's access to a hole.
type HoleSeat struct {
	Access
	Hole *store.Hole
}

// HoleSeat returns an account's access to a hole. If a is nil, the caller is not logged in.
func (d *Desk) HoleSeat(ctx context.Context, h *store.Hole, a *store.Account) (*HoleSeat, error) {
	t := &HoleSeat{Hole: h, Access: Access{Account: a, Role: Role(a), State: auth.State{Phase: auth.Running}, kind: hole, name: h.Name}}
	contests, err := d.Store.ContestsOf(ctx, h.ProblemSlug)
	if err != nil {
		return nil, err
	}
	contested := false
	for _, c := range contests {
		s, err := d.Seat(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if c.Visibility != store.Staff && s.State.Phase == auth.Running && !s.Can(auth.SeeAll) {
			contested = true
		}
	}
	if t.closed = holeClosed(h, d.Time(), contested); t.closed != "" {
		t.State.Phase = auth.Over
	}
	// An account with auth.SeeAll sees every hole and may submit to it.
	t.State.Shown = shown(h.Visibility, a, auth.Can(t.Role, auth.SeeAll, auth.State{}), false)
	return t, nil
}

// holeClosed returns why a hole accepts no submissions. If it accepts them, it returns an empty string. Contested
// reports whether the problem is in a running contest and the account is not in its jury. In that case, the hole's
// checks would reveal what the contest hides.
func holeClosed(h *store.Hole, now time.Time, contested bool) string {
	switch {
	case h.Closed:
		return h.Name + " is closed and takes no more submissions"
	case h.Over(now):
		return h.Name + " closed on " + h.Closes.Format("2 Jan 2006 at 15:04 UTC") + " and takes no more submissions"
	case contested:
		return h.Name + " takes no submissions while a contest with its problem runs"
	}
	return ""
}

// Look returns the access to a golf submission in the hole.
func (t *HoleSeat) Look(a *store.Answer) *HoleSeat {
	of := &HoleSeat{Access: t.of(a.Account), Hole: t.Hole}
	of.State.Open = t.Hole.Shown && a.State == store.Standing
	return of
}

// NewAnswer is a golf submission to store. Its bytes are in Data or in an uploaded blob.
type NewAnswer struct {
	*HoleSeat
	Key  string // see store.NewSubmission
	Name string // file name; the extension may select the language; a post ends in .md
	File job.File
	Data []byte
	How  flow.HoleAnswer
}

// TakeAnswer stores a golf submission and starts its check. It returns a *Refusal if the submission is not accepted.
func (d *Desk) TakeAnswer(ctx context.Context, n NewAnswer) (*store.Answer, error) {
	if err := n.Admit(); err != nil {
		return nil, err
	}
	if err := d.readAnswer(ctx, &n); err != nil {
		return nil, err
	}
	p, err := d.Store.Problem(ctx, n.Hole.ProblemSlug)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.HasDisk(RoomForSubmissions), d.understood(ctx, &n, p)); err != nil {
		return nil, err
	}
	recent, err := d.Store.RecentAnswers(ctx, n.Hole.ID, n.Account.ID, AnswerRate.Within)
	if err != nil {
		return nil, err
	}
	if recent >= AnswerRate.Most {
		return nil, AnswerRate.Reached()
	}
	if err := d.Keep(ctx, n.Account, n.Data); err != nil {
		return nil, err
	}
	asked, err := json.Marshal(n.How)
	if err != nil {
		return nil, err
	}
	kind, spec, err := dispatch.HoleSpec(p, n.File, asked, "")
	if err != nil {
		return nil, err
	}
	a, err := d.Store.NewAnswer(ctx, store.NewAnswer{
		Key: n.Key, Hole: n.Hole, Account: n.Account.ID, File: n.File, Asked: asked, Spec: spec, Kind: kind,
	})
	if errors.Is(err, store.ErrEnded) { // the hole has been closed in the meantime
		if n.Hole, err = d.Store.Hole(ctx, n.Hole.Slug); err == nil {
			err = &Refusal{Code: http.StatusForbidden, Text: holeClosed(n.Hole, d.Time(), false)}
		}
	}
	if err != nil {
		return nil, err
	}
	d.Dispatch.Plan(a.Flow)
	return a, nil
}

// ShownProof returns the result of a check for readers of the submission. It omits the failed ways to call the
// submission.
func ShownProof(p *judge.GolfProved) *judge.GolfProved {
	shown := *p
	shown.Explain = nil
	return &shown
}

// readAnswer reads the bytes of a golf submission and checks their size.
func (d *Desk) readAnswer(ctx context.Context, n *NewAnswer) (err error) {
	if n.Data == nil {
		if n.File.Size > d.MaxSize {
			return tooLong(n.File.Size, d.MaxSize)
		}
		if err := d.Has(ctx, n.Account, job.File{Path: n.Name, Size: n.File.Size, Digest: n.File.Digest}); err != nil {
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
		return refused("the submission is empty: paste the code, or choose a file that has some")
	}
	n.File = job.File{Size: int64(len(n.Data)), Digest: blob.Of(n.Data)}
	return nil
}

func tooLong(size, most int64) *Refusal {
	return &Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the submission has %d bytes; the limit is %d", size, most)}
}

// unspoken is the refusal of a language.
func unspoken(format string, args ...any) *Refusal {
	r := refused(format, args...)
	r.Field = "language"
	return r
}

func refused(format string, args ...any) *Refusal {
	return &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// understood rejects a golf submission if the server can tell that no worker could read it. It replaces the
// submission's file name by a name that depends only on the language, because programs can see the name.
func (d *Desk) understood(ctx context.Context, n *NewAnswer, p *store.Problem) error {
	sheet, err := d.Sheet(p)
	if err != nil || sheet == nil {
		return errors.Join(err, refused("the problem was published without its metadata: ask an administrator to publish it again"))
	}
	if _, err := n.How.Proof(""); err != nil {
		wrong := refused("%s", err)
		wrong.Field = "flags"
		return wrong
	}
	ending := strings.TrimPrefix(path.Ext(n.Name), ".")
	if len(ending) > 12 || strings.Trim(ending, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") != "" {
		ending = ""
	}
	means := func(l client.OfferedLanguage) bool { return l.ID == n.How.Language || l.Name == n.How.Language }
	post := strings.EqualFold(ending, "md") || strings.EqualFold(ending, "markdown")
	switch {
	case post:
		ending = "md" // the extension that workers expect
		if means, err = readPost(n, means); err != nil {
			return err
		}
	case n.How.Language == "" && ending == "":
		return unspoken("the language of the submission is unknown: choose it, or name the file as programs of its language are named")
	}
	meant := slices.DeleteFunc(slices.Clone(sheet.Languages), func(l client.OfferedLanguage) bool { return !means(l) })
	if n.How.Language == "" && !post {
		meant = client.Claiming(sheet.Languages, n.Name)
	}
	if n.File.Path = "answer." + ending; len(meant) == 0 {
		if post {
			return nil // the header may name a language that only a worker recognizes
		}
		if n.How.Language != "" {
			return unspoken("the language %.40q is not known here", n.How.Language)
		}
		return unspoken("no language has programs called %.100q: choose the language, or name the file as programs of its "+
			"language are named", n.Name)
	}
	if ending == "" && len(meant[0].Extensions) > 0 {
		n.File.Path += meant[0].Extensions[0]
	}
	n.File.Path = strings.TrimSuffix(n.File.Path, ".")
	return d.installed(ctx, meant, ": a submission in it cannot be checked")
}

// readPost reads the header of a post. It returns a function that recognizes the language in the header. If the
// submission itself names a language, it returns means.
func readPost(n *NewAnswer, means func(client.OfferedLanguage) bool) (func(client.OfferedLanguage) bool, error) {
	post, err := golf.ParsePost(string(n.Data))
	if err != nil {
		return nil, refused("%s", err)
	}
	if strings.TrimSpace(post.Code) == "" {
		return nil, refused("the code of the post is empty: put it between lines of ```, or indent it by four blanks")
	}
	if err := flow.CheckFlags(post.Flags); err != nil {
		return nil, refused("%s", err)
	}
	if n.How.Language != "" {
		return means, nil
	}
	return func(l client.OfferedLanguage) bool {
		return strings.EqualFold(l.Name, post.Language) || strings.EqualFold(l.ID, post.Language)
	}, nil
}

// installed refuses languages if the workers have none of them. The error ends with so, the consequence.
func (d *Desk) installed(ctx context.Context, meant []client.OfferedLanguage, so string) error {
	class, err := d.Store.Class(ctx, d.Class)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range meant {
		if len(class.Languages) == 0 || class.Languages[l.ID] != "" {
			return nil
		}
	}
	return unspoken("no worker here has %s%s", meant[0].Name, so)
}

// RightAnswers are the answers of a hole as its board knows them, and the same by their numbers.
func (d *Desk) RightAnswers(ctx context.Context, h *store.Hole) (all []scoring.Answer, by map[int64]*store.Answer, err error) {
	answers, err := d.Store.RightAnswers(ctx, h.ID)
	by = make(map[int64]*store.Answer, len(answers))
	for _, a := range answers {
		by[a.Number] = a
		all = append(all, scoring.Answer{
			Number: a.Number, Author: a.Account, Language: a.LanguageKey(), At: a.Received, Stood: a.Stood,
			Stands: a.State == store.Standing, Bytes: a.Bytes, Chars: a.Chars,
		})
	}
	return all, by, err
}

// Places says where the author of an answer that stands is on the boards, and by which answer.
func (d *Desk) Places(ctx context.Context, h *store.Hole, a *store.Answer) (string, error) {
	answers, _, err := d.RightAnswers(ctx, h)
	if err != nil {
		return "", err
	}
	in, over := scoring.Golf(answers, a.LanguageKey(), scoring.Bytes), scoring.Golf(answers, "", scoring.Bytes)
	here, all := PlaceOf(in, a.Account), PlaceOf(over, a.Account)
	if here == nil || all == nil {
		return "", nil
	}
	words := fmt.Sprintf("place %d of %d in %s, %d of %d over all", here.Rank, len(in), a.Name, all.Rank, len(over))
	if here.Number != a.Number {
		return fmt.Sprintf("submission %d counts, with %d bytes: %s", here.Number, here.Bytes, words), nil
	}
	return fmt.Sprintf("%d bytes: %s", a.Bytes, words), nil
}

// PlaceOf is the row of an author; nil where there is none.
func PlaceOf(board []scoring.Golfer, author string) *scoring.Golfer {
	for i := range board {
		if board[i].Author == author {
			return &board[i]
		}
	}
	return nil
}
