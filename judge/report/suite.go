package report

import (
	"fmt"
	"strings"

	"assay/judge"
)

// suite writes an event of generating or measuring test data. Each of these events is complete by itself.
func (t *terminal) suite(e judge.Event) {
	switch e := e.(type) {
	case *judge.CasesMade:
		t.casesMade(e)
	case *judge.FreshMade:
		t.said("%s: %d new cases, of seed %d, in %s", e.Problem, e.Cases, e.Seed, e.Place)
	case *judge.FilesMade:
		t.filesMade(e)
	case *judge.SuitePruned:
		for _, change := range e.Changes {
			t.printf("  ")
			t.paragraph(change, "    ")
		}
		t.said("%s before: %s", e.Problem, tally(e.Before))
		t.said("%s after:  %s", e.Problem, tally(e.After))
	case *judge.CoverageShown:
		t.coverage(e)
	case *judge.SuiteMeasured:
		t.measured(e)
	case *judge.AdequacyMeasured:
		t.adequacy(e)
	}
}

// isSuite reports whether suite handles the event.
func isSuite(e judge.Event) bool {
	switch e.(type) {
	case *judge.CasesMade, *judge.FreshMade, *judge.FilesMade, *judge.SuitePruned,
		*judge.CoverageShown, *judge.SuiteMeasured, *judge.AdequacyMeasured:
		return true
	}
	return false
}

// said draws a sentence.
func (t *terminal) said(format string, args ...any) {
	t.paragraph(fmt.Sprintf(format, args...), "    ")
}

func (t *terminal) casesMade(e *judge.CasesMade) {
	switch {
	case e.Why != "":
		t.said("%s", e.Why)
	case !e.Check:
		t.said("%s: %d made (%d changed), %d kept, %d removed", e.Problem, e.Made, e.Changed, e.Kept, e.Removed)
	case e.Faults == 0:
		t.said("%s: %d cases are what their lines make", e.Problem, e.Cases)
	}
}

func (t *terminal) filesMade(e *judge.FilesMade) {
	switch {
	case !e.Check:
		t.said("%s: %d files made (%d changed)", e.Problem, e.Files, len(e.Changed))
	case e.Faults == 0 && len(e.Changed) == 0:
		t.said("%s: %d files are as they are made", e.Problem, e.Files)
	}
}

// tally describes the size of a suite of test cases, and how many mutants, solutions, and bounds it detects.
func tally(n judge.Tally) string {
	return fmt.Sprintf(
		"%d cases, %d bytes; they find %d mutants, %d solutions and %d bounds", n.Cases, n.Bytes, n.Mutants,
		n.Solutions, n.Bounds,
	)
}

func (t *terminal) coverage(e *judge.CoverageShown) {
	const head = "cases  line of "
	t.printf("%s%s\n", head, fitTail(oneLine(e.File), t.o.Width-len(head)))
	for _, g := range e.Goals {
		mark := " "
		if g.Cases == 0 {
			mark = "!"
		}
		t.printf("%5d%s %4d  ", g.Cases, mark, g.Line)
		t.paragraph(g.What, strings.Repeat(" ", 13))
	}
	t.said("%s: %d of %d are shown (cases: %d)", e.Problem, e.Shown(), len(e.Goals), e.Cases)
}

func (t *terminal) measured(e *judge.SuiteMeasured) {
	rows := [][]string{{"case", "bytes", "mutants", "solutions", "bounds", "found by no other"}}
	for _, c := range e.Cases {
		rows = append(
			rows,
			[]string{c.Case, fmt.Sprint(c.Bytes), fmt.Sprint(c.Mutants), fmt.Sprint(c.Solutions), fmt.Sprint(c.Bounds), fmt.Sprint(c.Alone)},
		)
	}
	t.table(rows, false)
	t.printf("\n")
	t.paragraph(fmt.Sprintf(
		"of each mutant at most %d cases that kill it are counted, the quick ones first, and of each solution the first that it fails",
		e.Most,
	), "")
	for _, f := range e.Once {
		t.paragraph(fmt.Sprintf("only %s finds the %s %s", f.Case, f.Kind, f.Name), "    ")
	}
}

// table writes rows. The first row contains the headings, and the first column the names. On a narrow terminal,
// names lose their first characters, and the rightmost columns are omitted.
func (t *terminal) table(rows [][]string, right bool) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(oneLine(cell)))
		}
	}
	const least, gap = 12, 2
	room := t.o.Width - min(widths[0], least)
	columns := 1
	for columns < len(widths) && room >= gap+widths[columns] {
		room -= gap + widths[columns]
		columns++
	}
	widths[0] = min(widths[0], min(widths[0], least)+room)
	for _, row := range rows {
		var b strings.Builder
		name := fitTail(oneLine(row[0]), widths[0])
		if right {
			b.WriteString(padLeft(name, widths[0]))
		} else {
			b.WriteString(pad(name, widths[0]))
		}
		for i, cell := range row[1:columns] {
			if cell = oneLine(cell); right {
				b.WriteString("  " + padLeft(cell, widths[i+1]))
			} else {
				b.WriteString("  " + pad(cell, widths[i+1]))
			}
		}
		t.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
}

func (t *terminal) adequacy(e *judge.AdequacyMeasured) {
	for _, note := range e.Notes {
		t.paragraph("note: "+note, "      ", warning)
	}
	t.said("%s: %d mutants, %d cases, %d inputs of seed %d", e.Problem, e.Total.Mutants, e.Cases, e.Searched, e.Seed)
	t.printf("\n")
	t.table(mutantRows(e), true)
	t.printf("\n")
	t.paragraph("killed by: "+deaths(e), "    ")
	t.paragraph(e.Score(), "    ")
	for _, m := range e.Listed() {
		t.printf("\n")
		t.paragraph(fmt.Sprintf("%s %s (%s)", m.State, m.Place, m.Operator), "    ", bold)
		for line := range strings.Lines(m.Diff) {
			t.printf("%s\n", fit(safe(strings.TrimSuffix(line, "\n")), t.o.Width))
		}
		if m.Reason != "" {
			t.printf("    ")
			t.paragraph("because: "+m.Reason, "    ")
		}
		if m.Input != "" {
			t.printf("    ")
			t.paragraph(fmt.Sprintf("killed by an input of %d bytes; %s", len(m.Input), m.Origin), "    ")
			t.printf("%s", head(m.Input, "    ", t.o.Width))
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

// deaths describes how the mutants were killed, with the number for each way.
func deaths(e *judge.AdequacyMeasured) string {
	var how []string
	for _, d := range e.How {
		how = append(how, fmt.Sprintf("%s %d", d.How, d.Count))
	}
	return strings.Join(how, ", ")
}

// Lines returns the first 100 lines of an untrusted text, each with an indent.
func Lines(text, indent string) string { return head(text, indent, 100) }

func head(text, indent string, columns int) string {
	const lines = 10
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == lines {
			b.WriteString(indent + "...\n")
			break
		}
		b.WriteString(indent + fit(safe(line), columns-len(indent)) + "\n")
	}
	return b.String()
}
