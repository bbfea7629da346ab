package main

import "math/bits"

// side is a strategy with what it has done so far.
type side struct {
	commands []command
	actions  []byte  // 'C' and 'D'
	sums     []int64 // sums[t]: +1 for each C, -1 for each D, in the first t turns
	reward   int64
}

// play plays the duel and returns the first turn, counted from 1, in which one of
// the sides has no command that holds.
func play(turns int, sides [2]side) (turn, s int, stuck bool) {
	for s := range sides {
		sides[s].sums = make([]int64, 1, turns+1)
	}
	x := 12
	for turn := 1; turn <= turns; turn++ {
		var action [2]byte
		for s := range sides {
			y := choose(&sides[s], &sides[1-s])
			switch y {
			case "":
				return turn, s, true
			case "RAND":
				x = (x*137 + 187) & 0xff
				y = "DC"[bits.OnesCount(uint(x))&1:][:1]
			}
			action[s] = y[0]
		}
		for s := range sides {
			sides[s].add(action[s], action[1-s])
		}
	}
	return 0, 0, false
}

// choose returns the action of the first command that holds, or "" if none does.
func choose(me, opp *side) string {
	for _, c := range me.commands {
		who, other := me, opp
		if c.who == "OPP" {
			who, other = opp, me
		}
		if c.holds(who, other) {
			return c.y
		}
	}
	return ""
}

func (c *command) holds(who, other *side) bool {
	played := len(who.actions)
	var lead int64 // by how many more actions are C than D
	switch {
	case c.who == "*":
		return true
	case c.who == "START":
		return played == 0
	case c.what == "WIN":
		return who.reward > other.reward
	case c.what == "-1":
		return played > 0 && who.actions[played-1] == c.x[0]
	case c.what == "MAX":
		lead = who.sums[played]
	case c.what == "LAST":
		lead = who.sums[played] - who.sums[max(0, int64(played)-c.n)]
	}
	if c.x == "D" {
		return lead < 0
	}
	return lead > 0
}

// add ends a turn.
func (s *side) add(action, others byte) {
	s.actions = append(s.actions, action)
	step := int64(1)
	if action == 'D' {
		step = -1
	}
	s.sums = append(s.sums, s.sums[len(s.sums)-1]+step)
	switch string([]byte{action, others}) {
	case "CC":
		s.reward += 2
	case "DD":
		s.reward++
	case "DC":
		s.reward += 3
	}
}
