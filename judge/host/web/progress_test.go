package web_test

import (
	"context"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

func noTemplates() (map[string]*template.Template, error) { return nil, nil }

// TestWorkPage checks that a page reports the progress of long work with a limited number of lines, and shows
// errors.
func TestWorkPage(t *testing.T) {
	h := webtest.New(t)
	var logged strings.Builder
	work := map[string]func(context.Context, web.Progress) (web.PageContent, error){
		"good": func(_ context.Context, told web.Progress) (web.PageContent, error) {
			for i := range 1000 {
				told(i+1, 1000)
			}
			return web.PageContent{Name: "refused", View: struct {
				Text, Hint string
				FormSent   bool
				Back       *web.Tab
			}{Text: "all <done>"}}, nil
		},
		"refused": func(context.Context, web.Progress) (web.PageContent, error) {
			return web.PageContent{}, &intake.Refusal{Code: 409, Text: "taken <x>", Hint: "try another"}
		},
		"failed": func(context.Context, web.Progress) (web.PageContent, error) {
			return web.PageContent{}, errors.New("the secret of the server")
		},
		"undrawn": func(context.Context, web.Progress) (web.PageContent, error) {
			return web.PageContent{Name: "none"}, nil
		},
	}
	pages := web.New(web.Options{Service: h.Intake, Name: "Test", Log: slog.New(slog.NewTextHandler(&logged, nil))},
		func(s *web.Site) web.Pages {
			return web.Pages{Templates: noTemplates, Routes: []web.Route{web.Handle("GET /work/{what}", auth.UseSite,
				func(w http.ResponseWriter, r *web.Request) error {
					return s.RenderWork(w, r, "A title", "Doing <it>", work[r.PathValue("what")])
				})}}
		})
	for what, wants := range map[string][]string{
		"good": {"<title>A title", "<main", "Doing &lt;it&gt;…", "Doing &lt;it&gt;: 20 of 1000<", "Doing &lt;it&gt;: 1000 of 1000<",
			"all &lt;done&gt;", "</main>", "</html>"},
		"refused": {"<main", "taken &lt;x&gt;", "try another", "</main>", "</html>"},
		"failed":  {"<main", "the server could not do this", "</main>", "</html>"},
		"undrawn": {"<main", "the server could not do this", "</main>", "</html>"},
	} {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequest("GET", "/work/"+what, nil))
		page, last := w.Body.String(), 0
		for _, want := range wants {
			at := strings.Index(page, want)
			if at < last {
				t.Errorf("%s: %q is at %d, after %d:\n%s", what, want, at, last, page)
			}
			last = max(last, at)
		}
		if n := strings.Count(page, `class="working"`); n > 52 || strings.Contains(page, "secret") {
			t.Errorf("%s: %d lines\n%s", what, n, page)
		}
	}
	if !strings.Contains(logged.String(), "the secret of the server") {
		t.Errorf("the log has\n%s", logged.String())
	}
}

// gone is the response writer of a browser that has closed the connection.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("the connection is closed") }

// TestWorkEndsWithItsBrowser checks that work is canceled when the browser disconnects.
func TestWorkEndsWithItsBrowser(t *testing.T) {
	h := webtest.New(t)
	ended := false
	pages := web.New(web.Options{Service: h.Intake, Name: "Test"}, func(s *web.Site) web.Pages {
		return web.Pages{Templates: noTemplates, Routes: []web.Route{web.Handle("GET /work", auth.UseSite,
			func(w http.ResponseWriter, r *web.Request) error {
				return s.RenderWork(gone{w}, r, "A title", "Doing it", func(ctx context.Context, told web.Progress) (web.PageContent, error) {
					told(1, 1)
					ended = ctx.Err() != nil
					return web.PageContent{}, &intake.Refusal{Text: "ended"}
				})
			})}}
	})
	pages.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/work", nil))
	if !ended {
		t.Error("the work goes on")
	}
}
