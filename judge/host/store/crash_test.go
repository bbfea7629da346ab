package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// childDSN is set for a child process that writes until it is killed.
const childDSN = "ASSAY_TEST_STORE_DSN"

// write stores submissions and results in an endless loop, and prints what has been stored.
func write(dsn string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{DSN: dsn})
	if err != nil {
		return err
	}
	a, err := s.AccountByLogin(ctx, "alice")
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 3 {
		go func() {
			for {
				accepted, err := s.Submit(ctx, store.NewSubmission{Account: a.ID, Problem: "nim", Work: work(), Priority: job.PracticePriority,
					Class: "main"})
				if err != nil {
					failed <- err
					return
				}
				fmt.Println("submitted", accepted.ID)
			}
		}()
	}
	go func() {
		for {
			specs, err := s.NextJobs(ctx, job.PracticePriority, "main", 1)
			if err != nil {
				failed <- err
				return
			}
			for _, spec := range specs {
				f, err := s.RecordResult(ctx, &job.Result{Job: spec.ID, Token: spec.Token, Worker: "w", State: job.Done,
					Finished: &judge.Finished{Verdict: judge.Accepted}}, blob.DigestOf(nil))
				if err != nil {
					failed <- err
					return
				}
				fmt.Println("judged", f.Submission)
			}
		}
	}()
	return <-failed
}

// TestAWriterIsKilled checks that everything reported as stored survives a killed process, and that no partial
// data remains.
func TestAWriterIsKilled(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		newHarness(t, dsn)
		kept := map[string]string{}
		for range 4 {
			killWriter(t, dsn, kept)
			s := open(t, store.Options{DSN: dsn})
			list, err := s.Submissions(t.Context(), store.SubmissionFilter{Limit: 100_000})
			if err != nil {
				t.Fatal(err)
			}
			judged := 0
			for i, sub := range list {
				if sub.Number != int64(len(list)-i) {
					t.Fatalf("submission %d has number %d of %d", i, sub.Number, len(list))
				}
				if (sub.State == store.JobDone) != (sub.Verdict == judge.Accepted) || (sub.State == store.JobDone) == sub.Ended.IsZero() {
					t.Errorf("half of a verdict: %+v", sub)
				}
				if sub.State == store.JobDone {
					judged++
				} else if kept[sub.ID] == "judged" {
					t.Errorf("the verdict of %d is lost", sub.Number)
				}
				delete(kept, sub.ID)
			}
			if len(kept) > 0 {
				t.Errorf("%d submissions are lost", len(kept))
			}
			checkLog(t, s, len(list)+judged)
			for _, sub := range list {
				kept[sub.ID] = map[bool]string{true: "judged", false: "submitted"}[sub.State == store.JobDone]
			}
			if !s.Postgres() {
				checkIntegrity(t, dsn)
			}
		}
	})
}

// killWriter starts a writer, kills it while it is writing, and records its output.
func killWriter(t *testing.T, dsn string, kept map[string]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childDSN+"="+dsn)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill := func() { once.Do(func() { _ = cmd.Process.Kill() }) }
	defer kill()
	lines := bufio.NewScanner(out)
	n := 0
	for lines.Scan() {
		what, id, whole := strings.Cut(lines.Text(), " ")
		if !whole || len(id) != len("01a205bc-5e06-7753-8170-af0edb21b059") { // the last line may be truncated
			continue
		}
		if kept[id] != "judged" {
			kept[id] = what
		}
		if n++; n == 60 {
			kill()
		}
	}
	_ = cmd.Wait() // it was killed
	if n < 60 {
		t.Fatalf("the writer ended by itself after %d lines", n)
	}
}

func checkIntegrity(t *testing.T, dsn string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var said string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
		t.Errorf("integrity: %q, %v", said, err)
	}
}
