package intake_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// TestCanPrint checks which callers may print, in each phase, with printing enabled and disabled.
func TestCanPrint(t *testing.T) {
	d := newDoor(t)
	for _, phase := range []auth.Phase{auth.Before, auth.Running, auth.Over} {
		for _, printing := range []bool{false, true} {
			c := d.contest(store.VisibilityPublic, phase, store.Settings{Printing: printing})
			for _, who := range callers {
				want, says := http.StatusOK, ""
				switch {
				case who == "anonymous":
					want, says = http.StatusUnauthorized, "logged in"
				case who != "team":
					want, says = http.StatusForbidden, "only teams"
				case !printing:
					want, says = http.StatusForbidden, "teams cannot print"
				case phase == auth.Before:
					want, says = http.StatusForbidden, "has not begun"
				case phase == auth.Over:
					want, says = http.StatusForbidden, "nothing is printed any more"
				}
				got, text := code(t, d.CanPrint(d.seat(c, who)))
				if got != want || !strings.Contains(text, says) {
					t.Errorf("%s, printing %v, %s: %d %q, want %d %q", phase, printing, who, got, text, want, says)
				}
			}
		}
	}
}

// TestCanPrintUnseen checks that a team of a hidden contest cannot print.
func TestCanPrintUnseen(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityJury, auth.Running, store.Settings{Printing: true})
	if got, text := code(t, d.CanPrint(d.seat(c, "team"))); got == http.StatusOK {
		t.Errorf("a team that does not see its contest prints: %d %q", got, text)
	}
}

// TestPrintWithoutName checks that a text without a name gets one.
func TestPrintWithoutName(t *testing.T) {
	d := newDoor(t)
	c := d.contest(store.VisibilityPublic, auth.Running, store.Settings{Printing: true})
	for name, want := range map[string]string{"": "text", "/": "text", `C:\a.py`: "a.py"} {
		n, err := d.Print(t.Context(), d.seat(c, "team"), name, "", []byte("of "+name))
		d.must(err)
		p, err := d.Store.Print(t.Context(), c.ID, n)
		d.must(err)
		if p.Name != want {
			t.Errorf("%q is called %q, want %q", name, p.Name, want)
		}
	}
}

// TestClarificationsBeforeTheStart checks that, before the start, contestants can read only clarifications that
// name no problem. The others are hidden and do not count as unread.
func TestClarificationsBeforeTheStart(t *testing.T) {
	d := newDoor(t)
	for _, phase := range []auth.Phase{auth.Before, auth.Running} {
		c := d.contest(store.VisibilityPublic, phase, store.Settings{})
		for _, problem := range []string{"", "sum"} {
			_, err := d.Store.Clarify(t.Context(), store.NewClarification{
				Contest: c.ID, Account: d.who["judge"].ID, Jury: true, Problem: problem, Text: "about " + problem,
			})
			d.must(err)
		}
		contestant := map[auth.Phase]string{auth.Before: "1 hidden 2 unread 1", auth.Running: "2 hidden 0 unread 2"}[phase]
		for who, want := range map[string]string{
			"team": contestant, "usher": contestant, "usher of a site": contestant, "judge": "2 hidden 0 unread 2",
		} {
			login, _, ofSite := strings.Cut(who, " ")
			seat := d.seat(c, login)
			if ofSite {
				seat.Sites = []string{"n"}
			}
			all, hidden, err := d.Clarifications(t.Context(), seat, store.ClarificationFilter{})
			d.must(err)
			unread, err := d.Unread(t.Context(), seat)
			d.must(err)
			if got := fmt.Sprintf("%d hidden %d unread %d", len(all), hidden, unread); got != want {
				t.Errorf("%s, %s: %s, want %s", phase, who, got, want)
			}
		}
	}
}

// TestPrintHead checks what the page header of a print says about its team: the display name and the external id, if the team
// has them, instead of its name and its number.
func TestPrintHead(t *testing.T) {
	c, p := &store.Contest{Name: "Spring"}, &store.Print{Name: "a.py", Language: "Python"}
	for _, tt := range []struct {
		team store.Team
		want string
	}{
		{store.Team{Name: "Seven", Number: 7}, "Seven 7"},
		{store.Team{Name: "Seven", Number: 7, ExtID: "t-7"}, "Seven t-7"},
		{store.Team{Name: "Seven", Number: 7, DisplayName: "The Seven"}, "The Seven 7"},
		{store.Team{Name: "Seven", Number: 7, DisplayName: "The Seven", ExtID: "t-7", Label: "B2", Groups: []string{"North"}}, "The Seven t-7"},
	} {
		h := intake.PrintHead(c, &tt.team, p)
		if got := h.Team + " " + h.Number; got != tt.want || h.Seat != tt.team.Label || len(h.Groups) != len(tt.team.Groups) ||
			h.File != "a.py" || h.Language != "Python" || h.Contest != "Spring" {
			t.Errorf("%+v: the header %+v, want %q", tt.team, h, tt.want)
		}
	}
}
