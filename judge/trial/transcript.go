package trial

import (
	"fmt"
	"strings"
	"sync"

	"assay/judge/window"
)

// How much of a dialogue is kept: whole lines at its start and at its end.
const (
	dialogueHead = 4 << 10 // bytes
	dialogueTail = 4 << 10
	dialogueLine = 200 // bytes of one line
)

// transcript keeps the start and the end of what two programs say to each other, a
// line each in the order in which the lines came through the judge.
type transcript struct {
	mu     sync.Mutex
	open   map[string][]byte // the line that is under way, by who says it
	head   strings.Builder
	tail   []string
	tailed int // bytes in tail
	left   int // lines between head and tail
}

// said is one who speaks.
type said struct {
	t    *transcript
	mark string
}

// by is a writer for what one of them says.
func (t *transcript) by(mark string) said { return said{t, mark} }

func (s said) Write(p []byte) (int, error) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[string][]byte{}
	}
	line := t.open[s.mark]
	for _, c := range p {
		switch {
		case c == '\n':
			t.add(s.mark, line)
			line = line[:0]
		case len(line) <= dialogueLine:
			line = append(line, c)
		}
	}
	t.open[s.mark] = line
	return len(p), nil
}

// pass ends a pass: what was left of lines is a line too.
func (t *transcript) pass(more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, mark := range []string{fromInteractor, fromProgram} {
		if line := t.open[mark]; len(line) > 0 {
			t.add(mark, line)
			t.open[mark] = line[:0]
		}
	}
	if more {
		t.keep("---\n")
	}
}

// Who says a line.
const (
	fromInteractor = "<"
	fromProgram    = ">"
)

func (t *transcript) add(mark string, line []byte) {
	cut := ""
	if len(line) > dialogueLine {
		line, cut = line[:dialogueLine], window.Cut
	}
	t.keep(strings.TrimRight(mark+" "+window.Printable(line), " ") + cut + "\n")
}

func (t *transcript) keep(line string) {
	if t.left == 0 && len(t.tail) == 0 && t.head.Len()+len(line) <= dialogueHead {
		t.head.WriteString(line)
		return
	}
	t.tail = append(t.tail, line)
	t.tailed += len(line)
	for t.tailed > dialogueTail {
		t.tailed -= len(t.tail[0])
		t.tail = t.tail[1:]
		t.left++
	}
}

// String is the dialogue so far, without the lines that have not ended.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := ""
	if t.left > 0 {
		left = fmt.Sprintf("... %d lines are left out ...\n", t.left)
	}
	return t.head.String() + left + strings.Join(t.tail, "")
}
