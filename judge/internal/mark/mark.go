// Package mark detects texts in encodings that programs do not expect.
package mark

import "bytes"

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
