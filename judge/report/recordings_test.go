package report_test

import (
	"fmt"
	"io"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/window"
)

// recordings contains the event streams that the tests pass to every report. They are saved in testdata/recordings
// in the format of JSON.
var recordings = map[string][]judge.Event{
	"accepted":       accepted(),
	"wrong_answer":   wrongAnswer(),
	"time_limit":     timeLimit(),
	"compile_error":  compileError(),
	"judge_error":    judgeError(),
	"interactive":    interactive(),
	"scores":         scores(),
	"all_many":       allMany(),
	"hostile":        hostile(),
	"broken_off":     wrongAnswer()[:6],
	"adequacy":       {adequacy(false)},
	"adequacy_all":   {adequacy(true), &judge.Noted{Text: "not a part of it"}, adequacy(false)},
	"suite":          suite(),
	"several":        submissionTable(),
	"several_broken": submissionTable()[:12],
	"verify":         verify(),
	"verify_package": verifyPackage(),
	"verify_partial": verifyPartial(),
	"verify_clean":   verifyClean(),
	"verify_several": join(verifyFaulty()[:25], verifyClean()),
}

const (
	ms  = time.Millisecond
	mib = 1 << 20
)

// submissionTable returns the events of three submissions that are judged one after the other. The same note precedes
// each.
func submissionTable() []judge.Event {
	note := &judge.Noted{Text: "the problem has no answer for one case"}
	events := []judge.Event{&judge.BatchStarted{
		Format: judge.EventFormat, Problem: "wythoff", Title: "Wythoff's game", Programs: []string{"mine/a.py", "mine/b.cpp", "mine/c.py"},
		Groups: []string{"sample", "large"}, Cases: 5, Isolation: "namespaces",
	}}
	events = append(events, started("mine/a.py", "Python 3", 5, "sample", "large"), note, &judge.Built{})
	events = append(append(events, good("sample", 2)...), good("large", 3)...)
	events = append(events, &judge.Finished{Verdict: judge.Accepted, Passed: 5, Judged: 5, Cases: 5, TimeMS: 31, Memory: 6 * mib})
	events = append(events, started("mine/b.cpp", "C++", 5, "sample", "large"), note)
	events = append(events, compileError()[1:]...)
	events = append(events, started("mine/c.py", "Python 3", 5, "sample", "large"), note)
	return append(append(events, wrongAnswer()[1:]...), &judge.BatchFinished{Accepted: 1, Submissions: 3})
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

func detail(in, ans, out string, place *judge.Position) *judge.Detail {
	return window.Detail(section(in), section(ans), section(out), place)
}

func started(program, language string, cases int, groups ...string) *judge.Started {
	return &judge.Started{
		Format: judge.EventFormat, Problem: "wythoff", Title: "Wythoff's game", Program: program, Language: language,
		TimeMS: 1000, Memory: 256 * mib, Cases: cases, Groups: groups, Isolation: "namespaces",
	}
}

func ran(cpu time.Duration, memory int64) judge.Exec {
	return judge.Exec{CPU: cpu, Wall: cpu + 3*ms, Memory: memory, Output: 12}
}

// good returns accepted cases of a group, followed by the end of the group.
func good(group string, n int) []judge.Event {
	var events []judge.Event
	for i := range n {
		events = append(events, &judge.CaseJudged{
			Group: group, Case: fmt.Sprintf("%02d", i+1), Verdict: judge.Accepted, Exec: ran(time.Duration(7*i%40+3)*ms, int64(2+i%5)*mib),
		})
	}
	return append(events, &judge.GroupJudged{Group: group, Verdict: judge.Accepted, Passed: n, Cases: n})
}

// skipped returns cases of a group that were not judged.
func skipped(group string, n int) []judge.Event {
	var events []judge.Event
	for i := range n {
		events = append(events, &judge.CaseJudged{Group: group, Case: fmt.Sprintf("%02d", i+1), Verdict: judge.Skipped})
	}
	return append(events, &judge.GroupJudged{Group: group, Verdict: judge.Skipped, Cases: n})
}

func join(parts ...[]judge.Event) []judge.Event {
	var all []judge.Event
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func accepted() []judge.Event {
	return join(
		[]judge.Event{started("solutions/wythoff/accepted/bits.go", "go", 19, "sample", "edge", "big"), &judge.Built{Millis: 412.3}},
		[]judge.Event{&judge.Progressed{Done: 2, Total: 19}},
		good("sample", 2), good("edge", 12), good("big", 5),
		[]judge.Event{
			&judge.Finished{Verdict: judge.Accepted, Passed: 19, Judged: 19, Cases: 19, Slowest: "edge/06", TimeMS: 38, Memory: 6 * mib},
		},
	)
}

func wrongAnswer() []judge.Event {
	var ans, out strings.Builder
	for i := range 200 {
		fmt.Fprintf(&ans, "%d %d\n", i, i*i)
		switch {
		case i == 99:
			fmt.Fprintf(&out, "%d %d\n", i, i*i+1)
		case i == 101:
			fmt.Fprintf(&out, "%d  %d \n", i, i*i)
		case i == 104:
		default:
			fmt.Fprintf(&out, "%d %d\n", i, i*i)
		}
	}
	offset := int64(strings.Index(ans.String(), "\n99 9801")) + 4
	return join(
		[]judge.Event{
			started("my solutions/it's wrong.py", "python3", 19, "sample", "edge", "big"),
			&judge.Built{Millis: 12, Cached: true},
		},
		good("sample", 2),
		[]judge.Event{
			&judge.CaseJudged{
				Group: "edge", Case: "corner-0-0", Verdict: judge.WrongAnswer, Exec: ran(12*ms, 9*mib),
				Message: `line 100, token 2: want "9801", got "9802"`,
				Line:    "corner 0 0",
				Stderr:  "DeprecationWarning: the square of 99 is guessed\n",
				Detail:  detail("200\n", ans.String(), out.String(), &judge.Position{Line: 100, Column: 4, AnsOffset: offset, OutOffset: offset}),
			},
		},
		skipped("edge", 11)[:11],
		[]judge.Event{&judge.GroupJudged{Group: "edge", Verdict: judge.WrongAnswer, Cases: 12}},
		skipped("big", 5),
		[]judge.Event{&judge.Finished{
			Verdict: judge.WrongAnswer, Passed: 2, Judged: 3, Cases: 19, First: "edge/corner-0-0",
			Slowest: "edge/corner-0-0", TimeMS: 12, Memory: 9 * mib,
		}},
	)
}

func timeLimit() []judge.Event {
	e := started("slow.py", "python3", 5, "sample", "big")
	e.Faster, e.Isolation, e.Unenforced = "pypy", "plain", []string{"memory", "network", "file system"}
	return join(
		[]judge.Event{&judge.Noted{Text: "case big/03 has no answer file; it is not judged"}, e, &judge.Built{}},
		good("sample", 2),
		[]judge.Event{
			&judge.CaseJudged{
				Group: "big", Case: "01", Verdict: judge.TimeLimit, Message: "killed at its time limit",
				Exec: judge.Exec{Killed: judge.CPUTime, CPU: 1004 * ms, Wall: 1010 * ms, Memory: 31 * mib, Output: 0},
				Note: "ran again alone, near its limit", Line: "random --max 1e18 --seed 1",
				Detail: detail("1000000000000000000 999999999999999999\n", "1 2\n", "", nil),
			},
		},
		skipped("big", 2)[:2],
		[]judge.Event{
			&judge.GroupJudged{Group: "big", Verdict: judge.TimeLimit, Cases: 3},
			&judge.Finished{
				Verdict: judge.TimeLimit, Passed: 2, Judged: 3, Cases: 5, First: "big/01", Slowest: "big/01",
				TimeMS: 1004, Memory: 31 * mib,
			},
		},
	)
}

func compileError() []judge.Event {
	return []judge.Event{
		started("broken.go", "go", 19, "sample", "edge", "big"),
		&judge.Built{
			Verdict: judge.CompileError, Millis: 231, Command: "go build -o main broken.go",
			Log: "# command-line-arguments\n./broken.go:7:2: undefined: x\n./broken.go:9:14: cannot use \"a\" (untyped string constant) as int " +
				"value in assignment\n./broken.go:11:1: missing return\n",
		},
		&judge.Finished{Verdict: judge.CompileError, Cases: 19},
	}
}

func judgeError() []judge.Event {
	return join(
		[]judge.Event{started("fine.cpp", "cpp", 3, "sample", "edge"), &judge.Built{Millis: 890}},
		good("sample", 2),
		[]judge.Event{
			&judge.CaseJudged{
				Group: "edge", Case: "empty", Verdict: judge.JudgeError, Exec: ran(1*ms, 2*mib),
				Message: "the checker ended with signal SIGSEGV:\npanic: runtime error: index out of range [3] with length 3",
				Detail:  detail("0 0\n", "lost\n", "lost\n", nil),
			},
			&judge.GroupJudged{Group: "edge", Verdict: judge.JudgeError, Cases: 1},
			&judge.Finished{
				Verdict: judge.JudgeError, Passed: 2, Judged: 3, Cases: 3, First: "edge/empty",
				Slowest: "sample/02", TimeMS: 10, Memory: 3 * mib,
			},
		},
	)
}

// allMany returns the events of a submission judged with --all that fails in every possible way.
func allMany() []judge.Event {
	fates := []struct {
		verdict judge.Verdict
		exec    judge.Exec
		message string
		ans     string
		out     string
		stderr  string
	}{
		{judge.WrongAnswer, ran(4*ms, 3*mib), `line 2, token 3: want "7", got "8"`, "1 2 3\n4 5 7\n", "1 2 3\n4 5 8\n", ""},
		{judge.RunTimeError, judge.Exec{Exit: 1, CPU: 9 * ms, Wall: 12 * ms, Memory: 8 * mib}, "exit code 1", "1\n", "",
			"Traceback (most recent call last):\n  File \"/program/main.py\", line 3, in <module>\n    print(a[9])\n" +
				"IndexError: list index out of range\n"},
		{judge.OutputLimit, judge.Exec{
			Killed: judge.Output, CPU: 80 * ms, Wall: 90 * ms, Memory: 3 * mib, Output: 8 * mib,
		}, "killed at its output limit", "1\n", strings.Repeat("spam and eggs\n", 5000), ""},
		{judge.MemoryLimit, judge.Exec{
			Killed: judge.Memory, CPU: 500 * ms, Wall: 600 * ms, Memory: 256 * mib,
		}, "killed at its memory limit", "1\n", "", ""},
		{judge.TimeLimit, judge.Exec{
			Killed: judge.CPUTime, CPU: 1003 * ms, Wall: 1100 * ms, Memory: 3 * mib,
		}, "killed at its time limit", "1\n", "", ""},
		{judge.IdlenessLimit, judge.Exec{
			Killed: judge.WallTime, CPU: 2 * ms, Wall: 3003 * ms, Memory: 3 * mib,
		}, "killed while it waited", "1\n", "?\n", ""},
		{judge.WrongAnswer, ran(5*ms, 3*mib), `line 1, token 1: want "YES", got "Yes"`, "YES\n", "Yes\n", ""},
		{judge.WrongAnswer, ran(5*ms, 3*mib), "line 1 differs", "a b\n", "a\tb \r\n", ""},
		{
			judge.WrongAnswer, ran(5*ms, 3*mib), `line 1, token 40001: want "1", got "2"`,
			strings.Repeat("0 ", 40000) + "1" + strings.Repeat(" 0", 40000) + "\n",
			strings.Repeat("0 ", 40000) + "2" + strings.Repeat(" 0", 40000) + "\n", "",
		},
	}
	events := []judge.Event{started(
		"solutions/wythoff/many_mistakes_in_one_program_with_a_very_long_name.py", "python3", 70, "sample",
		"edge", "a-group-with-a-long-name",
	), &judge.Built{}}
	events = append(events, good("sample", 2)...)
	passed := 0
	for i := range 60 {
		c := &judge.CaseJudged{
			Group: "edge", Case: fmt.Sprintf("random-max-99-seed-%d", i+1), Verdict: judge.Accepted,
			Exec: ran(time.Duration(i)*ms, 3*mib), Line: fmt.Sprintf("random --max 99 --seed %d", i+1),
		}
		if i%3 == 2 {
			f := fates[i/3%len(fates)]
			c.Verdict, c.Exec, c.Message, c.Stderr = f.verdict, f.exec, f.message, f.stderr
			c.Detail = detail(fmt.Sprintf("%d %d\n", i, i+1), f.ans, f.out, nil)
		} else {
			passed++
		}
		events = append(events, c)
	}
	events = append(events, &judge.GroupJudged{Group: "edge", Verdict: judge.IdlenessLimit, Passed: passed, Cases: 60})
	events = append(events, good("a-group-with-a-long-name", 8)...)
	return append(events, &judge.Finished{
		Verdict: judge.WrongAnswer, Passed: 10 + passed, Judged: 70, Cases: 70, First: "edge/random-max-99-seed-3",
		Slowest: "edge/random-max-99-seed-15", TimeMS: 1003, Memory: 256 * mib,
	})
}

// interactive returns the events of a rejected submission to an interactive problem.
func interactive() []judge.Event {
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "> %d\n< higher\n", i+1)
	}
	return []judge.Event{
		started("guess.py", "python3", 3, "sample", "edge"),
		&judge.Built{Millis: 12},
		&judge.CaseJudged{
			Group: "sample", Case: "1", Verdict: judge.Accepted, Exec: ran(2*ms, mib),
			Dialogue: "> 500\n< lower\n> 300\n< correct\n---\n> bye\n",
		},
		&judge.GroupJudged{Group: "sample", Verdict: judge.Accepted, Passed: 1, Cases: 1},
		&judge.CaseJudged{
			Group: "edge", Case: "1", Verdict: judge.WrongAnswer, Exec: ran(3*ms, mib), Dialogue: long.String(),
			Message: "the number 300 was not found with 60 questions", Team: "think of halves", Detail: detail("300\n", "", "", nil),
		},
		&judge.CaseJudged{Group: "edge", Case: "2", Verdict: judge.Skipped},
		&judge.GroupJudged{Group: "edge", Verdict: judge.WrongAnswer, Cases: 2},
		&judge.Finished{Verdict: judge.WrongAnswer, Passed: 1, Judged: 2, Cases: 3, First: "edge/1", Slowest: "edge/1", TimeMS: 3, Memory: mib},
	}
}

// scores returns the events of a submission with a partial score, in nested groups.
func scores() []judge.Event {
	case1 := func(group, name string, v judge.Verdict, points, of float64) *judge.CaseJudged {
		return &judge.CaseJudged{Group: group, Case: name, Verdict: v, Exec: ran(2*ms, mib), Score: &judge.Score{Points: points, Of: of}}
	}
	group := func(name string, v judge.Verdict, passed int, points, of float64, inner bool) *judge.GroupJudged {
		return &judge.GroupJudged{Group: name, Verdict: v, Passed: passed, Cases: 2, Score: &judge.Score{Points: points, Of: of}, Inner: inner}
	}
	return []judge.Event{
		started("half.cpp", "C++", 5, "sample", "secret/a/1", "secret/a/2"),
		&judge.Built{Millis: 12},
		&judge.CaseJudged{Group: "sample", Case: "1", Verdict: judge.Accepted, Exec: ran(2*ms, mib)},
		&judge.GroupJudged{Group: "sample", Verdict: judge.Accepted, Passed: 1, Cases: 1},
		case1("secret/a/1", "1", judge.Accepted, 12.5, 20),
		case1("secret/a/1", "2", judge.Accepted, 20, 20),
		group("secret/a/1", judge.Accepted, 2, 32.5, 40, false),
		case1("secret/a/2", "1", judge.WrongAnswer, 0, 30),
		case1("secret/a/2", "2", judge.Accepted, 30, 30),
		group("secret/a/2", judge.WrongAnswer, 1, 30, 60, false),
		group("secret/a", judge.WrongAnswer, 3, 62.5, 100, true),
		group("secret", judge.WrongAnswer, 3, 62.5, 100, true),
		&judge.Finished{
			Verdict: judge.WrongAnswer, Passed: 4, Judged: 5, Cases: 5, First: "secret/a/2/1",
			Slowest: "sample/1", TimeMS: 2, Memory: mib, Score: &judge.Score{Points: 62.5, Of: 100},
		},
	}
}

// hostile returns the events of a submission that tries to break the terminal and the page.
func hostile() []judge.Event {
	const evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
	e := started("\x1b[2Jname "+evil+".py", "python3", 2, "sample", evil)
	e.Title = "Title \u202eevil " + evil
	return []judge.Event{
		e,
		&judge.Built{Millis: 3},
		&judge.CaseJudged{
			Group: "sample", Case: "01", Verdict: judge.WrongAnswer, Exec: ran(1*ms, 1*mib),
			Message: "\x1b]0;title\x07 want \"1\", got " + evil,
			Stderr:  "\x1b[31mred\x1b[0m\r\nprogress 10%\rprogress 20%\n" + evil + "\n\xff\xfe\n",
			Line:    "evil " + evil,
			Detail:  detail("1 \x00 2\n\xff\xfe\n", "1\n2\n3\n", "\x1b[2J1\r\n2\n"+evil+"\n3", nil),
		},
		&judge.GroupJudged{Group: "sample", Verdict: judge.WrongAnswer, Cases: 1},
		&judge.CaseJudged{Group: evil, Case: evil, Verdict: judge.Skipped},
		&judge.GroupJudged{Group: evil, Verdict: judge.Skipped, Cases: 1},
		&judge.Finished{Verdict: judge.WrongAnswer, Judged: 1, Cases: 2, First: "sample/01", Slowest: "sample/01", TimeMS: 1, Memory: mib},
	}
}

func solution(file, language string, promised judge.Verdict, ok bool, killers []string, groups ...judge.Verdict) *judge.SolutionJudged {
	s := &judge.SolutionJudged{
		Path: "solutions/wythoff/" + file, Language: language, Promised: promised, OK: ok, Killers: killers,
		TimeMS: float64(12 * len(file)), Memory: int64(len(file)) * mib,
	}
	for i, v := range groups {
		s.Verdict = judge.Worst(s.Verdict, v)
		s.Groups = append(s.Groups, judge.GroupJudged{Group: []string{"sample", "edge", "big", "huge-piles"}[i], Verdict: v, Cases: 10})
	}
	return s
}

// verifyPackage returns the events for a package whose submissions have several expected verdicts, or an expected
// score.
func verifyPackage() []judge.Event {
	const ac, wa, rte = judge.Accepted, judge.WrongAnswer, judge.RunTimeError
	wanting := func(s *judge.SolutionJudged, words, note string) *judge.SolutionJudged {
		s.Expected, s.Note = words, note
		return s
	}
	return []judge.Event{
		&judge.VerifyStarted{
			Format: judge.EventFormat, Problem: "addup", Title: "Add up", Groups: []string{"sample", "edge"},
			Cases: 9, Isolation: "namespaces",
		},
		wanting(solution("accepted/a.py", "python3", ac, true, nil, ac, ac), "AC", ""),
		wanting(solution("brute_force/b.py", "python3", "", true, []string{"edge/1"}, ac, rte), "RTE or TLE", ""),
		wanting(solution(
			"rejected/r.py", "python3", "", false, nil, ac, ac,
		), "RTE or TLE or WA", "no case gets RTE or TLE or WA, as submissions/rejected wants"),
		wanting(solution(
			"scored/half.py", "python3", "", false, []string{"edge/2"}, ac, wa,
		), "", "its score is 30, but submissions.yaml: scored/half.py expects 50"),
		&judge.VerifyFinished{Solutions: 4, Faults: 2},
	}
}

// verifyPartial returns the events for a solution whose expected result lists a single verdict, although the whole
// submission need not get that verdict.
func verifyPartial() []judge.Event {
	const ac, wa = judge.Accepted, judge.WrongAnswer
	half := solution("partially_accepted/half.py", "python3", "", true, []string{"edge/2"}, ac, wa)
	half.Expected = "AC"
	return []judge.Event{
		&judge.VerifyStarted{
			Format: judge.EventFormat, Problem: "addup", Title: "Add up", Groups: []string{"sample", "edge"},
			Cases: 9, Isolation: "namespaces",
		},
		solution("accepted/a.py", "python3", ac, true, nil, ac, ac),
		half,
		&judge.VerifyFinished{OK: true, Solutions: 2},
	}
}

func verify() []judge.Event {
	const ac, wa, tle = judge.Accepted, judge.WrongAnswer, judge.TimeLimit
	skipped := solution("accepted/lazy.hs", "haskell", ac, false, nil)
	skipped.Verdict, skipped.Note, skipped.TimeMS = judge.Skipped, "no ghc: apt-get install ghc", 0
	return []judge.Event{
		&judge.VerifyStarted{Format: judge.EventFormat, Problem: "wythoff", Title: "Wythoff's game", Groups: []string{
			"sample", "edge", "big", "huge-piles",
		}, Cases: 53, Isolation: "namespaces", Unenforced: []string{"memory of the children together"}},
		&judge.Checked{What: "the directory is complete", Count: 9, Faults: 2},
		&judge.ProblemErrorFound{Fault: &judge.ProblemError{
			File: "problems/wythoff/problem.toml", Line: 3, Column: 1, Text: `unknown key "tile"`,
			Hint: `did you mean "title"?`,
		}},
		&judge.ProblemErrorFound{Fault: &judge.ProblemError{
			File: "problems/wythoff/statement.md",
			Text: "the second sample of the statement is not the second sample case, whose input is 12 and 20 and whose answer is 8 13",
			Hint: "copy it from problems/wythoff/cases/sample/2.in\nor leave the samples out of the statement: judge show prints them",
		}},
		&judge.Checked{What: "every input is valid", Count: 53},
		&judge.Checked{What: "every answer is what the reference prints", Count: 53},
		&judge.Checked{What: "every generated case is what its line makes", Count: 51},
		solution("accepted/bits.go", "go", ac, true, nil, ac, ac, ac, ac),
		solution("accepted/golden.py", "python3", ac, false, []string{"huge-piles/fib-87"}, ac, ac, ac, wa),
		skipped,
		solution("wrong_answer/floating_point_golden_ratio.cpp", "cpp", wa, true, []string{
			"huge-piles/fib-80", "huge-piles/fib-81", "huge-piles/fib-82", "huge-piles/fib-83",
			"huge-piles/fib-84",
		}, ac, ac, ac, wa),
		solution("wrong_answer/off_by_one.py", "python3", wa, true, []string{"edge/corner-0-0"}, ac, wa, ac, ac),
		solution("time_limit_exceeded/table.py", "python3", tle, true, []string{"huge-piles/fib-80", "huge-piles/fib-81"}, ac, ac, ac, tle),
		&judge.VerifyFinished{OK: false, Faults: 2, Solutions: 6, Skipped: 1},
	}
}

// verifyFaulty contains more faults than the terminal shows, and the stream breaks off.
func verifyFaulty() []judge.Event {
	events := []judge.Event{
		&judge.VerifyStarted{Format: judge.EventFormat, Problem: "pd-duel", Groups: []string{"sample"}, Isolation: "namespaces"},
	}
	for i := range 25 {
		events = append(events, &judge.ProblemErrorFound{Fault: &judge.ProblemError{
			File: "problems/pd-duel/problem.toml", Line: 10 + i, Text: fmt.Sprintf(
				"case large/%d has not been generated", i,
			), Hint: "run: judge generate pd-duel",
		}})
	}
	return events
}

func verifyClean() []judge.Event {
	return []judge.Event{
		&judge.VerifyStarted{
			Format: judge.EventFormat, Problem: "sylver", Title: "Sylver coinage",
			Groups: []string{"sample", "edge"}, Cases: 20, Isolation: "namespaces",
		},
		&judge.Checked{What: "every input is valid", Count: 20},
		solution("accepted/bits.go", "go", judge.Accepted, true, nil, judge.Accepted, judge.Accepted),
		solution("wrong_answer/gcd.go", "go", judge.WrongAnswer, true, []string{"edge/2-3"}, judge.Accepted, judge.WrongAnswer),
		&judge.VerifyFinished{OK: true, Solutions: 2},
	}
}

// adequacy returns a measurement of test data that contains a mutant in each state.
func adequacy(all bool) *judge.AdequacyMeasured {
	living := func(state judge.MutantState, line int, reason string) judge.UnkilledMutant {
		return judge.UnkilledMutant{
			State: state, Program: "problems/larger/reference", Place: fmt.Sprintf(
				"problems/larger/reference/main.go:%d", line,
			), Operator: "relation",
			Diff: "-\tif a < b {\n+\tif a <= b {\n", Reason: reason,
		}
	}
	survivor := living(judge.MutantSurvived, 9, "")
	survivor.Input, survivor.Answer, survivor.Origin = "1\x1b 2\n"+strings.Repeat("7\n", 12), "7\n", "it is made from the case sample/one"
	counts := judge.MutantCounts{Mutants: 40, Killed: 35, Survived: 1, Equivalent: 1, Unseparated: 2, Unreached: 1}
	return &judge.AdequacyMeasured{
		Format: judge.EventFormat, Problem: "larger", Key: "0011", Cases: 12, Seed: 1, Searched: 2000,
		Programs:  []judge.ProgramMutants{{Path: "problems/larger/reference", MutantCounts: counts}},
		Operators: []judge.OperatorMutants{{Operator: "relation", MutantCounts: counts}},
		Total:     counts, How: []judge.KillMethod{{How: "wrong answer", Count: 30}, {How: "crash", Count: 5}},
		Mutants: []judge.UnkilledMutant{survivor, living(
			judge.MutantEquivalent, 11, "they are the same then",
		), living(judge.MutantUnseparated, 12, ""), living(judge.MutantUnreached, 13, "")},
		Notes: []string{"not mutated: solutions/larger/accepted/cgo.go: it imports C"}, All: all,
	}
}

// suite returns the events of generating and measuring test data.
func suite() []judge.Event {
	return []judge.Event{
		&judge.CasesGenerated{Format: judge.EventFormat, Problem: "guess", Reason: "guess has no generator: nothing to make"},
		&judge.CasesGenerated{Format: judge.EventFormat, Problem: "larger", Cases: 14, Generated: 12, Changed: 3, Kept: 1, Removed: 2},
		&judge.CasesGenerated{Format: judge.EventFormat, Problem: "larger", Check: true, Cases: 14},
		&judge.ProblemErrorFound{Fault: &judge.ProblemError{
			File: "testcases/larger/some/pair-3-5.in", Text: "the file is not the one that was generated",
			Hint: "run: judge generate larger",
		}},
		&judge.CasesGenerated{Format: judge.EventFormat, Problem: "larger", Check: true, Cases: 14, Faults: 1},
		&judge.FreshCasesGenerated{Format: judge.EventFormat, Problem: "larger", Cases: 100, Seed: 7, Dir: "/tmp/larger"},
		&judge.FilesGenerated{Format: judge.EventFormat, Problem: "package", Files: 20, Changed: []string{"data/secret/1.in"}},
		&judge.FilesGenerated{Format: judge.EventFormat, Problem: "package", Check: true, Files: 20},
		&judge.SuitePruned{
			Format: judge.EventFormat, Problem: "larger", Changes: []string{`- "pair 3 5"`},
			Before: judge.SuiteTotals{
				Cases: 14, Bytes: 200, Mutants: 40, Solutions: 3, Bounds: 5,
			}, After: judge.SuiteTotals{Cases: 13, Bytes: 190, Mutants: 40, Solutions: 3, Bounds: 5},
		},
		&judge.CoverageMeasured{
			Format: judge.EventFormat, Problem: "larger", File: "problems/larger/input.format", Cases: 14,
			Goals: []judge.CoverageGoal{{Description: "a = 1", Line: 1, Cases: 3}, {Description: "a = 1000000000", Line: 1}, {
				Description: "feature: the first one is the larger one of the two that are there", Line: 3, Cases: 11,
			}},
		},
		&judge.SuiteMeasured{
			Format: judge.EventFormat, Problem: "larger", MaxCounted: 12,
			Cases: []judge.CaseDetections{{
				Case: "sample/one", Bytes: 6, Mutants: 20, Solutions: 1, Bounds: 2,
			}, {Case: "a-group-with-a-long-name/pair-of-large-numbers", Bytes: 12345, Mutants: 31, Solutions: 3, Bounds: 1, Unique: 2}},
			Unique: []judge.UniqueDetection{{Case: "sample/one", Kind: "solution", Name: "solutions/larger/wrong_answer/smaller.py"}},
		},
	}
}
