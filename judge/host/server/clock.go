package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

const (
	// clockEvery is the interval at which the machine's clock is compared with the monotonic clock.
	clockEvery = 5 * time.Second
	// clockSlack is the accepted difference between the two clocks.
	clockSlack = 2 * time.Second
	// The clocks of servers that share a database are compared with that of the database. A server reports a
	// difference of at least reportedSkew. If the difference is at least maxSkew, the server does not start, or is
	// not ready.
	reportedSkew = time.Second
	maxSkew      = 5 * time.Second
)

// checkSkew returns a note or an error if this machine's clock differs too much from that of the database.
// Contests start and end by the clock of each server.
func checkSkew(difference time.Duration) (note string, err error) {
	if difference.Abs() < reportedSkew {
		return "", nil
	}
	direction := "ahead of"
	if difference < 0 {
		direction = "behind"
	}
	note = fmt.Sprintf(
		"the clock of this machine is %v %s the clock of the database: set both by NTP",
		difference.Abs().Round(time.Second/10), direction,
	)
	if difference.Abs() >= maxSkew {
		return "", &judge.UsageError{Err: errors.New(note)}
	}
	return note, nil
}

// databaseSkew compares the machine's clock with the database's clock, and returns a note or an error as checkSkew does.
func (s *Server) databaseSkew(ctx context.Context) (note string, err error) {
	ahead, err := s.store.ClockSkew(ctx)
	if err != nil {
		return "", err
	}
	return checkSkew(ahead)
}

// watchClock reports when the machine's clock has been changed.
func (s *Server) watchClock(ctx context.Context) {
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(clockEvery):
		}
		now := time.Now()
		s.compareClocks(ctx, now.Round(0).Sub(last.Round(0)), now.Sub(last))
		last = now
	}
}

// compareClocks logs a warning if the time that passed on the machine's clock differs from the time that passed on the
// monotonic clock. Submissions keep their positions, because the stored order does not depend on times. But
// contests start and end by the machine's clock.
func (s *Server) compareClocks(ctx context.Context, wall, passed time.Duration) {
	by := (wall - passed).Round(time.Second)
	if by.Abs() < clockSlack {
		return
	}
	what := fmt.Sprintf(
		"by %v: it was set, or the machine slept; submissions keep their order, but contests begin and end by this clock",
		by,
	)
	s.o.Log.Warn("the clock of this machine jumped", "by", by.String())
	if err := s.store.Audit(ctx, store.AuditEntry{Actor: "server", Action: "the clock jumped", Detail: what}); err != nil &&
		ctx.Err() == nil {
		s.o.Log.Error("store that the clock jumped", "error", err)
	}
}
