package scoring_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
)

// big returns a five-hour contest with the given number of teams, 15 problems, and 100 submissions per team.
func big(teams int) (scoring.Contest, []scoring.Team, []scoring.Submission) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 5 * time.Hour}
	for i := range 15 {
		c.Problems = append(c.Problems, scoring.Problem{Label: string(rune('A' + i)), Title: fmt.Sprintf("Problem %d", i)})
	}
	var all []scoring.Team
	var submissions []scoring.Submission
	for i := range teams {
		all = append(all, scoring.Team{ID: fmt.Sprint("team", i), Name: fmt.Sprintf("Team number %d", i)})
	}
	verdicts := []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError}
	for n := range 100 * teams {
		submissions = append(submissions, scoring.Submission{
			Number: int64(n + 1), Team: all[rng.IntN(teams)].ID, Problem: c.Problems[rng.IntN(15)].Label,
			At: start.Add(time.Duration(n) * 5 * time.Hour / time.Duration(100*teams)), Verdict: verdicts[rng.IntN(len(verdicts))],
		})
	}
	return c, all, submissions
}

// BenchmarkBoard compares changing one verdict with building the whole scoreboard.
func BenchmarkBoard(b *testing.B) {
	for _, teams := range []int{200, 1000} {
		c, all, submissions := big(teams)
		b.Run(fmt.Sprintf("%dx15/whole", teams), func(b *testing.B) {
			for b.Loop() {
				scoring.New(c, all, submissions, scoring.View{})
			}
		})
		b.Run(fmt.Sprintf("%dx15/apply", teams), func(b *testing.B) {
			board := scoring.New(c, all, submissions, scoring.View{})
			rng := rand.New(rand.NewPCG(2, 2))
			b.ReportAllocs()
			for b.Loop() {
				s := submissions[rng.IntN(len(submissions))]
				s.Verdict = judge.Accepted
				if rng.IntN(2) == 0 {
					s.Verdict = judge.WrongAnswer
				}
				board.Apply(scoring.Change{Submissions: []scoring.Submission{s}})
			}
		})
	}
}
