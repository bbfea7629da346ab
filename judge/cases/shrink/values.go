package shrink

import (
	"slices"
	"strconv"
	"strings"
)

// lowerNumbers lowers each number: to 0, to 1, by half of the remaining distance, and by one.
func (s *guessSearch) lowerNumbers(g granularity) {
	for _, p := range s.doc.FindWords(IsInteger) {
		if s.over() {
			return
		}
		s.lower(g, p)
		if g == fine {
			s.lowerDigits(p)
		}
	}
}

func (s *guessSearch) lower(g granularity, p Position) {
	if n, _ := Integer(s.doc.At(p)); n < 0 {
		s.set("drop sign", p, s.doc.At(p)[1:])
	}
	for _, low := range []string{"0", "1"} {
		if s.set("lower number", p, low) {
			return
		}
	}
	n, _ := Integer(s.doc.At(p))
	least := int64(1)
	if g == coarse {
		least = max(1, n/8, -(n / 8))
	}
	for step := n / 2; (step >= least || step <= -least) && step != 0 && !s.over(); step /= 2 {
		n = s.lowerBy(p, n, step)
	}
	if g == fine && n != 0 { // halving does not try n-1
		one := int64(1)
		if n < 0 {
			one = -1
		}
		s.lowerBy(p, n, one)
	}
}

// maxRepeats is the maximum number of consecutive times that a number is lowered by the same step. If the property
// holds only for some values, another step may get further than more repetitions.
const maxRepeats = 3

func (s *guessSearch) lowerBy(p Position, n, step int64) int64 {
	for range maxRepeats {
		if s.over() || !s.set("lower number", p, strconv.FormatInt(n-step, 10)) {
			break
		}
		n -= step
	}
	return n
}

// lowerDigits removes digits of a number, or sets them to 0.
func (s *guessSearch) lowerDigits(p Position) {
	for i := 0; i < len(s.doc.At(p)) && !s.over(); i++ {
		word := s.doc.At(p)
		if word[i] == '-' || len(word) < 2 {
			continue
		}
		if s.setNumber(p, word[:i]+word[i+1:]) {
			i--
			continue
		}
		for c := byte('0'); c < word[i] && !s.over(); c++ {
			if s.setNumber(p, word[:i]+string(c)+word[i+1:]) {
				break
			}
		}
	}
}

// setNumber sets a word to digits, without leading zeros.
func (s *guessSearch) setNumber(p Position, digits string) bool {
	n, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && s.set("lower digits", p, strconv.FormatInt(n, 10))
}

func (s *guessSearch) set(pass string, p Position, word string) bool {
	return s.doc.At(p) != word && s.try(pass, s.doc.WithWord(p, word))
}

// shortenWords removes letters from words that are not 64-bit integers, and replaces the remaining letters with
// simpler ones.
func (s *guessSearch) shortenWords() {
	for _, p := range s.doc.FindWords(func(w string) bool { return w != "" && !IsInteger(w) }) {
		if s.set("shorten word", p, "a") || s.set("shorten word", p, "0") {
			continue
		}
		s.chunks(fine, len(s.doc.At(p)), func(from, to int) int {
			word := s.doc.At(p)
			if to-from == len(word) || !s.set("shorten word", p, word[:from]+word[to:]) {
				return -1
			}
			return len(s.doc.At(p))
		})
		for i := 0; i < len(s.doc.At(p)) && !s.over(); i++ {
			word := s.doc.At(p)
			for _, c := range "0aA" {
				if s.set("plain letter", p, word[:i]+string(c)+word[i+1:]) {
					break
				}
			}
		}
	}
}

// pairDistance is the number of numbers after the first number of a pair that are tried as the second number.
const pairDistance = 6

// lowerPairs changes two numbers together. It lowers both by the same amount, which keeps their difference, halves
// both, or lowers one and raises the other, which keeps their sum.
func (s *guessSearch) lowerPairs() {
	numbers := s.doc.FindWords(IsInteger)
	for i, p := range numbers {
		for _, q := range numbers[i+1 : min(len(numbers), i+1+pairDistance)] {
			if s.over() {
				return
			}
			s.lowerBoth(p, q)
		}
	}
}

func (s *guessSearch) lowerBoth(p, q Position) {
	try := func(move func(a, b, step int64) (int64, int64)) {
		a, _ := Integer(s.doc.At(p))
		b, _ := Integer(s.doc.At(q))
		for step := max(a, b); step > 0 && !s.over(); step /= 2 {
			for range maxRepeats {
				a, _ := Integer(s.doc.At(p))
				b, _ := Integer(s.doc.At(q))
				newA, newB := move(a, b, step)
				if newA < min(a, 0) || newB < min(b, 0) {
					break
				}
				c := s.doc.WithWord(p, strconv.FormatInt(newA, 10)).WithWord(q, strconv.FormatInt(newB, 10))
				if s.over() || !s.try("lower both", c) {
					break
				}
			}
		}
	}
	try(func(a, b, step int64) (int64, int64) { return a - step, b - step })
	try(func(a, b, step int64) (int64, int64) { return a / (step + 1), b / (step + 1) })
	try(func(a, b, step int64) (int64, int64) { return a - step, b + step })
}

// maxReplacements is the maximum number of replacements tried for a word.
const maxReplacements = 12

// replaceWords replaces words with smaller words of the text. It tries the smallest words first.
func (s *guessSearch) replaceWords() {
	for _, numbers := range []bool{false, true} {
		kind := func(w string) bool { return w != "" && IsInteger(w) == numbers }
		var words []string
		for _, p := range s.doc.FindWords(kind) {
			words = append(words, strings.Clone(s.doc.At(p)))
		}
		slices.SortFunc(words, compareShortlex)
		words = slices.Compact(words)
		words = words[:min(len(words), maxReplacements)]
		for _, p := range s.doc.FindWords(kind) {
			for _, w := range words {
				if s.over() || compareShortlex(w, s.doc.At(p)) >= 0 || s.set("liken words", p, w) {
					break
				}
			}
		}
	}
}
