package ctd

import (
	"math/big"
	"strconv"
)

// digits returns the position after the digits that start at a position.
func (r *run) digits(at int) int {
	for at < len(r.text) && isDigit(r.text[at]) {
		at++
	}
	return at
}

// has reports whether the byte at position at is one of the bytes in the string any.
func (r *run) has(at int, any string) bool {
	for i := range len(any) {
		if at < len(r.text) && r.text[at] == any[i] {
			return true
		}
	}
	return false
}

// integer matches 0|-?[1-9][0-9]* between two bounds.
func (r *run) integer(c *command) (value, error) {
	start := r.at
	if r.has(start, "-") {
		start++
	}
	end := r.digits(start)
	switch {
	case end == start:
		return value{}, mistakef("want a whole number, got %s", r.describeNext())
	case r.text[start] == '0' && start > r.at:
		return value{}, mistakef("a minus before %s", quote(string(r.text[start:end])))
	case r.text[start] == '0' && end > start+1:
		return value{}, mistakef("a leading zero in %s", quote(string(r.text[start:end])))
	}
	word := string(r.text[r.at:end])
	var v value
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		v = intValue(n)
	} else {
		b, _ := new(big.Int).SetString(word, 10)
		v = bigValue(b)
	}
	if err := r.checkBounds(c, v, word, true); err != nil {
		return value{}, err
	}
	r.at = end
	return v, nil
}

// checkBounds returns an error unless v is between the values of the first two arguments of c.
func (r *run) checkBounds(c *command, v value, word string, isInteger bool) error {
	bound := r.evalNumber
	if isInteger {
		bound = r.evalInt
	}
	lo, err := bound(c.args[0])
	if err != nil {
		return err
	}
	hi, err := bound(c.args[1])
	if err != nil {
		return err
	}
	below, _ := compare(v, lo) // numbers can always be compared
	above, _ := compare(v, hi)
	if below < 0 || above > 0 {
		return mistakef("%s is not within %s and %s", shorten(word), lo, hi)
	}
	return nil
}

// float reads a number of the form -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?(0|[1-9][0-9]*))? and checks that it is
// between two bounds. FIXED does not allow an exponent, and SCIENTIFIC requires one.
func (r *run) float(c *command) (value, error) {
	var decimals [2]int64
	if c.op == "FLOATP" {
		var err error
		if decimals, err = r.decimals(c); err != nil {
			return value{}, err
		}
	}
	start := r.at
	if r.has(start, "-") {
		start++
	}
	end := r.digits(start)
	switch {
	case end == start:
		return value{}, mistakef("want a number, got %s", r.describeNext())
	case r.text[start] == '0' && end > start+1:
		return value{}, mistakef("a leading zero in %s", r.describeNext())
	}
	whole, places := end-start, 0
	if r.has(end, ".") {
		point := end
		if end = r.digits(end + 1); end == point+1 {
			return value{}, mistakef("no digit behind the point of %s", r.describeNext())
		}
		places = end - point - 1
	}
	exponent := false
	if c.option == "SCIENTIFIC" && !r.has(end, "eE") {
		return value{}, mistakef("want an exponent in %s", r.describeNext())
	}
	if c.option != "FIXED" && r.has(end, "eE") {
		exponent = true
		if end++; r.has(end, "+-") {
			end++
		}
		from := end
		if end = r.digits(end); end == from {
			return value{}, mistakef("no digit in the exponent of %s", r.describeNext())
		} else if r.text[from] == '0' && end > from+1 {
			return value{}, mistakef("a leading zero in the exponent of %s", r.describeNext())
		}
	}
	if c.op == "FLOATP" {
		if exponent && (whole != 1 || places == 0 || r.text[start] == '0') {
			return value{}, mistakef("want one digit that is not 0 before the point of %s", r.describeNext())
		}
		if n := int64(places); n < decimals[0] || n > decimals[1] {
			return value{}, mistakef("%s has %d decimals, want %d to %d", r.describeNext(), n, decimals[0], decimals[1])
		}
	}
	word := string(r.text[r.at:end])
	v := decimalValue(word)
	if err := r.checkBounds(c, v, word, false); err != nil {
		return value{}, err
	}
	r.at = end
	return v, nil
}

// decimals returns the minimum and maximum number of decimals that FLOATP allows.
func (r *run) decimals(c *command) (bounds [2]int64, err error) {
	for i := range bounds {
		v, err := r.evalInt(c.args[2+i])
		if err != nil {
			return bounds, err
		}
		if !v.fitsInt64() || v.n < 0 || v.n > 1<<31 {
			return bounds, mistakef("%s is not a number of decimals", v)
		}
		bounds[i] = v.n
	}
	if bounds[0] > bounds[1] {
		return bounds, mistakef("at least %d decimals, but at most %d", bounds[0], bounds[1])
	}
	return bounds, nil
}
