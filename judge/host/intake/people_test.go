package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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

// TestScopes checks which tokens an account may create, depending on its role.
func TestScopes(t *testing.T) {
	for role, want := range map[auth.Role]string{
		auth.Contestant: "submit", auth.BalloonRunner: "submit", auth.Judge: "submit", auth.ContestAdmin: "submit publish",
		auth.Admin: "submit publish admin",
	} {
		if got := strings.Join(intake.Scopes(role), " "); got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
	}
	for role, want := range map[string]auth.Role{"": auth.Contestant, "judge": auth.Judge, "king": auth.Contestant} {
		if got := intake.ServerRole(&store.Account{Role: role}); got != want {
			t.Errorf("%q is %s", role, got)
		}
	}
	if got := intake.ServerRole(nil); got != auth.Anonymous {
		t.Errorf("no account is %s", got)
	}
}

// TestExtraTime checks that a contest ends at a separate time for each team, and never if it has no length.
func TestExtraTime(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	team := d.seat(c, "team").Team
	team.ExtraTime = 10 * time.Minute
	d.must(d.Store.SetTeam(t.Context(), team, ""))
	for who, extra := range map[string]time.Duration{"team": 10 * time.Minute, "outsider": 0, "anonymous": 0} {
		d.now = c.Starts.Add(time.Hour + extra - time.Microsecond)
		if s := d.seat(c, who); s.State.Phase != auth.Running || !s.Ends().Equal(c.Starts.Add(time.Hour+extra)) {
			t.Errorf("%s: %s, until %v", who, s.State.Phase, s.Ends())
		}
		d.now = d.now.Add(time.Microsecond)
		if s := d.seat(c, who); s.State.Phase != auth.Over {
			t.Errorf("%s at the end: %s", who, s.State.Phase)
		}
	}
	c.Length = 0
	if s := d.seat(c, "team"); s.State.Phase != auth.Running || !s.Ends().IsZero() {
		t.Errorf("a contest without an end: %s, until %v", s.State.Phase, s.Ends())
	}
	c.Starts = time.Time{}
	if s := d.seat(c, "team"); s.State.Phase != auth.Before {
		t.Errorf("a contest without a start: %s", s.State.Phase)
	}
}

// TestInvite checks the limits of invitations.
func TestInvite(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	by := d.who["admin"].ID
	for _, tt := range []struct {
		name string
		intake.InvitationRequest
		want int
	}{
		{"the fewest", intake.InvitationRequest{Uses: 1, Days: 0.5}, 200},
		{"the most", intake.InvitationRequest{Uses: 2000, Days: 365, Note: strings.Repeat("é", 100), Contest: c.Slug}, 200},
		{"for no use", intake.InvitationRequest{Uses: 0, Days: 1}, 400},
		{"for too many uses", intake.InvitationRequest{Uses: 2001, Days: 1}, 400},
		{"for no time", intake.InvitationRequest{Uses: 1}, 400}, {"for too long", intake.InvitationRequest{Uses: 1, Days: 365.01}, 400},
		{"for no number of days", intake.InvitationRequest{Uses: 1, Days: math.NaN()}, 400},
		{"a long note", intake.InvitationRequest{Uses: 1, Days: 1, Note: strings.Repeat("é", 101)}, 400},
		{"a note of two lines", intake.InvitationRequest{Uses: 1, Days: 1, Note: "a\nb"}, 400},
		{"another contest", intake.InvitationRequest{Uses: 1, Days: 1, Contest: "none"}, 404},
	} {
		tt.By = by
		secret, i, err := d.CreateInvitation(t.Context(), tt.InvitationRequest)
		if got, text := code(t, err); got != tt.want {
			t.Errorf("%s: %d %q, want %d", tt.name, got, text, tt.want)
		}
		if err != nil {
			continue
		}
		ends := d.now.Add(time.Duration(tt.Days * float64(24*time.Hour)))
		if secret == "" || i.MaxUses != int64(tt.Uses) || (i.Contest == c.ID) != (tt.Contest != "") || i.Note != tt.Note ||
			i.Expires.Sub(ends).Abs() > time.Millisecond {
			t.Errorf("%s: %q, %+v", tt.name, secret, i)
		}
	}
	d.Registration = auth.Closed
	if got, _ := code(t, third(d.CreateInvitation(t.Context(), intake.InvitationRequest{Uses: 1, Days: 1, By: by}))); got != 409 {
		t.Errorf("on a server that is closed: %d", got)
	}
}

// TestShutOut checks that a disabled account loses its practice submissions and workflows, but no submissions to a
// contest.
func TestShutOut(t *testing.T) {
	d := newDoor(t)
	team := d.who["team"]
	seat := d.seat(d.contest(store.VisibilityPublic, auth.Running, store.Settings{}), "team")
	practice, err := d.Submit(t.Context(), d.submission(team, nil))
	d.must(err)
	counted, err := d.Submit(t.Context(), d.submission(team, seat))
	d.must(err)
	other, err := d.Submit(t.Context(), d.submission(d.who["outsider"], nil))
	d.must(err)
	d.must(d.DisableAccount(t.Context(), team))
	for id, want := range map[string]bool{practice.ID: false, counted.ID: true, other.ID: true} {
		s, err := d.Store.Submission(t.Context(), id)
		d.must(err)
		if waits := s.State == store.JobWaiting; waits != want {
			t.Errorf("submission %d waits: %v (%s)", s.Number, waits, s.State)
		}
	}
	a, err := d.Store.Account(t.Context(), team.ID)
	if err != nil || !a.Disabled {
		t.Errorf("the account: %+v, %v", a, err)
	}
}

// TestErase checks that an account is erased once with its data, and that the audit log names the caller.
func TestErase(t *testing.T) {
	d := newDoor(t)
	var forgotten []blob.Digest
	d.RemoveUnused = func(_ context.Context, all []blob.Digest) error { forgotten = append(forgotten, all...); return nil }
	team := d.who["team"]
	n := d.submission(team, nil)
	n.Files[0] = d.file(team, "a.py", "mine alone")
	sent, err := d.Submit(t.Context(), n)
	d.must(err)
	by := store.AuditEntry{Actor: d.who["admin"].ID, Address: "10.0.0.1"}
	if got, _ := code(t, d.Erase(t.Context(), d.who["admin"], by)); got != 409 {
		t.Errorf("the account of the server itself: %d", got)
	}
	d.must(d.Erase(t.Context(), team, by))
	if s, err := d.Store.Submission(t.Context(), sent.ID); err == nil && s.State == store.JobWaiting {
		t.Errorf("its submission still waits: %+v", s)
	}
	if !slices.Contains(forgotten, blob.DigestOf([]byte("mine alone"))) {
		t.Errorf("its program is kept: %q", forgotten)
	}
	entries, err := d.Store.LatestAuditEntries(t.Context(), "", 10)
	if err != nil || len(entries) != 1 || entries[0].Action != "erase" || entries[0].Object != team.ID || entries[0].Address != "10.0.0.1" {
		t.Errorf("the audit log: %+v, %v", entries, err)
	}
	erased, err := d.Store.Account(t.Context(), team.ID)
	d.must(err)
	// A repeated call removes what an interrupted one left, without another log entry.
	forgotten = nil
	d.must(d.Erase(t.Context(), erased, by))
	if !slices.Contains(forgotten, blob.DigestOf([]byte("mine alone"))) {
		t.Errorf("what was left is kept: %q", forgotten)
	}
	if entries, err = d.Store.LatestAuditEntries(t.Context(), "", 10); err != nil || len(entries) != 1 {
		t.Errorf("the audit log: %+v, %v", entries, err)
	}
	// If nothing is left, a repeated call is refused.
	d.must(d.Erase(t.Context(), d.who["roleless"], by))
	none, err := d.Store.Account(t.Context(), d.who["roleless"].ID)
	d.must(err)
	left, err := d.Store.PendingBlobRemovals(t.Context())
	d.must(err)
	remove := func(all ...blob.Digest) {
		d.must(d.Store.RemoveBlobs(t.Context(), all, func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
			func(blob.Digest) error { return nil }))
	}
	remove(left[1:]...)
	forgotten = nil
	if d.must(d.Erase(t.Context(), none, by)); !slices.Equal(forgotten, left[:1]) {
		t.Errorf("the last blob is kept: %q", forgotten)
	}
	remove(left[0])
	if got, text := code(t, d.Erase(t.Context(), none, by)); got != 409 || text != "this account was erased already" {
		t.Errorf("an account that was erased: %d %q", got, text)
	}
	// An account that erases itself leaves no address in the log.
	own := d.who["outsider"]
	d.must(d.Erase(t.Context(), own, store.AuditEntry{Actor: own.ID, Address: "10.0.0.2"}))
	if entries, err = d.Store.LatestAuditEntries(t.Context(), "", 10); err != nil || fmt.Sprint(entries) == "" ||
		strings.Contains(fmt.Sprint(entries), "10.0.0.2") {
		t.Errorf("the audit log: %+v, %v", entries, err)
	}
}

// TestMade checks that the audit log gets an entry for each account that a list created, and for no other account.
func TestMade(t *testing.T) {
	all := intake.AccountEntries(store.AuditEntry{Actor: "admin"}, []auth.Credentials{{Login: "b"}},
		[]*store.Account{{ID: "1", Login: "a"}, {ID: "2", Login: "b"}})
	if len(all) != 1 || all[0].Object != "2" || all[0].Action != "new account" || all[0].Actor != "admin" {
		t.Errorf("the entries are %+v", all)
	}
}

// TestUsableProblems checks that an account can use its own problems and those of its contest. An account with
// auth.AllProblems can use all problems.
func TestUsableProblems(t *testing.T) {
	d := newDoor(t)
	d.publish("other")
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{})
	for _, tt := range []struct {
		who  string
		in   *store.Contest
		want string
	}{{"judge", nil, ""}, {"judge", c, "sum"}, {"contest-admin", nil, "other sum"}, {"admin", nil, "other sum"}} {
		all, err := d.UsableProblems(t.Context(), d.who[tt.who], tt.in)
		d.must(err)
		var got []string
		for _, p := range all {
			got = append(got, p.Slug)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s in %v: %q, want %q", tt.who, tt.in, got, tt.want)
		}
	}
	p, err := d.Store.Problem(t.Context(), "sum")
	d.must(err)
	if !intake.Owns(d.who["admin"], p) || intake.Owns(d.who["judge"], p) || intake.Owns(nil, p) {
		t.Error("another account owns the problem")
	}
}

// TestBodyRefusal checks that a request whose body does not arrive is rejected. Other errors are not the sender's.
func TestBodyRefusal(t *testing.T) {
	for err, want := range map[error]int{os.ErrDeadlineExceeded: 408, io.ErrUnexpectedEOF: 400, errors.New("no disk"): 0} {
		got := 0
		if r := intake.BodyRefusal(fmt.Errorf("read: %w", err)); r != nil {
			got = r.Code
		}
		if got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

// TestPlaces checks the rank of an author's best golf submission, both among submissions in the same language and
// among all submissions.
func TestPlaces(t *testing.T) {
	d := newDoor(t)
	h := &store.Hole{Slug: "h", Name: "Hole", ProblemSlug: "sum", Visibility: store.VisibilityPublic}
	d.must(d.Store.NewHole(t.Context(), h))
	answer := func(who, language string, size int) *store.GolfSubmission {
		s, err := d.HoleAccess(t.Context(), h, d.who[who])
		d.must(err)
		a, err := d.SubmitGolf(t.Context(), intake.NewGolfSubmission{HoleAccess: s, Name: "a.py", Data: []byte(fmt.Sprint(who, size)),
			Options: workflow.GolfSubmissionOptions{Language: "py"}})
		d.must(err)
		d.must(d.Store.RecordGolfOutcome(t.Context(), store.GolfOutcome{Workflow: a.Workflow, Correct: true, Language: language,
			Checked: &judge.GolfChecked{Language: strings.ToUpper(language), Verdict: judge.GolfCorrect,
				GolfSize: judge.GolfSize{Bytes: size, Chars: size}}}))
		d.now = d.now.Add(time.Second)
		a, err = d.Store.GolfSubmission(t.Context(), h.ID, a.Number)
		d.must(err)
		return a
	}
	best := answer("team", "py", 20)
	answer("outsider", "sh", 10)
	worse := answer("team", "py", 30)
	for _, tt := range []struct {
		a    *store.GolfSubmission
		want string
	}{
		{best, "20 bytes: rank 1 of 1 in PY, 2 of 2 over all"},
		{worse, fmt.Sprintf("submission %d counts, with 20 bytes: rank 1 of 1 in PY, 2 of 2 over all", best.Number)},
	} {
		if got, err := d.GolfRank(t.Context(), h, tt.a); err != nil || got != tt.want {
			t.Errorf("answer %d: %q, %v, want %q", tt.a.Number, got, err, tt.want)
		}
	}
	if got, err := d.GolfRank(t.Context(), h, &store.GolfSubmission{Account: "none"}); err != nil || got != "" {
		t.Errorf("an author without an answer: %q, %v", got, err)
	}
}

// TestWaits checks the queue position of a pending judgement. Other judgements have none.
func TestWaits(t *testing.T) {
	d := newDoor(t)
	var last *store.Judgement
	for range 3 {
		a, err := d.Submit(t.Context(), d.submission(d.who["team"], nil))
		d.must(err)
		last, err = d.Store.Judgement(t.Context(), a.ID)
		d.must(err)
	}
	if p, err := d.QueuePosition(t.Context(), last); err != nil || p == nil || p.Ahead != 2 {
		t.Errorf("the third waits at %+v, %v", p, err)
	}
	last.ID = "none"
	if p, err := d.QueuePosition(t.Context(), last); err != nil || p != nil {
		t.Errorf("a job that is gone waits at %+v, %v", p, err)
	}
	last.State = store.JobDone
	if p, err := d.QueuePosition(t.Context(), last); err != nil || p != nil {
		t.Errorf("what has ended waits at %+v, %v", p, err)
	}
	if events, err := d.Events(last); events != nil || err != nil {
		t.Errorf("no events: %v, %v", events, err)
	}
	packed, _, err := job.Pack([]judge.Event{&judge.Noted{Text: "stored"}})
	d.must(err)
	last.Events, _, err = d.Blobs.Add(bytes.NewReader(packed))
	d.must(err)
	if events, err := d.Events(last); err != nil || len(events) != 1 {
		t.Errorf("the stored events: %v, %v", events, err)
	}
	last.Events = blob.DigestOf([]byte("lost"))
	if _, err := d.Events(last); err == nil {
		t.Error("lost events can be read")
	}
}

// TestHook checks that the hook is called before and after a submission is stored, and not for a rejected one.
func TestHook(t *testing.T) {
	d := newDoor(t)
	var calls []bool
	d.OnSubmit = func(kept bool) { calls = append(calls, kept) }
	d.must(second(d.Submit(t.Context(), d.submission(d.who["team"], nil))))
	d.free = 0
	_ = second(d.Submit(t.Context(), d.submission(d.who["team"], nil)))
	if !slices.Equal(calls, []bool{false, true}) {
		t.Errorf("the calls are %v", calls)
	}
}

// TestNetwork checks that the network of an IPv4 address is the address itself, and that the network of an IPv6
// address is its first half.
func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"10.1.2.3:80": "10.1.2.3/32", "[::ffff:10.1.2.3]:80": "10.1.2.3/32", "[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80": "fe80::/64", "nonsense": "invalid Prefix", "": "invalid Prefix",
	} {
		if got := intake.Network(address).String(); got != want {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}
