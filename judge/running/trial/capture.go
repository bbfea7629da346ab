package trial

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// maxInMemory is the maximum size of an output that is kept in memory, in bytes. A larger output goes to an unnamed
// file.
const maxInMemory = 1 << 20

// capture receives a program's standard output. The sandbox limits its size.
type capture struct {
	dir  string // directory for the file
	head bytes.Buffer
	file *os.File // nil while the output is small
	size int64
	err  error // first error of the file; the program may continue, because it is not at fault
}

func (c *capture) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	if c.err != nil {
		return len(p), nil
	}
	if c.file == nil && c.head.Len()+len(p) <= maxInMemory {
		c.head.Write(p)
		return len(p), nil
	}
	if c.file == nil {
		c.spill()
	}
	if c.err == nil {
		_, c.err = c.file.Write(p)
	}
	return len(p), nil
}

// spill moves the output to a file and removes the file's name at once, so that nothing remains, however the judge
// ends.
func (c *capture) spill() {
	f, err := os.CreateTemp(c.dir, "assay-output-*")
	if err != nil {
		c.err = err
		return
	}
	os.Remove(f.Name())
	c.file = f
	_, c.err = f.Write(c.head.Bytes())
	c.head = bytes.Buffer{}
}

// reader returns the whole output.
func (c *capture) reader() (*io.SectionReader, error) {
	switch {
	case c.err != nil:
		return nil, fmt.Errorf("keep the output: %w", c.err)
	case c.file != nil:
		return io.NewSectionReader(c.file, 0, c.size), nil
	}
	return io.NewSectionReader(bytes.NewReader(c.head.Bytes()), 0, c.size), nil
}

func (c *capture) close() {
	if c.file != nil {
		c.file.Close()
	}
}

// unmarked returns an output without byte order marks at its start.
func unmarked(text *io.SectionReader) *io.SectionReader {
	const mark = "\ufeff"
	at, start := int64(0), make([]byte, len(mark))
	for {
		if n, _ := text.ReadAt(start, at); n < len(mark) || string(start) != mark {
			return io.NewSectionReader(text, at, text.Size()-at)
		}
		at += int64(len(mark))
	}
}
