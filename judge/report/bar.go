package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
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

// Building returns a function that says on a terminal which program is being built, or which
// language is prepared for it, and for how long. With 0 the line goes. It is safe for concurrent use.
func Building(terminal io.Writer) func(path, preparing string, passed time.Duration) {
	var mu sync.Mutex
	return func(path, preparing string, passed time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		line := ""
		switch {
		case passed > 0 && preparing != "":
			line = fmt.Sprintf("preparing %s for its first program, %.0f s", preparing, passed.Seconds())
		case passed > 0:
			line = fmt.Sprintf("building %s, %.0f s", filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), passed.Seconds())
		}
		fmt.Fprint(terminal, "\r"+line+"\x1b[K")
	}
}
