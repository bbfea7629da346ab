package format

// A Grammar is a parsed declaration of a problem's input format.
type Grammar struct {
	File string // of the declaration, for messages

	body     block
	names    []*name // by slot
	wheres   []*where
	features []*feature
	beyond   []string // conditions in words, for a validator written by hand
	bounds   []*field // in the order of the declaration
	literals []string // words of the declaration; drawn words may resemble them
	choices  int      // number of groups and eithers
}

// A name is a named value or array of a declaration. If several alternatives declare it, it is one name.
type name struct {
	text   string
	slot   int
	kind   kind     // of one value
	scopes []*scope // where it is declared
	array  bool     // it is always a list
	index  bool     // it runs over a range, and is not part of the input

	used    bool // an expression needs its value
	tracked bool // an expression needs all its values
	counts  bool // it is a count
	below   bool // its lower bound is below 0

	// Conditions of a `where` on the list, which drawn values must meet.
	unique  *demand
	sorted  *demand
	limited []*limit
	network *graph // whose edges it counts
}

// A demand is a condition on a list, or on the rows of several lists, as seen from a scope at some depth. The other
// lists of rows are declared before it.
type demand struct {
	depth int
	with  []*name
	where *where
}

// A limit is an upper bound of the sum of a list, as seen from a scope at some depth.
type limit struct {
	depth int
	most  *expr
	where *where
}

// A scope is a block or an alternative. Names that are declared in it have one value inside, and are lists outside.
type scope struct {
	parent *scope
	depth  int // number of repeats around it
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

// A line is a line of the input.
type line struct {
	row   int // of the declaration, from 1
	items []any
}

// The items of a line are *literal, *field, *array and *group.
type literal struct {
	text string
	glue bool // no blank precedes it
}

// field is a value with a name.
type field struct {
	row  int
	name *name
	typ  *typ
	glue bool
	at   int // number of the field, for coverage
}

// An array is a list of values of one kind in a line.
type array struct {
	field
	index       *name // may be nil
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

// A group is a choice among sequences of items.
type group struct {
	row  int
	alts [][]any
	at   int
}

// A repeat is a repeated block.
type repeat struct {
	row         int
	index       *name
	from, count *expr
	body        block
	depth       int // of the body's scope

	// Without a count: how many rounds there may be, and the line that ends them. If stop is empty, the end of the
	// file ends them.
	rounds *field
	stop   string
}

// An either is a choice among blocks.
type either struct {
	row  int
	alts []block
	at   int
}

// A grid is a rectangle of characters.
type grid struct {
	field
	rows, columns *expr
}

// A graph is a list of edges, one per line.
type graph struct {
	field      // its name holds the first ends
	to         *name
	weight     *field // may be nil
	nodes      *expr
	edges      *expr // nil for a tree
	base       int64 // number of the first node
	tree       bool
	simple     bool
	connected  bool
	directed   bool
	acyclic    bool
	edgesCount *name // the name in edges; nil if edges is no single name
}

// let names an expression.
type let struct {
	name  *name
	value *expr
}

// A where is a condition on inputs.
type where struct {
	row  int
	cond *expr
	text string // the condition as written
	at   int
}

// A feature is a condition that some test case of a problem should meet.
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

// A typ is the type of a field.
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

// view returns the depth from which ref sees the name as a list. It is the depth of the deepest scope that contains
// ref and all declarations of the name.
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
