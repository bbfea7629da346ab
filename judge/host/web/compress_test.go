package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// TestPagesAreCompressed checks that a page or a style sheet is compressed for a browser that accepts it, and over
// TLS only if no other site caused the request.
func TestPagesAreCompressed(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for range 20 {
		h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	}
	secure := web.New(web.Options{Service: h.Intake, Name: "Test", Secure: true}, func(s *web.Site) web.Pages {
		return web.Pages{Routes: []web.Route{web.Handle("GET /long", auth.UseSite, func(w http.ResponseWriter, r *web.Request) error {
			return s.RenderPage(w, r, http.StatusOK, "refused", strings.Repeat("long ", 2000), struct {
				Text, Hint string
				FormSent   bool
				Back       *web.Tab
			}{})
		})}}
	})
	_, style, _ := strings.Cut(h.Fetch("", "GET", "/login", nil).Body, `rel="stylesheet" href="`)
	style, _, _ = strings.Cut(style, `"`)
	for _, tt := range []struct {
		secure       bool
		accept, site string
		path         string
		want         bool
	}{
		{false, "gzip", "", "/c/now/submissions", true},
		{false, "br, gzip;q=0.5", "same-origin", "/c/now/submissions", true},
		{false, "gzip", "none", "/c/now/s/1", true},
		{false, "gzip", "none", "/account/erase", false}, // a small one
		{false, "gzip", "cross-site", "/c/now/submissions?who=ada", false},
		{false, "gzip", "same-site", "/c/now/submissions?who=ada", false},
		{false, "", "same-origin", "/c/now/submissions", false},
		{false, "gzip;q=0", "same-origin", "/c/now/submissions", false},
		{false, "gzip", "cross-site", style, true}, // not secret
		{false, "", "", style, false},
		{false, "gzip", "", "/static/icon.svg", false}, // a small one
		{true, "gzip", "same-origin", "/long", true},
		{true, "gzip", "none", "/long", true},
		{true, "gzip", "", "/long", false},
		{true, "gzip", "cross-site", "/long", false},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Header.Set("Accept-Encoding", tt.accept)
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		r.Header.Set("Cookie", h.Cookie("admin"))
		w := httptest.NewRecorder()
		if tt.secure {
			secure.ServeHTTP(w, r)
		} else {
			h.Config.Handler.ServeHTTP(w, r)
		}
		body, is := io.Reader(w.Body), w.Header().Get("Content-Encoding") == "gzip"
		if is {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		page, err := io.ReadAll(body)
		end := "</html>"
		if tt.path == style {
			end = "}"
		} else if strings.HasSuffix(tt.path, ".svg") {
			end = "</svg>"
		}
		if err != nil || w.Code != 200 || !bytes.HasSuffix(bytes.TrimSpace(page), []byte(end)) ||
			!strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%+v: %d, %v\n%.200s", tt, w.Code, err, page)
		}
		if is != tt.want {
			t.Errorf("%+v: compressed is %v", tt, is)
		}
	}
}
