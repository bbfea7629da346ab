package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// Options select the database and say how to open it.
type Options struct {
	// DSN is the path of an SQLite database, which is created if needed, or postgres://... . If empty, the store
	// uses assay.db in Dir.
	DSN string
	Dir string
	// Version is the version of this program. It is stored with the schema, and error messages about other
	// versions name it.
	Version string
	// Now returns the current time. If nil, the store uses time.Now. Stored times never go backwards, even if the
	// clock does.
	Now func() time.Time
	// MaxWaiting is the maximum number of waiting jobs in practice. Zero means 5,000.
	MaxWaiting int
	// EventCount is an earlier result of Store.EventCount that the caller stored outside of the database. If the
	// database has fewer events, data was lost or rolled back, and Open fails unless AcceptLoss is set.
	EventCount int64
	AcceptLoss bool
	// AcceptStale opens a database even if its data was moved to another one. The mark that records the move is
	// then deleted.
	AcceptStale bool
	// SingleServer reports whether no other server can use the database. If so, a held Lead need not be renewed, which
	// avoids disk writes while the server is idle.
	SingleServer bool
	// Migrate migrates the schema even if other servers use the database. ID is the name of this server, which
	// does not count as another server.
	Migrate bool
	ID      string

	schema fs.FS // the migrations; if nil, the embedded ones are used
}

//go:embed migrations/*.sql
var embedded embed.FS

// keywordDSN matches PostgreSQL connection strings in keyword/value form.
var keywordDSN = regexp.MustCompile(`(^|\s)(host|hostaddr|port|dbname|user|password)\s*=`)

// versionKey is the setting that stores the version of the program that wrote the schema.
const versionKey = "schema_by"

// Open opens the database and migrates its schema. Before a migration it copies an SQLite database to the same
// directory. It returns ErrNewerSchema if a later version wrote the schema, and ErrRolledBack if the database has lost
// data. It returns ErrOtherServers if the schema is older and other servers use the database.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.migrateSchema(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// IsUnavailable reports whether an error of Open may be temporary because the database server does not respond, is starting
// or stopping, or has too many connections.
func IsUnavailable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains([]string{"57P01", "57P02", "57P03", "53300"}, pg.Code)
	}
	_, dialled := errors.AsType[*net.OpError](err)
	_, isDNS := errors.AsType[*net.DNSError](err)
	return dialled || isDNS || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrUnavailable)
}

// isConnectionError reports whether a query failed because the database server has ended, is ending or starting, or
// is unreachable.
func isConnectionError(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) { // by the caller; converted already
		return false
	}
	return IsUnavailable(err) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// connect opens the database without a migration.
func connect(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 5000
	}
	if o.DSN == "" {
		o.DSN = filepath.Join(o.Dir, "assay.db")
	}
	s := &Store{options: o}
	var err error
	if strings.HasPrefix(o.DSN, "postgres://") || strings.HasPrefix(o.DSN, "postgresql://") {
		err = s.connectPostgres()
	} else if keywordDSN.MatchString(o.DSN) {
		return nil, &judge.UsageError{
			Err: errors.New("a database in the form host=... user=... is not supported: write it as postgres://USER:PASSWORD@HOST/NAME"),
		}
	} else if scheme, _, isURL := strings.Cut(o.DSN, "://"); isURL {
		return nil, &judge.UsageError{
			Err: fmt.Errorf("a database %s://... is not supported: it is PostgreSQL, postgres://USER:PASSWORD@HOST/NAME, or SQLite, a file", scheme),
		}
	} else {
		err = s.connectSQLite()
	}
	if err == nil {
		err = s.writer.PingContext(ctx)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open the database %s: %w", s.displayName(), err)
	}
	if s.postgres {
		s.reads, s.write = s.reader, query.New(gatedDB{s.writer, &s.gate})
	} else {
		s.statements = &statementCache{db: s.writer}
		s.reads = preparedDB{s.reader, nil, &statementCache{db: s.reader}}
		s.write = query.New(gatedDB{preparedDB{s.writer, nil, s.statements}, &s.gate})
	}
	s.read = query.New(s.reads)
	return s, nil
}

// displayName returns the address of the database, without its password.
func (s *Store) displayName() string {
	if u, err := url.Parse(s.options.DSN); s.postgres && err == nil {
		u.RawQuery = "" // the query may also contain a password
		return u.Redacted()
	} else if s.postgres {
		return "postgres://..."
	}
	return s.options.DSN
}

func (s *Store) connectPostgres() error {
	s.postgres = true
	config, err := pgx.ParseConfig(s.options.DSN)
	if err != nil { // the error text quotes parts of the password
		return &judge.UsageError{
			Err: errors.New("this is not the address of a database: write it like " +
				"postgres://USER:PASSWORD@HOST/NAME?sslmode=require\n    in a name or a password write %2F, %3F, %23, %25 and %40 for / ? # % and @"),
		}
	}
	// JIT compilation, parallel workers, and a new plan for each value pay off only for queries that take seconds.
	// Here each of them would slow a page down from 1 ms to 5 ms.
	config.RuntimeParams["jit"] = "off"
	config.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	config.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	s.writer = stdlib.OpenDB(*config)
	const connections = 16 // of the 100 that PostgreSQL allows by default
	s.writer.SetMaxOpenConns(connections)
	s.writer.SetMaxIdleConns(connections)
	s.reader = s.writer
	return nil
}

func (s *Store) connectSQLite() error {
	path, err := filepath.Abs(s.options.DSN)
	if err != nil {
		return err
	}
	s.options.DSN = path
	// The file contains hashes of tokens. Its journal gets the same mode.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	file.Close()
	pragmas := []string{"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"}
	if s.writer, err = sql.Open("sqlite", sqliteDSN(path, url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if s.reader, err = sql.Open("sqlite", sqliteDSN(path, url.Values{"_pragma": append(pragmas, "query_only(1)")})); err != nil {
		return err
	}
	const readers = 4
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(readers)
	return nil
}

func sqliteDSN(path string, options url.Values) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + options.Encode()
}

// Close ends all connections.
func (s *Store) Close() error {
	var errs []error
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.reader != nil && s.reader != s.writer {
		errs = append(errs, s.reader.Close())
	}
	return errors.Join(errs...)
}

// migrations returns the steps that migrate an empty database to the current schema.
func (s *Store) migrations() (*goose.Provider, error) {
	files := s.options.schema
	if files == nil {
		var err error
		if files, err = fs.Sub(embedded, "migrations"); err != nil {
			return nil, err
		}
	}
	if !s.postgres {
		return goose.NewProvider(goose.DialectSQLite3, s.writer, files, goose.WithDisableGlobalRegistry(true))
	}
	// Several servers may start at once.
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, s.writer, files, goose.WithDisableGlobalRegistry(true), goose.WithSessionLocker(locker))
}

// migrateSchema migrates the schema. It returns an error if it must not touch the database.
func (s *Store) migrateSchema(ctx context.Context) error {
	steps, err := s.migrations()
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := steps.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("look at the schema of %s: %w", s.displayName(), err)
	}
	if current > target {
		writer, err := s.Setting(ctx, versionKey)
		if err != nil {
			writer = "a later version"
		}
		return fmt.Errorf("%w: %s has schema %d, written by %s; this is %s, which knows schema %d: use that version or "+
			"restore a backup", ErrNewerSchema, s.displayName(), current, writer, s.options.Version, target)
	}
	if current > 0 {
		if err := s.checkInUse(ctx); err != nil {
			return err
		}
	}
	if current > 0 && current < target && !s.postgres {
		if err := s.backupBeforeMigration(ctx, current); err != nil {
			return err
		}
	}
	if current < target {
		if err := s.checkUnused(ctx, current, target); err != nil {
			return err
		}
		if _, err := steps.Up(ctx); err != nil {
			return fmt.Errorf("upgrade %s from schema %d to %d: %w", s.displayName(), current, target, err)
		}
		if err := s.SetSetting(ctx, versionKey, s.options.Version); err != nil {
			return err
		}
	}
	eventCount, err := s.EventCount(ctx)
	if err != nil {
		return err
	}
	if eventCount < s.options.EventCount && !s.options.AcceptLoss {
		return fmt.Errorf("%w: %s ends with event %d, and event %d was written: bring the database back, or accept the loss",
			ErrRolledBack, s.displayName(), eventCount, s.options.EventCount)
	}
	if err := s.write.InsertPractice(ctx, Practice, "Practice"); err != nil {
		return wrapError("make the contest "+Practice, err)
	}
	return nil
}

// serversSchema is the first schema version that records which servers use the database.
const serversSchema = 27

// checkUnused returns ErrOtherServers if the schema must be migrated while other servers use the database.
func (s *Store) checkUnused(ctx context.Context, current, target int64) error {
	if s.options.Migrate || !s.postgres || current < serversSchema {
		return nil
	}
	online, err := s.otherServers(ctx)
	if err != nil || len(online) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s has schema %d, and %s would bring it to schema %d under the servers %s",
		ErrOtherServers, s.displayName(), current, s.options.Version, target, strings.Join(online, ", "))
}

// otherServers returns the other servers that use the database.
func (s *Store) otherServers(ctx context.Context) (online []string, err error) {
	servers, err := s.Servers(ctx)
	for _, server := range servers {
		if server.ID != s.options.ID && server.Online(s.options.Now()) {
			online = append(online, fmt.Sprintf("%s (%s)", server.ID, server.Version))
		}
	}
	return online, err
}

// backupBeforeMigration copies the database to the same directory before its schema changes.
func (s *Store) backupBeforeMigration(ctx context.Context, schema int64) error {
	path := fmt.Sprintf("%s.schema-%d-%s", s.options.DSN, schema, s.options.Now().UTC().Format("20060102T150405"))
	if _, err := s.writer.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return fmt.Errorf("copy the database to %s before its schema changes: %w", path, err)
	}
	return os.Chmod(path, 0o600)
}
