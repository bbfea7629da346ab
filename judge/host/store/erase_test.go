package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// mark occurs in all texts that the person has entered, and nowhere else.
const mark = "zaphod"

// marked creates a person with data in all tables, and a scored submission.
func marked(t *testing.T, h *harness, c *store.Contest) (*store.Account, *store.StoredSubmission) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made, err := h.NewAccounts(t.Context(), store.NewAccount{Login: mark, Display: "The " + mark, Email: mark + "@x",
		Password: "hash-" + mark, Kind: store.PersonAccount, Role: "contestant"})
	check(err)
	a := made[0]
	check(h.SetDisplay(t.Context(), a.ID, "First "+mark+" then", mark+"@y")) // leaves an old row in the database files
	check(h.SetDisplay(t.Context(), a.ID, "The "+mark, mark+"@y"))
	check(h.NewSession(t.Context(), a, "session-"+mark, "browser "+mark))
	_, err = h.NewToken(t.Context(), a.ID, "token-"+mark, "label "+mark, []string{"submit"}, time.Time{})
	check(err)
	check(h.SetContestRole(t.Context(), a.ID, c.ID, "judge"))
	check(h.RecordSignOn(t.Context(), "sign-on",
		&store.SignOn{Identity: store.Identity{Issuer: "https://login.example", Subject: mark}, Name: mark, Username: mark}))
	check(h.LinkSignOn(t.Context(), "sign-on", a.ID))
	check(h.Audit(t.Context(), store.AuditEntry{Actor: a.ID, Action: "log in", Address: mark + ":1"}))
	team, err := h.Enter(t.Context(), c.ID, a)
	check(err)
	_, _, err = h.ImportContest(t.Context(), &store.ContestImport{
		ID: c.ID, Teams: []store.Team{{ExtID: team.ExtID, Name: mark, DisplayName: "display " + mark, ICPCID: mark}},
		Persons: []store.ContestPerson{{ID: "own", Name: mark, Role: "staff"},
			{ID: "member", Name: mark, Email: mark + "@z", Role: "contestant", Teams: []string{team.ExtID}}},
		Accounts: []store.ImportedAccount{{ID: "of-" + mark, Type: "team", Team: team.ExtID, Person: "own", Addresses: []string{"10.0.0.1"},
			Account: a, Role: "judge"}},
	})
	check(err)
	w := work()
	w.Program, w.Files = mark+".py", []job.File{{Path: mark + ".py", Size: 7, Digest: digest("by " + mark)}}
	n := store.NewSubmission{Key: mark, Contest: c.ID, Team: team.ID, Account: a.ID, Problem: "nim", Work: w,
		Priority: job.PracticePriority, Class: "main", Cost: time.Second}
	first, err := h.Submit(t.Context(), n)
	check(err)
	specs := h.next()
	h.out(specs...)
	r := h.result(specs[len(specs)-1], judge.Accepted)
	r.Events = []byte("events of " + mark)
	h.fold(r, store.Counted)
	r.Finished.Verdict, r.Reason = judge.WrongAnswer, "says "+mark
	h.fold(r, store.Disagreement)
	n.Key = ""
	_, err = h.Submit(t.Context(), n) // which waits
	check(err)
	check(h.NewUpload(t.Context(), &store.Upload{Account: a.ID, Problem: "nim", File: "of-" + mark + ".zip"}))
	f, err := h.NewWorkflow(t.Context(), "workflow", "verify", []byte(`{"of":"`+mark+`"}`), a.ID)
	check(err)
	_, err = h.AddWorkflowJobs(t.Context(), f.ID,
		store.WorkflowJob{Key: mark, Work: w, Priority: job.BackgroundPriority, Class: "main", Cost: time.Second})
	check(err)
	again, err := h.NewWorkflow(t.Context(), "again", "audit", []byte(`{"submission":"`+first.ID+`","file":"`+mark+`"}`), h.alice.ID)
	check(err)
	_, err = h.AddWorkflowJobs(t.Context(), again.ID,
		store.WorkflowJob{Key: "a", Work: w, Priority: job.BackgroundPriority, Class: "main", Cost: time.Second})
	check(err)
	return a, first
}

// found returns the files below a directory that contain the mark.
func found(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(data), []byte(mark)) {
			all = append(all, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestErase checks that no row in any table contains the mark after an erasure, and with SQLite no byte in any
// file. The results are kept.
func TestErase(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		a, sent := marked(t, h, c)
		upload, shared := store.Blob{Digest: digest("a file of " + mark), Size: 1}, store.Blob{Digest: digest("a file of two"), Size: 1}
		for account, files := range map[string][]store.Blob{a.ID: {upload, shared}, h.alice.ID: {shared}} {
			for _, f := range files {
				if err := h.RecordBlobUpload(t.Context(), account, f, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		backup := func() string {
			dir := t.TempDir()
			if _, err := h.Backup(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			return dir
		}
		if tables := found(t, backup()); len(tables) < 9 {
			t.Fatalf("the person is only in %v", tables)
		}
		blobs, err := h.Erase(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"by " + mark, "events of " + mark} {
			want := digest(text)
			if strings.HasPrefix(text, "events") {
				want = blob.DigestOf([]byte(text))
			}
			if !slices.Contains(blobs, want) {
				t.Errorf("the blob %q is not to be forgotten", text)
			}
		}
		if !slices.Contains(blobs, upload.Digest) || slices.Contains(blobs, shared.Digest) {
			t.Errorf("of what was sent and became nothing is to be forgotten %v", blobs)
		}
		if sent, err := h.HasUploaded(t.Context(), a.ID, shared.Digest); sent || err != nil {
			t.Errorf("who is erased has sent a blob: %v", err)
		}
		if erased, err := h.Account(t.Context(), a.ID); err != nil || !erased.LastLogin.IsZero() {
			t.Errorf("the erased account logged in at %v, %v", erased.LastLogin, err)
		}
		if left := found(t, backup()); len(left) > 0 {
			t.Errorf("the person is in the tables %v", left)
		}
		if !h.Postgres() {
			if left := found(t, filepath.Dir(dsn)); len(left) > 0 {
				t.Errorf("the person is in the files %v", left)
			}
		}
		var gone []blob.Digest
		left := func() int {
			all, err := h.PendingBlobRemovals(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		if left() == 0 {
			t.Error("nothing is known to be left to do")
		}
		err = h.RemoveBlobs(t.Context(), append(blobs, digest("nim1")), func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
			func(d blob.Digest) error {
				gone = append(gone, d)
				return nil
			})
		if left() != 0 {
			t.Errorf("%d blobs are left", left())
		}
		if err != nil || !slices.Contains(gone, digest("by "+mark)) || slices.Contains(gone, digest("nim1")) {
			t.Errorf("forgotten are %v, %v", gone, err)
		}
		// The person's results remain, without a name.
		sub, err := h.Submission(t.Context(), sent.ID)
		if err != nil || sub.Verdict != judge.Accepted || sub.Display != store.DeletedName || len(sub.Files) != 0 || sub.Team == "" {
			t.Errorf("the submission is %+v, %v", sub, err)
		}
		if j, err := h.Judgement(t.Context(), sent.ID); err != nil || j.Events != "" || len(j.Rows) != 1 {
			t.Errorf("its judgement is %+v, %v", j, err)
		}
		teams, err := h.Teams(t.Context(), c.ID)
		if err != nil || teams[0].Name != store.DeletedName {
			t.Errorf("the teams are %+v, %v", teams, err)
		}
		if specs := h.next(); len(specs) != 0 {
			t.Errorf("%d of his jobs wait", len(specs))
		}
		// The sessions are gone, and another account can get the username.
		if _, _, err := h.Session(t.Context(), "session-"+mark); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("his session: %v", err)
		}
		if _, _, err := h.TokenByHash(t.Context(), "token-"+mark); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("his token: %v", err)
		}
		for what, err := range map[string]error{
			"a password": h.SetPassword(t.Context(), a.ID, "x"), "letting in": h.SetDisabled(t.Context(), a.ID, false),
			"a name": h.SetDisplay(t.Context(), a.ID, "x", ""), "a role": h.SetRole(t.Context(), a.ID, "admin", nil),
		} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("who is erased gets %s: %v", what, err)
			}
		}
		if _, err := h.Erase(t.Context(), a.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("erased again: %v", err)
		}
		if _, err := h.NewAccount(t.Context(), mark, "another", store.PersonAccount, ""); err != nil {
			t.Errorf("the login is not free: %v", err)
		}
	})
}

// TestEraseKeepsWhatAContestKeeps checks that Erase keeps the programs, without a name, in a contest with final
// results and the setting KeepSources. It also checks that the last administrator cannot be erased.
func TestEraseKeepsWhatAContestKeeps(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		c.Settings.KeepSources, c.Finalized = true, h.clock.Now()
		if err := h.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		a, sent := marked(t, h, c)
		if _, err := h.Erase(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		if sub, err := h.Submission(t.Context(), sent.ID); err != nil || len(sub.Files) != 1 || sub.Display != store.DeletedName {
			t.Errorf("the submission is %+v, %v", sub, err)
		}
		made, err := h.NewAccounts(t.Context(), store.NewAccount{Login: "root", Display: "Root", Password: "hash", Kind: store.PersonAccount,
			Role: "admin"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Erase(t.Context(), made[0].ID); !errors.Is(err, store.ErrLastAdministrator) {
			t.Errorf("the last admin is erased: %v", err)
		}
		if root, err := h.Account(t.Context(), made[0].ID); err != nil || root.Disabled || root.Login != "root" {
			t.Errorf("he is %+v, %v", root, err)
		}
	})
}

// TestEraseQuestions checks that clarification requests of an erased person are deleted, unless an answer was sent
// to all teams or the team has another member. Texts that the person wrote as jury are kept, without the name.
func TestEraseQuestions(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		accounts, teams := map[string]*store.Account{}, map[string]*store.Team{}
		for _, login := range []string{"zoe", "bob"} {
			accounts[login] = h.account(login)
			team, err := h.Enter(t.Context(), c.ID, accounts[login])
			check(err)
			teams[login] = team
		}
		zoe, bob := accounts["zoe"].ID, accounts["bob"].ID
		for _, n := range []store.NewClarification{
			{Account: zoe, Team: teams["zoe"].ID, Text: "private question of zoe"},                       // 1
			{Account: zoe, Team: teams["zoe"].ID, Text: "question with a public answer"},                 // 2
			{Account: zoe, Team: teams["zoe"].ID, Text: "question without an answer"},                    // 3
			{Account: bob, Team: teams["bob"].ID, Text: "private question of bob"},                       // 4
			{Account: bob, Jury: true, Team: teams["zoe"].ID, ReplyTo: 1, Text: "private answer to zoe"}, // 5
			{Account: bob, Jury: true, ReplyTo: 2, Text: "public answer to zoe"},                         // 6
			{Account: zoe, Jury: true, Team: teams["bob"].ID, ReplyTo: 4, Text: "answer of zoe to bob"},  // 7
			{Account: zoe, Jury: true, Text: "announcement of zoe"},                                      // 8
			{Account: bob, Jury: true, Team: teams["zoe"].ID, Text: "message to zoe alone"},              // 9
		} {
			n.Contest = c.ID
			_, err := h.Clarify(t.Context(), n)
			check(err)
		}
		check(h.MarkRead(t.Context(), c.ID, zoe, 9))
		_, err := h.Erase(t.Context(), zoe)
		check(err)
		all, err := h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, AllTeams: true})
		check(err)
		want := map[int64]string{
			2: "question with a public answer", 4: "private question of bob", 6: "public answer to zoe", 7: "answer of zoe to bob",
			8: "announcement of zoe",
		}
		if len(all) != 9 {
			t.Errorf("there are %d clarifications", len(all))
		}
		for _, one := range all {
			if one.Text != want[one.Number] || one.Login == "zoe" || one.TeamName == "zoe" {
				t.Errorf("number %d by %s of %s says %q, want %q", one.Number, one.Login, one.TeamName, one.Text, want[one.Number])
			}
		}
	})
}

// TestEraseLeavesTheTeam checks that the clarification requests of an erased team member are kept while the team
// has another member.
func TestEraseLeavesTheTeam(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		zoe, bob := h.account("zoe"), h.account("bob")
		_, err := h.AddEntrants(t.Context(), c.ID, []store.Entrant{{Account: zoe, Team: "both"}, {Account: bob, Team: "both"}})
		check(err)
		team, err := h.TeamOf(t.Context(), c.ID, zoe.ID)
		check(err)
		_, err = h.Clarify(t.Context(), store.NewClarification{Contest: c.ID, Account: zoe.ID, Team: team.ID, Text: "question of the team"})
		check(err)
		for _, step := range []struct{ account, want string }{{zoe.ID, "question of the team"}, {bob.ID, ""}} {
			_, err := h.Erase(t.Context(), step.account)
			check(err)
			all, err := h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, AllTeams: true})
			check(err)
			if len(all) != 1 || all[0].Text != step.want {
				t.Errorf("the question says %+v, want %q", all, step.want)
			}
		}
	})
}
