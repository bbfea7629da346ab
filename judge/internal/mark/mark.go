// Package mark finds texts in an encoding that programs do not expect.
package mark

import "bytes"

// Of says that a text is in such an encoding, and what to do; empty if there is none. The first HeadSize
// bytes of a text tell it.
func Of(data []byte) (text, hint string) {
	head := data[:min(len(data), HeadSize)]
	switch {
	case UTF16(head):
		return "is UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "begins with a byte order mark", "save it as UTF-8 without one (BOM)"
	}
	return "", ""
}

// HeadSize is how many bytes of a text tell its encoding.
const HeadSize = 512

// UTF16 reports whether a text is UTF-16, of either byte order, with or without a byte order mark.
func UTF16(data []byte) bool {
	head := data[:min(len(data), HeadSize)]
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || wide(head, 0) || wide(head, 1)
}

// wide reports whether each second byte is zero, and each other one is of a plain text.
func wide(head []byte, zero int) bool {
	for i, b := range head {
		if plain := ' ' <= b && b <= '~' || '\t' <= b && b <= '\r'; i%2 == zero && b != 0 || i%2 != zero && !plain {
			return false
		}
	}
	return len(head) > 0 && len(head)%2 == 0
}
