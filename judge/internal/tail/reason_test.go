package tail_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge/internal/tail"
)

// TestReason checks the reason found in error output of various runtimes. Each file in testdata/reasons.txtar is a
// trace whose first line is the expected reason.
func TestReason(t *testing.T) {
	traces, err := txtar.ParseFile(filepath.Join("testdata", "reasons.txtar"))
	if err != nil || len(traces.Files) == 0 {
		t.Fatalf("%d traces, %v", len(traces.Files), err)
	}
	for _, f := range traces.Files {
		t.Run(f.Name, func(t *testing.T) {
			want, trace, _ := strings.Cut(string(f.Data), "\n")
			for name, text := range map[string]string{
				"as it is":                 trace,
				"with Windows' line ends":  strings.ReplaceAll(trace, "\n", "\r\n"),
				"without the last newline": strings.TrimRight(trace, "\n"),
			} {
				if got := tail.Reason(text); got != want {
					t.Errorf("%s: Reason is %q, want %q", name, got, want)
				}
			}
			// A buffer that is too small for the trace keeps the reason, whatever the size of the writes.
			for _, size := range []int{1, 7, 1 << 20} {
				b := tail.Buffer{MaxBytes: 40}
				for rest := trace; rest != ""; {
					n := min(size, len(rest))
					fmt.Fprint(&b, rest[:n])
					rest = rest[n:]
				}
				if got := string(b.Bytes()); len(trace) > 40 && tail.Reason(got) != want && !strings.HasPrefix(f.Name, "words ") {
					t.Errorf("the end of it is %q, whose reason is %q, want %q", got, tail.Reason(got), want)
				}
			}
		})
	}
}

// TestBufferKeepsTheReason checks that the kept text begins with the reason, that the reason is not repeated, and
// that the length of the kept text is limited.
func TestBufferKeepsTheReason(t *testing.T) {
	b := tail.Buffer{MaxBytes: 20}
	fmt.Fprint(&b, "panic: "+strings.Repeat("x", 1000)+"\n\ngoroutine 1 [running]:\n")
	if got, want := string(b.Bytes()), "panic: "+strings.Repeat("x", 293)+"\n...outine 1 [running]:\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	b = tail.Buffer{MaxBytes: 20}
	fmt.Fprint(&b, "a lot of other things\npanic: short\n")
	if got, want := string(b.Bytes()), "...things\npanic: short\n"; got != want && !strings.HasSuffix(want, got[3:]) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if got := string(b.Bytes()); strings.Count(got, "panic:") != 1 {
		t.Errorf("kept %q, want the reason once", got)
	}
	for _, text := range []string{"other things\npanic: short\n", "other things\npanic: short"} {
		for most := range 14 {
			b := tail.Buffer{MaxBytes: most + 1}
			fmt.Fprint(&b, text)
			if got := tail.Reason(string(b.Bytes())); got != "panic: short" {
				t.Errorf("the reason of %q is %q in a buffer of %d bytes", text, got, most+1)
			}
		}
	}
	if got := tail.Reason(" \n\n"); got != "" {
		t.Errorf("the reason of nothing is %q", got)
	}
}

// FuzzReason checks that the reason in any text is a single line of limited length.
func FuzzReason(f *testing.F) {
	f.Add("panic: x\ngoroutine 1 [running]:\n")
	f.Add("Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: 1\n")
	f.Add("thread 'main' panicked at a.rs:1:2:\nx\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got := tail.Reason(text); strings.Contains(got, "\n") || len(got) > 300 {
			t.Errorf("Reason(%q) = %q", text, got)
		}
		var b tail.Buffer
		fmt.Fprint(&b, text)
		if got := b.Bytes(); len(got) > 2<<10+3+301 {
			t.Errorf("the end of %q has %d bytes", text, len(got))
		}
	})
}
