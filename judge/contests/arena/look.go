package arena

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"assay/judge/internal/atomicfile"
	"assay/judge/internal/cachedir"
	"assay/judge/kit"
	"assay/judge/kit/referee"
)

// Seen is what the referee has to say of games: the positions before the first move
// and after each.
type Seen map[Key][]referee.Position

// Look asks a referee what there is to see in games that were played. A referee that
// has nothing to say leaves no positions. What was seen until an error is returned
// with it. How long a referee thinks about a position is its own to bound, and not by
// the clock: what is seen is to be the same on every machine, and so it is kept in the
// folder Saved. Told, if it is not nil, hears how many games were looked at.
func (e *Event) Look(ctx context.Context, games []*Game, told func(done, of int)) (Seen, error) {
	if len(games) == 0 {
		return Seen{}, nil
	}
	about, err := json.Marshal(e.kitEvent())
	if err != nil {
		return Seen{}, err
	}
	played := make([][]byte, len(games))
	for i, g := range games {
		if played[i], err = json.Marshal(referee.Played{Start: g.Start, Moves: g.Moves, Seats: g.Seats, Result: referee.Result{Winner: g.Winner, Reason: g.Reason, Payoff: g.Payoff}}); err != nil {
			return Seen{}, err
		}
	}
	file := e.savedAs(about, played)
	if seen := recall(file, games); seen != nil {
		return seen, nil
	}
	seen, err := e.lookAtAll(ctx, games, about, played, told)
	if err == nil && file != "" {
		err = save(file, games, seen)
	}
	return seen, err
}

// lookAtAll asks the referee of each game.
func (e *Event) lookAtAll(ctx context.Context, games []*Game, about []byte, played [][]byte, told func(done, of int)) (Seen, error) {
	seen := Seen{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan reply, 1)
	c, err := openCourt(ctx, e, 0, heard)
	if err != nil {
		return seen, err
	}
	defer c.close()
	if _, err := e.lookAt(ctx, c, heard, "event", about, true); err != nil {
		return seen, err
	}
	for i, g := range games {
		if told != nil {
			told(i, len(games))
		}
		answer, err := e.lookAt(ctx, c, heard, "look", played[i], false)
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
	if told != nil {
		told(len(games), len(games))
	}
	return seen, nil
}

// savedLooks bounds what is kept of all that was seen.
var savedLooks = cachedir.Limits{Bytes: 64 << 20, Files: 1000}

// savedAs is where what a referee sees in games is kept; "" for nowhere.
func (e *Event) savedAs(about []byte, played [][]byte) string {
	if e.Saved == "" || e.Referee == nil || e.Referee.Key == "" {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q", e.Referee.Key, e.RefereeArgs, about, played)
	return filepath.Join(e.Saved, hex.EncodeToString(sum.Sum(nil))[:32])
}

// recall reads what was seen in games, in their order; nil where it is not kept, or damaged.
func recall(file string, games []*Game) Seen {
	if file == "" {
		return nil
	}
	var all [][]referee.Position
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &all) != nil || len(all) != len(games) {
		return nil
	}
	seen := Seen{}
	for i, g := range games {
		if all[i] != nil {
			seen[g.Key()] = all[i]
		}
	}
	return seen
}

// save keeps what was seen in games.
func save(file string, games []*Game, seen Seen) error {
	all := make([][]referee.Position, len(games))
	for i, g := range games {
		all[i] = seen[g.Key()]
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = atomicfile.Write(file, text)
	}
	if err == nil {
		cachedir.Trim(filepath.Dir(file), savedLooks)
	}
	return err
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
