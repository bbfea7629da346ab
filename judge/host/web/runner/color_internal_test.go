package runner

import (
	"testing"

	"assay/judge/host/store"
)

// TestColorName checks that a color code is not used as a name.
func TestColorName(t *testing.T) {
	for want, p := range map[string]store.ContestProblem{
		"dark red": {Color: "#ff0000", ColorName: "dark red"}, "": {Color: "#ff0000"}, "red": {Color: "red"},
		"green": {Color: "red", ColorName: "green"},
	} {
		if got := colorName(&p); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
}
