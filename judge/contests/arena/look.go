package arena

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"assay/judge/kit"

	"assay/judge/kit/referee"
)

// Seen is what the referee has to say of games: the positions before the first move
// and after each.
type Seen map[Key][]referee.Position

// Look asks a referee what there is to see in games that were played. A referee that
// has nothing to say leaves no positions. What was seen until an error is returned
// with it. How long a referee thinks about a position is its own to bound, and not by
// the clock: what is seen is to be the same on every machine.
func (e *Event) Look(ctx context.Context, games []*Game) (Seen, error) {
	seen := Seen{}
	if len(games) == 0 {
		return seen, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan reply, 1)
	c, err := openCourt(ctx, e, 0, heard)
	if err != nil {
		return seen, err
	}
	defer c.close()
	about, err := json.Marshal(e.kitEvent())
	if err != nil {
		return seen, err
	}
	if _, err := e.lookAt(ctx, c, heard, "event", about, true); err != nil {
		return seen, err
	}
	for _, g := range games {
		text, err := json.Marshal(referee.Played{Start: g.Start, Moves: g.Moves, Seats: g.Seats, Result: referee.Result{Winner: g.Winner, Reason: g.Reason, Payoff: g.Payoff}})
		if err != nil {
			return seen, err
		}
		answer, err := e.lookAt(ctx, c, heard, "look", text, false)
		if err != nil {
			return seen, fmt.Errorf("look at a game of round %d: %w", g.Round, err)
		}
		var positions []referee.Position
		if err := json.Unmarshal(answer, &positions); err != nil {
			return seen, c.broken(e, fmt.Sprintf("it answers %.60q to a look", answer))
		}
		if positions == nil {
			return seen, nil
		}
		seen[g.Key()] = positions
	}
	return seen, nil
}

// lookAt sends one request and waits for its answer. The first one comes with the
// shared page, which nobody looks at here.
func (e *Event) lookAt(ctx context.Context, c *court, heard <-chan reply, verb string, part []byte, first bool) ([]byte, error) {
	_ = kit.WriteFrame(&c.out, verb, part)
	var files []*os.File
	if first {
		files = append(files, c.channel.Memory())
	}
	if err := c.flush(files...); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-heard:
		if len(r.frames) != 1 {
			if r.err == nil {
				r.err = fmt.Errorf("it answers %d times to one %s", len(r.frames), verb)
			}
			return nil, c.broken(e, r.err.Error())
		}
		switch f := r.frames[0]; {
		case f.Verb == "fail" && len(f.Parts) == 1:
			return nil, &OptionsError{"rules " + e.Rules.Name + ": " + string(f.Parts[0])}
		case f.Verb != "ok":
			return nil, c.broken(e, fmt.Sprintf("it says %.40q to %s", f.Verb, verb))
		case len(f.Parts) == 0:
			return nil, nil
		default:
			return f.Parts[0], nil
		}
	}
}
