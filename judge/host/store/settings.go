package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"assay/judge/host/store/internal/query"
)

// Setting reads a setting. It returns ErrNotFound if it was never set.
func (s *Store) Setting(ctx context.Context, key string) (string, error) {
	value, err := s.read.GetSetting(ctx, key)
	return value, failed("read the setting "+key, err)
}

// SetSetting stores a setting.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	return failed("keep the setting "+key, s.write.PutSetting(ctx, key, value))
}

// SettingOnce stores a setting if it is not set, and returns its value.
func (s *Store) SettingOnce(ctx context.Context, key, value string) (string, error) {
	if err := s.write.PutSettingOnce(ctx, key, value); err != nil {
		return "", failed("keep the setting "+key, err)
	}
	return s.Setting(ctx, key)
}

// An Event is a row of a contest's log. It does not contain the state of the object.
type Event struct {
	Seq    int64 // without gaps, in the order of the commits
	At     time.Time
	Kind   Kind
	Object string // id
	Op     Op
}

// A Kind is the kind of object that an Event refers to.
type Kind string

// The kinds of events.
const (
	OfSubmission Kind = "submission"
	OfJudgement  Kind = "judgement"
	OfContest    Kind = "contest"
	OfTeam       Kind = "team"
	OfRejudging  Kind = "rejudging"
	// The object is the number of a clarification.
	OfClarification Kind = "clarification"
	// The object is a phase of the contest, such as its start.
	OfState Kind = "state"
)

// An Op is the change to the object.
type Op string

// The possible changes to an object.
const (
	Created Op = "create"
	Updated Op = "update"
	Removed Op = "delete"
)

// LogSince reads at most n events of a contest after seq.
func (s *Store) LogSince(ctx context.Context, contest string, seq int64, n int) ([]Event, error) {
	rows, err := s.read.LogSince(ctx, query.LogSinceParams{Contest: contest, Seq: seq, Limit: int32(n)})
	return each(rows, err, "read the log of "+contest, func(r query.Log) Event {
		return Event{r.Seq, instant(r.At), Kind(r.Kind), r.Object, Op(r.Op)}
	})
}

// LastLog returns the number of events of all contests. It never decreases, unless the database was deleted or
// rolled back. Store the number outside of the database, and pass it to Open.
func (s *Store) LastLog(ctx context.Context) (int64, error) {
	last, err := s.read.LastLog(ctx)
	return last, failed("read the end of the log", err)
}

// step appends an event to the contest's log and returns its time. It locks the contest until the transaction
// ends.
func (s *Store) step(ctx context.Context, q *query.Queries, contest string, kind Kind, object string, op Op) (at int64, err error) {
	now, err := q.StepContest(ctx, s.now(), contest)
	if err != nil {
		return 0, fmt.Errorf("lock the contest %s: %w", contest, err)
	}
	return now.LastTime, q.InsertLog(ctx, query.InsertLogParams{
		Contest: contest, Seq: now.LastSeq, At: now.LastTime, Kind: string(kind), Object: object, Op: string(op),
	})
}

// An Entry is a row of the audit log: an action of an account, or a message for administrators.
type Entry struct {
	ID      string    // set by Audit
	At      time.Time // set by Audit
	Actor   string    // id of an account, or the name of a component
	Action  string
	Object  string
	Detail  string
	Address string // of the client; may be empty
}

// Audit stores entries in one transaction. They refer to accounts by id, so that they contain no names.
func (s *Store) Audit(ctx context.Context, all ...Entry) error {
	return s.tx(ctx, "keep an audit entry", func(q *query.Queries) error {
		for _, e := range all {
			if err := s.audit(ctx, q, e); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) audit(ctx context.Context, q *query.Queries, e Entry) error {
	return q.InsertAudit(ctx, query.InsertAuditParams{
		ID: newID(), At: s.now(), Actor: clean(e.Actor), Action: clean(e.Action), Object: clean(e.Object), Detail: clean(e.Detail),
		Address: clean(e.Address),
	})
}

// Audited reads at most n entries of the audit log, newest first. It reads only entries older than the entry whose
// id is the argument before. If before is empty, it begins with the newest entry.
func (s *Store) Audited(ctx context.Context, before string, n int) ([]Entry, error) {
	return s.AuditOf(ctx, AuditFilter{Before: before, Limit: n})
}

// An AuditFilter selects entries. Empty fields match all entries.
type AuditFilter struct {
	Actor, Action, Object string
	Before                string // id of an entry; only older entries match
	Limit                 int    // maximum number of entries
}

// AuditOf reads entries of the audit log, newest first.
func (s *Store) AuditOf(ctx context.Context, f AuditFilter) ([]Entry, error) {
	rows, err := s.read.AuditBefore(ctx, query.AuditBeforeParams{
		Before: cmp.Or(f.Before, "ffffffff-ffff-ffff-ffff-ffffffffffff"), // after every id
		Actor:  f.Actor, Action: f.Action, Object: f.Object, Most: int32(f.Limit),
	})
	return each(rows, err, "read the audit", func(r query.Audit) Entry {
		return Entry{r.ID, instant(r.At), r.Actor, r.Action, r.Object, r.Detail, r.Address}
	})
}

// Disputed returns the numbers of the submissions of a contest about which workers disagreed.
func (s *Store) Disputed(ctx context.Context, contest string) ([]int64, error) {
	all, err := s.read.Disputed(ctx, contest)
	return all, failed("look for submissions about which workers disagree", err)
}

// AuditActions returns the actions that occur in the audit log.
func (s *Store) AuditActions(ctx context.Context) ([]string, error) {
	all, err := s.read.AuditActions(ctx)
	return all, failed("read the actions of the audit", err)
}
