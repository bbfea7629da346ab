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
	"assay/judge/host/flow"
	"assay/judge/host/job"
)

// opening prepares the bots of a tournament.
func (r *Runner) opening(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	err := r.greet(ctx, s, o, b)
	if judge.Whose(err) == judge.Caller { // other workers would fail as well
		b.lines, b.output = nil, flow.ArenaOpened{Misuse: r.reason(err, s)}
		return nil
	}
	return err
}

// greet prepares the bots and records what the referee reports.
func (r *Runner) greet(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.ArenaOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	rules, err := o.Rules(asked.Choice)
	if err != nil {
		return err
	}
	h, err := r.hold(ctx, s, o, rules, asked.Bots, asked.Language)
	if err != nil {
		return err
	}
	defer h.done()
	h.event.Seed = asked.Seed
	found := flow.ArenaOpened{Pure: true, Title: o.Title}
	h.take = func(rec *arena.Record, line []byte) error {
		switch {
		case rec.Opened != nil:
			found.Opened = rec.Opened
		case rec.Ready != nil && !rec.Ready.Pure:
			found.Pure = false
			fallthrough
		default:
			found.Records = append(found.Records, rec)
		}
		b.lines = append(b.lines, line)
		return nil
	}
	if _, err := h.event.Greet(ctx); err != nil {
		return chosen(err)
	}
	for _, bot := range h.event.Bots {
		if bot.Chose != "" {
			found.Notes = append(found.Notes, bot.Name+": "+bot.Chose)
		}
	}
	b.output = found
	return nil
}

// chosen blames the caller if a referee rejects the rules, because the caller chose them.
func chosen(err error) error {
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return &judge.Misuse{Err: bad}
	}
	return err
}

// A held is a tournament that this worker runs, or a part of a tournament.
type held struct {
	event *arena.Event
	home  string // directory of its bots
	take  func(rec *arena.Record, line []byte) error
	done  func()
}

// hold copies the bots to a directory, and builds them and the referee. The caller must call done.
func (r *Runner) hold(ctx context.Context, s *job.Spec, o *opened, rules arena.Rules, bots []flow.ArenaBot,
	language string) (h *held, err error) {
	home, remove, err := r.submission(ctx, s)
	if err != nil {
		return nil, err
	}
	place, leave := r.place()
	done := func() { remove(); leave() }
	defer func() {
		if err != nil {
			done()
		}
	}()
	h = &held{home: home, done: done}
	files := make([]string, len(bots))
	for i, b := range bots {
		local := filepath.FromSlash(b.At)
		if !filepath.IsLocal(local) {
			return nil, fmt.Errorf("%.200q is not the path of a submitted file", b.At)
		}
		files[i] = filepath.Join(home, local)
	}
	if h.event, err = o.w.Event(ctx, o.Problem, rules, files, language); err != nil {
		if judge.Whose(err) != judge.Caller {
			return nil, err
		}
		text := err.Error()
		for i, b := range bots {
			text = strings.ReplaceAll(text, files[i], b.File)
		}
		return nil, &judge.Misuse{Err: errors.New(text)}
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
	h.event.Jobs, h.event.Place, h.event.Sink = 1, place, h.sink
	return h, nil
}

// sink removes the paths of this machine from a record and passes the record to h.take.
func (h *held) sink(line []byte) error {
	line = bytes.ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte(h.home+string(filepath.Separator)), nil)
	rec, err := arena.ReadRecord(line)
	if err != nil {
		return err
	}
	return h.take(rec, bytes.Clone(line))
}

// place reserves a processor for a referee and its bots. If there are at least as many processors as slots, no
// other job of this worker uses that processor.
func (r *Runner) place() (n int, leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.at[n] {
		n++
	}
	r.at[n] = true
	return n, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.at, n)
	}
}

// errSlice means that a slice of a tournament is complete. Another job continues the tournament.
var errSlice = errors.New("the slice of games is full")

// mostSlice is the maximum size in bytes of the records in a slice. The last game of a slice may exceed it.
const mostSlice = 1 << 20

// longestSlice is the maximum time for a slice, because a worker has one hour for a job.
const longestSlice = 10 * time.Minute

// games plays games of a tournament.
func (r *Runner) games(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.GamesOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	if asked.Opened == nil {
		return errors.New("the job does not name its tournament")
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	h, err := r.hold(ctx, s, o, asked.Opened.Rules, asked.Bots, asked.Language)
	if err != nil {
		return err
	}
	defer h.done()
	h.event.Seed = asked.Opened.Seed
	whole := asked.Only == nil
	if whole {
		h.event.LogPath = filepath.Join(filepath.Dir(h.home), "log.jsonl")
		if _, err := r.gather(ctx, h.event.LogPath, s); err != nil {
			return err
		}
	} else {
		h.event.Only, h.event.Opened = asked.Only, asked.Opened
		for _, c := range h.event.Bots {
			if c.Broken != "" && !asked.Fresh {
				return fmt.Errorf("%s cannot be built on this worker, but could be built on the one that opened the tournament: %s", c.Name, c.Broken)
			}
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &meter{start: time.Now()}
	played := flow.ArenaPlayed{}
	h.take = func(rec *arena.Record, line []byte) error {
		switch {
		case rec.Opened != nil || ctx.Err() != nil || rec.Game != nil && rec.Game.Learning:
			return nil // already known, or will be reported again
		case rec.Ready != nil && !rec.Ready.Pure && !whole && !asked.Fresh:
			return &judge.Misuse{
				Err: fmt.Errorf("bot %d declares itself pure in some games only, so a server cannot run it\n"+
					"    run the tournament without --on", rec.Ready.Bot),
			}
		}
		b.lines = append(b.lines, line)
		if rec.Game != nil {
			m.game(rec.Game, len(line), time.Now())
			rec = &arena.Record{Game: rec.Game.Outline()}
		}
		if !whole {
			played.Records = append(played.Records, rec)
		} else if rec.Game != nil && m.enough() {
			stop(errSlice)
		}
		return nil
	}
	out, err := h.event.Run(ctx)
	if err != nil && !errors.Is(context.Cause(ctx), errSlice) {
		return chosen(err)
	}
	played.Over = whole && out.Whole
	if m.games > 0 {
		played.Took, played.Bytes = m.took().Seconds(), m.bytes/m.games
	}
	b.output = played
	return nil
}

// A meter measures games.
type meter struct {
	start, first, last time.Time
	games, bytes       int
	thought            time.Duration // by the bots
}

func (m *meter) game(g *arena.Game, size int, now time.Time) {
	m.last = now
	if m.games == 0 {
		m.first = m.last
	}
	m.games++
	m.bytes += size
	for _, micros := range g.Micros {
		m.thought += time.Duration(micros) * time.Microsecond
	}
}

// enough reports whether a slice is long enough. The next job must first replay the games that the bots remember.
// Therefore a slice should take at least as long as the replay before it.
func (m *meter) enough() bool {
	return m.last.Sub(m.first) > min(max(flow.Slice, m.first.Sub(m.start)), longestSlice) || m.bytes > mostSlice
}

// took returns the time per game, excluding the time to start the bots and the referee.
func (m *meter) took() time.Duration {
	took := m.thought / time.Duration(m.games)
	if m.games > 1 {
		took = max(took, m.last.Sub(m.first)/time.Duration(m.games-1))
	}
	return took
}

// trial reads the rules of a ladder and tests a bot with them.
func (r *Runner) trial(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	tried := flow.Tried{Title: o.Title}
	err := r.tryBot(ctx, s, o, &tried)
	if judge.Whose(err) == judge.Caller { // other workers would fail as well
		tried.Misuse, err = r.reason(err, s), nil
	}
	b.output = tried
	return err
}

// tryBot tests a bot against the game's tester. If the game has none, the bot plays against itself.
func (r *Runner) tryBot(ctx context.Context, s *job.Spec, o *opened, tried *flow.Tried) error {
	var asked flow.TrialOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	rules, err := o.Rules(asked.Choice)
	if err != nil {
		return err
	}
	tried.Rules = &rules
	if asked.Bot == nil {
		return nil
	}
	h, err := r.hold(ctx, s, o, rules, []flow.ArenaBot{*asked.Bot, *asked.Bot}, "")
	if err != nil {
		return err
	}
	defer h.done()
	h.take = func(*arena.Record, []byte) error { return nil }
	h.event.Bots[1].Name += "-again"
	if o.Game.Tester != "" {
		house, err := o.w.Event(ctx, o.Problem, rules, []string{o.Game.Tester}, "")
		if err != nil {
			return err
		}
		h.event.Bots[1] = house.Bots[0]
	}
	if chose := h.event.Bots[0].Chose; chose != "" {
		tried.Notes = append(tried.Notes, chose)
	}
	t := arena.Trial{Event: h.event, Rules: rules, Checks: o.Game.Checks, First: true}
	tried.OK, err = t.Run(ctx, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.PositionTried:
			tried.Positions = append(tried.Positions, e)
		case *judge.TryFinished:
			tried.Finished = e
		}
	})
	return err
}

// lookAt makes the referee describe games. The job's file contains one game per line.
func (r *Runner) lookAt(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.LookOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	if asked.Opened == nil || len(s.Files) != 1 {
		return errors.New("the job names no games")
	}
	if err := o.CheckGame(); err != nil {
		return err
	}
	h, err := r.hold(ctx, s, o, asked.Opened.Rules, nil, "")
	if err != nil {
		return err
	}
	defer h.done()
	h.event.Seed, h.event.Opened = asked.Opened.Seed, asked.Opened
	text, err := os.ReadFile(filepath.Join(h.home, filepath.FromSlash(s.Files[0].Path)))
	if err != nil {
		return fmt.Errorf("read games: %w", err)
	}
	var games []*arena.Game
	for line := range bytes.Lines(text) {
		g := &arena.Game{}
		if err := json.Unmarshal(line, g); err != nil {
			return &judge.Misuse{Err: fmt.Errorf("read games: %w", err)}
		}
		games = append(games, g)
	}
	seen, err := h.event.Look(ctx, games, nil)
	if err != nil {
		return chosen(err)
	}
	for _, g := range games {
		if positions := seen[g.Key()]; positions != nil {
			line, err := json.Marshal(flow.LookedAt{Key: g.Key(), Seen: positions})
			if err != nil {
				return err
			}
			b.lines = append(b.lines, line)
		}
	}
	return nil
}
