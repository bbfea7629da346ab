package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ProgressText returns text such as "3 of 7 cases".
func ProgressText(kind string, done, total int) string {
	return fmt.Sprintf("%d of %d %s", done, total, kind)
}

// ProgressBar returns a function that redraws a progress line on a terminal. It is safe for concurrent use.
func ProgressBar(terminal io.Writer) func(what string, done, of int) {
	const width = 30
	var mu sync.Mutex
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		full := min(width*done/max(of, 1), width)
		fmt.Fprintf(terminal, "\r[%s%s] %s\x1b[K", strings.Repeat("=", full), strings.Repeat(" ", width-full), ProgressText(what, done, of))
	}
}

// Builds tracks the programs that are being built. The zero value tracks none. It is safe for concurrent use.
type Builds struct {
	mu  sync.Mutex
	all []build // in the order in which they were first mentioned
}

type build struct{ path, line string }

// Update records how long a program has been building. If passed is zero, the build has ended. If preparing is not
// empty, the build waits until its language is prepared, and preparing describes the progress.
func (b *Builds) Update(path, preparing string, passed time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	index := slices.IndexFunc(b.all, func(other build) bool { return other.path == path })
	if passed == 0 {
		if index >= 0 {
			b.all = slices.Delete(b.all, index, index+1)
		}
		return
	}
	if index < 0 {
		index = len(b.all)
		b.all = append(b.all, build{path: path})
	}
	b.all[index].line = fmt.Sprintf(
		"building %s, %.0f s", filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)),
		passed.Seconds(),
	)
	if preparing != "" {
		b.all[index].line = fmt.Sprintf("preparing %s, only for the first program: %.0f s", preparing, passed.Seconds())
	}
}

// Line describes all current builds, of one or more languages. It returns the empty string if there are none.
func (b *Builds) Line() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines []string
	waits := false
	for _, one := range b.all {
		prepares := strings.HasPrefix(one.line, "preparing ")
		if !prepares || !waits {
			lines = append(lines, one.line)
		}
		waits = waits || prepares
	}
	return strings.Join(lines, "; ")
}
