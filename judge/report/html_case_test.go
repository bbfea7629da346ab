package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/report"
)

// manyCases returns the events of a run on n cases with long names, in the given number of groups. Every case
// whose number is divisible by fails fails.
func manyCases(n, groups, fails int) []judge.Event {
	excerpt := func(text string) judge.Excerpt {
		return judge.Excerpt{Text: strings.Repeat(text+" ", 40) + "\n", FirstLine: 1, Size: int64(40 * len(text))}
	}
	started := &judge.Started{Format: judge.EventFormat, Problem: "many", Program: "a.py", Language: "Python", TimeMS: 1000,
		Memory: 1 << 28, Cases: n}
	var all []judge.Event
	end := &judge.Finished{Verdict: judge.Accepted, Judged: n, Cases: n, TimeMS: 9}
	name := func(i int) string { return fmt.Sprintf("random-%d-%s", i, strings.Repeat("max-100000-", 5)) }
	for g := range groups {
		group := fmt.Sprintf("group-%d-of-the-secret-cases", g)
		started.Groups = append(started.Groups, group)
		folded := &judge.GroupJudged{Group: group, Verdict: judge.Accepted}
		for i := g; i < n; i += groups {
			c := &judge.CaseJudged{Group: group, Case: name(i), Verdict: judge.Accepted, Line: strings.ReplaceAll(name(i), "-", " ")}
			c.Exec.CPU, c.Exec.Memory = time.Duration(i)*time.Microsecond, 3<<20
			if folded.Cases++; i%fails == fails-1 {
				c.Verdict, folded.Verdict, end.Verdict = judge.WrongAnswer, judge.WrongAnswer, judge.WrongAnswer
				c.Message = "line 1, token 1: want 0, got 1"
				c.Detail = &judge.Detail{Input: excerpt("5"), Want: excerpt("0"), Got: excerpt("1")}
				if end.First == "" {
					end.First = c.ID()
				}
			} else {
				folded.Passed++
				end.Passed++
			}
			end.Slowest = c.ID()
			all = append(all, c)
		}
		all = append(all, folded)
	}
	return append(append([]judge.Event{started, &judge.Built{}}, all...), end)
}

// TestRunHTMLIsSmall checks that a run takes at most 40 kB in a server's page, however many cases it has, and that
// the target of every link exists. The first failing cases must keep their details, and the slowest cases their
// rows.
func TestRunHTMLIsSmall(t *testing.T) {
	for _, n := range []int{3, 150, 300, 1000} {
		for _, groups := range []int{1, 2, 40} {
			for _, fails := range []int{1, 2, 50, 5000} {
				if groups > n {
					continue
				}
				t.Run(fmt.Sprintf("%d cases in %d groups, every %d. fails", n, groups, fails), func(t *testing.T) {
					var b bytes.Buffer
					if err := report.HTMLFragment(&b, "r-", manyCases(n, groups, fails)); err != nil {
						t.Fatal(err)
					}
					page := b.String()
					if len(page) > 40<<10 {
						t.Errorf("the part has %d bytes", len(page))
					}
					ids := map[string]bool{}
					var links []string
					for _, e := range elements(t, b.Bytes()) {
						for _, a := range e.Attr {
							if a.Key == "id" {
								ids[a.Val] = true
							} else if a.Key == "href" {
								links = append(links, strings.TrimPrefix(a.Val, "#"))
							}
						}
					}
					for _, to := range links {
						if !ids[to] {
							t.Errorf("a link leads to #%s, which is not there", to)
						}
					}
					has := func(what string, want bool) {
						if strings.Contains(page, what) != want {
							t.Errorf("has %q: %v, want %v", what, !want, want)
						}
					}
					has(`<details class="failure wa" open>`, fails <= n)
					has("report of <code>--json</code>", false)
					if n <= 300 && groups <= 2 && fails >= 50 {
						has("without details here", false)
					}
					if fails == 1 && n >= 150 {
						has("without details here", true)
					}
					if groups <= 2 {
						has(`<table class="cases">`, true)
						has("more case", n >= 150)
					}
				})
			}
		}
	}
}
