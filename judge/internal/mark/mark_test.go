package mark_test

import (
	"strings"
	"testing"

	"assay/judge/internal/mark"
)

func TestOf(t *testing.T) {
	for _, row := range []struct{ it, data, want string }{
		{"takes a plain text", "30\n", ""},
		{"takes an empty text", "", ""},
		{"takes letters beyond ASCII", "\u00e9\n", ""},
		{"finds the mark of UTF-8", "\ufeff30\n", "begins with a byte order mark"},
		{"finds UTF-16 of either order", "\xff\xfe3\x00\n\x00", "is UTF-16"},
		{"finds UTF-16 of the other order", "\xfe\xff\x003\x00\n", "is UTF-16"},
		{"finds UTF-16 without a mark", "3\x000\x00\n\x00", "is UTF-16"},
		{"finds that of the other order too", "\x003\x000\x00\n", "is UTF-16"},
		{"takes bytes of which some are zero", "3\x000\x00\x01\x00", ""},
		{"takes a mark that is not at the start", "30\ufeff\n", ""},
	} {
		if got, _ := mark.UnexpectedEncoding([]byte(row.data)); got != row.want {
			t.Errorf("it %s: Of(%q) = %q, want %q", row.it, row.data, got, row.want)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, row := range []struct{ data, declared, want, encoding string }{
		{"\ufeffé", "latin1", "é", "utf-8"},
		{"\xe9\x80", "", "é€", "windows-1252"},
		{"\xe9\x80", "utf8", "é€", "windows-1252"},
		{"\xe9\x80", "utf8x", "é€", "windows-1252"},
		{"\xe9\x80", "none", "é€", "windows-1252"},
		{"\xe9\x80", "UTF-16", "é€", "windows-1252"},
		{strings.Repeat("a", 600) + "\xe9", "", strings.Repeat("a", 600) + "é", "windows-1252"},
		{"\xe9", "CP1251", "й", "cp1251"},
		{"\xff\xfea\x00\xe9\x00", "cp1251", "aé", "utf-16le"},
		{"\xfe\xff\x00a\x00\xe9", "", "aé", "utf-16be"},
		{"\x00a\x00b", "", "ab", "utf-16be"},
		{"a\x00b\x00", "", "ab", "utf-16le"},
	} {
		text, encoding := mark.Decode([]byte(row.data), row.declared)
		if text != row.want || encoding != row.encoding {
			t.Errorf("Decode(%q, %q) = %q, %q, want %q, %q", row.data, row.declared, text, encoding, row.want, row.encoding)
		}
	}
}
