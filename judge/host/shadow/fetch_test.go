package shadow_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// TestFetch checks that a package can be read from the Contest API of another system, and as a ZIP archive.
func TestFetch(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range map[string]string{"spring/contest.yaml": "id: spring", "spring/teams.json": "[]", "spring/photo.png": "x"} {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{
		"/api/contests/spring": `{"id":"spring"}`, "/api/contests/spring/teams": `[{"id":"7"}]`, "/api/contests/spring/groups": "[]",
		"/api/contests/odd": `{"id":"odd"}`, "/api/contests/odd/teams": "<html>", "/api/contests/page": "<html>",
		"/files/regional.ZIP": packed.String(), "/files/broken.zip": "PK",
	}
	codes := map[string]int{"/api/contests/spring/persons": 403, "/api/contests/spring/accounts": 401, "/api/contests/ill": 200,
		"/api/contests/ill/teams": 500}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		text, known := answers[r.URL.Path]
		code := codes[r.URL.Path]
		switch {
		case user+password != "readerpass" && user != "":
			http.Error(w, "no", http.StatusUnauthorized)
		case strings.HasPrefix(r.URL.Path, "/files/") && user == "":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case code == 200:
			_, _ = w.Write([]byte("{}"))
		case code > 0:
			http.Error(w, "refused", code)
		case !known:
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(text))
		}
	}))
	defer server.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, tt := range map[string]struct {
		login string
		files string
		err   string
	}{
		"/api/contests/spring":  {"reader", "contest.json groups.json teams.json", ""},
		"/api/contests/spring/": {"", "contest.json groups.json teams.json", ""},
		"/api/contests/autumn":  {"", "", "the primary answers 404"},
		"/api/contests/odd":     {"", "", "teams is not JSON"},
		"/api/contests/page":    {"", "", "does not answer with a contest"},
		"/api/contests/ill":     {"", "", "the primary answers 500"},
		"/api":                  {"", "", "does not end in /contests/ID"},
		"/files/regional.ZIP":   {"reader", "contest.yaml teams.json", ""},
		"/files/regional.zip?x": {"reader", "", "the primary answers 404"},
		"/files/broken.zip":     {"reader", "", "is not a ZIP archive"},
		"/files/broken.ZIP?":    {"", "", "the primary answers 401"},
		"/api/contests/spring?": {"writer", "", "the primary answers 401"},
	} {
		s := &store.ExternalSource{URL: server.URL + path, Login: tt.login}
		if tt.login != "" {
			s.SecretFile = secret
		}
		all, err := shadow.Fetch(t.Context(), s)
		var names []string
		if all != nil {
			names = slices.Sorted(maps.Keys(all.Texts))
		}
		if got := strings.Join(names, " "); got != tt.files || (err == nil) != (tt.err == "") ||
			err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v; want %q, %q", path, got, err, tt.files, tt.err)
		}
	}
	inAddress := strings.Replace(server.URL, "http://", "http://reader:pass@", 1) + "/files/regional.ZIP"
	if _, err := shadow.Fetch(t.Context(), &store.ExternalSource{URL: inAddress}); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the password in an address is sent: %v", err)
	}
	if _, err := shadow.Fetch(t.Context(), &store.ExternalSource{URL: "http://[::1"}); err == nil {
		t.Error("an address that cannot be read is accepted")
	}
}
