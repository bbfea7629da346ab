// Package mark detects texts in encodings that programs do not expect.
package mark

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// UnexpectedEncoding describes the encoding of a text if programs do not expect it, such as "is UTF-16", and returns
// a hint. Both results are empty if the encoding is fine. The first HeadSize bytes of a text are enough.
func UnexpectedEncoding(data []byte) (text, hint string) {
	head := data[:min(len(data), HeadSize)]
	switch {
	case IsUTF16(head):
		return "is UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "begins with a byte order mark", "save it as UTF-8 without one (BOM)"
	}
	return "", ""
}

// HeadSize is the number of bytes that are enough to detect an encoding.
const HeadSize = 512

// IsUTF16 reports whether a text is UTF-16 in either byte order, with or without a byte order mark.
func IsUTF16(data []byte) bool {
	head := data[:min(len(data), HeadSize)]
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || looksLikeUTF16(head, 0) ||
		looksLikeUTF16(head, 1)
}

// looksLikeUTF16 reports whether head looks like ASCII text in UTF-16. The bytes at even indexes must be zero if the
// parameter zero is 0, and the bytes at odd indexes if it is 1. All others must be printable ASCII or white space.
func looksLikeUTF16(head []byte, zero int) bool {
	for i, b := range head {
		if plain := ' ' <= b && b <= '~' || '\t' <= b && b <= '\r'; i%2 == zero && b != 0 || i%2 != zero && !plain {
			return false
		}
	}
	return len(head) > 0 && len(head)%2 == 0
}

// Decode returns a text as UTF-8, without a byte order mark, and the name of the encoding that it had. If a text is neither
// UTF-8 nor UTF-16, its encoding is the declared one or, if that is unknown, Windows-1252.
func Decode(data []byte, declared string) (text, encoding string) {
	encoding = strings.ToLower(declared)
	switch head := data[:min(len(data), HeadSize)]; {
	case bytes.HasPrefix(head, []byte("\xfe\xff")) || looksLikeUTF16(head, 0):
		encoding = "utf-16be"
	case IsUTF16(head):
		encoding = "utf-16le"
	case utf8.Valid(data):
		return strings.TrimPrefix(string(data), "\ufeff"), "utf-8"
	case strings.HasPrefix(encoding, "utf"): // the declaration is wrong
		encoding = ""
	}
	decoder, err := htmlindex.Get(encoding)
	if err != nil {
		encoding = "windows-1252"
		decoder, _ = htmlindex.Get(encoding) // is known
	}
	decoded, _ := decoder.NewDecoder().Bytes(data) // replaces what it cannot decode
	return strings.TrimPrefix(string(decoded), "\ufeff"), encoding
}
