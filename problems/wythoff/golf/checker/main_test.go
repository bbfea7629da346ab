package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"assay/judge/kit"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		text   string
		want   place
		policy bool // whether a note is due
		ok     bool
	}{
		{"8 13", place{8, 13}, false, true}, {" 8\n13\n", place{8, 13}, false, true}, {"8,13", place{8, 13}, false, true},
		{"(8, 13)", place{8, 13}, false, true}, {"[8,13]", place{8, 13}, false, true}, {"{8, 13}", place{8, 13}, false, true},
		{"<8|13>", place{8, 13}, false, true}, {"8;13", place{8, 13}, false, true}, {"8:13", place{8, 13}, false, true},
		{"(8 . 13)", place{8, 13}, false, true}, {"8.0 13.0", place{8, 13}, false, true}, {"[8.,13.]", place{8, 13}, false, true},
		{`["8","13"]`, place{8, 13}, false, true}, {"(8)\t(13)", place{8, 13}, false, true}, {"08 013", place{8, 13}, false, true},
		{"[(8,13)]", place{8, 13}, true, true}, {"[[8,13]]", place{8, 13}, true, true}, {"((8, 13),)", place{8, 13}, true, true},
		{"Just (8,13)", place{8, 13}, true, true}, {"Some((8, 13))", place{8, 13}, true, true},
		{"8+13i", place{8, 13}, true, true}, {"(8+13j)", place{8, 13}, true, true}, {"9j", place{0, 9}, true, true},
		{"8.0 + 13.0*I", place{8, 13}, true, true},
		{`{"a":8,"b":13}`, place{8, 13}, true, true}, {"{x: 8, y: 13}", place{8, 13}, true, true}, {"[1]  8 13", place{8, 13}, true, true},
		{"99999999999999999999 1", place{1 << 30, 1}, false, true},
		{text: "813"}, {text: "8"}, {text: ""}, {text: "8 13 21"}, {text: "8 13\n3 5"}, {text: "[(8,13),(3,5)]"}, {text: "to 8 13"},
		{text: "8 13 wins"}, {text: "-1 -1"}, {text: "-8 13"}, {text: "+8 +13"}, {text: "8.5 13"}, {text: "0"}, {text: "False"},
		{text: "None"}, {text: "[]"}, {text: "8e0 13"}, {text: "٨ ١٣"}, {text: "[1] 0"}, {text: "8-13"}, {text: "8.13"}, {text: "8/13"},
	} {
		got, policy, ok := parse(row.text)
		if got != row.want || ok != row.ok || ok && (policy != "") != row.policy {
			t.Errorf("parse(%q) = %v, %q, %v; want %v, a note %v, %v", row.text, got, policy, ok, row.want, row.policy, row.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"8 13", "[(8,13)]", "Just (8,13)", "8+13i", `{"a":8,"b":13}`, "[1] 8 13", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, _, ok := parse(text)
		if ok && (p.i < 0 || p.j < 0) {
			t.Errorf("parse(%q) = %v", text, p)
		}
		if q, _, again := parse(" " + text + "\n"); q != p || again != ok {
			t.Errorf("blanks around %q change what it is", text)
		}
	})
}

// TestLostAgainstTheRules marks what the rules make won.
func TestLostAgainstTheRules(t *testing.T) {
	const n = 130
	var won [n][n]bool
	count := 0
	for i := range n {
		for j := range n {
			if lost(place{i, j}) == won[i][j] {
				t.Fatalf("lost(%d, %d) = %v", i, j, won[i][j])
			}
			if won[i][j] {
				continue
			}
			if i < 100 && j < 100 {
				count++
			}
			for take := 1; take < n; take++ {
				for _, to := range []place{{i + take, j}, {i, j + take}, {i + take, j + take}} {
					if to.i < n && to.j < n {
						won[to.i][to.j] = true
					}
				}
			}
		}
	}
	if count != 77 {
		t.Errorf("%d lost positions, want 77", count)
	}
}

func TestCheck(t *testing.T) {
	for _, row := range []struct {
		it      string
		answers string // "input = output" for each line
		wrong   []int
		notes   int
		says    string
	}{
		{"takes any winning move", "5 7 = 4 7\n5 7 = 5,3\n5 7 = (3, 5)", nil, 0, ""},
		{"refuses a move that does not win", "4 6 = 3 6", []int{0}, 0, ""},
		{"refuses what is not a move", "4 6 = 5 3", []int{0}, 0, ""},
		{"takes one text in lost positions", "4 7 = no\n1 2 = no", nil, 0, "lost positions give no"},
		{"takes nothing in lost positions, with a note", "4 7 = \n1 2 = ", nil, 1, "lost positions give nothing"},
		{"refuses a position in a lost one", "4 7 = 0 0", []int{0}, 0, ""},
		{"refuses the text of fewer inputs", "0 0 = False\n4 7 = 0\n1 2 = 0", []int{0}, 0,
			"lost positions give 0 (2 inputs, e.g. 4 7), False (1 input: 0 0)"},
		{"compares texts, not values", "4 7 = 0\n1 2 = 0.0", []int{1}, 0, "lost positions give 0 (1 input: 4 7), 0.0 (1 input: 1 2)"},
		{"refuses the losing text in a won position", "4 7 = 0\n4 6 = 0", []int{1}, 0, "lost positions give 0"},
		{"notes a policy once", "4 6 = [(3,5)]\n0 9 = [(0,0)]", nil, 1, ""},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			var g kit.Golf
			for _, line := range strings.Split(row.answers, "\n") {
				in, out, _ := strings.Cut(line, " =")
				g.Answers = append(g.Answers, kit.GolfAnswer{In: strings.Fields(in), Out: []byte(out)})
			}
			check(&g)
			report := g.Report()
			var wrong []int
			for _, w := range report.Wrong {
				wrong = append(wrong, w.Index)
			}
			if !reflect.DeepEqual(wrong, row.wrong) || len(report.Notes) != row.notes || row.says != strings.Join(report.Says, "|") {
				text, _ := json.Marshal(report)
				t.Errorf("%s", text)
			}
		})
	}
}
