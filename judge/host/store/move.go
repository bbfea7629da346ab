package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// The settings that a move uses and does not copy. In the old database, movedKey records the database to which the
// data was moved, and when. In the new database, movingKey is "unfinished" until the move is complete, and then
// "complete" until a server starts with the database.
const (
	movedKey   = "moved_to"
	movingKey  = "moving"
	unfinished = "unfinished"
	complete   = "complete"
)

const (
	// moveBatch is the number of rows written at once. An SQLite statement has at most 32,766 values.
	moveBatch  = 1000
	moveValues = 32_000
	// Writes are stopped once a pass over all tables finds fewer than maxRemaining changed rows, or after movePasses
	// passes.
	movePasses   = 5
	maxRemaining = 5000
	// maxStop is the maximum time for which writes are stopped. maxComplete is the maximum time for which the
	// last step of a move is retried.
	maxStop     = 2 * time.Minute
	maxComplete = 10 * time.Second
	// moveLock is the advisory lock that a move holds in the new database.
	moveLock = 4_174_365
)

// MoveOptions say where and how a Move copies the data.
type MoveOptions struct {
	To      Options // the new database: empty, or the target of an unfinished move
	Replace bool    // also overwrite a database whose data was moved elsewhere
	DryRun  bool    // only check whether the move is possible, and count the rows
	// Blobs, if not nil, copies the blobs. It is called after each pass over all tables while the server runs, and
	// again while writes are stopped.
	Blobs func(ctx context.Context) error
	// Finish, if not nil, is called after all rows have been copied, and may change the new database.
	Finish func(ctx context.Context, to *Store) error
	// OnStep, if not nil, is called with the name of each completed step: marked, copied, stopped, rest, verified,
	// handed over, moved. Tests use it to interrupt a move.
	OnStep func(step string)
}

// MoveResult describes a finished move.
type MoveResult struct {
	Tables  int
	Rows    int64
	Stopped time.Duration // how long writes were stopped
}

// A sum is the first half of the SHA-256 of a row or of its key, in a form that is the same for SQLite and
// PostgreSQL.
type sum [16]byte

// A move is a running Move.
type move struct {
	MoveOptions
	from, to *Store
	columns  [][]string    // of each table; key columns come first
	copied   []map[sum]sum // per table: keys of the rows in the new database, with their sums
}

// Move copies all rows into another database while s is in use. It then stops writes, copies the last changes, and
// compares all rows. After a successful move, the database of s cannot be opened, and all writes to s fail with
// ErrStopped until the process ends. If Move fails or the process is killed, s remains usable as before. The
// exception is a failure between the last two steps: then neither database can be opened, unless
// Options.AcceptStale is set for the old database.
func (s *Store) Move(ctx context.Context, o MoveOptions) (*MoveResult, error) {
	if !s.moving.TryLock() {
		return nil, &judge.UsageError{Err: errors.New("a move runs already: wait for its end")}
	}
	defer s.moving.Unlock()
	if s.writesStopped() {
		return nil, &judge.UsageError{Err: errors.New("the data was moved already: restart the server with the new settings")}
	}
	if err := s.checkOnlyServer(ctx); err != nil {
		return nil, err
	}
	m := &move{MoveOptions: o, from: s}
	if o.OnStep == nil {
		m.OnStep = func(string) {}
	}
	if err := m.readColumns(ctx); err != nil {
		return nil, err
	}
	if path := o.To.sqliteFile(); o.DryRun && path != "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return m.count(ctx)
		}
	}
	target, err := connect(ctx, o.To)
	if err != nil {
		return nil, &judge.UsageError{Err: err}
	}
	m.to = target
	defer target.Close()
	release, err := m.lockTarget(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := m.checkTarget(ctx); err != nil {
		return nil, err
	}
	if o.DryRun {
		return m.count(ctx)
	}
	for attempts := 2; ; attempts-- { // unique values may have been exchanged between rows
		moved, err := m.attempt(ctx)
		if attempts == 0 || !isDuplicateKey(err) {
			return moved, err
		}
	}
}

// sqliteFile returns the path of an SQLite database.
func (o Options) sqliteFile() string {
	switch {
	case o.DSN == "":
		return filepath.Join(o.Dir, "assay.db")
	case strings.Contains(o.DSN, "://"):
		return ""
	}
	return o.DSN
}

// checkOnlyServer returns ErrOtherServers if any other server uses the database.
func (s *Store) checkOnlyServer(ctx context.Context) error {
	others, err := s.otherServers(ctx)
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%w: %s", ErrOtherServers, strings.Join(others, ", "))
	}
	return err
}

// readColumns reads the columns of all tables.
func (m *move) readColumns(ctx context.Context) error {
	for _, t := range tables {
		rows, err := m.from.reader.QueryContext(ctx, "SELECT * FROM "+t.name+" LIMIT 0")
		if err != nil {
			return fmt.Errorf("read the columns of %s: %w", t.name, err)
		}
		columns, err := rows.Columns()
		if err := errors.Join(err, rows.Close()); err != nil {
			return fmt.Errorf("read the columns of %s: %w", t.name, err)
		}
		key := strings.Split(t.key, ", ")
		columns = slices.DeleteFunc(columns, func(c string) bool { return slices.Contains(key, c) })
		m.columns = append(m.columns, append(key, columns...))
	}
	return nil
}

// attempt runs the whole move once.
func (m *move) attempt(ctx context.Context) (*MoveResult, error) {
	m.copied = make([]map[sum]sum, len(tables))
	if err := m.prepareTarget(ctx); err != nil {
		return nil, fmt.Errorf("prepare %s: %w", m.to.displayName(), err)
	}
	m.OnStep("marked")
	for range movePasses {
		n, err := m.copyChanges(ctx)
		if err == nil && m.Blobs != nil {
			err = m.Blobs(ctx)
		}
		if err != nil {
			return nil, err
		}
		if n < maxRemaining {
			break
		}
	}
	m.OnStep("copied")
	return m.finish(ctx)
}

// prepareTarget marks the new database as unfinished and deletes its rows.
func (m *move) prepareTarget(ctx context.Context) error {
	tx, err := m.to.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, t := range slices.Backward(tables) {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO setting (key, value) VALUES ($1, $2)", movingKey, unfinished); err != nil {
		return err
	}
	return tx.Commit()
}

// rows returns the query for all rows of a table that are moved.
func (m *move) rows(i int) string {
	q := "SELECT " + strings.Join(m.columns[i], ", ") + " FROM " + tables[i].name
	if tables[i].name == "setting" {
		q += " WHERE key NOT IN ('" + movedKey + "', '" + movingKey + "')"
	}
	return q
}

// copyChanges makes the new database equal to a snapshot of the old one, and returns how many rows had to change.
func (m *move) copyChanges(ctx context.Context) (n int, err error) {
	tx, err := m.from.snapshot(ctx)
	if err != nil {
		return 0, fmt.Errorf("begin to read %s: %w", m.from.displayName(), err)
	}
	defer tx.Rollback()
	changes := make([]change, len(tables))
	for i, t := range tables {
		if m.copied[i] == nil {
			err = m.copy(ctx, tx, i)
			n += len(m.copied[i])
		} else {
			changes[i], err = m.compare(ctx, tx, i)
		}
		if err != nil {
			return 0, fmt.Errorf("copy the table %s: %w", t.name, err)
		}
		n += len(changes[i].rows)
	}
	return n, m.apply(ctx, changes)
}

// copy copies a table, ordered by key.
func (m *move) copy(ctx context.Context, from querier, i int) error {
	hashes, batch := map[sum]sum{}, [][]any(nil)
	err := eachRow(ctx, from, m.rows(i)+" ORDER BY "+m.from.orderBy(tables[i].key), func(_ []string, row []any) error {
		key, rowSum, err := m.sums(i, row)
		if err != nil {
			return err
		}
		hashes[key] = rowSum
		if batch = append(batch, slices.Clone(row)); len(batch) == m.batch(i) {
			err = m.put(ctx, m.to.writer, i, batch)
			batch = batch[:0]
		}
		return err
	})
	m.copied[i] = hashes
	if err != nil {
		return err
	}
	return m.put(ctx, m.to.writer, i, batch)
}

// batch returns the number of rows of a table that are written at once.
func (m *move) batch(i int) int { return min(moveBatch, moveValues/len(m.columns[i])) }

// A change is the difference between a table of the new database and the old one.
type change struct {
	rows       [][]any // new and changed rows
	hasDeleted bool    // the new database has rows that were deleted
}

// compare finds the rows of a table that have changed since they were copied to the new database.
func (m *move) compare(ctx context.Context, from querier, i int) (c change, err error) {
	copied := m.copied[i]
	now, added := make(map[sum]sum, len(copied)), 0
	err = eachRow(ctx, from, m.rows(i), func(_ []string, row []any) error {
		key, rowSum, err := m.sums(i, row)
		if err != nil {
			return err
		}
		before, found := copied[key]
		if !found {
			added++
		}
		if before != rowSum {
			c.rows = append(c.rows, slices.Clone(row))
		}
		now[key] = rowSum
		return nil
	})
	c.hasDeleted = len(copied)+added > len(now)
	m.copied[i] = now
	return c, err
}

// apply makes changes in the new database. It deletes rows first, because new rows may reuse their unique names.
func (m *move) apply(ctx context.Context, changes []change) error {
	tx, err := m.to.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, c := range slices.Backward(changes) {
		if c.hasDeleted {
			if err := m.deleteRemoved(ctx, tx, i); err != nil {
				return fmt.Errorf("delete rows of the table %s: %w", tables[i].name, err)
			}
		}
	}
	for i, c := range changes {
		for rows := range slices.Chunk(c.rows, m.batch(i)) {
			if err := m.put(ctx, tx, i, rows); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// deleteRemoved deletes the rows of a table that no longer exist in the old database.
func (m *move) deleteRemoved(ctx context.Context, tx *sql.Tx, i int) error {
	key := strings.Split(tables[i].key, ", ")
	var removed [][]any
	err := eachRow(ctx, tx, m.rows(i), func(_ []string, row []any) error {
		keySum, _, err := m.sums(i, row)
		if _, found := m.copied[i][keySum]; !found {
			removed = append(removed, slices.Clone(row[:len(key)]))
		}
		return err
	})
	for n := range key {
		key[n] = fmt.Sprintf("%s = $%d", key[n], n+1)
	}
	for _, values := range removed {
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM "+tables[i].name+" WHERE "+strings.Join(key, " AND "), values...)
		}
	}
	return err
}

// put inserts rows into a table, and replaces rows with the same keys.
func (m *move) put(ctx context.Context, target interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, i int, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	columns := m.columns[i]
	var values, set []string
	for n := range rows {
		places := make([]string, len(columns))
		for c := range columns {
			places[c] = "?" // SQLite would search a list for each $N
			if m.to.postgres {
				places[c] = fmt.Sprintf("$%d", n*len(columns)+c+1)
			}
		}
		values = append(values, "("+strings.Join(places, ", ")+")")
	}
	for _, c := range columns[strings.Count(tables[i].key, ",")+1:] {
		set = append(set, c+" = excluded."+c)
	}
	text := "INSERT INTO " + tables[i].name + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Join(values, ", ") +
		" ON CONFLICT (" + tables[i].key + ") DO "
	if len(set) == 0 {
		text += "NOTHING"
	} else {
		text += "UPDATE SET " + strings.Join(set, ", ")
	}
	if _, err := target.ExecContext(ctx, text, slices.Concat(rows...)...); err != nil {
		return fmt.Errorf("write rows of the table %s: %w", tables[i].name, err)
	}
	return nil
}

// sums returns the sum of a row's key and the sum of the whole row.
func (m *move) sums(i int, row []any) (key, rowSum sum, err error) {
	var text []byte
	keys := strings.Count(tables[i].key, ",") + 1
	for n, value := range row {
		switch v := value.(type) {
		case nil:
			text = append(text, 'n')
		case bool:
			if text = append(text, 'f'); v {
				text[len(text)-1] = 't'
			}
		case int64:
			text = binary.BigEndian.AppendUint64(append(text, 'i'), uint64(v))
		case string:
			text = append(binary.BigEndian.AppendUint64(append(text, 's'), uint64(len(v))), v...)
		default:
			return key, rowSum, fmt.Errorf("the column %s has a value of the unknown type %T", m.columns[i][n], v)
		}
		if n == keys-1 {
			hash := sha256.Sum256(text)
			key = sum(hash[:len(key)])
		}
	}
	hash := sha256.Sum256(text)
	return key, sum(hash[:len(rowSum)]), nil
}

// finish stops writes, copies the last changes, compares all rows, and makes the new database the one in use. If
// it fails, writes are accepted again, unless the old database is marked as moved.
func (m *move) finish(ctx context.Context) (moved *MoveResult, err error) {
	began := time.Now()
	tooLong := fmt.Errorf("the move would stop writes for more than %v: repeat it when the server is less busy", maxStop)
	ctx, cancel := context.WithTimeoutCause(ctx, maxStop, tooLong)
	defer cancel()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}()
	tx, err := m.from.lockWrites(ctx)
	if err != nil {
		m.from.resumeWrites()
		return nil, fmt.Errorf("stop writes: %w", err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = tx.Rollback() // the transaction only holds a lock
			m.from.resumeWrites()
		}
	}()
	m.OnStep("stopped")
	if err := m.from.checkOnlyServer(ctx); err != nil {
		return nil, err
	}
	changes := make([]change, len(tables))
	err = eachTable(ctx, func(ctx context.Context, i int) (err error) {
		changes[i], err = m.compare(ctx, m.from.reader, i)
		return err
	})
	if err == nil {
		err = m.apply(ctx, changes)
	}
	if err != nil {
		return nil, fmt.Errorf("copy the last rows: %w", err)
	}
	m.OnStep("rest")
	if err := eachTable(ctx, m.verify); err != nil {
		return nil, err
	}
	m.OnStep("verified")
	if m.Blobs != nil {
		if err := m.Blobs(ctx); err != nil {
			return nil, err
		}
	}
	if m.Finish != nil {
		if err := m.Finish(ctx, m.to); err != nil {
			return nil, err
		}
	}
	// The old database is marked first. If the server dies before the new one is marked, no server can start with
	// either database. In the other order, servers could start with both.
	if ended, err = m.handOver(ctx, tx); err != nil {
		return nil, err
	}
	m.OnStep("handed over")
	if err := m.complete(ctx); err != nil {
		return nil, err
	}
	m.OnStep("moved")
	moved = &MoveResult{Tables: len(tables), Stopped: time.Since(began)}
	for _, copied := range m.copied {
		moved.Rows += int64(len(copied))
	}
	return moved, nil
}

// handOver marks the old database as moved, and reports whether writes must stay stopped. They must stay stopped
// if the mark was stored, or if that is unknown.
func (m *move) handOver(ctx context.Context, tx *sql.Tx) (ended bool, err error) {
	since := m.from.options.Now().UTC().Format(time.RFC3339)
	if err := query.New(tx).PutSetting(ctx, movedKey, m.to.displayName()+" at "+since); err != nil {
		return false, wrapError("mark the old database as moved", err)
	}
	if err := tx.Commit(); err == nil {
		return true, nil
	}
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	value, err := m.from.optionalSetting(later, movedKey)
	switch {
	case err != nil:
		return true, outcomeUnknown(err)
	case value == "":
		return false, errors.New("mark the old database as moved: its transaction failed")
	}
	return true, nil
}

// complete lets servers start with the new database.
func (m *move) complete(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxComplete)
	defer cancel()
	for {
		if err = m.to.SetSetting(ctx, movingKey, complete); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return outcomeUnknown(err)
		case <-time.After(time.Second):
		}
	}
}

// outcomeUnknown wraps an error of a move after which it is unknown whether servers can start with the new database.
func outcomeUnknown(err error) error {
	return fmt.Errorf("%w: restart the server with the new settings; if it refuses them, with the old ones and --accept-stale, and "+
		"move again: %w", ErrMoved, err)
}

// verify compares a table of the new database with the rows read from the old one.
func (m *move) verify(ctx context.Context, i int) error {
	rows, differ := 0, 0
	err := eachRow(ctx, m.to.reader, m.rows(i), func(_ []string, row []any) error {
		key, rowSum, err := m.sums(i, row)
		if rows++; m.copied[i][key] != rowSum {
			differ++
		}
		return err
	})
	if err == nil && (rows != len(m.copied[i]) || differ > 0) {
		err = fmt.Errorf("%d of %d rows are present, and %d differ", rows, len(m.copied[i]), differ)
	}
	if err != nil {
		return fmt.Errorf("compare the table %s of %s with the original: %w", tables[i].name, m.to.displayName(), err)
	}
	return nil
}

// count returns how many tables and rows a move would copy.
func (m *move) count(ctx context.Context) (*MoveResult, error) {
	result := &MoveResult{Tables: len(tables)}
	for _, t := range tables {
		var n int64
		if err := m.from.reader.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+t.name).Scan(&n); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", t.name, err)
		}
		result.Rows += n
	}
	return result, nil
}

// eachTable calls do for all tables, two at a time, until one fails.
func eachTable(ctx context.Context, handle func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	indexes := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range indexes {
				if err := handle(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range tables {
		select {
		case indexes <- i:
		case <-ctx.Done():
		}
	}
	close(indexes)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
