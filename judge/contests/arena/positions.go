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

// GamePositions maps games to the positions that the referee reports, before the first move and after each move.
type GamePositions map[Key][]referee.Position

// Positions asks a referee for the positions of finished games. If the referee does not support the request, the result
// is empty. If there is an error, Look also returns the positions received so far. The result is stored in the
// directory CacheDir and must be the same on every machine. So the referee must limit its work on a position by
// something other than time. Progress, if not nil, is called with the number of games done.
func (e *Tournament) Positions(ctx context.Context, games []*Game, progress func(done, of int)) (GamePositions, error) {
	if len(games) == 0 {
		return GamePositions{}, nil
	}
	about, err := json.Marshal(e.kitEvent())
	if err != nil {
		return GamePositions{}, err
	}
	played := make([][]byte, len(games))
	for i, g := range games {
		if played[i], err = json.Marshal(referee.Played{Start: g.Start, Moves: g.Moves, Seats: g.Seats, Result: referee.Result{
			Winner: g.Winner, Reason: g.Reason, Payoff: g.Payoff,
		}}); err != nil {
			return GamePositions{}, err
		}
	}
	file := e.cachePath(about, played)
	if seen := readPositions(file, games); seen != nil {
		return seen, nil
	}
	seen, err := e.requestAll(ctx, games, about, played, progress)
	if err == nil && file != "" {
		err = writePositions(file, games, seen)
	}
	return seen, err
}

// requestAll asks the referee about each game.
func (e *Tournament) requestAll(
	ctx context.Context, games []*Game, about []byte, played [][]byte, progress func(done, of int),
) (GamePositions, error) {
	seen := GamePositions{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan reply, 1)
	c, err := openReferee(ctx, e, 0, heard)
	if err != nil {
		return seen, err
	}
	defer c.close()
	if _, err := e.requestPart(ctx, c, heard, "event", about, true); err != nil {
		return seen, err
	}
	for i, g := range games {
		if progress != nil {
			progress(i, len(games))
		}
		answer, err := e.requestPart(ctx, c, heard, "look", played[i], false)
		if err != nil {
			return seen, fmt.Errorf("look at a game of round %d: %w", g.Round, err)
		}
		var positions []referee.Position
		if err := json.Unmarshal(answer, &positions); err != nil {
			return seen, c.fail(e, fmt.Sprintf("its answer to a look is %.60q", answer))
		}
		if positions == nil {
			return seen, nil
		}
		seen[g.Key()] = positions
	}
	if progress != nil {
		progress(len(games), len(games))
	}
	return seen, nil
}

// cacheLimits limits the size of the cache.
var cacheLimits = cachedir.Limits{Bytes: 64 << 20, Files: 1000}

// cachePath returns the path of the file for the positions of games. It returns "" if they are not stored.
func (e *Tournament) cachePath(about []byte, played [][]byte) string {
	if e.CacheDir == "" || e.Referee == nil || e.Referee.Key == "" {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q", e.Referee.Key, e.RefereeArgs, about, played)
	return filepath.Join(e.CacheDir, hex.EncodeToString(sum.Sum(nil))[:32])
}

// readPositions reads from a file the positions that are stored for games, in the same order. It returns nil if there is
// no such file, or if it is damaged.
func readPositions(file string, games []*Game) GamePositions {
	if file == "" {
		return nil
	}
	var all [][]referee.Position
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &all) != nil || len(all) != len(games) {
		return nil
	}
	seen := GamePositions{}
	for i, g := range games {
		if all[i] != nil {
			seen[g.Key()] = all[i]
		}
	}
	return seen
}

// writePositions stores the positions of games.
func writePositions(file string, games []*Game, positions GamePositions) error {
	all := make([][]referee.Position, len(games))
	for i, g := range games {
		all[i] = positions[g.Key()]
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = atomicfile.Write(file, text)
	}
	if err == nil {
		cachedir.Trim(filepath.Dir(file), cacheLimits)
	}
	return err
}

// requestPart sends one request to a referee, and waits for the answer. If first is set, it also sends the shared page,
// although Look does not use that page.
func (e *Tournament) requestPart(
	ctx context.Context, c *refereeProc, heard <-chan reply, verb string, part []byte, first bool,
) ([]byte, error) {
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
				r.err = fmt.Errorf("it gave %d answers to one %s", len(r.frames), verb)
			}
			return nil, c.fail(e, r.err.Error())
		}
		switch f := r.frames[0]; {
		case f.Verb == "fail" && len(f.Parts) == 1:
			return nil, &OptionsError{"rules " + e.Rules.Name + ": " + string(f.Parts[0])}
		case f.Verb != "ok":
			return nil, c.fail(e, fmt.Sprintf("its answer to %[2]s is %.40[1]q", f.Verb, verb))
		case len(f.Parts) == 0:
			return nil, nil
		default:
			return f.Parts[0], nil
		}
	}
}
