package arena

import (
	"slices"
	"testing"
	"time"
)

// dealt runs a director that assigns tasks without starting any processes, as if the bots were files. It returns
// the encounters that each referee got. The function mean returns the mean duration of a bot's earlier games.
func dealt(t *testing.T, referees int, pure bool, mean func(id int) time.Duration, encounters []Encounter) [][]Encounter {
	t.Helper()
	e := &Tournament{Rules: Rules{Rounds: 1, Games: 2}}
	d := &director{e: e, rules: &e.Rules, bots: map[int]*botState{}}
	d.opened = &Opened{Rules: e.Rules}
	for id := 1; id <= 4; id++ {
		d.opened.Bots = append(d.opened.Bots, Bot{ID: id, Name: string(rune('a' + id)), Pure: pure})
		d.bots[id] = &botState{
			contestant: &Contestant{Bot: Bot{ID: id, Pure: pure}}, players: map[*refereeProc]*botProcess{},
			arriving: map[*refereeProc]bool{}, greeted: true,
		}
		if m := mean(id); m > 0 {
			d.bots[id].pace = durationStats{games: 10, took: 10 * m}
		}
	}
	d.seeds, d.ledger = newSeeder(d.opened), newLedger(d.opened, nil)
	d.plan(encounters)
	for i := range referees {
		c := &refereeProc{number: i, present: map[int]*botProcess{}}
		d.referees = append(d.referees, c)
		for _, s := range d.bots {
			if pure {
				s.players[c] = nil
			}
		}
	}
	for _, task := range d.tasks {
		for _, s := range []*botState{task.a, task.b} {
			if !pure {
				s.queue = append(s.queue, task)
				s.home = d.referees[0]
				s.players[d.referees[0]] = nil
			}
		}
	}
	all := slices.Clone(d.tasks)
	if err := d.assignTasks(t.Context()); err != nil {
		t.Fatal(err)
	}
	given := make([][]Encounter, referees)
	for i, c := range d.referees {
		if c.playing > 0 {
			for k, task := range all {
				if d.tasks[k] == nil && task.a.isSeatedAt(c) && task.b.isSeatedAt(c) {
					given[i] = append(given[i], task.encounter)
				}
			}
		}
	}
	return given
}

// TestGive checks that quick games are queued at a referee in order. Of slow games, a referee must get one
// encounter at a time, starting with the bot that has the most left to play.
func TestGive(t *testing.T) {
	encounters := RoundRobin([]int{1, 2, 3, 4}, 1, 1, 2)
	quickly := func(int) time.Duration { return 50 * time.Microsecond }
	if got := dealt(t, 1, true, quickly, encounters); !slices.Equal(got[0], encounters) {
		t.Errorf("of quick games the refereeProc has %v", got)
	}
	fourth := func(id int) time.Duration { return time.Duration([]int{0, 30, 30, 30, 90}[id]) * time.Millisecond }
	got := dealt(t, 1, true, fourth, encounters)
	if len(got[0]) != 1 || got[0][0].A != 4 && got[0][0].B != 4 {
		t.Errorf("of slow games the refereeProc has %v, want one of the slowest bot", got)
	}
	unseenYet := func(int) time.Duration { return 0 }
	if got := dealt(t, 1, true, unseenYet, encounters); len(got[0]) != 1 || got[0][0] != encounters[0] {
		t.Errorf("of games that were never seen the refereeProc has %v, want the first encounter", got)
	}
	// Bots that remember play in schedule order, however slow one of them is. So the slowest bot's first
	// encounters come after others.
	order := []Encounter{{1, 1, 2, 2, 0}, {1, 2, 4, 2, 0}, {1, 1, 4, 2, 0}}
	if got := dealt(t, 1, false, fourth, order); len(got[0]) != 1 || got[0][0] != order[0] {
		t.Errorf("of bots that remember the refereeProc has %v, want %v first", got, order[0])
	}
}
