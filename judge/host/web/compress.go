package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"sync"

	"assay/judge/host/board"
)

// leastCompressed is the least size of a page that is compressed: a smaller one fits into the packets that a
// connection sends at once, so that it would not arrive sooner.
const leastCompressed = 8 << 10

var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a known one
	return w
}}

// mayCompress reports whether a page may be compressed for a request.
//
// The size of a compressed page tells whether a text that another site put into the address, such as a
// search, repeats a part of the page that the other site cannot read (BREACH). So over TLS, a page is
// compressed only if the browser says that no other site caused the request; scripts cannot forge that
// header. Browsers leave it out over plain HTTP, where an observer of sizes sees the page itself. Pages have
// no token against forged requests: the origin of a request is checked instead.
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
	return board.TakesGzip(r.Header.Get("Accept-Encoding"))
}

// sendPage sends a page, compressed if that is worth it and safe.
func (s *Site) sendPage(w http.ResponseWriter, r *http.Request, code int, page []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	if len(page) >= leastCompressed && s.mayCompress(r) {
		var b bytes.Buffer
		z := zippers.Get().(*gzip.Writer)
		z.Reset(&b)
		_, _ = z.Write(page) // writing to memory does not fail
		_ = z.Close()
		zippers.Put(z)
		page = b.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(code)
	_, _ = w.Write(page) // the client may be gone
}
