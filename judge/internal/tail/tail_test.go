package tail_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/internal/tail"
)

func ExampleBuffer() {
	b := tail.Buffer{MaxBytes: 5}
	fmt.Fprint(&b, "a long ")
	fmt.Fprint(&b, "story")
	fmt.Printf("%s\n", b.Bytes())
	// Output: ...story
}

// TestBuffer compares the buffer with the complete text.
func TestBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := tail.Buffer{MaxBytes: rapid.IntRange(1, 20).Draw(t, "most")}
		whole := ""
		for _, s := range rapid.SliceOf(rapid.StringN(0, 30, 40)).Draw(t, "writes") {
			if n, err := b.Write([]byte(s)); n != len(s) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			whole += s
		}
		want := whole
		if len(whole) > b.MaxBytes {
			want = "..." + whole[len(whole)-b.MaxBytes:]
		}
		if got := string(b.Bytes()); got != want {
			t.Errorf("kept %q of %q, want %q", got, whole, want)
		}
	})
	if b := (tail.Buffer{}); len(b.Bytes()) != 0 {
		t.Error("an empty buffer holds something")
	}
}
