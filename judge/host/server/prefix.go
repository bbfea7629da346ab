package server

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// under serves a handler, whose addresses begin with a slash, below a path as well, as behind a
// reverse proxy that has other applications: links, redirects and streams of what it answers
// there are below that path, too. Requests without the path are answered as if it were there, for
// some proxies cut it off, and workers on this machine ask without.
func under(path string, next http.Handler) http.Handler {
	path = strings.TrimRight(path, "/")
	if path == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		if r.URL.Path == path {
			r.URL.Path = path + "/"
		}
		if rest, is := strings.CutPrefix(r.URL.Path, path+"/"); is {
			r.URL.Path = "/" + rest
			r.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, path)
		}
		if from, err := url.Parse(r.Referer()); err == nil {
			if rest, is := strings.CutPrefix(from.Path, path+"/"); is {
				from.Path, from.RawPath = "/"+rest, ""
				r.Header.Set("Referer", from.String())
			}
		}
		r.Header.Del("Accept-Encoding") // what is packed has no links that can be found
		to := &prefixed{ResponseWriter: w, path: path}
		next.ServeHTTP(to, r)
		to.end()
	})
}

// localLink is an address of this server in a page, or in a page within JSON. Templates escape
// quotes in all that others wrote.
var localLink = regexp.MustCompile(`( (?:href|src|action|formaction|data-worker)=\\?")/([^/])`)

// prefixed puts a path before the addresses of an answer.
type prefixed struct {
	http.ResponseWriter
	path  string
	began bool
	page  *bytes.Buffer // a page, until it ends; nil for what is sent as it comes
	code  int
	live  bool // a stream of parts of pages, each of which is written at once
}

func (p *prefixed) WriteHeader(code int) {
	if p.began {
		return
	}
	if code < 200 && code != http.StatusSwitchingProtocols { // there is another one after it
		p.ResponseWriter.WriteHeader(code)
		return
	}
	p.began, p.code = true, code
	h := p.Header()
	if to := h.Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		h.Set("Location", p.path+to)
	}
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	switch kind {
	case "text/html":
		h.Del("Content-Length")
		p.page = &bytes.Buffer{}
		return
	case "text/event-stream":
		p.live = true
	}
	p.ResponseWriter.WriteHeader(code)
}

func (p *prefixed) Write(data []byte) (int, error) {
	if !p.began {
		p.WriteHeader(http.StatusOK)
	}
	if p.page != nil {
		return p.page.Write(data)
	}
	if p.live {
		if _, err := p.ResponseWriter.Write(p.links(data)); err != nil {
			return 0, err
		}
		return len(data), nil
	}
	return p.ResponseWriter.Write(data)
}

func (p *prefixed) links(data []byte) []byte {
	return localLink.ReplaceAll(data, []byte("${1}"+strings.ReplaceAll(p.path, "$", "$$")+"/${2}"))
}

// end sends a page.
func (p *prefixed) end() {
	if p.page == nil {
		return
	}
	p.ResponseWriter.WriteHeader(p.code)
	_, _ = p.ResponseWriter.Write(p.links(p.page.Bytes())) // who asked has gone
}

// Unwrap is for http.ResponseController.
func (p *prefixed) Unwrap() http.ResponseWriter { return p.ResponseWriter }
