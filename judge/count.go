package judge

import "fmt"

// Quantity formats a number with a noun, such as "1 file" or "2 files". The noun's plural must end with an added s.
func Quantity[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
