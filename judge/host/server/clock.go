package server

import (
	"context"
	"fmt"
	"time"

	"assay/judge/host/store"
)

const (
	// clockEvery is how often the machine's clock is compared with one that nobody sets.
	clockEvery = 5 * time.Second
	// clockSlack is how far both may part in between.
	clockSlack = 2 * time.Second
)

// clock notices when somebody sets the machine's clock.
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

// compare tells those who look after the server where more or less time has passed by the
// machine's clock than has passed. No submission loses its place by it, for what is stored has
// an order of its own; but contests begin and end by that clock.
func (s *Server) compare(ctx context.Context, told, passed time.Duration) {
	by := (told - passed).Round(time.Second)
	if by.Abs() < clockSlack {
		return
	}
	what := fmt.Sprintf("by %v: it was set, or the machine slept; submissions keep their order, and contests begin and end by this clock", by)
	s.o.Log.Warn("the clock of this machine jumped", "by", by.String())
	if err := s.store.Audit(ctx, store.Entry{Actor: "server", Action: "the clock jumped", Detail: what}); err != nil && ctx.Err() == nil {
		s.o.Log.Error("keep that the clock jumped", "error", err)
	}
}
