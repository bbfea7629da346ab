package judge

// Verdict is what the judge thinks of a submission, a group or one case.
// This file is the only one that spells the words.
// The zero value means "not judged yet".
type Verdict string

// The verdicts, from best to worst: the order is the precedence by which Worst
// folds a group.
const (
	NotJudged     Verdict = ""    // there is no verdict yet
	Accepted      Verdict = "AC"  // right, and within the limits
	Skipped       Verdict = "SK"  // after the first failure, or the group was not asked for
	WrongAnswer   Verdict = "WA"  // the checker refused the output
	RunTimeError  Verdict = "RTE" // it ended with an exit code other than 0, or by a signal
	OutputLimit   Verdict = "OLE" // it wrote too much
	MemoryLimit   Verdict = "MLE" // it used too much memory
	TimeLimit     Verdict = "TLE" // CPU time
	IdlenessLimit Verdict = "ILE" // wall time, with CPU time to spare
	CompileError  Verdict = "CE"  // it could not be built
	JudgeError    Verdict = "JE"  // the machine, the judge or the setter's programs are at fault
)

// verdicts holds, in order of precedence, each verdict with the words that
// people read and the folder under solutions/ that promises it.
var verdicts = []struct {
	verdict Verdict
	words   string
	folder  string
}{
	{Accepted, "accepted", "accepted"},
	{Skipped, "skipped", ""},
	{WrongAnswer, "wrong answer", "wrong_answer"},
	{RunTimeError, "run-time error", "run_time_error"},
	{OutputLimit, "output limit exceeded", "output_limit_exceeded"},
	{MemoryLimit, "memory limit exceeded", "memory_limit_exceeded"},
	{TimeLimit, "time limit exceeded", "time_limit_exceeded"},
	{IdlenessLimit, "idleness limit exceeded", "idleness_limit_exceeded"},
	{CompileError, "compile error", "compile_error"},
	{JudgeError, "judge error", ""},
}

// Verdicts returns every verdict that can be given, best first.
func Verdicts() []Verdict {
	all := make([]Verdict, len(verdicts))
	for i, row := range verdicts {
		all[i] = row.verdict
	}
	return all
}

// Words returns the verdict in words: "wrong answer" for WA.
func (v Verdict) Words() string {
	if rank := v.rank(); rank >= 0 {
		return verdicts[rank].words
	}
	return "not judged"
}

// Folder returns the name of the folder of solutions/<problem> whose programs
// must get this verdict, or "" where there is none.
func (v Verdict) Folder() string {
	if rank := v.rank(); rank >= 0 {
		return verdicts[rank].folder
	}
	return ""
}

// VerdictOfFolder returns the verdict that a folder of solutions/<problem>
// promises, and false if the name promises none.
func VerdictOfFolder(folder string) (Verdict, bool) {
	for _, row := range verdicts {
		if row.folder != "" && row.folder == folder {
			return row.verdict, true
		}
	}
	return NotJudged, false
}

// rank is the place in the order of precedence, -1 for what is not judged.
func (v Verdict) rank() int {
	for i, row := range verdicts {
		if row.verdict == v {
			return i
		}
	}
	return -1
}

// Worst folds verdicts into one: the one that comes last in the order of
// precedence. Verdicts that were not judged do not count; of none, the fold is
// not judged either.
func Worst(all ...Verdict) Verdict {
	worst := NotJudged
	for _, v := range all {
		if v.rank() > worst.rank() {
			worst = v
		}
	}
	return worst
}

// NearLimit is how many times its limit of CPU time a run may take until it is hopeless: one
// that ends before may be in time when it is repeated.
const NearLimit = 1.2

// Classify judges how a program ended, before anybody looks at its output. It
// returns NotJudged for a run that ended well within its limits: then the
// output decides.
//
// Several things may be wrong at once. The precedence, with its reasons:
//
//  1. Memory, because a program near its limit is slow, and crashes when it is
//     refused more: the cause is the memory.
//  2. Output, because a flood takes time to write.
//  3. CPU time: it ran too long, whatever it would have done next.
//  4. Wall time, with CPU time to spare: it waited for something. Only a kill
//     counts, as a busy machine makes every clock run long.
//  5. A signal or an exit code: it ended by itself, and badly. Running out of
//     its share of processes shows itself this way too.
//
// Exactly at a limit is within it.
func Classify(x Exec, limits Limits) Verdict {
	switch {
	case x.Killed == Memory:
		return MemoryLimit
	case x.Killed == Output || limits.Output > 0 && x.Output > limits.Output:
		return OutputLimit
	case x.Killed == CPUTime || limits.CPU > 0 && x.CPU > limits.CPU:
		return TimeLimit
	case x.Killed == WallTime:
		return IdlenessLimit
	case x.Signal != "" || x.Exit != 0:
		return RunTimeError
	}
	return NotJudged
}
