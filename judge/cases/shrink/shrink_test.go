package shrink_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/cases/shrink"
)

// counted reports whether the text is a number n followed by n lines of one integer each. If so, it returns the
// integers.
func counted(text []byte) (numbers []int, ok bool) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	n, err := strconv.Atoi(lines[0])
	if err != nil || n != len(lines)-1 {
		return nil, false
	}
	for _, line := range lines[1:] {
		k, err := strconv.Atoi(line)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, k)
	}
	return numbers, true
}

func TestText(t *testing.T) {
	has := func(words ...string) func(string) bool {
		return func(text string) bool {
			for _, w := range words {
				if !strings.Contains(text, w) {
					return false
				}
			}
			return true
		}
	}
	numbers := func(want func(n []int) bool) func(string) bool {
		return func(text string) bool {
			n, ok := counted([]byte(text))
			return ok && want(n)
		}
	}
	for _, row := range []struct {
		it    string
		input string
		holds func(string) bool
		want  string
	}{
		{"takes everything away where anything holds", "3 4\nx y\n", func(string) bool { return true }, ""},
		{"keeps the two words that matter", "aa bb x1 cc\ndd ee\ny2 ff\n", has("x1", "y2"), "x1\ny2\n"},
		{"lowers a count with its lines", "6\n5\n9\n70\n8\n7\n6\n", numbers(func(n []int) bool {
			for _, k := range n {
				if k >= 50 {
					return true
				}
			}
			return false
		}), "1\n50\n"},
		{"lowers a count that two lines follow", "3\n4 5 6\n7 8 9\n", func(text string) bool {
			var n int
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if len(lines) != 3 {
				return false
			}
			_, err := fmt.Sscanf(lines[0], "%d", &n)
			a, b := strings.Fields(lines[1]), strings.Fields(lines[2])
			return err == nil && n == len(a) && n == len(b) && n > 0 && a[n-1] < b[n-1]
		}, "1\n0\n1\n"},
		{"lowers counts inside blocks", "2\n2\n5 6\n3\n7 8 9\n", func(text string) bool {
			fields := strings.Fields(text)
			next := func() int {
				if len(fields) == 0 {
					return -1
				}
				n, err := strconv.Atoi(fields[0])
				fields = fields[1:]
				if err != nil {
					return -1
				}
				return n
			}
			found := false
			for range next() {
				k := next()
				for range k {
					x := next()
					if x < 0 {
						return false
					}
					found = found || k >= 2 && x >= 4
				}
			}
			return found && len(fields) == 0 && strings.HasSuffix(text, "\n")
		}, "1\n2\n0 4\n"},
		{"narrows a grid with its sizes", "3 4\n....\n..#.\n....\n", func(text string) bool {
			var h, w int
			lines := strings.Split(text, "\n")
			if _, err := fmt.Sscanf(lines[0], "%d %d", &h, &w); err != nil || len(lines) != h+2 {
				return false
			}
			for _, l := range lines[1 : h+1] {
				if len(l) != w || strings.Trim(l, ".#") != "" {
					return false
				}
			}
			return strings.Contains(text, "#")
		}, "1 1\n#\n"},
		{"keeps the difference of two numbers", "165580140 267914295\n", func(text string) bool {
			var a, b int64
			n, err := fmt.Sscanf(text, "%d %d\n", &a, &b)
			return err == nil && n == 2 && a >= 7 && b-a == 267914295-165580140
		}, "7 102334162\n"},
		{"removes a minus that does not matter", "-17\n", func(text string) bool {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			return err == nil && (n > 12 || n < -12)
		}, "13\n"},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			got, err := shrink.Text(
				t.Context(), []byte(row.input), shrink.Budget{},
				func(text []byte) (bool, error) { return row.holds(string(text)), nil }, nil,
			)
			if err != nil || string(got.Text) != row.want || !got.Done {
				t.Errorf("Text(%q) = %q, done %v, %v; want %q", row.input, got.Text, got.Done, err, row.want)
			}
		})
	}
}

// TestTextProperties checks that the result has the property, is not larger than the input, is reproducible, and
// is minimal.
func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.IntRange(-50, 500), 1, 30).Draw(t, "numbers")
		limit := rapid.IntRange(0, 600).Draw(t, "limit")
		many := rapid.IntRange(0, 3).Draw(t, "many")
		holds := func(text []byte) (bool, error) {
			n, ok := counted(text)
			sum := 0
			for _, k := range n {
				sum += k
			}
			return ok && len(n) >= many && sum >= limit, nil
		}
		var b bytes.Buffer
		fmt.Fprintln(&b, len(numbers))
		for _, k := range numbers {
			fmt.Fprintln(&b, k)
		}
		input := b.Bytes()
		before := bytes.Clone(input)
		var steps []shrink.Step
		got, err := shrink.Text(context.Background(), input, shrink.Budget{}, holds, func(s shrink.Step) { steps = append(steps, s) })
		if held, _ := holds(input); !held {
			if !errors.Is(err, shrink.ErrPropertyNotHeld) {
				t.Fatalf("Text(%q): %v, want ErrNotHeld", input, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(input, before) {
			t.Fatalf("Text changed its input")
		}
		if ok, _ := holds(got.Text); !ok || shrink.Less(input, got.Text) {
			t.Fatalf("Text(%q) = %q: property %v", input, got.Text, ok)
		}
		for i := 1; i < len(steps); i++ {
			if !shrink.Less(steps[i].Text, steps[i-1].Text) {
				t.Fatalf("step %q after %q is no smaller", steps[i].Text, steps[i-1].Text)
			}
		}
		again, err := shrink.Text(context.Background(), input, shrink.Budget{}, holds, nil)
		if err != nil || !bytes.Equal(again.Text, got.Text) || again.Evaluations != got.Evaluations {
			t.Fatalf("Text(%q) = %q and then %q, %v", input, got.Text, again.Text, err)
		}
		minimal(t, got.Text, holds)
	})
}

// minimal fails the test if the property still holds after a number has been lowered by one, or removed with the
// count lowered.
func minimal(t *rapid.T, text []byte, holds func([]byte) (bool, error)) {
	numbers, _ := counted(text)
	write := func(numbers []int) []byte {
		var b bytes.Buffer
		fmt.Fprint(&b, len(numbers))
		for _, k := range numbers {
			fmt.Fprint(&b, "\n", k)
		}
		return b.Bytes()
	}
	for i := range numbers {
		without := append(append([]int{}, numbers[:i]...), numbers[i+1:]...)
		if c := write(without); shrink.Less(c, text) {
			if ok, _ := holds(c); ok {
				t.Fatalf("%q is not minimal: %q has the property", text, c)
			}
		}
		lower := append([]int{}, numbers...)
		lower[i]--
		if c := write(lower); shrink.Less(c, text) {
			if ok, _ := holds(c); ok {
				t.Fatalf("%q is not minimal: %q has the property", text, c)
			}
		}
	}
}

// TestTheLastLineFeedStays checks that a text keeps its final line feed, and that a text without one gets none.
func TestTheLastLineFeedStays(t *testing.T) {
	for _, row := range []struct {
		input, want string
		counted     bool // whether the first number must count the lines
	}{
		{"aa bb cc\n41 42\ndd\n", "41\n", false},
		{"aa bb cc\n41 42\ndd", "41", false},
		{"3\n1\n41\n2\n", "41\n", false},
		{"3\n1\n41\n2", "41", false},
		{"2 x\n41 2 xxx\n", "41\n", false},
		{"2 x\n41 2 xxx", "41", false},
		{"3\n1\n41\n2\n", "1\n41\n", true},
		{"3\n1\n41\n2", "1\n41", true},
	} {
		ended := strings.HasSuffix(row.input, "\n")
		got, err := shrink.Text(t.Context(), []byte(row.input), shrink.Budget{}, func(text []byte) (bool, error) {
			if _, ok := counted(text); row.counted && !ok {
				return false, nil
			}
			return bytes.Contains(text, []byte("41")) && bytes.HasSuffix(text, []byte("\n")) == ended, nil
		}, nil)
		if err != nil || string(got.Text) != row.want {
			t.Errorf("Text(%q) = %q, %v; want %q", row.input, got.Text, err, row.want)
		}
	}
}

func TestTextEndsEarly(t *testing.T) {
	input := []byte("5\n1\n2\n3\n4\n5\n")
	calls := 0
	holds := func(text []byte) (bool, error) {
		calls++
		_, ok := counted(text)
		return ok, nil
	}
	t.Run("at its budget", func(t *testing.T) {
		got, err := shrink.Text(t.Context(), input, shrink.Budget{Evaluations: 3}, holds, nil)
		if err != nil || got.Done || got.Evaluations != 3 || calls != 3 {
			t.Errorf("Text = %+v, %v after %d calls, want 3 and not done", got, err, calls)
		}
	})
	t.Run("at an error of the property, with what it has", func(t *testing.T) {
		broken := errors.New("broken")
		got, err := shrink.Text(t.Context(), input, shrink.Budget{}, func(text []byte) (bool, error) {
			if len(text) < 8 {
				return false, broken
			}
			return true, nil
		}, nil)
		if !errors.Is(err, broken) || len(got.Text) < 8 {
			t.Errorf("Text = %q, %v; want an error and a text of at least 8 bytes", got.Text, err)
		}
	})
	t.Run("at the end of the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := shrink.Text(ctx, input, shrink.Budget{}, holds, nil); !errors.Is(err, context.Canceled) || !bytes.Equal(got.Text, input) {
			t.Errorf("Text = %q, %v", got.Text, err)
		}
	})
}

func TestLess(t *testing.T) {
	ordered := []string{"", "0", "9", "a", "z", "A", "Z", "-", "00", "a0", "A0", "-1"}
	for i, a := range ordered {
		for k, b := range ordered {
			if got := shrink.Less([]byte(a), []byte(b)); got != (i < k) {
				t.Errorf("Less(%q, %q) = %v", a, b, got)
			}
		}
	}
}

// FuzzParse checks that a document reproduces the parsed text, and that its guesses can be applied.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a", "3\n1 2 3\n", "2 2\n..\n.#", "2\n1\n5\n2\n6 7\n", " a  b \n\n", "2\n1\n5\n1\n6\n",
		"\x00\xff\n-1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := shrink.Parse(text)
		if got := d.Bytes(); !bytes.Equal(got, text) {
			t.Fatalf("Parse(%q).Bytes() = %q", text, got)
		}
		if len(text) > 1000 {
			return
		}
		for _, s := range d.Series() {
			if less := d.WithoutItems(s, 0, len(s.Items)).Bytes(); len(less) > len(text) {
				t.Errorf("Without(%+v) = %q, more than %q", s, less, text)
			}
			if more := d.WithItemTwice(s, len(s.Items)-1).Bytes(); len(more) < len(text) {
				t.Errorf("Twice(%+v) = %q, less than %q", s, more, text)
			}
		}
	})
}

// halves is a Shape that proposes the first half of a text. It accepts only texts of letters.
type halves struct{ asked int }

func (h *halves) Propose(text []byte, try func(string, []byte) bool, over func() bool) bool {
	h.asked++
	if bytes.Trim(text, "abc\n") != nil {
		return false
	}
	for !over() && len(text) > 2 && try("half", text[:len(text)/2]) {
		text = text[:len(text)/2]
	}
	return true
}

func TestGuided(t *testing.T) {
	for _, row := range []struct{ it, input, want string }{
		{"takes what the shape proposes", "abcabcabcabcabc", "a"},
		{"guesses at a text that the shape does not know", "3\n7\n8\n9\n", "\n"},
	} {
		shape := &halves{}
		var passes []string
		got, err := shrink.TextWithShape(
			t.Context(), []byte(row.input), shape, shrink.Budget{},
			func(text []byte) (bool, error) { return len(text) > 0, nil },
			func(s shrink.Step) { passes = append(passes, s.Pass) },
		)
		if err != nil || string(got.Text) != row.want || !got.Done || shape.asked == 0 {
			t.Errorf("it %s: Guided(%q) = %+v, %v by %q; want %q", row.it, row.input, got, err, passes, row.want)
		}
	}
	t.Run("it ends with its budget", func(t *testing.T) {
		got, err := shrink.TextWithShape(
			t.Context(), []byte("abcabcabc"), &halves{}, shrink.Budget{Evaluations: 2},
			func([]byte) (bool, error) { return true, nil }, nil,
		)
		if err != nil || got.Done || got.Evaluations > 2 || string(got.Text) != "abca" {
			t.Errorf("Guided = %+v, %v", got, err)
		}
	})
}

func BenchmarkText(b *testing.B) {
	var input bytes.Buffer
	fmt.Fprintln(&input, 2000)
	for i := range 2000 {
		fmt.Fprintln(&input, i*7919%10007)
	}
	evaluations := 0
	for b.Loop() {
		got, err := shrink.Text(b.Context(), input.Bytes(), shrink.Budget{}, func(text []byte) (bool, error) {
			n, ok := counted(text)
			for i := range n {
				if i > 0 && n[i] > n[i-1] && n[i] > 5000 {
					return ok, nil
				}
			}
			return false, nil
		}, nil)
		if err != nil || string(got.Text) != "2\n0\n5001\n" {
			b.Fatalf("Text = %q, %v", got.Text, err)
		}
		evaluations += got.Evaluations
	}
	b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds(), "evaluations/s")
	b.ReportMetric(float64(evaluations)/float64(b.N), "evaluations/text")
}

func ExampleText() {
	input := []byte("4\n17\n99\n3\n50\n")
	result, err := shrink.Text(context.Background(), input, shrink.Budget{Evaluations: 1000}, func(text []byte) (bool, error) {
		numbers, valid := counted(text)
		for _, n := range numbers {
			if n > 42 {
				return valid, nil // the bug occurs with any number above 42
			}
		}
		return false, nil
	}, nil)
	fmt.Printf("%s%v\n", result.Text, err)
	// Output:
	// 1
	// 43
	// <nil>
}
