package judge

// Verdict is the judgement of a submission, a group, or a case. The verdicts are written as strings only in this
// file. The zero value means "not judged yet".
type Verdict string

// The verdicts, from best to worst. Worst uses this order to aggregate a group.
const (
	NotJudged     Verdict = ""    // there is no verdict yet
	Accepted      Verdict = "AC"  // correct, and within the limits
	Skipped       Verdict = "SK"  // not judged because an earlier case failed, or because it was not selected
	WrongAnswer   Verdict = "WA"  // the checker rejected the output
	RunTimeError  Verdict = "RTE" // the program ended with a nonzero exit code, or by a signal
	OutputLimit   Verdict = "OLE" // the program wrote too much
	MemoryLimit   Verdict = "MLE" // the program used too much memory
	TimeLimit     Verdict = "TLE" // CPU time
	IdlenessLimit Verdict = "ILE" // the wall time limit was exceeded, with CPU time left
	CompileError  Verdict = "CE"  // the program could not be built
	JudgeError    Verdict = "JE"  // the machine, the judge, or a setter's program is at fault
)

// verdicts lists, in order of precedence, each verdict with its name and its directory under solutions/.
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

// Words returns the name of the verdict, such as "wrong answer" for WA.
func (v Verdict) Words() string {
	if rank := v.rank(); rank >= 0 {
		return verdicts[rank].words
	}
	return "not judged"
}

// Dir returns the name of the directory in solutions/<problem> whose programs must get this verdict. It returns
// the empty string if there is none.
func (v Verdict) Dir() string {
	if rank := v.rank(); rank >= 0 {
		return verdicts[rank].folder
	}
	return ""
}

// VerdictOfDir returns the verdict that programs in a directory in solutions/<problem> must get. It returns false
// if no verdict has a directory of that name.
func VerdictOfDir(dir string) (Verdict, bool) {
	for _, row := range verdicts {
		if row.folder != "" && row.folder == dir {
			return row.verdict, true
		}
	}
	return NotJudged, false
}

// rank returns the index in the order of precedence, or -1 for NotJudged and unknown verdicts.
func (v Verdict) rank() int {
	for i, row := range verdicts {
		if row.verdict == v {
			return i
		}
	}
	return -1
}

// Worst returns the verdict that is last in the order of precedence. It ignores NotJudged. If there are no other
// verdicts, it returns NotJudged.
func Worst(all ...Verdict) Verdict {
	worst := NotJudged
	for _, v := range all {
		if v.rank() > worst.rank() {
			worst = v
		}
	}
	return worst
}

// NearLimit is the multiple of its CPU time limit beyond which it is pointless to repeat a run. A run that ends
// earlier may be in time when it is repeated.
const NearLimit = 1.2

// Classify judges how a program ended, before its output is checked. It returns NotJudged for a run that ended
// within its limits, because then the output decides.
//
// Several limits may be exceeded at once. The precedence, with its reasons:
//
//  1. Memory, because a program near its limit is slow, and crashes when it is
//     refused more: the cause is the memory.
//  2. Output, because writing that much takes time.
//  3. CPU time: it ran too long, whatever it would have done next.
//  4. Wall time, with CPU time left: it waited for something. Only a kill
//     counts, because on a busy machine every wall time is long.
//  5. A signal or a nonzero exit code: it ended abnormally by itself. Running
//     out of processes also has this effect.
//
// Using exactly a limit is within the limit.
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
