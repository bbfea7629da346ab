// The reference of pd-duel. Without an argument it solves the puzzle; it does not
// check the input, which is the validator's work. With the argument "referee" it is
// the referee of the game, for the arena, and reads strategies as contestants write
// them. Both play turn by turn and answer every condition in constant time from
// running sums of the defections.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math"
	"math/bits"
	"os"

	"assay/judge/kit/referee"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 && os.Args[1] == "referee" {
		referee.Main(axelrod())
		return
	}
	out := bufio.NewWriter(os.Stdout)
	if err := solve(os.Stdin, out); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func solve(r io.Reader, w io.Writer) error {
	d, err := read(bufio.NewReader(r))
	if err != nil {
		return err
	}
	winner, err := d.play()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, winner)
	return err
}

// kind says which condition a command has. There are only four: "-1" is the
// majority of the last one action, and MAX that of all of them.
type kind int

const (
	always kind = iota
	first       // START
	most        // -1, MAX and LAST
	ahead       // WIN
)

const everything = math.MaxInt // a window that no history fills

type command struct {
	kind   kind
	opp    bool   // WHO is OPP
	window int    // of most: how many of WHO's last actions count
	x      string // of most: C or D
	y      string // C, D or RAND
}

type strategy struct {
	name     string
	commands []command
}

type duel struct {
	turns int
	sides [2]strategy

	random int
	score  [2]int
	// defected[s][t] is how often side s defected in its first t turns.
	defected [2][]int32
}

func read(r io.Reader) (*duel, error) {
	d := &duel{random: 12}
	if _, err := fmt.Fscan(r, &d.turns); err != nil {
		return nil, fmt.Errorf("read the number of turns: %w", err)
	}
	for s := range d.sides {
		side := &d.sides[s]
		var n int
		if _, err := fmt.Fscan(r, &n, &side.name); err != nil {
			return nil, fmt.Errorf("read the head of strategy %d: %w", s+1, err)
		}
		for i := range n {
			c, err := readCommand(r)
			if err != nil {
				return nil, fmt.Errorf("read command %d of strategy %d: %w", i+1, s+1, err)
			}
			side.commands = append(side.commands, c)
		}
		d.defected[s] = make([]int32, 1, d.turns+1)
	}
	return d, nil
}

func readCommand(r io.Reader) (command, error) {
	var who, what string
	if _, err := fmt.Fscan(r, &who); err != nil {
		return command{}, err
	}
	var c command
	switch who {
	case "*":
		_, err := fmt.Fscan(r, &c.y)
		return c, err
	case "START":
		c.kind = first
		_, err := fmt.Fscan(r, &c.y)
		return c, err
	}
	c.opp = who == "OPP"
	if _, err := fmt.Fscan(r, &what); err != nil {
		return command{}, err
	}
	var err error
	switch what {
	case "-1":
		c.kind, c.window = most, 1
		_, err = fmt.Fscan(r, &c.x, &c.y)
	case "MAX":
		c.kind, c.window = most, everything
		_, err = fmt.Fscan(r, &c.x, &c.y)
	case "LAST":
		c.kind = most
		_, err = fmt.Fscan(r, &c.window, &c.x, &c.y)
	case "WIN":
		c.kind = ahead
		_, err = fmt.Fscan(r, &c.y)
	default:
		err = fmt.Errorf("unknown command %s %s", who, what)
	}
	return c, err
}

// play returns the winner's name, or DRAW.
func (d *duel) play() (string, error) {
	for turn := range d.turns {
		if _, stuck := d.turn(); stuck >= 0 {
			return "", fmt.Errorf("turn %d: no command of strategy %d holds", turn+1, stuck+1)
		}
	}
	switch {
	case d.score[0] > d.score[1]:
		return d.sides[0].name, nil
	case d.score[0] < d.score[1]:
		return d.sides[1].name, nil
	}
	return "DRAW", nil
}

// turn plays a turn. Stuck is the side of which no command holds, or -1; then the turn
// is not played.
func (d *duel) turn() (action [2]string, stuck int) {
	for s := range d.sides {
		y, ok := d.choose(s)
		if !ok {
			return action, s
		}
		if y == "RAND" {
			y = d.draw()
		}
		action[s] = y
	}
	d.record(action)
	return action, -1
}

// choose returns what side s does next: the action of its first command that holds.
func (d *duel) choose(s int) (y string, ok bool) {
	for i := range d.sides[s].commands {
		c := &d.sides[s].commands[i]
		if d.holds(s, c) {
			return c.y, true
		}
	}
	return "", false
}

func (d *duel) holds(s int, c *command) bool {
	who := s
	if c.opp {
		who = 1 - s
	}
	switch c.kind {
	case first:
		return len(d.defected[0]) == 1
	case most:
		sums := d.defected[who]
		played := len(sums) - 1
		total := min(c.window, played)
		count := int(sums[played] - sums[played-total]) // of D
		if c.x == "C" {
			count = total - count
		}
		return 2*count > total
	case ahead:
		return d.score[who] > d.score[1-who]
	}
	return true
}

// draw takes the next number of the generator that both sides share.
func (d *duel) draw() string {
	d.random = (137*d.random + 187) % 256
	if bits.OnesCount(uint(d.random))%2 == 0 {
		return "D"
	}
	return "C"
}

// record ends a turn.
func (d *duel) record(action [2]string) {
	for s := range action {
		sums := d.defected[s]
		last := sums[len(sums)-1]
		switch {
		case action[s] == "D" && action[1-s] == "D":
			d.score[s]++
		case action[s] == "D":
			d.score[s] += 3
		case action[1-s] == "C":
			d.score[s] += 2
		}
		if action[s] == "D" {
			last++
		}
		d.defected[s] = append(sums, last)
	}
}
