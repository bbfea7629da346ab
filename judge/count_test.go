package judge_test

import (
	"testing"

	"assay/judge"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{-1: "-1 files", 0: "0 files", 1: "1 file", 2: "2 files", 1 << 40: "1099511627776 files"} {
		if got := judge.Quantity(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := judge.Quantity(1, "more line"); got != "1 more line" {
		t.Errorf("got %q", got)
	}
}
