package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files returns the files of the package that match any of the patterns, in a fixed order.
func files(t *testing.T, patterns ...string) (all []string) {
	t.Helper()
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			t.Fatalf("nothing matches %s: %v", p, err)
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return all
}

// TestGeneratedCodeIsOfTheseQueries checks that the generated code belongs to the current queries. `go generate`
// records a digest of the queries and the code, which changes if a query or the generated code is edited. If sqlc
// is installed, the test also compares the code with the output of sqlc.
func TestGeneratedCodeIsOfTheseQueries(t *testing.T) {
	const noted = "internal/query/made-of.sha256"
	sum := sha256.New()
	for _, name := range files(t, "sqlc.yaml", "migrations/*.sql", "queries/*.sql", "internal/query/*.go") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(name), len(data), data)
	}
	got := hex.EncodeToString(sum.Sum(nil)) + "\n"
	if *update {
		if err := os.WriteFile(noted, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(noted); err != nil || string(want) != got {
		t.Errorf("internal/query is not what was made of the queries and migrations here: run go generate in judge/host/store (%v)", err)
	}
	if sqlc, err := exec.LookPath("sqlc"); err == nil {
		if out, err := exec.Command(sqlc, "diff").CombinedOutput(); err != nil {
			t.Errorf("sqlc makes something else: %v\n%s", err, out)
		}
	}
}

// oldRows matches the queries that delete old rows (CollectGarbage), an account's rows (Erase), and a contest's
// rows (RemoveContest).
var oldRows = regexp.MustCompile(`(?s)-- name: (DeleteOld\w+|Erase\w+|RemoveLog|RemoveClarification\w+) :exec\n.*?;`)

// TestAppendOnlyTablesAreOnlyAppendedTo checks that no query changes or deletes rows of the tables that the schema
// marks with a +, except for the queries in oldRows.
func TestAppendOnlyTablesAreOnlyAppendedTo(t *testing.T) {
	var schema, queries strings.Builder
	for into, pattern := range map[io.Writer]string{&schema: "migrations/*.sql", &queries: "queries/*.sql"} {
		for _, name := range files(t, pattern) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			into.Write(data)
		}
	}
	marked := regexp.MustCompile(`(?m)^-- \+(?: .*)?\nCREATE TABLE (\w+)`).FindAllStringSubmatch(schema.String(), -1)
	if len(marked) < 5 {
		t.Fatalf("the schema marks %d tables", len(marked))
	}
	for _, table := range marked {
		change := regexp.MustCompile(`(?i)(UPDATE|DELETE\s+FROM)\s+` + table[1] + `\b|INTO\s+` + table[1] + `\b[^;]*DO\s+UPDATE`)
		if found := change.FindString(oldRows.ReplaceAllString(queries.String(), "")); found != "" {
			t.Errorf("the table %s is append-only, and a query has %q", table[1], found)
		}
	}
}
