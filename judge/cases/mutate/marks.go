package mutate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
)

// MarksFile is the name of the file in a problem directory that lists equivalent mutants. These are mutants that
// are still correct programs.
const MarksFile = "mutants.toml"

// Marks holds a setter's list of equivalent mutants.
type Marks struct {
	file string
	doc  *strict.Doc
	list []Mark
}

// Mark declares mutants equivalent, with a reason. It identifies them by their source text, so that it stays valid
// when other lines change.
type Mark struct {
	Program string `toml:"program"` // "reference", or the name of the solution's file or directory
	Line    string `toml:"line"`    // source line; spacing is ignored
	Before  string `toml:"before"`  // changed part; empty matches any change of the line
	After   string `toml:"after"`   // replacement; empty matches any
	Reason  string `toml:"reason"`
}

// ReadMarks reads the marks in a problem directory. If the file is missing, it returns no marks.
func ReadMarks(dir string) (*Marks, error) {
	file := filepath.Join(dir, MarksFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Marks{file: file}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the marks: %w", err)
	}
	m, faults := parseMarks(file, data)
	return m, faults.AsError()
}

func parseMarks(file string, data []byte) (*Marks, judge.ProblemErrors) {
	var table struct {
		Equivalent []Mark `toml:"equivalent"`
	}
	doc, faults := strict.Decode(file, data, &table)
	if doc == nil {
		return nil, faults
	}
	m := &Marks{file: file, doc: doc, list: table.Equivalent}
	for i, mark := range m.list {
		for _, key := range []struct{ name, value string }{{"program", mark.Program}, {"line", mark.Line}, {"reason", mark.Reason}} {
			if strings.TrimSpace(key.value) == "" {
				faults = append(
					faults,
					m.fault(i, fmt.Sprintf("a mark needs a %s", key.name), "judge adequacy prints survivors in this form with --marks"),
				)
			}
		}
	}
	return m, faults
}

func (m *Marks) fault(i int, text, hint string) *judge.ProblemError {
	return m.doc.Fault(fmt.Sprintf("equivalent[%d]", i), text, hint)
}

// normalizeSpace normalizes spacing, so that texts can be compared.
func normalizeSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// appliesTo reports whether a mark applies to a mutant.
func (k *Mark) appliesTo(program string, r *Result) bool {
	line, _ := r.Subject.Lines(r.Mutant)
	return k.Program == program && normalizeSpace(k.Line) == normalizeSpace(line) &&
		(k.Before == "" || normalizeSpace(k.Before) == normalizeSpace(r.Before)) &&
		(k.After == "" || normalizeSpace(k.After) == normalizeSpace(r.After))
}

// programName returns the name by which marks refer to a program.
func (l *Runner) programName(s *Subject) string {
	if s.Path == l.Directory.Reference.Path {
		return "reference"
	}
	return filepath.Base(s.Path)
}

// Apply applies the marks to the results of the mutants that they match. It returns a fault for each mark of a
// mutant that a case kills, and for each mark that matches no mutant. The setter must remove such marks.
func (m *Marks) Apply(l *Runner, results []*Result) (faults judge.ProblemErrors) {
	used := make([]bool, len(m.list))
	for _, r := range results {
		for i := range m.list {
			if !m.list[i].appliesTo(l.programName(r.Subject), r) {
				continue
			}
			used[i] = true
			switch r.State {
			case Killed:
				if m.list[i].After != "" {
					faults = append(
						faults,
						m.fault(i, fmt.Sprintf("the mutant is not equivalent: case %s kills it", r.Case), "remove the mark"),
					)
				}
			default:
				r.State, r.Reason = Equivalent, m.list[i].Reason
			}
			break
		}
	}
	for i := range m.list {
		if !used[i] {
			faults = append(faults, m.fault(i, "no mutant matches this mark", "remove the mark, or correct its program and line"))
		}
	}
	return faults
}

// FormatMark formats a mark for a result. The setter must add the reason.
func (l *Runner) FormatMark(r *Result) string {
	line, _ := r.Subject.Lines(r.Mutant)
	return fmt.Sprintf("[[equivalent]]\nprogram = %q\nline    = %s\nbefore  = %s\nafter   = %s\nreason  = \"\"\n",
		l.programName(r.Subject), literal(normalizeSpace(line)), literal(normalizeSpace(r.Before)), literal(normalizeSpace(r.After)))
}

// literal formats a TOML string, without escapes if possible.
func literal(text string) string {
	if !strings.ContainsAny(text, "'\n") {
		return "'" + text + "'"
	}
	return fmt.Sprintf("%q", text)
}
