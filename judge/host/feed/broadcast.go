package feed

import (
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"sync"
	"weak"

	"assay/judge/host/clics"
)

// A broadcast has the changes of a contest for all cursors with the same reader and the same types. Each change is
// encoded once, and what the reader has is remembered once, however many clients there are.
type broadcast struct {
	to    Reader
	types []clics.Type

	mu    sync.Mutex // locked after the contest's mutex; protects the fields below
	stamp int64      // of the contest at the last step
	sent  map[*unit][]sentObject
	last  *step // newest step; nil before the first cursor has joined
}

// A step is a change of a contest for a reader. Each cursor refers to the last step that it has returned, so steps
// that no cursor needs any longer are freed.
type step struct {
	lines []Line
	seq   int64  // of the contest after the step
	word  string // of the reader's tokens after the step
	next  *step
}

// A sentObject is an object that a reader has.
type sentObject struct {
	id  string
	sum uint64 // of the encoded object
}

var seed = maphash.MakeSeed()

func sentOf(lines []Line) []sentObject {
	all := make([]sentObject, len(lines))
	for i, l := range lines {
		all[i] = sentObject{l.ID, maphash.Bytes(seed, l.Data)}
	}
	return all
}

// missing returns the lines that remove the objects in before that are not in now.
func missing(before []sentObject, now []Line, typ clics.Type) (lost []Line) {
	for _, old := range slices.Backward(before) {
		if !slices.ContainsFunc(now, func(l Line) bool { return l.ID == old.id }) {
			lost = append(lost, Line{Type: typ, ID: old.id})
		}
	}
	return lost
}

// arrange returns the lines of a batch. Objects that refer to others are removed first. If stateLast is set, the
// state follows all other objects.
func arrange(lost, found []Line, stateLast bool) []Line {
	slices.Reverse(lost)
	all := append(lost, found...)
	if stateLast {
		last := func(l Line) int {
			if l.Type == clics.State {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(all, func(x, y Line) int { return last(x) - last(y) })
	}
	return all
}

// broadcast returns the broadcast for a reader and types. It exists as long as a cursor uses it.
func (c *Contest) broadcast(to Reader, types []clics.Type) *broadcast {
	key := fmt.Sprintf("%q %q", []string{string(to.Version), string(to.Role), to.Team, to.Account, to.Sites, fmt.Sprint(to.Strict)}, types)
	c.sharing.Lock()
	defer c.sharing.Unlock()
	if s := c.shared[key].Value(); s != nil {
		return s
	}
	if c.shared == nil {
		c.shared = map[string]weak.Pointer[broadcast]{}
	}
	maps.DeleteFunc(c.shared, func(_ string, s weak.Pointer[broadcast]) bool { return s.Value() == nil })
	s := &broadcast{to: to, types: types}
	c.shared[key] = weak.Make(s)
	return s
}

// units iterates over the units of the reader's types that have changed since the given stamp.
func (s *broadcast) units(c *Contest, stamp int64) iter.Seq[*unit] {
	return func(yield func(*unit) bool) {
		for _, t := range clics.Types {
			// The checks of ccs-specs treat accounts in a feed as objects that REST does not have. Therefore a strict
			// reader gets accounts only on request.
			if len(s.types) > 0 && !slices.Contains(s.types, t) || len(s.types) == 0 && t == clics.Accounts && s.to.Strict {
				continue
			}
			for _, u := range c.units[t] {
				if u.revision > stamp && !yield(u) {
					return
				}
			}
		}
	}
}

// join returns the step of the contest's current state. For the first cursor, it also returns all objects, because
// it has encoded them. The contest must be locked for reading.
func (s *broadcast) join(c *Contest) (at *step, all []Line, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.last == nil
	if err := s.follow(c); err != nil {
		return nil, nil, err
	}
	if first {
		all, s.last.lines = s.last.lines, nil
	}
	return s.last, all, nil
}

// since returns the lines of all steps after the given one, and the newest step. The contest must be locked for
// reading.
func (s *broadcast) since(c *Contest, at *step) (lines []Line, last *step, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.follow(c); err != nil {
		return nil, at, err
	}
	for at.next != nil {
		at = at.next
		lines = append(lines, at.lines...)
	}
	return lines, at, nil
}

// follow adds a step if the contest has changed. The first step has all objects. The contest must be locked for
// reading, and the broadcast must be locked.
func (s *broadcast) follow(c *Contest) error {
	if s.stamp == c.revision {
		return nil
	}
	has := map[*unit][]sentObject{}
	var lost, found []Line
	for u := range s.units(c, s.stamp) {
		now, err := c.lines(s.to, u, false)
		if err != nil {
			return err
		}
		has[u] = sentOf(now)
		for i, l := range now {
			if l.Object = nil; !slices.Contains(s.sent[u], has[u][i]) {
				found = append(found, l)
			}
		}
		lost = append(lost, missing(s.sent[u], now, u.typ)...)
	}
	next := &step{lines: arrange(lost, found, s.last != nil), seq: c.seq, word: c.tokenWord(s.to)}
	if s.last == nil {
		s.sent = map[*unit][]sentObject{}
	} else {
		s.last.next = next
	}
	for u, now := range has {
		if s.sent[u] = now; len(now) == 0 {
			delete(s.sent, u)
		}
	}
	s.last, s.stamp = next, c.revision
	return nil
}
