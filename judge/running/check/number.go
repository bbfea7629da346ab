package check

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"assay/judge"
)

// A number is a decimal number as written: 0.digits x 10^exp. The digits are the digits in text before the
// exponent, without the sign and the decimal point.
type number struct {
	text     []byte
	neg      bool
	zero     bool
	mantissa uint64 // the digits, if exact
	exact    bool   // whether the digits fit in mantissa
	exp      int64  // power of ten for the mantissa's last digit
}

// maxExponent replaces exponents that are larger. A number with such an exponent is practically infinite, because
// a token is too short for enough digits to compensate for the exponent.
const maxExponent = 1 << 40

// parseNumber parses a token of the form
//
//	[+-]?(\d*\.\d+|\d+\.|\d+)([eE][+-]?\d+)?
//
// Other tokens are not numbers, such as hexadecimal numbers or infinity.
func parseNumber(text []byte) (n number, ok bool) {
	n.text, n.exact = text, true
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		n.neg = text[i] == '-'
		i++
	}
	point, digits := false, 0
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			if text[i] != '.' || point {
				break
			}
			point = true
			continue
		}
		digits++
		if point {
			n.exp--
		}
		if n.mantissa > (math.MaxUint64-9)/10 {
			n.exact = false
		} else {
			n.mantissa = n.mantissa*10 + uint64(c)
		}
	}
	if digits == 0 {
		return n, false
	}
	n.zero = n.exact && n.mantissa == 0
	if i == len(text) {
		return n, true
	}
	if text[i]|0x20 != 'e' {
		return n, false
	}
	exponent, ok := parseExponent(text[i+1:])
	n.exp += exponent
	return n, ok
}

// parseExponent parses the text after the e.
func parseExponent(text []byte) (exponent int64, ok bool) {
	neg := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		neg = text[0] == '-'
		text = text[1:]
	}
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		exponent = min(exponent*10+int64(c-'0'), maxExponent)
	}
	if neg {
		exponent = -exponent
	}
	return exponent, len(text) > 0
}

// powersOfTen lists the powers of ten that a float64 represents exactly.
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	1e19, 1e20, 1e21, 1e22,
}

// smallestNormal is the smallest positive float64 with full precision (53 bits).
const smallestNormal = 0x1p-1022

// float returns the nearest float64. If that is infinite, or so small that bits are lost, ok is false.
func (n *number) float() (f float64, ok bool) {
	if n.zero {
		return 0, true
	}
	if n.exact && n.mantissa <= 1<<53 && -22 <= n.exp && n.exp <= 22 {
		// Both operands are exact, so the result is rounded once.
		f = float64(n.mantissa)
		if n.exp < 0 {
			f /= powersOfTen[-n.exp]
		} else {
			f *= powersOfTen[n.exp]
		}
		if n.neg {
			f = -f
		}
		return f, true
	}
	f, err := strconv.ParseFloat(string(n.text), 64)
	return f, err == nil && math.Abs(f) >= smallestNormal
}

// shortNumber parses a number at the start of a text, up to white space, and returns its length. The number must
// have no exponent and so few digits that a single operation gives the float64. For all other texts, the length is
// 0.
func shortNumber(text []byte) (f float64, length int) {
	const most = 20 // bytes; longer numbers may have too many digits
	text = text[:min(len(text), most)]
	i := 0
	if len(text) > 0 && text[0] == '-' {
		i++
	}
	first := i
	var mantissa uint64
	for i < len(text) && text[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(text[i]-'0')
		i++
	}
	digits, decimals := i-first, 0
	if i < len(text) && text[i] == '.' {
		i++
		point := i
		for i < len(text) && text[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(text[i]-'0')
			i++
		}
		decimals = i - point
	}
	if digits+decimals == 0 || i == len(text) || !isSpace(text[i]) || mantissa > 1<<53 {
		return 0, 0
	}
	f = float64(mantissa) / powersOfTen[decimals]
	if first > 0 {
		f = -f
	}
	return f, i
}

// A decimal is a number for exact arithmetic: mantissa x 10^exp.
type decimal struct {
	mantissa *big.Int
	exp      int64
}

// decimal returns the exact value. It takes more than linear time, so it is used only for the setter's numbers.
func (n *number) decimal() decimal {
	if n.exact {
		m := new(big.Int).SetUint64(n.mantissa)
		if n.neg {
			m.Neg(m)
		}
		return decimal{m, n.exp}
	}
	digits, _ := n.significant()
	m, _ := new(big.Int).SetString(string(digits), 10)
	if n.neg {
		m.Neg(m)
	}
	return decimal{m, n.lastExp(digits)}
}

// significant returns the digits from the first to the last nonzero digit. The value of n is 0.digits x 10^exp.
func (n *number) significant() (digits []byte, exp int64) {
	if n.zero {
		return nil, 0
	}
	digits = make([]byte, 0, len(n.text))
	for _, c := range n.text {
		if c|0x20 == 'e' {
			break
		}
		if c-'0' <= 9 {
			digits = append(digits, c)
		}
	}
	digits = bytes.TrimLeft(digits, "0")
	exp = n.exp + int64(len(digits))
	return bytes.TrimRight(digits, "0"), exp
}

// lastExp returns the power of ten of the position of the last significant digit.
func (n *number) lastExp(digits []byte) int64 {
	_, exp := n.significant()
	return exp - int64(len(digits))
}

// maxShift is the maximum number of zeros that exact arithmetic appends to align two numbers.
const maxShift = 100_000

// plus returns d + e. If their exponents are too far apart, ok is false.
func (d decimal) plus(e decimal) (sum decimal, ok bool) {
	switch {
	case d.mantissa.Sign() == 0:
		return e, true
	case e.mantissa.Sign() == 0:
		return d, true
	case d.exp < e.exp:
		d, e = e, d
	}
	if d.exp-e.exp > maxShift {
		return d, false
	}
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exp-e.exp), nil)
	shift.Mul(shift, d.mantissa)
	return decimal{shift.Add(shift, e.mantissa), e.exp}, true
}

func (d decimal) times(e decimal) decimal {
	return decimal{new(big.Int).Mul(d.mantissa, e.mantissa), d.exp + e.exp}
}

func (d decimal) abs() decimal { return decimal{new(big.Int).Abs(d.mantissa), d.exp} }
func (d decimal) neg() decimal { return decimal{new(big.Int).Neg(d.mantissa), d.exp} }

// compare returns -1 if n < d, 0 if n == d, and 1 if n > d. It takes time linear in the length of n's text.
func (n *number) compare(d decimal) int {
	sign := 1
	switch {
	case n.zero:
		sign = 0
	case n.neg:
		sign = -1
	}
	if other := d.mantissa.Sign(); sign != other || sign == 0 {
		return max(-1, min(1, sign-other))
	}
	digits, exp := n.significant()
	other := d.abs().mantissa.Append(nil, 10)
	otherExp := d.exp + int64(len(other))
	switch {
	case exp > otherExp:
		return sign
	case exp < otherExp:
		return -sign
	}
	return sign * bytes.Compare(digits, bytes.TrimRight(other, "0"))
}

// An epsilon is a tolerance, as text and as a number.
type epsilon struct {
	given bool
	text  string
	float float64
	fits  bool // whether float represents the text
	exact decimal
}

func parseEpsilon(checker, option, text string) (epsilon, error) {
	n, ok := parseNumber([]byte(text))
	if !ok || len(text) > 100 || n.exp < -maxShift || n.exp > maxShift {
		return epsilon{}, &judge.ProblemError{
			Text: fmt.Sprintf("checker %s: %s: %s is not a decimal number", checker, option, strconv.Quote(text)),
			Hint: "write it like 1e-6 or 0.001",
		}
	}
	if n.neg {
		return epsilon{}, &judge.ProblemError{
			Text: fmt.Sprintf("checker %s: %s: %s is negative", checker, option, text),
			Hint: "a tolerance is 0 or more",
		}
	}
	e := epsilon{given: true, text: text, exact: n.decimal()}
	e.float, e.fits = n.float()
	return e, nil
}

// A tolerance is the maximum difference between a number in the output and the number in the answer.
type tolerance struct{ abs, rel epsilon }

// accepts reports whether the answer's token is a number and, if so, whether the output's token is a number near
// it.
//
// A number is near if it is within the tolerance by float64 arithmetic or by exact decimal arithmetic. Setters who
// compute with float64 expect the float64 result. For example, 10.1 is within 0.1 of 10 by both, but 0.4 is within
// 0.1 of 0.3 only by exact arithmetic. If a value overflows or underflows, only exact arithmetic is used.
func (t *tolerance) accepts(ans, out []byte) (near, isNumber bool) {
	a, ok := parseNumber(ans)
	if !ok {
		return false, false
	}
	s, ok := parseNumber(out)
	if !ok {
		return false, true
	}
	return t.nearFloat(&a, &s) || t.nearExact(&a, &s), true
}

func (t *tolerance) nearFloat(a, s *number) bool {
	want, ok := a.float()
	if !ok {
		return false
	}
	got, ok := s.float()
	return ok && t.floats(want, got)
}

// floats reports whether two numbers are near by float64 arithmetic.
func (t *tolerance) floats(want, got float64) bool {
	distance := math.Abs(got - want)
	if math.IsInf(distance, 0) {
		return false
	}
	if t.abs.given && t.abs.fits && distance <= t.abs.float {
		return true
	}
	if !t.rel.given || !t.rel.fits {
		return false
	}
	bound := t.rel.float * math.Abs(want)
	return distance <= bound && !math.IsInf(bound, 0)
}

func (t *tolerance) nearExact(a, s *number) bool {
	want := a.decimal()
	if s.compare(want) == 0 {
		return true
	}
	if t.abs.given && s.within(want, t.abs.exact) {
		return true
	}
	return t.rel.given && s.within(want, want.abs().times(t.rel.exact))
}

// within reports whether n differs from want by at most distance. It returns false if the exponents of want and
// distance are more than maxShift apart.
func (n *number) within(want, distance decimal) bool {
	low, ok := want.plus(distance.neg())
	if !ok {
		return false
	}
	high, ok := want.plus(distance)
	return ok && n.compare(low) >= 0 && n.compare(high) <= 0
}

// explain describes the difference between two tokens that the tolerance does not accept. It returns "" if the
// answer's token is not a number.
func (t *tolerance) explain(ans, out []byte) string {
	a, ok := parseNumber(ans)
	if !ok {
		return ""
	}
	s, ok := parseNumber(out)
	if !ok {
		return ", which is not a number"
	}
	want, ok := a.float()
	got, fits := s.float()
	distance := math.Abs(got - want)
	if !ok || !fits || math.IsInf(distance, 0) || distance == 0 {
		return ""
	}
	text := fmt.Sprintf(" (off by %.3g", distance)
	if t.rel.given && want != 0 {
		text += fmt.Sprintf(", relatively %.3g", distance/math.Abs(want))
	}
	return text + ")"
}
