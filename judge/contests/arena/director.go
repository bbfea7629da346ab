package arena

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/judge/kit"
)

// Theory of operation
//
// One goroutine, the director, makes all decisions. Referee processes play games and reply, and the watch kills
// bots that take too long. A stage of the schedule is a list of tasks, one for each encounter with missing games.
// The director assigns several tasks ahead to each referee, so that no referee waits.
//
// A bot that remembers has one process, and plays its tasks one at a time in the order of the schedule. So it sees
// the same history for any number of referees. Between two tasks, its pipes may move to another referee. A pure
// bot may have a process at each referee, and plays in any order.
//
// If a fault disqualifies a bot, later games of the schedule are not played. Earlier games are still played,
// because one of them may contain an earlier fault of this kind. So disqualifications do not depend on the number
// of referees either.

// director runs a tournament.
type director struct {
	ctx      context.Context // context of the tournament, in which processes are started
	e        *Tournament
	opened   *Opened
	seeds    *seeder
	ledger   *ledger
	schedule Schedule
	file     *LogFile

	referees []*refereeProc
	watch    *clockWatch
	replies  chan reply
	failed   chan error // receives errors of the watch, at most one
	bots     map[int]*botState
	exiting  []*botProcess // players whose processes are about to exit

	rules *Rules // in a part, only bots that do not become ready are disqualified

	tasks         []*task // tasks of this stage; all tasks before index from are assigned
	from          int
	limit         int             // index of the first game that is not played any more
	disqualifying *Result         // the game with that index, whose fault disqualifies its bot
	neverReady    []*Disqualified // bots that did not become ready; they precede out
	assigned      int             // number of tasks that are assigned and not done

	start         time.Time
	played, moves int
	total         int // number of games of this stage and earlier ones
	lastProgress  time.Time
}

// botState holds the director's state for a bot.
type botState struct {
	contestant *Contestant
	greeted    bool
	greeting   []string // answer to the greeting

	players        map[*refereeProc]*botProcess // by referee; at most one unless the bot is pure
	arriving       map[*refereeProc]bool        // referees at which the bot is being greeted or seated
	home           *refereeProc                 // referee of a bot that is not pure
	movingPlayer   *botProcess                  // botProcess of a bot that is not pure, while it moves between referees
	unread         []byte                       // unread output of away
	queue          []*task                      // tasks of a bot that is not pure, in order
	assigned       int                          // number of assigned tasks of the bot
	replayFailures int                          // number of failed attempts to replay its earlier games
	pace           durationStats
}

// task is the missing part of an encounter.
type task struct {
	gap
	a, b *botState
}

// match is one game to be played.
type match struct {
	key          Key
	seed         uint64
	index        int // position in the order of the stage
	task         *task
	replayReason string // why it is played again; empty the first time
	attempts     int
}

// run plays until the tournament is over. If a bot is disqualified, it returns true, and the caller must call it
// replayReason.
func (d *director) run(ctx context.Context) (again bool, err error) {
	asked := map[packedKey]bool{}
	so := d.ledger.emptyResults()
	d.total = 0
	for stage := 0; ; stage++ {
		encounters := d.schedule.Stage(stage, so)
		if len(encounters) == 0 {
			return false, d.recordOver()
		}
		for _, e := range encounters {
			for _, k := range e.Keys() {
				asked[k.packed()] = true
			}
		}
		d.total = len(asked)
		out, err := d.playStage(ctx, encounters)
		if err != nil || out {
			return out, err
		}
		so = d.ledger.results(func(k Key) bool { return asked[k.packed()] })
	}
}

// playStage plays the missing games of a stage, and reports whether a bot was disqualified.
func (d *director) playStage(ctx context.Context, encounters []Encounter) (out bool, err error) {
	d.plan(encounters)
	if len(d.tasks) > 0 {
		if err := d.startBots(ctx); err != nil {
			return false, err
		}
		if d.limit > 0 {
			if err := d.loop(ctx); err != nil {
				return false, err
			}
		}
	}
	leave := d.neverReady
	if len(leave) == 0 && d.disqualifying != nil {
		games, err := d.load(d.disqualifying)
		if err != nil {
			return false, err
		}
		leave = append(leave, d.rules.disqualified(games[0]))
	}
	if len(leave) == 0 {
		return false, nil
	}
	if err := d.recordDisqualified(leave); err != nil {
		return false, err
	}
	d.disqualifying, d.neverReady = nil, nil
	for _, s := range d.bots {
		if !s.contestant.Pure || d.ledger.res.isDisqualified(s.contestant.ID) {
			d.endProcesses(s)
		}
	}
	return true, nil
}

// plan makes tasks for the missing games.
func (d *director) plan(encounters []Encounter) {
	p := d.rules.plan(encounters, d.ledger.game)
	d.tasks, d.from, d.limit, d.disqualifying, d.neverReady, d.assigned = nil, 0, p.limit, p.out, nil, 0
	for _, s := range d.bots {
		s.pace.remaining = 0
	}
	for _, g := range p.gaps {
		t := &task{gap: g, a: d.bots[g.encounter.A], b: d.bots[g.encounter.B]}
		t.a.pace.remaining += g.missing
		t.b.pace.remaining += g.missing
		d.tasks = append(d.tasks, t)
	}
	d.ledger.reserve(p.missing)
}

// createBotStates creates a seat for each bot.
func (d *director) createBotStates() {
	d.bots = map[int]*botState{}
	for _, c := range d.e.Bots {
		if known := d.ledger.res.Bot(c.ID); known != nil {
			c.Title, c.Pure = known.Title, known.Pure
		}
		d.bots[c.ID] = &botState{contestant: c, players: map[*refereeProc]*botProcess{}, arriving: map[*refereeProc]bool{}}
	}
}

// disqualify records the disqualification that is earliest in the schedule.
func (d *director) disqualify(index int, g *Result) {
	if index < d.limit {
		d.limit, d.disqualifying = index, g
	}
}

// load loads games from the log.
func (d *director) load(results ...*Result) ([]*Game, error) {
	if err := d.file.flush(); err != nil {
		return nil, err
	}
	return d.ledger.res.Load(results...)
}

// disqualifyUnready disqualifies a bot that did not become ready.
func (d *director) disqualifyUnready(s *botState, f *GameFault) {
	d.limit = 0
	if !slices.ContainsFunc(d.neverReady, func(out *Disqualified) bool { return out.Bot == s.contestant.ID }) {
		d.neverReady = append(d.neverReady, &Disqualified{Bot: s.contestant.ID, Fault: *f})
	}
}

// startBots starts the referees, and greets every bot that plays and has not been greeted.
func (d *director) startBots(ctx context.Context) error {
	if err := d.openReferees(ctx); err != nil {
		return err
	}
	first := map[int]bool{}
	for _, t := range d.tasks {
		for _, s := range []*botState{t.a, t.b} {
			s.queue, s.assigned = nil, 0
			first[s.contestant.ID] = true
		}
	}
	for i, id := range sortedKeys(first) {
		s := d.bots[id]
		if s.contestant.Broken != "" {
			d.disqualifyUnready(s, &GameFault{Kind: InitFailed, Text: s.contestant.Broken})
			continue
		}
		if s.greeted && (s.contestant.Pure || len(s.players) > 0 || s.movingPlayer != nil || s.contestant.Program == nil) {
			continue
		}
		if err := d.startAt(ctx, s, d.referees[i%len(d.referees)]); err != nil {
			return err
		}
	}
	for d.anyArriving() {
		if err := d.step(ctx); err != nil {
			return err
		}
	}
	for _, t := range d.tasks {
		for _, s := range []*botState{t.a, t.b} {
			if !s.contestant.Pure {
				s.queue = append(s.queue, t)
			}
		}
	}
	return nil
}

func sortedKeys(m map[int]bool) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (d *director) anyArriving() bool {
	for _, s := range d.bots {
		if len(s.arriving) > 0 {
			return true
		}
	}
	return false
}

// openReferees starts the referees.
func (d *director) openReferees(ctx context.Context) error {
	if d.referees != nil {
		return nil
	}
	about, err := json.Marshal(d.e.kitEvent())
	if err != nil {
		return err
	}
	cpus := processors()
	for i := range d.e.Jobs {
		c, err := openReferee(ctx, d.e, i, d.replies)
		if err != nil {
			return err
		}
		c.cpu = cpus[(d.e.FirstCPU+i)%len(cpus)]
		d.referees = append(d.referees, c)
	}
	for _, c := range d.referees {
		if err := c.request(d.handleOptionsReply, nil, "event", about); err != nil {
			return err
		}
		if err := c.flush(c.channel.Memory()); err != nil {
			return err
		}
	}
	for _, c := range d.referees {
		for len(c.handlers) > 0 {
			if err := d.step(ctx); err != nil {
				return err
			}
		}
		_ = c.proc.Pin(c.cpu)
	}
	d.watch = &clockWatch{wall: d.e.Rules.Wall, referees: d.referees, failed: d.failed, players: map[refereeBot]*botProcess{}}
	go d.watch.run(ctx)
	return nil
}

// handleOptionsReply handles the referee's reply to the options.
func (d *director) handleOptionsReply(f kit.Frame) error {
	if f.Verb == "fail" && len(f.Parts) == 1 {
		return &OptionsError{"rules " + d.e.Rules.Name + ": " + string(f.Parts[0])}
	}
	return nil
}

// loop assigns tasks until none are left.
func (d *director) loop(ctx context.Context) error {
	for {
		if err := d.assignTasks(ctx); err != nil {
			return err
		}
		if d.assigned == 0 && !d.anyArriving() {
			if t := d.nextTask(); t == nil {
				return nil
			} else {
				return fmt.Errorf("the director is stuck before %v", t.encounter)
			}
		}
		if err := d.step(ctx); err != nil {
			return err
		}
	}
}

// nextTask returns the first unassigned task that has to be played.
func (d *director) nextTask() *task {
	for _, t := range d.tasks[d.from:] {
		if t != nil && t.first < d.limit {
			return t
		}
	}
	return nil
}

// step sends pending requests, waits for an answer, and handles it.
func (d *director) step(ctx context.Context) error {
	for _, c := range d.referees {
		if err := c.flush(); err != nil {
			return d.exitReason(c, err)
		}
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case r := <-d.replies:
		if err := d.handleReply(r); err != nil {
			return err
		}
	case err := <-d.failed:
		return err
	case <-time.After(progressEvery):
	}
	for range len(d.replies) { // handle everything else that has arrived meanwhile
		if err := d.handleReply(<-d.replies); err != nil {
			return err
		}
	}
	if err := d.file.flush(); err != nil {
		return err
	}
	d.reportProgress()
	return nil
}

const progressEvery = 250 * time.Millisecond

// reportProgress reports the progress of the tournament.
func (d *director) reportProgress() {
	if d.e.OnProgress == nil || time.Since(d.lastProgress) < progressEvery {
		return
	}
	d.lastProgress = time.Now()
	d.e.OnProgress(&Progress{
		Done: min(len(d.ledger.index), d.total), Total: d.total, Played: d.played, Moves: d.moves,
		Took: time.Since(d.start), Disqualified: d.ledger.res.Disqualified, Results: func() *Results { return d.ledger.results(nil) },
	})
}

// handleReply handles all answers in a reply.
func (d *director) handleReply(r reply) error {
	for _, f := range r.frames {
		if err := d.handleAnswer(r.refereeProc, f); err != nil {
			return err
		}
	}
	if r.err != nil {
		return d.exitReason(r.refereeProc, r.err)
	}
	return nil
}

// handleAnswer handles one answer.
func (d *director) handleAnswer(c *refereeProc, f kit.Frame) error {
	if len(c.handlers) == 0 {
		return c.fail(d.e, fmt.Sprintf("it sent %.40q without a request", f.Verb))
	}
	done := c.handlers[0]
	if f.Verb == "ended" { // further answers about this game follow
		return done(f)
	}
	c.handlers = c.handlers[1:]
	if f.Verb == "game" || f.Verb == "skipped" {
		c.playing--
	}
	if err := done(f); err != nil {
		return err
	}
	return d.resumeGames(c)
}

// exitReason returns the reason why a referee no longer replies.
func (d *director) exitReason(c *refereeProc, err error) error {
	select {
	case <-c.proc.Ended():
	case <-time.After(exitTimeout):
		c.proc.Kill()
	}
	exec, bad := c.proc.Wait()
	switch {
	case bad != nil:
		return fmt.Errorf("the referee: %w", bad)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return c.fail(d.e, exec.Termination())
	}
	return c.fail(d.e, err.Error())
}

// record writes a record that is not a game, and adds it to the ledger.
func (d *director) record(r *Record) error {
	if err := d.ledger.add(r); err != nil {
		return err
	}
	return d.file.add(r)
}

// close ends everything.
func (d *director) close() {
	for _, s := range d.bots {
		d.endProcesses(s)
	}
	for _, c := range d.referees {
		c.close()
	}
	for _, p := range d.exiting {
		p.waitExit()
	}
}

// addExiting adds a player whose process is about to exit to d.exiting. It removes players whose processes have exited
// from that list.
func (d *director) addExiting(p *botProcess) {
	d.exiting = slices.DeleteFunc(d.exiting, func(gone *botProcess) bool {
		select {
		case <-gone.proc.Ended():
			return true
		default:
			return false
		}
	})
	d.exiting = append(d.exiting, p)
}

// history returns the games that a bot's current process has played and remembers, in order.
func (d *director) history(id int) (games []*Result) {
	for i := range d.ledger.games {
		g := &d.ledger.games[i]
		if g.First != id && g.Second != id || !d.ledger.isValid(i) {
			continue
		}
		games = append(games, g)
		for _, b := range []compactFault{g.fault, g.after} {
			if who, kind := b.decode(g); who == id && kind.Ends() {
				games = nil
			}
		}
	}
	return games
}

// Ends reports whether a fault ends the bot's process. An illegal or malformed answer does not.
func (f Fault) Ends() bool {
	return f != Illegal && f != Malformed && slices.Contains(Faults, f)
}

// Faults lists all faults, except those defined by a referee.
var Faults = []Fault{
	Illegal, Malformed, Unsolicited, Flood, TimeoutCPU, TimeoutWall, Crashed, Closed, NotReading, OutOfMemory,
	InitFailed, LearnFault,
}

// byIndex orders matches.
func byIndex(a, b *match) int { return cmp.Compare(a.index, b.index) }
