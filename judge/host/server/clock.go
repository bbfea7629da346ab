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
	// clockEvery is how often the machine's clock is compared with the monotonic clock.
	clockEvery = 5 * time.Second
	// clockSlack is the accepted difference between the two.
	clockSlack = 2 * time.Second
	// Servers that share a database are compared with its clock. A server that differs by notedSkew says so, and one
	// that differs by mostSkew does not start, or is not ready.
	notedSkew = time.Second
	mostSkew  = 5 * time.Second
)

// judgeSkew judges the difference of this machine's clock from that of the database: contests begin and end by the
// clock of each server.
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

// skew compares the machine's clock with that of the database.
func (s *Server) skew(ctx context.Context) (note string, err error) {
	ahead, err := s.store.Skew(ctx)
	if err != nil {
		return "", err
	}
	return judgeSkew(ahead)
}

// clock reports when the machine's clock is set.
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

// compare logs a difference between the time that passed by the machine's clock and by the monotonic clock. No
// submission loses its position, because the stored order does not depend on times. But contests begin and end by
// that clock.
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
