package format

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// pick chooses a number in lo..hi.
func (d *drawer) pick(h *strategy, lo, hi int64) int64 {
	if lo >= hi {
		return lo
	}
	h.count++
	switch h.mode {
	case lowestMode:
		return lo
	case highestMode:
		return hi
	case smallMode:
		base := min(max(0, lo), hi)
		return d.between(max(lo, sub(base, 9)), min(hi, add(base, 9)))
	case largeMode:
		if d.r.IntN(2) == 0 {
			return d.between(max(lo, hi-9), hi)
		}
		return d.between(max(lo, hi-hi/16), hi)
	case logMode:
		return d.log(lo, hi)
	case nearMode:
		return d.near(lo, hi)
	case constantMode, twoMode, periodicMode:
		return d.recurring(h, lo, hi)
	case sortedMode, reversedMode:
		return d.run(h, lo, hi)
	case dictionaryMode:
		return d.literal(lo, hi)
	}
	return d.between(lo, hi)
}

func (d *drawer) between(lo, hi int64) int64 { return Between(d.r, lo, hi) }

// Between returns a uniformly distributed number in lo..hi. If hi <= lo, it returns lo.
func Between(r *rand.Rand, lo, hi int64) int64 {
	if hi <= lo {
		return lo
	}
	span := uint64(hi) - uint64(lo) + 1
	if span == 0 {
		return int64(r.Uint64())
	}
	return int64(uint64(lo) + r.Uint64N(span))
}

// log chooses a number such that each number of digits has about the same probability.
func (d *drawer) log(lo, hi int64) int64 {
	base := min(max(0, lo), hi)
	up, down := float64(hi)-float64(base), float64(base)-float64(lo)
	if down > 0 && (up == 0 || d.r.IntN(2) == 0) {
		return max(lo, sub(base, d.magnitude(down)))
	}
	return min(hi, add(base, d.magnitude(up)))
}

func (d *drawer) magnitude(maximum float64) int64 {
	f := math.Exp(d.r.Float64()*math.Log(maximum+2)) - 1
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(f)
}

// near chooses a recently drawn number or one of its neighbors.
func (d *drawer) near(lo, hi int64) int64 {
	for range 4 {
		if len(d.pool) == 0 {
			break
		}
		if v := add(d.pool[d.r.IntN(len(d.pool))], int64(d.r.IntN(3)-1)); lo <= v && v <= hi {
			return v
		}
	}
	return d.log(lo, hi)
}

// literal chooses one of Options.Literals or its neighbors.
func (d *drawer) literal(lo, hi int64) int64 {
	all := d.o.Literals
	for range 8 {
		if len(all) == 0 {
			break
		}
		if v := add(all[d.r.IntN(len(all))], int64(d.r.IntN(3)-1)); lo <= v && v <= hi {
			return v
		}
	}
	return d.near(lo, hi)
}

// recurring chooses from a small set of numbers.
func (d *drawer) recurring(h *strategy, lo, hi int64) int64 {
	if len(h.values) == 0 || slices.ContainsFunc(h.values, func(v int64) bool { return v < lo || v > hi }) {
		n := map[mode]int{constantMode: 1, twoMode: 2}[h.mode]
		if n == 0 {
			n = 2 + d.r.IntN(4)
		}
		h.values = h.values[:0]
		for range n {
			one := &strategy{mode: []mode{uniform, lowestMode, highestMode, smallMode, logMode, nearMode, dictionaryMode}[d.r.IntN(7)]}
			h.values = append(h.values, d.pick(one, lo, hi))
		}
	}
	if h.mode == periodicMode {
		return h.values[h.count%len(h.values)]
	}
	return h.values[d.r.IntN(len(h.values))]
}

// run chooses the next number of a rising or falling sequence. It chooses the steps so that, on average, the last
// value comes close to the end of the range.
func (d *drawer) run(h *strategy, lo, hi int64) int64 {
	if !h.chosen || h.last < lo || h.last > hi {
		h.chosen, h.last = true, lo
		if h.mode == reversedMode {
			h.last = hi
		}
	}
	room := hi - h.last
	if h.mode == reversedMode {
		room = h.last - lo
	}
	if room < 0 { // overflow
		room = math.MaxInt64
	}
	step := d.between(0, max(room/(d.remaining+1), 0)*2)
	if room > 0 && step == 0 {
		step = int64(d.r.IntN(2))
	}
	step = min(step, room)
	if h.mode == reversedMode {
		step = -step
	}
	h.last += step
	return h.last
}

// text chooses a value that is not an integer.
func (d *drawer) text(f *field, _ *string) (string, error) {
	h := d.strategyOf(f, false)
	switch f.typ.kind {
	case enumType:
		if d.mode == mixed &&
			(h.mode == smallMode || h.mode == largeMode || h.mode == logMode || h.mode == dictionaryMode || h.mode == nearMode) {
			h.mode = uniform
		}
		return f.typ.options[d.pick(h, 0, int64(len(f.typ.options)-1))], nil
	case floatType:
		return d.float(f, h)
	}
	lo, hi := f.typ.lo.int(d.e), f.typ.hi.int(d.e)
	if d.o.Size > 0 {
		hi = min(hi, max(lo, d.o.Size))
	}
	if lo = max(lo, 0); lo > hi || lo > int64(d.o.MaxSize) {
		return "", unfitf("%s cannot have %d to %d characters", f.name.text, lo, hi)
	}
	for try := 0; ; try++ {
		s := d.letters(f, h, d.length(lo, min(hi, int64(d.o.MaxSize))), lo, hi)
		if !d.repeats(f.name, 0, s) {
			return s, nil
		}
		if try == 30 {
			return "", unfitf("%s has no value left that is not used yet", f.name.text)
		}
		h = &strategy{mode: uniform}
	}
}

// length chooses the length of a word.
func (d *drawer) length(lo, hi int64) int64 {
	m := d.mode
	if m == mixed {
		m = d.pickMode(true)
	}
	return d.pick(&strategy{mode: m}, lo, hi)
}

// letters returns a word of n characters. A word taken from the declaration may have another length.
func (d *drawer) letters(f *field, h *strategy, n, lo, hi int64) string {
	abc := f.typ.alphabet
	one := func() byte { return abc[d.r.IntN(len(abc))] }
	b := make([]byte, n)
	fill := func(from []byte, in func(i int) int) string {
		for i := range b {
			b[i] = from[in(i)%len(from)]
		}
		return string(b)
	}
	switch h.mode {
	case lowestMode:
		return fill(abc, func(int) int { return 0 })
	case highestMode:
		return fill(abc, func(int) int { return len(abc) - 1 })
	case constantMode:
		return fill([]byte{one()}, func(int) int { return 0 })
	case twoMode, smallMode:
		return fill([]byte{one(), one()}, func(int) int { return d.r.IntN(2) })
	case periodicMode:
		return fill([]byte{one(), one(), one()}[:1+d.r.IntN(3)], func(i int) int { return i })
	case sortedMode, reversedMode:
		for i := range b {
			b[i] = one()
		}
		slices.Sort(b)
		if h.mode == reversedMode {
			slices.Reverse(b)
		}
		return string(b)
	case nearMode: // all characters but one are equal
		c, k := one(), d.r.IntN(int(n)+1)
		s := []byte(fill([]byte{c}, func(int) int { return 0 }))
		if k < len(s) {
			s[k] = one()
		}
		return string(s)
	case logMode: // a palindrome
		for i := range b {
			if b[i] = one(); i >= (len(b)+1)/2 {
				b[i] = b[len(b)-1-i]
			}
		}
		return string(b)
	case dictionaryMode:
		if s, ok := d.literalText(f, lo, hi); ok {
			return s
		}
	}
	return fill(abc, func(int) int { return d.r.IntN(len(abc)) })
}

// literalText returns a constant of the declaration or of the programs that is a valid value of the field and whose
// length is in lo..hi. It returns false if it finds none.
func (d *drawer) literalText(f *field, lo, hi int64) (string, bool) {
	for range 6 {
		s := ""
		if n := len(d.g.literals); n > 0 && d.r.IntN(4) > 0 {
			s = d.g.literals[d.r.IntN(n)]
		} else if n := len(d.o.Literals); n > 0 {
			s = strconv.FormatInt(d.o.Literals[d.r.IntN(n)], 10)
		}
		fits := int64(len(s)) >= lo && int64(len(s)) <= hi
		for i := range len(s) {
			fits = fits && f.typ.letters[s[i]]
		}
		if fits {
			return s, true
		}
	}
	return "", false
}

// float chooses a decimal number, often one with fewer decimals than allowed.
func (d *drawer) float(f *field, h *strategy) (string, error) {
	lo, hi := f.typ.lo.float(d.e), f.typ.hi.float(d.e)
	places := int(d.between(int64(f.typ.decimals[0]), int64(f.typ.decimals[1])))
	for places > f.typ.decimals[0] && max(math.Abs(lo), math.Abs(hi))*math.Pow10(places) > 1e15 {
		places--
	}
	scale := math.Pow10(places)
	from, to := int64(math.Ceil(lo*scale-1e-9)), int64(math.Floor(hi*scale+1e-9))
	if from > to {
		return "", unfitf("nothing is left for %s: %v..%v", f.name.text, lo, hi)
	}
	return decimalText(d.pick(h, from, to), places), nil
}

// decimalText formats n / 10^places.
func decimalText(n int64, places int) string {
	s := strconv.FormatUint(magnitude(n), 10)
	for len(s) <= places {
		s = "0" + s
	}
	if places > 0 {
		s = s[:len(s)-places] + "." + s[len(s)-places:]
	}
	if n < 0 {
		s = "-" + s
	}
	return s
}

// arrayValues implements source. It draws all values of an array at once, because these values depend on each other.
func (d *drawer) arrayValues(a *array, n int64, _ *node) ([]int64, []string, error) {
	if a.name.kind != integer {
		texts, err := d.arrayTexts(a, n)
		return nil, texts, err
	}
	lo, hi := a.typ.lo.int(d.e), a.typ.hi.int(d.e)
	h := d.strategyOf(&a.field, false)
	var all []int64
	switch {
	case a.typ.kind == permutationType || a.distinct:
		if all = d.sample(h, n, lo, hi); all == nil {
			return nil, nil, unfitf("%s cannot have %d different values in %d..%d", a.name.text, n, lo, hi)
		}
	default:
		for i := range n {
			d.remaining = n - 1 - i
			all = append(all, d.pick(h, lo, hi))
		}
	}
	return arrange(a, all), nil, nil
}

func (d *drawer) arrayTexts(a *array, n int64) (values []string, err error) {
	seen := map[string]bool{}
	for range n {
		s, err := d.text(&a.field, nil)
		for try := 0; err == nil && a.distinct && seen[s]; try++ {
			if try == 60 {
				return nil, unfitf("%s finds no %d different words", a.name.text, n)
			}
			s = d.letters(&a.field, &strategy{mode: uniform}, d.length(a.typ.lo.int(d.e), a.typ.hi.int(d.e)), 0, 0)
		}
		if err != nil {
			return nil, err
		}
		seen[s] = true
		values = append(values, s)
	}
	return arrange(a, values), nil
}

// arrange sorts values into the array's declared order.
func arrange[T int64 | string](a *array, values []T) []T {
	if a.order != anyOrder {
		slices.Sort(values)
	}
	if a.order == descending {
		slices.Reverse(values)
	}
	return values
}

// sample chooses n different numbers in lo..hi. It returns nil if there are fewer.
func (d *drawer) sample(h *strategy, n, lo, hi int64) []int64 {
	span := uint64(hi) - uint64(lo) // one less than the number of values
	if lo > hi || n > 0 && uint64(n-1) > span {
		return nil
	}
	if n == 0 {
		return []int64{}
	}
	var all []int64
	if span < uint64(n)*4 {
		for v := range int64(span) + 1 {
			all = append(all, lo+v)
		}
		if h.mode != lowestMode && h.mode != highestMode || uint64(n-1) == span {
			d.shuffle(all)
		}
		if h.mode == highestMode {
			slices.Reverse(all)
		}
		all = all[:n]
	} else {
		seen := map[int64]bool{}
		for try := 0; len(all) < int(n); try++ {
			v := d.pick(h, lo, hi)
			if seen[v] || h.mode == lowestMode || h.mode == highestMode || h.mode == constantMode {
				if v = d.between(lo, min(hi, add(lo, 4*n))); try%2 == 1 {
					v = d.between(lo, hi)
				}
			}
			if !seen[v] {
				seen[v] = true
				all = append(all, v)
			}
		}
	}
	d.arrangeByMode(h, all)
	return all
}

// arrangeByMode orders distinct values according to the habit's mode.
func (d *drawer) arrangeByMode(h *strategy, values []int64) {
	switch h.mode {
	case sortedMode, lowestMode, smallMode, nearMode:
		slices.Sort(values)
	case reversedMode, highestMode, largeMode:
		slices.Sort(values)
		slices.Reverse(values)
	case periodicMode: // rotated
		slices.Sort(values)
		k := d.r.IntN(len(values))
		copy(values, append(slices.Clone(values[k:]), values[:k]...))
	}
	if h.mode == smallMode || h.mode == largeMode || h.mode == nearMode { // swap one pair
		i, k := d.r.IntN(len(values)), d.r.IntN(len(values))
		values[i], values[k] = values[k], values[i]
	}
}

func (d *drawer) shuffle(all []int64) {
	d.r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
}
