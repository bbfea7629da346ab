package example

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/judge/internal/golden"
)

// show formats examples in a readable way.
func show(found []Example) string {
	var b strings.Builder
	for _, e := range found {
		degree := [...]string{"loose", "paired", "labeled"}[e.Certainty]
		fmt.Fprintf(&b, "%s: line %d %s -> line %d %s", degree, e.Input.Line, text(e.Input), e.Output.Line, text(e.Output))
		if len(e.OtherBlocks) > 2 {
			fmt.Fprintf(&b, " (of %d blocks)", len(e.OtherBlocks))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func text(t Text) string {
	if t.File != "" {
		return "file " + t.File
	}
	return fmt.Sprintf("%q", t.Text)
}

func TestFind(t *testing.T) {
	for _, row := range []struct {
		pattern string
		find    func(string) []Example
	}{{"testdata/*.md", Find}, {"testdata/*.tex", FindLaTeX}} {
		for _, file := range golden.Files(t, row.pattern) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := show(row.find(string(data)))
			golden.Check(t, file+".golden", []byte(got))
			if again := show(row.find(strings.ReplaceAll(string(data), "\n", "\r\n"))); again != got {
				t.Errorf("%s: with CRLF line ends\n%s", file, again)
			}
		}
	}
}

// TestBundled checks that all examples in the bundled problems are found.
func TestBundled(t *testing.T) {
	for problem, want := range map[string]int{"wythoff": 9, "sylver": 4, "pd-duel": 3} {
		data, err := os.ReadFile("../../../problems/" + problem + "/statement.md")
		if err != nil {
			t.Fatal(err)
		}
		if found := Find(string(data)); len(found) != want {
			t.Errorf("%s has %d examples, want %d\n%s", problem, len(found), want, show(found))
		}
	}
}

func TestSame(t *testing.T) {
	for _, row := range []struct {
		text Text
		file string
		want bool
	}{
		{Text{Text: "1 2\n3"}, "1 2\n3\n", true},
		{Text{Text: "1 2  \n3\t\n\n"}, "1 2\n3", true},
		{Text{Text: "\n1 2\n3"}, "1 2\r\n3\r\n", true},
		{Text{Text: "1  2"}, "1 2\n", false},
		{Text{Text: " 1 2"}, "1 2\n", false},
		{Text{Text: "1 2\n\n3"}, "1 2\n3\n", false},
		{Text{Text: "1 2 3"}, "1 2\n3\n", false},
		{Text{Text: "1 2 3", Cell: true}, "1 2\n3\n", true},
		{Text{Text: "a_b", Raw: `a\_b`}, `a\_b`, true},
		{Text{Text: "a_b", Raw: `a\_b`}, "a_b", true},
		{Text{Text: `a\_b`}, "a_b", false},
		{Text{Text: "1"}, "2", false},
		{Text{}, "", true},
		{Text{}, "1\n", false},
	} {
		if got := row.text.Equals(row.file); got != row.want {
			t.Errorf("%q is the same as %q: %v, want %v", row.text.Text, row.file, got, row.want)
		}
	}
}

func TestAbbreviates(t *testing.T) {
	for _, row := range []struct {
		text, file string
		want       bool
	}{
		{"1 2 3 ... 9", "1 2 3 4 5\n6 7 8 9\n", true},
		{"1 2 3 … 9", "1 2 3 4 9\n", true},
		{"1 ... 5 ... 9", "1 2 3 4 5\n6 7 8 9\n", true},
		{"1 2 ...", "1 2 3\n", true},
		{"... 3", "1 2 3\n", true},
		{"1 ... 8", "1 2 9\n", false},
		{"2 ... 9", "1 2 9\n", false},
		{"1 2 3 ... 1 2 3", "1 2 3", false},
		{"1 2 3", "1 2 3", false},
	} {
		if got := (Text{Text: row.text}).Abbreviates(row.file); got != row.want {
			t.Errorf("%q abbreviates %q: %v, want %v", row.text, row.file, got, row.want)
		}
	}
}

func TestDiffer(t *testing.T) {
	for _, row := range []struct {
		text, file, want string
	}{
		{"1\n2\n", "1\n3\n", "1 2 3"},
		{"1", "1\n3\n", "1  3"},
		{"1\n2", "1", "1 2 "},
		{"5", "6", "0 5 6"},
	} {
		at, shown, want := Text{Text: row.text}.FirstDifference(row.file)
		if got := fmt.Sprint(at, " ", shown, " ", want); got != row.want {
			t.Errorf("%q and %q differ at %q, want %q", row.text, row.file, got, row.want)
		}
	}
}

func TestClassify(t *testing.T) {
	for words, want := range map[string]string{
		"Sample Input 1":                 "example input 1 exact",
		"**Sample Output #2:**":          "example output 2 exact",
		"Input":                          "input exact",
		"Output for the sample input":    "example output exact",
		"Input and output":               "exact",
		"Sample 3, two jokers":           "example 3 foreign exact",
		"Example: a walk through":        "example foreign",
		"Examples":                       "example exact",
		"Beispieleingabe 1":              "example input 1 exact",
		"Beispiel-Ausgabe":               "example output exact",
		"Ausgabe zur Beispieleingabe":    "example output exact",
		"Entrée de l'exemple":            "example input exact",
		"Exemple de sortie":              "example output exact",
		"Ejemplo de entrada 2":           "example input 2 exact",
		"Salida del ejemplo":             "example output exact",
		"Примеры":                        "example exact",
		"Пример входных данных":          "example input exact",
		"Выходные данные":                "output exact",
		"Exemplo de saída":               "example output exact",
		"Explanation of the sample":      "example remark exact",
		"Пояснение":                      "remark exact",
		"The input has n lines":          "input foreign",
		"Source":                         "foreign",
		strings.Repeat("Sample ", 30):    "foreign",
		"Format of the input":            "input foreign",
		"Standard Input":                 "input exact",
		"Example 2 (a tie)":              "example 2 foreign exact",
		"Sample input 1: a tie of three": "example input 1 foreign exact",
	} {
		c := classify(words)
		var got []string
		for _, w := range []struct {
			is   bool
			word string
		}{{c.example, "example"}, {c.role == input, "input"}, {c.role == output, "output"}, {c.number != "", c.number},
			{c.remark, "remark"}, {c.foreign, "foreign"}, {c.exact, "exact"}} {
			if w.is {
				got = append(got, w.word)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is %q, want %q", words, strings.Join(got, " "), want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, pattern := range []string{"testdata/*.md", "testdata/*.tex"} {
		for _, file := range golden.Files(f, pattern) {
			data, _ := os.ReadFile(file)
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		count := 1 + strings.Count(s, "\n") + strings.Count(s, "\r")
		for _, find := range []func(string) []Example{Find, FindLaTeX} {
			for _, e := range find(s) {
				if e.Input.Line < 1 || e.Input.Line > count+1 || e.Output.Line < 1 || e.Output.Line > count+1 {
					t.Errorf("lines %d and %d of %d", e.Input.Line, e.Output.Line, count)
				}
				if !e.Input.Equals(e.Input.Text) {
					t.Errorf("%q is not the same as itself", e.Input.Text)
				}
			}
		}
	})
}
