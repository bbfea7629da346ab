package store_test

import "testing"

func TestSmoke(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHouse(t, dsn)
		t.Logf("%+v", h.submit())
	})
}
