package mutate

import (
	_ "embed"
	"fmt"
	"strings"
)

// harnessFile is the name of the harness in the program. Go initializes the package variables of the first file
// first, so the name must sort first.
const harnessFile = "0_assay.go"

//go:embed harness.txt
var harnessText string

// harness writes the harness of a program.
func harness(blocks int, resets []string, forks bool) []byte {
	var b strings.Builder
	b.WriteString(harnessText)
	fmt.Fprintf(&b, "\nvar assay_cover [%d]bool\n\nconst assay_forks = %t\n\nfunc assay_reset() {\n", blocks, forks)
	for _, call := range resets {
		fmt.Fprintf(&b, "\t%s()\n", call)
	}
	b.WriteString("}\n")
	for n := 1; n <= maxPicks; n++ {
		params := make([]string, n)
		for i := range params {
			params[i] = fmt.Sprintf("a%d", i)
		}
		list := strings.Join(params, ", ")
		fmt.Fprintf(&b, "\nfunc assay_pick%d[T any](site uint, x, %s T) T {\n\tif assay_M-site >= %d {\n\t\treturn x\n\t}\n"+
			"\treturn [...]T{%s}[assay_M-site]\n}\n", n, list, n, list)
	}
	return []byte(b.String())
}
