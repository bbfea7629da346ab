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
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// serverFlags lists the flags of judge arena that can be combined with --on.
var serverFlags = []string{
	"on", "rules", "set", "seed", "rounds", "games", "points", "format", "max-moves", "start", "move-time",
	"clock", "log", "no-log", "lang", "html", "json", "times", "look", "color",
}

// serverTournament is a tournament that a server's workers play.
type serverTournament struct {
	*arenaOptions
	c          *console
	api        *client.Client
	game       string
	tournament *arena.RemoteTournament // nil until the tournament has been opened
	opened     workflow.ArenaOpened
	log        string // path of the log; empty means no log
	listen     func(*arena.Progress)
}

// runOnServer runs the tournament on a server.
func (a *arenaOptions) runOnServer(ctx context.Context, c *console, flags *pflag.FlagSet, game string, files []string) (err error) {
	if len(files) < 2 {
		return usageError{noOpponent(game, files[0])}
	}
	if info, err := os.Stat(a.log); a.log != "" && err == nil && info.Size() > 0 {
		return usageError{fmt.Errorf("the log %s already exists, and a server cannot resume one\n"+
			"    name another log, remove it, or resume here: repeat the command without --on", a.log)}
	}
	api, err := c.server(a.server)
	if err != nil {
		return err
	}
	o := &serverTournament{arenaOptions: a, c: c, api: api, game: game}
	n, err := o.newWorkflow(ctx, flags, files)
	if err != nil {
		return err
	}
	live, listen := liveTable(c)
	o.listen = listen
	err = api.RunWorkflow(ctx, n, o.handleTask)
	err = errors.Join(err, live.Close())
	if o.tournament == nil {
		return err
	}
	return o.finish(ctx, err)
}

// newWorkflow creates the workflow, and uploads the bots.
func (o *serverTournament) newWorkflow(ctx context.Context, flags *pflag.FlagSet, files []string) (*client.NewWorkflow, error) {
	contest, err := cli.FindContest()
	if err != nil {
		return nil, err
	}
	n := &client.NewWorkflow{Kind: workflow.Arena, Problem: o.game}
	options := workflow.ArenaOptions{RulesChoice: o.choice(flags), Seed: o.seed, Language: o.language}
	for i, file := range files {
		at, err := o.api.AddFile(ctx, n, strconv.Itoa(i+1), file, arena.Companions(file)...)
		if err != nil {
			return nil, err
		}
		options.Bots = append(options.Bots, workflow.ArenaBot{Path: at, File: filepath.ToSlash(contest.DisplayPath(file))})
	}
	n.Options, err = json.Marshal(options)
	return n, errors.Join(err, contest.Close())
}

// handleTask handles the result of a task. The opening task finishes before all other tasks. The tasks of a bot's
// history finish in order, because each is created when the previous one is done.
func (o *serverTournament) handleTask(p *client.TaskResult) error {
	if p.State != job.Done {
		return nil // the last event reports it
	}
	if p.Key == workflow.OpeningKey {
		if err := o.beginLog(p); err != nil {
			return err
		}
	}
	if err := o.tournament.Add(p.Lines...); err != nil {
		return err
	}
	return o.showProgress()
}

// beginLog begins the log.
func (o *serverTournament) beginLog(p *client.TaskResult) error {
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
	if o.log = o.arenaOptions.log; o.log == "" && !o.noLog {
		o.log = logName(e.Game, &e.Rules, e.Seed)
	}
	var err error
	o.tournament, err = arena.NewRemoteTournament(o.log)
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return usageError{bad}
	}
	return err
}

// showProgress renders the table if there is a terminal for it.
func (o *serverTournament) showProgress() error {
	if o.listen == nil {
		return nil
	}
	p, err := o.tournament.Progress()
	if err == nil {
		o.listen(p)
	}
	return err
}

// finish shows the outcome of the tournament, complete or not.
func (o *serverTournament) finish(ctx context.Context, err error) error {
	out, bad := o.tournament.Finish()
	err = errors.Join(err, bad)
	if bad == nil {
		err = errors.Join(
			err,
			o.show(ctx, o.c, tournamentReport{out.Results, out.Complete, o.opened.Title, o.analyze, o.opened.Notes, nil}),
		)
	}
	err = errors.Join(err, o.tournament.Close())
	if _, full := errors.AsType[*arena.LogError](err); o.log != "" && !full {
		fmt.Fprintf(o.c.err, "%s has every game: judge arena replay %[1]s\n", o.log)
	}
	return err
}

// gamesPerTask is the number of games that one task searches for blunders.
const gamesPerTask = 25

// analyze asks the server's referee for the positions of games.
func (o *serverTournament) analyze(ctx context.Context, games []*arena.Game, _ func(done, of int)) (arena.GamePositions, error) {
	seen := arena.GamePositions{}
	if len(games) == 0 {
		return seen, nil
	}
	n := &client.NewWorkflow{Kind: workflow.Analysis, Problem: o.game}
	var err error
	if n.Options, err = json.Marshal(workflow.AnalysisOptions{Opened: o.opened.Opened}); err != nil {
		return nil, err
	}
	for i := 0; i < len(games); i += gamesPerTask {
		var text bytes.Buffer
		for _, g := range games[i:min(i+gamesPerTask, len(games))] {
			if err := json.NewEncoder(&text).Encode(g); err != nil {
				return nil, err
			}
		}
		if err := o.api.AddBytes(ctx, n, strconv.Itoa(i+1), text.Bytes()); err != nil {
			return nil, err
		}
	}
	err = o.api.RunWorkflow(ctx, n, func(p *client.TaskResult) error {
		for _, line := range p.Lines {
			var analyzed workflow.AnalyzedGame
			if err := json.Unmarshal(line, &analyzed); err != nil {
				return fmt.Errorf("read what the referee sees: %w", err)
			}
			seen[analyzed.Key] = analyzed.Positions
		}
		return nil
	})
	return seen, err
}
