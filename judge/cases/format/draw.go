package format

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/judge/internal/suggest"
)

// Options select which inputs to draw.
type Options struct {
	// Mode determines how values are chosen; see Modes. If empty, the mode is drawn for each field of each input.
	Mode string
	// Size, if positive, is an upper bound for counts and word lengths.
	Size int64
	// Ranges restricts integers to ranges, by name. A range of one number fixes the integer.
	Ranges map[string][2]int64
	// Literals are constants from programs. Draw occasionally chooses them and their neighbors.
	Literals []int64
	// Seed is the value of --seed in a generator line. Draw ignores it.
	Seed int64
	// MaxSize is the maximum size of an input in bytes. Zero means 64 MiB.
	MaxSize int

	force    map[*name]int64 // values to use regardless of their bounds
	violable *where          // condition that must be violated; may be nil
	lax      bool            // other conditions may be violated as well
}

const defaultMaxSize = 64 << 20

// maxAttempts is the number of inputs that Draw tries before it gives up.
const maxAttempts = 300

// Draw generates an input of the declared form. The same source of random numbers and the same options give the
// same input. Draw returns an error if it finds no input because the conditions or the options are too strict.
func (g *Grammar) Draw(r *rand.Rand, o Options) ([]byte, error) {
	m, ok := modes[o.Mode]
	if !ok {
		return nil, fmt.Errorf("unknown mode %q; %s", o.Mode, suggest.Hint(o.Mode, Modes()))
	}
	for _, key := range slices.Sorted(maps.Keys(o.Ranges)) {
		if !slices.Contains(g.Integers(), key) {
			return nil, fmt.Errorf("the declaration has no integer %q; %s", key, suggest.Hint(key, g.Integers()))
		}
	}
	if o.MaxSize == 0 {
		o.MaxSize = defaultMaxSize
	}
	reasons := map[string]int{}
	for try := range maxAttempts {
		if try == maxAttempts/2 && m != mixed { // the conditions may not be satisfiable in this mode
			m = mixed
		}
		d := newDrawer(g, r, &o, m)
		if try%2 == 1 {
			d.squeeze = try / 6
		}
		w := &writer{g: g, e: newEnv(g), src: d, maxSize: o.MaxSize, violable: o.violable, lax: o.lax}
		d.e = w.e
		err := w.block(g.body, nil)
		if err == nil && len(w.out) == 0 {
			err = unfitf("the input is empty")
		}
		if err == nil && (o.violable == nil || w.violated) {
			return w.out, nil
		}
		if err != nil {
			if _, ok := errors.AsType[*unfitError](err); !ok {
				return nil, err
			}
			reasons[err.Error()]++
		}
	}
	var most string
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		if most == "" || reasons[why] > reasons[most] {
			most = why
		}
	}
	return nil, fmt.Errorf("no input was found in %d tries; most often: %s", maxAttempts, most)
}

// Integers returns the names of the declared integers.
func (g *Grammar) Integers() (all []string) {
	for _, f := range g.bounds {
		if f.name.kind == integer && !strings.Contains(f.name.text, " ") {
			all = append(all, f.name.text)
		}
	}
	return all
}

// mode determines how the values of a field are chosen.
type mode int

const (
	mixed mode = iota
	uniform
	lowestMode
	highestMode
	smallMode
	largeMode
	logMode
	nearMode
	constantMode
	twoMode
	sortedMode
	reversedMode
	periodicMode
	dictionaryMode
)

var modes = map[string]mode{
	"": mixed, "mixed": mixed, "uniform": uniform, "min": lowestMode, "max": highestMode, "small": smallMode,
	"large": largeMode, "log": logMode, "near": nearMode, "constant": constantMode, "two": twoMode,
	"sorted": sortedMode, "reversed": reversedMode, "periodic": periodicMode, "dictionary": dictionaryMode,
}

// Modes returns the names of the modes.
func Modes() (all []string) {
	for name := range modes {
		if name != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// weights lists the relative frequency of each mode in a mixture. The key tells whether the field is a count.
var weights = map[bool][]struct {
	m mode
	w int
}{
	false: {{uniform, 4}, {lowestMode, 1}, {highestMode, 2}, {smallMode, 6}, {largeMode, 3}, {logMode, 4}, {nearMode, 4},
		{constantMode, 2}, {twoMode, 3}, {sortedMode, 2}, {reversedMode, 2}, {periodicMode, 2}, {dictionaryMode, 4}},
	true: {{smallMode, 10}, {logMode, 5}, {lowestMode, 1}, {highestMode, 2}, {uniform, 4}, {largeMode, 2}, {nearMode, 1}},
}

// A strategy is the strategy by which a field chooses its values in the current input, with its state.
type strategy struct {
	mode   mode
	blend  bool // choose another mode for each value
	chosen bool
	values []int64 // values to choose from; only some modes use it
	count  int
	last   int64
}

// A drawer is a source that makes random choices.
type drawer struct {
	g          *Grammar
	r          *rand.Rand
	o          *Options
	e          *env
	mode       mode
	squeeze    int // how much to narrow ranges, because conditions failed
	strategies map[*field]*strategy
	pool       []int64 // recently drawn numbers
	remaining  int64   // number of rounds or values after the current one
	share      int     // how to divide a sum
	choices    map[int]*strategy
	seen       map[*name]*usedValues
	sums       map[*sumLimit]*partialSum
}

// usedValues is the set of values or rows already used in a list without repetition.
type usedValues struct {
	from, to int // the part of the list that the set contains
	keys     map[string]bool
}

// repeats reports whether a value would repeat in a list that must have no repetition.
func (d *drawer) repeats(n *name, v int64, s string) bool {
	if n.unique == nil || n.unique.where == d.o.violable {
		return false
	}
	from, now := 0, d.seen[n]
	if n.unique.depth < len(d.e.marks) {
		from = d.e.marks[n.unique.depth][n.slot]
	}
	l := &d.e.lists[n.slot]
	if now == nil || now.from != from || now.to > l.len() {
		now = &usedValues{from, from, map[string]bool{}}
		d.seen[n] = now
	}
	for ; now.to < l.len(); now.to++ {
		now.keys[d.rowKey(n, l, now.to, from)] = true
	}
	one := list{ints: []int64{v}}
	if n.kind == word {
		one = list{words: []string{s}}
	}
	return now.keys[d.rowKey(n, &one, 0, -1)]
}

// rowKey returns a key for a row, which consists of value i of list l and the corresponding values of the other lists
// in the demand. If from is -1, row uses the last values of the other lists.
func (d *drawer) rowKey(n *name, l *list, i, from int) string {
	var key []byte
	for _, w := range n.unique.with {
		other := &d.e.lists[w.slot]
		k := other.len() - 1
		if from >= 0 {
			if k = i - from; n.unique.depth < len(d.e.marks) {
				k += d.e.marks[n.unique.depth][w.slot]
			}
		}
		key = other.appendTo(key, max(k, 0))
	}
	return string(l.appendTo(key, i))
}

func newDrawer(g *Grammar, r *rand.Rand, o *Options, m mode) *drawer {
	share := r.IntN(3)
	if m == lowestMode {
		share = 0 // each value is as small as possible
	}
	return &drawer{
		g: g, r: r, o: o, mode: m, strategies: map[*field]*strategy{}, choices: map[int]*strategy{},
		seen: map[*name]*usedValues{}, sums: map[*sumLimit]*partialSum{}, share: share,
	}
}

func (d *drawer) origin(_, _, _ int64) int64 { return -1 }
func (d *drawer) attempts() int              { return 20 }

// round implements source. The parameter left is the number of rounds or values that follow this one.
func (d *drawer) round(remaining int64) {
	d.remaining = remaining
}

func (d *drawer) pickMode(counts bool) mode {
	total := 0
	for _, w := range weights[counts] {
		total += w.w
	}
	k := d.r.IntN(total)
	for _, w := range weights[counts] {
		if k -= w.w; k < 0 {
			return w.m
		}
	}
	return uniform
}

// strategyOf returns the habit of a field. A count gets a new habit for each value.
func (d *drawer) strategyOf(f *field, counts bool) *strategy {
	h := d.strategies[f]
	if h == nil {
		h = &strategy{mode: d.mode}
		if d.mode == mixed {
			h.mode, h.blend = d.pickMode(counts), d.r.IntN(6) == 0
		}
		d.strategies[f] = h
	}
	if h.blend && d.mode == mixed {
		h.mode = d.pickMode(counts)
	}
	return h
}

func (d *drawer) choose(at, n int, _ *node) int {
	h := d.choices[at]
	if h == nil {
		h = &strategy{mode: d.mode}
		if d.mode == mixed || d.mode == lowestMode || d.mode == highestMode {
			h.mode = []mode{uniform, uniform, uniform, constantMode, twoMode, periodicMode}[d.r.IntN(6)]
		}
		d.choices[at] = h
	}
	return int(d.pick(h, 0, int64(n-1)))
}

func (d *drawer) int(f *field, lo, hi int64, _ *int64) (int64, error) {
	if v, forced := d.o.force[f.name]; forced {
		return v, nil
	}
	if s, set := d.o.Ranges[f.name.text]; set {
		if s[0] > hi || s[1] < lo {
			return 0, unfitf("the line requires %s in %d..%d, but the declaration allows %d..%d", f.name.text, s[0], s[1], lo, hi)
		}
		lo, hi = max(lo, s[0]), min(hi, s[1])
	}
	if f.name.counts && d.o.Size > 0 {
		hi = min(hi, max(lo, d.o.Size))
	}
	lo, hi = d.narrowByConditions(f.name, lo, hi)
	if lo > hi {
		return 0, unfitf("nothing is left for %s: %d..%d", f.name.text, lo, hi)
	}
	narrow := hi
	if d.squeeze > 0 && d.o.Ranges[f.name.text] == [2]int64{} {
		narrow = d.narrowed(lo, hi)
	}
	h := d.strategyOf(f, f.name.counts)
	for try := 0; ; try++ {
		v := d.pick(h, lo, narrow)
		if !d.repeats(f.name, v, "") {
			d.remember(v)
			return v, nil
		}
		if narrow = hi; try == 30 {
			return 0, unfitf("%s has no value left that is not used yet", f.name.text)
		}
		h = &strategy{mode: []mode{uniform, smallMode, logMode}[try%3]}
	}
}

// narrowed lowers the upper end of a range at random.
func (d *drawer) narrowed(lo, hi int64) int64 {
	span := uint64(hi) - uint64(lo)
	return int64(uint64(lo) + span>>uint(d.r.IntN(min(d.squeeze, 63)+1)))
}

// narrowByConditions narrows a range to the values that conditions on the whole list allow.
func (d *drawer) narrowByConditions(n *name, lo, hi int64) (int64, int64) {
	if n.sorted != nil && n.sorted.where != d.o.violable {
		if l := d.e.view(n, n.sorted.depth).ints; len(l) > 0 {
			lo = max(lo, l[len(l)-1])
		}
	}
	for _, l := range n.limited {
		if l.where == d.o.violable {
			continue
		}
		rest := sub(l.maximum.int(d.e), d.sum(n, l))
		rest = sub(rest, mul(d.remaining, lo))
		switch d.share {
		case 0: // the first values get the most
			hi = min(hi, rest)
		case 1: // all values get about the same
			hi = min(hi, max(lo, min(rest, add(lo, 2*(max(rest-lo, 0)/(d.remaining+1))))))
		default: // use up the whole sum
			if hi = min(hi, max(lo, min(rest, add(lo, 2*(max(rest-lo, 0)/(d.remaining+1)))))); d.remaining == 0 && rest >= lo {
				lo = min(hi, rest)
				if rest <= hi {
					hi = rest
				}
			}
		}
		if rest < lo {
			hi = min(hi, rest)
		}
	}
	if g := n.network; g != nil {
		nodes := g.nodes.int(d.e)
		if g.connected {
			lo = max(lo, nodes-1)
		}
		if g.simple {
			hi = min(hi, g.maxEdges(nodes))
		}
	}
	return lo, hi
}

// partialSum is the sum of the values in a part of a list.
type partialSum struct {
	from, to int
	sum      int64
}

// sum returns the sum of the values so far in the list to which the limit applies.
func (d *drawer) sum(n *name, l *sumLimit) int64 {
	from, ints := 0, d.e.lists[n.slot].ints
	if l.depth < len(d.e.marks) {
		from = d.e.marks[l.depth][n.slot]
	}
	now := d.sums[l]
	if now == nil || now.from != from || now.to > len(ints) {
		now = &partialSum{from, min(from, len(ints)), 0}
		d.sums[l] = now
	}
	for ; now.to < len(ints); now.to++ {
		now.sum = add(now.sum, ints[now.to])
	}
	return now.sum
}

// maxEdges returns the maximum number of edges of a simple graph.
func (g *graph) maxEdges(nodes int64) int64 {
	all := mul(nodes, nodes-1)
	if g.directed && !g.acyclic {
		return all
	}
	return all / 2
}

func (d *drawer) remember(v int64) {
	const most = 16
	if len(d.pool) < most {
		d.pool = append(d.pool, v)
		return
	}
	d.pool[d.r.IntN(most)] = v
}

// ParseLine parses the words of a generator line after the first one, such as "--mode max --size 10 n=5 m=1..9 --seed 3".
// The value of --seed only makes lines differ.
func ParseLine(words []string) (o Options, err error) {
	o.Ranges = map[string][2]int64{}
	for i := 0; i < len(words); i++ {
		flag := words[i]
		name, value, assigned := strings.Cut(flag, "=")
		if !strings.HasPrefix(flag, "--") && assigned {
			lo, hi, isRange := strings.Cut(value, "..")
			if !isRange {
				hi = lo
			}
			var s [2]int64
			for k, text := range []string{lo, hi} {
				if s[k], err = wholeNumber(text); err != nil {
					return o, fmt.Errorf("%s: %w", flag, err)
				}
			}
			if s[0] > s[1] {
				return o, fmt.Errorf("%s: the range runs downwards", flag)
			}
			o.Ranges[name] = s
			continue
		}
		if i++; i == len(words) && slices.Contains(flags, flag) {
			return o, fmt.Errorf("%s needs a value", flag)
		}
		switch flag {
		case "--mode":
			if o.Mode = words[i]; modes[o.Mode] == mixed && o.Mode != "mixed" {
				return o, fmt.Errorf("unknown mode %q; %s", o.Mode, suggest.Hint(o.Mode, Modes()))
			}
		case "--size":
			if o.Size, err = wholeNumber(words[i]); err != nil || o.Size < 1 {
				return o, fmt.Errorf("--size %s: want a number from 1 on", words[i])
			}
		case "--seed":
			if o.Seed, err = wholeNumber(words[i]); err != nil || o.Seed < 0 {
				return o, fmt.Errorf("--seed %s: want a number from 0 on", words[i])
			}
		default:
			return o, fmt.Errorf("unknown argument %q; %s", flag, cmp.Or(
				suggest.Hint(flag, flags), "or a name with its value, such as n=5 or n=1..9",
			))
		}
	}
	return o, nil
}

var flags = []string{"--mode", "--size", "--seed"}

// wholeNumber reads 200000, 200_000 or 2e5.
func wholeNumber(text string) (int64, error) {
	var t token
	digits, negative := strings.CutPrefix(text, "-")
	if digits != "" && isDigit(digits[0]) {
		if n, problem := t.scanNumber(digits); problem == "" && n == len(digits) && t.kind == integerToken && t.n.IsInt64() {
			if v := t.n.Int64(); negative {
				return -v, nil
			} else {
				return v, nil
			}
		}
	}
	return 0, fmt.Errorf("%.40q is not an integer", text)
}
