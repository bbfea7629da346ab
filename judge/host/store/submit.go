package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/fair"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// A NewSubmission is a submission to be stored.
type NewSubmission struct {
	// Key makes retries safe. A second submission by the same account with the same key within ten minutes returns
	// the first, or ErrKeyReused if the program differs. If empty, nothing is deduplicated.
	Key      string
	Contest  string // id; if empty, Practice
	Team     string // id; empty if unscored
	Account  string // id
	Problem  string // slug
	Work     job.Work
	Priority job.Priority
	Class    string
	// Cost is the estimated CPU time from Store.Cost. Fair queuing uses it.
	Cost time.Duration
	// PerMinute is the maximum number of submissions of an account to the contest per minute. Zero means no limit.
	PerMinute int64
	// ExtID is the id that other systems use. If empty, the number is used. If another submission has the same id,
	// Submit returns ErrTaken.
	ExtID string
	// At is the time of submission that another system reported. If zero, the time of arrival is used.
	At time.Time
	// Unjudged reports whether no worker judges the submission, because the verdict comes from another system.
	Unjudged bool
	// MaxPending limits the pending submissions of the account or, if ForTeam is set, of Team. Zero means no limit.
	MaxPending int64
	ForTeam    bool // the account submits for Team but is not a member
}

// ErrTooManyPending means that too many submissions of an account or a team are pending.
var ErrTooManyPending = errors.New("too many pending submissions of the account or the team")

// ErrKeyReused means that a key was already used for other files or another problem.
var ErrKeyReused = errors.New("the key was used for another submission")

// ErrRateLimit means that an account has sent too many submissions within a minute.
var ErrRateLimit = errors.New("too many submissions within a minute")

// An StoredSubmission is a stored submission.
type StoredSubmission struct {
	ID       string
	Number   int64 // number in the contest
	Received time.Time
	Job      string // id of the job and of the judgement
	Repeated bool   // it was already stored under the same key
	ExtID    string // the id that other systems use
}

// keyLifetime is how long a key is remembered.
const keyLifetime = 10 * time.Minute

// minuteMicros is one minute in microseconds. Limits per minute count the submissions from a minute before to a minute
// after the current time. If they counted all later submissions, those that arrived while the clock was ahead
// would count until the clock reaches their times.
const minuteMicros = int64(time.Minute / time.Microsecond)

// errRepeated ends a transaction that found a submission with the same key.
var errRepeated = errors.New("the submission is there already")

// Submit stores a submission with its number, its job and a pending judgement in one transaction. It returns
// ErrTooManyWaiting if the queue is full and the job is not of ContestPriority. It returns ErrRateLimit or ErrTooManyPending if the
// account exceeds a limit in n. A call with a key may be repeated.
func (s *Store) Submit(ctx context.Context, n NewSubmission) (a *StoredSubmission, err error) {
	n.Key = sanitize(n.Key)
	n.Contest = cmp.Or(n.Contest, Practice)
	files, err := json.Marshal(n.Work.Files)
	if err != nil {
		return nil, fmt.Errorf("write the files of a submission: %w", err)
	}
	problem, err := s.problemID(ctx, n.Problem)
	if err != nil {
		return nil, err
	}
	if n.Priority != job.ContestPriority {
		// Concurrent submissions may exceed the limit slightly.
		if waiting, err := s.read.CountWaiting(ctx, int64(n.Priority)); err != nil || waiting >= int64(s.options.MaxWaiting) {
			if err == nil {
				err = ErrTooManyWaiting
			}
			return nil, wrapError("keep a submission", err)
		}
	}
	err = s.tx(ctx, "keep a submission", func(q *query.Queries) error {
		a = &StoredSubmission{ID: newID(), Job: newID()}
		now, err := q.NumberSubmission(ctx, s.now(), n.Contest)
		if err != nil {
			return fmt.Errorf("lock the contest: %w", err)
		}
		a.Number, a.Received = now.NextNumber-1, fromMicros(now.LastTime)
		if n.Key != "" {
			if err := findRepeated(ctx, q, &n, problem, string(files), a); err != nil {
				return err
			}
		}
		if err := n.checkLimits(ctx, q, now.LastTime, s.now()); err != nil {
			return err
		}
		if !n.At.IsZero() { // from another system, perhaps sent before the end
			if err := s.checkChangeable(ctx, q, n.Contest); err != nil {
				return err
			}
		}
		ext, err := chooseExtID(n.ExtID, a.Number, func(id string) (int64, error) { return q.SubmissionNamed(ctx, n.Contest, id) })
		if err != nil {
			return err
		}
		a.ExtID = ext
		var size int64
		for _, f := range n.Work.Files {
			size += f.Size
		}
		if err := q.InsertSubmission(ctx, query.InsertSubmissionParams{
			ID: a.ID, Contest: n.Contest, Team: sql.NullString{String: n.Team, Valid: n.Team != ""}, Number: a.Number,
			Problem: problem, Account: n.Account, FormKey: n.Key, Language: n.Work.Language,
			Entry: n.Work.Program, Files: string(files), Folder: n.Work.IsDir, Size: size, Received: now.LastTime,
			Ending: fileExtension(n.Work.Files), ExtID: ext, TimeGiven: nullMicros(n.At),
		}); err != nil {
			return err
		}
		verify, err := s.verifyMode(ctx, q, n.Contest, a.ID)
		if err != nil {
			return err
		}
		if err := q.InsertJudgement(ctx, query.InsertJudgementParams{
			Verify: verify, ID: a.Job, Submission: a.ID, Bundle: string(n.Work.Bundle), Config: string(n.Work.Config), Class: n.Class,
			Origin: string(OriginFirst), Root: a.Job,
			Started: now.LastTime,
		}); err != nil {
			return err
		}
		if err := q.InsertStanding(ctx, query.InsertStandingParams{Submission: a.ID, Judgement: a.Job, Contest: n.Contest,
			Number: a.Number}); err != nil {
			return err
		}
		if err := n.enqueue(ctx, q, a, now.LastTime); err != nil {
			return err
		}
		return q.InsertLog(ctx, query.InsertLogParams{
			Contest: n.Contest, Seq: now.LastSeq, At: now.LastTime, Kind: string(KindSubmission), Object: a.ID,
			Op: string(OpCreated),
		})
	})
	if err != nil && !errors.Is(err, errRepeated) {
		return nil, err
	}
	return a, nil
}

// checkLimits returns ErrRateLimit or ErrTooManyPending if the account has sent too many submissions. Last is the time of
// the newest event of the contest. The caller must have locked the contest.
func (n *NewSubmission) checkLimits(ctx context.Context, q *query.Queries, last, now int64) error {
	if n.PerMinute > 0 {
		sent, err := q.CountSubmissions(ctx, query.CountSubmissionsParams{
			Contest: n.Contest, Account: n.Account, After: last - minuteMicros, Until: now + minuteMicros,
		})
		if err != nil || sent >= n.PerMinute {
			return errors.Join(err, ErrRateLimit)
		}
	}
	if n.MaxPending > 0 {
		open, err := n.countPending(ctx, q)
		if err != nil || open >= n.MaxPending {
			return errors.Join(err, ErrTooManyPending)
		}
	}
	return nil
}

// countPending counts the pending submissions that MaxPending limits.
func (n *NewSubmission) countPending(ctx context.Context, q *query.Queries) (int64, error) {
	if n.ForTeam {
		return q.CountOpenOfTeam(ctx, n.Team)
	}
	return q.CountOpenOf(ctx, n.Account)
}

// enqueue adds the job of a submission to the queue. If n.Unjudged is set, it stores the job as already ended, so
// that no worker runs it.
func (n *NewSubmission) enqueue(ctx context.Context, q *query.Queries, a *StoredSubmission, at int64) error {
	if !n.Unjudged {
		queued := queuedJob{id: a.Job, work: n.Work, priority: n.Priority, class: n.Class, cost: n.Cost, made: at}
		return enqueue(ctx, q, n.Account, n.Priority, []queuedJob{queued})
	}
	if err := insertUnjudged(ctx, q, n, a.Job, at); err != nil {
		return err
	}
	if err := q.SetMark(ctx, query.SetMarkParams{Submission: a.ID, Given: Unjudged}); err != nil {
		return err
	}
	return q.SettleStanding(ctx, a.ID)
}

// CheckSubmissionRate returns ErrRateLimit if an account has sent too many submissions to a contest within a minute. If a
// submission with the key exists, it returns nil, because Submit then stores nothing.
func (s *Store) CheckSubmissionRate(ctx context.Context, contest, account, key string, limit int64) error {
	now := s.now()
	sent, err := s.read.CountSubmissions(ctx, query.CountSubmissionsParams{
		Contest: contest, Account: account, After: now - minuteMicros, Until: now + minuteMicros,
	})
	if err != nil || sent < limit {
		return wrapError("count submissions", err)
	}
	if key = sanitize(key); key != "" {
		_, err = s.read.SubmissionByKey(ctx, query.SubmissionByKeyParams{
			Account: account, FormKey: key, Received: now - keyLifetime.Microseconds(),
		})
		if !errors.Is(err, sql.ErrNoRows) {
			return wrapError("look for a submission", err)
		}
	}
	return ErrRateLimit
}

// problemID returns the id of a problem, which never changes.
func (s *Store) problemID(ctx context.Context, slug string) (string, error) {
	if id, known := s.problems.Load(slug); known {
		return id.(string), nil
	}
	p, err := s.Problem(ctx, slug)
	if err != nil {
		return "", err
	}
	s.problems.Store(slug, p.ID)
	return p.ID, nil
}

// findRepeated looks for a recent submission of the account with the key of n. If there is one, repeated copies its
// data to a and returns errRepeated, or ErrKeyReused if it has another problem or other files. The caller must
// have locked the contest, so that concurrent calls find each other's submission.
func findRepeated(ctx context.Context, q *query.Queries, n *NewSubmission, problem, files string, a *StoredSubmission) error {
	since := a.Received.Add(-keyLifetime)
	old, err := q.SubmissionByKey(ctx, query.SubmissionByKeyParams{Account: n.Account, FormKey: n.Key, Received: since.UnixMicro()})
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if old.Problem != problem || old.Files != files {
		return ErrKeyReused
	}
	*a = StoredSubmission{
		ID: old.ID, Number: old.Number, Received: fromMicros(old.Received), Job: old.Judgement, Repeated: true,
		ExtID: old.ExtID,
	}
	return errRepeated
}

// A queuedJob is a job that is not in the queue yet.
type queuedJob struct {
	id            string
	work          job.Work
	priority      job.Priority
	class         string
	cost          time.Duration
	made          int64
	workflow, key string // of a task; empty for a judgement
	exclude       []string
}

// enqueue adds new jobs of one owner and priority to the queue in this order. It locks the owner's row for the priority
// until the transaction ends.
func enqueue(ctx context.Context, q *query.Queries, owner string, priority job.Priority, jobs []queuedJob) error {
	var total int64
	for _, j := range jobs {
		_, total = fair.Tags(total, 0, j.cost.Microseconds())
	}
	served, err := q.Served(ctx, int64(priority))
	var others, end int64
	if err == nil {
		others, err = q.CountOthers(ctx, int64(priority), owner)
	}
	if err == nil {
		end, err = q.TakeTurn(
			ctx,
			query.TakeTurnParams{Lane: int64(priority), Owner: owner, Cost: total, Due: fair.Due(served, int(others))},
		)
	}
	if err != nil {
		return fmt.Errorf("take the turn of %s: %w", owner, err)
	}
	// The formula determines the start of the first job. Each further job starts where the previous one ends.
	startTag := end - total
	for _, j := range jobs {
		if err := j.work.Check(); err != nil {
			return err
		}
		spec := job.Spec{Work: j.work, ID: j.id, Generation: 1, Priority: priority, Class: j.class, Token: rand.Text()}
		if _, err := spec.Encode(); err != nil {
			return err
		}
		work, err := toJSON(j.work)
		if err != nil {
			return err
		}
		excluded := "[]"
		if len(j.exclude) > 0 {
			if excluded, err = toJSON(j.exclude); err != nil {
				return err
			}
		}
		start, finish := fair.Tags(startTag, 0, j.cost.Microseconds())
		startTag = finish
		if err := q.InsertJob(ctx, query.InsertJobParams{
			ID: j.id, Kind: string(j.work.Kind), Lane: int64(priority), Class: j.class, Owner: owner, Cost: j.cost.Microseconds(),
			StartTag: start, Spec: work, Token: spec.Token, Excluded: excluded, Made: j.made,
			Flow:    sql.NullString{String: j.workflow, Valid: j.workflow != ""},
			PartKey: j.key,
		}); err != nil {
			return err
		}
	}
	return nil
}

// A JobState is the state of a job.
type JobState string

// The states of a job.
const (
	JobWaiting    JobState = "waiting"    // only in the database
	JobDispatched JobState = "dispatched" // in the queue, or with a worker
	JobDone       JobState = "done"       // it has a verdict
	JobFailed     JobState = "failed"     // no worker could run it; the verdict is a judge error
	JobCancelled  JobState = "cancelled"  // it gets no verdict
)

// A Submission is a submission with its current judgement.
type Submission struct {
	ID       string
	Contest  string
	Number   int64
	Team     string // id; empty if unscored
	Account  string // id
	Login    string
	Display  string
	Problem  string // slug
	Program  string // its name in reports
	Language string // language that the sender selected; may be empty
	Files    []job.File
	IsDir    bool
	Size     int64 // total bytes of all files
	Received time.Time
	// Judgement is the id of the current judgement. The fields below belong to that judgement.
	Judgement string
	State     JobState
	Verdict   judge.Verdict   // empty if there is none
	Score     string          // a decimal; may be empty
	Ended     time.Time       // zero while pending
	Finished  *judge.Finished // as judged, without overrides; nil if there is none
	// Ignored and Given are set by the jury. Ignored excludes the submission from the scoreboard. Given means that
	// Verdict is a verdict override.
	Ignored, Overridden bool
	Paused              bool // judging of the problem is paused
	Verify              VerifyState
}

// Submission reads a submission.
func (s *Store) Submission(ctx context.Context, id string) (*Submission, error) {
	row, err := s.read.GetSubmission(ctx, id)
	return convertRow(row, err, "read the submission "+id, submission)
}

// SubmissionByNumber reads a submission of a contest by its number.
func (s *Store) SubmissionByNumber(ctx context.Context, contest string, number int64) (*Submission, error) {
	row, err := s.read.SubmissionByNumber(ctx, contest, number)
	return convertRow(row, err, fmt.Sprintf("read the submission %d", number), submission)
}

// Extension returns the file extension of the submission's first file in lower case, without the dot. It returns an
// empty string if the extension is unusual.
func (s *Submission) Extension() string { return fileExtension(s.Files) }

// fileExtension returns the file extension of the first file in lower case, without the dot. It returns an empty string
// if the extension contains other characters than letters, digits and "+".
func fileExtension(files []job.File) string {
	if len(files) == 0 {
		return ""
	}
	end := strings.ToLower(strings.TrimPrefix(path.Ext(files[0].Path), "."))
	if strings.Trim(end, "abcdefghijklmnopqrstuvwxyz0123456789+") != "" {
		return ""
	}
	return end
}

// accountOrTeamID returns the id of the account whose username is name. If there is none, it returns the id of the team with
// that name or number. The result team reports whether id is the id of a team.
func (s *Store) accountOrTeamID(ctx context.Context, contest, name string) (id string, team bool, err error) {
	a, err := s.AccountByLogin(ctx, name)
	if err == nil {
		return a.ID, false, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return "", false, err
	}
	id, err = s.read.TeamNamed(ctx, contest, name)
	return id, true, wrapError("look for "+name, err)
}

func submission(r query.Submitted) (*Submission, error) {
	s := &Submission{
		ID: r.ID, Contest: r.Contest, Number: r.Number, Team: r.Team.String, Account: r.Account, Login: r.Login, Display: r.Display,
		Problem: r.Slug, Program: r.Entry,
		Language: r.Language, IsDir: r.Folder, Size: r.Size, Received: fromMicros(r.Received), Judgement: r.Judgement,
		State: JobState(r.State), Verdict: judge.Verdict(r.Verdict.String), Score: r.Score.String, Ended: fromMicros(r.Ended.Int64),
		Ignored: r.Ignored,
		Paused:  r.Paused, Verify: VerifyState(r.Verify),
	}
	switch r.Given {
	case "":
	case Unjudged: // the contest's primary has no verdict yet
		s.State, s.Verdict, s.Score, s.Ended = JobWaiting, "", "", time.Time{}
	default:
		s.Overridden, s.Verdict, s.Score = true, judge.Verdict(r.Given), ""
	}
	return s, errors.Join(fromJSON("the files of submission "+r.ID, r.Files, &s.Files),
		fromJSON("the judgement "+r.Judgement, r.Finished.String, &s.Finished))
}

// A Judgement is a judgement of a submission.
type Judgement struct {
	ID             string // id of the judgement and of its job
	Submission     string
	Bundle         blob.Digest
	Config         blob.Digest
	Class          string
	Origin         Origin
	Why            string // why it repeats another judgement; empty otherwise
	State          JobState
	Started        time.Time
	Ended          time.Time     // zero while pending
	Verdict        judge.Verdict // empty if there is none
	Score          string
	Finished       *judge.Finished // may be nil
	Rows           []job.CaseRow
	Events         blob.Digest // encoded by package job; may be empty
	Reason         string      // why no worker could judge it
	Worker         string
	Version        string
	Machine        string
	IsolationLevel string
	Toolchains     map[string]string
	CPU            time.Duration
	Verify         VerifyMode // mode when the judgement began
	Verified       bool
}

// VerifiedAfterRelease reports whether judges verify the verdict after contestants have seen it.
func (j *Judgement) VerifiedAfterRelease() bool {
	return j.Verify == VerifyAfter || j.Verify == VerifyAfterRejected
}

// Withheld reports whether contestants must not see the judgement yet, because a judge must verify its verdict
// first.
func (j *Judgement) Withheld() bool {
	open := j.Ended.IsZero() && (j.Verify == VerifyBefore || j.Verify == VerifyBeforeRejected)
	return open || !j.Verified && j.Verify.withholds(j.Verdict)
}

// Judgement reads the current judgement of a submission.
func (s *Store) Judgement(ctx context.Context, submission string) (*Judgement, error) {
	r, err := s.read.StandingJudgement(ctx, submission)
	if err != nil {
		return nil, wrapError("read the judgement of submission "+submission, err)
	}
	j := &Judgement{
		ID: r.ID, Submission: r.Submission, Bundle: blob.Digest(r.Bundle), Config: blob.Digest(r.Config), Class: r.Class,
		Origin: Origin(r.Origin), Why: r.Why,
		State: JobState(
			r.State,
		), Started: fromMicros(r.Started), Ended: fromMicros(r.Ended.Int64), Verdict: judge.Verdict(r.Verdict.String),
		Score: r.Score.String, Events: blob.Digest(r.Events.String), Reason: r.Reason, Worker: r.Worker, Version: r.Version,
		Machine: r.Machine, IsolationLevel: r.Rung, CPU: time.Duration(r.Cpu) * time.Microsecond, Verify: VerifyMode(r.Verify),
		Verified: r.Verified,
	}
	description := "the judgement " + r.ID
	return j, errors.Join(
		fromJSON(
			description, r.Toolchains, &j.Toolchains,
		),
		fromJSON(description, r.Finished.String, &j.Finished), fromJSON(description, r.CaseRows.String, &j.Rows),
	)
}

// A PastJudgement is an entry in a submission's history.
type PastJudgement struct {
	ID             string
	Origin         Origin
	Bundle         blob.Digest
	State          JobState
	Started, Ended time.Time // Ended is zero while pending
	Verdict        judge.Verdict
	Score, Worker  string
	// Rejudging is the id of the rejudging that created the judgement, and Why is the reason given for that
	// rejudging. If empty, the judgement belongs to no rejudging.
	Rejudging, Why string
	RejudgingState RejudgingState
}

// JudgementsOf reads all judgements of a submission, newest first.
func (s *Store) JudgementsOf(ctx context.Context, submission string) ([]PastJudgement, error) {
	rows, err := s.read.JudgementsOf(ctx, submission)
	return convertRows(rows, err, "read the judgements of a submission", func(r query.JudgementsOfRow) PastJudgement {
		return PastJudgement{
			ID: r.ID, Origin: Origin(r.Origin), Bundle: blob.Digest(r.Bundle), State: JobState(r.State), Started: fromMicros(r.Started),
			Ended:   fromMicros(r.Ended.Int64),
			Verdict: judge.Verdict(r.Verdict.String), Score: r.Score.String, Worker: r.Worker,
			Rejudging: r.Rejudging.String, Why: r.RejudgingWhy.String, RejudgingState: RejudgingState(r.RejudgingState.String),
		}
	})
}

// fromJSON decodes the output of toJSON. If data is empty, v stays unchanged.
func fromJSON(description, data string, v any) error {
	if data == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(data), v); err != nil {
		return fmt.Errorf("read %s: %w", description, err)
	}
	return nil
}

// toJSON encodes v, which must be encodable.
func toJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}
