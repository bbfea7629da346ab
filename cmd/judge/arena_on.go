package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/contests/arena"
	"assay/judge/host/client"
	"assay/judge/host/flow"
	"assay/judge/host/job"
)

// onFlags lists the flags of judge arena that can be combined with --on.
var onFlags = []string{
	"on", "rules", "set", "seed", "rounds", "games", "points", "format", "max-moves", "start", "move-time",
	"clock", "log", "no-log", "lang", "html", "json", "times", "look", "color",
}

// arenaOn is a tournament that a server's workers play.
type arenaOn struct {
	*arenaing
	c      *console
	api    *client.Client
	game   string
	heard  *arena.Gathering // nil until the tournament has been opened
	opened flow.ArenaOpened
	log    string // path of the log; empty means no log
	listen func(*arena.Progress)
}

// runOn runs the tournament on a server.
func (a *arenaing) runOn(ctx context.Context, c *console, flags *pflag.FlagSet, game string, files []string) (err error) {
	if len(files) < 2 {
		return usageError{noOpponent(game, files[0])}
	}
	if info, err := os.Stat(a.log); a.log != "" && err == nil && info.Size() > 0 {
		return usageError{fmt.Errorf("the log %s already exists, and a server cannot resume one\n"+
			"    name another log, remove it, or resume here: repeat the command without --on", a.log)}
	}
	api, err := c.server(a.on)
	if err != nil {
		return err
	}
	o := &arenaOn{arenaing: a, c: c, api: api, game: game}
	n, err := o.ask(ctx, flags, files)
	if err != nil {
		return err
	}
	live, listen := liveTable(c)
	o.listen = listen
	err = api.Hold(ctx, n, o.part)
	err = errors.Join(err, live.Close())
	if o.heard == nil {
		return err
	}
	return o.finish(ctx, err)
}

// ask creates the workflow, and uploads the bots.
func (o *arenaOn) ask(ctx context.Context, flags *pflag.FlagSet, files []string) (*client.NewFlow, error) {
	contest, err := cli.Find()
	if err != nil {
		return nil, err
	}
	n := &client.NewFlow{Kind: flow.Arena, Problem: o.game}
	asked := flow.ArenaOptions{Choice: o.choice(flags), Seed: o.seed, Language: o.language}
	for i, file := range files {
		at, err := o.api.Give(ctx, n, strconv.Itoa(i+1), file, arena.Companions(file)...)
		if err != nil {
			return nil, err
		}
		asked.Bots = append(asked.Bots, flow.ArenaBot{At: at, File: filepath.ToSlash(contest.Near(file))})
	}
	n.Options, err = json.Marshal(asked)
	return n, errors.Join(err, contest.Close())
}

// part handles the result of a task. The opening task finishes before all other tasks. The tasks of a bot's
// history finish in order, because each is created when the previous one is done.
func (o *arenaOn) part(p *client.Part) error {
	if p.State != job.Done {
		return nil // the last event reports it
	}
	if p.Key == flow.OpeningKey {
		if err := o.open(p); err != nil {
			return err
		}
	}
	if err := o.heard.Add(p.Lines...); err != nil {
		return err
	}
	return o.tell()
}

// open begins the log.
func (o *arenaOn) open(p *client.Part) error {
	if err := json.Unmarshal(p.Output, &o.opened); err != nil {
		return fmt.Errorf("read the opening of the tournament: %w", err)
	}
	if o.opened.Misuse != "" {
		return usageError{errors.New(o.opened.Misuse)}
	}
	e := o.opened.Opened
	if e == nil {
		return errors.New("the server did not return the opening of the event")
	}
	if o.log = o.arenaing.log; o.log == "" && !o.noLog {
		o.log = logName(e.Game, &e.Rules, e.Seed)
	}
	var err error
	o.heard, err = arena.Gather(o.log)
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return usageError{bad}
	}
	return err
}

// tell renders the table if there is a terminal for it.
func (o *arenaOn) tell() error {
	if o.listen == nil {
		return nil
	}
	p, err := o.heard.Progress()
	if err == nil {
		o.listen(p)
	}
	return err
}

// finish shows the outcome of the tournament, complete or not.
func (o *arenaOn) finish(ctx context.Context, err error) error {
	out, bad := o.heard.Finish()
	err = errors.Join(err, bad)
	if bad == nil {
		err = errors.Join(err, o.show(ctx, o.c, shown{out.Results, out.Whole, o.opened.Title, o.look, o.opened.Notes, nil}))
	}
	err = errors.Join(err, o.heard.Close())
	if _, full := errors.AsType[*arena.LogError](err); o.log != "" && !full {
		fmt.Fprintf(o.c.err, "%s has every game: judge arena replay %[1]s\n", o.log)
	}
	return err
}

// lookAtOnce is the number of games that one task searches for blunders.
const lookAtOnce = 25

// look asks the server's referee for the positions of games.
func (o *arenaOn) look(ctx context.Context, games []*arena.Game, _ func(done, of int)) (arena.Seen, error) {
	seen := arena.Seen{}
	if len(games) == 0 {
		return seen, nil
	}
	n := &client.NewFlow{Kind: flow.Look, Problem: o.game}
	var err error
	if n.Options, err = json.Marshal(flow.LookOptions{Opened: o.opened.Opened}); err != nil {
		return nil, err
	}
	for i := 0; i < len(games); i += lookAtOnce {
		var text bytes.Buffer
		for _, g := range games[i:min(i+lookAtOnce, len(games))] {
			if err := json.NewEncoder(&text).Encode(g); err != nil {
				return nil, err
			}
		}
		if err := o.api.GiveBytes(ctx, n, strconv.Itoa(i+1), text.Bytes()); err != nil {
			return nil, err
		}
	}
	err = o.api.Hold(ctx, n, func(p *client.Part) error {
		for _, line := range p.Lines {
			var at flow.LookedAt
			if err := json.Unmarshal(line, &at); err != nil {
				return fmt.Errorf("read what the referee sees: %w", err)
			}
			seen[at.Key] = at.Seen
		}
		return nil
	})
	return seen, err
}
