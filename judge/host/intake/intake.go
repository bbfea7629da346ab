// Package intake accepts submissions from pages and from the command line. It decides what access an account has to
// a contest or a hole, which contest a submission belongs to, whether the submission is accepted, and what its
// author may see of the judgement. It does not judge, and renders nothing.
package intake

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

// A Service accepts submissions for a server.
type Service struct {
	Store    *store.Store
	Blobs    *blob.Dir
	Dispatch *dispatch.Dispatcher
	// CollectLock excludes garbage collection during requests. The collection holds a write lock. A request holds a
	// read lock from the check that a blob exists until a row refers to the blob. It must not hold the lock while
	// it waits for the caller: for a slot, for a body, or for a response to be read. If nil, there is no garbage
	// collection.
	CollectLock *sync.RWMutex
	// MaxSize is the maximum total size of a submission's files in bytes, and MaxFiles is their maximum number.
	MaxSize  int64
	MaxFiles int
	// AccountQueue queues requests by account. Requests without an account are queued by network.
	AccountQueue RequestQueue
	// InvalidTokenQueue queues requests with invalid tokens by network.
	InvalidTokenQueue RequestQueue
	// PublicQueue queues the requests of PaceNetwork by network.
	PublicQueue RequestQueue
	uploadQueue RequestQueue // by account: see WaitForUpload
	// open streams and feeds
	Throttle       LoginThrottle
	streams, feeds Counter  // open ones
	md5Sums        sync.Map // MD5 digests of blobs by their SHA-256
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
	// RemoveUnused immediately removes the given blobs, except blobs that a database row refers to. The caller must not
	// hold CollectLock.
	RemoveUnused func(ctx context.Context, blobs []blob.Digest) error
	// Contents returns the blobs that a manifest lists. If nil, there are no manifests.
	Contents func(manifest blob.Digest) ([]blob.Digest, error)
	// FreeDisk returns the free bytes on the disk of the data directory.
	FreeDisk func() (int64, error)
	// OnSubmit is called before and after a submission is stored, if it is not nil. Tests use it to simulate a crash.
	OnSubmit func(kept bool)
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time

	infoCache Cache[blob.Digest, *client.ProblemInfo]
}

// Time returns the current time, from Now if it is set.
func (d *Service) Time() time.Time {
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
	scopes := []string{string(client.Submit)}
	if auth.Can(r, auth.ManageContent, auth.State{}) {
		scopes = append(scopes, string(client.Publish))
	}
	if auth.Can(r, auth.ManageAccounts, auth.State{}) {
		scopes = append(scopes, string(client.Admin))
	}
	return scopes
}

// NewSubmission is a submission to store. Its files are uploaded blobs.
type NewSubmission struct {
	Access    *ContestAccess // the author's access to the contest; nil for practice
	Account   *store.Account
	Problem   *store.Problem
	Key       string // see store.NewSubmission
	Files     []job.File
	Folder    bool
	Program   string
	Language  string // chosen by the author; may be empty
	All       bool
	Unlimited bool // the number of pending submissions is not limited
	// Team is set if the account submits for another team. Then no rate limit applies. ExtID and At are as in
	// store.NewSubmission.
	Team  *store.Team
	ExtID string
	At    time.Time
}

// The minimum free disk space in bytes, below which uploads and submissions are rejected.
const (
	MinDiskForUploads     = 1 << 30
	MinDiskForSubmissions = 256 << 20
)

// MaxArchive is the maximum size in bytes of a package, and of each blob of a problem.
const MaxArchive = 1 << 30

// Submit stores a submission. When it returns, the database has the submission, so it cannot get lost. It returns a
// *Refusal if the submission is not accepted.
func (d *Service) Submit(ctx context.Context, n NewSubmission) (*store.StoredSubmission, error) {
	if err := errors.Join(d.CheckDisk(MinDiskForSubmissions), d.CheckLimits(n.Files, n.Folder)); err != nil {
		return nil, err
	}
	if err := d.CheckUploaded(ctx, n.Account, n.Files...); err != nil {
		return nil, err
	}
	cost, err := d.Store.EstimateCost(ctx, n.Problem.Slug)
	if err != nil {
		return nil, err
	}
	work := job.Work{
		Kind: job.Submission, Bundle: n.Problem.Bundle, Config: n.Problem.Config, Problem: n.Problem.Slug, Files: n.Files, IsDir: n.Folder,
		Program: n.Program, Language: n.Language, ContinueOnFailure: n.All,
	}
	if err := work.Check(); err != nil {
		return nil, &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	if err := d.checkLanguage(ctx, &n); err != nil {
		return nil, err
	}
	submission := store.NewSubmission{
		Key: n.Key, Account: n.Account.ID, Problem: n.Problem.Slug, Work: work, Priority: job.PracticePriority, Class: d.Class,
		Cost: cost,
	}
	if !n.Unlimited && ServerRole(n.Account) == auth.Contestant {
		submission.MaxPending, submission.ForTeam = PendingSubmissions.Max, n.Team != nil
	}
	if n.Access != nil {
		if err := d.assignContest(ctx, &n, &submission); err != nil {
			return nil, err
		}
	}
	d.onSubmit(false)
	a, err := d.Store.Submit(ctx, submission)
	if err != nil {
		return nil, refusalFor(err, n)
	}
	d.onSubmit(true)
	d.Dispatch.Wake()
	return a, nil
}

// StoreBlob stores bytes that an account has uploaded as a blob. From then on, the account may refer to the blob. The
// caller must hold Kept.
func (d *Service) StoreBlob(ctx context.Context, a *store.Account, data []byte) error {
	s, err := d.Blobs.Stage(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer s.Close()
	return d.StoreUpload(ctx, a, s, false)
}

// StoreUpload stores an upload as a blob. From then on, the account may refer to the blob. The upload must contain
// the bytes even if the blob exists, because knowing a digest does not prove possession. The caller must hold
// Kept.
func (d *Service) StoreUpload(ctx context.Context, a *store.Account, s *blob.Staged, publishes bool) error {
	b := store.Blob{Digest: s.Digest, Size: s.Size, Kind: store.TemporaryBlob}
	limit := UnusedUploads.WithMax(max(UnusedUploads.Max, d.MaxSize>>18)) // four times MaxSize, in MiB
	if publishes {
		b.Kind, limit = "upload", UnusedBundles
	}
	maxBytes := limit.Max << 20
	if ServerRole(a) == auth.Admin {
		maxBytes = 0
	}
	err := d.Store.RecordBlobUpload(ctx, a.ID, b, maxBytes)
	if errors.Is(err, store.ErrUploadQuota) { // according to the last count
		if err = d.Store.MarkReferenced(ctx, a.ID, d.contents); err == nil {
			err = d.Store.RecordBlobUpload(ctx, a.ID, b, maxBytes)
		}
	}
	if errors.Is(err, store.ErrUploadQuota) {
		return limit.Refusal()
	}
	if err != nil {
		return err
	}
	return s.Commit()
}

func (d *Service) contents(manifest blob.Digest) ([]blob.Digest, error) {
	if d.Contents == nil {
		return nil, nil
	}
	return d.Contents(manifest)
}

// CheckUploaded rejects files whose bytes the account has not uploaded, or whose blobs no longer exist.
func (d *Service) CheckUploaded(ctx context.Context, a *store.Account, files ...job.File) error {
	for _, f := range files {
		sent, err := d.Store.HasUploaded(ctx, a.ID, f.Digest)
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

// CheckRate returns a Refusal if the account is over its submission rate. It must be called before anything is
// stored.
func (d *Service) CheckRate(ctx context.Context, n NewSubmission) error {
	if n.Access == nil {
		return nil
	}
	return refusalFor(d.Store.CheckSubmissionRate(ctx, n.Access.Contest.ID, n.Account.ID, n.Key, submissionRate(n.Access)), n)
}

// submissionRate returns the maximum number of submissions per minute that an account may send to a contest.
func submissionRate(s *ContestAccess) int64 {
	return cmp.Or(int64(s.Contest.Settings.PerMinute), SubmissionRate.Max)
}

// refusalFor converts a store error to the Refusal for the submission's author.
func refusalFor(err error, n NewSubmission) error {
	if errors.Is(err, store.ErrRateLimit) {
		return SubmissionRate.WithMax(submissionRate(n.Access)).Refusal()
	}
	if errors.Is(err, store.ErrKeyReused) {
		return &Refusal{
			Code: http.StatusConflict, Text: "another program was sent with the same key, less than ten minutes ago",
			Hint: "reload the page, or use another key",
		}
	}
	if errors.Is(err, store.ErrTooManyPending) && n.Team != nil {
		return PendingOfTeam.Refusal()
	}
	if errors.Is(err, store.ErrTooManyPending) {
		return PendingSubmissions.Refusal()
	}
	return err
}

func (d *Service) onSubmit(stored bool) {
	if d.OnSubmit != nil {
		d.OnSubmit(stored)
	}
}

// assignContest sets the contest of a submission. If a contestant has not entered the contest yet, storing the submission
// enters the contestant. A submission of the jury has no team and is unscored.
func (d *Service) assignContest(ctx context.Context, n *NewSubmission, submission *store.NewSubmission) (err error) {
	c, s := n.Access.Contest, &n.Access.Contest.Settings
	if err := n.Access.Admit(); err != nil {
		return err
	}
	if len(s.Languages) > 0 && n.Language != "" && !slices.Contains(s.Languages, n.Language) {
		return &Refusal{
			Code: http.StatusBadRequest,
			Text: fmt.Sprintf("%.40s is not a language of this contest: they are %s", n.Language, strings.Join(s.Languages, ", ")),
		}
	}
	submission.Contest, submission.PerMinute = c.ID, submissionRate(n.Access)
	if n.Access.State.Phase == auth.Running {
		submission.Priority = job.ContestPriority
	}
	submission.ExtID, submission.At = n.ExtID, n.At
	if n.Team != nil {
		submission.Team, submission.PerMinute = n.Team.ID, 0
		return nil
	}
	if n.Access.Role != auth.Contestant {
		return nil
	}
	if n.Access.Team == nil && c.UpdatesEnded(d.Time()) {
		return nil // practiceLevel after the results are final, when no team can enter
	}
	if n.Access.Team == nil {
		if n.Access.Team, err = d.Store.Enter(ctx, c.ID, n.Account); err != nil {
			return err
		}
	}
	submission.Team = n.Access.Team.ID
	return nil
}

// CheckDisk returns a Refusal if fewer than least bytes are free on the disk.
func (d *Service) CheckDisk(minFree int64) error {
	free, err := d.FreeDisk()
	if err != nil {
		return err
	}
	if free < minFree {
		return &Refusal{
			Code: http.StatusServiceUnavailable,
			Text: fmt.Sprintf("the server's disk has %d MiB left: uploads resume when %d MiB are free", free>>20, minFree>>20),
			Hint: "tell the server's administrator",
		}
	}
	return nil
}

// CheckLimits returns a Refusal if a submission exceeds the limits.
func (d *Service) CheckLimits(files []job.File, dir bool) error {
	if err := job.CheckFiles(files, dir); err != nil {
		return &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	var size int64
	for _, f := range files {
		size += f.Size
	}
	if size > d.MaxSize || len(files) > d.MaxFiles {
		return &Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf(
				"the submission has %d bytes in %d files; the most is %d bytes in %d files", size, len(files),
				d.MaxSize, d.MaxFiles,
			),
		}
	}
	return nil
}

// FindContest determines the contest of a submission that names none, and returns the account's access to it. It chooses
// the running contest with the problem. If there is none, it chooses a contest with the problem that accepts
// practiceLevel. Place returns nil if no contest has the problem, and a Refusal if several contests with the problem
// are running. If the contest hides its problems, it returns store.ErrNotFound.
func (d *Service) FindContest(ctx context.Context, a *store.Account, problem string) (*ContestAccess, error) {
	contests, err := d.Store.ContestsWithProblem(ctx, problem)
	if err != nil {
		return nil, err
	}
	var best, seen *ContestAccess
	var running []string
	for _, c := range contests {
		s, err := d.ContestAccess(ctx, c, a)
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
		if best == nil || isPreferred(s, best) {
			best = s
		}
	}
	isJury := auth.Can(ServerRole(a), auth.SeeAll, auth.State{})
	switch {
	case len(running) > 1:
		return nil, ambiguousContest(problem, running)
	case best != nil:
		return best, nil
	case seen != nil && !isJury:
		return nil, seen.Closed()
	case isJury:
		return nil, nil
	case len(contests) == 0 && a.Role == "":
		p, err := d.Store.Problem(ctx, problem)
		if err != nil || d.practiceLevel(a, p) != store.PracticeOff {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the problem %s: %w", problem, store.ErrNotFound)
}

// ambiguousContest returns the Refusal for a submission that fits several contests.
func ambiguousContest(problem string, contests []string) error {
	slices.Sort(contests)
	return &Refusal{
		Code: http.StatusConflict,
		Text: fmt.Sprintf("several running contests have the problem %s: %s", problem, strings.Join(contests, ", ")),
		Hint: "choose one: judge submit --contest " + contests[0],
	}
}

// ProblemByLabel returns the problem with a label in a contest to which an account may submit now, and the access to that
// contest. If contest is not empty, it is the slug of the contest. Otherwise, ProblemByLabel prefers the running contest
// to finished ones, and among the finished ones the contest that began last. If several contests are running, it
// returns a Refusal. If there is no such problem, it returns store.ErrNotFound.
func (d *Service) ProblemByLabel(ctx context.Context, a *store.Account, contest, label string) (*store.Problem, *ContestAccess, error) {
	contests, err := d.Store.Contests(ctx)
	if err != nil {
		return nil, nil, err
	}
	var best, seen *ContestAccess
	var found *store.Problem
	var running []string
	for _, c := range contests {
		if contest != "" && c.Slug != contest {
			continue
		}
		s, err := d.ContestAccess(ctx, c, a)
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
			if best == nil || isPreferred(s, best) {
				best, found = s, p.Problem
			}
		}
	}
	if len(running) > 1 {
		return nil, nil, ambiguousContest(label, running)
	}
	if best == nil && seen != nil {
		return nil, nil, seen.Closed()
	}
	if best == nil {
		return nil, nil, fmt.Errorf("the problem %s: %w", label, store.ErrNotFound)
	}
	return found, best, nil
}

// isPreferred reports whether s is preferred to t: a running contest comes first, then the contest that began last.
func isPreferred(s, t *ContestAccess) bool {
	if running := s.State.Phase == auth.Running; running != (t.State.Phase == auth.Running) {
		return running
	}
	return s.Contest.Starts.After(t.Contest.Starts)
}

// CanSeeProblem reports whether an account may know that a problem exists.
func (d *Service) CanSeeProblem(ctx context.Context, a *store.Account, problem string) (bool, error) {
	_, err := d.FindContest(ctx, a, problem)
	if _, closed := errors.AsType[*Refusal](err); closed {
		return true, nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// QueuePosition returns the position of a waiting judgement. It returns nil if a worker has it, or if its problem is
// paused.
func (d *Service) QueuePosition(ctx context.Context, j *store.Judgement) (*client.QueuePosition, error) {
	if d.Dispatch.JobState(j.ID, j.State) != store.JobWaiting {
		return nil, nil
	}
	a, priority, class, err := d.Dispatch.CountAhead(ctx, j.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &client.QueuePosition{
		Ahead: a.Jobs, Priority: a.HigherPriority, Later: a.Later,
		BlockedReason: d.Dispatch.UnservedReason(priority, class),
	}, err
}

// Events returns the stored events of a judgement. There may be none.
func (d *Service) Events(j *store.Judgement) ([]judge.Event, error) {
	if j.Events == "" {
		return nil, nil
	}
	data, err := d.Blobs.Read(j.Events, job.MaxEvents)
	if err != nil {
		return nil, err
	}
	return job.Unpack(data)
}
