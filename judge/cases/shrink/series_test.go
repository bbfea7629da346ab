package shrink_test

import (
	"slices"
	"testing"

	"assay/judge/cases/shrink"
)

// TestSeries checks the guesses for the first number of a text. Each guess is represented by the text without the
// first counted item.
func TestSeries(t *testing.T) {
	for _, row := range []struct {
		it, text string
		want     []string
	}{
		{"counts the lines that follow", "2\np q r s\nt u v w\n", []string{"1\nt u v w\n"}},
		{"counts the first of the lines that follow", "2\np q r s\nt u v w\nx y z 0\n", []string{"1\nt u v w\nx y z 0\n"}},
		{"counts all lines that follow as one block", "1\np q r s\nt u v w\n", []string{"0\nt u v w\n", "0\n"}},
		{"counts blocks of the same size", "2\np q r s\nt u v w\nx y z 0\n1 2 3 4\n", []string{
			"1\nt u v w\nx y z 0\n1 2 3 4\n", "1\nx y z 0\n1 2 3 4\n",
		}},
		{"counts nodes, with a line for each edge", "3\np q r s\nt u v w\n", []string{"2\nt u v w\n"}},
		{"counts no nodes where there are no edges", "1\n", nil},
		{"counts blocks of lines with a count of their own", "2\n1 x x x\np q r s\n2 x x x\nt u v w\nx y z 0\n", []string{
			"1\np q r s\n2 x x x\nt u v w\nx y z 0\n", "1\n2 x x x\nt u v w\nx y z 0\n",
		}},
		{"counts blocks of words with a count of their own", "2\n3 x x x\np q r\n5 x x x\nt u v w z\n", []string{
			"1\np q r\n5 x x x\nt u v w z\n", "1\n5 x x x\nt u v w z\n", "1\n5 x x x\nt u v w z\n",
		}},
		{"counts the words behind it", "2 a b\n", []string{"1 b\n"}},
		{"counts groups of the words behind it", "2 a b c d\n", []string{"1 c d\n"}},
		{"counts no words where they are not a multiple of it", "2 a b c\n", nil},
		{"counts no words where there are fewer", "2 a\n", nil},
		{"counts the words of a line below", "4\na b c d\n", []string{"3\nb c d\n"}},
		{"counts one more than the words of a line below", "5\na b c d\n", []string{"4\nb c d\n"}},
		{"counts neither two more nor one less than the words of a line", "6\na b c d\na b c d e f g\n", nil},
		{
			"counts the words of up to four lines below", "2\na\nb\nc\nd\ne\n",
			[]string{"1\nb\nc\nd\ne\n", "1\n\nb\nc\nd\ne\n", "1\na\n\nc\nd\ne\n", "1\na\nb\n\nd\ne\n", "1\na\nb\nc\n\ne\n"},
		},
		{"counts columns of words, and the words of each line", "3\na b c\nd e f\n", []string{
			"2\nd e f\n", "2\nb c\ne f\n", "2\nb c\nd e f\n", "2\na b c\ne f\n",
		}},
		{"counts columns of letters", "7\nabcdefg\nhijklmn\n", []string{"6\nbcdefg\nijklmn\n"}},
		{"counts the letters of a word", "7\nabcdefg\n", []string{"6\nbcdefg\n"}},
		{"is not 0", "0\na\n", nil},
		{"is not negative", "-1\na\n", nil},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			d := shrink.Parse([]byte(row.text))
			var got []string
			for _, s := range d.Series() {
				if s.Head == (shrink.Position{}) {
					got = append(got, string(d.WithoutItems(s, 0, 1).Bytes()))
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("of %q it makes %q, want %q", row.text, got, row.want)
			}
		})
	}
}
