package scoring_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/host/scoring"
)

// TestBalloons checks which balloons are due, and which ones a runner may not see. Submissions are written as
// team, problem, minute and verdict. The freeze starts in minute 60.
func TestBalloons(t *testing.T) {
	for _, tt := range []struct {
		name, subs string
		inFreeze   int
		want       string
	}{
		{"before the freeze", "a A 5 WA, a A 6 AC, b A 3 CE, b B 59 AC", 0, "a A 2, b B 4"},
		{"solved twice", "a A 6 AC, a A 7 AC", 0, "a A 1"},
		{"undecided", "a A 6 , a B 7 JE", 0, ""},
		{"an accepted one after an undecided one", "a A 6 , a A 7 AC", 0, "a A 2"},
		{"in the freeze", "a A 6 AC, a B 60 AC, b A 61 AC", 0, "a A 1; hidden a B, b A"},
		{"in the freeze, rejected", "b A 61 WA", 0, "; hidden b A"},
		{"solved before, again in the freeze", "a A 6 AC, a A 61 WA", 0, "a A 1"},
		{"up to a bound", "a A 6 AC, a B 60 AC, a C 61 AC, b A 62 WA, b A 63 AC", 2, "a A 1, a B 2, b A 5; hidden a C"},
		{"an undecided one may reach the bound first", "a A 60 , a B 61 AC", 1, "; hidden a B"},
		{"an undecided one of the same problem", "a A 60 , a A 61 AC", 1, "a A 2"},
		{"a rejected one leaves room", "a A 60 WA, a B 61 AC", 1, "a B 2"},
		{"a hidden one counts as solved", "a A 1 AC, a B 2 , a C 60 AC, a D 61 AC", 2, "a A 1; hidden a C, a D"},
		{"one that was hidden counts for an undecided one", "a B 2 , a C 60 AC, a B 61 AC", 1, "; hidden a B, a C"},
		{"a judge error may reach the bound first", "a A 60 JE, a B 61 AC", 1, "; hidden a B"},
		{"an undecided one of a solved problem counts once", "a A 5 , a A 6 AC, a B 60 AC", 2, "a A 2, a B 3"},
		{"not in the order of the ranks", "a A 5 AC, b A 6 AC, b B 7 AC", 0, "a A 1, b A 2, b B 3"},
		{"unverified", "a A 5 AC unverified, b A 6 WA unverified", 0, ""},
		{"unverified, in the freeze", "a A 5 AC unverified, a B 60 AC", 1, "; hidden a B"},
		{"verified after an unverified one", "a A 5 WA unverified, a A 6 AC", 0, "a A 2"},
		{"ignored", "a A 5 AC ignored, b A 60 AC ignored", 0, ""},
		{"outside the contest", "a A -1 AC, a A 100 AC", 0, ""},
		{"hidden teams get none", "h A 5 AC, h B 61 AC", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 100 * time.Minute, Freeze: time.Hour}
			for _, label := range []string{"A", "B", "C", "D"} {
				c.Problems = append(c.Problems, scoring.Problem{Label: label})
			}
			b := scoring.New(c, []scoring.Team{{ID: "a"}, {ID: "b"}, {ID: "h", Hidden: true}}, readSubs(t, tt.subs), c.Jury())
			got := b.Balloons(c.Public(start.Add(99*time.Minute)), tt.inFreeze)
			if text := drawBalloons(got); text != tt.want {
				t.Errorf("%q, want %q", text, tt.want)
			}
			if !slices.IsSortedFunc(got.Due, func(x, y scoring.Balloon) int { return int(x.Submission - y.Submission) }) {
				t.Errorf("not in the order of the submissions: %+v", got.Due)
			}
			c.Unfreeze = c.End()
			if got := b.Balloons(c.Public(c.End()), 0); len(got.Unknown) > 0 {
				t.Errorf("after the thaw %q", drawBalloons(got))
			}
			c.Unfreeze, c.Rules.HideVerdicts = time.Time{}, true
			b.Apply(scoring.Change{Contest: &c})
			if got := b.Balloons(c.Public(start.Add(99*time.Minute)), 4); len(got.Due) > 0 {
				t.Errorf("while verdicts are hidden from all: %q", drawBalloons(got))
			}
		})
	}
}

// TestKnownToRunners checks which verdicts from the freeze a runner may see. With these verdicts, a team has at
// most inFreeze solved problems, even if all submissions with unknown verdicts are accepted.
func TestKnownToRunners(t *testing.T) {
	for _, tt := range []struct {
		subs     string
		inFreeze int
		want     []int64
	}{
		{"a A 5 AC, a B 59 WA", 3, nil}, // submitted before the freeze, so public
		{"a A 60 AC, a B 61 AC", 0, nil},
		{"a A 6 AC, a B 60 WA, a B 61 AC, a C 62 AC, b A 63 WA, b A 64 ", 2, []int64{2, 3, 5, 6}},
		{"a A 60 AC, a A 61 WA, a A 62 AC", 1, []int64{1, 2, 3}}, // no effect after the problem is solved
		{"a A 6 AC, a B 7 AC, a A 60 WA", 1, nil},
		{"a A 60 , a A 61 WA, a B 62 AC, a A 63 WA", 1, []int64{1, 2}}, // the team may have solved B
		{"a A 60 AC unverified, a B 61 AC", 1, []int64{1}},
		{"a A 60 AC ignored, a B 61 AC", 1, []int64{2}},
		{"h A 60 AC", 1, nil},
		{"a A 100 AC", 1, nil}, // after the end
	} {
		c := scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 100 * time.Minute, Freeze: time.Hour}
		for _, label := range []string{"A", "B", "C"} {
			c.Problems = append(c.Problems, scoring.Problem{Label: label})
		}
		b := scoring.New(c, []scoring.Team{{ID: "a"}, {ID: "b"}, {ID: "h", Hidden: true}}, readSubs(t, tt.subs), c.Jury())
		got := slices.Sorted(maps.Keys(b.Balloons(c.Public(start.Add(99*time.Minute)), tt.inFreeze).Known))
		if !slices.Equal(got, tt.want) {
			t.Errorf("of %q with %d: %v, want %v", tt.subs, tt.inFreeze, got, tt.want)
		}
	}
}

func readSubs(t *testing.T, text string) (all []scoring.Submission) {
	for i, one := range strings.Split(text, ", ") {
		s := scoring.Submission{Number: int64(i + 1)}
		minute := 0
		fields := append(strings.Fields(one), "", "")
		if _, err := fmt.Sscan(fields[2], &minute); err != nil {
			t.Fatal(err)
		}
		s.Team, s.Problem, s.At = fields[0], fields[1], start.Add(time.Duration(minute)*time.Minute)
		s.Verdict, s.Ignored = judge.Verdict(fields[3]), fields[4] == "ignored"
		s.Unverified = fields[4] == "unverified"
		all = append(all, s)
	}
	return all
}

func drawBalloons(b scoring.Balloons) string {
	var due, unknown []string
	for _, d := range b.Due {
		due = append(due, fmt.Sprint(d.Team.ID, " ", d.Problem, " ", d.Submission))
	}
	for s := range b.Unknown {
		unknown = append(unknown, s.Team+" "+s.Problem)
	}
	slices.Sort(due)
	slices.Sort(unknown)
	text := strings.Join(due, ", ")
	if len(unknown) > 0 {
		text += "; hidden " + strings.Join(unknown, ", ")
	}
	return text
}

// TestBalloonsTellNoSecret checks that two contests have the same balloons if they differ only in hidden verdicts.
// A verdict is hidden if, with it, a team could exceed the limit of solved problems during the freeze. If
// everything is judged, exactly the problems solved by other submissions must have balloons.
func TestBalloonsTellNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(func(below int) int { return rapid.IntRange(0, below-1).Draw(t, "draw") })
		w.contest.Freeze = time.Duration(1+w.draw(100)) * time.Minute
		w.contest.Rules.HideVerdicts = w.draw(4) == 0
		w.contest.Problems = []scoring.Problem{{Label: "A"}, {Label: "B"}, {Label: "C"}}
		for i := range rapid.IntRange(0, 40).Draw(t, "submissions") {
			w.submissions = append(w.submissions, w.submission(int64(i+1)))
		}
		bound := w.draw(4)
		now := start.Add(time.Duration(w.draw(130)) * time.Minute)
		public := w.contest.Public(now)
		if w.contest.Rules.HideVerdicts && !w.contest.Ended(now) {
			bound = 0
		}
		// hiddenFrom returns the numbers of the hidden submissions, and the problems solved by the other
		// submissions.
		hiddenFrom := func(subs []scoring.Submission) (hidden map[int64]bool, due map[scoring.TeamProblem]bool) {
			hidden, due = map[int64]bool{}, map[scoring.TeamProblem]bool{}
			solved := map[string]map[string]bool{}
			subs = slices.Clone(subs)
			slices.SortFunc(subs, earlier)
			for _, s := range subs {
				if solved[s.Team] == nil {
					solved[s.Team] = map[string]bool{}
				}
				if s.Ignored || s.At.Before(start) || solved[s.Team][s.Problem] {
					continue
				}
				frozen := !public.KnownBefore.IsZero() && !s.At.Before(public.KnownBefore)
				if hidden[s.Number] = frozen && len(solved[s.Team])+1 > bound; s.Verdict == judge.Accepted {
					solved[s.Team][s.Problem] = true
					if !hidden[s.Number] {
						due[scoring.TeamProblem{Team: s.Team, Problem: s.Problem}] = true
					}
				}
			}
			return hidden, due
		}
		// Remove the submissions after the end, which do not count.
		w.submissions = slices.DeleteFunc(w.submissions, func(s scoring.Submission) bool { return !s.At.Before(w.contest.End()) })
		of := func(subs []scoring.Submission) scoring.Balloons {
			return scoring.New(w.contest, w.teams, subs, w.contest.Jury()).Balloons(public, bound)
		}
		hidden, _ := hiddenFrom(w.submissions)
		other := slices.Clone(w.submissions)
		for i, s := range other {
			if hidden[s.Number] {
				drawn := w.submission(s.Number)
				other[i].Verdict, other[i].Unverified = drawn.Verdict, drawn.Unverified
			}
		}
		if a, b := of(w.submissions), of(other); drawBalloons(a) != drawBalloons(b) || !maps.Equal(a.Known, b.Known) {
			t.Fatalf("%s\nand with other hidden verdicts\n%s\n%+v\n%+v", drawBalloons(a), drawBalloons(b), w.submissions, other)
		}
		for i, s := range other {
			other[i].Unverified = false
			if s.Verdict == judge.NotJudged || s.Verdict == judge.JudgeError {
				other[i].Verdict = judge.WrongAnswer
			}
		}
		_, want := hiddenFrom(other)
		got := map[scoring.TeamProblem]bool{}
		for _, d := range of(other).Due {
			got[scoring.TeamProblem{Team: d.Team.ID, Problem: d.Problem}] = true
		}
		shown := map[string]bool{}
		for _, team := range w.teams {
			shown[team.ID] = !team.Hidden
		}
		for s := range want {
			if !shown[s.Team] {
				delete(want, s)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("due are %v, want %v", got, want)
		}
	})
}

// TestSettleBalloons checks that a stored balloon is held when its verdict is changed to rejected, and is reused
// when the team solves the problem again. A balloon that becomes hidden does not change.
func TestSettleBalloons(t *testing.T) {
	team := &scoring.Team{ID: "a"}
	solve := scoring.TeamProblem{Team: "a", Problem: "A"}
	due := func(number int64) scoring.Balloons {
		return scoring.Balloons{Due: []scoring.Balloon{{Team: team, Problem: "A", Submission: number, At: start}}}
	}
	kept := func(number int64, held bool) []scoring.StoredBalloon {
		return []scoring.StoredBalloon{{TeamProblem: solve, Submission: number, At: start, Held: held}}
	}
	late := kept(1, false)
	late[0].At = start.Add(time.Minute)
	for _, tt := range []struct {
		name         string
		now          scoring.Balloons
		before, want []scoring.StoredBalloon
	}{
		{"new", due(1), nil, kept(1, false)},
		{"as before", due(1), kept(1, false), nil},
		{"another submission", due(2), kept(1, false), kept(2, false)},
		{"another time", due(1), late, kept(1, false)},
		{"taken back", scoring.Balloons{}, kept(1, false), kept(1, true)},
		{"still taken back", scoring.Balloons{}, kept(1, true), nil},
		{"accepted again", due(1), kept(1, true), kept(1, false)},
		{"hidden now", scoring.Balloons{Unknown: map[scoring.TeamProblem]bool{solve: true}}, kept(1, false), nil},
		{"hidden now, and held", scoring.Balloons{Unknown: map[scoring.TeamProblem]bool{solve: true}}, kept(1, true), nil},
	} {
		if got := tt.now.Update(tt.before); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
