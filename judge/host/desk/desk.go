// Package desk accepts submissions from pages and from the command line. It decides what access an
// account has to a contest or a hole, which contest a submission belongs to, whether it is accepted, and
// what its author may see of its judgement. It does not judge, and renders nothing.
package desk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// Desk takes submissions for a server.
type Desk struct {
	Store    *store.Store
	Blobs    *blob.Folder
	Dispatch *dispatch.Dispatcher
	// Sweeping keeps garbage collection and requests apart. The collection holds it for writing. A request
	// holds it for reading from the check that a blob exists until a row refers to the blob, and never
	// while it waits for the caller: for a turn, for a body, or for a response to be read. If nil, nothing
	// is collected.
	Sweeping *sync.RWMutex
	// MaxSize and MaxFiles bound a submission: bytes of all its files, and their number.
	MaxSize  int64
	MaxFiles int
	// Turns are of accounts, and of networks for requests without an account.
	Turns Turns
	// Strangers are turns of networks, for requests whose tokens are not right.
	Strangers Turns
	// Passers are turns of networks: see Pace.
	Passers Turns
	uploads Turns // of accounts: see Upload
	// Throttle delays logins after wrong passwords.
	Throttle       LoginThrottle
	streams, feeds Counter  // that are open
	sums           sync.Map // the MD5 digests of blobs, by their SHA-256
	// Class is that of the workers that judge submissions.
	Class string
	// Registration says who may make an account of their own.
	Registration auth.Registration
	// AutoLogin lets teams log in without a password at their addresses, LockAddress lets them log in nowhere else.
	AutoLogin, LockAddress bool
	// Practice applies to problems that do not set their own. If empty, it is PracticeSamples.
	Practice store.PracticeLevel
	// Forget removes at once those of the blobs that no row refers to. The caller must not hold Sweeping.
	Forget func(ctx context.Context, blobs []blob.Digest) error
	// Contents says which blobs a manifest names; nil is for none.
	Contents func(manifest blob.Digest) ([]blob.Digest, error)
	// FreeDisk says how many bytes are free where the server keeps its data.
	FreeDisk func() (int64, error)
	// At is called, if not nil, before and after a submission is stored. Tests use it to simulate a crash.
	At func(kept bool)
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	offered sync.Map // of a sheet's digest: its languages
}

// Time is what the clock says.
func (d *Desk) Time() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// Refusal is an answer that is not what was asked for: a status of HTTP, what is wrong, and
// what to do.
type Refusal struct {
	Code       int
	Text, Hint string
}

func (r *Refusal) Error() string { return r.Text }

// Sentence returns the text for a page.
func (r *Refusal) Sentence() string { return strings.ToUpper(r.Text[:1]) + r.Text[1:] + "." }

// Scopes are those that tokens of an account with a role on the whole site may have.
func Scopes(r auth.Role) []string {
	all := []string{string(client.Submit)}
	if auth.Can(r, auth.Make, auth.State{}) {
		all = append(all, string(client.Publish))
	}
	if auth.Can(r, auth.Accounts, auth.State{}) {
		all = append(all, string(client.Admin))
	}
	return all
}

// New is a submission that is handed in. Its files are blobs that are there.
type New struct {
	Seat     *Seat // of its author, in the contest; nil for practice
	Account  *store.Account
	Problem  *store.Problem
	Key      string // see store.NewSubmission
	Files    []job.File
	Folder   bool
	Program  string
	Language string // asked for; "" for what the name tells
	All      bool
	Many     bool // the account may have any number of submissions that are not judged yet
	// Team is whose submission it is, if the account submits for others: as often as it likes. ExtID and
	// At are those of store.NewSubmission.
	Team  *store.Team
	ExtID string
	At    time.Time
}

// The free space below which nothing is taken any more.
const (
	RoomForUploads     = 1 << 30
	RoomForSubmissions = 256 << 20
)

// MaxArchive is the most bytes of a package, and of each blob of a problem.
const MaxArchive = 1 << 30

// Take keeps a submission. When it returns, it is in the database, and nothing that happens
// later loses it. What is not taken is a *Refusal.
func (d *Desk) Take(ctx context.Context, n New) (*store.Accepted, error) {
	if err := errors.Join(d.HasDisk(RoomForSubmissions), d.Bounded(n.Files, n.Folder)); err != nil {
		return nil, err
	}
	if err := d.Has(ctx, n.Account, n.Files...); err != nil {
		return nil, err
	}
	cost, err := d.Store.Cost(ctx, n.Problem.Slug)
	if err != nil {
		return nil, err
	}
	work := job.Work{
		Kind: job.Submission, Bundle: n.Problem.Bundle, Config: n.Problem.Config, Problem: n.Problem.Slug, Files: n.Files, Folder: n.Folder,
		Program: n.Program, Language: n.Language, All: n.All,
	}
	if err := work.Check(); err != nil {
		return nil, &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	if err := d.spoken(ctx, &n); err != nil {
		return nil, err
	}
	kept := store.NewSubmission{Key: n.Key, Account: n.Account.ID, Problem: n.Problem.Slug, Work: work, Lane: job.Practice, Class: d.Class, Cost: cost}
	if !n.Many && Role(n.Account) == auth.Contestant {
		kept.MostOpen, kept.ForTeam = PendingSubmissions.Most, n.Team != nil
	}
	if n.Seat != nil {
		if err := d.enter(ctx, &n, &kept); err != nil {
			return nil, err
		}
	}
	d.at(false)
	a, err := d.Store.Submit(ctx, kept)
	if err != nil {
		return nil, asRefusal(err, n)
	}
	d.at(true)
	d.Dispatch.Poke()
	return a, nil
}

// Keep keeps bytes that an account has sent as a blob, which it may name from then on. Kept is held.
func (d *Desk) Keep(ctx context.Context, a *store.Account, data []byte) error {
	s, err := d.Blobs.Stage(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer s.Close()
	return d.KeepStaged(ctx, a, s, false)
}

// KeepStaged makes a blob of what an account has sent, which may also publish: it may name the blob
// from then on. Its bytes were read also where the blob is there, for to know a digest is not to
// have the bytes. Kept is held.
func (d *Desk) KeepStaged(ctx context.Context, a *store.Account, s *blob.Staged, publishes bool) error {
	b := store.Blob{Digest: s.Digest, Size: s.Size, Kind: store.Brief}
	limit := UnusedUploads.With(max(UnusedUploads.Most, d.MaxSize>>18)) // four times the size, in MiB
	if publishes {
		b.Kind, limit = "upload", UnusedBundles
	}
	most := limit.Most << 20
	if Role(a) == auth.Admin {
		most = 0
	}
	err := d.Store.NoteSent(ctx, a.ID, b, most)
	if errors.Is(err, store.ErrManySent) { // as far as is known
		if err = d.Store.MarkNamed(ctx, a.ID, d.contents); err == nil {
			err = d.Store.NoteSent(ctx, a.ID, b, most)
		}
	}
	if errors.Is(err, store.ErrManySent) {
		return limit.Reached()
	}
	if err != nil {
		return err
	}
	return s.Keep()
}

func (d *Desk) contents(manifest blob.Digest) ([]blob.Digest, error) {
	if d.Contents == nil {
		return nil, nil
	}
	return d.Contents(manifest)
}

// Has refuses files whose bytes the account has not sent, or that are not there any more.
func (d *Desk) Has(ctx context.Context, a *store.Account, files ...job.File) error {
	for _, f := range files {
		sent, err := d.Store.Sent(ctx, a.ID, f.Digest)
		if err != nil {
			return err
		}
		if !sent || !d.Blobs.Has(f.Digest, f.Size) {
			return &Refusal{Code: http.StatusConflict, Text: fmt.Sprintf("the server lacks the bytes of %.200q (%d bytes, SHA-256 %.80s)", f.Path, f.Size, f.Digest), Hint: "send them first"}
		}
	}
	return nil
}

// Hurried refuses who has sent too many already, before anything of another one is kept.
func (d *Desk) Hurried(ctx context.Context, n New) error {
	if n.Seat == nil {
		return nil
	}
	return asRefusal(d.Store.TooFast(ctx, n.Seat.Contest.ID, n.Account.ID, n.Key, perMinute(n.Seat)), n)
}

// perMinute is how many submissions an account may send to a contest in a minute.
func perMinute(s *Seat) int64 {
	return cmp.Or(int64(s.Contest.Settings.PerMinute), SubmissionRate.Most)
}

// asRefusal converts an error of the store into the Refusal shown to the author of the submission.
func asRefusal(err error, n New) error {
	if errors.Is(err, store.ErrTooFast) {
		return SubmissionRate.With(perMinute(n.Seat)).Reached()
	}
	if errors.Is(err, store.ErrOtherUnderKey) {
		return &Refusal{Code: http.StatusConflict, Text: "another program was sent with the same key, less than ten minutes ago", Hint: "reload the page, or use another key"}
	}
	if errors.Is(err, store.ErrManyOpen) && n.Team != nil {
		return PendingOfTeam.Reached()
	}
	if errors.Is(err, store.ErrManyOpen) {
		return PendingSubmissions.Reached()
	}
	return err
}

func (d *Desk) at(kept bool) {
	if d.At != nil {
		d.At(kept)
	}
}

// enter fills in the contest of a submission. A contestant takes part in the contest from then on. A
// submission of the jury has no team and is unscored.
func (d *Desk) enter(ctx context.Context, n *New, kept *store.NewSubmission) (err error) {
	c, s := n.Seat.Contest, &n.Seat.Contest.Settings
	if err := n.Seat.Admit(); err != nil {
		return err
	}
	if len(s.Languages) > 0 && n.Language != "" && !slices.Contains(s.Languages, n.Language) {
		return &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf("%.40s is not a language of this contest: they are %s", n.Language, strings.Join(s.Languages, ", "))}
	}
	kept.Contest, kept.PerMinute = c.ID, perMinute(n.Seat)
	if n.Seat.State.Phase == auth.Running {
		kept.Lane = job.Contest
	}
	kept.ExtID, kept.At = n.ExtID, n.At
	if n.Team != nil {
		kept.Team, kept.PerMinute = n.Team.ID, 0
		return nil
	}
	if n.Seat.Role != auth.Contestant {
		return nil
	}
	if n.Seat.Team == nil && c.UpdatesEnded(d.Time()) {
		return nil // practice after the final results, which have no further team
	}
	if n.Seat.Team == nil {
		if n.Seat.Team, err = d.Store.Enter(ctx, c.ID, n.Account); err != nil {
			return err
		}
	}
	kept.Team = n.Seat.Team.ID
	return nil
}

// HasDisk refuses where the disk has too little room left.
func (d *Desk) HasDisk(least int64) error {
	free, err := d.FreeDisk()
	if err != nil {
		return err
	}
	if free < least {
		return &Refusal{Code: http.StatusServiceUnavailable, Text: fmt.Sprintf("the server's disk has %d MiB left: uploads resume when %d MiB are free", free>>20, least>>20), Hint: "tell the server's administrator"}
	}
	return nil
}

// Bounded refuses a submission that is too large.
func (d *Desk) Bounded(files []job.File, folder bool) error {
	if err := job.CheckFiles(files, folder); err != nil {
		return &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	var size int64
	for _, f := range files {
		size += f.Size
	}
	if size > d.MaxSize || len(files) > d.MaxFiles {
		return &Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the submission has %d bytes in %d files; the most is %d bytes in %d files", size, len(files), d.MaxSize, d.MaxFiles)}
	}
	return nil
}

// Place says into which contest a submission for a problem goes that names none: the running
// one, or one that takes practice; nil is for none, where no contest has the problem. Where
// several are running it must name one. The problem of a contest that shows nothing of it is
// not there: store.ErrNotFound.
func (d *Desk) Place(ctx context.Context, a *store.Account, problem string) (*Seat, error) {
	contests, err := d.Store.ContestsOf(ctx, problem)
	if err != nil {
		return nil, err
	}
	var best, seen *Seat
	var running []string
	for _, c := range contests {
		s, err := d.Seat(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if s.Can(auth.SeeProblems) {
			seen = s
		}
		if !s.Can(auth.SeeProblems) || !s.Can(auth.Submit) {
			continue
		}
		if s.State.Phase == auth.Running {
			running = append(running, c.Slug)
		}
		if best == nil || better(s, best) {
			best = s
		}
	}
	staff := auth.Can(Role(a), auth.SeeAll, auth.State{})
	switch {
	case len(running) > 1:
		return nil, several(problem, running)
	case best != nil:
		return best, nil
	case seen != nil && !staff:
		return nil, seen.Closed()
	case staff:
		return nil, nil
	case len(contests) == 0 && a.Role == "":
		p, err := d.Store.Problem(ctx, problem)
		if err != nil || d.practice(a, p) != store.PracticeOff {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the problem %s: %w", problem, store.ErrNotFound)
}

// several refuses a submission that may be meant for several contests.
func several(problem string, contests []string) error {
	slices.Sort(contests)
	return &Refusal{
		Code: http.StatusConflict, Text: fmt.Sprintf("several running contests have the problem %s: %s", problem, strings.Join(contests, ", ")),
		Hint: "name the one that is meant: judge submit --contest " + contests[0],
	}
}

// Labeled finds the problem that has a label in a contest to which an account may submit
// now: the one of this address; of none, the one where it counts, or that began last. Where
// several are running one must be named. store.ErrNotFound says that there is none.
func (d *Desk) Labeled(ctx context.Context, a *store.Account, contest, label string) (*store.Problem, *Seat, error) {
	contests, err := d.Store.Contests(ctx)
	if err != nil {
		return nil, nil, err
	}
	var best, seen *Seat
	var found *store.Problem
	var running []string
	for _, c := range contests {
		if contest != "" && c.Slug != contest {
			continue
		}
		s, err := d.Seat(ctx, c, a)
		if err != nil {
			return nil, nil, err
		}
		if s.State.Phase == auth.Before || !s.Can(auth.SeeProblems) {
			continue
		}
		problems, err := d.Store.ContestProblems(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range problems {
			if !strings.EqualFold(p.Label, label) {
				continue
			}
			if seen = s; !s.Can(auth.Submit) {
				continue
			}
			if s.State.Phase == auth.Running {
				running = append(running, c.Slug)
			}
			if best == nil || better(s, best) {
				best, found = s, p.Problem
			}
		}
	}
	if len(running) > 1 {
		return nil, nil, several(label, running)
	}
	if best == nil && seen != nil {
		return nil, nil, seen.Closed()
	}
	if best == nil {
		return nil, nil, fmt.Errorf("the problem %s: %w", label, store.ErrNotFound)
	}
	return found, best, nil
}

// better reports whether a submission belongs to s rather than to t: a running contest comes first, then
// the contest that began last.
func better(s, t *Seat) bool {
	if running := s.State.Phase == auth.Running; running != (t.State.Phase == auth.Running) {
		return running
	}
	return s.Contest.Starts.After(t.Contest.Starts)
}

// Sees says whether an account may know that there is a problem.
func (d *Desk) Sees(ctx context.Context, a *store.Account, problem string) (bool, error) {
	_, err := d.Place(ctx, a, problem)
	if _, closed := errors.AsType[*Refusal](err); closed {
		return true, nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Waits says where a judging waits; nil where it does not wait.
func (d *Desk) Waits(ctx context.Context, j *store.Judgement) (*client.Place, error) {
	if j.State != store.Waiting {
		return nil, nil
	}
	a, err := d.Store.AheadOf(ctx, j.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &client.Place{Before: a.Jobs, Priority: a.Priority, Later: a.Later}, err
}

// Events reads the stored events of a judging; none where there are none.
func (d *Desk) Events(j *store.Judgement) ([]judge.Event, error) {
	if j.Events == "" {
		return nil, nil
	}
	data, err := d.Blobs.Read(j.Events, job.MaxEvents)
	if err != nil {
		return nil, err
	}
	return job.Unpack(data)
}
