package report

import (
	"fmt"
	"strings"

	"assay/judge"
)

// suiteEvent writes an event of generating or measuring test data. Each of these events is complete by itself.
func (t *terminal) suiteEvent(e judge.Event) {
	switch e := e.(type) {
	case *judge.CasesGenerated:
		t.writeCasesMade(e)
	case *judge.FreshCasesGenerated:
		t.writeSentence("%s: %d new cases, of seed %d, in %s", e.Problem, e.Cases, e.Seed, e.Dir)
	case *judge.FilesGenerated:
		t.writeFilesMade(e)
	case *judge.SuitePruned:
		for _, change := range e.Changes {
			t.printf("  ")
			t.writeParagraph(change, "    ")
		}
		t.writeSentence("%s before: %s", e.Problem, tallyText(e.Before))
		t.writeSentence("%s after:  %s", e.Problem, tallyText(e.After))
	case *judge.CoverageMeasured:
		t.writeCoverage(e)
	case *judge.SuiteMeasured:
		t.writeMeasured(e)
	case *judge.AdequacyMeasured:
		t.writeAdequacy(e)
	}
}

// isSuiteEvent reports whether suite handles the event.
func isSuiteEvent(e judge.Event) bool {
	switch e.(type) {
	case *judge.CasesGenerated, *judge.FreshCasesGenerated, *judge.FilesGenerated, *judge.SuitePruned,
		*judge.CoverageMeasured, *judge.SuiteMeasured, *judge.AdequacyMeasured:
		return true
	}
	return false
}

// writeSentence draws a sentence.
func (t *terminal) writeSentence(format string, args ...any) {
	t.writeParagraph(fmt.Sprintf(format, args...), "    ")
}

func (t *terminal) writeCasesMade(e *judge.CasesGenerated) {
	switch {
	case e.Reason != "":
		t.writeSentence("%s", e.Reason)
	case !e.Check:
		t.writeSentence("%s: %d made (%d changed), %d kept, %d removed", e.Problem, e.Generated, e.Changed, e.Kept, e.Removed)
	case e.Faults == 0:
		t.writeSentence("%s: %d cases are what their lines make", e.Problem, e.Cases)
	}
}

func (t *terminal) writeFilesMade(e *judge.FilesGenerated) {
	switch {
	case !e.Check:
		t.writeSentence("%s: %d files made (%d changed)", e.Problem, e.Files, len(e.Changed))
	case e.Faults == 0 && len(e.Changed) == 0:
		t.writeSentence("%s: %d files are as they are made", e.Problem, e.Files)
	}
}

// tallyText describes the size of a suite of test cases, and how many mutants, solutions, and bounds it detects.
func tallyText(n judge.SuiteTotals) string {
	return fmt.Sprintf(
		"%d cases, %d bytes; they find %d mutants, %d solutions and %d bounds", n.Cases, n.Bytes, n.Mutants,
		n.Solutions, n.Bounds,
	)
}

func (t *terminal) writeCoverage(e *judge.CoverageMeasured) {
	const head = "cases  line of "
	t.printf("%s%s\n", head, fitTail(sanitizeLine(e.File), t.options.Width-len(head)))
	for _, g := range e.Goals {
		mark := " "
		if g.Cases == 0 {
			mark = "!"
		}
		t.printf("%5d%s %4d  ", g.Cases, mark, g.Line)
		t.writeParagraph(g.Description, strings.Repeat(" ", 13))
	}
	t.writeSentence("%s: %d of %d are shown (cases: %d)", e.Problem, e.CoveredCount(), len(e.Goals), e.Cases)
}

func (t *terminal) writeMeasured(e *judge.SuiteMeasured) {
	rows := [][]string{{"case", "bytes", "mutants", "solutions", "bounds", "found by no other"}}
	for _, c := range e.Cases {
		rows = append(
			rows,
			[]string{
				c.Case, fmt.Sprint(c.Bytes), fmt.Sprint(c.Mutants), fmt.Sprint(c.Solutions), fmt.Sprint(c.Bounds),
				fmt.Sprint(c.Unique),
			},
		)
	}
	t.writeTable(rows, false)
	t.printf("\n")
	t.writeParagraph(fmt.Sprintf(
		"of each mutant at most %d cases that kill it are counted, the quick ones first, and of each solution the first that it fails",
		e.MaxCounted,
	), "")
	for _, f := range e.Unique {
		t.writeParagraph(fmt.Sprintf("only %s finds the %s %s", f.Case, f.Kind, f.Name), "    ")
	}
}

// writeTable writes rows. The first row contains the headings, and the first column the names. On a narrow terminal,
// names lose their first characters, and the rightmost columns are omitted.
func (t *terminal) writeTable(rows [][]string, right bool) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(sanitizeLine(cell)))
		}
	}
	const least, gap = 12, 2
	room := t.options.Width - min(widths[0], least)
	columns := 1
	for columns < len(widths) && room >= gap+widths[columns] {
		room -= gap + widths[columns]
		columns++
	}
	widths[0] = min(widths[0], min(widths[0], least)+room)
	for _, row := range rows {
		var b strings.Builder
		name := fitTail(sanitizeLine(row[0]), widths[0])
		if right {
			b.WriteString(padLeft(name, widths[0]))
		} else {
			b.WriteString(pad(name, widths[0]))
		}
		for i, cell := range row[1:columns] {
			if cell = sanitizeLine(cell); right {
				b.WriteString("  " + padLeft(cell, widths[i+1]))
			} else {
				b.WriteString("  " + pad(cell, widths[i+1]))
			}
		}
		t.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
}

func (t *terminal) writeAdequacy(e *judge.AdequacyMeasured) {
	for _, note := range e.Notes {
		t.writeParagraph("note: "+note, "      ", warningStyle)
	}
	t.writeSentence("%s: %d mutants, %d cases, %d inputs of seed %d", e.Problem, e.Total.Mutants, e.Cases, e.Searched, e.Seed)
	t.printf("\n")
	t.writeTable(mutantRows(e), true)
	t.printf("\n")
	t.writeParagraph("killed by: "+killText(e), "    ")
	t.writeParagraph(e.Score(), "    ")
	for _, m := range e.Listed() {
		t.printf("\n")
		t.writeParagraph(fmt.Sprintf("%s %s (%s)", m.State, m.Place, m.Operator), "    ", bold)
		for line := range strings.Lines(m.Diff) {
			t.printf("%s\n", fit(sanitize(strings.TrimSuffix(line, "\n")), t.options.Width))
		}
		if m.Reason != "" {
			t.printf("    ")
			t.writeParagraph("because: "+m.Reason, "    ")
		}
		if m.Input != "" {
			t.printf("    ")
			t.writeParagraph(fmt.Sprintf("killed by an input of %d bytes; %s", len(m.Input), m.Origin), "    ")
			t.printf("%s", headLines(m.Input, "    ", t.options.Width))
		}
	}
}

// mutantHeads lists the headings of a table of mutants.
var mutantHeads = []string{"", "mutants", "killed", "survived", "equivalent", "unseparated", "unreached"}

// mutantRows returns the rows of a measurement's table: those for operators, for programs, and for the total.
func mutantRows(e *judge.AdequacyMeasured) [][]string {
	rows := [][]string{mutantHeads}
	add := func(name string, n judge.MutantCounts) {
		row := []string{name}
		for _, k := range []int{n.Mutants, n.Killed, n.Survived, n.Equivalent, n.Unseparated, n.Unreached} {
			row = append(row, fmt.Sprint(k))
		}
		rows = append(rows, row)
	}
	for _, op := range e.Operators {
		add(op.Operator, op.MutantCounts)
	}
	for _, p := range e.Programs {
		add(p.Path, p.MutantCounts)
	}
	add("all", e.Total)
	return rows
}

// killText describes how the mutants were killed, with the number for each way.
func killText(e *judge.AdequacyMeasured) string {
	var how []string
	for _, d := range e.How {
		how = append(how, fmt.Sprintf("%s %d", d.How, d.Count))
	}
	return strings.Join(how, ", ")
}

// Lines returns the first 100 lines of an untrusted text, each with an indent.
func Lines(text, indent string) string { return headLines(text, indent, 100) }

func headLines(text, indent string, columns int) string {
	const lines = 10
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == lines {
			b.WriteString(indent + "...\n")
			break
		}
		b.WriteString(indent + fit(sanitize(line), columns-len(indent)) + "\n")
	}
	return b.String()
}
