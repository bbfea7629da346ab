package intake_test

import (
	"errors"
	"testing"

	"assay/judge/host/intake"
)

// TestMemo checks that a value is computed again only after an error, or if it was too large or has been dropped.
func TestMemo(t *testing.T) {
	m := intake.Cache[string, int]{MaxBytes: 100}
	computed, failing := 0, errors.New("it fails")
	get := func(key string, size int64, err error) (int, error) {
		return m.Get(key, func() (int, int64, error) {
			computed++
			return computed, size, err
		})
	}
	for _, step := range []struct {
		key  string
		size int64
		err  error
		want int
	}{
		{"a", 60, failing, 1}, {"a", 60, nil, 2}, {"a", 60, nil, 2}, {"a", 60, failing, 2},
		{"b", 40, nil, 3}, {"a", 60, nil, 2}, {"b", 40, nil, 3},
		{"large", 101, nil, 4}, {"large", 101, nil, 5}, {"a", 60, nil, 2},
		{"c", 1, nil, 6}, {"a", 60, nil, 7}, {"c", 1, nil, 6}, {"b", 40, nil, 8}, {"c", 1, nil, 9},
	} {
		if got, err := get(step.key, step.size, step.err); got != step.want ||
			(err != nil) != (step.err != nil && got == computed && step.want == 1) {
			t.Errorf("%s: %d, %v, want %d", step.key, got, err, step.want)
		}
	}
}
