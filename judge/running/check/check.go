// Package check judges the output of a program. A Checker compares an output with the answer of the reference
// solution, and returns a verdict. For a wrong answer, it also returns the position of the first mistake.
//
// Built-in checkers (Builtin) stream the texts, so their memory does not grow with the size of the texts. A
// setter's own checker is a program (Program) that uses one of three protocols: kit, testlib or kattis.
//
// A contestant's output never causes an error, only a WrongAnswer. A checker program that crashes, is too slow or
// violates its protocol causes a JudgeError, never a WrongAnswer. The package does not judge how a solution ended,
// and does not display differences.
//
// To add a built-in checker, add a file with a function like newTokens, an entry in the table builtins, and a
// directory of examples in testdata.
package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// A Request is an output to be judged. The texts may have any size. The read positions of the sections are neither
// used nor changed.
type Request struct {
	Case string            // such as "edge/corner-0-0"
	In   *io.SectionReader // input of the program
	Ans  *io.SectionReader // output of the reference solution
	Out  *io.SectionReader // output of the program
	Args []string          // arguments for this case, in addition to the checker's own
}

// A Checker judges the outputs of a submission, in judging order. It may keep state from case to case, so only one
// goroutine may use it at a time.
type Checker interface {
	// Check judges one output. It returns an error only if the machine fails or ctx is done.
	Check(ctx context.Context, r Request) (judge.Outcome, error)
	// Close stops the checker's processes. The checker cannot be used afterwards.
	Close() error
}

// A Description describes a built-in checker to users.
type Description struct {
	Name    string
	Doc     string // one line
	Options []Option
}

// An Option is an argument of a built-in checker. If the option takes a value, the value is a second argument.
type Option struct {
	Name  string
	Value string // name of the value, such as "EPSILON"; empty for an option without a value
	Doc   string // one line
}

// A builtin is an entry in the table of built-in checkers.
type builtin struct {
	Description
	make func(o options) (comparer, error)
}

// A comparer is the comparison function of a built-in checker. It keeps nothing between calls except the buffers
// b.
type comparer func(ctx context.Context, r Request, b *buffers) (judge.Outcome, error)

// builtins lists the built-in checkers by name.
var builtins = []builtin{
	{Description{"any-of", "one of several answers, which a line --- parts in the .ans file; tokens compares each", append(
		anyOfOptions, tokensOptions...,
	)}, newAnyOf},
	{Description{"case-insensitive", "words as in tokens, where upper and lower case are the same", caseOptions}, newCaseInsensitive},
	{Description{"case-sensitive", "words as in tokens, where upper and lower case differ", caseOptions}, newCaseSensitive},
	{Description{"exact", "byte for byte", nil}, newExact},
	{Description{"floats", "numbers within 1e-6, absolute or relative; other words as in tokens", floatsOptions}, newFloats},
	{Description{"lines", "line by line; blanks at the end of a line and empty lines at the end do not matter", nil}, newLines},
	{Description{"polygon", "a standard checker of Polygon, by its name, with the strictness of testlib", polygonOptions}, newPolygon},
	{Description{
		"tokens",
		"words, with any white space between them; upper and lower case are the same unless an option says otherwise",
		tokensOptions,
	}, newTokens},
	{Description{
		"unordered",
		"lines in any order, each as often as in the answer; empty lines and blanks at the end of a line do not matter",
		nil,
	}, newUnordered},
}

// Descriptions returns descriptions of the built-in checkers, sorted by name.
func Descriptions() []Description {
	all := make([]Description, len(builtins))
	for i, row := range builtins {
		all[i] = row.Description
	}
	return all
}

// Builtin returns the checker with this name. If the name or an argument is unknown, it returns a *judge.ProblemError
// without a file.
func Builtin(name string, args []string) (Checker, error) {
	var names []string
	for _, row := range builtins {
		if row.Name == name {
			c := &builtinChecker{row: row, args: args, compare: map[string]comparer{}}
			if _, err := c.comparer(nil); err != nil {
				return nil, err
			}
			return c, nil
		}
		names = append(names, row.Name)
	}
	return nil, &judge.ProblemError{Text: fmt.Sprintf("unknown checker %q", name), Hint: suggest.Hint(name, names)}
}

// A builtinChecker is a Checker that is also safe for concurrent use.
type builtinChecker struct {
	row   builtin
	args  []string
	spare sync.Pool // of *buffers

	mu      sync.Mutex
	compare map[string]comparer // by the additional arguments of a case
}

// comparer returns the comparer for a case whose checker arguments end with more. It caches the comparer for later
// cases.
func (c *builtinChecker) comparer(more []string) (comparer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(more, "\x00")
	if made := c.compare[key]; made != nil {
		return made, nil
	}
	o, err := parseOptions(c.row.Description, slices.Concat(c.args, more))
	if err != nil {
		return nil, err
	}
	made, err := c.row.make(o)
	if err == nil {
		c.compare[key] = made
	}
	return made, err
}

func (c *builtinChecker) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	compare, err := c.comparer(r.Args)
	if err != nil {
		return judge.Outcome{Verdict: judge.JudgeError, Message: err.Error()}, nil
	}
	b, _ := c.spare.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	defer c.spare.Put(b)
	outcome, err := compare(ctx, r, b)
	if err != nil {
		return judge.Outcome{}, fmt.Errorf("check %s: %w", cmp.Or(r.Case, "the output"), err)
	}
	return outcome, nil
}

func (c *builtinChecker) Close() error { return nil }

// options maps each given option of a checker to its value.
type options map[string]string

func (o options) has(name string) bool {
	_, given := o[name]
	return given
}

// parseOptions parses args according to the options of a checker.
func parseOptions(d Description, args []string) (options, error) {
	given := options{}
	var names []string
	for _, o := range d.Options {
		names = append(names, o.Name)
	}
next:
	for i := 0; i < len(args); i++ {
		for _, o := range d.Options {
			if o.Name != args[i] {
				continue
			}
			if given.has(o.Name) {
				return nil, &judge.ProblemError{Text: fmt.Sprintf("checker %s: option %q is given twice", d.Name, o.Name)}
			}
			given[o.Name] = ""
			if o.Value == "" {
				continue next
			}
			if i++; i == len(args) {
				return nil, &judge.ProblemError{
					Text: fmt.Sprintf("checker %s: option %q has no value", d.Name, o.Name),
					Hint: fmt.Sprintf("the value is an argument of its own: %q, %q", o.Name, o.Value),
				}
			}
			given[o.Name] = args[i]
			continue next
		}
		return nil, unknownOption(d.Name, args[i], names)
	}
	return given, nil
}

func unknownOption(checker, word string, names []string) *judge.ProblemError {
	f := &judge.ProblemError{Text: fmt.Sprintf("checker %s: unknown option %q", checker, word)}
	name, value, found := strings.Cut(word, "=")
	if !found {
		name, value, found = strings.Cut(word, " ")
	}
	switch {
	case len(names) == 0:
		f.Hint = "this checker takes no options"
	case found:
		f.Hint = fmt.Sprintf("an option and its value are two arguments: %q, %q", name, value)
	default:
		f.Hint = suggest.Hint(word, names)
	}
	return f
}

var accepted = judge.Outcome{Verdict: judge.Accepted}

// wrongAnswer returns the outcome for a contestant's error.
func wrongAnswer(place *judge.Position, message string) (judge.Outcome, error) {
	return judge.Outcome{Verdict: judge.WrongAnswer, Message: message, Place: place}, nil
}
