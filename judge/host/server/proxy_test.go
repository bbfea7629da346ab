package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"assay/judge/running/config"
)

// TestForwarded checks that the client's address is taken only from trusted proxies. If the header has several
// addresses, it is the last one that is not trusted.
func TestForwarded(t *testing.T) {
	for name, tt := range map[string]struct {
		from string
		says []string
		want string
	}{
		"no proxy":                         {"192.0.2.7:99", nil, "192.0.2.7:99"},
		"a stranger lies":                  {"192.0.2.7:99", []string{"198.51.100.1"}, "192.0.2.7:99"},
		"a proxy":                          {"127.0.0.1:99", []string{"198.51.100.1"}, "198.51.100.1:0"},
		"a proxy that says nothing":        {"127.0.0.1:99", nil, "127.0.0.1:99"},
		"what the browser wrote before":    {"127.0.0.1:99", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1:0"},
		"two proxies":                      {"127.0.0.1:99", []string{"198.51.100.1, 10.1.2.3"}, "198.51.100.1:0"},
		"in two headers":                   {"127.0.0.1:99", []string{"203.0.113.9, 198.51.100.1", "10.1.2.3"}, "198.51.100.1:0"},
		"only proxies":                     {"127.0.0.1:99", []string{"10.1.2.3"}, "10.1.2.3:0"},
		"no address":                       {"127.0.0.1:99", []string{"unknown"}, "127.0.0.1:99"},
		"IPv6":                             {"[::1]:99", []string{"2001:db8::1"}, "[2001:db8::1]:0"},
		"IPv4 as the system writes it":     {"[::ffff:127.0.0.1]:99", []string{"198.51.100.1"}, "198.51.100.1:0"},
		"what is no address of a network":  {"@", []string{"198.51.100.1"}, "@"},
		"a proxy of another network asked": {"11.0.0.1:99", []string{"198.51.100.1"}, "11.0.0.1:99"},
	} {
		trusted := config.Server{TrustedProxies: []string{"127.0.0.1", "10.0.0.0/8", "::1"}}
		proxies, err := trusted.Proxies()
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = tt.from, tt.says
		got := ""
		forwarded(proxies, http.HandlerFunc(func(_ http.ResponseWriter,
			r *http.Request) {
			got = r.RemoteAddr
		})).ServeHTTP(httptest.NewRecorder(), r)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
