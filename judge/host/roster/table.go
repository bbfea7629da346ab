package roster

import "strings"

// A record is a row of a table, and the line on which it starts.
type record struct {
	line  int
	cells []string
	raw   string // source text of the record
}

// empty reports whether the record has no text.
func (r record) empty() bool { return r.filled() == 0 }

// filled returns the number of cells that contain text.
func (r record) filled() (n int) {
	for _, cell := range r.cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// A scanner reads the records of a table whose lines end with "\n".
type scanner struct {
	text string
	at   int
	line int
	sep  byte
}

func (s *scanner) more() bool { return s.at < len(s.text) }

// next reads a record. It must be called only if there are more.
func (s *scanner) next() (r record, err error) {
	r.line = s.line
	start := s.at
	for {
		cell, err := s.cell()
		if err != nil {
			return r, err
		}
		r.cells, r.raw = append(r.cells, cell), s.text[start:s.at]
		if !s.more() {
			return r, nil
		}
		end := s.text[s.at]
		s.at++
		if end == '\n' {
			s.line++
			return r, nil
		}
	}
}

// cell reads up to the separator or the end of the line. Quotes are special only at the start of a cell. If the
// separator is a tab, or the line has only one cell, a quote that does not enclose the whole cell is part of the
// text.
func (s *scanner) cell() (string, error) {
	start := s.at
	for s.more() && s.text[s.at] == ' ' {
		s.at++
	}
	if s.more() && s.text[s.at] == '"' {
		cell, wrong := s.quoted()
		if wrong == "" {
			return cell, nil
		}
		if s.sep != '\t' && s.sep != 0 {
			return "", misuse("put the whole cell in double quotes, and write a quote within it twice", "line %d of the list: %s", s.line, wrong)
		}
	}
	s.at = start
	for s.more() && s.text[s.at] != s.sep && s.text[s.at] != '\n' {
		s.at++
	}
	return s.text[start:s.at], nil
}

// quoted reads a cell in double quotes, and the blanks after it.
func (s *scanner) quoted() (cell, wrong string) {
	var b strings.Builder
	lines := 0
	for at := s.at + 1; at < len(s.text); at++ {
		switch c := s.text[at]; {
		case c != '"':
			b.WriteByte(c)
			if c == '\n' {
				lines++
			}
		case at+1 < len(s.text) && s.text[at+1] == '"':
			b.WriteByte('"')
			at++
		default:
			at++
			for at < len(s.text) && s.text[at] == ' ' {
				at++
			}
			if at < len(s.text) && s.text[at] != s.sep && s.text[at] != '\n' {
				return "", "text follows a closing double quote"
			}
			s.at, s.line = at, s.line+lines
			return b.String(), ""
		}
	}
	return "", "a double quote is not closed"
}
