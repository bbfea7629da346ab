package problem

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/mark"
)

// Lint finds errors that do not prevent judging and that Open therefore ignores: missing parts, missing answers,
// files without a purpose.
func (f *Directory) Lint() (faults judge.ProblemErrors) {
	if f.Package != nil {
		return f.Package.Warnings
	}
	if f.Title == "" {
		faults = append(faults, f.Fault("title", "the problem has no title", `write: title = "..."`))
	}
	faults = append(faults, f.lintStatements()...)
	faults = append(faults, f.lintGame()...)
	if f.OnlyGame() {
		return faults
	}
	faults = append(faults, f.ambiguous...)
	if f.Reference == nil && !f.LacksAnswers() && len(f.ambiguous) == 0 {
		faults = append(faults, f.Fault("reference", "the problem has no reference solver", `add: [reference] program = "reference"`))
	}
	if f.Validator == nil && f.FormatPath() == "" && len(f.ambiguous) == 0 {
		faults = append(
			faults,
			f.Fault(
				"validator", "the problem has no validator",
				"declare the input in "+FormatFile+`, or add: [validator] program = "validator"`,
			),
		)
	}
	if f.Included != nil {
		faults = append(faults, f.Included.Warnings...)
	}
	if f.Golf != nil {
		faults = append(faults, f.lintText("golf.statement", f.Golf.Statement)...)
	}
	faults = append(faults, f.lintFormat()...)
	for _, g := range f.Groups {
		switch {
		case len(g.Cases) > 0:
		case g.Name == Sample && f.Kind.Interactive: // the samples in the statement are dialogues
		case g.Name == Sample:
			faults = append(faults, &judge.ProblemError{
				File: filepath.Join(f.Dir, "cases", Sample), Text: "there is no sample case",
				Hint: "add the statement's examples as <name>.in and <name>.ans",
			})
		default:
			faults = append(faults, f.Fault("group", fmt.Sprintf(
				"group %q has no cases", g.Name,
			), "add generator lines, or put cases into "+filepath.Join(f.Dir, "cases", g.Name)))
		}
		faults = append(faults, lintAnswers(filepath.Join(f.Dir, "cases", g.Name), f.LacksAnswers())...)
	}
	return append(faults, f.strayGroups()...)
}

// lintAnswers finds inputs without an answer, and answers without an input, in a directory of cases that were
// written by hand.
func lintAnswers(dir string, unanswered bool) (faults judge.ProblemErrors) {
	entries, _ := os.ReadDir(dir) // Open reports a directory that cannot be read
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Name()] = true
	}
	for _, e := range entries {
		if Leftover(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if name, ok := strings.CutSuffix(e.Name(), ".in"); ok && !have[name+".ans"] && !unanswered {
			faults = append(faults, &judge.ProblemError{
				File: path, Text: "the case has no answer",
				Hint: "write " + name + ".ans, or let the reference solution make it: judge generate",
			})
		}
		if name, ok := strings.CutSuffix(e.Name(), ".ans"); ok && !have[name+".in"] {
			faults = append(
				faults,
				&judge.ProblemError{File: path, Text: "an answer without an input", Hint: "remove it, or add " + name + ".in"},
			)
		}
	}
	return faults
}

// strayGroups finds directories of generated cases that do not belong to any group.
func (f *Directory) strayGroups() (faults judge.ProblemErrors) {
	for _, name := range subfolders(f.Tests) {
		if !slices.ContainsFunc(f.Groups, func(g judge.Group) bool { return g.Name == name }) {
			faults = append(faults, &judge.ProblemError{
				File: filepath.Join(f.Tests, name),
				Text: "these generated cases belong to no group of problem.toml",
				Hint: "name the group in problem.toml, or remove them with: judge generate " + f.ID,
			})
		}
	}
	return faults
}

// lintStatements finds a missing or empty statement, and statements that are not UTF-8.
func (f *Directory) lintStatements() (faults judge.ProblemErrors) {
	main := f.Statement()
	for _, file := range append([]string{main}, slices.Sorted(maps.Values(f.Statements()))...) {
		text, err := os.ReadFile(file)
		switch {
		case err != nil && file == main:
			faults = append(faults, &judge.ProblemError{File: file, Text: Reason(err), Hint: "write a statement in Markdown"})
		case err != nil:
		case mark.IsUTF16(text):
			wrong, hint := mark.UnexpectedEncoding(text)
			faults = append(faults, &judge.ProblemError{File: file, Text: "the statement " + wrong, Hint: hint})
		case !utf8.Valid(text):
			faults = append(faults, &judge.ProblemError{
				File: file, Line: 1 + bytes.Count(validPrefix(text), []byte("\n")), Text: "the statement is not UTF-8", Hint: "save it as UTF-8",
			})
		case len(bytes.TrimSpace(text)) == 0 && file == main:
			faults = append(faults, &judge.ProblemError{
				File: file, Text: "the statement is empty", Hint: "write what the input is, and what to print",
			})
		}
	}
	return faults
}

// validPrefix returns the part of a text before its first byte that is not UTF-8.
func validPrefix(text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return text[:i]
		}
		i += n
	}
	return text
}
