package report

import (
	"fmt"
	"time"

	"assay/judge"
)

// This file writes the report on a trial of a bot before a tournament.

func (t *terminal) writeTryStarted(e *judge.BotTrialStarted) {
	why := ""
	if e.MadeFor {
		why = ", for which it was made"
	}
	t.printf("%s: %s by the rules %s%s\n\n", sanitizeLine(e.Game), sanitizeLine(e.Bot), sanitizeLine(e.Rules), why)
}

func (t *terminal) writePositionTried(e *judge.PositionTried) {
	mark := "ok "
	if len(e.Errors) > 0 {
		mark = "BAD"
	}
	t.printf("%s  %s\n", mark, sanitizeLine(e.Name))
	for _, line := range e.Errors {
		t.printf("     %s\n", sanitizeLine(line))
	}
}

func (t *terminal) writeTryFinished(e *judge.BotTrialFinished) {
	t.printf("\n")
	for _, line := range e.Errors {
		t.printf("%s\n", sanitizeLine(line))
	}
	if len(e.Errors) > 0 {
		t.printf("\n")
	}
	if e.Moves > 0 {
		us := func(n int64) string { return fmt.Sprint(time.Duration(n) * time.Microsecond) }
		t.printf("%d moves, %s each on average, %s the slowest\n", e.Moves, us(e.MeanUS), us(e.SlowestUS))
	}
	if e.OK {
		t.printf("nothing is wrong\n")
	} else {
		t.printf("something is wrong\n")
	}
}
