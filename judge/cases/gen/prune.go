package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/problem"
)

// Prune removes from problem.toml the lines of the cases for which keep returns false. It returns the changes,
// each as the old and the new text. If only some cases of a pattern remain, Prune replaces the pattern with their
// lines. It does not remove files; the next Generate does. If dry is set, Prune changes nothing.
//
// If the new text of problem.toml is not valid, Prune leaves the file unchanged and returns an error.
func Prune(f *problem.Directory, defaults judge.Limits, keep func(c *judge.Case) bool, dry bool) (changes []string, err error) {
	file := filepath.Join(f.Dir, problem.File)
	original, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the generator lines: %w", err)
	}
	text := string(original)
	var want []string
	for _, g := range f.Groups {
		var made []judge.Case
		for i := range g.Cases {
			if c := g.Cases[i]; c.Line != "" {
				made = append(made, c)
				if keep(&c) {
					want = append(want, c.ID())
				}
			}
		}
		for len(made) > 0 {
			pattern, n := patternOf(text, made)
			if n == 0 {
				return nil, fmt.Errorf("find the line %q in %s", made[0].Line, file)
			}
			var kept []string
			for i := range made[:n] {
				if keep(&made[i]) {
					kept = append(kept, quote(made[i].Line))
				}
			}
			if len(kept) < n {
				text = replaceLiteral(text, pattern, kept)
				changes = append(changes, strings.TrimSpace(fmt.Sprintf("%s: %s -> %s", g.Name, pattern, strings.Join(kept, ", "))))
			}
			made = made[n:]
		}
	}
	if len(changes) == 0 || dry {
		return changes, nil
	}
	if err := atomicfile.Write(file, []byte(text)); err != nil {
		return nil, err
	}
	again, faults := f.Again(defaults)
	var got []string
	if again != nil {
		for _, g := range again.Groups {
			for i := range g.Cases {
				if g.Cases[i].Line != "" {
					got = append(got, g.Cases[i].ID())
				}
			}
		}
	}
	if len(faults) > 0 || !slices.Equal(got, want) {
		return nil, fmt.Errorf(
			"remove lines from %s: the result would not be valid, so the file is unchanged: %w", file,
			atomicfile.Write(file, original),
		)
	}
	return changes, nil
}

// patternOf returns the string in problem.toml that produced the first of the cases in made, and how many of these
// cases it produced.
func patternOf(text string, generated []judge.Case) (literal string, n int) {
	for _, literal := range literals(text) {
		lines, err := problem.Expand(literal[1 : len(literal)-1])
		if err != nil || len(lines) == 0 || len(lines) > len(generated) {
			continue
		}
		same := true
		for i, line := range lines {
			same = same && generated[i].Line == line
		}
		if same && len(lines) > n {
			return literal, len(lines)
		}
	}
	return "", 0
}

// literals returns the TOML strings in text that contain no escapes, including their quotes.
func literals(text string) (found []string) {
	for line := range strings.Lines(text) {
		for at := 0; at < len(line); at++ {
			q := line[at]
			if q == '#' {
				break
			}
			if q != '"' && q != '\'' {
				continue
			}
			end := strings.IndexByte(line[at+1:], q)
			if end < 0 {
				break
			}
			found = append(found, line[at:at+end+2])
			at += end + 1
		}
	}
	return found
}

// replaceLiteral replaces a string in a list with other strings. If replacements is empty, it removes the string with its
// comma, and also the line if it is then empty.
func replaceLiteral(text, literal string, replacements []string) string {
	at := strings.Index(text, literal)
	if len(replacements) > 0 {
		return text[:at] + strings.Join(replacements, ", ") + text[at+len(literal):]
	}
	from, to := at, at+len(literal)
	rest := text[to:]
	if trimmed := strings.TrimLeft(rest, " \t"); strings.HasPrefix(trimmed, ",") {
		to += len(rest) - len(trimmed) + 1
	} else if head := strings.TrimRight(text[:from], " \t"); strings.HasSuffix(head, ",") {
		from = len(head) - 1
	}
	start, end := strings.LastIndexByte(text[:from], '\n')+1, len(text)
	if n := strings.IndexByte(text[to:], '\n'); n >= 0 {
		end = to + n + 1
	}
	left := strings.TrimSpace(text[to:end])
	if strings.TrimSpace(text[start:from]) == "" && (left == "" || strings.HasPrefix(left, "#")) {
		return text[:start] + text[end:]
	}
	return text[:from] + strings.TrimPrefix(text[to:], " ")
}
