package example

import "testing"

func TestShows(t *testing.T) {
	const in, out = "1 2\n3\n", "6\n"
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"an example":                         {"## Example\n\n```\n1 2\n3\n```\n\n```\n6\n```\n", true},
		"two blocks without words":           {"Look:\n\n```\n1 2\n3\n```\n\nbecomes\n\n```\n6\n```\n", true},
		"words of an unknown language":       {"## Mfano\n\n<pre>1 2\n3</pre>\n\n<pre>6</pre>\n", true},
		"a table without known words":        {"| stdin | stdout |\n| --- | --- |\n| 1 2<br>3 | 6 |\n", true},
		"both in one block":                  {"```\nInput\n1 2\n3\n\nOutput\n6\n```\n", true},
		"both in one block behind words":     {"```\nInput: 1 2\n3\nOutput: 6\n```\n", true},
		"both in one block below underlines": {"```\n--- Sample Input ---\n1 2\n3\n--- Sample Output ---\n6\n```\n", true},
		"both in one block without words":    {"```\n1 2\n3\n6\n```\n", true},
		"another output":                     {"```\n1 2\n3\n```\n\n```\n7\n```\n", false},
		"a block between":                    {"```\n1 2\n3\n```\n\n```\n5\n```\n\n```\n6\n```\n", false},
		"the output first":                   {"```\n6\n```\n\n```\n1 2\n3\n```\n", false},
		"the input alone":                    {"```\n1 2\n3\n```\n", false},
		"a program":                          {"```c\n1 2\n3\n```\n\n```c\n6\n```\n", false},
		"more in the block":                  {"```\nInput\n1 2\n3\nOutput\n6\n7\n```\n", false},
		"words that say something else":      {"```\nStep:\n1 2\n3\nOutput\n6\n```\n", false},
		"none":                               {"Add.\n", false},
	} {
		if got := Shows(tt.text)(in, out); got != tt.want {
			t.Errorf("%s: shown %v, want %v", name, got, tt.want)
		}
	}
	if Shows("```\n1\n```\n\n```\n\n```\n")("1\n", "") {
		t.Error("a sample without output is shown by an empty block")
	}
	if Shows("```\nInput\n```\n")("\n", "\n") {
		t.Error("an empty sample is shown by a block of words")
	}
	if !Shows("## Sample\n\n```\n7\n```\n\n```\n8\n```\n")("7\n", "8\n") {
		t.Error("an example is not shown")
	}
}
