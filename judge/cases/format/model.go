package format

// A Grammar is a parsed declaration of a problem's input format.
type Grammar struct {
	File string // name of the declaration, for messages

	body     block
	names    []*name // by slot
	wheres   []*where
	features []*feature
	informal []string // conditions stated in words, for a handwritten validator
	bounds   []*field // in declaration order
	literals []string // words in the declaration; drawn words may resemble them
	choices  int      // number of groups and either blocks
}

// A name is a named value or array of a declaration. If several alternatives declare the same name, they share it.
type name struct {
	text   string
	slot   int
	kind   kind     // kind of a single value
	scopes []*scope // scopes that declare it
	array  bool     // always a list
	index  bool     // runs over a range, and is not part of the input

	used     bool // an expression needs the current value
	tracked  bool // an expression needs all values
	counts   bool // used as a count
	negative bool // the lower bound is negative

	// Conditions on the list, from `where` statements. Drawn values must meet them.
	unique  *listCondition
	sorted  *listCondition
	limited []*sumLimit
	network *graph // graph whose edges the name counts
}

// A listCondition is a condition on a list, or on the rows of several lists, as seen from a scope at the given depth. The
// other lists are declared earlier.
type listCondition struct {
	depth int
	with  []*name
	where *where
}

// A sumLimit is an upper bound on the sum of a list, as seen from a scope at the given depth.
type sumLimit struct {
	depth   int
	maximum *expr
	where   *where
}

// A scope is a block or an alternative. A name declared in it has a single value inside the scope, and is a list
// outside.
type scope struct {
	parent *scope
	depth  int // number of enclosing repeats
	names  map[string]*name
}

func (s *scope) isInside(o *scope) bool {
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

// A line declares a line of the input.
type line struct {
	row   int // line of the declaration, from 1
	items []any
}

// The items of a line are *literal, *field, *array and *group.
type literal struct {
	text string
	glue bool // not preceded by a blank
}

// field is a named value.
type field struct {
	row    int
	name   *name
	typ    *typ
	glue   bool
	number int // number of the field, for coverage
}

// An array is a list of values of one kind on a line.
type array struct {
	field
	index       *name // may be nil
	from, count *expr // if there is no index, from is nil
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
	row    int
	alts   [][]any
	number int
}

// A repeat is a repeated block.
type repeat struct {
	row         int
	index       *name
	from, count *expr
	body        block
	depth       int // depth of the body's scope

	// If the input contains no count, the field rounds holds the allowed number of rounds, and the field stop
	// holds the line that ends them. If stop is empty, the rounds end at EOF.
	rounds *field
	stop   string
}

// An either is a choice among blocks.
type either struct {
	row    int
	alts   []block
	number int
}

// A grid is a rectangle of characters.
type grid struct {
	field
	rows, columns *expr
}

// A graph is a list of edges, one per line.
type graph struct {
	field      // its name holds the first endpoints
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
	edgesCount *name // the name in edges; nil if edges is not a single name
}

// let gives a name to an expression.
type let struct {
	name  *name
	value *expr
}

// A where is a condition on inputs.
type where struct {
	row    int
	cond   *expr
	text   string // the condition as written
	number int
}

// A feature is a condition that some test case of a problem should meet.
type feature struct {
	row    int
	text   string
	cond   *expr
	number int
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
	lo, hi   *expr // bounds of a number, or of a word's length
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

// view returns the depth from which ref sees the name as a list. That is the depth of the deepest scope that
// contains ref and all declarations of the name.
func (n *name) view(ref *scope) int {
	for s := ref; s != nil; s = s.parent {
		all := true
		for _, d := range n.scopes {
			all = all && d.isInside(s)
		}
		if all {
			return s.depth
		}
	}
	return 0
}

// single reports whether the name has a single value in the scope ref.
func (n *name) single(ref *scope) bool {
	if n.array {
		return false
	}
	for _, d := range n.scopes {
		if ref.isInside(d) {
			return true
		}
	}
	return false
}
