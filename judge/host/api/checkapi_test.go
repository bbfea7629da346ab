package api_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/api"
	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// finalContest creates a contest that has an object of each type, and whose results are final and public.
func (h *harness) finalContest() {
	h.Helper()
	must := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	id := h.regional(time.Now().Add(-6*time.Hour), store.VisibilityPublic)
	h.speaking(h.documents)
	var listed []store.ImportedAccount
	for _, typ := range []clics.Role{clics.Analyst, clics.Staff, clics.Balloon, clics.Proxy, clics.CDS, clics.Shadow} {
		a, err := h.store.NewAccount(h.Context(), string(typ), string(typ), store.PersonAccount, "")
		must(err)
		text, hash := auth.NewToken()
		_, err = h.store.NewToken(h.Context(), a.ID, hash, "", []string{"submit"}, time.Time{})
		must(err)
		h.headers[string(typ)] = "Bearer " + text
		one := store.ImportedAccount{ID: "the-" + string(typ), Type: string(typ), Account: a}
		if typ == clics.Staff || typ == clics.Balloon {
			one.Role = string(auth.BalloonRunner) // as an import would set it
		}
		listed = append(listed, one)
	}
	_, _, err := h.store.ImportContest(h.Context(), &store.ContestImport{ID: id, Accounts: listed})
	must(err)
	start := time.Now().Add(-6 * time.Hour)
	for i, v := range []judge.Verdict{judge.WrongAnswer, judge.Accepted, judge.CompileError, judge.TimeLimit, judge.MemoryLimit} {
		body := fmt.Sprintf(`{"problem_id": "sum-2026", "language_id": "sh", "team_id": %q, "time": %q, "files": [{"data": %q}]}`,
			[]string{"7", "8"}[i/4], clics.FormatTime(start.Add(time.Duration(i+1)*time.Hour)), archiveSchema("a.sh", "x"))
		if answer, said := h.send("admin", "POST", "/api/2026-01/contests/wf/submissions", "application/json", body); answer.StatusCode != 200 {
			h.Fatal(said)
		}
		for _, priority := range job.Priorities {
			specs, err := h.store.NextJobs(h.Context(), priority, "main", 10)
			must(err)
			for _, s := range specs {
				r := &job.Result{Job: s.ID, Generation: 1, Token: s.Token, Worker: "w", State: job.Done, Finished: &judge.Finished{Verdict: v},
					Rows: []job.CaseRow{{Case: "secret/1", Verdict: judge.Accepted, CPUUS: 1500}, {Case: "secret/2", Verdict: v, CPUUS: 2500}}}
				_, err := h.store.RecordResult(h.Context(), r, "")
				must(err)
			}
		}
	}
	account := func(login string) *store.Account {
		a, err := h.store.AccountByLogin(h.Context(), login)
		must(err)
		return a
	}
	team, err := h.store.TeamOf(h.Context(), id, account("submit").ID)
	must(err)
	jury := account("publish").ID
	number, err := h.store.Clarify(h.Context(), store.NewClarification{Contest: id, Account: account("submit").ID, Team: team.ID,
		Text: "may I?", Problem: "sum"})
	must(err)
	for _, n := range []store.NewClarification{{ReplyTo: number, Team: team.ID, Text: "no"}, {Text: "to all"}} {
		n.Contest, n.Account, n.Jury = id, jury, true
		_, err = h.store.Clarify(h.Context(), n)
		must(err)
	}
	r, _, err := h.store.Rejudge(h.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: id, Verdict: "TLE"}, Why: "x",
		Account: jury})
	must(err)
	specs, err := h.store.NextJobs(h.Context(), job.BackgroundPriority, "main", 10)
	must(err)
	for _, s := range specs {
		_, err := h.store.RecordResult(h.Context(), &job.Result{Job: s.ID, Generation: 1, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: judge.RunTimeError}, Rows: []job.CaseRow{{Case: "secret/1", Verdict: judge.RunTimeError,
				CPUUS: 1500}}}, "")
		must(err)
	}
	must(h.store.ApplyRejudging(h.Context(), r.ID))
	c, err := h.store.Contest(h.Context(), id)
	must(err)
	c.Settings.Awards = []store.CustomAward{{ID: "best-name", Citation: "Best name", Teams: []string{"7"}}}
	must(h.store.SetContest(h.Context(), c, nil))
	c.FinalBy = "the chief judge"
	must(h.store.Finalize(h.Context(), c, nil))
	c.Thaw = time.Now()
	must(h.store.SetContest(h.Context(), c, nil))
}

// TestCheckAPI runs check-api.sh of ccs-specs against a final contest, for each version and each role. The script
// has no license, so it is not included here: CCS_SPECS must name a directory with checkouts of the branches. The
// schemas, with corrections, are checked in feed.TestSchemas.
func TestCheckAPI(t *testing.T) {
	dir := os.Getenv("CCS_SPECS")
	if dir == "" {
		t.Skip("NOT CHECKED by check-api.sh of ccs-specs: set CCS_SPECS to a directory with its branches 2026-01 and 2023-06")
	}
	for _, tool := range []string{"bash", "curl", "jq", "php"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("NOT CHECKED by check-api.sh of ccs-specs, which needs %s: install it", tool)
		}
	}
	h := newHarness(t)
	h.finalContest()
	patient := httptest.NewServer(api.Routed(h.options, time.Minute)) // check-api.sh cannot read a feed that ends with an empty line
	t.Cleanup(patient.Close)
	roles := map[clics.Role]string{clics.Public: "-s"}
	for _, role := range clics.Roles[1:] {
		login := string(role)
		if other := map[clics.Role]string{clics.Team: "submit", clics.Judge: "publish"}[role]; other != "" {
			login = other
		}
		roles[role] = "-s -u " + login + ":" + strings.TrimPrefix(h.headers[login], "Bearer ")
		if _, said := h.send(login, "GET", "/api/2026-01/contests/wf/account", "", ""); !strings.Contains(said,
			fmt.Sprintf(`"type":%q`, role.AccountType())) {
			t.Fatalf("%s is no %s in the contest: %s", login, role, said)
		}
	}
	for _, version := range clics.Versions {
		for role, curl := range roles {
			for _, flags := range [][]string{{"-C", "-e"}, {"-n", "-C", "-e"}} {
				t.Run(fmt.Sprint(version, " ", role, " ", flags[0]), func(t *testing.T) {
					t.Parallel()
					ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
					defer cancel()
					args := append([]string{filepath.Join(dir, string(version), "check-api.sh")}, flags...)
					args = append(args, "-t", "5", "-a", "strict=1", "-c", curl, "-j", "true", patient.URL+"/api/"+string(version))
					out, err := exec.CommandContext(ctx, "bash", args...).CombinedOutput()
					if text := string(out); err != nil || strings.Contains(text, "Warning") || strings.Contains(text, "Error") {
						t.Errorf("%v\n%s", err, text)
					}
				})
			}
		}
	}
}
