package report_test

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"assay/judge"
	"assay/judge/report"
)

// A report can be written from live events or, as here, from a saved stream.
func ExampleReplay() {
	var saved bytes.Buffer
	live := report.JSON(&saved)
	live.Event(&judge.Started{
		Format: judge.EventFormat, Problem: "wythoff", Title: "Wythoff's game", Program: "sol.py",
		Language: "python3", TimeMS: 1000, Cases: 1,
	})
	live.Event(&judge.Built{})
	live.Event(&judge.CaseJudged{Group: "sample", Case: "1", Verdict: judge.Accepted, Exec: judge.Exec{
		CPU: 12 * time.Millisecond, Memory: 9 << 20,
	}})
	live.Event(&judge.GroupJudged{Group: "sample", Verdict: judge.Accepted, Passed: 1, Cases: 1})
	live.Event(&judge.Finished{Verdict: judge.Accepted, Passed: 1, Judged: 1, Cases: 1, Slowest: "sample/1", TimeMS: 12, Memory: 9 << 20})
	if err := live.Close(); err != nil {
		fmt.Println(err)
	}

	if err := report.Replay(&saved, report.Terminal(os.Stdout, report.TerminalOptions{})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// wythoff: Wythoff's game
	// sol.py  (python3)
	//
	//   sample  AC   1/1  .
	//
	// AC  accepted
	//     1 of 1 case accepted
	//     time    0.012 s of 1 s
	//     memory  9 MiB
}

func ExampleStatement() {
	const markdown = "## Input\n\nOne line with two integers, `0 <= a <= b`.\n\n- sorted\n- below 100\n"
	if err := report.Statement(os.Stdout, []byte(markdown), 40, false, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Input
	// -----
	//
	// One line with two integers, `0 <= a <=
	// b`.
	//
	// - sorted
	// - below 100
}
