package collide

import (
	"strings"
	"testing"
)

func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		paths          string
		i              int
		earlier, later string
	}{
		{"", -1, "", ""},
		{"a b a/ab", 2, "a", "a/"},
		{"a/b a/c b/a", -1, "", ""},
		{"a/b a/b", 1, "a/b", "a/b"},
		{"a/ a/ a/b a/", -1, "", ""},
		{"a/b/ a/B/", 1, "a/b/", "a/B/"},
		{"a/b A/c", 1, "a/", "A/"},
		{"README readme", 1, "README", "readme"},
		{"a/b/c a/b", 1, "a/b/", "a/b"},
		{"a/b a/b/c/d", 1, "a/b", "a/b/"},
		{"x/y/z x/y/w X/q", 2, "x/", "X/"},
		{"\u212a k", 1, "\u212a", "k"}, // the Kelvin sign
		{"ſ S", 1, "ſ", "S"},
		{"\u00e9.in E\u0301.in", 1, "\u00e9.in", "E\u0301.in"}, // é as one code point and as two
	} {
		i, earlier, later := First(strings.Fields(tt.paths))
		if i != tt.i || earlier != tt.earlier || later != tt.later {
			t.Errorf("First(%q) = %d, %q, %q, want %d, %q, %q", tt.paths, i, earlier, later, tt.i, tt.earlier, tt.later)
		}
	}
}
