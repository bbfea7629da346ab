package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/running/config"
)

// atNight starts a server, and returns the server and its blobs.
func atNight(t *testing.T, data string) (*Server, *blob.Dir) {
	t.Helper()
	s, err := Start(t.Context(), Options{
		Server: config.Server{Name: "Test", Listen: "127.0.0.1:0", Data: data, Backup: "03:30", BackupDir: "backups", BackupKeep: 2},
		Root:   filepath.Dir(data), Version: "v1", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	blobs, err := blob.Open(filepath.Join(data, "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s, blobs
}

// named stores a blob that a row refers to, and a bundle.
func named(t *testing.T, s *Server, blobs *blob.Dir, text string) blob.Digest {
	t.Helper()
	put := func(data string) blob.Digest {
		d := blob.DigestOf([]byte(data))
		if err := blobs.Put(d, int64(len(data)), strings.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		return d
	}
	admin, err := s.store.AccountByLogin(t.Context(), "admin")
	if err != nil {
		t.Fatal(err)
	}
	m := &bundle.Manifest{Findings: bundle.Entry{Path: bundle.FindingsFile, Size: 2, Digest: put("{}")}}
	b := store.NewBundle{Problem: "sum", Title: "Sum", Owner: admin.ID, ID: m.ID(), Manifest: put(string(m.Bytes())), Config: put(text),
		MadeBy: admin.ID}
	if _, err := s.store.PutBundle(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return b.Config
}

func backupsIn(t *testing.T, data string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(data, "backups"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNightlyBackups(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, left := range []string{"2026-11-20T033000Z.unfinished/tables", "mine", "2026-11-20.unfinished"} {
		if err := os.MkdirAll(filepath.Join(data, "backups", left), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, blobs := atNight(t, data)
	if got, want := backupsIn(t, data), []string{"2026-11-20.unfinished", "mine"}; !slices.Equal(got, want) {
		t.Errorf("after the start there are %q, want %q: interrupted backups go, other files stay", got, want)
	}
	named(t, s, blobs, "config")
	night := time.Date(2026, 11, 21, 3, 30, 0, 0, time.Local)
	for i := range 3 {
		now := night.AddDate(0, 0, i)
		if s.backupDue(now.Add(-time.Minute)) && i > 0 {
			t.Error("a backup is due a minute before its time")
		}
		if !s.backupDue(now.Add(time.Minute)) {
			t.Error("no backup is due a minute after its time")
		}
		if s.runBackup(t.Context(), blobs, now); s.backups.wrong != nil {
			t.Fatal(s.backups.wrong)
		}
		if s.backupDue(now.Add(2 * time.Hour)) {
			t.Error("a backup is due twice")
		}
	}
	var want []string
	for _, i := range []int{1, 2} {
		want = append(want, night.AddDate(0, 0, i).UTC().Format(backupNameFormat))
	}
	if got := backupsIn(t, data); !slices.Equal(got, append([]string{"2026-11-20.unfinished"}, append(want, "mine")...)) {
		t.Errorf("there are %q, want the last two, %q", got, want)
	}
	if b := s.Backups(); b.Kept != 2 || !b.Last.Equal(night.AddDate(0, 0, 2)) || b.FailedCount != 0 || b.Error != "" {
		t.Errorf("the staff sees %+v", b)
	}
	// The remaining directory is a valid backup.
	restored := filepath.Join(t.TempDir(), "restored")
	if err := Restore(t.Context(), filepath.Join(data, "backups", want[1]), restored, "", "v1"); err != nil {
		t.Fatal(err)
	}
	again, from := atNight(t, restored)
	for _, text := range []string{"config", "{}"} {
		if !has(t, from, blob.DigestOf([]byte(text)), int64(len(text))) {
			t.Errorf("the restored folder lacks the blob of %q", text)
		}
	}
	if p, err := again.store.Problem(t.Context(), "sum"); err != nil || p.Title != "Sum" {
		t.Errorf("the restored problem is %+v, %v", p, err)
	}
}

// TestAnotherServerMakesTheBackup checks that no backup is due after another server has made it.
func TestAnotherServerMakesTheBackup(t *testing.T) {
	dir := storetest.Dir(t)
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Server{data: dir, store: db, o: Options{Server: config.Server{Database: "postgres://one", Backup: "03:30", BackupKeep: 2}}}
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	due := func() bool {
		t.Helper()
		if err := s.readLastBackup(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.backupDue(now)
	}
	if !due() {
		t.Error("there is none, and none is due")
	}
	for _, tt := range []struct {
		at  time.Time
		due bool
	}{{now.AddDate(0, 0, -2), true}, {now.Add(-time.Minute), false}, {now.AddDate(0, 0, -1), false}} {
		if err := db.SetSetting(t.Context(), lastBackupKey, tt.at.Format(backupNameFormat)); err != nil {
			t.Fatal(err)
		}
		if got := due(); got != tt.due {
			t.Errorf("the last one of %v: due: %v", tt.at, got)
		}
	}
}

func TestBackupsThatAreNotWhole(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"a blob is missing": os.Remove,
		"a blob is damaged, and looks as if it were not": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if err := os.Chmod(path, 0o600); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte("cunfig"), 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, info.ModTime(), info.ModTime())
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			s, blobs := atNight(t, data)
			d := named(t, s, blobs, "config")
			if err := damage(filepath.Join(data, "blobs", string(d[:2]), string(d[2:]))); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			s.runBackup(t.Context(), blobs, now)
			if b := s.Backups(); !strings.Contains(b.Error, string(d)) || b.FailedCount != 1 || b.Kept != 0 || !b.Late(now) {
				t.Errorf("the staff sees %+v", b)
			}
			if left := backupsIn(t, data); len(left) != 0 {
				t.Errorf("%q is left", left)
			}
			if s.backupDue(now.Add(time.Minute)) {
				t.Error("what failed is tried again at once")
			}
		})
	}
}

// TestABackupHasItsPlace checks that a request for a backup can choose its name, but not its location.
func TestABackupHasItsPlace(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s, blobs := atNight(t, data)
	for _, name := range []string{"", ".", "..", "../x", "a/b", filepath.Join(t.TempDir(), "x"), ".hidden", "x" + unfinishedSuffix,
		"2026-01-02T030405Z"} {
		if dir, err := s.makeBackup(t.Context(), blobs, name); err == nil || !strings.Contains(err.Error(), "backup_dir") {
			t.Errorf("%q is made in %q, %v", name, dir, err)
		}
	}
	want := filepath.Join(data, "backups", "monday")
	if dir, err := s.makeBackup(t.Context(), blobs, "monday"); err != nil || dir != want {
		t.Errorf("it is in %q, %v; want %q", dir, err, want)
	}
	if names := backupsIn(t, data); !slices.Contains(names, "monday") {
		t.Errorf("there are %v", names)
	}
}

// has reports whether a blob exists.
func has(t testing.TB, f *blob.Dir, d blob.Digest, size int64) bool {
	t.Helper()
	there, err := f.Has(d, size)
	if err != nil {
		t.Fatal(err)
	}
	return there
}
