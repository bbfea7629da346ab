package roster

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Windows1252 is the name of the encoding that is assumed if a list has no byte order mark and is not UTF-8.
const Windows1252 = "Windows-1252"

const utf8Name = "UTF-8"

// saveAsHint is the hint for a file that is not a text list.
const saveAsHint = "in the spreadsheet program, save the sheet as “CSV UTF-8”, or copy its cells and paste them"

// fileSignatures lists the first bytes of files that users mistake for a list.
var fileSignatures = []struct{ magic, name string }{
	{"PK\x03\x04", "a workbook (.xlsx, .ods) or another ZIP archive"}, {"\xD0\xCF\x11\xE0", "a workbook (.xls)"}, {"%PDF-", "a PDF"},
	{`{\rtf`, "a text with formatting (.rtf)"}, {"<!doctype", "a web page"}, {"<html", "a web page"},
	{"<table", "a web page"}, {"<?xml", "XML"},
	{"\x1f\x8b", "a compressed file"},
}

// decode returns the text of a list, and the name of its encoding. A byte order mark determines the encoding.
// Without one, text that is not UTF-8 is assumed to be Windows-1252, the default encoding of spreadsheet programs.
func decode(data []byte) (text, encoding string, err error) {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\uFEFF")), " \t\r\n")
	for _, f := range fileSignatures {
		if len(trimmed) >= len(f.magic) && strings.EqualFold(string(trimmed[:len(f.magic)]), f.magic) {
			return "", "", callerError(saveAsHint, "the file is %s, not a list in text form", f.name)
		}
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")) || bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF")):
		return "", "", callerError(saveAsHint, "the list is in UTF-32")
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		text, err = decodeUTF16(data[2:], "UTF-16 LE", func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
		encoding = "UTF-16 LE"
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		text, err = decodeUTF16(data[2:], "UTF-16 BE", func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
		encoding = "UTF-16 BE"
	case utf8.Valid(data):
		text, encoding = string(data), utf8Name
	case bytes.IndexByte(data, 0) >= 0: // reported below
		text = string(data)
	default:
		text, err = decodeWindows1252(data)
		encoding = Windows1252
	}
	if err != nil {
		return "", "", err
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "", "", callerError(saveAsHint,
			"line %d of the list has a zero byte: the file is not a text, or it is UTF-16 without a byte order mark",
			1+strings.Count(text[:i], "\n"))
	}
	return strings.TrimLeft(text, "\uFEFF"), encoding, nil
}

func decodeUTF16(data []byte, name string, unit func([]byte) uint16) (string, error) {
	if len(data)%2 != 0 {
		return "", callerError("save or copy the file again", "the list begins as %s and ends within a character: it is incomplete", name)
	}
	var b strings.Builder
	line := 1
	for i := 0; i < len(data); i += 2 {
		c := rune(unit(data[i:]))
		if utf16.IsSurrogate(c) {
			pair := unicode.ReplacementChar
			if i+4 <= len(data) {
				pair = utf16.DecodeRune(c, rune(unit(data[i+2:])))
			}
			if pair == unicode.ReplacementChar {
				return "", callerError(saveAsHint, "line %d of the list is not text in %s", line, name)
			}
			c, i = pair, i+2
		}
		if c == '\n' {
			line++
		}
		b.WriteRune(c)
	}
	return b.String(), nil
}

// windowsUpper lists the characters of Windows-1252 from 0x80 to 0x9F. A space marks an undefined byte.
var windowsUpper = []rune("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ")

// decodeWindows1252 decodes Windows-1252. Other single-byte encodings have no byte order mark either. Therefore western
// returns an error if a byte is undefined in Windows-1252, or if a word looks like text in another encoding.
func decodeWindows1252(data []byte) (string, error) {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') >= 0 {
		return "", callerError(saveAsHint, "the list has the line ends of “CSV (Macintosh)”, whose letters are not UTF-8")
	}
	var b strings.Builder
	line, start := 1, 0
	for i, c := range data {
		r := rune(c)
		if c >= 0x80 && c <= 0x9F {
			r = windowsUpper[c-0x80]
		}
		if r == ' ' && c != ' ' {
			return "", unknownEncoding(line, fmt.Sprintf("byte 0x%X", c))
		}
		b.WriteRune(r)
		if c == '\n' || i == len(data)-1 {
			if word := strangeWord(b.String()[start:]); word != "" {
				return "", unknownEncoding(line, fmt.Sprintf("%.40q", word))
			}
			start = b.Len()
		}
		if c == '\n' {
			line++
		}
	}
	return b.String(), nil
}

func unknownEncoding(line int, what string) error {
	return callerError(saveAsHint, "line %d of the list is neither UTF-8 nor Windows-1252: it has %s", line, what)
}

// strangeWord returns a word that shows that a text is not Windows-1252. Such a word contains a symbol after a letter,
// three consecutive non-ASCII letters, or a non-ASCII capital among small letters. It returns an empty string if
// there is none.
func strangeWord(line string) string {
	for word := range strings.FieldsFuncSeq(line, func(c rune) bool { return c < utf8.RuneSelf && !unicode.IsLetter(c) }) {
		letters, foreign := []rune(word), 0
		for i, c := range letters {
			if c < utf8.RuneSelf {
				foreign = 0
				continue
			}
			after := i > 0 && unicode.IsLetter(letters[i-1])
			switch {
			case !unicode.IsLetter(c):
				if foreign = 0; after && !strings.ContainsRune("’‘´“”„«»‹›–—…·°®™\u00a0\u00ad", c) {
					return word
				}
				continue
			case after && unicode.IsUpper(c) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
				return word
			}
			if foreign++; foreign == 3 {
				return word
			}
		}
	}
	return ""
}
