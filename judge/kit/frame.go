package kit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// StreamEnv is the name of an environment variable. If its value is "1", a kit program starts in stream mode.
const StreamEnv = "ASSAY_KIT_STREAM"

// Hello begins the first line that a kit program writes in stream mode. It is followed by a blank, the role
// ("checker", "validator" or "generator") and a line feed.
const Hello = "assay-kit 1"

// A Frame is a request or reply on the pipes between the judge and a kit program.
//
// On the wire, a frame begins with a line that contains the verb and the length of each part in bytes, separated
// by blanks. The parts follow without separators:
//
//	check 8 4 4 4\nedge/0-010 1\n0 1\n-1\n
//
// The judge sends "check <name> <input> <output> <answer>", "validate <name> <input>" or "generate <seed>
// <argument>...". The program replies with its Verdict as the verb, and one part: a message or the generated case.
type Frame struct {
	Verb  string
	Parts [][]byte
}

// A frame has at most MaxParts parts of at most MaxPart bytes each.
const (
	MaxParts = 1000    // of a frame
	MaxPart  = 1 << 31 // bytes of a part
)

// AppendHead appends to line the first line of a frame whose parts have the given sizes. The caller must send the
// parts after this line. AppendHead is useful if the parts are not in memory.
func AppendHead(line []byte, verb string, sizes ...int64) []byte {
	line = append(line, verb...)
	for _, n := range sizes {
		line = append(line, ' ')
		line = strconv.AppendInt(line, n, 10)
	}
	return append(line, '\n')
}

// WriteFrame writes a frame. The verb must not be empty or contain blanks or line feeds.
func WriteFrame(w io.Writer, verb string, parts ...[]byte) error {
	sizes := make([]int64, len(parts))
	for i, p := range parts {
		sizes[i] = int64(len(p))
	}
	if _, err := w.Write(AppendHead(nil, verb, sizes...)); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// ReadFrame reads a frame whose parts together have at most limit bytes. At the end of the stream, it returns io.EOF.
func ReadFrame(r *bufio.Reader, limit int64) (Frame, error) {
	head, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return Frame{}, fmt.Errorf("frame starts with a line of more than %d bytes", len(head))
	case err == io.EOF && len(head) > 0:
		return Frame{}, fmt.Errorf("frame ends early, after %q", head)
	case err != nil:
		return Frame{}, err
	}
	fields := strings.Split(string(head[:len(head)-1]), " ")
	if fields[0] == "" || len(fields) > MaxParts+1 {
		return Frame{}, fmt.Errorf("not a frame: %.80q", head)
	}
	f := Frame{Verb: fields[0]}
	sizes := make([]int64, len(fields)-1)
	var total int64
	for i, field := range fields[1:] {
		n, err := strconv.ParseUint(field, 10, 63)
		if err != nil || n > MaxPart || field != strconv.FormatUint(n, 10) {
			return Frame{}, fmt.Errorf("not a frame: %.80q: %q is not a length", head, field)
		}
		sizes[i] = int64(n)
		total += int64(n)
	}
	if total > limit {
		return Frame{}, fmt.Errorf("frame of %d bytes; at most %d are taken", total, limit)
	}
	for _, n := range sizes {
		part, err := readPart(r, n)
		if err != nil {
			return Frame{}, fmt.Errorf("frame ends early: %w", err)
		}
		f.Parts = append(f.Parts, part)
	}
	return f, nil
}

// readPart reads n bytes. It allocates memory only as they arrive, because n may be wrong.
func readPart(r io.Reader, n int64) ([]byte, error) {
	const trusted = 1 << 20
	part := make([]byte, min(n, trusted))
	got, err := io.ReadFull(r, part)
	for err == nil && int64(got) < n {
		more := make([]byte, min(n-int64(got), int64(len(part))))
		var k int
		k, err = io.ReadFull(r, more)
		part = append(part, more[:k]...)
		got += k
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return part, err
}

func readAll(r io.Reader) ([]byte, error) { return io.ReadAll(bufio.NewReaderSize(r, 1<<20)) }

// streaming reports whether the judge started this program in stream mode.
func streaming() bool { return os.Getenv(StreamEnv) == "1" }

// serve answers frames until the judge closes the pipe. It redirects standard output to standard error, so that
// output of the setter's code does not mix with the frames.
func serve(role string, answer func(parts [][]byte) quit) {
	wire := os.Stdout
	os.Stdout = os.Stderr
	fmt.Fprintf(wire, "%s %s\n", Hello, role)
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	out := bufio.NewWriterSize(wire, 1<<16)
	for {
		f, err := ReadFrame(in, 1<<40)
		if err == io.EOF {
			return
		}
		if err != nil {
			exit(quit{Fail, err.Error()})
		}
		q := answer(f.Parts)
		if err := WriteFrame(out, string(q.verdict), []byte(q.message)); err != nil {
			return // the judge closed the pipe
		}
		if err := out.Flush(); err != nil {
			return
		}
	}
}
