// Package pattern provides regular expressions that are compiled on first use. A command that does not need them,
// such as judge --version, starts faster.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that compiles an expression of package regexp on its first call, and always returns the
// same result. The function panics if the expression is invalid; a test compiles all expressions.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
