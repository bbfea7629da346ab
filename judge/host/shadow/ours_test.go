package shadow_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/api"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/feed"
	"assay/judge/host/scoreboard"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestBehindOurs lets one server follow a contest on another, with an account of type shadow. All verdicts, ranks
// and awards must be equal, in both versions of the Contest API.
func TestBehindOurs(t *testing.T) {
	for _, version := range clicsVersions {
		t.Run(version, func(t *testing.T) { behindOurs(t, version) })
	}
}

var clicsVersions = []string{"2026-01", "2023-06"}

func behindOurs(t *testing.T, version string) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.DiscardHandler)
	first, second := webtest.New(t), webtest.New(t)
	serving := httptest.NewServer(api.New(api.Options{
		Service: first.Intake, Scoreboards: scoreboard.NewRegistry(scoreboard.RegistryOptions{Store: first.Store, Log: log}), Name: "First",
		Version: "v1", Passwords: auth.NewPasswords(), Log: log,
		URL: client.Address{URL: "http://first.example"},
	}))
	t.Cleanup(serving.Close)
	c := first.Contest("wf", -30*time.Minute, store.VisibilityTeams, store.Settings{})
	_, _, err := first.Store.ImportContest(t.Context(),
		&store.ContestImport{ID: c.ID, Accounts: []store.ImportedAccount{{ID: "x", Type: "shadow", Account: first.Accounts["other"]}}})
	check(err)
	verdicts := map[int64][]judge.Event{}
	send := func(login string, events ...judge.Event) {
		t.Helper()
		a := first.Submit(c, login)
		verdicts[a.Number] = events
		first.RecordJudgement(a, events...)
	}
	send("ada", webtest.FailingEvents()...)
	send("bob", webtest.AcceptedEvents()...)
	send("ada", webtest.AcceptedEvents()...)
	hidden, err := first.Store.Enter(t.Context(), c.ID, first.Accounts["chair"])
	check(err)
	hidden.Hidden = true
	check(first.Store.SetTeam(t.Context(), hidden, ""))
	send("chair", webtest.AcceptedEvents()...)

	file := filepath.Join(t.TempDir(), "secret")
	check(os.WriteFile(file, []byte("correct-horse\n"), 0o600))
	source := store.ExternalSource{URL: serving.URL + "/api/" + version + "/contests/wf", Login: "other", SecretFile: file,
		Account: second.Accounts["admin"].ID}
	_, err = shadow.Start(t.Context(), second.Intake, source, "")
	check(err)
	m := &machine{TB: t, db: second.Store, intake: second.Intake}
	ctx, stop := context.WithCancel(t.Context())
	service := shadow.New(shadow.Options{Service: second.Intake, Log: log, Holder: "second", Pause: 5 * time.Millisecond})
	done := make(chan struct{})
	go func() { defer close(done); service.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })

	feeds := feed.Registry{Intake: second.Intake}
	report := func() *shadow.Report {
		t.Helper()
		of, err := second.Store.ContestBySlug(t.Context(), "wf")
		check(err)
		r, err := shadow.NewReport(t.Context(), second.Store, &feeds, of.ID, time.Now())
		check(err)
		return r
	}
	matrix := func(want string) {
		t.Helper()
		m.wait(func() string {
			r := report()
			if got := fmt.Sprint(r.Matrix, len(r.Differ), r.Problems); got != want {
				return fmt.Sprintf("%s, want %s; trouble %q", got, want, r.Source.Failure)
			}
			return ""
		})
	}
	matrix("{[AC WA] [] [[3] [1]]} 0 []") // which are not judged yet
	judgeHere := func() {
		t.Helper()
		of, err := second.Store.ContestBySlug(t.Context(), "wf")
		check(err)
		all, err := second.Store.ShadowSubmissions(t.Context(), of.ID)
		check(err)
		for _, s := range all {
			if s.Ended {
				continue
			}
			sub, err := second.Store.Submission(t.Context(), s.ID)
			check(err)
			number := int64(0)
			_, _ = fmt.Sscan(s.ExtID, &number)
			second.RecordJudgement(&store.StoredSubmission{ID: s.ID, Job: sub.Judgement}, verdicts[number]...)
		}
	}
	judgeHere()
	matrix("{[AC WA] [AC WA] [[3 0] [0 1]]} 0 []")
	send("bob", webtest.FailingEvents()...) // while the contest is followed
	matrix("{[AC WA] [ AC WA] [[0 3 0] [1 0 1]]} 0 []")
	judgeHere()
	matrix("{[AC WA] [AC WA] [[3 0] [0 2]]} 0 []")
	m.wait(func() string {
		if r := report(); !r.HasBoard || len(r.Ranks) > 0 || len(r.Awards) > 0 {
			return fmt.Sprintf("has a scoreboard: %v; ranks %v, awards %v", r.HasBoard, r.Ranks, r.Awards)
		}
		return ""
	})
	of, err := second.Store.ContestBySlug(t.Context(), "wf")
	check(err)
	teams, err := second.Store.Teams(t.Context(), of.ID)
	check(err)
	for _, team := range teams {
		if team.Hidden != (team.ExtID == hidden.ExtID) {
			t.Errorf("team %s is hidden: %v", team.ExtID, team.Hidden)
		}
	}
}
