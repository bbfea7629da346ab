package contest

import (
	"fmt"
	"strings"
	"testing"

	"assay/judge/host/client"
)

// TestSamplesOf checks that a page lists the samples that the statement does not show. The first five must be
// shown at once, in a table if all of them are short.
func TestSamplesOf(t *testing.T) {
	sample := func(in, ans string) client.Sample { return client.Sample{Name: in, In: in + "\n", Ans: ans + "\n"} }
	many := func(n int) (all []client.Sample) {
		for i := range n {
			all = append(all, sample(fmt.Sprint(i), "x"))
		}
		return all
	}
	const shows = "## Examples\n\n| input | output |\n| --- | --- |\n| `1` | `x` |\n"
	for _, tt := range []struct {
		it            string
		samples       []client.Sample
		text          string
		shown, folded int
		short         bool
	}{
		{"has none", nil, shows, 0, 0, true},
		{"shows what the statement does not", many(3), "# Sum\n", 3, 0, true},
		{"leaves out what the statement shows", many(3), shows, 2, 0, true},
		{"shows a sample with another output than the statement's", []client.Sample{sample("1", "y")}, shows, 1, 0, true},
		{"shows five", many(5), "", 5, 0, true},
		{"folds the sixth", many(6), "", 5, 1, true},
		{"takes four lines as short", []client.Sample{sample("1\n2\n3\n4", "x")}, "", 1, 0, true},
		{"takes five lines as long", []client.Sample{sample("1\n2\n3\n4\n5", "x")}, "", 1, 0, false},
		{"takes a long line as long", []client.Sample{sample("1", strings.Repeat("ä", maxShortLine+1))}, "", 1, 0, false},
		{"counts letters and not bytes", []client.Sample{sample("1", strings.Repeat("ä", maxShortLine))}, "", 1, 0, true},
		{"takes a cut sample as long", []client.Sample{{Name: "1", In: "1", Ans: "x", Cut: true}}, "", 1, 0, false},
	} {
		shown, folded := splitSamples(&client.ProblemInfo{Samples: tt.samples}, tt.text, "/c/x/p/A")
		if len(shown.List) != tt.shown || len(folded.List) != tt.folded || shown.Short != tt.short || folded.Short != tt.short {
			t.Errorf("a page %s: %d shown, %d folded, short %t; want %d, %d, %t", tt.it, len(shown.List), len(folded.List), shown.Short, tt.shown,
				tt.folded, tt.short)
		}
	}
}
