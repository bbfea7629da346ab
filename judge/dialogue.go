package judge

// Settle judges an interactive run. Both programs may have failed, and usually the second one failed because
// of the first. Interactor is the result that the interactor's exit states; first means that it ended before
// the program.
//
// The precedence, with its reasons:
//
//  1. A judge error, because a broken interactor judges nothing.
//  2. Wrong answer by an interactor that ended first: it has seen enough, and what
//     the program does afterwards is not a fault.
//  3. How the program ended, by Classify: if it failed, the interactor's result
//     only reflects that. A program must also end properly after it is accepted.
//  4. The interactor's result.
func Settle(x Exec, limits Limits, interactor Outcome, first bool) Outcome {
	if interactor.Verdict == JudgeError || interactor.Verdict == WrongAnswer && first {
		return interactor
	}
	if v := Classify(x, limits); v != NotJudged {
		return Outcome{Verdict: v, Message: x.Fate(), Team: interactor.Team}
	}
	return interactor
}
