package pages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/matchmaking"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// shows checks that the text of a page contains each want, or does not contain it if it begins with "!".
func shows(t *testing.T, when, page string, wants ...string) {
	t.Helper()
	webtest.CheckHTML(t, when, page)
	text := webtest.Text(page)
	for _, want := range wants {
		want, absent := strings.CutPrefix(want, "!")
		if strings.Contains(text, want) == absent {
			t.Errorf("%s: the page shows %q: %v\n%s", when, want, absent, text)
		}
	}
}

// TestHomeShowsRecords checks the record of a hole, and the reader's own shortest submission.
func TestHomeShowsRecords(t *testing.T) {
	h := webtest.New(t)
	hole := h.Hole("nim")
	ada, bob := h.Cookie("ada"), h.Cookie("bob")
	home := func(cookie string) string { return h.Fetch(cookie, "GET", "/", nil).Body }
	submit := func(login string, verdict judge.GolfVerdict, size int) *store.GolfSubmission {
		return h.RecordGolfCheck(h.SubmitGolf(hole, login, fmt.Sprint(login, size)), "py", verdict, size)
	}
	shows(t, "no submission", home(""), "no valid submission yet", "!record", "!yours")
	submit("ada", judge.GolfIncorrect, 20)
	shows(t, "a wrong submission", home(ada), "no valid submission yet", "!yours")
	submit("ada", judge.GolfCorrect, 50)
	submit("bob", judge.GolfCorrect, 48)
	submit("ada", judge.GolfCorrect, 48)
	shows(t, "two of the same length", home(ada), "record 48 bytes py", ", bob", "yours: 48 bytes")
	submit("ada", judge.GolfCorrect, 49)
	submit("bob", judge.GolfIncorrect, 10)
	shows(t, "longer and wrong ones", home(bob), "record 48 bytes py", ", bob", "yours: 48 bytes")
	shows(t, "a reader without a submission", home(h.Cookie("admin")), "record 48 bytes", "!yours")
	shows(t, "an anonymous reader", home(""), "record 48 bytes", "!yours")
	other := h.Hole("other")
	h.RecordGolfCheck(h.SubmitGolf(other, "ada", "x"), "py", judge.GolfCorrect, 7)
	shows(t, "two holes", home(bob), "record 7 bytes", "record 48 bytes", "!yours: 7")
}

// TestHomeShowsLeaders checks the leader of a ladder, and the reader's best bot.
func TestHomeShowsLeaders(t *testing.T) {
	h := webtest.New(t)
	l := h.Ladder("hill", store.VisibilityPublic, true) // the bots of ada and admin have met once
	ada := h.Cookie("ada")
	home := func(cookie string) string { return h.Fetch(cookie, "GET", "/", nil).Body }
	shows(t, "bots that are being placed", home(ada), "being placed", "!Submit a bot", "!'s bot")
	shows(t, "a reader without a bot", home(h.Cookie("bob")), "Submit a bot", "!number", "!being placed")
	shows(t, "an anonymous reader", home(""), "!Submit a bot", "!number")
	for range matchmaking.Placement {
		e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
		spec := func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }
		if err := h.Store.NewEncounter(t.Context(), e, "encounter", l.Owner, spec); err != nil {
			t.Fatal(err)
		}
		e.Results, e.Records = "ll", ""
		if err := h.Store.EndEncounter(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	h.Advance(time.Minute)
	shows(t, "placed bots", home(ada), "admin's bot", "number 2", "!number 1", "!being placed", "!Submit a bot")
	shows(t, "the leader's author", home(h.Cookie("admin")), "number 1", "!number 2")
	closed := h.Ladder("closed", store.VisibilityPublic, false)
	shows(t, "a closed ladder", h.Fetch(h.Cookie("bob"), "GET", "/ladders", nil).Body, closed.Title, "· closed")
	if got := strings.Count(home(h.Cookie("bob")), "Submit a bot"); got != 1 {
		t.Errorf("%d ladders ask bob for a bot, want the open one", got)
	}
}

// TestHomeFoldsPastContests checks that the page shows the ten newest past contests until the reader asks for all.
func TestHomeFoldsPastContests(t *testing.T) {
	h := webtest.New(t)
	for i := range 12 {
		h.Contest(fmt.Sprintf("past-%02d", i), -time.Duration(1000-i)*time.Hour, store.VisibilityPublic, store.Settings{})
		if i == 9 {
			shows(t, "ten", h.Fetch("", "GET", "/", nil).Body, "10 past", "past-00", "!All 10 past contests")
		}
	}
	shows(t, "twelve", h.Fetch("", "GET", "/", nil).Body, "12 past", "past-11", "past-02", "!past-01", "All 12 past contests")
	shows(t, "all", h.Fetch("", "GET", "/?past=all", nil).Body, "12 past", "past-11", "past-00", "!All 12 past contests")
	h.Hole("paste")
	h.Hole("nim")
	shows(t, "a search", h.Fetch("", "GET", "/?q=PAST-0", nil).Body, "past-00", "past-09", "!past-10", "!All 12 past contests", "!paste",
		"!Nothing found")
	shows(t, "a search for a hole", h.Fetch("", "GET", "/?q=nim", nil).Body, "nim", "!paste", "!past-00")
	shows(t, "a search without results", h.Fetch("", "GET", "/?q=%3Cb%3E", nil).Body, "Nothing found", "<b>", "!past-00", "!nim")
}

// TestHomeLeadsToPractice checks that a past contest has a button for readers who can still submit to it.
func TestHomeLeadsToPractice(t *testing.T) {
	h := webtest.New(t)
	const button = "Practice in "
	h.Contest("closed", -1000*time.Hour, store.VisibilityPublic, store.Settings{})
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{Practice: true})
	shows(t, "without practice", h.Fetch(h.Cookie("ada"), "GET", "/", nil).Body, "!"+button)
	shows(t, "a jury that can submit to all", h.Fetch(h.Cookie("admin"), "GET", "/", nil).Body, "!"+button)
	h.Contest("open", -1000*time.Hour, store.VisibilityPublic, store.Settings{Practice: true})
	shows(t, "with practice", h.Fetch(h.Cookie("ada"), "GET", "/", nil).Body, button)
	shows(t, "an anonymous reader", h.Fetch("", "GET", "/", nil).Body, "!"+button)
}

// TestHomeShowsPastRanks checks that a past contest shows the rank of the reader's team on the public scoreboard.
func TestHomeShowsPastRanks(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("old", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	h.Contest("other", -1000*time.Hour, store.VisibilityPublic, store.Settings{})
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	h.Advance(time.Hour)
	for login, want := range map[string]string{"ada": "you: rank 1 of 2, 1 solved", "bob": "you: rank 2 of 2, 0 solved", "admin": "!you:", "": "!you:"} {
		for _, path := range []string{"/", "/?q=old"} {
			shows(t, login+" "+path, h.Fetch(h.Cookie(login), "GET", path, nil).Body, "Past contests", "old", want)
		}
	}
}
