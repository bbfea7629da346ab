package store_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"assay/judge/host/store"
)

// migrationsBefore returns the migrations whose numbers are below the given one.
func migrationsBefore(t *testing.T, number string) fstest.MapFS {
	t.Helper()
	all, err := store.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(all, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	before := fstest.MapFS{}
	for _, name := range names {
		if name >= number {
			continue
		}
		data, err := fs.ReadFile(all, name)
		if err != nil {
			t.Fatal(err)
		}
		before[name] = &fstest.MapFile{Data: data}
	}
	return before
}

// openAt returns a new database whose schema is that of before a migration. To apply the rest, the test opens the store.
func openAt(t *testing.T, dsn, number string) *sql.DB {
	t.Helper()
	old := open(t, store.WithSchema(store.Options{DSN: dsn}, migrationsBefore(t, number)))
	driver := "sqlite"
	if old.Postgres() {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// A conversion is a column whose values got new names, and the rows that are needed to store an old value.
type conversion struct {
	table, column string
	// insert inserts the row with the key %[1]s and the number %[2]d, whose column has the value %[3]s.
	insert string
	old    []string
	want   []string
}

// conversions lists the columns that migrations 31 and 32 converted. A row may refer to rows of earlier entries.
var conversions = []conversion{
	{
		"contest", "visibility", `INSERT INTO contest (id, slug, name, format, length, visibility, settings, revision, next_number, last_seq,
			last_time) VALUES ('%[1]s', '%[1]s', 'C', 'icpc', 1, '%[3]s', '{}', %[2]d, 1, 0, 0)`,
		[]string{"public", "accounts", "teams", "staff"}, []string{"public", "accounts", "teams", "jury"},
	},
	{
		"hole", "visibility", `INSERT INTO hole (id, slug, name, problem, visibility, shown, closed, revision, last_number, last_time, made)
			VALUES ('%[1]s', '%[1]s', 'H', 'p', '%[3]s', FALSE, FALSE, %[2]d, 1, 0, 0)`,
		[]string{"public", "accounts", "staff"}, []string{"public", "accounts", "jury"},
	},
	{
		"ladder", "visibility", `INSERT INTO ladder (id, slug, name, problem, bundle, config, choice, rules, wrong, seed, visibility, open,
			per_account, per_minute, owner, made, bots, encounters, last_seq, looks, next_look, settled)
			VALUES ('%[1]s', '%[1]s', 'L', 'p', '', '', '{}', '', '', '1', '%[3]s', TRUE, %[2]d, 0, 'a', 0, 0, 0, 0, 0, 0, FALSE)`,
		[]string{"public", "accounts", "staff"}, []string{"public", "accounts", "jury"},
	},
	{
		"bot", "state", `INSERT INTO bot (ladder, number, account, name, version, form_key, file, files, state, reason, told, flow, since,
			made, seq) VALUES ('ladder-visibility-0', %[2]d, 'a', '%[1]s', 1, '', '', '[]', '%[3]s', '', '', '', 0, 0, 0)`,
		[]string{"checking", "active", "paused", "refused", "retired"}, []string{"checking", "active", "paused", "rejected", "retired"},
	},
	{
		"job", "state", `INSERT INTO job (id, kind, lane, class, owner, cost, start_tag, spec, token, state, generation, tries, excluded, made,
			worker, part_key) VALUES ('%[1]s', 'judge', 1, 'main', 'a', 1, %[2]d, '{}', '', '%[3]s', 1, 0, '[]', 0, '', '')`,
		[]string{"waiting", "out", "done", "failed", "cancelled"}, []string{"waiting", "dispatched", "done", "failed", "cancelled"},
	},
	{
		"judgement", "origin", `INSERT INTO judgement (id, submission, bundle, config, class, origin, root, why, started)
			VALUES ('%[1]s', 's', '', '', 'main', '%[3]s', 'j', '', %[2]d)`,
		[]string{"first", "borderline", "guest", "rejudge"}, []string{"first", "near-limit", "untrusted", "rejudge"},
	},
	{
		"answer", "state", `INSERT INTO answer (id, hole, number, account, form_key, file, sha256, size, asked, received, state, flow, verdict,
			why, language, name, flags, bytes, chars, events, toolchain)
			VALUES ('%[1]s', 'hole-visibility-0', %[2]d, 'a', '', 'f', '', 1, '{}', 0, '%[3]s', '', '', '', '', '', '', 1, 1, '', '')`,
		[]string{"proving", "standing", "greyed", "refused"}, []string{"checking", "valid", "invalidated", "rejected"},
	},
	{
		"answer_proof", "state", `INSERT INTO answer_proof (answer, at, state, verdict, why, toolchain, workers)
			VALUES ('answer-state-0', %[2]d, '%[3]s', '%[1]s', '', '', '')`,
		[]string{"proving", "standing", "greyed", "refused"}, []string{"checking", "valid", "invalidated", "rejected"},
	},
}

// order is the column that holds the number of an inserted row, by table.
var order = map[string]string{
	"contest": "revision", "hole": "revision", "ladder": "per_account", "bot": "number", "job": "start_tag", "judgement": "started",
	"answer": "number", "answer_proof": "at",
}

// TestNamesOfBefore checks that migrations 31 and 32 convert every stored value of a column that got new names: no row
// changes its meaning, and the old names cannot be stored again.
func TestNamesOfBefore(t *testing.T) {
	onNew(t, func(t *testing.T, dsn string) {
		db := openAt(t, dsn, "00031")
		do := func(statement string) {
			t.Helper()
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		do(`INSERT INTO account (id, login, display, email, password, kind, session_epoch, disabled, created)
			VALUES ('a', 'ada', 'Ada', '', '', 'person', 1, FALSE, 0)`)
		do(`INSERT INTO problem (id, slug, title, owner, bundle, config, sheet, made) VALUES ('p', 'nim', 'Nim', 'a', '', '', '', 0)`)
		for i, c := range conversions {
			if c.table == "judgement" {
				do(`INSERT INTO submission (id, contest, number, problem, account, form_key, language, entry, files, folder, size, received)
					VALUES ('s', 'contest-visibility-0', 1, 'p', 'a', '', '', 'f', '[]', FALSE, 1, 0)`)
			}
			for n, value := range c.old {
				do(fmt.Sprintf(c.insert, fmt.Sprintf("%s-%s-%d", c.table, c.column, n), n+2, value))
			}
			if len(c.old) != len(c.want) {
				t.Fatalf("entry %d has no new name of each old one", i)
			}
		}
		open(t, store.Options{DSN: dsn})
		for _, c := range conversions {
			rows, err := db.Query(fmt.Sprintf("SELECT %s FROM %s ORDER BY %s", c.column, c.table, order[c.table]))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for rows.Next() {
				var value string
				if err := rows.Scan(&value); err != nil {
					t.Fatal(err)
				}
				got = append(got, value)
			}
			if c.table == "contest" && len(got) > 0 { // the first one is practice, which each database has
				got = got[1:]
			}
			if rows.Err() != nil || strings.Join(got, " ") != strings.Join(c.want, " ") {
				t.Errorf("%s.%s is %q, %v; want %q", c.table, c.column, got, rows.Err(), c.want)
			}
			if c.table == "answer_proof" { // any text can be stored there
				continue
			}
			for n, old := range c.old {
				if old == c.want[n] {
					continue
				}
				if _, err := db.Exec(fmt.Sprintf("UPDATE %s SET %s = '%s'", c.table, c.column, old)); err == nil {
					t.Errorf("%s.%s can be %q again", c.table, c.column, old)
				}
			}
		}
		for _, view := range []string{"hole_line", "ladder_game", "bot_author", "answer_line"} {
			var n int
			if err := db.QueryRow("SELECT COUNT(*) FROM " + view).Scan(&n); err != nil || n == 0 {
				t.Errorf("the view %s has %d rows, %v", view, n, err)
			}
		}
	})
}
