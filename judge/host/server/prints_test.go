package server

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// TestPrintCommand: the print command gets the pages with their heads, and who they are of. What it cannot print
// has failed, with its words.
func TestPrintCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the print command is a shell script")
	}
	dir := storetest.Dir(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1"})
	check(err)
	defer db.Close()
	account, err := db.NewAccount(t.Context(), "ada", "Ada", store.Person, "")
	check(err)
	contest, _, err := db.ImportContest(t.Context(), &store.ContestImport{
		Contest:  &store.Contest{Slug: "wf", Name: "WF", Format: store.ICPC, Starts: time.Now(), Length: time.Hour, Visibility: store.Public},
		Groups:   []store.Group{{ID: "n", Name: "North"}},
		Teams:    []store.Team{{ExtID: "7", Name: "$(touch pwned)", DisplayName: "Foxes; exit 1", Label: "B2", GroupIDs: []string{"n"}}},
		Accounts: []store.ImportedAccount{{ID: "ada", Type: "team", Team: "7", Account: account}},
	})
	check(err)
	teams, err := db.Teams(t.Context(), contest)
	check(err)
	log := &strings.Builder{}
	s := &Server{data: dir, store: db, o: Options{Root: dir, Log: slog.New(slog.NewTextHandler(log, nil))}}
	n := int64(0)
	print := func(command string, args ...string) (*store.Print, string) {
		t.Helper()
		n++
		s.o.PrintCommand = append([]string{"/bin/sh", "-c", command}, args...)
		_, err := db.NewPrint(t.Context(), store.Print{Contest: contest, Team: teams[0].ID, Account: account.ID, Name: "a b.py", Language: "Python", Body: fmt.Sprint("print(", n, ")\fend"), Pages: 2}, 100)
		check(err)
		check(s.printAll(t.Context()))
		p, err := db.Print(t.Context(), contest, n)
		check(err)
		out, _ := os.ReadFile(filepath.Join(dir, "out"))
		return p, string(out)
	}
	p, out := print(`cat "$1" > out; echo "$ASSAY_TEAM|$ASSAY_TEAM_ID|$ASSAY_SEAT|$ASSAY_GROUPS|$ASSAY_FILE|$ASSAY_LANGUAGE|$ASSAY_PAGES|$ASSAY_CONTEST" >> out; echo "$1" > name`, "print", "{file}")
	if p.State != store.Printed || p.Printer != "" || p.Reason != "" {
		t.Errorf("the print is %+v", p)
	}
	for _, want := range []string{"Foxes; exit 1 | team 7 | seat B2 | North\na b.py | Python | WF | ", "| page 1 of 2\n", "\n\nprint(1)\n\f", "| page 2 of 2\n", "\n\nend\n", "Foxes; exit 1|7|B2|North|a b.py|Python|2|wf\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	check(err)
	if _, err := os.Stat(strings.TrimSpace(string(name))); err == nil {
		t.Errorf("the file %s stays", name)
	}
	if p, _ = print(`echo no paper >&2; exit 3`, "print", "{file}"); p.State != store.PrintFailed || p.Reason != "print_command: exit status 3: no paper" {
		t.Errorf("without paper the print is %+v", p)
	}
	if p, _ = print(`exit 3`, "print", "{file}"); p.State != store.PrintFailed || p.Reason != "print_command: exit status 3" {
		t.Errorf("without words the print is %+v", p)
	}
	if !strings.Contains(log.String(), "the print command failed") {
		t.Errorf("the log has %s", log)
	}
	n++
	_, err = db.NewPrint(t.Context(), store.Print{Contest: contest, Team: teams[0].ID, Account: account.ID, Name: "c", Body: "c", Pages: 1}, 100)
	check(err)
	s.o.PrintCommand = []string{filepath.Join(dir, "none"), "{file}"}
	check(s.printAll(t.Context()))
	if p, err = db.Print(t.Context(), contest, n); err != nil || p.State != store.PrintFailed || !strings.Contains(p.Reason, "no such file") {
		t.Errorf("without a command the print is %+v, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the name of a team was run")
	}
}
