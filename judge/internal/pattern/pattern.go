// Package pattern has regular expressions that are compiled when they are first used. A command
// that does not need them, such as judge --version, does not wait for them.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that compiles an expression in the syntax of package regexp once, and then
// returns the same one. It panics for one that is broken; a test of the project compiles them all.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
