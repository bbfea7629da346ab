package golf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge"
)

// Size is the length of a golf submission.
type Size = judge.GolfSize

// Count returns the counted part of a file, and its size. It omits, and reports in s, what an editor added: a byte
// order mark, carriage returns before line feeds, and empty lines at both ends.
//
// Pages are the available code pages in addition to Encodings. Own is the code page of the submission's language.
// If no encoding is requested, own applies if it contains all characters of the code.
func Count(data []byte, encoding, own string, pages map[string]string) (code string, s Size, err error) {
	rest := data
	note := func(format string, args ...any) { s.Adjusted = append(s.Adjusted, fmt.Sprintf(format, args...)) }
	if after, ok := bytes.CutPrefix(rest, []byte("\xef\xbb\xbf")); ok {
		rest = after
		note("a byte order mark (3 bytes) is not counted")
	}
	if n := bytes.Count(rest, []byte("\r\n")); n > 0 {
		rest = bytes.ReplaceAll(rest, []byte("\r\n"), []byte("\n"))
		note("%s counted as LF", judge.Quantity(n, "CRLF line end"))
	}
	trimmed := bytes.TrimLeft(rest, "\n")
	if n := len(rest) - len(trimmed); n > 0 {
		note("%s at the start not counted", judge.Quantity(n, "newline"))
	}
	rest = trimmed
	trimmed = bytes.TrimRight(rest, "\n")
	if n := len(rest) - len(trimmed); n > 0 {
		note("%s at the end not counted", judge.Quantity(n, "newline"))
	}
	code = string(trimmed)
	s.Bytes, s.Chars = len(code), utf8.RuneCountInString(code)
	switch page := pages[own]; {
	case encoding != "":
		if s.Bytes, err = encodedSize(code, encoding, pages); err != nil {
			return "", Size{}, err
		}
		s.Encoding = encoding
	case page != "" && !utf8.ValidString(code):
		s.Chars, s.Encoding = s.Bytes, own
		note("the file is not UTF-8: its bytes are taken as %s", own)
	case page != "":
		if c, foreign := charOutside(code, page); foreign {
			note("%s has no character %q: counted in UTF-8", own, c)
			break
		}
		s.Bytes, s.Encoding = s.Chars, own
	case !utf8.ValidString(code):
		at := len(code) - len(invalid(code))
		note("the file is not UTF-8 (byte 0x%02x in line %d): its bytes are counted unchanged", code[at], 1+strings.Count(code[:at], "\n"))
	}
	return code, s, nil
}

// invalid returns the part of a text that follows its valid UTF-8 prefix.
func invalid(code string) string {
	for code != "" {
		r, n := utf8.DecodeRuneInString(code)
		if r == utf8.RuneError && n == 1 {
			break
		}
		code = code[n:]
	}
	return code
}

// charOutside finds a character that is not in a code page. All pages contain the line feed.
func charOutside(code, page string) (rune, bool) {
	for _, c := range code {
		if c != '\n' && !strings.ContainsRune(page, c) {
			return c, true
		}
	}
	return 0, false
}

// Encodings lists the encodings in which a submission may be counted. The file itself is always UTF-8.
var Encodings = []string{"utf-8", "ascii", "latin-1", "utf-16", "utf-32", "sbcs"}

// encodedSize returns the size of a text in an encoding. "sbcs" means any code page with one byte per character,
// as golf languages use; the characters are not checked.
func encodedSize(code, encoding string, pages map[string]string) (int, error) {
	if !utf8.ValidString(code) {
		return 0, fmt.Errorf("the file is not UTF-8, so it cannot be counted in %s", encoding)
	}
	if page := pages[encoding]; page != "" {
		if c, foreign := charOutside(code, page); foreign {
			return 0, fmt.Errorf("%s has no character %q", encoding, c)
		}
		return utf8.RuneCountInString(code), nil
	}
	highest := map[string]rune{"ascii": 0x7f, "latin-1": 0xff}[encoding]
	total := 0
	for _, c := range code {
		if highest > 0 && c > highest {
			return 0, fmt.Errorf("%s has no character %q", encoding, c)
		}
		switch encoding {
		case "utf-8":
			total += utf8.RuneLen(c)
		case "ascii", "latin-1", "sbcs":
			total++
		case "utf-16":
			total += 2
			if c > 0xffff {
				total += 2
			}
		case "utf-32":
			total += 4
		default:
			return 0, fmt.Errorf("unknown encoding %q; valid encodings: %s", encoding, strings.Join(
				append(Encodings, slices.Sorted(maps.Keys(pages))...), ", ",
			))
		}
	}
	return total, nil
}
