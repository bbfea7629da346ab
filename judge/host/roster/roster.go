// Package roster reads lists of people: either one name per line, or a table whose first line names the columns in
// English, German, French or Spanish. It detects the encoding and the separator. An error in a row is stored with
// the row.
//
// The package does not know which accounts exist. Package auth compares a List with them, and returns a Preview.
package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"assay/judge"
)

// The bounds of a list.
const (
	MaxBytes   = 1 << 20
	maxPeople  = 2000
	maxColumns = 100
)

// A Person is a person on a list.
type Person struct {
	Name     string
	Login    string // if empty, it is derived from the name
	Email    string
	Password string // if empty, it is generated
	Team     string // if empty, the person is a team of their own
	Group    string // groups of the team, separated by commas
}

// A Row is a person and the line number in the list.
type Row struct {
	Line int
	Person
	Cells []string // texts of the columns
	Wrong string   // why the row cannot be imported; may be empty
}

// A List is a parsed list.
type List struct {
	Text      string // text of the whole list
	Encoding  string
	Separator string   // empty if there is one name per line
	Columns   []Column // of a table
	Sheet     []Column // all columns, even without title or text; one if each line is a name
	Titled    bool     // the first line names the columns
	Rows      []Row
}

// A Layout contains the corrections that a user made in the preview of a list. The zero value changes nothing.
type Layout struct {
	Fields []Field                // fields of the columns; if nil, the titles decide
	Titled bool                   // the first line names the columns; used only with Fields
	Cells  map[int]map[int]string // new cell texts, by line and then by column from 0
}

// NewList returns a list of the given people.
func NewList(people ...Person) *List {
	l := &List{Encoding: utf8Name}
	for i, p := range people {
		l.Rows = append(l.Rows, Row{Line: i + 1, Person: p})
	}
	return l
}

// callerError returns an error of the caller, with a hint what to do.
func callerError(hint, format string, args ...any) error {
	return &judge.UsageError{Err: fmt.Errorf(format+"\n    %s", append(args, hint)...)}
}

// Read reads a list. An error in a single row is stored in the row. Read returns an error only if the whole list
// is unusable. Even then, the list contains its text if the encoding is known. If the error is about the columns,
// the list also contains its sheet, and a Layout can correct it.
func Read(data []byte) (*List, error) { return ReadWithLayout(data, Layout{}) }

// ReadWithLayout reads a list with a layout.
func ReadWithLayout(data []byte, layout Layout) (*List, error) {
	if len(data) > MaxBytes {
		return &List{}, callerError("divide the list", "the list has more than %d bytes", MaxBytes)
	}
	text, encoding, err := decode(data)
	if err != nil {
		return &List{}, err
	}
	l := &List{Encoding: encoding, Text: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)}
	if err := l.read(layout); err != nil {
		return l, err
	}
	switch {
	case len(l.Rows) == 0:
		return l, callerError("write a name in each line, or a table whose first line names the columns", "the list has no names")
	case len(l.Rows) > maxPeople:
		return l, callerError("divide the list", "the list has %d people, and the limit is %d", len(l.Rows), maxPeople)
	}
	return l, nil
}

// read finds the separator and the columns in the text, and reads the rows.
func (l *List) read(layout Layout) error {
	s := scanner{text: l.Text, line: 1}
	fixed, err := s.separator()
	if err != nil {
		return err
	}
	h, headerErr := s.header(fixed)
	if h == nil {
		return headerErr
	}
	if s.sep != 0 {
		l.Separator = string(rune(s.sep))
	}
	if layout.Fields != nil {
		h.applyLayout(layout)
		headerErr = checkColumns(h.columns, h.line)
	}
	if h.hasTitles {
		s.skip()
		if _, err := s.next(); err != nil {
			return err
		}
	}
	used, late := make([]bool, len(h.columns)), 0
	err = s.rows(func(r record) {
		if late == 0 && h.namesOnly && layout.Fields == nil && countTitles(r.raw) > 1 {
			late = r.line
		}
		if cells := layout.Cells[r.line]; cells != nil {
			r = r.withCells(cells, len(h.columns))
		}
		one := h.row(r, s.sep)
		one.Cells = r.cells[:min(len(h.columns), len(r.cells))]
		for i, cell := range one.Cells {
			used[i] = used[i] || strings.TrimSpace(cell) != ""
		}
		l.Rows = append(l.Rows, one)
	})
	if err == nil && late > 0 {
		err = callerError("delete the lines above it", "line %d of the list names columns, but it is not the first line", late)
	}
	l.Sheet, l.Titled = h.columns, h.hasTitles
	if !h.namesOnly {
		l.Columns = visibleColumns(slices.Clone(h.columns), used)
	}
	return cmp.Or(headerErr, err)
}

// A heading describes the first lines of a list.
type heading struct {
	line      int
	columns   []Column
	hasTitles bool // it contains column titles
	namesOnly bool // each line of the list is a name
}

// applyLayout applies a layout to the heading.
func (h *heading) applyLayout(layout Layout) {
	h.hasTitles = layout.Titled
	for i := range h.columns {
		if h.columns[i].Field = ""; i < len(layout.Fields) {
			h.columns[i].Field = layout.Fields[i]
		}
		if !h.hasTitles {
			h.columns[i].Title = fmt.Sprintf("column %d", i+1)
		}
	}
	h.namesOnly = h.namesOnly && !h.hasTitles && h.columns[0].Field == Name
}

// row converts a record below the heading to a row.
func (h *heading) row(r record, sep byte) Row {
	if h.namesOnly {
		return nameRow(r, sep)
	}
	return tableRow(r, sep, h.line, h.columns)
}

// withCells returns the record with new texts for some of its first n cells. If no text differs, it returns the record
// unchanged.
func (r record) withCells(cells map[int]string, n int) record {
	cellTexts, other := make([]string, n), false
	copy(cellTexts, r.cells)
	for i, text := range cells {
		if i >= 0 && i < n && cleanCell(text) != cleanCell(cellTexts[i]) {
			cellTexts[i], other = text, true
		}
	}
	if !other {
		return r
	}
	return record{line: r.line, cells: cellTexts}
}

// separators lists the supported separators, most likely first.
const separators = ";\t,|"

// separatorNames maps separators to their names in messages.
var separatorNames = map[byte]string{';': "semicolon", '\t': "tab", ',': "comma", '|': "vertical bar", 0: "line end"}

// skip skips empty lines.
func (s *scanner) skip() {
	for s.more() {
		line, _, found := strings.Cut(s.text[s.offset:], "\n")
		if strings.TrimSpace(strings.Trim(line, string(rune(s.sep)))) != "" || !found {
			return
		}
		s.offset, s.line = s.offset+len(line)+1, s.line+1
	}
}

// separator reads a line such as "sep=;", which tells spreadsheet programs the separator. It returns 0 if there is
// no such line.
func (s *scanner) separator() (byte, error) {
	s.skip()
	line, _, _ := strings.Cut(s.text[s.offset:], "\n")
	head, rest, found := strings.Cut(line, "=")
	if !found || !strings.EqualFold(strings.Trim(head, "\" "), "sep") {
		return 0, nil
	}
	// A spreadsheet program that does not support the line "sep=;" saves it with quotes, or with separators after
	// it.
	rest = strings.TrimLeft(rest, "\"' ")
	if rest == "" || !strings.Contains(separators, rest[:1]) || strings.Trim(rest, separators+"\"' ") != "" {
		return 0, callerError("write sep=; or sep=, or leave the line out",
			"line %d of the list: %.40q names no separator: semicolon, comma, tab or vertical bar", s.line, line)
	}
	s.offset, s.line = min(len(s.text), s.offset+len(line)+1), s.line+1
	return rest[0], nil
}

// header reads the first record, and detects the separator unless fixed is a separator. If the error is about the
// columns, header also returns the heading.
func (s *scanner) header(given byte) (*heading, error) {
	candidates := separators
	if given != 0 {
		candidates = string(rune(given))
	}
	var first record
	var best []Column
	var firstErr error
	bestCount, knowing := 0, -1
	for i := range len(candidates) {
		try := *s
		try.sep = candidates[i]
		try.skip()
		r, err := try.next()
		if err != nil {
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		all := columns(r.cells)
		n := len(all) - countField(all, "")
		if n > knowing || n == knowing && len(r.cells) > bestCount {
			first, best, knowing, bestCount, s.sep = r, all, n, len(r.cells), try.sep
		}
	}
	if best == nil {
		return nil, firstErr
	}
	if bestCount == 1 && given == 0 {
		s.sep = 0
	}
	h := &heading{line: first.line, columns: best, hasTitles: true}
	switch {
	case bestCount > maxColumns:
		return nil, callerError("save the list without the columns that are not needed",
			"line %d of the list has %d columns, and the limit is %d", first.line, bestCount, maxColumns)
	case knowing > 0:
		return h, checkColumns(best, first.line)
	case first.filled() > 1:
		const hint = "above the rows, add a line that names the columns, such as %q. If the line is the name of one person, " +
			"put it in double quotes"
		return h, callerError(fmt.Sprintf(hint, strings.Join([]string{"First name", "Last name", "Class"}, string(rune(s.sep)))),
			"line %d of the list has several cells (the separator is a %s), and none is the known name of a column: %s",
			first.line, separatorNames[s.sep], quotedTitles(best))
	}
	text := strings.Join(first.cells, "")
	switch words := columns(strings.Fields(text)); {
	case countTitles(text) > 0:
		return nil, callerError("remove the quotes around the lines",
			"line %d of the list is in double quotes as a whole: %.60q", first.line, text)
	case len(words) > 1 && countField(words, "") == 0:
		return nil, callerError("put semicolons, commas or tabs between the cells of each line",
			"line %d of the list names columns without a separator: %.60q", first.line, text)
	}
	return &heading{line: first.line, columns: []Column{{Title: "column 1", Field: Name}}, namesOnly: true}, nil
}

func countField(columns []Column, f Field) (n int) {
	for _, c := range columns {
		if c.Field == f {
			n++
		}
	}
	return n
}

// countTitles splits a text at each of the supported separators, and returns the largest number of known column
// titles that this gives.
func countTitles(text string) (maximum int) {
	for i := range len(separators) {
		if all := columns(strings.Split(text, separators[i:i+1])); len(all) > 1 {
			maximum = max(maximum, len(all)-countField(all, ""))
		}
	}
	return maximum
}

// quotedTitles returns the titles of columns for use in a message.
func quotedTitles(columns []Column) string {
	var b strings.Builder
	for i, c := range columns {
		if i == 8 {
			return b.String() + " …"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.40q", c.Title)
	}
	return b.String()
}

// rows calls f for each record that has text.
func (s *scanner) rows(f func(record)) error {
	for s.more() {
		r, err := s.next()
		if err != nil {
			return err
		}
		if !r.empty() {
			f(r)
		}
	}
	return nil
}

// nameRow returns a row of a list without columns.
func nameRow(r record, sep byte) Row {
	one := Row{Line: r.line, Wrong: straySeparator(r, sep)}
	for _, cell := range r.cells {
		one.Name = strings.TrimSpace(one.Name + " " + cleanCell(cell))
	}
	if r.filled() > 1 {
		one.Wrong = "the line has several cells, but no line above names the columns"
	}
	return one
}

// straySeparator returns an error text if r has only one cell, without quotes, and that cell contains a separator. It is
// for lists without columns, in which sep is 0. Otherwise it returns an empty string.
func straySeparator(r record, sep byte) string {
	i := strings.IndexAny(r.raw, separators)
	if sep != 0 || i < 0 || r.cells[0] != r.raw {
		return ""
	}
	return fmt.Sprintf("the line has a %s: put the name in double quotes, or name the columns in the first line", separatorNames[r.raw[i]])
}

// tableRow converts a record of a table to a Row. The argument header is the line number of the column titles.
func tableRow(r record, sep byte, header int, columns []Column) Row {
	one := Row{Line: r.line, Wrong: straySeparator(r, sep)}
	var first, last, groups []string
	for i, cell := range r.cells {
		text := cleanCell(cell)
		if text == "" {
			continue
		}
		if i >= len(columns) {
			const wrong = "the row has %d cells, but line %d names %d columns: put a cell that has a %s in double quotes"
			one.Wrong = fmt.Sprintf(wrong, len(r.cells), header, len(columns), separatorNames[sep])
			break
		}
		switch columns[i].Field {
		case Name:
			one.Name = trimApostrophe(text)
		case First:
			first = append(first, trimApostrophe(text))
		case Last:
			last = append(last, trimApostrophe(text))
		case Login:
			one.Login = text
		case Email:
			one.Email = trimApostrophe(text)
		case Password:
			one.Password = strings.TrimSpace(cell)
		case Team:
			one.Team = trimApostrophe(text)
		case Group:
			groups = append(groups, trimApostrophe(text))
		}
	}
	one.Name = cmp.Or(one.Name, strings.Join(slices.Concat(first, last), " "))
	one.Group = strings.Join(groups, ", ")
	return one
}

// cleanCell normalizes the text of a cell. It trims blanks, and replaces a line break and the blanks around it by a
// space. It also combines a letter and its accent into one character, because some systems write them as two.
func cleanCell(cell string) string {
	if strings.Contains(cell, "\n") {
		var lines []string
		for line := range strings.SplitSeq(cell, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		cell = strings.Join(lines, " ")
	}
	return norm.NFC.String(strings.TrimSpace(cell))
}

// trimApostrophe removes an apostrophe at the start of a cell. The server writes such apostrophes to the tables that it
// exports, because they prevent spreadsheet programs from reading a cell as a formula.
func trimApostrophe(cell string) string {
	parts := strings.SplitAfter(cell, ";")
	for i, part := range parts {
		rest, is := strings.CutPrefix(part, "'")
		if is && strings.IndexAny(strings.TrimLeft(rest, " \""), "=+-@＝＋－＠") == 0 {
			parts[i] = rest
		}
	}
	return strings.Join(parts, "")
}

// A Preview is what the import of a list would do.
type Preview struct {
	Encoding  string       `json:"encoding"`
	Separator string       `json:"separator,omitempty"`
	Columns   []Column     `json:"columns,omitempty"`
	Rows      []PreviewRow `json:"rows"`
	Notes     []string     `json:"notes,omitempty"` // about the whole list
	New       int          `json:"new"`             // accounts that would be created
	Existing  int          `json:"existing"`        // accounts that exist
	Teams     int          `json:"teams"`           // teams that would be created
	Wrong     int          `json:"wrong"`           // rows that cannot be imported
	Digest    string       `json:"digest"`          // of everything that the import would do
}

// The states of a row in a preview.
const (
	New      = "new account"
	Existing = "existing account"
	Invalid  = "error"
)

// A PreviewRow is a row of a preview.
type PreviewRow struct {
	Line   int      `json:"line"`
	State  string   `json:"state"`
	Name   string   `json:"name"`
	Login  string   `json:"username"`
	Email  string   `json:"email,omitempty"`
	Team   string   `json:"team,omitempty"` // in the contest; empty if no contest is chosen
	Groups []string `json:"groups,omitempty"`
	Notes  []string `json:"notes,omitempty"`
	Wrong  string   `json:"wrong,omitempty"` // why the row cannot be imported, and what to do
}

// Ignored returns the titles of ignored columns.
func (p *Preview) Ignored() (titles []string) {
	for _, c := range p.Columns {
		if c.Field == "" {
			titles = append(titles, c.Title)
		}
	}
	return titles
}

// Errors returns an error that describes the rows that cannot be imported. It returns nil if there are none.
func (p *Preview) Errors() error {
	if p.Wrong == 0 {
		return nil
	}
	var b strings.Builder
	remaining := 20
	for _, r := range p.Rows {
		switch {
		case r.State != Invalid:
		case remaining == 0:
			b.WriteString("\n    …")
			remaining--
		case remaining > 0:
			fmt.Fprintf(&b, "\n    line %d: %s", r.Line, r.Wrong)
			remaining--
		}
	}
	return &judge.UsageError{Err: fmt.Errorf("%d of %d rows of the list have errors, and nothing was created:%s", p.Wrong,
		len(p.Rows), b.String())}
}

// SeparatorName returns the name of the separator. It may be empty.
func (p *Preview) SeparatorName() string {
	if p.Separator == "" {
		return ""
	}
	return separatorNames[p.Separator[0]]
}
