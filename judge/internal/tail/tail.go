// Package tail keeps the end of a text, for the last words of a program that failed, and the line
// of it that tells the reason. It does not keep the rest, however long the program continues.
package tail

import "strings"

// Buffer keeps the end of what is written to it, and the line that Reason would pick of the whole.
// The zero value keeps 2 KiB.
type Buffer struct {
	Most int // bytes to keep; 0 is 2 KiB
	kept []byte
	lost bool

	line   []byte // the beginning of the line that is not over
	reason picker
}

func (t *Buffer) Write(p []byte) (int, error) {
	most := t.Most
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

// read shows the picker each line.
func (t *Buffer) read(p []byte) {
	for _, b := range p {
		switch {
		case b == '\n':
			t.reason.see(string(t.line))
			t.line = t.line[:0]
		case len(t.line) < mostLine:
			t.line = append(t.line, b)
		}
	}
}

// Bytes returns what was kept. Where something was lost, it starts with "...", and before that
// with the line that tells the reason, if that was lost, too.
func (t *Buffer) Bytes() []byte {
	if !t.lost {
		return t.kept
	}
	picked := t.reason
	picked.see(string(t.line))
	out := append([]byte("..."), t.kept...)
	// A reason that was put together of two lines is found by its beginning.
	if first := picked.text[:picked.first]; first != "" && !strings.Contains(string(t.kept), "\n"+first) {
		out = append([]byte(picked.text+"\n"), out...)
	}
	return out
}
