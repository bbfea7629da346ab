package judge

// Settle judges an interactive run, in which both programs may have gone wrong, and
// mostly the second because the first did. Interactor is what the interactor says
// by its own end; first says that it ended before the program.
//
// The precedence, with its reasons:
//
//  1. A judge error, because an interactor that breaks judges nothing.
//  2. Wrong answer by an interactor that ended first: it has seen enough, and what
//     the program does with nobody to talk to is not a fault.
//  3. How the program ended, by Classify: if it broke, the interactor has only seen
//     that, whatever it made of it; and a program must end well after it is accepted
//     too.
//  4. What the interactor says.
func Settle(x Exec, limits Limits, interactor Outcome, first bool) Outcome {
	if interactor.Verdict == JudgeError || interactor.Verdict == WrongAnswer && first {
		return interactor
	}
	if v := Classify(x, limits); v != NotJudged {
		return Outcome{Verdict: v, Message: x.Fate(), Team: interactor.Team}
	}
	return interactor
}
