package intake_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// TestOpenBound checks that a contestant can have at most 100 pending submissions, in practice and contests
// together. The limit does not apply to the jury and to callers with Unlimited set.
func TestOpenBound(t *testing.T) {
	d := newDoor(t)
	team := d.who["team"]
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 1000})
	seat := d.seat(c, "team")
	for i := range 100 {
		n := d.submission(team, seat)
		if i%2 == 0 {
			n.Access = nil
		}
		if _, err := d.Submit(t.Context(), n); err != nil {
			t.Fatal(i, err)
		}
	}
	for _, in := range []*intake.ContestAccess{nil, seat} {
		got, text := code(t, second(d.Submit(t.Context(), d.submission(team, in))))
		if got != http.StatusTooManyRequests || !strings.Contains(text, "limit reached: 100 pending submissions for each account") {
			t.Errorf("one more in %v: %d %q", in, got, text)
		}
	}
	many := d.submission(team, nil)
	many.Unlimited = true
	d.must(second(d.Submit(t.Context(), many)))
	d.must(second(d.Submit(t.Context(), d.submission(d.who["outsider"], nil))))
	for range 101 {
		d.must(second(d.Submit(t.Context(), d.submission(d.who["judge"], nil))))
	}
}

// TestOpenBoundOfTeams checks that an account that submits for teams has a separate limit for each team. The
// team's own submissions count toward it. Submissions sent for a team count toward no other limit.
func TestOpenBoundOfTeams(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 1000})
	chair, own := d.seat(c, "chair"), d.seat(c, "team")
	var teams [2]*store.Team
	for i, login := range []string{"team", "outsider"} {
		var err error
		teams[i], err = d.Store.Enter(t.Context(), c.ID, d.who[login])
		d.must(err)
	}
	d.must(second(d.Submit(t.Context(), d.submission(d.who["team"], own))))
	send := func(team *store.Team, many bool) (int, string) {
		n := d.submission(d.who["chair"], chair)
		n.Team, n.Unlimited = team, many
		return code(t, second(d.Submit(t.Context(), n)))
	}
	for i, most := range []int{99, 100} {
		for range most {
			if got, text := send(teams[i], false); got != http.StatusOK {
				t.Fatal(got, text)
			}
		}
		if got, text := send(teams[i], false); got != http.StatusTooManyRequests ||
			!strings.Contains(text, "limit reached: 100 pending submissions for each team") {
			t.Errorf("one more for team %d: %d %q", i, got, text)
		}
	}
	if got, text := send(teams[0], true); got != http.StatusOK {
		t.Errorf("one more by a caller that may have many: %d %q", got, text)
	}
}

// TestKeys checks that a key identifies one submission of an account for ten minutes.
func TestKeys(t *testing.T) {
	d := newDoor(t)
	ada, bob := d.who["outsider"], d.who["team"]
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 2})
	send := func(a *store.Account, problem, text string, in *intake.ContestAccess) (*store.StoredSubmission, error) {
		p, err := d.Store.Problem(t.Context(), problem)
		d.must(err)
		n := d.submission(a, in)
		n.Problem, n.Key, n.Files = p, "key", []job.File{d.file(a, "a.py", text)}
		return d.Submit(t.Context(), n)
	}
	d.publish("other")
	first, err := send(ada, "sum", "1", nil)
	d.must(err)
	again, err := send(ada, "sum", "1", nil)
	d.must(err)
	if again.ID != first.ID || !again.Repeated || first.Repeated {
		t.Errorf("the same again: %+v, was %+v", again, first)
	}
	for name, e := range map[string]error{"other files": second(send(ada, "sum", "2", nil)),
		"another problem": second(send(ada, "other", "1", nil))} {
		if got, text := code(t, e); got != http.StatusConflict || !strings.Contains(text, "another program was sent with the same key") {
			t.Errorf("%s under the key: %d %q", name, got, text)
		}
	}
	of, err := send(bob, "sum", "1", nil)
	d.must(err)
	if of.ID == first.ID || of.Repeated {
		t.Errorf("the same of another account: %+v", of)
	}
	// A known key is accepted again even when the rate limit is reached.
	d.now = d.now.Add(11 * time.Minute)
	seat := d.seat(c, "outsider")
	counted, err := send(ada, "sum", "1", seat)
	d.must(err)
	if counted.ID == first.ID {
		t.Error("the key still counts after 11 minutes")
	}
	n := d.submission(ada, seat)
	d.must(second(d.Submit(t.Context(), n)))
	if got, text := code(t, second(d.Submit(t.Context(), n))); got != http.StatusTooManyRequests ||
		!strings.Contains(text, "2 submissions to a contest per minute for each account") {
		t.Errorf("the third within a minute: %d %q", got, text)
	}
	if got, _ := code(t, d.CheckRate(t.Context(), n)); got != http.StatusTooManyRequests {
		t.Errorf("the third within a minute, before it is sent: %d", got)
	}
	n.Key = "key"
	d.must(d.CheckRate(t.Context(), n))
	if same, err := send(ada, "sum", "1", seat); err != nil || same.ID != counted.ID {
		t.Errorf("a known key in the same minute: %+v, %v", same, err)
	}
	n.Key, n.Access = "", nil
	d.must(d.CheckRate(t.Context(), n))
	n.Access = d.seat(c, "outsider")
	d.now = d.now.Add(61 * time.Second)
	d.must(d.CheckRate(t.Context(), n))
	d.must(second(d.Submit(t.Context(), n)))
}

// TestRate checks that the default limit is ten submissions per minute to a contest.
func TestRate(t *testing.T) {
	d := newDoor(t)
	seat := d.seat(d.contest(store.VisibilityPublic, auth.Running, store.Settings{}), "team")
	for i := range 11 {
		got, text := code(t, second(d.Submit(t.Context(), d.submission(d.who["team"], seat))))
		if want := i < 10; (got == http.StatusOK) != want || !want && !strings.Contains(text, "10 submissions to a contest per minute") {
			t.Errorf("submission %d: %d %q", i+1, got, text)
		}
	}
}

// TestBounds checks the exact limits of a submission.
func TestBounds(t *testing.T) {
	d := newDoor(t)
	ada := d.who["outsider"]
	files := func(sizes ...int) (all []job.File) {
		for i, n := range sizes {
			all = append(all, d.file(ada, fmt.Sprintf("f%d.py", i), strings.Repeat(fmt.Sprint(i), n)))
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		files  []job.File
		folder bool
		free   int64
		want   int
	}{
		{"the most bytes", files(1000), false, intake.MinDiskForSubmissions, 200},
		{"a byte more", files(1001), false, intake.MinDiskForSubmissions, 413},
		{"the most bytes in several files", files(500, 300, 200), true, intake.MinDiskForSubmissions, 200},
		{"a byte more in several files", files(500, 301, 200), true, intake.MinDiskForSubmissions, 413},
		{"a file more", files(1, 1, 1, 1), true, intake.MinDiskForSubmissions, 413},
		{"no file", nil, false, intake.MinDiskForSubmissions, 400},
		{"too little room", files(1), false, intake.MinDiskForSubmissions - 1, 503},
		{"bytes that were not uploaded", []job.File{{Path: "a.py", Size: 1, Digest: blob.DigestOf([]byte("never sent"))}}, false, 1 << 40, 409},
		{"bytes of another", []job.File{d.file(d.who["team"], "a.py", "of another")}, false, 1 << 40, 409},
		{"another size", []job.File{{Path: "a.py", Size: 999, Digest: blob.DigestOf([]byte("0"))}}, false, 1 << 40, 409},
	} {
		n := d.submission(ada, nil)
		n.Files, n.Folder = tt.files, tt.folder
		if len(tt.files) > 0 {
			n.Program = tt.files[0].Path
		}
		if tt.folder {
			n.Program = "folder"
		}
		d.free = tt.free
		if got, text := code(t, second(d.Submit(t.Context(), n))); got != tt.want {
			t.Errorf("%s: %d %q, want %d", tt.name, got, text, tt.want)
		}
		d.free = 1 << 40
	}
	d.FreeDisk = func() (int64, error) { return 0, errors.New("no disk") }
	if err := d.CheckDisk(0); err == nil || err.Error() != "no disk" {
		t.Errorf("a disk that cannot be asked: %v", err)
	}
}

// TestSentBound checks the limit of uploads that nothing refers to. It is 64 MiB for an account that only submits
// and larger for one that publishes. There is no limit for an administrator.
func TestSentBound(t *testing.T) {
	d := newDoor(t)
	var named blob.Digest
	d.Contents = func(manifest blob.Digest) ([]blob.Digest, error) { return []blob.Digest{named}, nil }
	send := func(who string, data []byte, publishes bool) error {
		s, err := d.Blobs.Stage(bytes.NewReader(data))
		d.must(err)
		defer s.Close()
		return d.StoreUpload(t.Context(), d.who[who], s, publishes)
	}
	full := make([]byte, 64<<20)
	for _, tt := range []struct {
		who       string
		publishes bool
		want      int
	}{{"outsider", false, 429}, {"judge", false, 429}, {"outsider", true, 200}, {"admin", false, 200}} {
		d.must(send(tt.who, full, tt.publishes))
		got, text := code(t, send(tt.who, []byte("x"), tt.publishes))
		if got != tt.want || got == 429 && !strings.Contains(text, "64 MiB") {
			t.Errorf("%s, publishes %v: %d %q, want %d", tt.who, tt.publishes, got, text, tt.want)
		}
		if has := has(t, d.Blobs, blob.DigestOf([]byte("x")), 1); has != (got == 200 || tt.who == "admin") {
			t.Logf("%s: the blob is there: %v", tt.who, has)
		}
	}
	d.MaxSize = 32 << 20 // then the limit is 128 MiB: four submissions of this size
	d.must(send("team", full, false))
	d.must(send("team", []byte("x"), false))
	const part = 32 << 20
	used := bytes.Repeat([]byte("1"), part)
	d.must(send("team", used, false))
	if got, _ := code(t, send("team", bytes.Repeat([]byte("2"), part), false)); got != 429 {
		t.Errorf("past the limit: %d", got)
	}
	n := d.submission(d.who["team"], d.seat(d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 1000}), "team"))
	n.Files = []job.File{{Path: "a.py", Size: part, Digest: blob.DigestOf(used)}}
	d.must(second(d.Submit(t.Context(), n)))
	d.must(send("team", bytes.Repeat([]byte("2"), part), false)) // a submission uses the first one now
}

// TestLanguages checks that a contest and the workers determine the allowed languages.
func TestLanguages(t *testing.T) {
	d := newDoor(t)
	seat := d.seat(d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 1000, Languages: []string{"py", "sh"}}), "team")
	send := func(language, program string) (int, string) {
		n := d.submission(d.who["team"], seat)
		n.Language, n.Program, n.Files = language, program, []job.File{d.file(d.who["team"], program, "1")}
		return code(t, second(d.Submit(t.Context(), n)))
	}
	for _, tt := range []struct {
		language, program string
		want              int
	}{{"", "a.py", 200}, {"py", "a", 200}, {"sh", "a", 200}, {"another", "a", 400}, {"", "a.xyz", 200}} {
		if got, text := send(tt.language, tt.program); got != tt.want || got == 400 && !strings.Contains(text, "they are py, sh") {
			t.Errorf("%q %q: %d %q", tt.language, tt.program, got, text)
		}
	}
	_, err := d.Store.CreateClass(t.Context(), "main", job.Capabilities{Languages: map[string]string{"another": "1"}})
	d.must(err)
	for _, tt := range []struct {
		language, program string
		want              int
	}{
		{"", "a.py", 200}, // workers have one of the two languages with this extension
		{"py", "a", 400}, {"", "a.sh", 400}, {"", "a.SH", 400}, {"", "a.xyz", 200},
	} {
		if got, text := send(tt.language, tt.program); got != tt.want || got == 400 && !strings.Contains(text, ": choose another language") {
			t.Errorf("with workers of one language: %q %q: %d %q", tt.language, tt.program, got, text)
		}
	}
}

// TestPlace checks which contest a submission goes to if it names no contest.
func TestPlace(t *testing.T) {
	type in struct {
		v        store.Visibility
		phase    auth.Phase
		practice bool
	}
	pub := store.VisibilityPublic
	for _, tt := range []struct {
		name     string
		who      string
		contests []in
		want     int    // contest index, from 1; 0 for practice, -1 if there is no such problem
		code     int    // status of the Refusal; 0 if there is none
		says     string // part of the Refusal's text
	}{
		{"no contest", "roleless", nil, 0, 0, ""},
		{"no contest", "outsider", nil, -1, 0, ""},
		{"no contest", "judge", nil, 0, 0, ""},
		{"a running contest", "outsider", []in{{pub, auth.Running, false}}, 1, 0, ""},
		{"a running contest, after one with practice", "outsider", []in{{pub, auth.Over, true}, {pub, auth.Running, false}}, 2, 0, ""},
		{"a running contest, before one with practice", "outsider", []in{{pub, auth.Running, false}, {pub, auth.Over, true}}, 1, 0, ""},
		{"a contest with practice", "outsider", []in{{pub, auth.Over, false}, {pub, auth.Over, true}}, 2, 0, ""},
		{"two running contests", "outsider", []in{{pub, auth.Running, false}, {pub, auth.Running, false}}, 0, 409,
			"several running contests have the problem sum: c1, c2"},
		{"two running contests, one of them of others", "outsider",
			[]in{{pub, auth.Running, false}, {store.VisibilityTeams, auth.Running, false}}, 1, 0, ""},
		{"a contest that is over", "outsider", []in{{pub, auth.Over, false}}, 0, 403, "Contest 1 is over"},
		{"a contest that is over", "judge", []in{{pub, auth.Over, false}}, 1, 0, ""},
		{"a contest that has not begun", "outsider", []in{{pub, auth.Before, false}}, -1, 0, ""},
		{"a contest that has not begun", "judge", []in{{pub, auth.Before, false}}, 1, 0, ""},
		{"a contest of others", "outsider", []in{{store.VisibilityTeams, auth.Running, false}}, -1, 0, ""},
		{"a contest of others", "roleless", []in{{store.VisibilityTeams, auth.Running, false}}, -1, 0, ""},
		{"a contest of the team", "team", []in{{store.VisibilityTeams, auth.Running, false}}, 1, 0, ""},
		{"no team", "runner", []in{{pub, auth.Running, false}}, 0, 403, "do not take part"},
	} {
		t.Run(tt.name+", "+tt.who, func(t *testing.T) {
			d := newDoor(t)
			var slugs []string
			for _, c := range tt.contests {
				slugs = append(slugs, d.contest(c.v, c.phase, store.Settings{Practice: c.practice}).Slug)
			}
			seat, err := d.FindContest(t.Context(), d.who[tt.who], "sum")
			seen, seesErr := d.CanSeeProblem(t.Context(), d.who[tt.who], "sum")
			if seesErr != nil || seen != (tt.want >= 0) {
				t.Errorf("the problem is seen: %v, %v", seen, seesErr)
			}
			switch {
			case tt.want < 0:
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("got %v, %v", seat, err)
				}
			case tt.code != 0:
				if got, text := code(t, err); got != tt.code || !strings.Contains(text, tt.says) {
					t.Errorf("got %d %q, want %d %q", got, text, tt.code, tt.says)
				}
			case tt.want == 0:
				if seat != nil || err != nil {
					t.Errorf("got %v, %v", seat, err)
				}
			case err != nil || seat.Contest.Slug != slugs[tt.want-1]:
				t.Errorf("got %v, %v", seat, err)
			}
			// The problem's label leads to the same contest, if that has begun.
			p, at, err := d.ProblemByLabel(t.Context(), d.who[tt.who], "", "a")
			begun := slices.ContainsFunc(tt.contests, func(c in) bool { return c.phase != auth.Before })
			switch {
			case tt.code != 0:
				if got, _ := code(t, err); got != tt.code {
					t.Errorf("by its label: %d, want %d", got, tt.code)
				}
			case tt.want <= 0 || !begun:
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("by its label: %v, %v", at, err)
				}
			case err != nil || at.Contest.Slug != slugs[tt.want-1] || p.Slug != "sum":
				t.Errorf("by its label: %v, %v, %v", p, at, err)
			}
			for _, slug := range slugs { // with the slug of a contest, the choice is unique
				_, at, err := d.ProblemByLabel(t.Context(), d.who[tt.who], slug, "A")
				if err == nil && at.Contest.Slug != slug {
					t.Errorf("by its label in %s: %s", slug, at.Contest.Slug)
				}
			}
			if _, _, err := d.ProblemByLabel(t.Context(), d.who[tt.who], "", "B"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("by a label that there is not: %v", err)
			}
		})
	}
}

// TestRejudge checks which submissions a rejudging selects, and which requests are rejected.
func TestRejudge(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{PerMinute: 1000})
	by := d.who["judge"]
	p, err := d.Store.Problem(t.Context(), "sum")
	d.must(err)
	version := string(p.Bundle)
	for _, tt := range []struct {
		name string
		n    intake.NewRejudging
		want int
		says string
	}{
		{"no reason", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Problem: "A"}, Why: " "}, 400, "enter a reason"},
		{"everything", intake.NewRejudging{Why: "why"}, 400, "every submission"},
		{"no submission", intake.NewRejudging{All: true, Why: "why"}, 409, "no submission"},
		{"an unknown problem", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Problem: "B"}, Why: "why"}, 400, `no problem "B"`},
		{"an unknown verdict", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Verdict: "XX"}, Why: "why"}, 400,
			`"XX" is not a verdict`},
		{"an unknown language", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Language: "klingon"}, Why: "why"}, 400,
			`"klingon" is no language`},
		{"an unknown version", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Version: "01234567"}, Why: "why"}, 400,
			"no problem here has a version"},
		{"a short version", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Version: string(version[:7])}, Why: "why"}, 400,
			"no problem here has a version"},
		{"another version", intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Problem: "A"}, Why: "why", Against: "01234567"}, 400,
			"no problem here has a version"},
		{"a version without a problem", intake.NewRejudging{All: true, Why: "why", Against: version}, 400, "belongs to one problem"},
		{"too many runs", intake.NewRejudging{All: true, Why: "why", Repeats: 11}, 400, "from 1 to 10 times, not 11"},
		{"fewer than no runs", intake.NewRejudging{All: true, Why: "why", Repeats: -1}, 400, "from 1 to 10 times, not -1"},
	} {
		_, _, err := d.Rejudge(t.Context(), c, tt.n, by)
		if got, text := code(t, err); got != tt.want || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %q, want %d %q", tt.name, got, text, tt.want, tt.says)
		}
	}
	d.must(second(d.Submit(t.Context(), d.submission(d.who["team"], d.seat(c, "team")))))
	_, _, err = d.Rejudge(t.Context(), c, intake.NewRejudging{SubmissionQuery: intake.SubmissionQuery{Problem: "sum"}, Why: "why"}, by)
	if got, text := code(t, err); got != 409 || !strings.Contains(text, "all 1 matching submissions are pending") {
		t.Errorf("a submission without a verdict: %d %q", got, text)
	}
	waiting, err := d.Store.NextJobs(t.Context(), job.ContestPriority, "main", 10)
	d.must(err)
	for _, s := range waiting {
		_, err := d.Store.RecordResult(t.Context(), &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: judge.WrongAnswer}}, "")
		d.must(err)
	}
	for _, none := range []intake.SubmissionQuery{{Who: "outsider"}, {Verdict: "AC"}, {Language: "sh"}, {Worker: "v"}} {
		if got, _ := code(t, third(d.Rejudge(t.Context(), c, intake.NewRejudging{SubmissionQuery: none, Why: "why"}, by))); got != 409 {
			t.Errorf("%+v: %d", none, got)
		}
	}
	for _, all := range []intake.SubmissionQuery{{Problem: "A"}, {Problem: "sum"}, {Who: " team "}, {Verdict: "WA"}, {Language: "py"}, {},
		{Worker: " w "}, {Verdict: store.NotAccepted}, {Version: strings.ToUpper(version[:8])}} {
		n := intake.NewRejudging{SubmissionQuery: all, All: true, Why: " why ", Repeats: 2}
		if all.Problem != "" {
			n.Against = version[:8]
		}
		r, left, err := d.Rejudge(t.Context(), c, n, by)
		if err != nil || left != 0 || r.Why != "why" || r.Repeats != 2 || (r.Bundle != "") != (all.Problem != "") {
			t.Errorf("%+v: %+v, %d, %v", all, r, left, err)
			continue
		}
		if got, text := code(t, d.EndRejudging(t.Context(), r.ID, true)); got != 409 || !strings.Contains(text, "cannot be applied") {
			t.Errorf("applied too early: %d %q", got, text)
		}
		d.must(d.EndRejudging(t.Context(), r.ID, false))
		if got, text := code(t, d.EndRejudging(t.Context(), r.ID, false)); got != 409 || !strings.Contains(text, "applied or cancelled already") {
			t.Errorf("canceled twice: %d %q", got, text)
		}
	}
	f, err := d.ParseQuery(t.Context(), c, intake.SubmissionQuery{Language: "another"})
	if err != nil || !slices.Equal(f.Extensions, []string{"apy"}) {
		t.Errorf("the endings of the second language with the ending py: %+v, %v", f, err)
	}
	if f, err = d.ParseQuery(t.Context(), &store.Contest{ID: store.Practice, Slug: "practice"},
		intake.SubmissionQuery{Problem: "sum"}); err != nil || f.Problem != "sum" {
		t.Errorf("a problem in practice: %+v, %v", f, err)
	}
}

func third[T, U any](_ T, _ U, err error) error { return err }

// TestAsk checks that an account can have at most 10 open workflows. An account with a role, or with many set, can
// have 100.
func TestAsk(t *testing.T) {
	d := newDoor(t)
	file := job.File{Path: "a.py", Size: 1, Digest: blob.DigestOf([]byte("1"))}
	options, err := json.Marshal(workflow.GolfOptions{Submissions: []workflow.GolfFile{{Name: "a.py", File: "a.py"}}})
	d.must(err)
	spec := &workflow.Spec{Kind: workflow.Golf, Options: options, Work: job.Work{
		Bundle: file.Digest, Config: file.Digest, Problem: "sum", Program: "sum", IsDir: true, Files: []job.File{file}}}
	n := 0
	ask := func(who string, many bool) (int, string) {
		n++
		return code(t, second(d.StartWorkflow(t.Context(), d.who[who], fmt.Sprint("workflow", n), spec, many)))
	}
	for _, tt := range []struct {
		who  string
		many bool
		most int
	}{{"outsider", false, 10}, {"team", true, 100}, {"judge", false, 100}} {
		for i := range tt.most {
			if got, text := ask(tt.who, tt.many); got != 200 {
				t.Fatalf("%s, workflow %d: %d %q", tt.who, i+1, got, text)
			}
		}
		if got, text := ask(tt.who, tt.many); got != 429 ||
			!strings.Contains(text, fmt.Sprint("limit reached: ", tt.most, " remote runs for each")) {
			t.Errorf("%s, one more: %d %q", tt.who, got, text)
		}
	}
	ended, err := d.CancelWorkflows(t.Context(), d.who["outsider"], "enough")
	if err != nil || ended != 10 {
		t.Errorf("%d workflows ended, %v", ended, err)
	}
	if got, text := ask("outsider", false); got != 200 {
		t.Errorf("after all ended: %d %q", got, text)
	}
	bad := *spec
	bad.Kind = "poem"
	if got, _ := code(t, second(d.StartWorkflow(t.Context(), d.who["admin"], "bad", &bad, false))); got != 400 {
		t.Errorf("a workflow of no kind: %d", got)
	}
}

// TestShownReason checks that only administrators see paths on a server or a worker.
func TestShownReason(t *testing.T) {
	for reason, hidden := range map[string]bool{
		"no space": false, "open /var/lib/x: no space": true, "1/2 of it": false, "(/etc/passwd)": true, "a / b": false, `"/x"`: true,
		"file=/x": true,
	} {
		for _, whose := range []judge.Blame{judge.Machine, judge.Setter, judge.Caller} {
			if got := intake.RedactReason(reason, whose) != reason; got != (hidden && whose == judge.Machine) {
				t.Errorf("%q of the %s is hidden: %v", reason, whose, got)
			}
		}
	}
}

// TestWorkflowReason checks that the reason of a workflow is shown as that of its failed task, by blame.
func TestWorkflowReason(t *testing.T) {
	d := newDoor(t)
	const path = "open /var/lib/x: no space"
	for i, tt := range []struct {
		blame  judge.Blame // of the failed task
		reason string
		hidden bool
	}{{judge.Machine, path, true}, {judge.Setter, path, false}, {judge.Caller, path, false}, {judge.Machine, "no space", false},
		{judge.Machine, "", false}} {
		id := fmt.Sprint("w", i)
		f, err := d.Store.NewWorkflow(t.Context(), id, "verify", []byte("{}"), d.who["team"].ID)
		d.must(err)
		work := job.Work{Kind: job.Submission, Bundle: blob.DigestOf([]byte("sum")), Config: blob.DigestOf([]byte("sum")), Problem: "sum",
			Program: "a.py",
			Files:   []job.File{d.file(d.who["team"], "a.py", "print(1)")}}
		for _, key := range []string{"failed", "other"} {
			added, err := d.Store.AddWorkflowJobs(t.Context(), id, store.WorkflowJob{Key: key, Work: work, Priority: job.BackgroundPriority,
				Class: "main"})
			if err != nil || added != 1 {
				t.Fatal(added, err)
			}
		}
		for attempt := range 5 {
			specs, err := d.Store.NextJobs(t.Context(), job.BackgroundPriority, "main", 10)
			d.must(err)
			for _, s := range specs {
				r := &job.Result{
					Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: fmt.Sprint("w", attempt), State: job.Failed, Blame: tt.blame,
					Reason: tt.reason,
				}
				if s.ID == store.WorkflowJobID(id, "other") {
					r.Blame, r.Reason = judge.Setter, "another reason"
				}
				d.must(second(d.Store.RecordResult(t.Context(), r, "")))
			}
		}
		if tasks, err := d.Store.TaskResults(t.Context(), id); err != nil || len(tasks) != 2 {
			t.Fatalf("%d tasks have a result: %v", len(tasks), err)
		}
		if f.Reason = tt.reason; tt.reason != "" {
			f.Reason = "verify sum: " + tt.reason
		}
		got, err := d.WorkflowReason(t.Context(), f)
		if err != nil || (got != f.Reason) != tt.hidden || strings.Contains(got, "/var") == tt.hidden && tt.reason == path {
			t.Errorf("%q, blame %v: %q, %v", f.Reason, tt.blame, got, err)
		}
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
