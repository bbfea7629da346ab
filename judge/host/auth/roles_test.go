package auth

import (
	"strings"
	"testing"
)

// states returns all possible states.
func states() (all []State) {
	for _, phase := range []Phase{Before, Running, Over} {
		for bits := range 16 {
			all = append(all, State{Visible: bits&1 != 0, Phase: phase, Practice: bits&2 != 0, Own: bits&4 != 0, Open: bits&8 != 0})
		}
	}
	return all
}

// TestRoles checks rules that must hold for any table.
func TestRoles(t *testing.T) {
	staff := map[Role]bool{Judge: true, ContestAdmin: true, Admin: true}
	for action, row := range permissions {
		for i, c := range row {
			if c != never && !c.holds(State{Visible: true, Phase: Running, Practice: true, Own: true}) {
				t.Errorf("%s of %s: the condition %q never holds", action, Roles[i], c)
			}
		}
		for _, s := range states() {
			if !Can(Admin, action, s) && (action != SubmitGolf || s.Visible && s.Phase == Running) {
				t.Errorf("an admin may not %s in %+v", action, s)
			}
			for _, r := range Roles {
				can := Can(r, action, s)
				if can && !staff[r] && !s.Visible && action != UseSite && action != ManageOwnAccount &&
					!(r == BalloonRunner && (action == SeeContest || action == SeeClarifications || action == Deliver)) {
					t.Errorf("%s may %s of a contest that hides itself", r, action)
				}
				if can && !staff[r] && s.Phase == Before && (action == SeeProblems || action == SeeScoreboard || action == Submit) {
					t.Errorf("%s may %s before the start", r, action)
				}
				if can && !staff[r] && (action == SeeJudgement || action == SeeBot) && !s.Own {
					t.Errorf("%s may %s of another", r, action)
				}
				if can && !staff[r] && action == SeeGolfSubmission && !s.Own && !s.Open {
					t.Errorf("%s may see another's answer", r)
				}
				if can && r == Anonymous && action != SeeHole && action != SeeGolfSubmission && action != UseSite && action != SeeContest &&
					action != SeeProblems && action != SeeScoreboard && action != SeeLadder {
					t.Errorf("no role may %s", action)
				}
			}
		}
	}
	if Can("king", UseSite, State{}) || Can(Admin, "fly", State{}) {
		t.Error("what is not in the table is allowed")
	}
	if Higher(Contestant, Judge) != Judge || Higher(Admin, "king") != Admin || Higher("", Contestant) != Contestant {
		t.Error("roles are in another order")
	}
	if IsRole("anonymous") || IsRole("") || IsRole("king") || !IsRole("judge") {
		t.Error("other roles can be given")
	}
}

// TestRolesAtSites checks that a judge restricted to certain sites may act on objects of the teams there and on
// the judge's own objects.
func TestRolesAtSites(t *testing.T) {
	all := map[string]State{
		"elsewhere": {SiteRestricted: true, Visible: true}, "here": {SiteRestricted: true, Visible: true, AtSite: true},
		"own": {SiteRestricted: true, Visible: true, Own: true},
	}
	for action, where := range map[Action]string{
		SeeAll: "", SeeSite: "elsewhere here own", SeeSecret: "here", OverrideVerdict: "here", SeeJudgement: "here own",
		Deliver: "elsewhere here own", AnswerClarification: "elsewhere here own", ChangeContest: "", Finalize: "",
	} {
		for name, state := range all {
			if want := strings.Contains(where, name); Can(Judge, action, state) != want {
				t.Errorf("a judge of a site may %s, %s: want %v", action, name, want)
			}
			if !Can(ContestAdmin, action, state) {
				t.Errorf("a contest administrator may not %s", action)
			}
		}
		if Can(BalloonRunner, action, all["here"]) != (action == Deliver) {
			t.Errorf("a runner of a site may %s", action)
		}
	}
}
