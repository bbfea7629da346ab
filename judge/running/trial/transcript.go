package trial

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"assay/judge/internal/window"
)

// How much of a dialogue is kept: whole lines at its start and at its end.
const (
	dialogueHead = 4 << 10 // bytes
	dialogueTail = 4 << 10
	dialogueLine = 200 // bytes of one line
)

// Who says a line.
const (
	fromInteractor = "<"
	fromProgram    = ">"
	nobody         = "-" // the end of a pass
)

// transcript keeps the start and the end of what two programs say to each other, in
// the order in which the lines came through the judge. It keeps the bytes unchanged
// until a reader needs them, because dialogues are long and mostly not read.
type transcript struct {
	mu   sync.Mutex
	open map[string][]byte // the line that is under way, by its speaker
	head []byte            // lines, each with its speaker before and a line feed behind
	full bool              // the head is
	tail []byte            // the last of the lines behind it
	last int               // how many there were behind it
}

// said is one who speaks.
type said struct {
	t    *transcript
	mark string
}

// by is a writer for what one of them says.
func (t *transcript) by(mark string) said { return said{t, mark} }

func (s said) Write(p []byte) (int, error) {
	t, n := s.t, len(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[string][]byte{}
	}
	line := t.open[s.mark]
	for {
		text, rest, ended := bytes.Cut(p, []byte{'\n'})
		line = append(line, text[:min(len(text), dialogueLine+1-len(line))]...)
		if !ended {
			break
		}
		t.add(s.mark, line)
		line, p = line[:0], rest
	}
	t.open[s.mark] = line
	return n, nil
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
		t.add(nobody, nil)
	}
}

func (t *transcript) add(mark string, line []byte) {
	t.full = t.full || len(t.head)+len(mark)+len(line)+1 > dialogueHead
	to := &t.head
	if t.full {
		to = &t.tail
		t.last++
	}
	*to = append(append(append(*to, mark...), line...), '\n')
	if len(t.tail) > 4*dialogueTail {
		t.tail = append(t.tail[:0], end(t.tail)...)
	}
}

// end is the whole lines in the last bytes of a text.
func end(text []byte) []byte {
	if len(text) <= dialogueTail {
		return text
	}
	text = text[len(text)-dialogueTail-1:]
	return text[bytes.IndexByte(text, '\n')+1:]
}

// silence says why both may wait for the other one to speak.
func (t *transcript) silence() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open[fromProgram]) > 0 {
		return "both wait: the last line that the program wrote has no end"
	}
	return "both wait: was the output flushed?"
}

// String is the dialogue so far, without the lines that have not ended.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	write(&out, t.head)
	last := end(t.tail)
	if left := t.last - bytes.Count(last, []byte{'\n'}); left > 0 {
		fmt.Fprintf(&out, "... %d lines are left out ...\n", left)
	}
	write(&out, last)
	if out.Len() == 0 {
		return "... nothing was said ...\n"
	}
	return out.String()
}

// write writes lines as people can read them.
func write(out *strings.Builder, lines []byte) {
	for line := range bytes.Lines(lines) {
		mark, text := string(line[:1]), line[1:len(line)-1]
		if mark == nobody {
			out.WriteString("---\n")
			continue
		}
		cut := ""
		if len(text) > dialogueLine {
			text, cut = text[:dialogueLine], window.Cut
		}
		out.WriteString(strings.TrimRight(mark+" "+window.Printable(text), " ") + cut + "\n")
	}
}
