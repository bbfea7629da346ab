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
		{"function/python", "right/last_line_lambda.py", golf.Correct},
		{"function/ruby", "right/helpers_then_lambda.rb", golf.Correct},
		{"function/perl", "right/list_argument.pl", golf.Correct},
		{"function/lua", "right/two_results.lua", golf.Correct},
		{"program/c", "right/arguments.c", golf.Correct},
		{"program/python", "right/reads_two_lines.py", golf.Correct},
		{"program/perl", "right/arguments.pl", golf.Correct},
		{"wrong/python", "wrong/one_input.py", golf.Incorrect},
		{"wrong/tcl", "wrong/no_diagonal.tcl", golf.Incorrect},
		{"wrong/jq", "wrong/phi_too_short.jq", golf.Incorrect},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				r, err := contest.CheckGolf(b.Context(), stage, "testdata/golf/"+row.file, golf.ReadOptions{},
					golf.Options{Seed: 1, Jobs: contest.Jobs})
				if err != nil {
					b.Fatal(err)
				}
				if strings.Contains(r.Log, missingTool) {
					b.Skip(r.Log)
				}
				if r.Verdict != row.want {
					b.Fatalf("%s, want %s", report.GolfResult(&r.GolfChecked), row.want)
				}
			}
		})
	}
}
