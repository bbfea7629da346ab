package access

import (
	"strings"
	"testing"
)

// TestNavOf checks which tabs of a contest each reader sees, and which is marked. Tabs in parentheses are in the
// menu More. Tabs in brackets are shown only on narrow screens.
func TestNavOf(t *testing.T) {
	for _, tt := range []struct {
		who, page string
		h         Heading
		want      string
	}{
		{"a visitor", "", Heading{SeesScoreboard: true}, "*Problems Scoreboard"},
		{"a contestant", "/p/A", Heading{LoggedIn: true, SeesProblems: true, SeesScoreboard: true, SeesClarifications: true, Team: "7"},
			"*Problems Submissions Scoreboard#t-7 Clarifications"},
		{"a contestant", "/mine", Heading{LoggedIn: true, SeesProblems: true, SeesScoreboard: true, SeesClarifications: true},
			"Problems *Submissions Scoreboard Clarifications"},
		{"a contestant before the start", "/clar", Heading{LoggedIn: true, SeesClarifications: true}, "Problems *Clarifications"},
		{"a balloon runner before the start", "/balloons", Heading{BalloonRunner: true, LoggedIn: true, SeesClarifications: true},
			"*Balloons Clarifications (Problems)"},
		{"a runner where teams print", "/prints/7",
			Heading{BalloonRunner: true, Prints: true, LoggedIn: true, SeesScoreboard: true, SeesClarifications: true},
			"Balloons *Printing Scoreboard Clarifications (Problems)"},
		{"a balloon runner", "/balloons", Heading{BalloonRunner: true, LoggedIn: true, SeesScoreboard: true, SeesClarifications: true},
			"*Balloons Scoreboard Clarifications (Problems)"},
		{"the jury", "/balloons", Heading{Jury: true, LoggedIn: true, SeesClarifications: true},
			"Overview Submissions Clarifications [Scoreboard]?view=jury (Problems) *(Balloons) (Rejudgings)"},
		{"the jury", "/overview", Heading{Jury: true, LoggedIn: true, SeesClarifications: true},
			"*Overview Submissions Clarifications [Scoreboard]?view=jury (Problems) (Balloons) (Rejudgings)"},
		{"the jury", "/s/12", Heading{Jury: true, LoggedIn: true, SeesClarifications: true},
			"Overview *Submissions Clarifications [Scoreboard]?view=jury (Problems) (Balloons) (Rejudgings)"},
		{"the jury", "/scoreboard", Heading{Jury: true, LoggedIn: true, SeesClarifications: true},
			"Overview Submissions Clarifications *[Scoreboard]?view=jury (Problems) (Balloons) (Rejudgings)"},
		{"a judge of a site", "/s/12", Heading{Jury: true, SiteRestricted: true, Prints: true, LoggedIn: true, SeesScoreboard: true,
			SeesClarifications: true}, "*Submissions Clarifications Scoreboard (Problems) (Balloons) (Printing)"},
		{"an administrator", "/import", Heading{Jury: true, CanChange: true, LoggedIn: true, SeesClarifications: true},
			"Overview Submissions Clarifications [Scoreboard]?view=jury *[Teams] (Problems) (Balloons) (Rejudgings) (Final results) (Export) " +
				"(Files) (Settings)"},
		{"an administrator", "/edit", Heading{Jury: true, CanChange: true, LoggedIn: true, SeesClarifications: true},
			"Overview Submissions Clarifications [Scoreboard]?view=jury [Teams] (Problems) (Balloons) (Rejudgings) (Final results) (Export) " +
				"(Files) *(Settings)"},
		{"an administrator", "/rejudgings/5", Heading{Jury: true, CanChange: true, LoggedIn: true, SeesClarifications: true},
			"Overview Submissions Clarifications [Scoreboard]?view=jury [Teams] (Problems) (Balloons) *(Rejudgings) (Final results) (Export) " +
				"(Files) (Settings)"},
	} {
		tt.h.Slug, tt.h.Name = "spring", "Spring"
		v := NavOf(tt.h, tt.page)
		var got []string
		for _, tab := range v.Tabs {
			text := tab.Name
			switch {
			case tab.Folded:
				text = "(" + text + ")"
			case !tab.Narrow:
				text = "[" + text + "]"
			}
			if tab.Current {
				text = "*" + text
			}
			if i := strings.IndexAny(tab.Link, "?#"); i >= 0 {
				text += tab.Link[i:]
			}
			got = append(got, text)
			if !strings.HasPrefix(tab.Link, "/c/spring") || (tab.UnreadStream != "") != (tab.Name == "Clarifications") {
				t.Errorf("%s: the tab %+v", tt.who, tab)
			}
		}
		if text := strings.Join(got, " "); text != tt.want || v.Object.Link != "/c/spring" {
			t.Errorf("%s at %q:\n%s\nwant\n%s", tt.who, tt.page, text, tt.want)
		}
	}
}
