package store

import "io/fs"

// WithSchema makes Open use other migrations.
func WithSchema(o Options, schema fs.FS) Options {
	o.schema = schema
	return o
}

// Embedded are the migrations of this program.
func Embedded() (fs.FS, error) { return fs.Sub(embedded, "migrations") }

// Tables are the tables of a backup.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// Postgres says which database it is.
func (s *Store) Postgres() bool { return s.postgres }
