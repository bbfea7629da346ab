// Wythoff's checker: from a won position any winning move is right, and from a
// lost one any text that is not a position, as long as it is the same text in all
// lost cases of the submission.
//
// It does not compare the output with the reference's answer, and does not
// compute as the reference does: it tells a lost position by an inequality. The
// answer is judged too, by the same rules, so that a wrong reference shows.
package main

import (
	"math/bits"
	"strconv"
	"strings"

	"assay/judge/kit"
)

func main() {
	var contestant, reference player
	kit.Check(func(t *kit.Test) {
		from := position{uint64(t.In.Int64()), uint64(t.In.Int64())}
		if v, why := reference.judge(from, words(t.Ans)); v != kit.OK {
			t.Quit(kit.Fail, "the reference's answer: %s", why)
		}
		v, why := contestant.judge(from, words(t.Out))
		t.Quit(v, "%s", why)
	})
}

// words reads all words that are left. How they are spaced does not matter.
func words(r *kit.Reader) []string {
	var list []string
	for !r.AtEOF() {
		list = append(list, r.Token())
	}
	return list
}

// player remembers what one program prints where it has lost.
type player struct {
	losingText string   // words with one blank between them; "" before the first lost case
	lostAt     position // the case that the text is from
}

// judge judges the output of one case.
func (p *player) judge(from position, output []string) (kit.Verdict, string) {
	text := strings.Join(output, " ")
	to, isPosition := parse(output)
	switch {
	case text == "":
		return kit.WA, "nothing was printed"
	case from.lost() && isPosition:
		return kit.WA, from.String() + " is lost: want a text that is not a position, got " + quote(text)
	case from.lost() && p.losingText == "":
		p.losingText, p.lostAt = text, from
		return kit.OK, ""
	case from.lost() && text != p.losingText:
		return kit.WA, from.String() + " is lost: want the same text as for " + p.lostAt.String() + ", " +
			quote(p.losingText) + ", got " + quote(text)
	case from.lost():
		return kit.OK, ""
	case !isPosition:
		return kit.WA, from.String() + " can be won: want a position, two numbers without a sign, got " + quote(text)
	case !from.leadsTo(to):
		return kit.WA, "no move leads from " + from.String() + " to " + quote(text)
	case !to.lost():
		return kit.WA, "the move from " + from.String() + " to " + to.String() + " does not win: the other player can win from there"
	}
	return kit.OK, ""
}

// position is the sizes of the two piles.
type position struct{ i, j uint64 }

func (p position) String() string {
	return strconv.FormatUint(p.i, 10) + " " + strconv.FormatUint(p.j, 10)
}

// parse reads a position: two words of digits. Numbers that are too large become
// the largest uint64, to which no move leads.
func parse(output []string) (position, bool) {
	if len(output) != 2 {
		return position{}, false
	}
	var n [2]uint64
	for k, w := range output {
		if strings.Trim(w, "0123456789") != "" {
			return position{}, false
		}
		n[k], _ = strconv.ParseUint(w, 10, 64)
	}
	return position{n[0], n[1]}, true
}

// leadsTo says whether one move leads from p to q.
func (p position) leadsTo(q position) bool {
	if q.i > p.i || q.j > p.j || p == q {
		return false
	}
	fromI, fromJ := p.i-q.i, p.j-q.j
	return fromI == 0 || fromJ == 0 || fromI == fromJ
}

// lost says whether whoever is to move loses, for piles below 2^63.
//
// That is so where the smaller pile s and the difference d of the piles fulfil
// s = floor(d phi), which is s <= d phi < s+1. As phi is the positive root of
// x^2 = x + 1, s <= d phi means s^2 <= d s + d^2 = d l, where l = s + d is the
// larger pile; and d phi < s+1 means d (l+1) < (s+1)^2 in the same way.
func (p position) lost() bool {
	small, large := min(p.i, p.j), max(p.i, p.j)
	difference := large - small
	return !less(difference, large, small, small) && less(difference, large+1, small+1, small+1)
}

// less says whether a*b < c*d.
func less(a, b, c, d uint64) bool {
	abHigh, abLow := bits.Mul64(a, b)
	cdHigh, cdLow := bits.Mul64(c, d)
	return abHigh < cdHigh || abHigh == cdHigh && abLow < cdLow
}

// quote puts a text in quotes and cuts it where it is long.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
