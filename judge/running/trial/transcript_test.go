package trial

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTranscript compares the transcript with one that keeps everything.
func TestTranscript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var talk transcript
		var all []string
		open := map[string]string{}
		long := rapid.IntRange(0, 300).Draw(t, "how much")
		for range long {
			mark := rapid.SampledFrom([]string{fromInteractor, fromProgram}).Draw(t, "who")
			text := rapid.SampledFrom([]string{
				"1\n", "2 3\n4\n", "half", " a line\n", "\n", strings.Repeat("long ", 30), "\x00\xff\n",
			}).Draw(t, "what")
			fmt.Fprint(talk.writer(mark), text)
			open[mark] += text
			for {
				line, rest, ended := strings.Cut(open[mark], "\n")
				if !ended {
					break
				}
				all, open[mark] = append(all, mark+" "+line), rest
			}
		}
		talk.pass(false)
		for _, mark := range []string{fromInteractor, fromProgram} {
			if open[mark] != "" {
				all = append(all, mark+" "+open[mark])
			}
		}
		got := strings.Split(strings.TrimSuffix(talk.String(), "\n"), "\n")
		if len(all) == 0 {
			got = nil
		}
		left := 0
		for i, line := range got {
			if _, err := fmt.Sscanf(line, "... %d lines are left out ...", &left); err == nil {
				got = append(got[:i:i], got[i+1:]...)
				all = append(all[:i:i], all[i+left:]...)
				break
			}
		}
		if len(got) != len(all) {
			t.Fatalf("%d lines, %d left out; want %d in all", len(got), left, len(all))
		}
		for i, line := range got {
			want := strings.TrimRight(strings.ReplaceAll(strings.ReplaceAll(all[i], "\x00", `\x00`), "\xff", `\xFF`), " ")
			if cut, long := strings.CutSuffix(line, "…"); long && strings.HasPrefix(want, cut) {
				continue
			}
			if line != want {
				t.Fatalf("line %d is %q, want %q", i+1, line, want)
			}
		}
		if most := 4*(dialogueHead+dialogueTail) + 100; len(talk.String()) > most {
			t.Fatalf("%d bytes are kept, at most %d should", len(talk.String()), most)
		}
	})
}
