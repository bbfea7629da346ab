// Package tail keeps the end of a program's error output and the line that tells why the program failed. It does not
// keep the other output, so its memory is limited.
package tail

import "strings"

// Buffer keeps the end of the text written to it, and the line that Reason would select from the complete text.
// The zero value keeps 2 KiB.
type Buffer struct {
	MaxBytes int // number of bytes to keep; zero means 2 KiB
	kept     []byte
	lost     bool

	line   []byte // beginning of the unfinished line
	reason reasonPicker
}

func (t *Buffer) Write(p []byte) (int, error) {
	most := t.MaxBytes
	if most == 0 {
		most = 2 << 10
	}
	n := len(p)
	t.read(p)
	if len(p) > most {
		p, t.kept, t.lost = p[len(p)-most:], t.kept[:0], true
	}
	if over := len(t.kept) + len(p) - most; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
		t.lost = true
	}
	t.kept = append(t.kept, p...)
	return n, nil
}

// read passes each complete line to the picker.
func (t *Buffer) read(p []byte) {
	for _, b := range p {
		switch {
		case b == '\n':
			t.reason.addLine(string(t.line))
			t.line = t.line[:0]
		case len(t.line) < maxLine:
			t.line = append(t.line, b)
		}
	}
}

// Bytes returns the kept text. If other text was discarded, the result starts with "...". If the line that tells
// the reason was discarded, that line comes first.
func (t *Buffer) Bytes() []byte {
	if !t.lost {
		return t.kept
	}
	picked := t.reason
	picked.addLine(string(t.line))
	out := append([]byte("..."), t.kept...)
	// The reason may be joined from two lines of the text, so only its first line is searched for.
	if first := picked.text[:picked.first]; first != "" && !strings.Contains(string(t.kept), "\n"+first) {
		out = append([]byte(picked.text+"\n"), out...)
	}
	return out
}
