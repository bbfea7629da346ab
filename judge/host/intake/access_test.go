package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/host/workflow"
)

// A door is a Service for tests with a real database, an adjustable clock, and accounts of all kinds. No worker
// judges anything.
type door struct {
	*testing.T
	*intake.Service
	now  time.Time
	who  map[string]*store.Account // nil for the anonymous caller
	free int64                     // free disk space in bytes
	made int                       // number of contests and holes created
}

// callers lists the kinds of accounts. In each contest, the team account is a contestant, the chair has the role
// judge, and the usher has the role runner. The others have only their role on the server.
var callers = []string{"anonymous", "outsider", "team", "chair", "usher", "runner", "judge", "contest-admin", "admin"}

func (d *door) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{T: t, now: time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC), who: map[string]*store.Account{"anonymous": nil}, free: 1 << 40}
	dir := storetest.Dir(t)
	clock := func() time.Time { return d.now }
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Version: "v1", Now: clock})
	d.must(err)
	t.Cleanup(func() { d.must(db.Close()) })
	blobs, err := blob.Open(filepath.Join(dir, "blobs"), 0)
	d.must(err)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	d.Service = &intake.Service{
		Store: db, Blobs: blobs, Dispatch: dispatch.New(dispatch.Options{Store: db, Blobs: blobs, Log: log, Holder: "test", Class: "main"}),
		MaxSize: 1000, MaxFiles: 3, Class: "main", FreeDisk: func() (int64, error) { return d.free, nil }, Now: clock,
	}
	roles := map[string]auth.Role{
		"outsider": auth.Contestant, "team": auth.Contestant, "chair": auth.Contestant, "usher": auth.Contestant, "runner": auth.BalloonRunner,
		"judge":         auth.Judge,
		"contest-admin": auth.ContestAdmin, "admin": auth.Admin, "roleless": "",
	}
	for login, role := range roles {
		d.who[login], err = db.NewAccount(t.Context(), login, "Name of "+login, store.PersonAccount, string(role))
		d.must(err)
	}
	d.Dispatch.SetQueue(emptyQueue{})
	d.publish("sum")
	return d
}

// An emptyQueue is a queue without any jobs.
type emptyQueue struct{ dispatch.Queue }

func (emptyQueue) Delete(context.Context, job.Priority, string, string) error { return nil }
func (emptyQueue) SendNews(queue.News) error                                  { return nil }

// publish publishes a problem, which also accepts golf submissions, in Python and another language.
func (d *door) publish(slug string) *store.Problem {
	d.Helper()
	sheet, err := json.Marshal(client.ProblemInfo{
		Format: client.ProblemInfoFormat, Title: "Title of " + slug, Statement: "# " + slug, TimeMS: 1000, Memory: 256 << 20, Golf: true,
		Languages: []client.OfferedLanguage{
			{ID: "py", Name: "Python", Extensions: []string{"py"}}, {ID: "another", Name: "Another", Extensions: []string{"py", "APY"}},
			{ID: "sh", Name: "Shell", Extensions: []string{"sh"}},
		},
	})
	d.must(err)
	text, _, err := d.Blobs.Add(bytes.NewReader(sheet))
	d.must(err)
	bundle := blob.DigestOf([]byte(slug))
	p, err := d.Store.PutBundle(d.Context(), store.NewBundle{
		Problem: slug, Title: "Title of " + slug, Owner: d.who["admin"].ID, ID: bundle, Manifest: bundle, Config: bundle, ProblemInfo: text,
		MadeBy: d.who["admin"].ID,
	})
	d.must(err)
	return p
}

// contest creates a one-hour contest in the given phase, with problem sum.
func (d *door) contest(v store.Visibility, p auth.Phase, s store.Settings) *store.Contest {
	d.Helper()
	d.made++
	ahead := map[auth.Phase]time.Duration{auth.Before: 1, auth.Running: -30 * time.Minute, auth.Over: -time.Hour}[p]
	c := &store.Contest{Slug: fmt.Sprint("c", d.made), Name: fmt.Sprint("Contest ", d.made), Format: store.ICPC,
		Starts: d.now.Add(ahead), Length: time.Hour, Visibility: v, Settings: s}
	if p == auth.Before {
		c.Starts = d.now.Add(time.Microsecond)
	}
	d.must(d.Store.NewContest(d.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}))
	_, err := d.Store.Enter(d.Context(), c.ID, d.who["team"])
	d.must(err)
	d.must(d.Store.SetContestRole(d.Context(), d.who["chair"].ID, c.ID, string(auth.Judge)))
	d.must(d.Store.SetContestRole(d.Context(), d.who["usher"].ID, c.ID, string(auth.BalloonRunner)))
	return c
}

// end moves a contest far into the past and disables practice, so that it does not affect later ones.
func (d *door) end(c *store.Contest) {
	d.Helper()
	c.Starts, c.Settings.Practice = d.now.Add(-1000*time.Hour), false
	d.must(d.Store.SetContest(d.Context(), c, nil))
}

// file uploads a file for an account.
func (d *door) file(a *store.Account, name, text string) job.File {
	d.Helper()
	d.must(d.StoreBlob(d.Context(), a, []byte(text)))
	return job.File{Path: name, Size: int64(len(text)), Digest: blob.DigestOf([]byte(text))}
}

// submission returns a valid submission of an account.
func (d *door) submission(a *store.Account, seat *intake.ContestAccess) intake.NewSubmission {
	d.Helper()
	p, err := d.Store.Problem(d.Context(), "sum")
	d.must(err)
	return intake.NewSubmission{Access: seat, Account: a, Problem: p, Program: "a.py", Files: []job.File{d.file(a, "a.py", "print(1)")}}
}

func (d *door) seat(c *store.Contest, who string) *intake.ContestAccess {
	d.Helper()
	s, err := d.ContestAccess(d.Context(), c, d.who[who])
	d.must(err)
	return s
}

// code returns the status and the text of a Refusal. It returns 200 if err is nil.
func code(t *testing.T, err error) (int, string) {
	t.Helper()
	if err == nil {
		return http.StatusOK, ""
	}
	refusal, is := errors.AsType[*intake.Refusal](err)
	if !is {
		t.Errorf("not a Refusal: %v", err)
		return 0, err.Error()
	}
	return refusal.Code, refusal.Text
}

// TestDoorOfContests checks who sees a contest and its problems, and who may submit, for each visibility, phase
// and caller. It contains an independent copy of the rules.
func TestDoorOfContests(t *testing.T) {
	d := newDoor(t)
	rows := 0
	for _, v := range []store.Visibility{store.VisibilityPublic, store.VisibilityAccounts, store.VisibilityTeams, store.VisibilityJury} {
		for _, phase := range []auth.Phase{auth.Before, auth.Running, auth.Over} {
			for _, practice := range []bool{false, true} {
				c := d.contest(v, phase, store.Settings{Practice: practice, PerMinute: 1000})
				for _, who := range callers {
					rows++
					jury := slices.Contains([]string{"chair", "judge", "contest-admin", "admin"}, who)
					shown := v == store.VisibilityPublic || v == store.VisibilityAccounts && who != "anonymous" || who == "chair" || who == "usher" ||
						v == store.VisibilityTeams && who == "team"
					open := phase == auth.Running || phase == auth.Over && practice
					want := map[auth.Action]bool{
						auth.SeeContest: jury || shown || who == "runner", auth.SeeProblems: jury || shown && phase != auth.Before,
						auth.Submit: jury || shown && open && (who == "team" || who == "outsider"), auth.SeeAll: jury,
					}
					name := fmt.Sprintf("%s contest, %s, practice %v, %s", v, phase, practice, who)
					s := d.seat(c, who)
					for action, can := range want {
						if got := s.Can(action); got != can {
							t.Errorf("%s: %s: %v", name, action, got)
						}
					}
					if s.State.Phase != phase || (s.Team != nil) != (who == "team") {
						t.Errorf("%s: the phase %s, team %v", name, s.State.Phase, s.Team)
					}
					if show := s.Shows(); (show == "all") != jury {
						t.Errorf("%s: is shown %q", name, show)
					}
					d.hand(name, c, s, who, phase, shown, want[auth.Submit], jury)
				}
				d.end(c)
			}
		}
	}
	if rows != 4*3*2*9 {
		t.Errorf("%d rows", rows)
	}
}

// hand submits to a contest and checks the result.
func (d *door) hand(name string, c *store.Contest, s *intake.ContestAccess, who string, phase auth.Phase, shown, accepted, jury bool) {
	d.Helper()
	account := d.who[who]
	if account == nil {
		account = d.who["outsider"] // a submission needs an author; the access says "not logged in"
	}
	a, err := d.Submit(d.Context(), d.submission(account, s))
	got, text := code(d.T, err)
	want, says := http.StatusOK, ""
	switch {
	case accepted:
	case !shown:
		want, says = http.StatusNotFound, "no such contest"
	case who == "anonymous":
		want, says = http.StatusUnauthorized, "logged in"
	case phase == auth.Before:
		want, says = http.StatusForbidden, c.Name+" has not begun yet"
	case phase == auth.Over:
		want, says = http.StatusForbidden, c.Name+" is over"
	default:
		want, says = http.StatusForbidden, "you do not take part in "+c.Name
	}
	if got != want || !strings.Contains(text, says) {
		d.Errorf("%s: a submission gets %d %q, want %d %q", name, got, text, want, says)
	}
	if err != nil {
		return
	}
	kept, err := d.Store.Submission(d.Context(), a.ID)
	d.must(err)
	if kept.Contest != c.ID || (kept.Team == "") != jury || kept.Account != account.ID || kept.Problem != "sum" {
		d.Errorf("%s: the submission is %+v", name, kept)
	}
	priority := job.PracticePriority
	if phase == auth.Running {
		priority = job.ContestPriority
	}
	waiting, err := d.Store.NextJobs(d.Context(), priority, "main", 1000)
	d.must(err)
	if !slices.ContainsFunc(waiting, func(j *job.Spec) bool { return j.ID == a.Job }) {
		d.Errorf("%s: the job does not wait in the priority %v", name, priority)
	}
}

// TestDoorOfHoles checks who sees a hole and who may submit, for each visibility, caller, and phase of a contest
// with the same problem.
func TestDoorOfHoles(t *testing.T) {
	d := newDoor(t)
	type held struct {
		visible store.Visibility
		phase   auth.Phase // empty if there is no contest
	}
	contests := []held{{}}
	for _, phase := range []auth.Phase{auth.Before, auth.Running, auth.Over} {
		for _, v := range []store.Visibility{store.VisibilityPublic, store.VisibilityAccounts, store.VisibilityTeams, store.VisibilityJury} {
			contests = append(contests, held{v, phase})
		}
	}
	for _, in := range contests {
		var c *store.Contest
		if in.phase != "" {
			c = d.contest(in.visible, in.phase, store.Settings{Practice: true})
		}
		for _, v := range []store.Visibility{store.VisibilityPublic, store.VisibilityAccounts, store.VisibilityJury} {
			for _, closed := range []string{"", "is closed", "closed on 28 Nov 2026 at 10:00 UTC"} {
				d.made++
				h := &store.Hole{Slug: fmt.Sprint("h", d.made), Name: "Hole", ProblemSlug: "sum", Visibility: v}
				d.must(d.Store.NewHole(t.Context(), h))
				switch h.Closes = d.now.Add(1); closed {
				case "is closed":
					h.Closed = true
				case "closed on 28 Nov 2026 at 10:00 UTC":
					h.Closes = d.now
				}
				for _, who := range callers {
					site := slices.Contains([]string{"judge", "contest-admin", "admin"}, who)
					shown := v == store.VisibilityPublic || v == store.VisibilityAccounts && who != "anonymous" || site
					contested := in.phase == auth.Running && in.visible != store.VisibilityJury && !site && who != "chair"
					name := fmt.Sprintf("%s hole, closed %q, contest %+v, %s", v, closed, in, who)
					s, err := d.HoleAccess(t.Context(), h, d.who[who])
					d.must(err)
					if s.Can(auth.SeeHole) != shown {
						t.Errorf("%s: seen %v", name, s.Can(auth.SeeHole))
					}
					want, says := http.StatusOK, ""
					switch {
					case !shown:
						want, says = http.StatusNotFound, "no such hole"
					case closed != "":
						want, says = http.StatusForbidden, "Hole "+closed+" and takes no more submissions"
					case contested:
						want, says = http.StatusForbidden, "Hole takes no submissions while a contest with its problem runs"
					case who == "anonymous":
						want, says = http.StatusUnauthorized, "logged in"
					}
					_, err = d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte("f=1")})
					if got, text := code(t, err); got != want || !strings.Contains(text, says) {
						t.Errorf("%s: an answer gets %d %q, want %d %q", name, got, text, want, says)
					}
				}
			}
		}
		if c != nil {
			d.end(c)
		}
	}
}

// TestDoorOfLadders checks who sees a ladder, who may submit a bot, and who sees a bot's errors, for each
// visibility and caller.
func TestDoorOfLadders(t *testing.T) {
	d := newDoor(t)
	for _, v := range []store.Visibility{store.VisibilityPublic, store.VisibilityAccounts, store.VisibilityJury} {
		for _, open := range []bool{true, false} {
			l := &store.Ladder{Name: "Ladder", Visibility: v, Open: open, PerAccount: 1}
			for _, who := range callers {
				name := fmt.Sprintf("%s ladder, open %v, %s", v, open, who)
				site := slices.Contains([]string{"judge", "contest-admin", "admin"}, who)
				shown := v == store.VisibilityPublic || v == store.VisibilityAccounts && who != "anonymous" || site
				to := intake.LadderAccess(l, d.who[who])
				if got := to.Can(auth.SeeLadder); got != shown {
					t.Errorf("%s: seen %v", name, got)
				}
				want, says := http.StatusOK, ""
				switch {
				case site:
				case !shown:
					want, says = http.StatusNotFound, "there is no such ladder"
				case !open:
					want, says = http.StatusForbidden, "Ladder is closed and takes no more bots"
				case who == "anonymous":
					want, says = http.StatusUnauthorized, "logged in"
				}
				if got, text := code(t, to.Admit()); got != want || !strings.Contains(text, says) {
					t.Errorf("%s: a bot gets %d %q, want %d %q", name, got, text, want, says)
				}
				for _, author := range callers[1:] {
					sees := shown && (site || who == author)
					if got := to.ForBot(&store.Bot{Account: d.who[author].ID}).Can(auth.SeeBot); got != sees {
						t.Errorf("%s: sees the bot of %s: %v", name, author, got)
					}
				}
				if to.State.Own {
					t.Errorf("%s: looking at a bot changes the access to the ladder", name)
				}
			}
		}
	}
}

// TestAdmitBot checks the number of bots per account on a ladder, and the limit of 10 submissions per minute.
func TestAdmitBot(t *testing.T) {
	d := newDoor(t)
	l := &store.Ladder{Slug: "l", Name: "Ladder", Problem: "sum", Visibility: store.VisibilityPublic, PerAccount: 2, Owner: d.who["admin"].ID}
	d.must(d.Store.NewLadder(t.Context(), l))
	ada, bob := d.who["outsider"], d.who["team"]
	of := func(a *store.Account, name string, state store.BotState) *store.Bot {
		return &store.Bot{Ladder: l.ID, Account: a.ID, Name: name, State: state}
	}
	bots := []*store.Bot{of(bob, "x", store.BotActive), of(ada, "a", store.BotActive), of(ada, "a", store.BotRetired),
		of(ada, "old", store.BotRetired), of(ada, "bad", store.BotRejected)}
	admit := func(a *store.Account, key, name string, want int, says string) {
		t.Helper()
		if got, text := code(t, d.AdmitBot(t.Context(), l, a, key, name, bots)); got != want || !strings.Contains(text, says) {
			t.Errorf("the bot %s of %s: %d %q, want %d %q", name, a.Login, got, text, want, says)
		}
	}
	admit(ada, "", "b", 200, "")
	bots = append(bots, of(ada, "b", store.BotChecking))
	admit(ada, "", "c", 400, "you have 2 bots here, which is the limit")
	admit(ada, "", "old", 400, "you have 2 bots here")
	admit(ada, "", "a", 200, "")
	admit(bob, "", "c", 200, "")
	for i := range 10 {
		admit(ada, "", "a", 200, "")
		b := of(ada, "a", "")
		b.Key = fmt.Sprint("key", i)
		d.must(d.Store.NewBot(t.Context(), b, string(workflow.Trial), func(*store.Bot) ([]byte, error) { return []byte("{}"), nil }))
	}
	admit(ada, "", "a", 429, "10 bots submitted to a ladder per minute")
	admit(ada, "key3", "a", 200, "")
	admit(bob, "", "c", 200, "")
	d.now = d.now.Add(61 * time.Second)
	admit(ada, "", "a", 200, "")
	l.Open = false
	admit(ada, "key3", "a", 403, "is closed")
}

// TestAHoleClosesMeanwhile checks that a golf submission is rejected if its hole closes during the upload, either
// at its closing time or manually.
func TestAHoleClosesMeanwhile(t *testing.T) {
	d := newDoor(t)
	for want, end := range map[string]func(h *store.Hole) error{
		"closed on 28 Nov 2026 at 10:01 UTC": func(*store.Hole) error { d.now = d.now.Add(time.Minute); return nil },
		"Hole is closed":                     func(h *store.Hole) error { h.Closed = true; return d.Store.SetHole(t.Context(), h) },
	} {
		d.now, d.made = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC), d.made+1
		h := &store.Hole{Slug: fmt.Sprint("h", d.made), Name: "Hole", ProblemSlug: "sum", Visibility: store.VisibilityPublic,
			Closes: d.now.Add(time.Minute)}
		d.must(d.Store.NewHole(t.Context(), h))
		s, err := d.HoleAccess(t.Context(), h, d.who["outsider"])
		d.must(err)
		changed := *h
		d.must(end(&changed))
		_, err = d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte("f=1")})
		if got, text := code(t, err); got != http.StatusForbidden || !strings.Contains(text, want) {
			t.Errorf("%s: the answer gets %d %q", want, got, text)
		}
		if h, err = d.Store.Hole(t.Context(), h.Slug); err != nil || h.Submissions != 0 {
			t.Errorf("%s: the hole has %d answers, %v", want, h.Submissions, err)
		}
	}
}

// TestLook checks that a golf submission is visible to its author. A valid one is visible to everyone if the hole
// shows submissions.
func TestLook(t *testing.T) {
	for _, shown := range []bool{false, true} {
		for _, state := range []store.GolfState{store.GolfValid, store.GolfChecking, store.GolfRejected} {
			for _, who := range []string{"", "ada", "bob"} {
				s := &intake.HoleAccess{Hole: &store.Hole{ShowSubmissions: shown}}
				if who != "" {
					s.Account = &store.Account{ID: who}
				}
				of := s.ForSubmission(&store.GolfSubmission{Account: "ada", State: state}).State
				if of.Own != (who == "ada") || of.Open != (shown && state == store.GolfValid) {
					t.Errorf("shown %v, %s, %q: %+v", shown, state, who, of)
				}
				if s.State.Own || s.State.Open {
					t.Error("looking at an answer changes the access to the hole")
				}
			}
		}
	}
}

// TestAnswers checks which golf submissions a hole accepts, and why others are rejected.
func TestAnswers(t *testing.T) {
	d := newDoor(t)
	h := &store.Hole{Slug: "h", Name: "Hole", ProblemSlug: "sum", Visibility: store.VisibilityPublic}
	d.must(d.Store.NewHole(t.Context(), h))
	ada, bob := d.who["outsider"], d.who["team"]
	post := "# Python, 3 bytes\n\n    f=1\n"
	for _, tt := range []struct {
		name, file, text string
		how              workflow.GolfSubmissionOptions
		want             int
		says             string // part of the error, or the file name
	}{
		{"a program", "a.py", "f=1", workflow.GolfSubmissionOptions{}, 200, "answer.py"},
		{"any name", "../../x y.PY", "f=1", workflow.GolfSubmissionOptions{}, 200, "answer.PY"},
		{"a language without a name", "", "f=1", workflow.GolfSubmissionOptions{Language: "sh"}, 200, "answer.sh"},
		{"a language by its name", "x", "f=1", workflow.GolfSubmissionOptions{Language: "Shell"}, 200, "answer.sh"},
		{"an ending of another language", "a.py", "f=1", workflow.GolfSubmissionOptions{Language: "sh"}, 200, "answer.py"},
		{"an ending that is none", "a.p y", "f=1", workflow.GolfSubmissionOptions{Language: "sh"}, 200, "answer.sh"},
		{"an ending of 12 letters", "a.abcdefghijkl", "f=1", workflow.GolfSubmissionOptions{Language: "sh"}, 200, "answer.abcdefghijkl"},
		{"a long ending", "a.abcdefghijklm", "f=1", workflow.GolfSubmissionOptions{Language: "sh"}, 200, "answer.sh"},
		{"a post", "a.md", post, workflow.GolfSubmissionOptions{}, 200, "answer.md"},
		{"a post by its long ending", "a.Markdown", post, workflow.GolfSubmissionOptions{}, 200, "answer.md"},
		{"a post in an unknown language", "a.md", strings.ReplaceAll(post, "Python", "Klingon"), workflow.GolfSubmissionOptions{}, 200,
			"answer.md"},
		{"as large as can be", "a.py", strings.Repeat("x", 1000), workflow.GolfSubmissionOptions{}, 200, "answer.py"},
		{"too large", "a.py", strings.Repeat("x", 1001), workflow.GolfSubmissionOptions{}, 413, "1001 bytes; the limit is 1000"},
		{"empty", "a.py", " \n", workflow.GolfSubmissionOptions{}, 400, "is empty"},
		{"no language", "a", "f=1", workflow.GolfSubmissionOptions{}, 400, "the language of the submission is unknown"},
		{"an unknown language", "a.py", "f=1", workflow.GolfSubmissionOptions{Language: "klingon"}, 400, `"klingon" is not known`},
		{"an unknown ending", "a.kl", "f=1", workflow.GolfSubmissionOptions{}, 400, `no language has programs called "a.kl"`},
		{"no way to be called", "a.py", "f=1", workflow.GolfSubmissionOptions{Reading: "poem"}, 400, "function or a program"},
		{"a post without code", "a.md", "# Python, 3 bytes\n", workflow.GolfSubmissionOptions{}, 400, ""},
		{"a post with empty code", "a.md", "# Python, 3 bytes\n\n```\n \n```\n", workflow.GolfSubmissionOptions{}, 400,
			"code of the post is empty"},
	} {
		s, err := d.HoleAccess(t.Context(), h, ada)
		d.must(err)
		a, err := d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: tt.file, Data: []byte(tt.text), Options: tt.how})
		got, text := code(t, err)
		if got != tt.want || err != nil && !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %q, want %d %q", tt.name, got, text, tt.want, tt.says)
		}
		if err == nil && (a.File.Path != tt.says || a.File.Size != int64(len(tt.text)) || a.File.Digest != blob.DigestOf([]byte(tt.text))) {
			t.Errorf("%s: the file is %+v", tt.name, a.File)
		}
		d.now = d.now.Add(time.Hour)
	}

	// An account cannot refer to bytes that only another account has uploaded.
	s, err := d.HoleAccess(t.Context(), h, bob)
	d.must(err)
	sent := d.file(ada, "a.py", "f=2")
	if got, _ := code(t, second(d.SubmitGolf(t.Context(),
		intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", File: sent}))); got != http.StatusConflict {
		t.Errorf("bytes of another account: %d", got)
	}
	d.file(bob, "a.py", "f=2")
	d.must(second(d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", File: sent})))
	big := d.file(bob, "a.py", strings.Repeat("y", 1001))
	if got, _ := code(t, second(d.SubmitGolf(t.Context(),
		intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", File: big}))); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too many bytes that are there: %d", got)
	}

	// Each account may send ten per minute.
	d.now = d.now.Add(time.Hour)
	for i := range 11 {
		want := http.StatusOK
		if i == 10 {
			want = http.StatusTooManyRequests
		}
		got, text := code(t, second(d.SubmitGolf(t.Context(),
			intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: fmt.Appendf(nil, "f=%d", i)})))
		if got != want || got != 200 && !strings.Contains(text, "10 submissions to a hole per minute") {
			t.Errorf("answer %d: %d %q", i+1, got, text)
		}
	}
	other, err := d.HoleAccess(t.Context(), h, ada)
	d.must(err)
	d.must(second(d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: other, Name: "a.py", Data: []byte("g")})))
	d.now = d.now.Add(61 * time.Second)
	d.must(second(d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte("g")})))

	// The disk is nearly full, or no worker has the language.
	d.free = intake.MinDiskForSubmissions - 1
	if got, _ := code(t, second(d.SubmitGolf(t.Context(),
		intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte("h")}))); got != http.StatusServiceUnavailable {
		t.Errorf("with a full disk: %d", got)
	}
	d.free = intake.MinDiskForSubmissions
	_, err = d.Store.CreateClass(t.Context(), "main", job.Capabilities{Languages: map[string]string{"sh": "sh 1"}})
	d.must(err)
	got, text := code(t, second(d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte("h")})))
	if got != http.StatusBadRequest || !strings.Contains(text, "no worker here has Python: a submission in it cannot be checked") {
		t.Errorf("a language without workers: %d %q", got, text)
	}
	d.must(second(d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.sh", Data: []byte("h")})))
}

// second returns its second argument: the error of a call.
func second[T any](_ T, err error) error { return err }
