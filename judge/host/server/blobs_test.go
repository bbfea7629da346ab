package server

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/running/config"
)

// serves starts a server, and returns its error as text.
func serves(t *testing.T, data, blobs string, acceptLoss bool) (*Server, string) {
	t.Helper()
	s, err := Start(t.Context(), Options{
		Server: config.Server{Name: "Test", Listen: "127.0.0.1:0", Data: data, Blobs: blobs, BackupDir: "backups"},
		Root:   filepath.Dir(data), Version: "v1", Log: slog.New(slog.DiscardHandler), AcceptLoss: acceptLoss,
	})
	if err == nil {
		return s, ""
	}
	if _, is := errors.AsType[*judge.UsageError](err); !is {
		t.Fatalf("it is not told as a mistake in the settings: %v", err)
	}
	return nil, err.Error()
}

// TestSharedBlobs checks that a server copies the files in its data directory to the shared directory, and rejects
// the shared directory of another database.
func TestSharedBlobs(t *testing.T) {
	data, shared := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s, blobs := atNight(t, data)
	d := named(t, s, blobs, "config")
	s.Stop()

	for _, try := range []struct {
		what, blobs, wrong string
	}{
		{"no cluster", "queue", "needs a cluster"},
		{"no such directory", filepath.Join(shared, "nothing"), "does not exist"},
		{"the first time", shared, ""},
		{"again", shared, ""},
		{"a disk that is not mounted", t.TempDir(), "mount that disk"},
		{"not shared any more", "", "are in the shared blobs " + shared},
	} {
		s, wrong := serves(t, data, try.blobs, false)
		if (wrong == "") != (try.wrong == "") || !strings.Contains(wrong, try.wrong) {
			t.Errorf("%s: %q", try.what, wrong)
		}
		if s == nil {
			continue
		}
		if got, err := s.intake.Blobs.Read(d, 100); err != nil || string(got) != "config" {
			t.Errorf("%s: %q, %v", try.what, got, err)
		}
		if dir, err := s.makeBackup(t.Context(), s.intake.Blobs, try.what); err != nil {
			t.Errorf("%s: backup in %s: %v", try.what, dir, err)
		}
		s.Stop()
		if err := os.RemoveAll(filepath.Join(data, "blobs")); err != nil { // they are in the shared directory now
			t.Fatal(err)
		}
	}

	if other, wrong := serves(t, filepath.Join(t.TempDir(), "data"), shared, false); other != nil ||
		!strings.Contains(wrong, "belong to another database") {
		t.Errorf("another database: %q", wrong)
	}
	if err := os.CopyFS(filepath.Join(data, "blobs"), os.DirFS(shared)); err != nil {
		t.Fatal(err)
	}
	s, wrong := serves(t, data, "", false)
	if s == nil {
		t.Fatalf("a copy of the shared directory: %s", wrong)
	}
	fresh := named(t, s, s.intake.Blobs, "later")
	s.Stop()
	if s, wrong = serves(t, data, shared, false); s == nil {
		t.Fatalf("shared again: %s", wrong)
	}
	if got, err := s.intake.Blobs.Read(fresh, 100); err != nil || string(got) != "later" {
		t.Errorf("what came meanwhile: %q, %v", got, err)
	}
	s.Stop()
}

// TestSharedBlobsLoseTheirDisk checks that a server is not ready while its shared directory is not mounted.
func TestSharedBlobsLoseTheirDisk(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	s, wrong := serves(t, filepath.Join(t.TempDir(), "data"), shared, false)
	if s == nil {
		t.Fatal(wrong)
	}
	defer s.Stop()
	for _, away := range []bool{false, true, false} {
		_, err := s.checkHealth(t.Context())
		if errors.Is(err, blob.ErrAway) != away || (err != nil) != away {
			t.Errorf("away %v: %v", away, err)
		}
		from, to := shared, shared+"-away"
		if away {
			from, to = to, from
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSharedBlobsThatAreMissing checks that a server reports missing files before it does anything else.
func TestSharedBlobsThatAreMissing(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s, blobs := atNight(t, data)
	d, kept := named(t, s, blobs, "config"), blob.DigestOf([]byte("{}"))
	s.Stop()
	if err := blobs.Remove(d); err != nil {
		t.Fatal(err)
	}
	shared := t.TempDir()
	if s, wrong := serves(t, data, shared, false); s != nil || !strings.Contains(wrong, "neither in "+shared) {
		t.Fatalf("%q", wrong)
	}
	if _, err := os.Stat(filepath.Join(shared, "assay-blobs")); err == nil {
		t.Error("it is marked as if all was there")
	}
	s, wrong := serves(t, data, shared, true)
	if s == nil {
		t.Fatal(wrong)
	}
	defer s.Stop()
	if got, err := s.intake.Blobs.Read(kept, 100); err != nil || string(got) != "{}" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestARestoredDatabaseIsAnother checks that a restored database does not use the shared blobs of the original.
func TestARestoredDatabaseIsAnother(t *testing.T) {
	data, shared := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s, wrong := serves(t, data, shared, false)
	if s == nil {
		t.Fatal(wrong)
	}
	d := named(t, s, s.intake.Blobs, "config")
	dir, err := s.makeBackup(t.Context(), s.intake.Blobs, "one")
	s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "data")
	if err := Restore(t.Context(), dir, second, "", "v1"); err != nil {
		t.Fatal(err)
	}
	if s, wrong := serves(t, second, shared, false); s != nil || !strings.Contains(wrong, "belong to another database") {
		t.Errorf("%q", wrong)
	}
	for _, place := range []string{"", t.TempDir()} {
		s, wrong := serves(t, second, place, false)
		if s == nil {
			t.Fatal(wrong)
		}
		if got, err := s.intake.Blobs.Read(d, 100); err != nil || string(got) != "config" {
			t.Errorf("blobs = %q: %q, %v", place, got, err)
		}
		if there, err := s.intake.Blobs.Has(blob.DigestOf([]byte("config")), 6); err != nil || !there {
			t.Errorf("blobs = %q: %v, %v", place, there, err)
		}
		s.Stop()
	}
}
