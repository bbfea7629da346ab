package judge

// ClassifyInteractive judges an interactive run. If both programs failed, the second one usually failed because of
// the first. Interactor is the outcome that the interactor's exit code states. First means that the interactor exited
// before the program.
//
// The precedence, with its reasons:
//
//  1. A judge error, because a broken interactor judges nothing.
//  2. Wrong answer by an interactor that exited first, because what
//     the program does afterwards is not its fault.
//  3. The end of the program, by Classify: if it failed, the interactor's outcome
//     only reflects that. A program must also exit properly after it is accepted.
//  4. The interactor's outcome.
func ClassifyInteractive(x Exec, limits Limits, interactor Outcome, first bool) Outcome {
	if interactor.Verdict == JudgeError || interactor.Verdict == WrongAnswer && first {
		return interactor
	}
	if v := Classify(x, limits); v != NotJudged {
		return Outcome{Verdict: v, Message: x.Termination(), Team: interactor.Team}
	}
	return interactor
}
