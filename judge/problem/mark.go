package problem

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"assay/judge"
)

// Mark says that a text of a case is in an encoding that no program expects, "" for none:
// no checker would find a right output right.
func Mark(data []byte) (text, hint string) {
	head := data[:min(len(data), headSize)]
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), wide(head, 0), wide(head, 1):
		return "is UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "begins with a byte order mark", "save it as UTF-8 without one (BOM)"
	}
	return "", ""
}

// headSize is how much of a text tells its encoding.
const headSize = 512

// wide says whether each second byte is zero, and each other one is of a plain text.
func wide(head []byte, zero int) bool {
	for i, b := range head {
		if plain := ' ' <= b && b <= '~' || '\t' <= b && b <= '\r'; i%2 == zero && b != 0 || i%2 != zero && !plain {
			return false
		}
	}
	return len(head) > 0 && len(head)%2 == 0
}

// marked finds the first case of p with a text in another encoding.
func marked(p *judge.Problem) *judge.Fault {
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			for _, path := range []string{c.In, c.Ans} {
				if text, hint := markOf(path); text != "" {
					return &judge.Fault{File: path, Text: fmt.Sprintf("the file %s: case %s cannot be judged", text, c.ID()), Hint: hint}
				}
			}
		}
	}
	return nil
}

// markOf is Mark of a file; one that is not there has none.
func markOf(path string) (text, hint string) {
	f, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, _ := io.ReadFull(f, head)
	return Mark(head[:n])
}
