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
	return value, wrapError("read the setting "+key, err)
}

// SetSetting stores a setting.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	return wrapError("keep the setting "+key, s.write.PutSetting(ctx, key, value))
}

// LoadOrStoreSetting stores a setting if it is not set, and returns its value.
func (s *Store) LoadOrStoreSetting(ctx context.Context, key, value string) (string, error) {
	if err := s.write.PutSettingOnce(ctx, key, value); err != nil {
		return "", wrapError("keep the setting "+key, err)
	}
	return s.Setting(ctx, key)
}

// An Event is a row of a contest's log. It does not contain the state of the object.
type Event struct {
	Seq    int64 // without gaps, in the order of the commits
	At     time.Time
	Kind   EventKind
	Object string // id
	Op     EventOp
}

// An EventKind is the kind of object that an Event refers to.
type EventKind string

// The kinds of events.
const (
	KindSubmission EventKind = "submission"
	KindJudgement  EventKind = "judgement"
	KindContest    EventKind = "contest"
	KindTeam       EventKind = "team"
	KindRejudging  EventKind = "rejudging"
	// The object is the number of a clarification.
	KindClarification EventKind = "clarification"
	// The object is a phase of the contest, such as its start.
	KindState EventKind = "state"
)

// An EventOp is the change to the object.
type EventOp string

// The possible changes to an object.
const (
	OpCreated EventOp = "create"
	OpUpdated EventOp = "update"
	OpRemoved EventOp = "delete"
)

// EventsSince reads at most n events of a contest after seq.
func (s *Store) EventsSince(ctx context.Context, contest string, seq int64, n int) ([]Event, error) {
	rows, err := s.read.LogSince(ctx, query.LogSinceParams{Contest: contest, Seq: seq, Limit: int32(n)})
	return convertRows(rows, err, "read the log of "+contest, func(r query.Log) Event {
		return Event{r.Seq, fromMicros(r.At), EventKind(r.Kind), r.Object, EventOp(r.Op)}
	})
}

// EventCount returns the number of events of all contests. It never decreases, unless the database was deleted or
// rolled back. Store the number outside of the database, and pass it to Open.
func (s *Store) EventCount(ctx context.Context) (int64, error) {
	count, err := s.read.LastLog(ctx)
	return count, wrapError("read the end of the log", err)
}

// appendEvent appends an event to the contest's log and returns its time. It locks the contest until the transaction
// ends.
func (s *Store) appendEvent(
	ctx context.Context, q *query.Queries, contest string, kind EventKind, object string, op EventOp,
) (at int64, err error) {
	now, err := q.StepContest(ctx, s.now(), contest)
	if err != nil {
		return 0, fmt.Errorf("lock the contest %s: %w", contest, err)
	}
	return now.LastTime, q.InsertLog(ctx, query.InsertLogParams{
		Contest: contest, Seq: now.LastSeq, At: now.LastTime, Kind: string(kind), Object: object, Op: string(op),
	})
}

// An AuditEntry is a row of the audit log: an action of an account, or a message for administrators.
type AuditEntry struct {
	ID      string    // set by Audit
	At      time.Time // set by Audit
	Actor   string    // id of an account, or the name of a component
	Action  string
	Object  string
	Detail  string
	Address string // of the client; may be empty
}

// Audit stores entries in one transaction. They refer to accounts by id, so that they contain no names.
func (s *Store) Audit(ctx context.Context, entries ...AuditEntry) error {
	return s.tx(ctx, "keep an audit entry", func(q *query.Queries) error {
		for _, e := range entries {
			if err := s.audit(ctx, q, e); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) audit(ctx context.Context, q *query.Queries, e AuditEntry) error {
	return q.InsertAudit(ctx, query.InsertAuditParams{
		ID: newID(), At: s.now(), Actor: sanitize(e.Actor), Action: sanitize(e.Action), Object: sanitize(e.Object),
		Detail:  sanitize(e.Detail),
		Address: sanitize(e.Address),
	})
}

// LatestAuditEntries reads at most n entries of the audit log, newest first. It reads only entries older than the
// entry whose id is the argument before. If before is empty, it begins with the newest entry.
func (s *Store) LatestAuditEntries(ctx context.Context, before string, n int) ([]AuditEntry, error) {
	return s.AuditEntries(ctx, AuditFilter{Before: before, Limit: n})
}

// An AuditFilter selects entries. Empty fields match all entries.
type AuditFilter struct {
	Actor, Action, Object string
	Before                string // id of an entry; only older entries match
	Limit                 int    // maximum number of entries
}

// AuditEntries reads entries of the audit log, newest first.
func (s *Store) AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	rows, err := s.read.AuditBefore(ctx, query.AuditBeforeParams{
		Before: cmp.Or(f.Before, "ffffffff-ffff-ffff-ffff-ffffffffffff"), // after every id
		Actor:  f.Actor, Action: f.Action, Object: f.Object, Most: int32(f.Limit),
	})
	return convertRows(rows, err, "read the audit", func(r query.Audit) AuditEntry {
		return AuditEntry{r.ID, fromMicros(r.At), r.Actor, r.Action, r.Object, r.Detail, r.Address}
	})
}

// DisputedSubmissions returns the numbers of the submissions of a contest about which workers disagreed.
func (s *Store) DisputedSubmissions(ctx context.Context, contest string) ([]int64, error) {
	all, err := s.read.Disputed(ctx, contest)
	return all, wrapError("look for submissions about which workers disagree", err)
}

// AuditActions returns the actions that occur in the audit log.
func (s *Store) AuditActions(ctx context.Context) ([]string, error) {
	all, err := s.read.AuditActions(ctx)
	return all, wrapError("read the actions of the audit", err)
}
