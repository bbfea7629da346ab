// Package tail keeps the end of a text, for the last words of a program that
// failed. It does not keep the rest, however long the program goes on.
package tail

// Buffer keeps the end of what is written to it. The zero value keeps 2 KiB.
type Buffer struct {
	Most int // bytes to keep; 0 is 2 KiB
	kept []byte
	lost bool
}

func (t *Buffer) Write(p []byte) (int, error) {
	most := t.Most
	if most == 0 {
		most = 2 << 10
	}
	n := len(p)
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

// Bytes returns what was kept; it starts with "..." where something was lost.
func (t *Buffer) Bytes() []byte {
	if t.lost {
		return append([]byte("..."), t.kept...)
	}
	return t.kept
}
