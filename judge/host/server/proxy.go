package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwarded sets the client's address for requests that come through trusted proxies. This is the last address in
// X-Forwarded-For that is not a trusted proxy. The header is ignored in requests from other machines.
func forwarded(proxies []netip.Prefix, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		client, known := from.Addr().Unmap(), err == nil
		trusted := func(a netip.Addr) bool {
			return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
		}
		passed := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for known && trusted(client) && len(passed) > 0 {
			last := strings.TrimSpace(passed[len(passed)-1])
			passed = passed[:len(passed)-1]
			before, err := netip.ParseAddr(last)
			if err != nil {
				break
			}
			client = before.Unmap().WithZone("")
		}
		if known && client != from.Addr().Unmap() {
			r = r.Clone(r.Context())
			r.RemoteAddr = net.JoinHostPort(client.String(), "0")
		}
		next.ServeHTTP(w, r)
	})
}
