package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/internal/atomicfile"
)

// InDataDir is the destination in a MovePlan for data in a server's data directory.
const InDataDir = "data"

// A MovePlan contains the destinations for the data of a running server.
type MovePlan struct {
	Database string // InDataDir, or postgres://...
	Blobs    string // InDataDir, BlobsInQueue, or a directory; if empty, blobs are not moved
	Queue    string // nats://... of another cluster; if empty, the queue is not moved
	Replace  bool   // also overwrite a database whose data was moved elsewhere
	DryRun   bool
}

// movePlanFile returns the path of the file with the move plan. The file is in the data directory, because only a user
// of the machine may choose the destination. A token, which can be used over the network, is not enough.
func movePlanFile(data string) string { return filepath.Join(data, "keys", "move") }

// WriteMovePlan writes a plan for the next move request to the server with the given data directory. The caller
// must call remove after the request.
func WriteMovePlan(data string, p MovePlan) (remove func(), err error) {
	text, err := json.Marshal(p)
	if err == nil {
		err = atomicfile.WriteSecret(movePlanFile(data), text)
	}
	if err != nil {
		return nil, fmt.Errorf("send the plan of the move to the server: %w", err)
	}
	return func() { _ = os.Remove(movePlanFile(data)) }, nil // if the server has read the file, it no longer exists
}

func (s *Server) readMovePlan() (p MovePlan, err error) {
	text, err := os.ReadFile(movePlanFile(s.data))
	if errors.Is(err, fs.ErrNotExist) {
		return p, &judge.UsageError{Err: errors.New("a move is started on the machine of the server: judged admin move")}
	}
	if err == nil {
		err = errors.Join(json.Unmarshal(text, &p), os.Remove(movePlanFile(s.data)))
	}
	if err != nil {
		return p, fmt.Errorf("read the plan of the move: %w", err)
	}
	return p, nil
}

// move moves the server's data as the plan in its data directory describes. If ctx is done before the move is
// complete, the server continues unchanged.
func (s *Server) move(ctx context.Context, blobs *blob.Dir) (client.MoveResult, error) {
	p, err := s.readMovePlan()
	if err != nil {
		return client.MoveResult{}, err
	}
	database := p.Database
	if database == InDataDir {
		database = ""
	} else if !strings.HasPrefix(database, "postgres://") && !strings.HasPrefix(database, "postgresql://") {
		return client.MoveResult{}, &judge.UsageError{
			Err: errors.New("name a PostgreSQL database, postgres://USER@HOST/NAME, or data: SQLite in the data directory"),
		}
	}
	lines := []string{"database = " + strconv.Quote(database)}
	if p.Queue != "" {
		lines = append(lines, "queue = "+strconv.Quote(p.Queue))
	}
	files, err := s.openNewBlobs(ctx, p, blobs)
	if err != nil {
		return client.MoveResult{}, err
	}
	o := store.MoveOptions{
		To:      store.Options{DSN: database, Dir: s.data, Version: s.o.Version},
		Replace: p.Replace, DryRun: p.DryRun, OnStep: func(step string) { s.onStep("move " + step) },
	}
	if files != nil {
		o.Blobs, o.Finish = files.copy, files.finish
		lines = append(lines, "blobs = "+strconv.Quote(files.location))
	}
	m, err := s.store.Move(ctx, o)
	if errors.Is(err, store.ErrOtherServers) {
		err = &judge.UsageError{Err: fmt.Errorf("%w\n    stop them, move, and start them again with the new settings", err)}
	}
	if err != nil {
		switch {
		case errors.Is(err, store.ErrMoved):
			s.o.Log.Error("the data may have been moved; this server accepts nothing until it is restarted", "error", err)
		case judge.BlameOf(err) != judge.Caller:
			s.o.Log.Error("the data was not moved; this server goes on with it", "error", err)
		}
		return client.MoveResult{}, err
	}
	out := client.MoveResult{DryRun: p.DryRun, Tables: m.Tables, Rows: m.Rows, Stopped: m.Stopped.Seconds(), Lines: lines}
	if files != nil {
		out.Blobs, out.Missing = len(files.copied), files.missing
	}
	if !p.DryRun {
		s.o.Log.Warn("the data was moved; this server accepts nothing until it is restarted with the new settings", "rows", m.Rows,
			"writes were stopped", m.Stopped.String())
	}
	return out, nil
}

// blobMove copies a server's blobs to another place.
type blobMove struct {
	s        *Server
	from     *blob.Dir
	to       blob.Origin
	location string // as in judge.toml
	mark     string
	copied   map[blob.Digest]int64 // sizes of the copied blobs
	missing  int                   // number of blobs that the database refers to but the server lacks
}

// openNewBlobs opens the destination of the blobs. It returns nil if they are not moved.
func (s *Server) openNewBlobs(ctx context.Context, p MovePlan, source *blob.Dir) (*blobMove, error) {
	place := p.Blobs
	if place == InDataDir {
		place = ""
	}
	if p.Blobs == "" || place == s.o.Blobs && (place != BlobsInQueue || p.Queue == "") {
		return nil, nil
	}
	m := &blobMove{s: s, from: source, location: place, copied: map[blob.Digest]int64{}}
	var err error
	switch place {
	case BlobsInQueue:
		if cmp.Or(p.Queue, s.o.Queue) == "" {
			return nil, &judge.UsageError{Err: errors.New("blobs in the queue need a cluster: --queue nats://a,nats://b,nats://c")}
		}
		q := s.queue
		if p.Queue != "" {
			o := queue.Options{URLs: strings.Split(p.Queue, ","), Credentials: s.o.QueueCredentials, Classes: []string{Class}}
			if q, err = queue.Open(ctx, o); err != nil {
				return nil, &judge.UsageError{Err: err}
			}
			context.AfterFunc(ctx, q.Close) // until the request ends
		}
		m.to, err = q.Blobs(ctx)
	case "":
		m.to, err = blob.OpenSharedDir(filepath.Join(s.data, "blobs"))
	default:
		if m.to, err = blob.OpenSharedDir(place); err != nil {
			err = &judge.UsageError{Err: err}
		}
	}
	if err != nil {
		return nil, err
	}
	if m.mark, err = s.store.LoadOrStoreSetting(ctx, databaseIDKey, newDatabaseID()); err != nil {
		return nil, err
	}
	has, err := m.to.Mark()
	if err == nil && has != "" && has != m.mark {
		err = &judge.UsageError{
			Err: fmt.Errorf("the blobs in %s belong to another database: name another place", cmp.Or(place, "the data directory")),
		}
	}
	return m, err
}

// copy copies all blobs that have not been copied yet, and removes those that the database no longer refers to.
func (m *blobMove) copy(ctx context.Context) error {
	named := map[blob.Digest]bool{}
	missing, err := m.s.eachBlob(ctx, m.from, func(d blob.Digest) error {
		named[d] = true
		if _, done := m.copied[d]; done {
			return nil
		}
		f, err := m.from.Find(d)
		if err != nil {
			return err
		}
		defer f.Close()
		digest := sha256.New()
		size, err := io.Copy(digest, f)
		if err == nil && hex.EncodeToString(digest.Sum(nil)) != string(d) {
			err = fmt.Errorf("blob %s: %w", d, blob.ErrDamaged)
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
		if err == nil {
			err = m.to.Put(d, size, f)
		}
		if err == nil {
			m.copied[d] = size
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("copy blobs: %w", err)
	}
	m.missing = missing
	for d := range m.copied {
		if !named[d] {
			if err := m.to.Remove(d); err != nil {
				return fmt.Errorf("remove a blob that was deleted: %w", err)
			}
			delete(m.copied, d)
		}
	}
	return nil
}

// finish sets the mark of the new blobs if they are shared, and records the place of the blobs in the new
// database.
func (m *blobMove) finish(ctx context.Context, database *store.Store) error {
	if m.location != "" {
		if err := m.to.SetMark(m.mark); err != nil {
			return err
		}
	}
	return database.SetSetting(ctx, sharedBlobsKey, m.location)
}
