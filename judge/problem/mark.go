package problem

import (
	"fmt"
	"io"
	"os"

	"assay/judge"
	"assay/judge/internal/mark"
)

// marked returns a fault for the first case of p that contains text in an encoding that programs do not expect.
func marked(p *judge.Problem) *judge.ProblemError {
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			for _, path := range []string{c.In, c.Ans} {
				if text, hint := markOf(path); text != "" {
					return &judge.ProblemError{
						File: path, Text: fmt.Sprintf("the file %s: case %s cannot be judged", text, c.ID()),
						Hint: hint,
					}
				}
			}
		}
	}
	return nil
}

// markOf is like mark.UnexpectedEncoding for a file. It returns empty strings for a missing file.
func markOf(path string) (text, hint string) {
	f, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	head := make([]byte, mark.HeadSize)
	n, _ := io.ReadFull(f, head)
	return mark.UnexpectedEncoding(head[:n])
}
