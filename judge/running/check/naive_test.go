package check

import (
	"bytes"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The slow, simple versions of the checkers. They read everything into memory, and only return whether the texts
// match.

func naiveSpace(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }

func naiveTokens(t *tokens, longest int, ans, out string) bool {
	want, got := strings.FieldsFunc(ans, naiveSpace), strings.FieldsFunc(out, naiveSpace)
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !naiveToken(t, longest, want[i], got[i]) {
			return false
		}
	}
	word := regexp.MustCompile(`[^ \t\n\v\f\r]+`)
	return !t.spaceSensitive || slices.Equal(word.Split(ans, -1), word.Split(out, -1))
}

func naiveToken(t *tokens, longest int, want, got string) bool {
	if want == got {
		return true
	}
	if t.near != nil && naiveNumber.MatchString(want) && max(len(want), len(got)) <= longest {
		return naiveNumber.MatchString(got) && naiveNear(t.near, want, got)
	}
	if !t.caseSensitive {
		return naiveLower(want) == naiveLower(got)
	}
	return false
}

// naiveLower converts ASCII letters to lower case, and no other letters.
func naiveLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

var naiveNumber = regexp.MustCompile(`^[+-]?([0-9]*\.[0-9]+|[0-9]+\.|[0-9]+)([eE][+-]?[0-9]+)?$`)

func naiveNear(t *tolerance, want, got string) bool {
	if w, ok := naiveFloat(want); ok {
		if g, ok := naiveFloat(got); ok && !math.IsInf(g-w, 0) {
			if t.abs.given && math.Abs(g-w) <= t.abs.float {
				return true
			}
			if bound := t.rel.float * math.Abs(w); t.rel.given && math.Abs(g-w) <= bound && !math.IsInf(bound, 0) {
				return true
			}
		}
	}
	w, g := naiveRat(want), naiveRat(got)
	distance := new(big.Rat).Sub(g, w)
	distance.Abs(distance)
	if t.abs.given && distance.Cmp(naiveRat(t.abs.text)) <= 0 {
		return true
	}
	bound := new(big.Rat).Mul(naiveRat(t.rel.text), w)
	return t.rel.given && distance.Cmp(bound.Abs(bound)) <= 0
}

func naiveFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if f == 0 {
		return f, naiveRat(s).Sign() == 0
	}
	return f, err == nil && math.Abs(f) >= 0x1p-1022
}

func naiveRat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// naiveLines returns the lines without trailing blanks, and without empty lines at the end of the text.
func naiveLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\v\f\r")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func naiveUnordered(ans, out string) bool {
	sorted := func(text string) []string {
		lines := slices.DeleteFunc(naiveLines(text), func(l string) bool { return l == "" })
		slices.Sort(lines)
		return lines
	}
	return slices.Equal(sorted(ans), sorted(out))
}

func naiveAnyOf(t *tokens, longest int, ans, out string) bool {
	one := ""
	for line := range strings.SplitAfterSeq(ans, "\n") {
		if strings.TrimRight(line, " \t\v\f\r\n") == "---" {
			if naiveTokens(t, longest, one, out) {
				return true
			}
			one = ""
			continue
		}
		one += line
	}
	return naiveTokens(t, longest, one, out)
}

// naiveSite finds the position of a difference in tokens that are not numbers.
func naiveSite(out string, at int) (line, column int) {
	before := []byte(out[:at])
	return bytes.Count(before, []byte("\n")) + 1, at - bytes.LastIndexByte(before, '\n')
}
