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
	e        *Event
	opened   *Opened
	seeds    *seeder
	ledger   *ledger
	schedule Schedule
	file     *LogFile

	referees []*refereeProc
	watch    *watch
	heard    chan reply
	failed   chan error // receives errors of the watch, at most one
	seats    map[int]*seat
	ending   []*player // players whose processes are about to exit

	rules *Rules // in a part, only bots that do not become ready are disqualified

	tasks []*task // tasks of this stage; all tasks before index from are assigned
	from  int
	limit int             // index of the first game that is not played any more
	out   *Result         // the game with that index, whose fault disqualifies its bot
	unfit []*Disqualified // bots that did not become ready; they precede out
	under int             // number of tasks that are assigned and not done

	start         time.Time
	played, moves int
	total         int // number of games of this stage and earlier ones
	told          time.Time
}

// seat holds the director's state for a bot.
type seat struct {
	who     *Contestant
	greeted bool
	said    []string // answer to the greeting

	players map[*refereeProc]*player // by referee; at most one unless the bot is pure
	coming  map[*refereeProc]bool    // referees at which the bot is being greeted or seated
	home    *refereeProc             // referee of a bot that is not pure
	away    *player                  // player of a bot that is not pure, while it moves between referees
	unread  []byte                   // unread output of away
	queue   []*task                  // tasks of a bot that is not pure, in order
	under   int                      // number of assigned tasks of the bot
	tries   int                      // number of failed attempts to replay its earlier games
	pace    pace
}

// task is the missing part of an encounter.
type task struct {
	gap
	a, b *seat
}

// match is one game to be played.
type match struct {
	key   Key
	seed  uint64
	index int // position in the order of the stage
	task  *task
	again string // why it is played again; empty the first time
	tries int
}

// hold plays until the tournament is over. If a bot is disqualified, it returns true, and the caller must call it
// again.
func (d *director) hold(ctx context.Context) (again bool, err error) {
	asked := map[packedKey]bool{}
	so := d.ledger.nothing()
	d.total = 0
	for stage := 0; ; stage++ {
		encounters := d.schedule.Stage(stage, so)
		if len(encounters) == 0 {
			return false, d.over()
		}
		for _, e := range encounters {
			for _, k := range e.Keys() {
				asked[k.packed()] = true
			}
		}
		d.total = len(asked)
		out, err := d.stage(ctx, encounters)
		if err != nil || out {
			return out, err
		}
		so = d.ledger.results(func(k Key) bool { return asked[k.packed()] })
	}
}

// stage plays the missing games of a stage, and reports whether a bot was disqualified.
func (d *director) stage(ctx context.Context, encounters []Encounter) (out bool, err error) {
	d.plan(encounters)
	if len(d.tasks) > 0 {
		if err := d.ready(ctx); err != nil {
			return false, err
		}
		if d.limit > 0 {
			if err := d.loop(ctx); err != nil {
				return false, err
			}
		}
	}
	leave := d.unfit
	if len(leave) == 0 && d.out != nil {
		games, err := d.load(d.out)
		if err != nil {
			return false, err
		}
		leave = append(leave, d.rules.disqualified(games[0]))
	}
	if len(leave) == 0 {
		return false, nil
	}
	if err := d.exclude(leave); err != nil {
		return false, err
	}
	d.out, d.unfit = nil, nil
	for _, s := range d.seats {
		if !s.who.Pure || d.ledger.res.isOut(s.who.ID) {
			d.dismiss(s)
		}
	}
	return true, nil
}

// plan makes tasks for the missing games.
func (d *director) plan(encounters []Encounter) {
	p := d.rules.plan(encounters, d.ledger.game)
	d.tasks, d.from, d.limit, d.out, d.unfit, d.under = nil, 0, p.limit, p.out, nil, 0
	for _, s := range d.seats {
		s.pace.left = 0
	}
	for _, g := range p.gaps {
		t := &task{gap: g, a: d.seats[g.of.A], b: d.seats[g.of.B]}
		t.a.pace.left += g.left
		t.b.pace.left += g.left
		d.tasks = append(d.tasks, t)
	}
	d.ledger.expect(p.left)
}

// sitDown creates a seat for each bot.
func (d *director) sitDown() {
	d.seats = map[int]*seat{}
	for _, c := range d.e.Bots {
		if known := d.ledger.res.Bot(c.ID); known != nil {
			c.Title, c.Pure = known.Title, known.Pure
		}
		d.seats[c.ID] = &seat{who: c, players: map[*refereeProc]*player{}, coming: map[*refereeProc]bool{}}
	}
}

// disqualify records the disqualification that is earliest in the schedule.
func (d *director) disqualify(index int, g *Result) {
	if index < d.limit {
		d.limit, d.out = index, g
	}
}

// load loads games from the log.
func (d *director) load(results ...*Result) ([]*Game, error) {
	if err := d.file.flush(); err != nil {
		return nil, err
	}
	return d.ledger.res.Load(results...)
}

// refuse disqualifies a bot that did not become ready.
func (d *director) refuse(s *seat, f *GameFault) {
	d.limit = 0
	if !slices.ContainsFunc(d.unfit, func(out *Disqualified) bool { return out.Bot == s.who.ID }) {
		d.unfit = append(d.unfit, &Disqualified{Bot: s.who.ID, Fault: *f})
	}
}

// ready starts the referees, and greets every bot that plays and has not been greeted.
func (d *director) ready(ctx context.Context) error {
	if err := d.openReferees(ctx); err != nil {
		return err
	}
	first := map[int]bool{}
	for _, t := range d.tasks {
		for _, s := range []*seat{t.a, t.b} {
			s.queue, s.under = nil, 0
			first[s.who.ID] = true
		}
	}
	for i, id := range sortedKeys(first) {
		s := d.seats[id]
		if s.who.Broken != "" {
			d.refuse(s, &GameFault{Kind: InitFailed, Text: s.who.Broken})
			continue
		}
		if s.greeted && (s.who.Pure || len(s.players) > 0 || s.away != nil || s.who.Program == nil) {
			continue
		}
		if err := d.invite(ctx, s, d.referees[i%len(d.referees)]); err != nil {
			return err
		}
	}
	for d.coming() {
		if err := d.step(ctx); err != nil {
			return err
		}
	}
	for _, t := range d.tasks {
		for _, s := range []*seat{t.a, t.b} {
			if !s.who.Pure {
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

func (d *director) coming() bool {
	for _, s := range d.seats {
		if len(s.coming) > 0 {
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
		c, err := openReferee(ctx, d.e, i, d.heard)
		if err != nil {
			return err
		}
		c.cpu = cpus[(d.e.Place+i)%len(cpus)]
		d.referees = append(d.referees, c)
	}
	for _, c := range d.referees {
		if err := c.ask(d.accepted, nil, "event", about); err != nil {
			return err
		}
		if err := c.flush(c.channel.Memory()); err != nil {
			return err
		}
	}
	for _, c := range d.referees {
		for len(c.waiting) > 0 {
			if err := d.step(ctx); err != nil {
				return err
			}
		}
		_ = c.held.Pin(c.cpu)
	}
	d.watch = &watch{wall: d.e.Rules.Wall, referees: d.referees, failed: d.failed, players: map[seatAt]*player{}}
	go d.watch.run(ctx)
	return nil
}

// accepted handles the referee's reply to the options.
func (d *director) accepted(f kit.Frame) error {
	if f.Verb == "fail" && len(f.Parts) == 1 {
		return &OptionsError{"rules " + d.e.Rules.Name + ": " + string(f.Parts[0])}
	}
	return nil
}

// loop assigns tasks until none are left.
func (d *director) loop(ctx context.Context) error {
	for {
		if err := d.give(ctx); err != nil {
			return err
		}
		if d.under == 0 && !d.coming() {
			if t := d.next(); t == nil {
				return nil
			} else {
				return fmt.Errorf("the director is stuck before %v", t.of)
			}
		}
		if err := d.step(ctx); err != nil {
			return err
		}
	}
}

// next returns the first unassigned task that has to be played.
func (d *director) next() *task {
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
			return d.gone(c, err)
		}
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case r := <-d.heard:
		if err := d.hear(r); err != nil {
			return err
		}
	case err := <-d.failed:
		return err
	case <-time.After(progressEvery):
	}
	for range len(d.heard) { // handle everything else that has arrived meanwhile
		if err := d.hear(<-d.heard); err != nil {
			return err
		}
	}
	if err := d.file.flush(); err != nil {
		return err
	}
	d.tell()
	return nil
}

const progressEvery = 250 * time.Millisecond

// tell reports the progress of the tournament.
func (d *director) tell() {
	if d.e.Listen == nil || time.Since(d.told) < progressEvery {
		return
	}
	d.told = time.Now()
	d.e.Listen(&Progress{
		Done: min(len(d.ledger.at), d.total), Of: d.total, Played: d.played, Moves: d.moves,
		Took: time.Since(d.start), Out: d.ledger.res.Out, Results: func() *Results { return d.ledger.results(nil) },
	})
}

// hear handles all answers in a reply.
func (d *director) hear(r reply) error {
	for _, f := range r.frames {
		if err := d.take(r.refereeProc, f); err != nil {
			return err
		}
	}
	if r.err != nil {
		return d.gone(r.refereeProc, r.err)
	}
	return nil
}

// take handles one answer.
func (d *director) take(c *refereeProc, f kit.Frame) error {
	if len(c.waiting) == 0 {
		return c.broken(d.e, fmt.Sprintf("it sent %.40q without a request", f.Verb))
	}
	done := c.waiting[0]
	if f.Verb == "ended" { // further answers about this game follow
		return done(f)
	}
	c.waiting = c.waiting[1:]
	if f.Verb == "game" || f.Verb == "skipped" {
		c.playing--
	}
	if err := done(f); err != nil {
		return err
	}
	return d.goOn(c)
}

// gone returns the reason why a referee no longer replies.
func (d *director) gone(c *refereeProc, err error) error {
	select {
	case <-c.held.Ended():
	case <-time.After(lingering):
		c.held.Kill()
	}
	exec, bad := c.held.Wait()
	switch {
	case bad != nil:
		return fmt.Errorf("the referee: %w", bad)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return c.broken(d.e, exec.Fate())
	}
	return c.broken(d.e, err.Error())
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
	for _, s := range d.seats {
		d.dismiss(s)
	}
	for _, c := range d.referees {
		c.close()
	}
	for _, p := range d.ending {
		p.gone()
	}
}

// end adds a player whose process is about to exit to d.ending. It removes players whose processes have exited
// from that list.
func (d *director) end(p *player) {
	d.ending = slices.DeleteFunc(d.ending, func(gone *player) bool {
		select {
		case <-gone.held.Ended():
			return true
		default:
			return false
		}
	})
	d.ending = append(d.ending, p)
}

// history returns the games that a bot's current process has played and remembers, in order.
func (d *director) history(id int) (games []*Result) {
	for i := range d.ledger.games {
		g := &d.ledger.games[i]
		if g.First != id && g.Second != id || !d.ledger.stands(i) {
			continue
		}
		games = append(games, g)
		for _, b := range []blame{g.fault, g.after} {
			if who, kind := b.of(g); who == id && kind.Ends() {
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
