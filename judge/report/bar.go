package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Bar returns a function that redraws a line of progress on a terminal. It is safe for
// concurrent use.
func Bar(terminal io.Writer) func(what string, done, of int) {
	const width = 30
	var mu sync.Mutex
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		full := min(width*done/max(of, 1), width)
		fmt.Fprintf(terminal, "\r[%s%s] %d of %d %s\x1b[K", strings.Repeat("=", full), strings.Repeat(" ", width-full), done, of, what)
	}
}
