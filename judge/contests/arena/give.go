package arena

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/judge/kit"

	"assay/judge/kit/referee"
)

// give assigns tasks to the referees that have capacity.
func (d *director) give(ctx context.Context) error {
	for d.from < len(d.tasks) && d.tasks[d.from] == nil {
		d.from++
	}
	for gave := true; gave; {
		gave = false
		for _, c := range d.referees {
			if !c.hasRoom() {
				continue
			}
			took, err := d.giveTo(ctx, c)
			if err != nil {
				return err
			}
			gave = gave || took
		}
	}
	return nil
}

// at reports whether the bot is seated at the referee and greeted.
func (s *seat) at(c *refereeProc) bool {
	_, is := s.players[c]
	return is && !s.coming[c]
}

// mayPlay reports whether the task is the bot's next one and the bot could play it at referee c. A pure bot may
// play any task.
func (d *director) mayPlay(t *task, s *seat, c *refereeProc) bool {
	if s.who.Pure {
		return true
	}
	if len(s.queue) == 0 || s.queue[0] != t {
		return false
	}
	if len(s.coming) > 0 {
		return s.coming[c]
	}
	return s.home == c || s.under == 0
}

// play assigns a task to a referee.
func (d *director) play(t *task, c *refereeProc) error {
	d.under++
	for _, s := range []*seat{t.a, t.b} {
		s.under++
		if !s.who.Pure {
			s.queue = s.queue[1:]
		}
	}
	index := t.index
	for _, k := range t.of.Keys() {
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
	o := d.order(m.key, 0, nil)
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
	return c.ask(func(f kit.Frame) error {
		if f.Verb != "ended" {
			c.queued -= takes
		}
		return d.finished(m, c, f)
	}, nil, "play", order...)
}

// order returns the request that asks a referee to play a game.
func (d *director) order(k Key, live int, said [][]string) *referee.Order {
	o := &referee.Order{OrderNumbers: referee.OrderNumbers{
		No: int64((k.Round-1)*d.e.Rules.Games + k.Leg), Round: int64(k.Round), First: int64(k.First), Second: int64(k.Second),
		Seed: d.seeds.game(k), Shared: d.seeds.shared(k), Live: int64(live),
	}}
	copy(o.Said[:], said)
	return o
}

// call moves a bot to a referee.
func (d *director) call(ctx context.Context, s *seat, c *refereeProc) error {
	if s.at(c) || s.coming[c] {
		return nil
	}
	if p := s.away; p != nil {
		s.away, s.home = nil, c
		return d.sit(s, c, p, s.unread, nil)
	}
	if s.who.Pure || s.home == nil || len(s.players) == 0 {
		return d.invite(ctx, s, c)
	}
	s.coming[c] = true
	return d.leave(s, s.home, func(p *player, unread []byte) error {
		s.home = c
		return d.sit(s, c, p, unread, nil)
	})
}

// leave detaches a bot from its referee, which then releases the bot's pipes. When the referee has answered, leave
// calls the function then with the bot's player and the player's unread output.
func (d *director) leave(s *seat, from *refereeProc, then func(p *player, unread []byte) error) error {
	p := s.players[from]
	return from.ask(func(f kit.Frame) error {
		if f.Verb != "ok" || len(f.Parts) != 1 {
			return fmt.Errorf("the referee answered %s when a bot was detached", f.Verb)
		}
		if s.players[from] != p {
			return nil // the player was dismissed meanwhile
		}
		delete(s.players, from)
		delete(from.present, s.who.ID)
		d.watch.set(from, s.who.ID, nil)
		return then(p, f.Parts[0])
	}, nil, "leave", fmt.Append(nil, s.who.ID))
}

// release detaches bots that remember from their referee after a task, if their games are slow. Without this, a
// busy referee would keep the bots until all its tasks are done.
func (d *director) release(t *task, c *refereeProc) error {
	if t.game() < quick {
		return nil
	}
	for _, s := range []*seat{t.a, t.b} {
		if s.who.Pure || s.under > 0 || s.players[c] == nil || s.coming[c] {
			continue
		}
		s.coming[c] = true
		err := d.leave(s, c, func(p *player, unread []byte) error {
			delete(s.coming, c)
			s.home, s.away, s.unread = nil, p, unread
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// invite starts a process of a bot, and seats it at a referee.
func (d *director) invite(ctx context.Context, s *seat, c *refereeProc) error {
	if s.who.Program == nil { // a file
		return d.sit(s, c, nil, nil, nil)
	}
	p, err := startPlayer(ctx, d.e.Box, s.who, d.e.Rules.Memory)
	if err != nil {
		return err
	}
	if !s.who.Pure {
		s.home = c
	}
	var history []*Result
	if !s.who.Pure || !s.greeted {
		history = d.history(s.who.ID)
	}
	s.said = nil // the process is new
	return d.sit(s, c, p, nil, history)
}

// sit seats a process at a referee. A new process is greeted. If the bot turns out to remember, the process
// replays the bot's earlier games.
func (d *director) sit(s *seat, c *refereeProc, p *player, unread []byte, history []*Result) error {
	s.coming[c] = true
	s.players[c] = p
	d.watch.set(c, s.who.ID, p)
	return c.seat(s.who.ID, d.seeds.bot(s.who.ID), s.who, p, s.said, unread, func(g *referee.Greeted) error {
		delete(s.coming, c)
		if g.Fault != nil {
			return d.notReady(s, c, p, faultOf(g.Fault))
		}
		s.said = g.Said
		if p == nil {
			g.Pure = true // files have no memory
		}
		if !s.greeted || s.who.Pure != g.Pure || s.who.Title != g.Title {
			s.greeted, s.who.Pure, s.who.Title = true, g.Pure, g.Title
			if err := d.record(&Record{Ready: &Ready{Bot: s.who.ID, Title: g.Title, Pure: g.Pure}}); err != nil {
				return err
			}
		}
		if g.Pure {
			s.home = nil
			return nil
		}
		s.home = c
		return d.remember(s, c, history)
	})
}

// remember replays the games of a bot to a new process. If the process exits during the replay, the bot starts
// without a memory, unless the machine is at fault.
func (d *director) remember(s *seat, c *refereeProc, results []*Result) error {
	ended := false
	for i, r := range results {
		loaded, err := d.load(r)
		if err != nil {
			return err
		}
		g := loaded[0]
		live := 1
		if g.Second == s.who.ID {
			live = 2
		}
		said := g.Said
		if said == nil {
			said = [][]string{g.movesOf(1), g.movesOf(2)}
		}
		order, err := d.order(g.Key(), live, said).Parts()
		if err != nil {
			return err
		}
		c.playing++
		s.coming[c] = true
		last := i == len(results)-1
		err = c.ask(func(f kit.Frame) error {
			if f.Verb == "ended" {
				return nil
			}
			ended = ended || f.Verb == "skipped"
			if !last {
				return nil
			}
			delete(s.coming, c)
			if !ended {
				s.tries = 0
				return nil
			}
			p := s.players[c]
			kind, _, err := p.fate()
			if err != nil {
				return err
			}
			d.letGo(s, c)
			again := blamesMachine(s.tries, kind, p)
			s.tries++
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
func (d *director) notReady(s *seat, c *refereeProc, p *player, f *GameFault) error {
	f.Kind, f.Seat = f.Kind.orInit(), 0
	if p != nil {
		if f.Kind == "gone" {
			kind, text, err := p.fate()
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
		p.keepLastWords(f)
		p.kill(InitFailed)
	}
	d.letGo(s, c)
	f.Kind = InitFailed
	d.refuse(s, f)
	return nil
}

// unready returns the likely reason why a bot did not answer the greeting. Kind is the way in which the bot
// failed, said is its last comment, and sent is its quoted incomplete last line. It returns "" if kind is
// sufficient as an explanation.
func unready(kind Fault, said, sent string) string {
	switch {
	case kind == TimeoutCPU:
		return "it was computing all the time: do less work before the first answer"
	case kind != TimeoutWall:
		return ""
	case sent != "" && sent != `""`:
		return "its output is not a whole line: end the line, and flush the output"
	case said != "":
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

func (s *seat) drop(c *refereeProc) {
	delete(s.players, c)
	delete(s.coming, c)
	delete(c.present, s.who.ID)
	if s.home == c {
		s.home = nil
	}
}

// dismiss ends all processes of a bot.
func (d *director) dismiss(s *seat) {
	if s.away != nil {
		s.away.leave()
		s.away.close()
		d.end(s.away)
		s.away = nil
	}
	for c, p := range s.players {
		if p != nil {
			p.leave()
		}
		d.letGo(s, c)
	}
	s.said = nil
	if !s.who.Pure {
		s.greeted = false
	}
}
