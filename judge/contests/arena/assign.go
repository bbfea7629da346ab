package arena

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/judge/kit"

	"assay/judge/kit/referee"
)

// assignTasks assigns tasks to the referees that have capacity.
func (d *director) assignTasks(ctx context.Context) error {
	for d.from < len(d.tasks) && d.tasks[d.from] == nil {
		d.from++
	}
	for gave := true; gave; {
		gave = false
		for _, c := range d.referees {
			if !c.hasRoom() {
				continue
			}
			took, err := d.assignTaskTo(ctx, c)
			if err != nil {
				return err
			}
			gave = gave || took
		}
	}
	return nil
}

// isSeatedAt reports whether the bot is seated at the referee and greeted.
func (s *botState) isSeatedAt(c *refereeProc) bool {
	_, is := s.players[c]
	return is && !s.arriving[c]
}

// mayPlay reports whether the task is the bot's next one and the bot could play it at referee c. A pure bot may
// play any task.
func (d *director) mayPlay(t *task, s *botState, c *refereeProc) bool {
	if s.contestant.Pure {
		return true
	}
	if len(s.queue) == 0 || s.queue[0] != t {
		return false
	}
	if len(s.arriving) > 0 {
		return s.arriving[c]
	}
	return s.home == c || s.assigned == 0
}

// play assigns a task to a referee.
func (d *director) play(t *task, c *refereeProc) error {
	d.assigned++
	for _, s := range []*botState{t.a, t.b} {
		s.assigned++
		if !s.contestant.Pure {
			s.queue = s.queue[1:]
		}
	}
	index := t.index
	for _, k := range t.encounter.Keys() {
		index++
		if d.ledger.game(k) != nil {
			continue
		}
		if err := d.playGame(&match{key: k, index: index, task: t}, c); err != nil {
			return err
		}
	}
	return nil
}

// playGame asks a referee to play a game.
func (d *director) playGame(m *match, c *refereeProc) error {
	o := d.newOrder(m.key, 0, nil)
	m.seed = o.Seed
	order, err := o.Parts()
	if err != nil {
		return err
	}
	if c.playing == 0 {
		c.since = time.Now()
	}
	c.playing++
	takes := m.task.game()
	c.queued += takes
	return c.request(func(f kit.Frame) error {
		if f.Verb != "ended" {
			c.queued -= takes
		}
		return d.handleFinished(m, c, f)
	}, nil, "play", order...)
}

// newOrder returns the request that asks a referee to play a game.
func (d *director) newOrder(k Key, live int, answers [][]string) *referee.Order {
	o := &referee.Order{OrderNumbers: referee.OrderNumbers{
		No: int64((k.Round-1)*d.e.Rules.Games + k.Leg), Round: int64(k.Round), First: int64(k.First), Second: int64(k.Second),
		Seed: d.seeds.game(k), Shared: d.seeds.shared(k), Live: int64(live),
	}}
	copy(o.Said[:], answers)
	return o
}

// moveBot moves a bot to a referee.
func (d *director) moveBot(ctx context.Context, s *botState, c *refereeProc) error {
	if s.isSeatedAt(c) || s.arriving[c] {
		return nil
	}
	if p := s.movingPlayer; p != nil {
		s.movingPlayer, s.home = nil, c
		return d.seatPlayer(s, c, p, s.unread, nil)
	}
	if s.contestant.Pure || s.home == nil || len(s.players) == 0 {
		return d.startAt(ctx, s, c)
	}
	s.arriving[c] = true
	return d.detach(s, s.home, func(p *botProcess, unread []byte) error {
		s.home = c
		return d.seatPlayer(s, c, p, unread, nil)
	})
}

// detach detaches a bot from its referee, which then releases the bot's pipes. When the referee has answered, leave
// calls the function then with the bot's player and the player's unread output.
func (d *director) detach(s *botState, from *refereeProc, onDetached func(p *botProcess, unread []byte) error) error {
	p := s.players[from]
	return from.request(func(f kit.Frame) error {
		if f.Verb != "ok" || len(f.Parts) != 1 {
			return fmt.Errorf("the referee answered %s when a bot was detached", f.Verb)
		}
		if s.players[from] != p {
			return nil // the player was dismissed meanwhile
		}
		delete(s.players, from)
		delete(from.present, s.contestant.ID)
		d.watch.set(from, s.contestant.ID, nil)
		return onDetached(p, f.Parts[0])
	}, nil, "leave", fmt.Append(nil, s.contestant.ID))
}

// detachSlow detaches bots that remember from their referee after a task, if their games are slow. Without this, a
// busy referee would keep the bots until all its tasks are done.
func (d *director) detachSlow(t *task, c *refereeProc) error {
	if t.game() < quickGame {
		return nil
	}
	for _, s := range []*botState{t.a, t.b} {
		if s.contestant.Pure || s.assigned > 0 || s.players[c] == nil || s.arriving[c] {
			continue
		}
		s.arriving[c] = true
		err := d.detach(s, c, func(p *botProcess, unread []byte) error {
			delete(s.arriving, c)
			s.home, s.movingPlayer, s.unread = nil, p, unread
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// startAt starts a process of a bot, and seats it at a referee.
func (d *director) startAt(ctx context.Context, s *botState, c *refereeProc) error {
	if s.contestant.Program == nil { // a file
		return d.seatPlayer(s, c, nil, nil, nil)
	}
	p, err := startPlayer(ctx, d.e.Sandbox, s.contestant, d.e.Rules.Memory)
	if err != nil {
		return err
	}
	if !s.contestant.Pure {
		s.home = c
	}
	var history []*Result
	if !s.contestant.Pure || !s.greeted {
		history = d.history(s.contestant.ID)
	}
	s.greeting = nil // the process is new
	return d.seatPlayer(s, c, p, nil, history)
}

// seatPlayer seats a process at a referee. A new process is greeted. If the bot turns out to remember, the process
// replays the bot's earlier games.
func (d *director) seatPlayer(s *botState, c *refereeProc, p *botProcess, unread []byte, history []*Result) error {
	s.arriving[c] = true
	s.players[c] = p
	d.watch.set(c, s.contestant.ID, p)
	return c.seatBot(s.contestant.ID, d.seeds.bot(s.contestant.ID), s.contestant, p, s.greeting, unread, func(g *referee.Greeted) error {
		delete(s.arriving, c)
		if g.Fault != nil {
			return d.notReady(s, c, p, faultOf(g.Fault))
		}
		s.greeting = g.Said
		if p == nil {
			g.Pure = true // files have no memory
		}
		if !s.greeted || s.contestant.Pure != g.Pure || s.contestant.Title != g.Title {
			s.greeted, s.contestant.Pure, s.contestant.Title = true, g.Pure, g.Title
			if err := d.record(&Record{Ready: &Ready{Bot: s.contestant.ID, Title: g.Title, Pure: g.Pure}}); err != nil {
				return err
			}
		}
		if g.Pure {
			s.home = nil
			return nil
		}
		s.home = c
		return d.replayGames(s, c, history)
	})
}

// replayGames replays the games of a bot to a new process. If the process exits during the replay, the bot starts
// without a memory, unless the machine is at fault.
func (d *director) replayGames(s *botState, c *refereeProc, results []*Result) error {
	ended := false
	for i, r := range results {
		loaded, err := d.load(r)
		if err != nil {
			return err
		}
		g := loaded[0]
		live := 1
		if g.Second == s.contestant.ID {
			live = 2
		}
		said := g.Answers
		if said == nil {
			said = [][]string{g.movesOf(1), g.movesOf(2)}
		}
		order, err := d.newOrder(g.Key(), live, said).Parts()
		if err != nil {
			return err
		}
		c.playing++
		s.arriving[c] = true
		last := i == len(results)-1
		err = c.request(func(f kit.Frame) error {
			if f.Verb == "ended" {
				return nil
			}
			ended = ended || f.Verb == "skipped"
			if !last {
				return nil
			}
			delete(s.arriving, c)
			if !ended {
				s.replayFailures = 0
				return nil
			}
			p := s.players[c]
			kind, _, err := p.exitReason()
			if err != nil {
				return err
			}
			d.releaseProcess(s, c)
			again := blamesMachine(s.replayFailures, kind, p)
			s.replayFailures++
			return d.restart(s, c, again)
		}, nil, "play", order...)
		if err != nil {
			return err
		}
	}
	return nil
}

// movesOf returns the moves made by a seat.
func (g *Game) movesOf(seat int) []string {
	moves := []string{}
	for i, m := range g.Moves {
		if i < len(g.Seats) && g.Seats[i] == '0'+byte(seat) {
			moves = append(moves, m)
		}
	}
	return moves
}

// notReady handles a bot that was greeted but did not become ready.
func (d *director) notReady(s *botState, c *refereeProc, p *botProcess, f *GameFault) error {
	f.Kind, f.Seat = f.Kind.orInit(), 0
	if p != nil {
		if f.Kind == "gone" {
			kind, text, err := p.exitReason()
			if err != nil {
				return err
			}
			said := lastComment(f.Text)
			f.Text = "it did not get ready: " + text
			switch kind {
			case TimeoutCPU:
				f.Text = fmt.Sprintf("it did not get ready within %v of CPU time", d.e.Rules.Start)
			case TimeoutWall:
				f.Text = fmt.Sprintf("it did not get ready within %v", wallTime(d.e.Rules.Start, d.e.Rules.Wall))
			}
			if why := unready(kind, said, f.Bytes); why != "" {
				f.Text += "; " + why
			}
			if said != "" {
				f.Text = said + " (" + f.Text + ")"
			}
		}
		p.attachStderr(f)
		p.kill(InitFailed)
	}
	d.releaseProcess(s, c)
	f.Kind = InitFailed
	d.disqualifyUnready(s, f)
	return nil
}

// unready returns the likely reason why a bot did not answer the greeting. Kind is the way in which the bot
// failed, said is its last comment, and sent is its quoted incomplete last line. It returns "" if kind is
// sufficient as an explanation.
func unready(kind Fault, answer, sent string) string {
	switch {
	case kind == TimeoutCPU:
		return "it was computing all the time: do less work before the first answer"
	case kind != TimeoutWall:
		return ""
	case sent != "" && sent != `""`:
		return "its output is not a whole line: end the line, and flush the output"
	case answer != "":
		return "it probably waits for more input than it gets: read one line at a time, and answer that line"
	}
	return "it wrote nothing: its output is probably not flushed after the line, " +
		"or it waits for more input than it gets, such as the end of its standard input"
}

func (f Fault) orInit() Fault {
	if f == "gone" {
		return f
	}
	return InitFailed
}

// lastComment returns the bot's last comment, which follows the first colon in text. The referee appended it.
func lastComment(text string) string {
	_, said, _ := strings.Cut(text, ": ")
	return said
}

func (s *botState) drop(c *refereeProc) {
	delete(s.players, c)
	delete(s.arriving, c)
	delete(c.present, s.contestant.ID)
	if s.home == c {
		s.home = nil
	}
}

// endProcesses ends all processes of a bot.
func (d *director) endProcesses(s *botState) {
	if s.movingPlayer != nil {
		s.movingPlayer.quit()
		s.movingPlayer.close()
		d.addExiting(s.movingPlayer)
		s.movingPlayer = nil
	}
	for c, p := range s.players {
		if p != nil {
			p.quit()
		}
		d.releaseProcess(s, c)
	}
	s.greeting = nil
	if !s.contestant.Pure {
		s.greeted = false
	}
}
