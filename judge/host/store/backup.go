package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tables lists all tables and their keys. Each table comes after the tables that it refers to.
var tables = []struct{ name, key string }{
	{"setting", "key"}, {"leader", "name"}, {"server_seen", "id"}, {"account", "id"},
	{"grant_role", "account, scope, role"}, {"token", "id"}, {"session", "hash"}, {"identity", "issuer, subject"}, {"sign_on", "hash"},
	{"class", "name"}, {"invite", "hash"}, {"worker", "id"}, {"blob", "sha256"}, {"blob_sender", "account, sha256"},
	{"problem", "id"}, {"bundle", "problem, id"}, {"upload", "id"},
	{"contest", "id"}, {"contest_problem", "contest, label"}, {"organization", "contest, id"}, {"team_group", "contest, id"},
	{"team", "id"}, {"team_in_group", "contest, team, team_group"}, {"person", "contest, id"},
	{"media", "contest, type, object, filename"}, {"member", "contest, account"},
	{"contest_account", "contest, id"}, {"account_address", "contest, account, address"}, {"invitation", "id"},
	{"submission", "id"}, {"judgement", "id"}, {"standing", "submission"}, {"verification", "judgement, at"}, {"mark", "id"},
	{"rejudging", "id"}, {"rejudged", "rejudging, submission"}, {"clarification", "contest, number"},
	{"clarification_team", "contest, number, team"}, {"clarification_group", "contest, number, team_group"},
	{"clarification_claim", "contest, number"}, {"clarification_read", "contest, account"},
	{"balloon", "contest, team, label"}, {"print_request", "contest, number"}, {"external_source", "contest"},
	{"external_object", "contest, type, id"}, {"external_problem", "contest, type, id"}, {"flow", "id"}, {"job", "id"},
	{"ladder", "id"}, {"bot", "ladder, number"}, {"encounter", "ladder, number"}, {"climb", "ladder, seq"},
	{"hole", "id"}, {"answer", "id"}, {"answer_proof", "answer, at"},
	{"lane", "lane"}, {"turn", "lane, owner"}, {"part", "flow, part_key"}, {"log", "contest, seq"}, {"audit", "id"},
}

// manifestName is the name of the file that describes a backup. It is written last, so a backup without this file
// is incomplete.
const manifestName = "backup.json"

// A Manifest describes a backup. A backup contains a file <table>.jsonl for each table, with a row as JSON in each
// line. The format is the same for both databases.
type Manifest struct {
	Schema     int64           `json:"schema"`
	Version    string          `json:"version"` // version of the program that made it
	Made       time.Time       `json:"made"`
	EventCount int64           `json:"last_log"`
	Tables     map[string]File `json:"tables"`
}

// A File is the file of a table in a backup.
type File struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Backup writes a consistent snapshot of all tables to a directory, which it creates if needed. The directory must
// not contain a backup. Other transactions can continue in the meantime. Blobs are not included. After Backup, the
// caller can call ReferencedBlobs and copy the blobs that it returns. They include all blobs to which rows in the
// backup refer.
func (s *Store) Backup(ctx context.Context, dir string) (*Manifest, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of the backup: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		return nil, fmt.Errorf("%s has a backup already: choose an empty directory", dir)
	}
	steps, err := s.migrations()
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	schema, _, err := steps.GetVersions(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at the schema: %w", err)
	}
	tx, err := s.snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin the backup: %w", err)
	}
	defer tx.Rollback()
	m := &Manifest{Schema: schema, Version: s.options.Version, Made: s.options.Now().UTC(), Tables: map[string]File{}}
	if m.EventCount, err = s.read.WithTx(tx).LastLog(ctx); err != nil {
		return nil, fmt.Errorf("read the end of the log: %w", err)
	}
	for _, t := range tables {
		if m.Tables[t.name], err = writeTable(ctx, tx, dir, t.name, s.orderBy(t.key)); err != nil {
			return nil, fmt.Errorf("back up the table %s: %w", t.name, err)
		}
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write what the backup holds: %w", err)
	}
	return m, writeSynced(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// snapshot begins a transaction that reads a consistent snapshot. In SQLite, any transaction does.
func (s *Store) snapshot(ctx context.Context) (*sql.Tx, error) {
	options := &sql.TxOptions{}
	if s.postgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return s.reader.BeginTx(ctx, options)
}

// writeSynced writes a file and syncs it to disk.
func writeSynced(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := bufio.NewWriter(f)
	if err := errors.Join(write(b), b.Flush()); err != nil {
		return err
	}
	return f.Sync()
}

// orderBy returns the ORDER BY expression for a table, with which both databases sort by bytes.
func (s *Store) orderBy(key string) string {
	if !s.postgres {
		return key
	}
	columns := strings.Split(key, ", ")
	for i, c := range columns {
		if c != "seq" && c != "lane" && c != "number" && c != "at" { // these columns are numbers
			columns[i] += ` COLLATE "C"`
		}
	}
	return strings.Join(columns, ", ")
}

// writeTable writes the rows of a table to a file.
func writeTable(ctx context.Context, tx *sql.Tx, dir, table, order string) (file File, err error) {
	sum := sha256.New()
	err = writeSynced(filepath.Join(dir, table+".jsonl"), func(w io.Writer) error {
		return eachRow(ctx, tx, "SELECT * FROM "+table+" ORDER BY "+order, func(columns []string, values []any) error {
			row := make(map[string]any, len(columns))
			for i, c := range columns {
				row[c] = values[i]
			}
			line, err := json.Marshal(row)
			if err != nil {
				return err
			}
			file.Rows++
			_, err = io.MultiWriter(w, sum).Write(append(line, '\n'))
			return err
		})
	})
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return file, err
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// eachRow calls do with the columns and values of each row that a query returns. The values have the same types
// with both databases: nil, int64, bool or string. The slice of values is reused.
func eachRow(ctx context.Context, q querier, text string, handle func(columns []string, values []any) error) error {
	rows, err := q.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	columns, values, into := make([]string, len(types)), make([]any, len(types)), make([]any, len(types))
	for i, c := range types {
		columns[i], into[i] = c.Name(), &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range types {
			if n, isInteger := values[i].(int64); isInteger && c.DatabaseTypeName() == "BOOLEAN" { // of SQLite
				values[i] = n != 0
			}
		}
		if err := handle(columns, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ReadManifest reads the manifest of a backup.
func ReadManifest(dir string) (*Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is no finished backup: it has no %s", dir, manifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("read the backup: %w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, manifestName), err)
	}
	return m, nil
}

// Restore loads all rows of a backup into an empty database, or none after an error. The backup may come from
// either kind of database. Restore returns ErrNotEmpty if the database has rows, and ErrNewerSchema if a later version
// has written the backup. After Restore, Open migrates the schema.
func Restore(ctx context.Context, dir string, o Options) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	steps, err := s.migrations()
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := steps.GetVersions(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at the schema of %s: %w", s.displayName(), err)
	case m.Schema > target:
		return nil, fmt.Errorf("%w: the backup has schema %d, written by %s; this is %s, which knows schema %d", ErrNewerSchema, m.Schema,
			m.Version, o.Version, target)
	case current != 0 && current != m.Schema: // left by an interrupted restore, without rows
		return nil, fmt.Errorf("restore into %s: %w", s.displayName(), ErrNotEmpty)
	}
	if _, err := steps.UpTo(ctx, m.Schema); err != nil {
		return nil, fmt.Errorf("make the tables: %w", err)
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin the restore: %w", err)
	}
	defer tx.Rollback()
	for _, t := range tables {
		file, found := m.Tables[t.name]
		if !found {
			continue // the backup's schema does not contain the table
		}
		var exists int
		if err := tx.QueryRowContext(ctx, "SELECT 1 FROM "+t.name+" LIMIT 1").Scan(&exists); err == nil {
			return nil, fmt.Errorf("restore into %s, table %s: %w", s.displayName(), t.name, ErrNotEmpty)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("look at the table %s: %w", t.name, err)
		}
		if err := loadTable(ctx, tx, filepath.Join(dir, t.name+".jsonl"), t.name, file); err != nil {
			return nil, fmt.Errorf("restore the table %s: %w", t.name, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("end the restore: %w", err)
	}
	return m, nil
}

// loadTable inserts the rows of a file into a table. It returns an error if the file does not match the manifest.
func loadTable(ctx context.Context, tx *sql.Tx, path, table string, file File) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(f, sum), 1<<20)
	columns, insert, err := columnsOf(ctx, tx, table)
	if err != nil {
		return err
	}
	var rows int64
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil {
			return fmt.Errorf("%s ends in the middle of a row: %w", path, err)
		}
		rows++
		if err := loadRow(ctx, insert, columns, line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, rows, err)
		}
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); hash != file.SHA256 || rows != file.Rows {
		return fmt.Errorf(
			"%s is damaged: it has %d rows with the digest %s instead of %d with %s", path, rows, hash, file.Rows,
			file.SHA256,
		)
	}
	return nil
}

// columnsOf returns the columns of a table, and a statement that inserts a row.
func columnsOf(ctx context.Context, tx *sql.Tx, table string) (columns []string, insert *sql.Stmt, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, nil, err
	}
	columns, err = rows.Columns()
	if err = errors.Join(err, rows.Close()); err != nil {
		return nil, nil, err
	}
	places := make([]string, len(columns))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	insert, err = tx.PrepareContext(ctx, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(places, ", ")+")")
	return columns, insert, err
}

func loadRow(ctx context.Context, insert *sql.Stmt, columns []string, line []byte) error {
	numbers := json.NewDecoder(bytes.NewReader(line))
	numbers.UseNumber() // a float64 cannot represent all times exactly
	var row map[string]any
	if err := numbers.Decode(&row); err != nil {
		return err
	}
	if len(row) != len(columns) {
		return fmt.Errorf("the row has %d columns; the table has %d", len(row), len(columns))
	}
	values := make([]any, len(columns))
	for i, c := range columns {
		value, present := row[c]
		if !present {
			return fmt.Errorf("the row has no column %s", c)
		}
		if n, isNumber := value.(json.Number); isNumber {
			integer, err := n.Int64()
			if err != nil {
				return fmt.Errorf("column %s: %w", c, err)
			}
			value = integer
		}
		values[i] = value
	}
	_, err := insert.ExecContext(ctx, values...)
	return err
}
