package server

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/running/config"
)

// TestMovedBlobs checks that a referenced blob is copied once and compared, and that a blob without references is
// removed.
func TestMovedBlobs(t *testing.T) {
	data, shared := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s, blobs := atNight(t, data)
	d := named(t, s, blobs, "config")
	if _, err := s.openNewBlobs(t.Context(), MovePlan{Blobs: filepath.Join(shared, "nothing")}, blobs); err == nil {
		t.Error("a directory that does not exist")
	}
	for _, p := range []MovePlan{{}, {Blobs: InDataDir}} {
		if m, err := s.openNewBlobs(t.Context(), p, blobs); m != nil || err != nil {
			t.Errorf("%+v moves blobs: %v", p, err)
		}
	}
	m, err := s.openNewBlobs(t.Context(), MovePlan{Blobs: shared}, blobs)
	if err != nil {
		t.Fatal(err)
	}
	// An account has uploaded the blob sent, to which no row refers yet. The other blob that it has uploaded is
	// missing.
	admin, err := s.store.AccountByLogin(t.Context(), "admin")
	if err != nil {
		t.Fatal(err)
	}
	sent := blob.DigestOf([]byte("sent"))
	err = errors.Join(blobs.Put(sent, 4, strings.NewReader("sent")),
		s.store.RecordBlobUpload(t.Context(), admin.ID, store.Blob{Digest: sent, Size: 4, Kind: store.TemporaryBlob}, 0),
		s.store.RecordBlobUpload(t.Context(), admin.ID, store.Blob{Digest: blob.DigestOf([]byte("gone")), Size: 4, Kind: store.TemporaryBlob}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	there, err := blob.Open(shared, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := there.Read(sent, 4); err != nil {
		t.Errorf("what an account has sent: %v", err)
	}
	all := 1
	err = eachReferenced(t.Context(), s.store, blobs, func(d blob.Digest) error {
		all++
		_, err := there.Read(d, 1<<20)
		return err
	})
	if err != nil || all < 3 || len(m.copied) != all || m.missing != 0 {
		t.Errorf("%d blobs, %d copied, %d missing: %v", all, len(m.copied), m.missing, err)
	}
	// This blob has been deleted since then.
	extra := blob.DigestOf([]byte("extra"))
	if err := errors.Join(m.to.Put(extra, 5, strings.NewReader("extra")), m.to.Remove(sent)); err != nil {
		t.Fatal(err)
	}
	m.copied[extra] = 5
	if err := m.copy(t.Context()); err != nil || len(m.copied) != all {
		t.Errorf("%d copied: %v", len(m.copied), err)
	}
	if again, err := m.to.Has(sent, 4); again || err != nil {
		t.Errorf("a blob is copied twice: %v", err)
	}
	if _, err := there.Read(extra, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted blob: %v", err)
	}
	if mark, err := m.to.Mark(); mark != "" || err != nil {
		t.Errorf("marked too early: %q, %v", mark, err)
	}
	other, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := m.finish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if mark, err := m.to.Mark(); mark != m.mark || mark == "" || err != nil {
		t.Errorf("the mark: %q, %v", mark, err)
	}
	if got, err := other.Setting(t.Context(), sharedBlobsKey); got != shared || err != nil {
		t.Errorf("the new database has its blobs in %q: %v", got, err)
	}
	if _, err := s.openNewBlobs(t.Context(), MovePlan{Blobs: shared}, blobs); err != nil {
		t.Errorf("once more: %v", err)
	}
	if err := m.to.SetMark("another"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openNewBlobs(t.Context(), MovePlan{Blobs: shared}, blobs); err == nil ||
		!strings.Contains(err.Error(), "belong to another database") {
		t.Errorf("the blobs of another database: %v", err)
	}
	// A damaged blob is not copied, and a missing one is counted.
	path := filepath.Join(data, "blobs", string(d[:2]), string(d[2:]))
	delete(m.copied, d)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("CONFIG"), 0o600),
		os.Chtimes(path, before.ModTime(), before.ModTime())); err != nil {
		t.Fatal(err)
	}
	if err := m.copy(t.Context()); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("a damaged blob: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := m.copy(t.Context()); err != nil || m.missing != 1 {
		t.Errorf("%d missing: %v", m.missing, err)
	}
}

// TestAMoveNeedsAPlanOnTheMachine checks that a client with only a token cannot choose the destination of a move.
func TestAMoveNeedsAPlanOnTheMachine(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s, blobs := atNight(t, data)
	if _, err := s.move(t.Context(), blobs); err == nil || judge.BlameOf(err) != judge.Caller ||
		!strings.Contains(err.Error(), "on the machine of the server") {
		t.Errorf("without a plan: %v", err)
	}
	remove, err := WriteMovePlan(data, MovePlan{Database: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(movePlanFile(data)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := s.move(t.Context(), blobs); err == nil || !strings.Contains(err.Error(), "name a PostgreSQL database") {
		t.Errorf("an unknown database: %v", err)
	}
	if _, err := os.Stat(movePlanFile(data)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the plan stays: %v", err)
	}
	remove()
}

// TestPlacesOfBlobs checks that blobs are moved only if the plan names another place than their current one.
func TestPlacesOfBlobs(t *testing.T) {
	data, shared := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s, blobs := atNight(t, data)
	const nowhere = "nats://127.0.0.1:1"
	for _, tt := range []struct {
		has  string
		plan MovePlan
		want string // the new place; empty if there is none
	}{
		{"", MovePlan{}, ""},
		{"", MovePlan{Blobs: InDataDir}, ""},
		{"", MovePlan{Blobs: shared}, shared},
		{"", MovePlan{Blobs: BlobsInQueue}, "error: blobs in the queue need a cluster"},
		{shared, MovePlan{}, ""},
		{shared, MovePlan{Queue: nowhere}, ""},
		{shared, MovePlan{Blobs: shared}, ""},
		{shared, MovePlan{Blobs: shared, Queue: nowhere}, ""},
		{shared, MovePlan{Blobs: InDataDir}, InDataDir},
		{BlobsInQueue, MovePlan{}, ""},
		{BlobsInQueue, MovePlan{Blobs: BlobsInQueue}, ""},
		{BlobsInQueue, MovePlan{Blobs: BlobsInQueue, Queue: nowhere}, "error: connect to the queue"},
		{shared, MovePlan{Blobs: BlobsInQueue, Queue: nowhere}, "error: connect to the queue"},
	} {
		s.o.Blobs = tt.has
		m, err := s.openNewBlobs(t.Context(), tt.plan, blobs)
		got := ""
		if m != nil && err == nil {
			got = cmp.Or(m.location, InDataDir)
		}
		if err != nil {
			got = "error: " + err.Error()
			if judge.BlameOf(err) != judge.Caller {
				t.Errorf("from %q, %+v: the error is not the caller's: %v", tt.has, tt.plan, err)
			}
		}
		if got != tt.want && (err == nil || tt.want == "" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("from %q, %+v: got %q, want %q", tt.has, tt.plan, got, tt.want)
		}
	}
	// Blobs that are moved back to the data directory get no mark there, so that another database can use them.
	s.o.Blobs = shared
	m, err := s.openNewBlobs(t.Context(), MovePlan{Blobs: InDataDir}, blobs)
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := errors.Join(other.SetSetting(t.Context(), sharedBlobsKey, shared), m.finish(t.Context(), other)); err != nil {
		t.Fatal(err)
	}
	if mark, err := m.to.Mark(); mark != "" || err != nil {
		t.Errorf("the mark in the data directory: %q, %v", mark, err)
	}
	if got, err := other.Setting(t.Context(), sharedBlobsKey); got != "" || err != nil {
		t.Errorf("the new database has its blobs in %q: %v", got, err)
	}
}

// TestPlansThatAreRefused are the caller's error.
func TestPlansThatAreRefused(t *testing.T) {
	data, shared := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s, blobs := atNight(t, data)
	database := "postgresql://assay@127.0.0.1:1/nothing"
	for _, tt := range []struct {
		plan MovePlan
		want string
	}{
		{MovePlan{Database: database, DryRun: true}, "open the database " + database},
		{MovePlan{Database: InDataDir, DryRun: true}, "is the database of this server: specify another one"},
		{MovePlan{Database: "postgres:x", DryRun: true}, "name a PostgreSQL database"},
		{MovePlan{Database: database, Blobs: filepath.Join(shared, "nothing"), DryRun: true}, "nothing does not exist"},
	} {
		if _, err := WriteMovePlan(data, tt.plan); err != nil {
			t.Fatal(err)
		}
		if _, err := s.move(t.Context(), blobs); err == nil || judge.BlameOf(err) != judge.Caller || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.plan, err, tt.want)
		}
	}
}

// TestMoveIntoTheDataDirectory checks what a move returns, and which refusals are the caller's error and no failure of
// the server.
func TestMoveIntoTheDataDirectory(t *testing.T) {
	data, shared, old := filepath.Join(t.TempDir(), "data"), t.TempDir(), filepath.Join(storetest.Dir(t), "assay.db")
	failures := atomic.Int32{}
	s, err := Start(t.Context(), Options{
		Server: config.Server{Name: "Test", Listen: "127.0.0.1:0", Data: data, Database: old, ID: "a"}, Root: filepath.Dir(data), Version: "v1",
		Log: slog.New(slog.NewTextHandler(logFunc(func(string) { failures.Add(1) }), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	blobs, err := blob.Open(filepath.Join(data, "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	d := named(t, s, blobs, "config")
	if err := os.Remove(filepath.Join(data, "blobs", string(d[:2]), string(d[2:]))); err != nil {
		t.Fatal(err)
	}
	move := func(p MovePlan) (client.MoveResult, error) {
		t.Helper()
		if _, err := WriteMovePlan(data, p); err != nil {
			t.Fatal(err)
		}
		return s.move(t.Context(), blobs)
	}
	plan := MovePlan{Database: InDataDir, Blobs: shared}
	if err := s.store.Announce(t.Context(), store.Server{ID: "b", Instance: "b 1"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := move(plan); judge.BlameOf(err) != judge.Caller || err == nil || !strings.Contains(err.Error(), "stop them, move") {
		t.Errorf("beside another server: %v", err)
	}
	if err := s.store.Depart(t.Context(), "b", "b 1"); err != nil {
		t.Fatal(err)
	}
	dry, err := move(MovePlan{Database: InDataDir, Queue: "nats://a,nats://b", DryRun: true})
	if err != nil || !dry.DryRun || dry.Blobs != 0 || dry.Rows == 0 ||
		!slices.Equal(dry.Lines, []string{`database = ""`, `queue = "nats://a,nats://b"`}) {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	if n := failures.Load(); n != 0 {
		t.Errorf("the server logged %d errors of its own", n)
	}
	moved, err := move(plan)
	if err != nil || moved.DryRun || moved.Tables != dry.Tables || moved.Rows == 0 || moved.Stopped <= 0 || moved.Blobs < 2 ||
		moved.Missing != 1 || !slices.Equal(moved.Lines, []string{`database = ""`, "blobs = " + strconv.Quote(shared)}) {
		t.Errorf("got %+v, %v", moved, err)
	}
	there, err := store.Open(t.Context(), store.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	if got, err := there.Setting(t.Context(), sharedBlobsKey); got != shared || err != nil {
		t.Errorf("the new database has its blobs in %q: %v", got, err)
	}
}
