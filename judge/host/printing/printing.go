// Package printing lays out the files that teams print: plain text on pages, each with a header that identifies
// the team. It does not access printers.
package printing

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits for prints of teams.
const (
	MaxBytes   = 100 << 10 // of a file
	MaxPages   = 10        // of a file
	MaxPerHour = 20        // pages per team and hour
)

// The size of a page without its header.
const (
	pageColumns = 90
	pageLines   = 62
	tabWidth    = 4
)

// The errors for files that cannot be printed.
var (
	ErrEmpty    = errors.New("the file is empty")
	ErrNotText  = errors.New("the file is not plain text in UTF-8")
	ErrTooLong  = fmt.Errorf("the file has more than %d pages", MaxPages)
	ErrTooLarge = fmt.Errorf("the file has more than %d KiB", MaxBytes>>10)
)

// Text returns a file as text with line feeds. It returns ErrTooLarge, ErrEmpty or ErrNotText if the file cannot be
// printed.
func Text(data []byte) (string, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	switch {
	case len(data) > MaxBytes:
		return "", ErrTooLarge
	case strings.TrimSpace(text) == "":
		return "", ErrEmpty
	case !utf8.ValidString(text):
		return "", ErrNotText
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune("\n\t\f", r) {
			return "", ErrNotText
		}
	}
	return text, nil
}

// BaseName returns the name of a file without its directory. It may be empty.
func BaseName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	const most = 100
	if letters := []rune(name); len(letters) > most {
		name = string(letters[:most])
	}
	return name
}

// Pages returns the pages of a text without their headers. It wraps long lines, and starts a new page at a form
// feed. It returns ErrTooLong if there are too many pages.
func Pages(text string) (pages []string, err error) {
	for _, sheet := range strings.Split(strings.TrimRight(text, "\n\f"), "\f") {
		var page []string
		for _, line := range strings.Split(sheet, "\n") {
			for _, part := range wrap(line) {
				if len(page) == pageLines {
					pages, page = append(pages, strings.Join(page, "\n")), nil
				}
				page = append(page, part)
			}
		}
		if pages = append(pages, strings.Join(page, "\n")); len(pages) > MaxPages {
			return nil, ErrTooLong
		}
	}
	return pages, nil
}

// wrap splits a line into parts that fit on a page, and replaces tabs by spaces.
func wrap(line string) (parts []string) {
	var part strings.Builder
	column := 0
	for _, r := range line {
		text, wide := string(r), width(r)
		if r == '\t' {
			wide = tabWidth - column%tabWidth
			text = strings.Repeat(" ", wide)
		}
		if column+wide > pageColumns {
			parts = append(parts, part.String())
			part.Reset()
			column = 0
		}
		part.WriteString(text)
		column += wide
	}
	return append(parts, part.String())
}

// width returns the number of columns that a character takes.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0xff01 &&
		r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

// A PageHeader is the content of a page header. All fields except Team and File may be empty.
type PageHeader struct {
	Team, Number, Seat string
	Groups             []string
	File, Language     string
	Contest, Time      string
}

// Lines returns the two lines of a page header.
func (h PageHeader) Lines(page, pages int) [2]string {
	first := []string{h.Team}
	if h.Number != "" {
		first = append(first, "team "+h.Number)
	}
	if h.Seat != "" {
		first = append(first, "seat "+h.Seat)
	}
	second := []string{h.File}
	for _, text := range []string{h.Language, h.Contest, h.Time} {
		if text != "" {
			second = append(second, text)
		}
	}
	second = append(second, fmt.Sprintf("page %d of %d", page, pages))
	return [2]string{plainLine(append(first, h.Groups...)), plainLine(second)}
}

// plainLine joins the parts of a line, and removes characters that would end the line or change its direction.
func plainLine(parts []string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.Join(parts, " | "))
}

// Document returns pages with their headers as one text for a print command, separated by form feeds.
func Document(h PageHeader, pages []string) string {
	var out strings.Builder
	for i, page := range pages {
		if i > 0 {
			out.WriteString("\f")
		}
		head := h.Lines(i+1, len(pages))
		fmt.Fprintf(&out, "%s\n%s\n%s\n\n%s\n", head[0], head[1], strings.Repeat("-", pageColumns), page)
	}
	return out.String()
}
