package main

import (
	"regexp"
	"strconv"
	"strings"
)

// What may stand around and between the two numbers. Nothing else may: a text
// with other words or a third number is not a position.
const (
	number   = `(\d+)(?:\.0*)?`
	around   = "[\\s()\\[\\]{}<>|\"'`]*"
	between  = around + `(?:[\s,;:|]|\s\.\s)` + "[\\s()\\[\\]{}<>|\"'`,;:]*"
	nameless = around + number + between + number + around + `(?:,\s*[)\]}>]\s*)?`
)

var (
	plain = regexp.MustCompile(`^` + nameless + `$`)
	// nested is a list that has the position as its only element.
	nested = regexp.MustCompile(`^[\[({<]\s*[\[({<][^\[\](){}<>]*[\])}>]\s*,?\s*[\])}>]$`)

	wrapped = regexp.MustCompile(`^(?:Just|Some)\s*\(?\s*(.*?)\s*\)?$`)
	complex = regexp.MustCompile(`^\(?(?:(\d+)(?:\.0*)?\s*\+\s*)?(\d+)(?:\.0*)?\s*\*?\s*[ijI]\)?$`)
	object  = regexp.MustCompile(`^\{\s*["']?[A-Za-z_]\w*["']?\s*(?::|=|=>)\s*(\d+)(?:\.0*)?\s*,\s*["']?[A-Za-z_]\w*["']?\s*(?::|=|=>)\s*(\d+)(?:\.0*)?\s*\}$`)
	prompt  = regexp.MustCompile(`^\[1\]\s+(.*)$`)
)

// parse reads a position. Policy says what had to be allowed for it, "" where
// nothing had to.
func parse(text string) (p place, policy string, ok bool) {
	text = strings.TrimSpace(text)
	if m := prompt.FindStringSubmatch(text); m != nil {
		text, policy = m[1], "the [1] that R prints before a vector is not counted"
	}
	if m := plain.FindStringSubmatch(text); m != nil {
		if nested.MatchString(text) {
			policy = "a list with the position as its only element is taken as the position"
		}
		p, ok = numbers(m[1], m[2])
		return p, policy, ok
	}
	for _, form := range []struct {
		expr   *regexp.Regexp
		policy string
	}{
		{complex, "a complex number is taken as a position"},
		{object, "an object with two numbers is taken as a position"},
	} {
		if m := form.expr.FindStringSubmatch(text); m != nil {
			p, ok = numbers(m[1], m[2])
			return p, form.policy, ok
		}
	}
	if m := wrapped.FindStringSubmatch(text); m != nil {
		if inner := plain.FindStringSubmatch(m[1]); inner != nil {
			p, ok = numbers(inner[1], inner[2])
			return p, "an optional value (Just, Some) is taken as what it holds", ok
		}
	}
	return place{}, "", false
}

// numbers makes a position of two texts of digits. A number beyond any pile is a
// number all the same: one that no move leads to.
func numbers(a, b string) (place, bool) {
	var p place
	for _, n := range []struct {
		text string
		to   *int
	}{{a, &p.i}, {b, &p.j}} {
		digits := strings.TrimLeft(n.text, "0")
		if len(digits) > 9 {
			*n.to = 1 << 30
			continue
		}
		*n.to, _ = strconv.Atoi("0" + digits)
	}
	return p, true
}
