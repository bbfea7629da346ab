package server

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// A printer is a server whose contest has a team that prints files.
type printer struct {
	*Server
	t       *testing.T
	contest string
	team    *store.Team
	account *store.Account
	log     *strings.Builder
	sent    int64
	ahead   atomic.Int64 // how far the clock is ahead, in nanoseconds
}

func newPrinter(t *testing.T) *printer {
	h := &printer{t: t, log: &strings.Builder{}}
	dir := storetest.Dir(t)
	clock := func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1", Now: clock})
	h.check(err)
	t.Cleanup(func() { _ = db.Close() })
	h.account, err = db.NewAccount(t.Context(), "ada", "Ada", store.PersonAccount, "")
	h.check(err)
	h.contest, _, err = db.ImportContest(t.Context(), &store.ContestImport{
		Contest: &store.Contest{Slug: "wf", Name: "WF", Format: store.ICPC, Starts: time.Now(), Length: time.Hour,
			Visibility: store.VisibilityPublic},
		Groups:   []store.Group{{ID: "n", Name: "North"}},
		Teams:    []store.Team{{ExtID: "7", Name: "$(touch pwned)", DisplayName: "Foxes; exit 1", Label: "B2", GroupIDs: []string{"n"}}},
		Accounts: []store.ImportedAccount{{ID: "ada", Type: "team", Team: "7", Account: h.account}},
	})
	h.check(err)
	teams, err := db.Teams(t.Context(), h.contest)
	h.check(err)
	h.team = teams[0]
	h.Server = &Server{data: dir, store: db, o: Options{Root: dir, Log: slog.New(slog.NewTextHandler(h.log, nil))}}
	return h
}

func (h *printer) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// send submits a file with the given number of pages for printing. It returns the number of the print.
func (h *printer) send(name string, pages int) int64 {
	h.t.Helper()
	h.sent++
	body := strings.TrimSuffix(fmt.Sprint("print(", h.sent, ")", strings.Repeat("\fend", pages-1)), "\n")
	n, err := h.store.NewPrint(h.t.Context(), store.Print{
		Contest: h.contest, Team: h.team.ID, Account: h.account.ID, Name: name, Language: "Python", Body: body, Pages: pages,
	}, 100)
	h.check(err)
	return n
}

func (h *printer) print(n int64) *store.Print {
	h.t.Helper()
	p, err := h.store.Print(h.t.Context(), h.contest, n)
	h.check(err)
	return p
}

// has reports whether the server's directory contains a nonempty file with the given name.
func (h *printer) has(name string) bool {
	info, err := os.Stat(filepath.Join(h.data, name))
	return err == nil && info.Size() > 0
}

// TestPrintCommand checks that the print command gets the pages with their headers, and the team's data. If the
// command fails, the print fails with the command's message.
func TestPrintCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the print command is a shell script")
	}
	h := newPrinter(t)
	dir, s, check := h.data, h.Server, h.check
	print := func(command string, args ...string) (*store.Print, string) {
		t.Helper()
		s.o.PrintCommand = append([]string{"/bin/sh", "-c", command}, args...)
		n := h.send("a b.py", 2)
		check(s.printAll(t.Context()))
		out, _ := os.ReadFile(filepath.Join(dir, "out"))
		return h.print(n), string(out)
	}
	p, out := print(`cat "$1" > out;`+
		` echo "$ASSAY_TEAM|$ASSAY_TEAM_ID|$ASSAY_SEAT|$ASSAY_GROUPS|$ASSAY_FILE|$ASSAY_LANGUAGE|$ASSAY_PAGES|$ASSAY_CONTEST" >> out;`+
		` echo "$1" > name`, "print", "{file}")
	if p.State != store.Printed || p.Printer != "" || p.Reason != "" {
		t.Errorf("the print is %+v", p)
	}
	for _, want := range []string{"Foxes; exit 1 | team 7 | seat B2 | North\na b.py | Python | WF | ", "| page 1 of 2\n",
		"\n\nprint(1)\n\f", "| page 2 of 2\n", "\n\nend\n", "Foxes; exit 1|7|B2|North|a b.py|Python|2|wf\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	check(err)
	if _, err := os.Stat(strings.TrimSpace(string(name))); err == nil {
		t.Errorf("the file %s stays", name)
	}
	if p, _ = print(`echo no paper >&2; exit 3`, "print", "{file}"); p.State != store.PrintFailed ||
		p.Reason != "print_command: exit status 3: no paper" {
		t.Errorf("without paper the print is %+v", p)
	}
	if p, _ = print(`exit 3`, "print", "{file}"); p.State != store.PrintFailed || p.Reason != "print_command: exit status 3" {
		t.Errorf("without words the print is %+v", p)
	}
	if p, _ = print(`head -c 1000 /dev/zero | tr "\0" a; echo; echo the end; exit 3`, "print", "{file}"); !strings.HasSuffix(p.Reason,
		"aaa\nthe end") || len(p.Reason) > 400 {
		t.Errorf("with many words the print is %+v", p)
	}
	if p, _ = print(`ls -l "$1" | cut -c1-10 | grep -qx -- -rw-------`, "print", "{file}"); p.State != store.Printed {
		t.Errorf("others can read the file: %+v", p)
	}
	left := h.print(h.send("lost", 1))
	if done, err := h.store.SetPrint(t.Context(), left, store.Printing, "", ""); err != nil || !done {
		t.Fatal(done, err)
	}
	for range 2 {
		check(s.printAll(t.Context()))
		now := h.print(left.Number)
		if late := h.ahead.Load() > 0; late != (now.State == store.PrintFailed) || late && now.Reason != printInterrupted {
			t.Errorf("what another server has begun is %+v", now)
		}
		h.ahead.Store(int64(2 * printAbandonedAfter))
	}
	if !strings.Contains(h.log.String(), "the print command failed") {
		t.Errorf("the log has %s", h.log)
	}
	n := h.send("c", 1)
	s.o.PrintCommand = []string{filepath.Join(dir, "none"), "{file}"}
	check(s.printAll(t.Context()))
	if p = h.print(n); p.State != store.PrintFailed || !strings.Contains(p.Reason, "no such file") {
		t.Errorf("without a command the print is %+v, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the name of a team was run")
	}
}

// TestPrintCommandGroup checks that child processes of the print command are killed, whatever the reason why the
// print fails.
func TestPrintCommandGroup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the print command is a shell script")
	}
	// The child writes a file when it starts. It writes a second one unless it is killed before it reads EOF from
	// the FIFO.
	const child = `mkfifo gate; (echo started > begun; read line < gate; echo survived > late) `
	for name, tt := range map[string]struct {
		command string
		within  time.Duration
		stop    bool // the server stops after the child has started
		reason  string
	}{
		"too slow": {child + `& wait`, 2 * time.Second, false, "print_command did not end within 2 s"},
		"failed": {child + `> /dev/null 2>&1 & until [ -s begun ]; do sleep 0.01; done; exit 3`, time.Hour, false,
			"print_command: exit status 3"},
		"went on": {child + `& until [ -s begun ]; do sleep 0.01; done; exit 0`, time.Hour, false,
			"print_command ended, and what it started went on: it must wait for that"},
		"the server ends": {child + `& wait`, time.Hour, true, "the server ended while it printed: check whether the pages were printed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrinter(t)
			p.o.PrintTimeout = tt.within
			p.o.PrintCommand = []string{"/bin/sh", "-c", tt.command, "print", "{file}"}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.stop {
				go func() {
					for !p.has("begun") && t.Context().Err() == nil {
						time.Sleep(10 * time.Millisecond)
					}
					stop()
				}()
			}
			n := p.send("x", 1)
			if err := p.printAll(ctx); err != nil {
				t.Fatal(err)
			}
			if got := p.print(n); got.State != store.PrintFailed || got.Reason != tt.reason {
				t.Errorf("the print is %+v", got)
			}
			if !p.has("begun") {
				t.Skip("the machine was too busy for the child to begin")
			}
			// A living child reads from the FIFO. If the child was killed, the FIFO has no reader.
			gate, err := os.OpenFile(filepath.Join(p.data, "gate"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if err == nil {
				gate.Close()
				t.Error("what the command started lives")
			}
		})
	}
}
