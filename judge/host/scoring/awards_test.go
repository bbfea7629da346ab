package scoring_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
)

// solvers returns a scoreboard on which each team has solved the given number of problems. Later teams solved them
// later.
func solvers(solved ...int) *scoring.Scoreboard {
	c := scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 5 * time.Hour}
	for i := range 9 {
		c.Problems = append(c.Problems, scoring.Problem{Label: string(rune('A' + i))})
	}
	var teams []scoring.Team
	var subs []scoring.Submission
	for i, n := range solved {
		id := fmt.Sprint(i + 1)
		teams = append(teams, scoring.Team{ID: id, Name: id, Organization: []string{"u", "v"}[i%2]})
		for p := range n {
			at := start.Add(time.Duration(i+1) * time.Minute)
			subs = append(subs, scoring.Submission{Number: int64(len(subs) + 1), Team: id, Problem: c.Problems[p].Label, At: at, Verdict: "AC"})
		}
	}
	return scoring.New(c, teams, subs, c.Jury())
}

// TestFinalRanks checks that a team without a solved problem is not ranked. By the rules of the World Finals,
// teams below the median team are not ranked either. Other teams without a medal share a rank if they solved
// equally many problems.
func TestFinalRanks(t *testing.T) {
	for _, tt := range []struct {
		name        string
		solved      []int
		worldFinals bool
		want        string
	}{
		{"no teams", nil, false, "[]"},
		{"no teams in the World Finals", nil, true, "[]"},
		{"nothing solved", []int{0, 0}, false, "[0 0]"},
		{"nothing solved in the World Finals", []int{0, 0, 0}, true, "[0 0 0]"},
		{"position", []int{5, 4, 4, 3, 0}, false, "[1 2 3 4 0]"},
		{"medals keep their position", []int{5, 4, 4, 3, 3, 3, 3, 3, 1}, true, "[1 2 3 4 4 4 4 4 0]"},
		{"several groups", []int{9, 8, 7, 6, 6, 5, 5, 5, 4, 4}, true, "[1 2 3 4 4 6 6 6 0 0]"},
		{"a medal and the others with as many", []int{5, 4, 4, 4, 4, 4, 4}, true, "[1 2 3 4 4 4 4]"},
		{"an even number", []int{5, 4, 3, 3, 2, 1}, true, "[1 2 3 4 0 0]"},
		{"the median team solved nothing", []int{5, 4, 3, 2, 1, 0, 0, 0, 0, 0}, true, "[1 2 3 4 5 0 0 0 0 0]"},
	} {
		r := scoring.AwardRules{Gold: 1, Silver: 1, Bronze: 1, WorldFinals: tt.worldFinals}
		if got := fmt.Sprint(scoring.FinalRanks(solvers(tt.solved...).MainRows(&r), &r)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestHonors checks the awards that only the World Finals have, and those for organizations.
func TestHonors(t *testing.T) {
	r := scoring.AwardRules{Gold: 1, Silver: 1, Bronze: 1, WorldFinals: true,
		Organizations: []scoring.AwardGroup{{ID: "u", Name: "U"}, {ID: "v", Name: "V"}, {ID: "w", Name: "W"}}}
	for i := range 9 {
		r.Problems = append(r.Problems, fmt.Sprint(i))
	}
	for _, tt := range []struct {
		solved []int
		want   string
	}{
		{[]int{0, 0}, "winner [], gold-medal [], silver-medal [], bronze-medal [], organization-winner-u [], organization-winner-v [], " +
			"organization-winner-w [], highest-honors [], high-honors [], honors [], honorable-mention []"},
		{[]int{7, 6, 6, 6, 5, 5, 4, 3, 2, 0, 0}, "winner [1], gold-medal [1], silver-medal [2], bronze-medal [3], organization-winner-u [1], " +
			"organization-winner-v [2], organization-winner-w [], rank-4 [4], rank-5 [5 6], " +
			"highest-honors [1 2 3 4], high-honors [5 6], honors [], honorable-mention [7 8 9 10 11]"},
		{[]int{7, 6, 6, 4, 3, 3}, "winner [1], gold-medal [1], silver-medal [2], bronze-medal [3], organization-winner-u [1], " +
			"organization-winner-v [2], organization-winner-w [], rank-4 [4], highest-honors [1 2 3], high-honors [], honors [4], " +
			"honorable-mention [5 6]"},
		{[]int{7, 6, 6, 3, 3, 3, 3}, "winner [1], gold-medal [1], silver-medal [2], bronze-medal [3], organization-winner-u [1], " +
			"organization-winner-v [2], organization-winner-w [], rank-4 [4 5 6 7], highest-honors [1 2 3], high-honors [], honors [4 5 6 7], " +
			"honorable-mention []"},
	} {
		var got []string
		for _, a := range scoring.Awards(solvers(tt.solved...), r) {
			if !strings.HasPrefix(a.ID, "first-to-solve-") {
				got = append(got, fmt.Sprint(a.ID, " ", a.Teams))
			}
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%v:\n%s, want\n%s", tt.solved, text, tt.want)
		}
	}
}

// TestAwards checks the awards of a small scoreboard.
func TestAwards(t *testing.T) {
	var teams []scoring.Team
	var submissions []scoring.Submission
	for i := range 16 {
		id := fmt.Sprintf("%02d", i)
		teams = append(teams, scoring.Team{ID: id, Name: id, Groups: []string{[]string{"X", "Y"}[i%2]}, Hidden: i == 0})
		if i < 14 { // the last two solve nothing; 3 and 4 are tied
			at := start.Add(time.Duration(max(i, 3)+i/4*10) * time.Minute)
			submissions = append(submissions, scoring.Submission{Number: int64(i + 1), Team: id, Problem: "A", At: at, Verdict: judge.Accepted})
		}
	}
	b := scoring.New(scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 5 * time.Hour,
		Problems: []scoring.Problem{{Label: "A"}, {Label: "B"}}}, teams, submissions, scoring.View{})
	var out strings.Builder
	for _, main := range []string{"", "X"} {
		for _, a := range scoring.Awards(b, scoring.AwardRules{Gold: 2, Silver: 4, Bronze: 4, Main: main, Problems: []string{"pa", "pb"},
			Groups: []scoring.AwardGroup{{ID: "x", Name: "X"}, {ID: "z", Name: "Z"}}}) {
			fmt.Fprintln(&out, a.ID, a.Citation, a.Teams)
		}
	}
	const want = `winner Contest winner [01 02 03]
gold-medal Gold medal winner [01 02 03]
silver-medal Silver medal winner [04 05 06]
bronze-medal Bronze medal winner [07 08 09 10]
first-to-solve-pa First to solve problem A [01]
first-to-solve-pb First to solve problem B []
group-winner-x Winner of group X [02]
group-winner-z Winner of group Z []
winner Contest winner [02]
gold-medal Gold medal winner [02 04]
silver-medal Silver medal winner [06 08 10 12]
bronze-medal Bronze medal winner []
first-to-solve-pa First to solve problem A [01]
first-to-solve-pb First to solve problem B []
group-winner-x Winner of group X [02]
group-winner-z Winner of group Z []
`
	if out.String() != want {
		t.Errorf("%s", &out)
	}
}
