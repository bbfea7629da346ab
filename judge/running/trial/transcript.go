package trial

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"assay/judge/internal/window"
)

// The maximum size of a stored dialogue. Complete lines at its start and at its end are stored.
const (
	dialogueHead = 4 << 10 // bytes
	dialogueTail = 4 << 10
	dialogueLine = 200 // maximum bytes of one line
)

// The speaker of a line.
const (
	fromInteractor = "<"
	fromProgram    = ">"
	noSpeaker      = "-" // marks the end of a pass
)

// transcript stores the start and the end of the dialogue of two programs, in the order in which lines passed
// through the judge. It stores raw bytes and formats them only on request, because dialogues are long and rarely
// read.
type transcript struct {
	mu   sync.Mutex
	open map[string][]byte // maps each speaker to its incomplete line
	head []byte            // lines; each follows its speaker and ends with a line feed
	full bool              // whether head is full
	tail []byte            // the last of the lines that follow head
	last int               // number of lines that follow head
}

// speakerWriter is a speaker.
type speakerWriter struct {
	t    *transcript
	mark string
}

// writer returns a writer for the output of a speaker.
func (t *transcript) writer(mark string) speakerWriter { return speakerWriter{t, mark} }

func (s speakerWriter) Write(p []byte) (int, error) {
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

// pass ends a pass. Incomplete lines become complete.
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
		t.add(noSpeaker, nil)
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

// end returns the complete lines in the last dialogueTail bytes of a text.
func end(text []byte) []byte {
	if len(text) <= dialogueTail {
		return text
	}
	text = text[len(text)-dialogueTail-1:]
	return text[bytes.IndexByte(text, '\n')+1:]
}

// stallNote explains why both programs may be waiting for each other.
func (t *transcript) stallNote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open[fromProgram]) > 0 {
		return "both wait: the last line that the program wrote has no end"
	}
	return "both wait: was the output flushed?"
}

// String returns the dialogue so far, without incomplete lines.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	write(&out, t.head)
	last := end(t.tail)
	if left := t.last - bytes.Count(last, []byte{'\n'}); left > 0 {
		fmt.Fprintf(&out, "... %d lines omitted ...\n", left)
	}
	write(&out, last)
	if out.Len() == 0 {
		return "... no messages ...\n"
	}
	return out.String()
}

// write formats lines for display.
func write(out *strings.Builder, lines []byte) {
	for line := range bytes.Lines(lines) {
		mark, text := string(line[:1]), line[1:len(line)-1]
		if mark == noSpeaker {
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
