package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"sync"

	"assay/judge/host/scoreboard"
)

// minCompressed is the minimum size of a page that is compressed. A smaller page fits into the packets that a
// connection sends at once, so compression would not deliver it sooner.
const minCompressed = 8 << 10

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// mayCompress reports whether a page may be compressed for a request.
//
// Another site can put a text into the address, such as a search. The size of a compressed page reveals whether
// that text repeats a part of the page that the other site cannot read (BREACH). So over TLS, a page is compressed
// only if the browser reports that no other site caused the request; scripts cannot forge that header. Over plain
// HTTP, browsers omit the header, but an observer of sizes can read the page itself. Pages contain no tokens
// against forged requests: the server checks the origin of a request instead.
func (s *Site) mayCompress(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
	case "":
		if s.Secure {
			return false
		}
	default:
		return false
	}
	return scoreboard.AcceptsGzip(r.Header.Get("Accept-Encoding"))
}

// sendPage sends a page. It compresses the page if that is worthwhile and safe.
func (s *Site) sendPage(w http.ResponseWriter, r *http.Request, code int, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	send(w, code, page, len(page) >= minCompressed && s.mayCompress(r))
}

// send sends a response. If zip is set, send compresses the body.
func send(w http.ResponseWriter, code int, body []byte, zip bool) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if zip {
		var b bytes.Buffer
		z := gzipWriters.Get().(*gzip.Writer)
		z.Reset(&b)
		_, _ = z.Write(body) // writing to memory does not fail
		_ = z.Close()
		gzipWriters.Put(z)
		body = b.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client may be gone
}
