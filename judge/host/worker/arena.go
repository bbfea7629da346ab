package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// openTournament prepares the bots of a tournament.
func (r *Runner) openTournament(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	err := r.prepareBots(ctx, s, o, b)
	if judge.BlameOf(err) == judge.Caller { // other workers would fail as well
		b.lines, b.output = nil, workflow.ArenaOpened{Misuse: r.reasonText(err, s)}
		return nil
	}
	return err
}

// prepareBots prepares the bots and records what the referee reports.
func (r *Runner) prepareBots(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.ArenaOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	rules, err := o.Rules(taskOptions.RulesChoice)
	if err != nil {
		return err
	}
	h, err := r.prepareTournament(ctx, s, o, rules, taskOptions.Bots, taskOptions.Language)
	if err != nil {
		return err
	}
	defer h.release()
	h.event.Seed = taskOptions.Seed
	output := workflow.ArenaOpened{NoMemory: true, Title: o.Title}
	h.onRecord = func(rec *arena.Record, line []byte) error {
		switch {
		case rec.Opened != nil:
			output.Opened = rec.Opened
		case rec.Ready != nil && !rec.Ready.Pure:
			output.NoMemory = false
			fallthrough
		default:
			output.Records = append(output.Records, rec)
		}
		b.lines = append(b.lines, line)
		return nil
	}
	if _, err := h.event.Greet(ctx); err != nil {
		return blameCaller(err)
	}
	for _, bot := range h.event.Bots {
		if bot.ChosenFile != "" {
			output.Notes = append(output.Notes, bot.Name+": "+bot.ChosenFile)
		}
	}
	b.output = output
	return nil
}

// blameCaller blames the caller if a referee rejects the rules, because the caller chose them.
func blameCaller(err error) error {
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return &judge.UsageError{Err: bad}
	}
	return err
}

// A runningTournament is a tournament that this worker runs, or a part of a tournament.
type runningTournament struct {
	event    *arena.Tournament
	dir      string // directory of its bots
	onRecord func(rec *arena.Record, line []byte) error
	release  func()
}

// prepareTournament copies the bots to a directory, and builds them and the referee. The caller must call done.
func (r *Runner) prepareTournament(ctx context.Context, s *job.Spec, o *openProblem, rules arena.Rules, bots []workflow.ArenaBot,
	language string) (h *runningTournament, err error) {
	home, remove, err := r.writeSubmission(ctx, s)
	if err != nil {
		return nil, err
	}
	place, leave := r.reserveProcessor()
	done := func() { remove(); leave() }
	defer func() {
		if err != nil {
			done()
		}
	}()
	h = &runningTournament{dir: home, release: done}
	files := make([]string, len(bots))
	for i, b := range bots {
		local := filepath.FromSlash(b.Path)
		if !filepath.IsLocal(local) {
			return nil, fmt.Errorf("%.200q is not the path of a submitted file", b.Path)
		}
		files[i] = filepath.Join(home, local)
	}
	if h.event, err = o.w.NewTournament(ctx, o.Problem, rules, files, language); err != nil {
		if judge.BlameOf(err) != judge.Caller {
			return nil, err
		}
		text := err.Error()
		for i, b := range bots {
			text = strings.ReplaceAll(text, files[i], b.File)
		}
		return nil, &judge.UsageError{Err: errors.New(text)}
	}
	for i, c := range h.event.Bots {
		c.File = bots[i].File
		if bots[i].Name != "" {
			c.Name = bots[i].Name
		}
		if c.Program != nil {
			c.Program.Name = c.File
		}
	}
	h.event.Jobs, h.event.FirstCPU, h.event.Sink = 1, place, h.writeRecord
	return h, nil
}

// writeRecord removes the paths of this machine from a record and passes the record to h.onRecord.
func (h *runningTournament) writeRecord(line []byte) error {
	line = bytes.ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte(h.dir+string(filepath.Separator)), nil)
	rec, err := arena.ReadRecord(line)
	if err != nil {
		return err
	}
	return h.onRecord(rec, bytes.Clone(line))
}

// reserveProcessor reserves a processor for a referee and its bots. If there are at least as many processors as slots, no
// other job of this worker uses that processor.
func (r *Runner) reserveProcessor() (n int, release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.processors[n] {
		n++
	}
	r.processors[n] = true
	return n, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.processors, n)
	}
}

// errSliceComplete means that a slice of a tournament is complete. Another job continues the tournament.
var errSliceComplete = errors.New("the slice of games is full")

// maxSliceBytes is the maximum size in bytes of the records in a slice. The last game of a slice may exceed it.
const maxSliceBytes = 1 << 20

// maxSliceTime is the maximum time for a slice, because a worker has one hour for a job.
const maxSliceTime = 10 * time.Minute

// playGames plays games of a tournament.
func (r *Runner) playGames(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.GamesOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	if taskOptions.Opened == nil {
		return errors.New("the job does not name its tournament")
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	h, err := r.prepareTournament(ctx, s, o, taskOptions.Opened.Rules, taskOptions.Bots, taskOptions.Language)
	if err != nil {
		return err
	}
	defer h.release()
	h.event.Seed = taskOptions.Opened.Seed
	isSlice := taskOptions.Only == nil
	if isSlice {
		h.event.LogPath = filepath.Join(filepath.Dir(h.dir), "log.jsonl")
		if _, err := r.writePriorLines(ctx, h.event.LogPath, s); err != nil {
			return err
		}
	} else {
		h.event.Only, h.event.Opened = taskOptions.Only, taskOptions.Opened
		for _, c := range h.event.Bots {
			if c.Broken != "" && !taskOptions.Fresh {
				return fmt.Errorf("%s cannot be built on this worker, but could be built on the one that opened the tournament: %s", c.Name, c.Broken)
			}
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &gameMeter{start: time.Now()}
	played := workflow.ArenaPlayed{}
	h.onRecord = func(rec *arena.Record, line []byte) error {
		switch {
		case rec.Opened != nil || ctx.Err() != nil || rec.Game != nil && rec.Game.Learning:
			return nil // already known, or will be reported again
		case rec.Ready != nil && !rec.Ready.Pure && !isSlice && !taskOptions.Fresh:
			return &judge.UsageError{
				Err: fmt.Errorf("bot %d declares itself pure in some games only, so a server cannot run it\n"+
					"    run the tournament without --on", rec.Ready.Bot),
			}
		}
		b.lines = append(b.lines, line)
		if rec.Game != nil {
			m.add(rec.Game, len(line), time.Now())
			rec = &arena.Record{Game: rec.Game.Outline()}
		}
		if !isSlice {
			played.Records = append(played.Records, rec)
		} else if rec.Game != nil && m.sliceDone() {
			stop(errSliceComplete)
		}
		return nil
	}
	out, err := h.event.Run(ctx)
	if err != nil && !errors.Is(context.Cause(ctx), errSliceComplete) {
		return blameCaller(err)
	}
	played.Over = isSlice && out.Complete
	if m.games > 0 {
		played.SecondsPerGame, played.Bytes = m.timePerGame().Seconds(), m.bytes/m.games
	}
	b.output = played
	return nil
}

// A gameMeter measures games.
type gameMeter struct {
	start, first, last time.Time
	games, bytes       int
	botTime            time.Duration // by the bots
}

func (m *gameMeter) add(g *arena.Game, size int, now time.Time) {
	m.last = now
	if m.games == 0 {
		m.first = m.last
	}
	m.games++
	m.bytes += size
	for _, micros := range g.Micros {
		m.botTime += time.Duration(micros) * time.Microsecond
	}
}

// sliceDone reports whether a slice is long enough. The next job must first replay the games that the bots remember.
// Therefore a slice should take at least as long as the replay before it.
func (m *gameMeter) sliceDone() bool {
	return m.last.Sub(m.first) > min(max(workflow.MinSlice, m.first.Sub(m.start)), maxSliceTime) || m.bytes > maxSliceBytes
}

// timePerGame returns the time per game, excluding the time to start the bots and the referee.
func (m *gameMeter) timePerGame() time.Duration {
	took := m.botTime / time.Duration(m.games)
	if m.games > 1 {
		took = max(took, m.last.Sub(m.first)/time.Duration(m.games-1))
	}
	return took
}

// runTrial reads the rules of a ladder and tests a bot with them.
func (r *Runner) runTrial(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	tried := workflow.TrialOutput{Title: o.Title}
	err := r.tryBot(ctx, s, o, &tried)
	if judge.BlameOf(err) == judge.Caller { // other workers would fail as well
		tried.Misuse, err = r.reasonText(err, s), nil
	}
	b.output = tried
	return err
}

// tryBot tests a bot against the game's tester. If the game has none, the bot plays against itself.
func (r *Runner) tryBot(ctx context.Context, s *job.Spec, o *openProblem, tried *workflow.TrialOutput) error {
	var taskOptions workflow.TrialOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	rules, err := o.Rules(taskOptions.RulesChoice)
	if err != nil {
		return err
	}
	tried.Rules = &rules
	if taskOptions.Bot == nil {
		return nil
	}
	h, err := r.prepareTournament(ctx, s, o, rules, []workflow.ArenaBot{*taskOptions.Bot, *taskOptions.Bot}, "")
	if err != nil {
		return err
	}
	defer h.release()
	h.onRecord = func(*arena.Record, []byte) error { return nil }
	h.event.Bots[1].Name += "-again"
	if o.Game.Tester != "" {
		house, err := o.w.NewTournament(ctx, o.Problem, rules, []string{o.Game.Tester}, "")
		if err != nil {
			return err
		}
		h.event.Bots[1] = house.Bots[0]
	}
	if chose := h.event.Bots[0].ChosenFile; chose != "" {
		tried.Notes = append(tried.Notes, chose)
	}
	t := arena.BotTrial{Tournament: h.event, Rules: rules, Checks: o.Game.Checks, StopAtFirst: true}
	tried.OK, err = t.Run(ctx, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.PositionTried:
			tried.Positions = append(tried.Positions, e)
		case *judge.BotTrialFinished:
			tried.Finished = e
		}
	})
	return err
}

// analyzeGames makes the referee describe games. The job's file contains one game per line.
func (r *Runner) analyzeGames(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.AnalysisOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	if taskOptions.Opened == nil || len(s.Files) != 1 {
		return errors.New("the job names no games")
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	h, err := r.prepareTournament(ctx, s, o, taskOptions.Opened.Rules, nil, "")
	if err != nil {
		return err
	}
	defer h.release()
	h.event.Seed, h.event.Opened = taskOptions.Opened.Seed, taskOptions.Opened
	text, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(s.Files[0].Path)))
	if err != nil {
		return fmt.Errorf("read games: %w", err)
	}
	var games []*arena.Game
	for line := range bytes.Lines(text) {
		g := &arena.Game{}
		if err := json.Unmarshal(line, g); err != nil {
			return &judge.UsageError{Err: fmt.Errorf("read games: %w", err)}
		}
		games = append(games, g)
	}
	seen, err := h.event.Positions(ctx, games, nil)
	if err != nil {
		return blameCaller(err)
	}
	for _, g := range games {
		if positions := seen[g.Key()]; positions != nil {
			line, err := json.Marshal(workflow.AnalyzedGame{Key: g.Key(), Positions: positions})
			if err != nil {
				return err
			}
			b.lines = append(b.lines, line)
		}
	}
	return nil
}
