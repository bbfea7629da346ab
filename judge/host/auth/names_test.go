package auth

import (
	"strings"
	"testing"
)

func TestBadName(t *testing.T) {
	for _, name := range []string{
		"Ada", "李雷", "שלום עולם", "محمد 5", "می\u200cخواهم", "Zoë\u00a0Quinn", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "<b>&", "=1+1", "A\u200f1",
		strings.Repeat("W", 200), "?",
	} {
		if got := CheckName(name); got != "" {
			t.Errorf("%q is a name: %s", name, got)
		}
	}
	for name, want := range map[string]string{
		"": "missing", " \t": "missing", strings.Repeat("W", 201): "200 letters at most",
		"a\x00": "invisible character: character 2 is U+0000", "é\u200b\x00": "character 2 is U+200B",
		"a\x1b[31m": "invisible character", "a\nb": "invisible character",
		"a\u202eb": "invisible character", "a\u2066b": "invisible character", "a\u200bb": "invisible character",
		"\ufeffa": "invisible character", "\u200d": "no letter that anybody can see",
		"\u200f \u200f": "no letter that anybody can see", "a\xff": "not text in UTF-8", "a\u2028b": "invisible character",
		"a\x7f": "invisible character", "a\ue000": "invisible character",
	} {
		if got := CheckName(name); !strings.Contains(got, want) {
			t.Errorf("BadName(%q) = %q, want %q in it", name, got, want)
		}
	}
}
