package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUnder sends requests to a server below a path, through a proxy that keeps the path and one that removes it.
func TestUnder(t *testing.T) {
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", "5")
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, `<a href="/">home</a> <img src="/c/a.png"> <form action="/login"> <b data-events="/c/x/events">`,
				` href=&#34;/no <a href="//evil.example/x"> <a href="https://x/"> <script data-worker="/static/w.js">`)
		case "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: part\ndata: <a href=\"/c/x\">\n\n")
			http.NewResponseController(w).Flush()
			fmt.Fprint(w, `data: {"data":"\u003ca href=\"/c/y\"\u003e"}`+"\n\n")
		case "/away":
			http.Redirect(w, r, "/login?next=/c/x", http.StatusSeeOther)
		case "/other":
			w.Header().Set("Location", "//other.example/x")
			w.WriteHeader(http.StatusSeeOther)
		case "/plain":
			fmt.Fprint(w, `<a href="/c/x">`, r.Referer(), r.Header.Get("Accept-Encoding"))
		default:
			fmt.Fprintf(w, "at %s %s", r.URL.Path, r.URL.RawPath)
		}
	})
	s := httptest.NewServer(mountAt("/school/judge/", inner))
	defer s.Close()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableCompression: true}}
	for path, want := range map[string]string{
		"/page": `418 <a href="/school/judge/">home</a> <img src="/school/judge/c/a.png"> <form ` +
			`action="/school/judge/login"> <b data-events="/c/x/events"> href=&#34;/no <a href="//evil.example/x"> <a href="https://x/"> <script ` +
			`data-worker="/school/judge/static/w.js">`,
		"/stream": "200 event: part\ndata: <a href=\"/school/judge/c/x\">\n\n" +
			"data: {\"data\":\"\\u003ca href=\\\"/school/judge/c/y\\\"\\u003e\"}\n\n",
		"/away":                   "303 to /school/judge/login?next=/c/x ",
		"/other":                  "303 to //other.example/x ",
		"/plain":                  "200 <a href=\"/c/x\">" + s.URL + "/c/x?y=1",
		"":                        "200 at / ",
		"/":                       "200 at / ",
		"/a%2Fb/c":                "200 at /a/b/c /a%2Fb/c",
		"/school/judge/somewhere": "200 at /school/judge/somewhere ",
	} {
		for _, at := range []string{"/school/judge", ""} {
			if at == "" && (path == "" || path == "/school/judge/somewhere") {
				continue
			}
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+at+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Referer", s.URL+at+"/c/x?y=1")
			r.Header.Set("Accept-Encoding", "gzip")
			got, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(got.Body)
			got.Body.Close()
			text := fmt.Sprint(got.StatusCode, " ")
			if to := got.Header.Get("Location"); to != "" {
				text, body = text+"to "+to+" ", nil
			}
			if text += string(body); err != nil || text != want {
				t.Errorf("%s%s: %q, %v; want %q", at, path, text, err, want)
			}
		}
	}
	r := httptest.NewRecorder()
	mountAt("/", inner).ServeHTTP(r, httptest.NewRequest("GET", "/page", nil))
	if !strings.Contains(r.Body.String(), `action="/login"`) {
		t.Errorf("without a path the page is\n%s", r.Body)
	}
}
