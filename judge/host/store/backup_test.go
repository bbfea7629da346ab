package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// fill adds rows to every table.
func fill(t *testing.T, h *harness) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(h.AddOverride(t.Context(), h.submit().ID, h.alice.ID, store.Override{Ignored: true, Why: "copied"}, -1))
	n := h.submission("a key")
	n.Work.IsDir, n.Work.Language = true, "ü\u2028\"<&>"
	_, err := h.Submit(t.Context(), n)
	check(err)
	specs := h.next()
	h.out(specs...)
	h.fold(h.result(specs[0], judge.WrongAnswer), store.Counted)
	h.fold(h.result(specs[0], judge.Accepted), store.Disagreement)
	w := &season{harness: h, T: t, contest: h.newContest("spring").ID}
	w.team, err = h.Enter(t.Context(), w.contest, h.alice)
	check(err)
	regional, _, err := h.ImportContest(t.Context(), h.imported())
	check(err)
	teams, err := h.Teams(t.Context(), regional)
	check(err)
	check(h.AddBalloons(t.Context(), regional, []store.Balloon{{Team: teams[0].ID, Label: "A", Submission: 7, At: h.clock.Now(),
		HoldReason: "taken back"}, {Team: teams[1].ID, Label: "A", Submission: 8, At: h.clock.Now()}}))
	_, err = h.DeliverBalloon(t.Context(), regional, teams[1].ID, "A", h.alice.ID)
	check(err)
	check(h.SetExternalSource(t.Context(), store.ExternalSource{Contest: regional, URL: "https://primary.example/contests/x",
		Account: h.alice.ID, UseOwnVerdicts: true}))
	check(h.PutExternalObjects(t.Context(), regional, "since_token=1", []store.ExternalObject{{Type: "teams", ID: "7", Data: `{"id":"7"}`}}))
	check(h.RecordExternalProblem(t.Context(), regional, "teams", "8", "it has no name"))
	check(h.NewSession(t.Context(), h.alice, "session", "a browser"))
	_, err = h.NewAccount(t.Context(), "zoë", "line\nbreak", store.TeamAccount, "admin")
	check(err)
	_, err = h.NewToken(t.Context(), h.alice.ID, "hash", "label", []string{"a", "b"}, h.clock.Now())
	check(err)
	_, err = h.NewWorkerInvite(t.Context(), "code", store.WorkerInvite{Name: "w", Class: "main", CreatedBy: h.alice.ID})
	check(err)
	_, err = h.NewInvitation(t.Context(), "invited",
		store.Invitation{Note: "the class", MaxUses: 40, CreatedBy: h.alice.ID, Expires: h.clock.Now()})
	check(err)
	_, err = h.AdmitWorker(t.Context(), store.NewWorker{Name: "w", Class: "main", Key: "U"})
	check(err)
	_, err = h.CreateClass(t.Context(), "main", job.Capabilities{Languages: map[string]string{"c": "gcc"}})
	check(err)
	f := h.workflow()
	_, err = h.AddWorkflowJobs(t.Context(), f.ID, workflowJob("a"), workflowJob("b"))
	check(err)
	h.fold(h.result(h.background()[0], judge.Accepted), store.Counted)
	_, _, err = h.Rejudge(t.Context(), store.NewRejudging{Why: "a case was wrong", Account: h.alice.ID})
	check(err)
	for i := range 11 { // numbers must not be sorted as text
		_, err = h.Clarify(t.Context(), store.NewClarification{Contest: store.Practice, Account: h.alice.ID, Jury: true, Text: fmt.Sprint(i)})
		check(err)
	}
	question, err := h.Clarify(t.Context(), store.NewClarification{Contest: store.Practice, Account: h.alice.ID, Text: "why?"})
	check(err)
	_, err = h.NewPrint(t.Context(), store.Print{Contest: regional, Team: teams[0].ID, Account: h.alice.ID, Name: "a.py", Body: "1",
		Pages: 1}, 1)
	check(err)
	groups, err := h.Groups(t.Context(), regional)
	check(err)
	_, err = h.Clarify(t.Context(), store.NewClarification{
		Contest: regional, Account: h.alice.ID, Jury: true, Text: "to some", Teams: []string{teams[0].ID}, Groups: []string{groups[0].ID},
	})
	check(err)
	_, err = h.ClaimRequest(t.Context(), store.Practice, question, h.alice.ID)
	check(err)
	check(h.MarkRead(t.Context(), store.Practice, h.alice.ID, 3))
	check(h.NewUpload(t.Context(), &store.Upload{Account: h.alice.ID, Problem: "sum", File: "sum.zip", Archive: digest("x")}))
	l := h.ladder("hill")
	for i := range 11 {
		h.bot(l, h.alice, fmt.Sprint("bot ", i))
		h.met(l, 1, int64(i), "wd")
	}
	check(h.AddRankChanges(t.Context(), l.ID, []store.RankChange{{Bot: 1, Rank: 2}}))
	answer := h.answer(h.hole(), "a key")
	h.settle(answer, settled(answer, judge.GolfCorrect, "Python 3.14"))
	check(h.RecordSignOn(t.Context(), "a sign-on", &store.SignOn{Identity: store.Identity{Issuer: "https://login.example", Subject: "1"}}))
	check(h.LinkSignOn(t.Context(), "a sign-on", h.alice.ID))
	check(h.ChangeMedia(t.Context(), w.contest, nil, []media.File{file(t, "contest/logo.png")}))
	check(h.SetSetting(t.Context(), "Zz", "1"))
	check(h.SetSetting(t.Context(), "aa", ""))
	check(h.Announce(t.Context(), store.Server{ID: "a", Instance: "a 1", Version: "v1.2.3", Address: "http://a"}, ""))
	check(h.RecordBlobs(t.Context(), store.Blob{Digest: digest("x"), Size: 1 << 60, Kind: "file"}))
	check(h.RecordBlobUpload(t.Context(), h.alice.ID, store.Blob{Digest: digest("x"), Size: 1 << 60, Kind: "file"}, 0))
	h.clock.add(61 * time.Minute)
	check(h.SetVerify(t.Context(), w.contest, "A", store.VerifyAfter))
	verified := w.send(w.team.ID)
	w.judge(job.ContestPriority, judge.Accepted)
	w.verify(verified, true, nil)
}

// TestABackupIsRestoredIntoEitherDatabase restores backups of both databases into both. A backup of the restored
// database must be identical.
func TestABackupIsRestoredIntoEitherDatabase(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		fill(t, h)
		dir := filepath.Join(t.TempDir(), "backup")
		made, err := h.Backup(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for table, file := range made.Tables {
			if file.Rows == 0 {
				t.Errorf("the table %s is empty: fill it, or the test does not show whether its rows come back", table)
			}
		}
		if _, err := h.Backup(t.Context(), dir); err == nil {
			t.Error("a backup was written over another")
		}
		onNew(t, func(t *testing.T, dsn string) {
			restored, err := store.Restore(t.Context(), dir, store.Options{DSN: dsn})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(made, restored); d != "" {
				t.Error(d)
			}
			s := open(t, store.Options{DSN: dsn, Now: h.clock.Now, EventCount: made.EventCount})
			again, err := s.Backup(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(made.Tables, again.Tables); d != "" {
				t.Error(d)
			}
			if a, err := s.Submit(t.Context(), h.submission("")); err != nil || a.Number != 3 {
				t.Errorf("the next submission: %+v, %v", a, err)
			}
			if _, err := store.Restore(t.Context(), dir, store.Options{DSN: dsn}); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("restored over something: %v", err)
			}
		})
	})
}

func TestADamagedBackupIsNotRestored(t *testing.T) {
	h := newHarness(t, lite(t))
	fill(t, h)
	for name, tt := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"no manifest":     {func(dir string) error { return os.Remove(filepath.Join(dir, "backup.json")) }, "no finished backup"},
		"an odd manifest": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "backup.json"), []byte("{"), 0o600) }, "backup.json"},
		"a newer schema":  {edit("backup.json", `"schema": `, `"schema": 9`), "newer than this program"},
		"no table":        {func(dir string) error { return os.Remove(filepath.Join(dir, "audit.jsonl")) }, "audit"},
		"a changed value": {edit("audit.jsonl", "one job, two verdicts", "one job, one verdict"), "damaged"},
		"a cut file":      {func(dir string) error { return os.Truncate(filepath.Join(dir, "account.jsonl"), 20) }, "middle of a row"},
		"a lost row":      {func(dir string) error { return os.Truncate(filepath.Join(dir, "log.jsonl"), 0) }, "damaged"},
		"another column":  {edit("audit.jsonl", `"actor"`, `"actress"`), "no column actor"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			if _, err := h.Backup(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if err := tt.damage(dir); err != nil {
				t.Fatal(err)
			}
			dsn := filepath.Join(t.TempDir(), "assay.db")
			if _, err := store.Restore(t.Context(), dir, store.Options{DSN: dsn}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			// No rows were restored, so a valid backup can be restored.
			good := filepath.Join(t.TempDir(), "good")
			if _, err := h.Backup(t.Context(), good); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Restore(t.Context(), good, store.Options{DSN: dsn}); err != nil {
				t.Error(err)
			}
		})
	}
}

func edit(file, from, to string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(data), from, to)
		if changed == string(data) {
			return fmt.Errorf("%s has no %s", file, from)
		}
		return os.WriteFile(path, []byte(changed), 0o600)
	}
}

// TestABackupIsOfOneMoment checks that a backup is a consistent snapshot while there are other writers, and that
// these do not wait for it.
func TestABackupIsOfOneMoment(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for range 20 {
			h.submit()
		}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		var wrote int
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					h.submit()
					wrote++
				}
			}
		})
		for range 3 {
			m, err := h.Backup(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			rows := []int64{m.Tables["submission"].Rows, m.Tables["judgement"].Rows, m.Tables["standing"].Rows, m.Tables["job"].Rows,
				m.Tables["log"].Rows}
			if slices.Min(rows) != m.EventCount || slices.Max(rows) != m.EventCount {
				t.Errorf("%v rows in a backup that ends with event %d", rows, m.EventCount)
			}
		}
		close(stop)
		wg.Wait()
		if wrote == 0 {
			t.Error("no write succeeded during the backups")
		}
	})
}

func TestBlobsThatRowsName(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		f := h.workflow()
		ofWorkflow := workflowJob("a")
		ofWorkflow.Work.Bundle, ofWorkflow.Work.Files = digest("workflow's bundle"), []job.File{{Path: "x", Digest: digest("workflow's file")}}
		if _, err := h.AddWorkflowJobs(t.Context(), f.ID, ofWorkflow); err != nil {
			t.Fatal(err)
		}
		part := h.result(h.background()[0], judge.Accepted)
		part.Events = []byte("part's events")
		h.fold(part, store.Counted)
		h.submit()
		events := h.result(h.next()[0], judge.Accepted)
		h.fold(events, store.Counted)
		want := map[blob.Digest]bool{
			digest("nim1"): true, digest("workflow's bundle"): true, digest("config"): false, digest("print()"): false,
			digest("workflow's file"): false, digest("packed"): false, digest("part's events"): false,
		}
		named, err := h.ReferencedBlobs(t.Context())
		if d := cmp.Diff(want, named); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}

		old := []store.Blob{{Digest: digest("unowned")}, {Digest: digest("print()")}, {Digest: digest("in a bundle")},
			{Digest: digest("seen again")}}
		if err := h.RecordBlobs(t.Context(), old...); err != nil {
			t.Fatal(err)
		}
		h.clock.add(48 * time.Hour)
		if gone, err := sweep(t, h.Store, nothing); err != nil || len(gone) != 0 {
			t.Errorf("too early: %v, %v", gone, err)
		}
		h.clock.add(time.Second)
		if err := h.RecordBlobs(t.Context(), store.Blob{Digest: digest("young")}, old[3]); err != nil {
			t.Fatal(err)
		}
		contents := func(manifest blob.Digest) ([]blob.Digest, error) {
			if manifest == digest("nim1") {
				return []blob.Digest{digest("in a bundle")}, nil
			}
			return nil, nil
		}
		gone, err := sweep(t, h.Store, contents)
		if d := cmp.Diff([]blob.Digest{digest("unowned")}, gone); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if gone, err := sweep(t, h.Store, contents); err != nil || len(gone) != 0 {
			t.Errorf("again: %v, %v", gone, err)
		}
		broken := errors.New("unreadable")
		if _, err := sweep(t, h.Store, func(blob.Digest) ([]blob.Digest, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("a manifest that cannot be read: %v", err)
		}
	})
}

// sweep removes the blobs that no row refers to, and returns their digests.
func sweep(t *testing.T, s *store.Store, contents func(blob.Digest) ([]blob.Digest, error)) (gone []blob.Digest, err error) {
	t.Helper()
	n, err := s.CollectGarbage(t.Context(), contents, func(d blob.Digest) error { gone = append(gone, d); return nil })
	if n != len(gone) {
		t.Errorf("%d blobs are removed, and %d returned", len(gone), n)
	}
	return gone, err
}
