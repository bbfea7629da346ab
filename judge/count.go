package judge

import "fmt"

// Count formats a number with a noun: "1 file" or "2 files". The plural of the noun must be formed by an s at
// its end.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
