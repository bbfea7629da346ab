package api_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// TestPublishersSeeTheirOwn checks access to another publisher's problem that is reserved for a future contest. A
// token with the scope publish can neither list the problem nor use it in a workflow. Tokens of the problem's
// owner and of a contest administrator can do both.
func TestPublishersSeeTheirOwn(t *testing.T) {
	h := newHarness(t)
	h.submission("one") // account publish publishes problem sum
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
		Visibility: store.VisibilityAccounts, Settings: store.Settings{Show: judge.ShowCases}}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	for who, is := range map[string]struct {
		role   auth.Role
		scopes []string
	}{
		"setter":   {"", []string{"publish"}},
		"chief":    {auth.ContestAdmin, []string{"submit", "publish"}},
		"chief-ro": {auth.ContestAdmin, []string{"submit"}},
	} {
		account, err := h.store.NewAccount(t.Context(), who, who, store.PersonAccount, string(is.role))
		if err != nil {
			t.Fatal(err)
		}
		text, hash := auth.NewToken()
		if _, err := h.store.NewToken(t.Context(), account.ID, hash, "", is.scopes, time.Time{}); err != nil {
			t.Fatal(err)
		}
		h.headers[who] = "Bearer " + text
	}
	for i, tt := range []struct {
		who           string
		lists, bundle bool
		uses          bool
	}{
		{"submit", false, false, false},
		{"setter", false, false, false},
		{"publish", true, true, true},
		{"chief", true, true, true},
		{"chief-ro", true, false, true},
		{"admin", true, true, true},
	} {
		code, said := h.ask(tt.who, "GET", client.ProblemsPath, nil)
		var all []client.Problem
		if err := json.Unmarshal([]byte(said), &all); code != 200 || err != nil {
			t.Fatalf("%s lists: %d, %v: %s", tt.who, code, err, said)
		}
		at := slices.IndexFunc(all, func(p client.Problem) bool { return p.Slug == "sum" })
		if at >= 0 != tt.lists || at >= 0 && (all[at].Bundle != "") != tt.bundle {
			t.Errorf("%s lists %+v", tt.who, all)
		}
		n := client.NewWorkflow{Kind: workflow.Golf, Problem: "sum"}
		code, said = h.ask(tt.who, "PUT", client.WorkflowsPath+"/"+"AAAAAAAAAAAAAAAAAAAAAAA"+string(rune('a'+i)), n)
		if (code == 404) == tt.uses {
			t.Errorf("%s asks for a workflow: %d: %s", tt.who, code, said)
		}
	}
}
