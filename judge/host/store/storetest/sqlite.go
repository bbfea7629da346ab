package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"assay/judge/host/store"
)

// emptyDatabase returns an empty SQLite database with the current schema. Creating one runs the statements of all
// migrations, but copying one is a single write.
var emptyDatabase = sync.OnceValues(func() (_ []byte, err error) {
	dir, err := os.MkdirTemp("", "assay-empty-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "assay.db")
	s, err := store.Open(context.Background(), store.Options{DSN: file, Version: "v1.2.3"})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // writes the journal into the file
		return nil, err
	}
	return os.ReadFile(file)
})

// Dir returns a temporary directory with an empty database that has the current schema. Pass it to store.Open as
// Options.Dir.
func Dir(tb testing.TB) string {
	tb.Helper()
	data, err := emptyDatabase()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "assay.db"), data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return dir
}
