package arena

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/tail"
	"assay/judge/problem"
)

// BotTrial tests the first bot of a tournament. The other bot is the game's tester.
type BotTrial struct {
	Tournament *Tournament
	Rules      Rules
	Checks     []problem.Check // positions to test; if empty, one game from each seat
	// If First is set, the trial ends after the first game in which the bot fails, or after the first position
	// with another error.
	StopAtFirst bool

	ok             bool
	moves          int
	total, slowest int64 // wall time in microseconds
}

// Run plays two games from each position, twice, and reports the bot's errors. It returns true if there are none.
func (t *BotTrial) Run(ctx context.Context, listen func(judge.Event)) (ok bool, err error) {
	checks := t.Checks
	if len(checks) == 0 {
		checks = []problem.Check{{Name: "a game from each seat"}}
	}
	t.ok = true
	for i := range checks {
		wrong, refused, err := t.playPosition(ctx, &checks[i])
		if err != nil {
			return false, err
		}
		t.ok = t.ok && len(wrong) == 0
		listen(&judge.PositionTried{Name: checks[i].Name, Errors: wrong})
		if refused || t.StopAtFirst && !t.ok {
			break
		}
	}
	listen(t.finished(nil))
	return t.ok, nil
}

// finished returns the event that reports the result of the trial.
func (t *BotTrial) finished(wrong []string) *judge.BotTrialFinished {
	e := &judge.BotTrialFinished{OK: t.ok, Errors: wrong, Moves: t.moves, SlowestUS: t.slowest}
	if t.moves > 0 {
		e.MeanUS = t.total / int64(t.moves)
	}
	return e
}

// EvaluateTrial evaluates all games of one bot in a tournament as a trial.
func EvaluateTrial(r *Results, id int) (*judge.BotTrialFinished, error) {
	games, err := r.LoadAll()
	if err != nil {
		return nil, err
	}
	var t BotTrial
	wrong := t.findErrors(games, id)
	t.ok = len(wrong) == 0 && !r.isDisqualified(id)
	return t.finished(wrong), nil
}

// playPosition plays two games from a position, twice. Refused means that the bot did not become ready.
func (t *BotTrial) playPosition(ctx context.Context, check *problem.Check) (wrong []string, refused bool, err error) {
	e := t.Tournament
	e.Rules = t.Rules
	e.Rules.Rounds, e.Rules.Games, e.Rules.Costs, e.Rules.Options = 1, 2, nil, maps.Clone(t.Rules.Options) // faults must not end the trial
	maps.Copy(e.Rules.Options, check.Options)
	e.Jobs = 1
	if t.StopAtFirst {
		e.Schedule = untilFailure{}
	}
	var first []*Game
	for range 2 {
		out, err := e.Run(ctx)
		if options, ok := errors.AsType[*OptionsError](err); ok {
			return []string{"cannot be tested under these rules: " + options.Text}, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		r := out.Results
		for _, d := range r.Disqualified {
			if d.Bot == e.Bots[0].ID {
				return []string{d.Fault.Line() + d.Fault.StderrLine()}, true, nil
			}
			return nil, false, fmt.Errorf("the tester: %s", d.Fault.Line())
		}
		games, err := r.LoadAll()
		if err != nil {
			return nil, false, err
		}
		if first == nil {
			first = games
			if wrong = t.findErrors(games, e.Bots[0].ID); t.StopAtFirst && len(wrong) > 0 {
				return wrong, false, nil
			}
			continue
		}
		same := slices.EqualFunc(first, games, func(a, b *Game) bool { return slices.Equal(a.Moves, b.Moves) })
		if r.Bot(e.Bots[0].ID).Pure && !same {
			wrong = append(wrong, "the bot claims to be pure, but gave different answers in two equal games")
		}
	}
	return wrong, false, nil
}

// untilFailure is a schedule of two games between two bots. If the first bot fails in the first game, the second
// is not played.
type untilFailure struct{}

// Stage returns the first game, and then both.
func (untilFailure) Stage(stage int, results *Results) []Encounter {
	in := results.ActiveBots()
	if stage > 1 || len(in) < 2 {
		return nil
	}
	for i := range results.Games {
		for _, b := range []compactFault{results.Games[i].fault, results.Games[i].after} {
			if bot, _ := b.decode(&results.Games[i]); bot == in[0] {
				return nil
			}
		}
	}
	return []Encounter{newEncounter(1, in[0], in[1], stage+1)}
}

// findErrors returns the errors that a bot made in games.
func (t *BotTrial) findErrors(games []*Game, id int) (wrong []string) {
	for _, g := range games {
		seat := 1
		if g.Second == id {
			seat = 2
		}
		where := []string{"going first: ", "going second: "}[seat-1]
		for k := range g.Moves {
			if g.Seat(k) == seat {
				t.moves++
				t.total += g.Micros[k]
				t.slowest = max(t.slowest, g.Micros[k])
			}
		}
		for _, n := range g.Notes {
			if n.Seat == seat && n.Kind != "comment" {
				wrong = append(wrong, where+n.Kind+": "+n.Text)
			}
		}
		for _, f := range []*GameFault{g.Fault, g.After} {
			if f != nil && f.Seat == seat {
				wrong = append(
					wrong,
					fmt.Sprintf(
						"%s%s, after %s%s", where, f.Line(),
						strings.Join(append([]string{"[" + g.Start + "]"}, g.Moves...), " "), f.StderrLine(),
					),
				)
			}
		}
	}
	return wrong
}

// StderrLine returns the line of the bot's standard error that explains an error, with its position in the source,
// preceded by a semicolon. It returns "" if the bot wrote nothing.
func (f *GameFault) StderrLine() string {
	reason := tail.Reason(f.Stderr)
	switch {
	case reason == "":
		return ""
	case f.Place != "":
		return fmt.Sprintf("; its error output, at %s: %s", f.Place, reason)
	}
	return "; its error output: " + reason
}

// Line describes the fault on one line.
func (f *GameFault) Line() string {
	line := string(f.Kind) + ": " + strings.Join(strings.Fields(f.Text), " ")
	if f.Bytes != "" && f.Bytes != `""` {
		line += ", it sent " + f.Bytes
	}
	return line
}
