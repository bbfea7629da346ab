package arena

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Fingerprint distinguishes tournaments whose games must not be mixed. It depends on the rules and the seed, but
// not on the number of rounds, which may grow, or on the scoring.
func (r Rules) Fingerprint(seed uint64) string {
	r.Rounds, r.Score = 0, Score{}
	text, err := json.Marshal(firstRules(r))
	if err != nil {
		panic(err) // cannot happen: JSON can represent all fields
	}
	sum := sha256.Sum256(fmt.Appendf(text, " %d", seed))
	return hex.EncodeToString(sum[:4])
}

// hash hashes strings and integers to an integer.
func hash(parts ...any) uint64 {
	var text []byte
	for _, p := range parts {
		if n, is := p.(int); is {
			text = append(strconv.AppendInt(append(text, '"'), int64(n), 10), '"', '\n')
		} else {
			text = append(strconv.AppendQuote(text, p.(string)), '\n')
		}
	}
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

// seeder derives the seeds of a tournament's games. They depend only on the rules, the seed, the round, the names
// of the bots and the number of the game.
type seeder struct {
	tournament string
	names      map[int]string
}

func newSeeder(o *Opened) *seeder {
	s := &seeder{tournament: o.Rules.Fingerprint(o.Seed), names: map[int]string{}}
	for _, b := range o.Bots {
		s.names[b.ID] = b.Name
	}
	return s
}

func (s *seeder) game(k Key) uint64 {
	return hash(s.tournament, "game", k.Round, s.names[k.First], s.names[k.Second], k.Leg)
}

// shared returns a seed that is the same for all pairs of a round, and for two consecutive games in which each bot
// goes first once.
func (s *seeder) shared(k Key) uint64 { return hash(s.tournament, "shared", k.Round, (k.Leg+1)/2) }

// bot returns the seed of a bot.
func (s *seeder) bot(id int) uint64 { return hash(s.tournament, "bot", s.names[id]) }

// lots returns the ids of the bots in an unpredictable order.
func lots(o *Opened) []int {
	event := o.Rules.Fingerprint(o.Seed)
	bots := slices.Clone(o.Bots)
	slices.SortFunc(bots, func(a, b Bot) int {
		return cmp.Or(cmp.Compare(hash(event, "lot", a.Name), hash(event, "lot", b.Name)), cmp.Compare(a.ID, b.ID))
	})
	ids := make([]int, len(bots))
	for i, b := range bots {
		ids[i] = b.ID
	}
	return ids
}
