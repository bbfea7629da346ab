package main

import (
	"strings"
	"testing"

	"assay/judge/contests/golf"
	"assay/judge/report"
)

// BenchmarkGolf measures exhaustive checks on all 10,000 inputs of wythoff, and the time until an incorrect
// submission is rejected. The setter's programs are already running.
func BenchmarkGolf(b *testing.B) {
	contest, stage := golfRange(b)
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
			for b.Loop() {
				r, err := contest.Prove(b.Context(), stage, "testdata/golf/"+row.file, golf.Reading{}, golf.Options{Seed: 1, Jobs: contest.Jobs})
				if err != nil {
					b.Fatal(err)
				}
				if strings.Contains(r.Log, missingTool) {
					b.Skip(r.Log)
				}
				if r.Verdict != row.want {
					b.Fatalf("%s, want %s", report.GolfText(&r.GolfProved), row.want)
				}
			}
		})
	}
}
