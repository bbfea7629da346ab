package scoring_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
	"assay/judge/internal/golden"
)

// start is the start of the contests in these tests.
var start = time.Date(2026, 3, 7, 9, 0, 0, 0, time.UTC)

// An example is a contest described by a file in testdata/examples.
type example struct {
	contest     scoring.Contest
	teams       []scoring.Team
	submissions []scoring.Submission
	view        scoring.View
}

func readExample(t *testing.T, file string) *example {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x := &example{contest: scoring.Contest{Start: start}}
	now, public := 24*time.Hour, false
	duration := func(s string) time.Duration {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return d
	}
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return n
	}
	for in := bufio.NewScanner(bytes.NewReader(data)); in.Scan(); {
		w := strings.Fields(in.Text())
		if len(w) == 0 || w[0] == "#" {
			continue
		}
		switch w[0] {
		case "kind":
			x.contest.Rules = scoring.DefaultRules(scoring.Kind(w[1]))
			x.contest.Rules.BestGroups = strings.Contains(in.Text(), "groups")
			x.contest.Rules.HideVerdicts = strings.Contains(in.Text(), "blind")
		case "length":
			x.contest.Length = duration(w[1])
		case "freeze":
			x.contest.Freeze = duration(w[1])
		case "now":
			now = duration(w[1])
		case "removed":
			x.contest.Removed = append(x.contest.Removed, scoring.Interval{From: start.Add(duration(w[1])), To: start.Add(duration(w[2]))})
		case "view":
			public = w[1] == "public"
			x.view = x.contest.Jury()
		case "problem":
			p := scoring.Problem{Label: w[1]}
			if len(w) > 2 {
				p.Points = number(w[2])
			}
			x.contest.Problems = append(x.contest.Problems, p)
		case "team":
			team := scoring.Team{ID: w[1], Name: w[2]}
			for _, o := range w[3:] {
				name, value, _ := strings.Cut(o, "=")
				switch name {
				case "hidden":
					team.Hidden = true
				case "penalty":
					team.Penalty = duration(value)
				case "extra":
					team.ExtraTime = duration(value)
				default:
					t.Fatalf("%s: %s", file, in.Text())
				}
			}
			x.teams = append(x.teams, team)
		default:
			s := scoring.Submission{
				Number: int64(len(x.submissions) + 1), At: start.Add(duration(w[0])), Team: w[1], Problem: w[2],
				Verdict: judge.Verdict(strings.TrimPrefix(w[3], "-")),
			}
			for _, o := range w[4:] {
				name, value, _ := strings.Cut(o, "=")
				switch name {
				case "ignored":
					s.Ignored = true
				case "score":
					s.Score = &judge.Score{Points: number(value)}
				case "parts":
					for _, p := range strings.Split(value, ",") {
						s.Parts = append(s.Parts, number(p))
					}
				default:
					t.Fatalf("%s: %s", file, in.Text())
				}
			}
			x.submissions = append(x.submissions, s)
		}
	}
	if public {
		x.view = x.contest.Public(start.Add(now))
	}
	return x
}

// draw formats a scoreboard as a table. A + marks a solved cell, a ! the first solution, and a ? a pending
// submission.
func draw(b *scoring.Scoreboard) []byte {
	var out bytes.Buffer
	c := b.Contest()
	for _, p := range b.Rows() {
		fmt.Fprintf(&out, "%4s %-6s", strings.Replace(strconv.Itoa(p.Rank), "0", "-", 1), p.Team.Name)
		if c.Rules.Kind == scoring.ICPC {
			fmt.Fprintf(&out, " %d solved, %3.0f, last %3.0f", p.Solved, p.Time.Minutes(), p.Last.Minutes())
		} else {
			fmt.Fprintf(&out, " %6g points, %8s", p.Points, p.Time)
		}
		for i, cell := range p.Cells {
			fmt.Fprintf(&out, " | %s", c.Problems[i].Label)
			switch {
			case cell.First:
				out.WriteString("!")
			case cell.Solved:
				out.WriteString("+")
			default:
				out.WriteString(" ")
			}
			if cell.Attempts > 0 || cell.Pending > 0 {
				fmt.Fprintf(&out, "%d", cell.Attempts)
			} else {
				out.WriteString(".")
			}
			if cell.Pending > 0 {
				fmt.Fprintf(&out, " ?%d", cell.Pending)
			} else {
				out.WriteString("   ")
			}
			switch {
			case c.Rules.Kind != scoring.ICPC:
				fmt.Fprintf(&out, " %4g", cell.Points)
			case cell.Solved:
				fmt.Fprintf(&out, " %4.0f", cell.Time.Minutes())
			default:
				out.WriteString("    .")
			}
		}
		out.WriteString("\n")
	}
	for _, col := range b.Columns() {
		fmt.Fprintf(&out, "%s: %d of %d teams, %d submissions, %d pending, first %q\n", col.Label, col.Solved, col.Attempted, col.Attempts,
			col.Pending, col.First)
	}
	return out.Bytes()
}

// TestExamples compares the scoreboards of example contests with golden files. These were checked against results
// computed manually from the rules, and must be checked again whenever they change.
func TestExamples(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/examples/*.txt") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			x := readExample(t, file)
			golden.Check(t, strings.TrimSuffix(file, ".txt")+".scoreboard", draw(scoring.New(x.contest, x.teams, x.submissions, x.view)))
		})
	}
}
