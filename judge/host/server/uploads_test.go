package server

import (
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// TestUploadsThatFail checks what the uploader sees if an upload fails. For an error in the package, this is the
// message of the preparing program. For a failure of the server, it is a message without the cause.
func TestUploadsThatFail(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := storetest.Dir(t)
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1"})
	check(err)
	defer db.Close()
	blobs, err := blob.Open(filepath.Join(dir, "blobs"), 1<<20)
	check(err)
	archive, size, err := blobs.Add(strings.NewReader("an archive"))
	check(err)
	check(db.RecordBlobs(t.Context(), store.Blob{Digest: archive, Size: size, Kind: "archive"}))
	account, err := db.NewAccount(t.Context(), "setter", "Setter", store.PersonAccount, string(auth.Admin))
	check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	for program, want := range map[string]string{
		`exit 3`:                            PrepareFailed,
		`echo '{"reason":' > prepared.json`: PrepareFailed,
		`mkdir prepared.json`:               PrepareFailed,
		`echo '{}' > prepared.json`:         "no bundle was made",
		`echo '{"reason":"no statement"}' > prepared.json; exit 1`: "no statement",
	} {
		log := &strings.Builder{}
		s := &Server{data: dir, store: db, listener: listener, o: Options{Root: dir, Log: slog.New(slog.NewTextHandler(log, nil))}}
		s.o.PrepareCommand = func(archive string, _ bool) []string {
			return []string{"/bin/sh", "-c", "cd '" + filepath.Dir(archive) + "'; " + program}
		}
		u := &store.Upload{Account: account.ID, Problem: "sum", File: "sum.zip", Archive: archive}
		check(db.NewUpload(t.Context(), u))
		if more, err := s.nextUpload(t.Context(), blobs, "test"); err != nil || !more {
			t.Fatal(more, err)
		}
		u, err := db.Upload(t.Context(), u.ID)
		check(err)
		if u.State != store.UploadFailed || u.Reason != want {
			t.Errorf("%s: %s, %q, want %q", program, u.State, u.Reason, want)
		}
		if logged := strings.Contains(log.String(), "level=ERROR"); logged != (want == PrepareFailed) {
			t.Errorf("%s: the log has\n%s", program, log)
		}
	}
}
