package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/store"
)

// TestWhoSeesWhichBoard checks that a hidden contest is not found, that a contest that has not begun has no
// scoreboard, and that only the jury gets the jury's view.
func TestWhoSeesWhichBoard(t *testing.T) {
	h := newHarness(t)
	judge, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	for slug, of := range map[string]struct {
		in      time.Duration
		visible store.Visibility
	}{"now": {-time.Hour, store.VisibilityAccounts}, "later": {time.Hour, store.VisibilityAccounts}, "hidden": {-time.Hour,
		store.VisibilityJury}} {
		c := &store.Contest{Slug: slug, Name: "The " + slug, Format: store.IOI, Starts: time.Now().Add(of.in), Length: 2 * time.Hour,
			Freeze: 30 * time.Minute, Visibility: of.visible}
		if err := h.store.NewContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		if err := h.store.SetContestRole(t.Context(), judge.ID, c.ID, "judge"); err != nil {
			t.Fatal(err)
		}
		for _, who := range []string{"submit", "other"} {
			a, err := h.store.AccountByLogin(t.Context(), who)
			if err == nil {
				_, err = h.store.Enter(t.Context(), c.ID, a)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		who, path string
		code      int
		said      string
	}{
		{"submit", "now", 200, `"scoreboard was frozen"`},
		{"publish", "now?view=jury", 200, "this one is not"},
		{"submit", "now?view=jury", 403, "not for you"},
		{"submit", "later", 403, "has not begun yet"},
		{"publish", "later", 200, "has not started"},
		{"submit", "hidden", 404, "there is no contest"},
		{"publish", "hidden", 200, "frozen"},
		{"submit", store.Practice, 404, "there is no contest"},
	} {
		slug, view, _ := strings.Cut(row.path, "?")
		code, said := h.ask(row.who, "GET", client.ContestsPath+"/"+slug+client.ScoreboardPath+"?"+view, nil)
		if code != row.code || !strings.Contains(said, strings.Trim(row.said, `"`)) {
			t.Errorf("%s asks for the board of %s: %d, want %d with %s in\n%s", row.who, row.path, code, row.code, row.said, said)
			continue
		}
		if code == 200 {
			var b client.Scoreboard
			if err := json.Unmarshal([]byte(said), &b); err != nil || b.Kind != "ioi" || len(b.Rows) != 2 || b.Rows[0].Rank != 1 ||
				b.Rows[0].Name != "other" {
				t.Errorf("%s: %+v, %v", row.path, b, err)
			}
		}
	}
}
