package format

// Grammar is a declaration that was read: the form of a problem's inputs.
type Grammar struct {
	File string // where it stands, for messages

	body     block
	names    []*name // by slot
	wheres   []*where
	features []*feature
	beyond   []string // what only a validator written by hand can tell
	bounds   []*field // in the order of the declaration
	literals []string // of the declaration, for words that look like them
	choices  int      // how many groups and eithers there are
}

// name is something that has a name in a declaration: a value, or all values of an
// array. Declared in several alternatives, it is one name.
type name struct {
	text   string
	slot   int
	kind   kind     // of one value
	scopes []*scope // where it is declared
	array  bool     // it is always a list
	index  bool     // it runs over a range, and does not are in the input

	used    bool // some expression needs its value
	tracked bool // some expression needs all its values
	counts  bool // it says how many of something there are
	below   bool // its lower bound is below 0

	// What a `where` demands of the list, for drawing values that keep to it.
	unique  *demand
	sorted  *demand
	limited []*limit
	network *graph // whose edges it counts
}

// demand is a condition on a list, seen from a scope of some depth, or on the rows
// that it makes with lists that are before it.
type demand struct {
	depth int
	with  []*name
	where *where
}

// limit is an upper bound of a list's sum, as seen from a scope of some depth.
type limit struct {
	depth int
	most  *expr
	where *where
}

// scope is a block or an alternative: names declared in it have one value there,
// and are lists outside.
type scope struct {
	parent *scope
	depth  int // how many repeats it is in
	names  map[string]*name
}

func (s *scope) within(o *scope) bool {
	for ; s != nil; s = s.parent {
		if s == o {
			return true
		}
	}
	return false
}

// block is a sequence of statements: *line, *repeat, *either, *grid, *graph,
// *where, *feature and *let.
type block []any

// line is one line of the input.
type line struct {
	row   int // of the declaration, from 1
	items []any
}

// The items of a line are *literal, *field, *array and *group.
type literal struct {
	text string
	glue bool // no blank is before it
}

// field is a value with a name.
type field struct {
	row  int
	name *name
	typ  *typ
	glue bool
	at   int // number of the field, for counting what it reached
}

// array is several values of one kind in a line.
type array struct {
	field
	index       *name // nil for none
	from, count *expr // from is nil if there is no index
	separator   string
	order       order
	distinct    bool
}

type order int

const (
	anyOrder order = iota
	ascending
	descending
)

// group is a choice among sequences of items.
type group struct {
	row  int
	alts [][]any
	at   int
}

// repeat is a block that comes several times.
type repeat struct {
	row         int
	index       *name
	from, count *expr
	body        block
	depth       int // of the body's scope

	// Where nothing says how many rounds there are: how many there may be, and the line
	// that ends them, "" for the end of the file.
	rounds *field
	stop   string
}

// either is a choice among blocks.
type either struct {
	row  int
	alts []block
	at   int
}

// grid is a rectangle of characters.
type grid struct {
	field
	rows, columns *expr
}

// graph is a list of edges, one per line.
type graph struct {
	field      // its name holds the first ends
	to         *name
	weight     *field // nil for none
	nodes      *expr
	edges      *expr // nil for a tree
	base       int64 // number of the first node
	tree       bool
	simple     bool
	connected  bool
	directed   bool
	acyclic    bool
	edgesCount *name // the name that edges is, nil if it is more than a name
}

// let names an expression.
type let struct {
	name  *name
	value *expr
}

// where is a condition that inputs keep to.
type where struct {
	row  int
	cond *expr
	text string // the condition as written
	at   int
}

// feature is something that the cases of a problem should show.
type feature struct {
	row  int
	text string
	cond *expr
	at   int
}

type typeKind int

const (
	intType typeKind = iota
	floatType
	wordType
	textType
	enumType
	permutationType
)

// typ says what values a field has.
type typ struct {
	kind     typeKind
	lo, hi   *expr // of numbers; of words, of their length
	decimals [2]int
	alphabet []byte // of words
	letters  [256]bool
	options  []string
}

func (t *typ) valueKind() kind {
	switch t.kind {
	case intType, permutationType:
		return integer
	case floatType:
		return decimal
	}
	return word
}

// view is from which depth a name is seen as a list: that of the deepest scope that
// has the reference solution and all declarations in it.
func (n *name) view(ref *scope) int {
	for s := ref; s != nil; s = s.parent {
		all := true
		for _, d := range n.scopes {
			all = all && d.within(s)
		}
		if all {
			return s.depth
		}
	}
	return 0
}

// single reports whether the name has one value where ref is.
func (n *name) single(ref *scope) bool {
	if n.array {
		return false
	}
	for _, d := range n.scopes {
		if ref.within(d) {
			return true
		}
	}
	return false
}
