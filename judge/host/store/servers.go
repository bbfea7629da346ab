package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// LeaseNames lists the leader leases. Each is held by at most one server at a time.
var LeaseNames = []string{EnqueueLease, ReconcileLease, UploadLease, LaddersLease, ShadowLease, GarbageLease, BackupLease}

// The leader leases that are not declared in other files of this package.
const (
	ReconcileLease = "reconcile"
	GarbageLease   = "garbage"
	BackupLease    = "backup"
)

// AnnounceInterval is the interval at which a server announces itself. OfflineAfter is the time without an announcement
// after which a server counts as gone.
const (
	AnnounceInterval = 5 * time.Second
	OfflineAfter     = 15 * time.Second
)

// Server is a server that uses the database.
type Server struct {
	ID       string
	Instance string // of its process; also the holder name of its leases
	Epoch    int64  // increases with each process that has the id; set by Announce
	Version  string
	Address  string
	Started  time.Time // set by Announce
	LastSeen time.Time // set by Announce; zero if the server has stopped
}

// Online reports whether the server announced itself recently.
func (s *Server) Online(now time.Time) bool { return now.Sub(s.LastSeen) < OfflineAfter }

// Announce records that a server is running. It returns ErrTaken if another instance with the same id is running.
// Previous is an instance that the caller knows to have stopped; it does not count as running.
func (s *Store) Announce(ctx context.Context, n Server, previous string) error {
	now := s.now()
	rows, err := s.write.Announce(ctx, query.AnnounceParams{
		ID: n.ID, Instance: n.Instance, Version: n.Version, Address: n.Address, Now: now, Before: previous,
		Gone: now - OfflineAfter.Microseconds(), Beyond: now + 10*OfflineAfter.Microseconds(),
	})
	if err == nil && rows == 0 {
		err = ErrTaken
	}
	return wrapError("announce the server "+n.ID, err)
}

// Depart records that the process of a server has stopped.
func (s *Store) Depart(ctx context.Context, id, instance string) error {
	return wrapError("note that the server ends", s.write.Depart(ctx, id, instance))
}

// Servers reads all servers that ever used the database, ordered by id.
func (s *Store) Servers(ctx context.Context) ([]Server, error) {
	rows, err := s.read.Servers(ctx)
	return convertRows(rows, err, "read the servers", func(r query.ServerSeen) Server {
		return Server{r.ID, r.Instance, r.Epoch, r.Version, r.Address, fromMicros(r.Started), fromMicros(r.Seen)}
	})
}

// ClockSkew returns how far the clock of this machine is ahead of the database's clock. The result is negative if the
// machine's clock is behind. Because the query takes time, the result is the smallest possible difference. SQLite
// has no clock of its own, so ClockSkew returns 0.
func (s *Store) ClockSkew(ctx context.Context) (time.Duration, error) {
	if !s.postgres {
		return 0, nil
	}
	var micros int64
	before := s.options.Now()
	if err := s.writer.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros); err != nil {
		return 0, wrapError("read the clock of the database", err)
	}
	database, after := fromMicros(micros), s.options.Now()
	return min(0, after.Sub(database)) + max(0, before.Sub(database)), nil
}
