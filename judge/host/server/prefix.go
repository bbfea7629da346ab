package server

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// mountAt also serves a handler below a path, for a reverse proxy that has other applications on the same host. For
// requests to this path, it adds the path to links, redirects and streams in the responses. It serves requests
// without the path unchanged, because some proxies remove the path, and workers on this machine do not use it.
func mountAt(path string, next http.Handler) http.Handler {
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
		if referer, err := url.Parse(r.Referer()); err == nil {
			if rest, is := strings.CutPrefix(referer.Path, path+"/"); is {
				referer.Path, referer.RawPath = "/"+rest, ""
				r.Header.Set("Referer", referer.String())
			}
		}
		r.Header.Del("Accept-Encoding") // addPrefix in compressed responses could not be found
		to := &prefixWriter{ResponseWriter: w, path: path}
		next.ServeHTTP(to, r)
		to.flush()
	})
}

// localLink matches an address of this server in a page, or in a page within JSON. Templates escape quotes in all
// untrusted texts.
var localLink = regexp.MustCompile(`( (?:href|src|action|formaction|data-worker)=\\?")/([^/])`)

// A prefixWriter is a response writer that adds a path to the addresses in a response.
type prefixWriter struct {
	http.ResponseWriter
	path      string
	started   bool
	page      *bytes.Buffer // collects a page; nil if the response is not buffered
	code      int
	streaming bool // a stream of page parts, each written immediately
}

func (p *prefixWriter) WriteHeader(code int) {
	if p.started {
		return
	}
	if code < 200 && code != http.StatusSwitchingProtocols { // another status follows
		p.ResponseWriter.WriteHeader(code)
		return
	}
	p.started, p.code = true, code
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
		p.streaming = true
	}
	p.ResponseWriter.WriteHeader(code)
}

func (p *prefixWriter) Write(data []byte) (int, error) {
	if !p.started {
		p.WriteHeader(http.StatusOK)
	}
	if p.page != nil {
		return p.page.Write(data)
	}
	if p.streaming {
		if _, err := p.ResponseWriter.Write(p.addPrefix(data)); err != nil {
			return 0, err
		}
		return len(data), nil
	}
	return p.ResponseWriter.Write(data)
}

func (p *prefixWriter) addPrefix(data []byte) []byte {
	return localLink.ReplaceAll(data, []byte("${1}"+strings.ReplaceAll(p.path, "$", "$$")+"/${2}"))
}

// flush sends a page.
func (p *prefixWriter) flush() {
	if p.page == nil {
		return
	}
	p.ResponseWriter.WriteHeader(p.code)
	_, _ = p.ResponseWriter.Write(p.addPrefix(p.page.Bytes())) // the client may be gone
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (p *prefixWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
