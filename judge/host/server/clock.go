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
	// difference of at least notedSkew. If the difference is at least mostSkew, the server does not start, or is
	// not ready.
	notedSkew = time.Second
	mostSkew  = 5 * time.Second
)

// judgeSkew returns a note or an error if this machine's clock differs too much from that of the database.
// Contests start and end by the clock of each server.
func judgeSkew(ahead time.Duration) (note string, err error) {
	if ahead.Abs() < notedSkew {
		return "", nil
	}
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	note = fmt.Sprintf("the clock of this machine is %v %s the clock of the database: set both by NTP", ahead.Abs().Round(time.Second/10), direction)
	if ahead.Abs() >= mostSkew {
		return "", &judge.Misuse{Err: errors.New(note)}
	}
	return note, nil
}

// skew compares the machine's clock with the database's clock, and returns a note or an error as judgeSkew does.
func (s *Server) skew(ctx context.Context) (note string, err error) {
	ahead, err := s.store.Skew(ctx)
	if err != nil {
		return "", err
	}
	return judgeSkew(ahead)
}

// clock reports when the machine's clock has been changed.
func (s *Server) clock(ctx context.Context) {
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(clockEvery):
		}
		now := time.Now()
		s.compare(ctx, now.Round(0).Sub(last.Round(0)), now.Sub(last))
		last = now
	}
}

// compare logs a warning if the time that passed on the machine's clock differs from the time that passed on the
// monotonic clock. Submissions keep their positions, because the stored order does not depend on times. But
// contests start and end by the machine's clock.
func (s *Server) compare(ctx context.Context, told, passed time.Duration) {
	by := (told - passed).Round(time.Second)
	if by.Abs() < clockSlack {
		return
	}
	what := fmt.Sprintf("by %v: it was set, or the machine slept; submissions keep their order, but contests begin and end by this clock", by)
	s.o.Log.Warn("the clock of this machine jumped", "by", by.String())
	if err := s.store.Audit(ctx, store.Entry{Actor: "server", Action: "the clock jumped", Detail: what}); err != nil && ctx.Err() == nil {
		s.o.Log.Error("store that the clock jumped", "error", err)
	}
}
