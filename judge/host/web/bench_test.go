package web_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// BenchmarkPages asks for the pages that a class opens most, beside a file that never changes,
// by one browser that is logged in.
func BenchmarkPages(b *testing.B) {
	h := webtest.New(b)
	c := h.Contest("now", -time.Minute, store.Accounts, store.Settings{Show: judge.ShowSamples})
	for range 100 {
		h.Judged(h.Send(c, "ada"), webtest.Failing()...)
	}
	cookie := h.Cookie("ada")
	for _, page := range []struct{ name, path string }{
		{"file", "/static/icon.svg"}, {"home", "/"}, {"contest", "/c/now"}, {"problem", "/c/now/p/A"}, {"judging", "/c/now/s/50"},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				r, err := http.NewRequestWithContext(b.Context(), "GET", h.URL+page.path, nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Cookie", cookie)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
					b.Fatal(res.Status, err)
				}
				res.Body.Close()
			}
		})
	}
}
