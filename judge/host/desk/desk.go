// Package desk accepts submissions from pages and from the command line. It decides what access an account has to
// a contest or a hole, which contest a submission belongs to, whether the submission is accepted, and what its
// author may see of the judgement. It does not judge, and renders nothing.
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

// A Desk accepts submissions for a server.
type Desk struct {
	Store    *store.Store
	Blobs    *blob.Dir
	Dispatch *dispatch.Dispatcher
	// Sweeping excludes garbage collection during requests. The collection holds a write lock. A request holds a
	// read lock from the check that a blob exists until a row refers to the blob. It must not hold the lock while
	// it waits for the caller: for a slot, for a body, or for a response to be read. If nil, there is no garbage
	// collection.
	Sweeping *sync.RWMutex
	// MaxSize is the maximum total size of a submission's files in bytes, and MaxFiles is their maximum number.
	MaxSize  int64
	MaxFiles int
	// Turns queues requests by account. Requests without an account are queued by network.
	Turns Turns
	// Strangers queues requests with invalid tokens by network.
	Strangers Turns
	// Passers queues the requests of Pace by network.
	Passers Turns
	uploads Turns // by account: see Upload
	// open streams and feeds
	Throttle       LoginThrottle
	streams, feeds Counter  // open ones
	sums           sync.Map // MD5 digests of blobs by their SHA-256
	// Class is the worker class that judges submissions.
	Class string
	// Registration controls who may create an account.
	Registration auth.Registration
	// StaffPasswords restricts password logins to accounts with a role. Other accounts use single sign-on.
	StaffPasswords bool
	// AutoLogin lets teams log in without a password from their addresses. LockAddress rejects logins from other
	// addresses.
	AutoLogin, LockAddress bool
	// Practice is the default for problems without their own setting. If empty, it is PracticeSamples.
	Practice store.PracticeLevel
	// Forget immediately removes the given blobs, except blobs that a database row refers to. The caller must not
	// hold Sweeping.
	Forget func(ctx context.Context, blobs []blob.Digest) error
	// Contents returns the blobs that a manifest lists. If nil, there are no manifests.
	Contents func(manifest blob.Digest) ([]blob.Digest, error)
	// FreeDisk returns the free bytes on the disk of the data directory.
	FreeDisk func() (int64, error)
	// At is called before and after a submission is stored, unless At is nil. Tests use it to simulate a crash.
	At func(kept bool)
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time

	sheets Memo[blob.Digest, *client.Sheet]
}

// Time returns the current time, from Now if it is set.
func (d *Desk) Time() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// A Refusal rejects a request. It contains an HTTP status, what is wrong, and what to do.
type Refusal struct {
	Code       int
	Text, Hint string
	Field      string // of the form that a person must change; empty if it is unknown
}

func (r *Refusal) Error() string { return r.Text }

// Sentence returns the text as a sentence for a page.
func (r *Refusal) Sentence() string { return strings.ToUpper(r.Text[:1]) + r.Text[1:] + "." }

// Scopes returns the scopes that an account's tokens may have. The argument is the account's role on the whole
// server.
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

// New is a submission to store. Its files are uploaded blobs.
type New struct {
	Seat     *Seat // the author's access to the contest; nil for practice
	Account  *store.Account
	Problem  *store.Problem
	Key      string // see store.NewSubmission
	Files    []job.File
	Folder   bool
	Program  string
	Language string // chosen by the author; may be empty
	All      bool
	Many     bool // the number of pending submissions is not limited
	// Team is set if the account submits for another team. Then no rate limit applies. ExtID and At are as in
	// store.NewSubmission.
	Team  *store.Team
	ExtID string
	At    time.Time
}

// The minimum free disk space in bytes, below which uploads and submissions are rejected.
const (
	RoomForUploads     = 1 << 30
	RoomForSubmissions = 256 << 20
)

// MaxArchive is the maximum size in bytes of a package, and of each blob of a problem.
const MaxArchive = 1 << 30

// Take stores a submission. When it returns, the database has the submission, so it cannot get lost. It returns a
// *Refusal if the submission is not accepted.
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
	kept := store.NewSubmission{
		Key: n.Key, Account: n.Account.ID, Problem: n.Problem.Slug, Work: work, Lane: job.Practice, Class: d.Class,
		Cost: cost,
	}
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
	d.Dispatch.Wake()
	return a, nil
}

// Keep stores bytes that an account has uploaded as a blob. From then on, the account may refer to the blob. The
// caller must hold Kept.
func (d *Desk) Keep(ctx context.Context, a *store.Account, data []byte) error {
	s, err := d.Blobs.Stage(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer s.Close()
	return d.KeepStaged(ctx, a, s, false)
}

// KeepStaged stores an upload as a blob. From then on, the account may refer to the blob. The upload must contain
// the bytes even if the blob exists, because knowing a digest does not prove possession. The caller must hold
// Kept.
func (d *Desk) KeepStaged(ctx context.Context, a *store.Account, s *blob.Staged, publishes bool) error {
	b := store.Blob{Digest: s.Digest, Size: s.Size, Kind: store.Brief}
	limit := UnusedUploads.With(max(UnusedUploads.Most, d.MaxSize>>18)) // four times MaxSize, in MiB
	if publishes {
		b.Kind, limit = "upload", UnusedBundles
	}
	most := limit.Most << 20
	if Role(a) == auth.Admin {
		most = 0
	}
	err := d.Store.NoteSent(ctx, a.ID, b, most)
	if errors.Is(err, store.ErrManySent) { // according to the last count
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

// Has rejects files whose bytes the account has not uploaded, or whose blobs no longer exist.
func (d *Desk) Has(ctx context.Context, a *store.Account, files ...job.File) error {
	for _, f := range files {
		sent, err := d.Store.Sent(ctx, a.ID, f.Digest)
		if err != nil {
			return err
		}
		there, err := d.Blobs.Has(f.Digest, f.Size)
		if err != nil {
			return err
		}
		if !sent || !there {
			return &Refusal{
				Code: http.StatusConflict,
				Text: fmt.Sprintf("the server lacks the bytes of %.200q (%d bytes, SHA-256 %.80s)", f.Path, f.Size, f.Digest),
				Hint: "send them first",
			}
		}
	}
	return nil
}

// Hurried returns a Refusal if the account is over its submission rate. It must be called before anything is
// stored.
func (d *Desk) Hurried(ctx context.Context, n New) error {
	if n.Seat == nil {
		return nil
	}
	return asRefusal(d.Store.TooFast(ctx, n.Seat.Contest.ID, n.Account.ID, n.Key, perMinute(n.Seat)), n)
}

// perMinute returns the maximum number of submissions per minute that an account may send to a contest.
func perMinute(s *Seat) int64 {
	return cmp.Or(int64(s.Contest.Settings.PerMinute), SubmissionRate.Most)
}

// asRefusal converts a store error to the Refusal for the submission's author.
func asRefusal(err error, n New) error {
	if errors.Is(err, store.ErrTooFast) {
		return SubmissionRate.With(perMinute(n.Seat)).Reached()
	}
	if errors.Is(err, store.ErrOtherUnderKey) {
		return &Refusal{
			Code: http.StatusConflict, Text: "another program was sent with the same key, less than ten minutes ago",
			Hint: "reload the page, or use another key",
		}
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

// enter sets the contest of a submission. If a contestant has not entered the contest yet, storing the submission
// enters the contestant. A submission of the jury has no team and is unscored.
func (d *Desk) enter(ctx context.Context, n *New, kept *store.NewSubmission) (err error) {
	c, s := n.Seat.Contest, &n.Seat.Contest.Settings
	if err := n.Seat.Admit(); err != nil {
		return err
	}
	if len(s.Languages) > 0 && n.Language != "" && !slices.Contains(s.Languages, n.Language) {
		return &Refusal{
			Code: http.StatusBadRequest,
			Text: fmt.Sprintf("%.40s is not a language of this contest: they are %s", n.Language, strings.Join(s.Languages, ", ")),
		}
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
		return nil // practice after the results are final, when no team can enter
	}
	if n.Seat.Team == nil {
		if n.Seat.Team, err = d.Store.Enter(ctx, c.ID, n.Account); err != nil {
			return err
		}
	}
	kept.Team = n.Seat.Team.ID
	return nil
}

// HasDisk returns a Refusal if fewer than least bytes are free on the disk.
func (d *Desk) HasDisk(least int64) error {
	free, err := d.FreeDisk()
	if err != nil {
		return err
	}
	if free < least {
		return &Refusal{
			Code: http.StatusServiceUnavailable,
			Text: fmt.Sprintf("the server's disk has %d MiB left: uploads resume when %d MiB are free", free>>20, least>>20),
			Hint: "tell the server's administrator",
		}
	}
	return nil
}

// Bounded returns a Refusal if a submission exceeds the limits.
func (d *Desk) Bounded(files []job.File, folder bool) error {
	if err := job.CheckFiles(files, folder); err != nil {
		return &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	var size int64
	for _, f := range files {
		size += f.Size
	}
	if size > d.MaxSize || len(files) > d.MaxFiles {
		return &Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("the submission has %d bytes in %d files; the most is %d bytes in %d files", size, len(files), d.MaxSize, d.MaxFiles),
		}
	}
	return nil
}

// Place determines the contest of a submission that names none, and returns the account's access to it. It chooses
// the running contest with the problem. If there is none, it chooses a contest with the problem that accepts
// practice. Place returns nil if no contest has the problem, and a Refusal if several contests with the problem
// are running. If the contest hides its problems, it returns store.ErrNotFound.
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

// several returns the Refusal for a submission that fits several contests.
func several(problem string, contests []string) error {
	slices.Sort(contests)
	return &Refusal{
		Code: http.StatusConflict, Text: fmt.Sprintf("several running contests have the problem %s: %s", problem, strings.Join(contests, ", ")),
		Hint: "choose one: judge submit --contest " + contests[0],
	}
}

// Labeled returns the problem with a label in a contest to which an account may submit now, and the access to that
// contest. If contest is not empty, it is the slug of the contest. Otherwise, Labeled prefers the running contest
// to finished ones, and among the finished ones the contest that began last. If several contests are running, it
// returns a Refusal. If there is no such problem, it returns store.ErrNotFound.
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

// better reports whether s is preferred to t: a running contest comes first, then the contest that began last.
func better(s, t *Seat) bool {
	if running := s.State.Phase == auth.Running; running != (t.State.Phase == auth.Running) {
		return running
	}
	return s.Contest.Starts.After(t.Contest.Starts)
}

// Sees reports whether an account may know that a problem exists.
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

// Waits returns the position of a waiting judging. It returns nil if a worker has the judging, or if its problem is
// paused.
func (d *Desk) Waits(ctx context.Context, j *store.Judgement) (*client.Place, error) {
	if d.Dispatch.JobState(j.ID, j.State) != store.Waiting {
		return nil, nil
	}
	a, lane, class, err := d.Dispatch.AheadOf(ctx, j.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &client.Place{Before: a.Jobs, Priority: a.Priority, Later: a.Later, Why: d.Dispatch.Unserved(lane, class)}, err
}

// Events returns the stored events of a judgement. There may be none.
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
