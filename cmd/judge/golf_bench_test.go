package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"assay/judge/contests/golf"
)

// BenchmarkGolf measures proofs on all 10,000 inputs of wythoff, and how soon a wrong
// answer is refused. The program is built before.
func BenchmarkGolf(b *testing.B) {
	for _, row := range []struct {
		name, file string
		want       golf.Verdict
	}{
		{"function/python", "right/last_line_lambda.py", golf.Right},
		{"function/ruby", "right/helpers_then_lambda.rb", golf.Right},
		{"function/perl", "right/list_argument.pl", golf.Right},
		{"function/lua", "right/two_results.lua", golf.Right},
		{"program/c", "right/arguments.c", golf.Right},
		{"program/python", "right/reads_two_lines.py", golf.Right},
		{"program/perl", "right/arguments.pl", golf.Right},
		{"wrong/python", "wrong/one_input.py", golf.Wrong},
		{"wrong/tcl", "wrong/no_diagonal.tcl", golf.Wrong},
		{"wrong/jq", "wrong/phi_too_short.jq", golf.Wrong},
	} {
		b.Run(row.name, func(b *testing.B) {
			prove := func() {
				var out, errs bytes.Buffer
				run(b.Context(), []string{"golf", "wythoff", "testdata/golf/" + row.file, "--json"}, &console{in: strings.NewReader(""), out: &out, err: &errs})
				var r golf.Result
				if err := json.Unmarshal(out.Bytes(), &r); err != nil {
					b.Fatalf("%v\n%s%s", err, &out, &errs)
				}
				if strings.Contains(r.Log, missingTool) {
					b.Skip(r.Log)
				}
				if r.Verdict != row.want {
					b.Fatalf("%s, want %s", r.Text("wythoff"), row.want)
				}
			}
			var ignored bytes.Buffer // builds the setter's programs
			run(b.Context(), []string{"golf", "wythoff", "testdata/golf/wrong/one_input.py", "--quick"}, &console{in: strings.NewReader(""), out: &ignored, err: &ignored})
			for b.Loop() {
				prove()
			}
		})
	}
}
