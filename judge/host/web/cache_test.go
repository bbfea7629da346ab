package web_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/web"
)

// TestNumberCache checks that each id's number is queried at most twice per second, and that errors are not
// cached.
func TestNumberCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c web.NumberCache
		asked := map[string]int64{}
		var failing error
		query := func(_ context.Context, id string) (int64, error) {
			asked[id]++
			return asked[id], failing
		}
		want := func(id string, number int64, wrong error) {
			t.Helper()
			if got, err := c.Last(t.Context(), id, query); got != number || !errors.Is(err, wrong) {
				t.Errorf("%s: %d, %v; want %d, %v", id, got, err, number, wrong)
			}
		}
		want("a", 1, nil)
		want("a", 1, nil)
		want("b", 1, nil)
		time.Sleep(web.PollEvery - time.Nanosecond)
		want("a", 1, nil)
		time.Sleep(time.Nanosecond)
		want("a", 2, nil)
		want("b", 2, nil)
		time.Sleep(web.PollEvery)
		failing = errors.New("no database")
		want("a", 2, failing)
		want("a", 2, failing)
		failing = nil
		want("a", 5, nil)
		want("a", 5, nil)
	})
}
