package kit

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
)

func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		"check 8 4 4 4\nedge/0-010 1\n0 1\n-1\n", "ok 0\n", "ok\n", "", "\n", " 1\n", "ok -1\n", "ok 01\n", "ok +1\nx", "ok 5\nabc",
		"ok 9223372036854775807\n", "ok 99999999999999999999\n", "ok 1 \nx", "ok  1\nx", "ok\t1\nx", "ok 2 3\n1212", "ok 0\nok 0\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		in := bytes.NewReader(wire)
		r := bufio.NewReaderSize(in, 64)
		frame, err := ReadFrame(r, 1<<20)
		if err != nil {
			if (err == io.EOF) != (len(wire) == 0) {
				t.Fatalf("ReadFrame(%q) = %v; io.EOF is for an empty stream only", wire, err)
			}
			return
		}
		read := len(wire) - in.Len() - r.Buffered()
		var again bytes.Buffer
		if err := WriteFrame(&again, frame.Verb, frame.Parts...); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), wire[:read]) {
			t.Fatalf("ReadFrame took %q, WriteFrame makes %q of it", wire[:read], again.Bytes())
		}
	})
}

func TestReadFrameRefuses(t *testing.T) {
	for _, row := range []struct{ name, wire, want string }{
		{"a line without a verb", "\n", `not a frame: "\n"`},
		{"two blanks", "ok  1\nx", `not a frame: "ok  1\n": "" is not a length`},
		{"a length with a zero in front", "ok 01\nx", `not a frame: "ok 01\n": "01" is not a length`},
		{"a negative length", "ok -1\n", `not a frame: "ok -1\n": "-1" is not a length`},
		{"a part of more than two GiB", "ok 2147483649\n", `not a frame: "ok 2147483649\n": "2147483649" is not a length`},
		{"more than the limit", "ok 6 5\nabcdefghijk", "frame of 11 bytes; at most 10 are taken"},
		{
			"too many parts", "ok" + strings.Repeat(" 0", MaxParts+1) + "\n",
			`not a frame: "ok 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"`,
		},
		{"an end in the first line", "ok 1", `frame ends early, after "ok 1"`},
		{"an end in a part", "ok 3\nab", "frame ends early: unexpected EOF"},
		{"an end before a part", "ok 3\n", "frame ends early: unexpected EOF"},
		{"a first line without an end", strings.Repeat("x", 5000), "frame starts with a line of more than 4096 bytes"},
	} {
		t.Run("it refuses "+row.name, func(t *testing.T) {
			_, err := ReadFrame(bufio.NewReader(strings.NewReader(row.wire)), 10)
			if err == nil || err.Error() != row.want {
				t.Errorf("ReadFrame(%.100q) = %v, want %s", row.wire, err, row.want)
			}
		})
	}
}

func TestReadFrameReadsAnySize(t *testing.T) {
	for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5<<20 + 3} {
		part := bytes.Repeat([]byte("0123456789\n"), size/11+1)[:size]
		var wire bytes.Buffer
		if err := WriteFrame(&wire, "check", []byte("a"), part, nil); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFrame(bufio.NewReader(&wire), 1<<30)
		if err != nil || f.Verb != "check" || len(f.Parts) != 3 || !bytes.Equal(f.Parts[1], part) || !reflect.DeepEqual(f.Parts[0], []byte("a")) {
			t.Errorf("a part of %d bytes comes back with %d parts, %v", size, len(f.Parts), err)
		}
	}
}

// TestReadFrameDoesNotBelieveLengths checks that a length without the data does not cause a large allocation.
func TestReadFrameDoesNotBelieveLengths(t *testing.T) {
	n := testing.AllocsPerRun(1, func() {
		if _, err := ReadFrame(bufio.NewReader(strings.NewReader("ok 2147483648\nabc")), 1<<40); err == nil {
			t.Error("a frame without its bytes was read")
		}
	})
	if n > 40 {
		t.Errorf("%v allocations for a frame without its bytes", n)
	}
}
