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
	text   string
	offset int
	line   int
	sep    byte
}

func (s *scanner) more() bool { return s.offset < len(s.text) }

// next reads a record. It must be called only if there are more.
func (s *scanner) next() (r record, err error) {
	r.line = s.line
	start := s.offset
	for {
		cell, err := s.cell()
		if err != nil {
			return r, err
		}
		r.cells, r.raw = append(r.cells, cell), s.text[start:s.offset]
		if !s.more() {
			return r, nil
		}
		end := s.text[s.offset]
		s.offset++
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
	start := s.offset
	for s.more() && s.text[s.offset] == ' ' {
		s.offset++
	}
	if s.more() && s.text[s.offset] == '"' {
		cell, wrong := s.quoted()
		if wrong == "" {
			return cell, nil
		}
		if s.sep != '\t' && s.sep != 0 {
			return "", callerError(
				"put the whole cell in double quotes, and write a quote within it twice", "line %d of the list: %s",
				s.line, wrong,
			)
		}
	}
	s.offset = start
	for s.more() && s.text[s.offset] != s.sep && s.text[s.offset] != '\n' {
		s.offset++
	}
	return s.text[start:s.offset], nil
}

// quoted reads a cell in double quotes, and the blanks after it.
func (s *scanner) quoted() (cell, problem string) {
	var b strings.Builder
	lines := 0
	for offset := s.offset + 1; offset < len(s.text); offset++ {
		switch c := s.text[offset]; {
		case c != '"':
			b.WriteByte(c)
			if c == '\n' {
				lines++
			}
		case offset+1 < len(s.text) && s.text[offset+1] == '"':
			b.WriteByte('"')
			offset++
		default:
			offset++
			for offset < len(s.text) && s.text[offset] == ' ' {
				offset++
			}
			if offset < len(s.text) && s.text[offset] != s.sep && s.text[offset] != '\n' {
				return "", "text follows a closing double quote"
			}
			s.offset, s.line = offset, s.line+lines
			return b.String(), ""
		}
	}
	return "", "a double quote is not closed"
}
