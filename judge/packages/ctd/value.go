package ctd

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// valueKind is the type of a value.
type valueKind byte

const (
	unset valueKind = iota
	isInt
	isDecimal
	isString
)

// value is an integer, a decimal, or a string. The zero value is none of these.
type value struct {
	kind valueKind
	n    int64    // value of an integer, if big is nil
	big  *big.Int // value of an integer that does not fit in n; never changed
	rat  *big.Rat // value of a decimal; never changed
	str  string
}

func intValue(n int64) value     { return value{kind: isInt, n: n} }
func stringValue(s string) value { return value{kind: isString, str: s} }
func ratValue(r *big.Rat) value  { return value{kind: isDecimal, rat: r} }

func bigValue(b *big.Int) value {
	if b.IsInt64() {
		return intValue(b.Int64())
	}
	return value{kind: isInt, big: b}
}

// maxExponent bounds the exponents of decimals. Numbers beyond 10^10000 are treated as 10^10000, because no bound
// in a script comes near it.
const maxExponent = 10_000

// decimalValue parses text, which must be a valid decimal.
func decimalValue(text string) value {
	i := strings.IndexAny(text, "eE")
	if i >= 0 {
		exp, err := strconv.Atoi(text[i+1:])
		if err != nil && text[i+1] == '-' {
			exp = -maxExponent
		} else if err != nil {
			exp = maxExponent
		}
		text = text[:i+1] + strconv.Itoa(min(max(exp, -maxExponent), maxExponent))
	}
	r, ok := new(big.Rat).SetString(strings.Replace(text, ".e", "e", 1))
	if !ok {
		r = new(big.Rat)
	}
	return ratValue(r)
}

// bigInt returns the integer v as a big.Int.
func (v value) bigInt() *big.Int {
	if v.big != nil {
		return v.big
	}
	return big.NewInt(v.n)
}

// exact returns the number v as a fraction.
func (v value) exact() *big.Rat {
	if v.kind == isDecimal {
		return v.rat
	}
	return new(big.Rat).SetInt(v.bigInt())
}

func (v value) number() bool { return v.kind == isInt || v.kind == isDecimal }

func (v value) fitsInt64() bool { return v.kind == isInt && v.big == nil }

// key returns a string that identifies the value within an array. Equal numbers have the same key.
func (v value) key() string {
	switch {
	case v.kind == isString:
		return `"` + v.str
	case v.fitsInt64():
		return strconv.FormatInt(v.n, 10)
	case v.kind == isInt:
		return v.big.String()
	}
	return v.rat.RatString()
}

// String formats the value for a message.
func (v value) String() string {
	switch v.kind {
	case isString:
		return quote(v.str)
	case isDecimal:
		return strings.TrimSuffix(strings.TrimRight(v.rat.FloatString(12), "0"), ".")
	}
	return shorten(v.key())
}

// quote quotes a string for a message and omits the middle if it is long.
func quote(s string) string { return shorten(strconv.Quote(s)) }

func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most/2] + "..." + s[len(s)-most/3:]
}

// compare returns -1, 0 or 1.
func compare(a, b value) (int, error) {
	switch {
	case a.fitsInt64() && b.fitsInt64():
		return cmp.Compare(a.n, b.n), nil
	case a.kind == isString && b.kind == isString:
		return strings.Compare(a.str, b.str), nil
	case a.kind == isInt && b.kind == isInt:
		return a.bigInt().Cmp(b.bigInt()), nil
	case a.number() && b.number():
		return a.exact().Cmp(b.exact()), nil
	}
	return 0, fmt.Errorf("%s and %s cannot be compared", a, b)
}

// maxBits is the maximum size of numbers, in bits.
const maxBits = 1 << 20

// arithmetic computes a op b.
func arithmetic(op string, a, b value) (value, error) {
	if !a.number() || !b.number() {
		return value{}, fmt.Errorf("%s %s %s: strings can only be compared", a, op, b)
	}
	if (op == "/" || op == "%") && b.exact().Sign() == 0 {
		return value{}, fmt.Errorf("%s %s 0", a, op)
	}
	if a.fitsInt64() && b.fitsInt64() {
		if v, ok := smallArithmetic(op, a.n, b.n); ok {
			return v, nil
		}
	}
	if op == "^" {
		return power(a, b)
	}
	v, err := largeArithmetic(op, a, b)
	if err == nil && v.bits() > maxBits {
		return value{}, fmt.Errorf("a number of more than %d bits", maxBits)
	}
	return v, err
}

// smallArithmetic computes without big numbers. It returns false if the result requires one.
func smallArithmetic(op string, a, b int64) (value, bool) {
	switch op {
	case "+":
		c := a + b
		return intValue(c), (c > a) == (b > 0)
	case "-":
		c := a - b
		return intValue(c), (c < a) == (b > 0)
	case "*":
		hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
		return intValue(a * b), hi == 0 && lo < 1<<63 && a != math.MinInt64 && b != math.MinInt64
	case "/":
		if a != math.MinInt64 {
			return intValue(a / b), true
		}
	case "%":
		if a != math.MinInt64 {
			return intValue(a % b), true
		}
	}
	return value{}, false
}

// Operators for numbers of any size. Integer division truncates toward zero.
var (
	integerOperators = map[string]func(z, a, b *big.Int) *big.Int{
		"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "/": (*big.Int).Quo, "%": (*big.Int).Rem,
	}
	fractionOperators = map[string]func(z, a, b *big.Rat) *big.Rat{
		"+": (*big.Rat).Add, "-": (*big.Rat).Sub, "*": (*big.Rat).Mul, "/": (*big.Rat).Quo,
	}
)

func largeArithmetic(op string, a, b value) (value, error) {
	if a.kind == isInt && b.kind == isInt {
		return bigValue(integerOperators[op](new(big.Int), a.bigInt(), b.bigInt())), nil
	}
	if op == "%" {
		return value{}, fmt.Errorf("%s %% %s: only whole numbers have a remainder", a, b)
	}
	return ratValue(fractionOperators[op](new(big.Rat), a.exact(), b.exact())), nil
}

// power computes a^b for an integer b that is not negative.
func power(a, b value) (value, error) {
	if !b.fitsInt64() || b.n < 0 {
		return value{}, fmt.Errorf("%s ^ %s: an exponent is a whole number that is not negative", a, b)
	}
	if size := a.bits(); size > 1 && b.n > maxBits/int64(size) {
		return value{}, fmt.Errorf("%s ^ %s has more than %d bits", a, b, maxBits)
	}
	e := big.NewInt(b.n)
	if a.kind == isInt {
		if a.fitsInt64() && (a.n == 0 || a.n == 1 || a.n == -1) {
			e.SetInt64(min(b.n, 2+b.n%2)) // of the same parity, and 0 stays 0
		}
		return bigValue(new(big.Int).Exp(a.bigInt(), e, nil)), nil
	}
	num, den := a.rat.Num(), a.rat.Denom()
	if num.BitLen() <= 1 && den.BitLen() == 1 {
		e.SetInt64(min(b.n, 2+b.n%2))
	}
	return ratValue(new(big.Rat).SetFrac(new(big.Int).Exp(num, e, nil), new(big.Int).Exp(den, e, nil))), nil
}

// bits returns the size of a number in bits.
func (v value) bits() int {
	if v.kind == isDecimal {
		return max(v.rat.Num().BitLen(), v.rat.Denom().BitLen())
	}
	return v.bigInt().BitLen()
}
