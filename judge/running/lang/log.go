package lang

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"assay/judge/internal/pattern"
)

// head keeps the beginning of a compiler's standard output and standard error.
type head struct {
	mu       sync.Mutex
	kept     []byte
	lost     bool
	maxLines int // maximum number of lines shown; zero means logLines

	omit func(line string) bool // reports whether a line is dropped; if nil, none is
	line []byte                 // an incomplete line, if omit is set
}

const (
	headBytes = 64 << 10 // maximum bytes kept while a compiler runs
	logLines  = 30       // shown
	logWidth  = 240      // maximum bytes shown per line
)

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(p)
	if h.omit != nil {
		p = h.appendFiltered(p)
	}
	if room := headBytes - len(h.kept); len(p) > room {
		p, h.lost = p[:room], true
	}
	h.kept = append(h.kept, p...)
	return n, nil
}

// appendFiltered appends p to the pending line. It returns the lines that are now complete, except those that omit reports
// to be omitted. The incomplete line at the end stays pending.
func (h *head) appendFiltered(p []byte) (kept []byte) {
	h.line = append(h.line, p...)
	for {
		end := bytes.IndexByte(h.line, '\n')
		if end < 0 {
			return kept
		}
		if !h.omit(string(h.line[:end])) {
			kept = append(kept, h.line[:end+1]...)
		}
		h.line = h.line[end+1:]
	}
}

// mark returns the current length of the text, for cut.
func (h *head) mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.kept)
}

// cut removes everything after a mark.
func (h *head) cut(mark int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept, h.lost = h.kept[:mark], false
}

// escapes matches terminal escape sequences, which do not belong in reports.
var escapes = pattern.New(`\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)`)

// text returns the first lines, followed by the remark.
func (h *head) text(note string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := strings.ToValidUTF8(string(h.kept)+string(h.line), "?")
	text = escapes().ReplaceAllString(text, "")
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	cut := h.lost
	if most := cmp.Or(h.maxLines, logLines); len(lines) > most {
		lines, cut = lines[:most], true
	}
	for i, line := range lines {
		if len(line) > logWidth {
			lines[i] = strings.ToValidUTF8(line[:logWidth], "") + "..."
		}
	}
	if cut {
		lines = append(lines, "...")
	}
	if note != "" {
		lines = append(lines, note)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
