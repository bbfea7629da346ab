package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/server"
	"assay/judge/host/store/storetest"
)

// move asks the server to move its data, as `judged admin move` does.
func (h *harness) move(ctx context.Context, p server.MovePlan) (client.MoveResult, error) {
	h.t.Helper()
	remove, err := server.WriteMovePlan(h.part.Data, p)
	must(h.t, err)
	defer remove()
	return h.admin().MoveData(ctx)
}

// submitUntil submits ten programs per second until stop is called. The function stop waits until all submissions
// are confirmed.
func (h *harness) submitUntil() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i, token := range h.tokens {
		c := h.client(token, hangs)
		all.Go(func() {
			for ctx.Err() == nil {
				h.submit(c, fmt.Sprint("m", i))
				time.Sleep(300 * time.Millisecond)
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// TestMove moves a server from SQLite to PostgreSQL and back, and its files to a shared directory and back.
// Meanwhile, accounts submit and a worker judges. Before each move, the server or the command is killed at each
// step. Each confirmed submission must be judged once.
func TestMove(t *testing.T) {
	servers, commands := []string{"rest", "handed over"}, []string{"stopped"}
	if os.Getenv("ASSAY_SLOW") != "" {
		t.Parallel()
		servers, commands = []string{"marked", "copied", "stopped", "rest", "verified", "handed over"}, []string{"marked", "copied", "stopped",
			"rest", "verified"}
	}
	p, err := storetest.StartPostgres()
	if errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, p.Stop()) })
	db, err := sql.Open("pgx", p.DSN("postgres"))
	must(t, err)
	_, err = db.Exec("CREATE DATABASE moved")
	must(t, errors.Join(err, db.Close()))
	shared := t.TempDir()

	h := newHarness(t, nil)
	h.serve()
	h.work(h.hire("w", 2, 20*time.Millisecond))
	stop := h.submitUntil()
	for _, to := range []struct {
		plan            server.MovePlan
		database, blobs string // locations after the move
	}{
		{server.MovePlan{Database: p.DSN("moved"), Blobs: shared}, p.DSN("moved"), shared},
		{server.MovePlan{Database: server.InDataDir, Blobs: server.InDataDir, Replace: true}, "", ""},
	} {
		for _, step := range servers {
			h.serverDies(step, to.plan)
		}
		for _, step := range commands {
			h.commandDies(step, to.plan)
		}
		h.stop()
		h.serve()
		moved, err := h.move(t.Context(), to.plan)
		must(t, err)
		t.Logf("%+v", moved)
		if lines := fmt.Sprintf("[database = %q blobs = %q]", to.database, to.blobs); fmt.Sprint(moved.Lines) != lines || moved.Blobs == 0 ||
			moved.Missing != 1 {
			t.Errorf("got %+v, want the lines %s, and one file that is missing", moved, lines)
		}
		h.refusesWrites()
		h.stop()
		h.refusesToStart()
		h.part.Database, h.part.Blobs = to.database, to.blobs
		h.serve()
	}
	stop()
	h.audit()
}

// serverDies kills the server at a step of a move. When it is started again, it must continue with its old
// database. After the step "handed over", it must refuse to start unless AcceptStale is set.
func (h *harness) serverDies(step string, p server.MovePlan) {
	h.t.Helper()
	h.stop()
	h.part.DieAt = "move " + step
	h.serve()
	if _, err := h.move(h.t.Context(), p); err == nil {
		h.t.Errorf("the server was killed when the move was %s, and moved", step)
	}
	h.serving.waitEnd(h.t)
	h.part.DieAt = ""
	if step == "handed over" {
		h.refusesToStart()
		h.part.AcceptStale = true
	}
	h.serve()
	h.part.AcceptStale = false
	h.submit(h.client(h.tokens[0], hangs), "after")
}

// refusesToStart checks that the server exits with an error when it is started.
func (h *harness) refusesToStart() {
	h.t.Helper()
	h.serving = h.start(serverRole, "server", h.part)
	h.serving.waitEnd(h.t)
	if h.serving.ProcessState.ExitCode() == 0 {
		h.t.Error("the server starts")
	}
}

// commandDies kills the command at a step of a move. The server must continue with its old database.
func (h *harness) commandDies(step string, p server.MovePlan) {
	h.t.Helper()
	h.stop()
	h.part.WaitAt = "move " + step
	h.serve()
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	file, ended := filepath.Join(h.part.Data, waitingFile), make(chan error)
	go func() {
		_, err := h.move(ctx, p)
		ended <- err
	}()
	h.wait("the move has come to "+step, func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		h.t.Errorf("the command was killed when the move was %s: %v", step, err)
	}
	time.Sleep(time.Second) // until the server notices the closed connection
	must(h.t, os.Remove(file))
	h.submit(h.client(h.tokens[0], hangs), "after")
	h.part.WaitAt = ""
}

// refusesWrites checks that a server whose data was moved rejects writes with a message, and still serves reads.
func (h *harness) refusesWrites() {
	h.t.Helper()
	_, token, err := server.Admin(h.part.Data)
	must(h.t, err)
	_, err = h.client(token, -1).CreateToken(h.t.Context(), client.NewToken{Login: "team0", Scopes: []client.Scope{client.Submit}})
	if refused, is := errors.AsType[*client.Error](err); !is || refused.Status != http.StatusServiceUnavailable ||
		!strings.Contains(refused.Text, "is being moved") {
		h.t.Errorf("a write after the move: %v", err)
	}
	if _, err := h.admin().Tokens(h.t.Context()); err != nil {
		h.t.Errorf("a read after the move: %v", err)
	}
}
