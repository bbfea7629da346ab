package tex_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/judge/internal/golden"
	"assay/judge/internal/tex"
)

// elements maps the elements of MathML Core that formulas use to their required number of children. -1 means any
// number.
var elements = map[string]int{
	"math": -1, "mrow": -1, "mi": -1, "mn": -1, "mo": -1, "mtext": -1, "mspace": 0, "mfrac": 2, "msqrt": -1,
	"mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3,
	"mtable": -1, "mtr": -1, "mtd": -1, "mstyle": -1, "mphantom": -1,
}

var (
	tokens    = regexp.MustCompile(`<[^>]*>|[^<]+|<`)
	tag       = regexp.MustCompile(`^<([a-z]+)((?: [a-z]+="[^"<>&]*")*)>$`)
	character = regexp.MustCompile(`&(?:[a-z]+|#[0-9]+);`)
)

// check returns an error message if the MathML is wrong, otherwise an empty string.
func check(mathml string) string {
	type open struct {
		name     string
		children int
	}
	stack := []open{{name: ""}}
	for _, t := range tokens.FindAllString(mathml, -1) {
		top := &stack[len(stack)-1]
		leaf := slices.Contains([]string{"mi", "mn", "mo", "mtext"}, top.name)
		switch m := tag.FindStringSubmatch(t); {
		case strings.HasPrefix(t, "</"):
			if t != "</"+top.name+">" {
				return fmt.Sprintf("%s ends %s", t, top.name)
			}
			if want := elements[top.name]; want >= 0 && top.children != want {
				return fmt.Sprintf("%s has %d children, want %d", top.name, top.children, want)
			}
			stack = stack[:len(stack)-1]
		case m != nil:
			if _, known := elements[m[1]]; !known || leaf {
				return t + " does not belong into " + top.name
			}
			top.children++
			stack = append(stack, open{name: m[1]})
		case !leaf || strings.ContainsAny(t, `<>"`) || strings.Contains(character.ReplaceAllString(t, ""), "&"):
			return fmt.Sprintf("%q stands in %s", t, top.name)
		}
	}
	if len(stack) != 1 || stack[0].children != 1 {
		return "it is not one element"
	}
	return ""
}

// TestMathML checks the MathML of various formulas against testdata/formulas.mathml.
func TestMathML(t *testing.T) {
	data, err := os.ReadFile("testdata/formulas.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for i, source := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		drawn, ok := tex.MathML(source, i%2 == 1)
		if !ok {
			drawn = "cannot be drawn"
		} else if problem := check(drawn); problem != "" {
			t.Errorf("%s: %s\n%s", source, problem, drawn)
		}
		fmt.Fprintf(&out, "%s\n    %s\n", source, drawn)
	}
	golden.Check(t, "testdata/formulas.mathml", out.Bytes())
}

func TestWhatIsTooMuch(t *testing.T) {
	for name, source := range map[string]string{
		"too long":         strings.Repeat("x", 100<<10),
		"too deep":         strings.Repeat("{", 1000) + strings.Repeat("}", 1000),
		"too deep roots":   strings.Repeat(`\sqrt`, 10_000) + "x",
		"too deep scripts": strings.Repeat("x^{", 500) + "y" + strings.Repeat("}", 500),
	} {
		if _, ok := tex.MathML(source, false); ok {
			t.Errorf("%s: it is drawn", name)
		}
	}
}

func FuzzMathML(f *testing.F) {
	data, err := os.ReadFile("testdata/formulas.txt")
	if err != nil {
		f.Fatal(err)
	}
	for source := range strings.Lines(string(data)) {
		f.Add(strings.TrimSuffix(source, "\n"))
	}
	f.Add(strings.Repeat(`\sqrt`, 100))
	f.Add(`b_\pmod{m}`)
	f.Add(`\left(\begin{cases}\text{$\text{$x$}$}\end{cases}\right)^{'_a}`)
	f.Fuzz(func(t *testing.T, source string) {
		drawn, ok := tex.MathML(source, true)
		if !ok {
			return
		}
		if problem := check(drawn); problem != "" {
			t.Errorf("%q: %s\n%s", source, problem, drawn)
		}
	})
}
