package strict

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"assay/judge"
)

// Duration is a time.Duration written as "1s", "500ms" or "1m30s".
type Duration time.Duration

// Want describes the accepted format.
func (Duration) Want() string { return `a duration in quotes such as "1s" or "500ms"` }

// UnmarshalText parses a duration, which must not be negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.ReplaceAll(string(text), " ", ""))
	switch {
	case err != nil:
		return &judge.ProblemError{
			Text: fmt.Sprintf("%.40q is not a duration", text),
			Hint: `write a number and a unit: "500ms", "1s", "2m"`,
		}
	case v < 0:
		return &judge.ProblemError{Text: fmt.Sprintf("%.40q is negative", text), Hint: `write a number and a unit: "500ms", "1s", "2m"`}
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText formats a duration for UnmarshalText.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Size is a number of bytes written as "64KiB", "256 MiB", "1GB" or "512". Units without an i are powers of ten.
type Size int64

// Want describes the accepted format.
func (Size) Want() string { return `a size in quotes such as "256MiB"` }

// units lists the units of a size, and the number of bytes of each.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1}, {"", 1},
}

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(text []byte) error {
	const hint = `write a number and a unit: "64KiB", "256MiB", "1GiB"`
	written := strings.TrimSpace(string(text))
	for _, unit := range units {
		number, ok := strings.CutSuffix(written, unit.name)
		if !ok {
			continue
		}
		number = strings.TrimSpace(number)
		if whole, err := strconv.ParseUint(number, 10, 63); err == nil && int64(whole) <= math.MaxInt64/unit.bytes {
			*s = Size(int64(whole) * unit.bytes)
			return nil
		}
		part, err := strconv.ParseFloat(number, 64)
		if err != nil || strings.ContainsAny(number, "xXpPnN+-_eE") {
			break
		}
		if n := part * float64(unit.bytes); n < 1<<62 {
			*s = Size(math.Round(n))
			return nil
		}
		return &judge.ProblemError{Text: fmt.Sprintf("%.40q is too large", text), Hint: hint}
	}
	return &judge.ProblemError{Text: fmt.Sprintf("%.40q is not a size", text), Hint: hint}
}

// String formats the size with the largest unit that gives an integer.
func (s Size) String() string {
	for _, unit := range units[:4] {
		if n := int64(s); n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", n/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// MarshalText formats a size for UnmarshalText.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
