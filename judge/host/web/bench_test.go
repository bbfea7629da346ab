package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// BenchmarkPages measures the pages that a class opens most, requested by one logged-in browser. The baseline is a
// file served by net/http, because the site delays consecutive requests for files.
func BenchmarkPages(b *testing.B) {
	h := webtest.New(b)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: judge.ShowSamples})
	for range 100 {
		h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	}
	cookie := h.Cookie("ada")
	files := httptest.NewServer(http.FileServer(http.Dir("static")))
	b.Cleanup(files.Close)
	for _, page := range []struct{ name, address string }{
		{"file", files.URL + "/icon.svg"}, {"home", h.URL}, {"contest", h.URL + "/c/now"}, {"problem", h.URL + "/c/now/p/A"},
		{"judging", h.URL + "/c/now/s/50"},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				r, err := http.NewRequestWithContext(b.Context(), "GET", page.address, nil)
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
