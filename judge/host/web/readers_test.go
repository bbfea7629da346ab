package web_test

import (
	"slices"
	"strings"
	"testing"

	"assay/judge/host/web/webtest"
)

// TestReadersInTurn requests each page as every reader in turn, in both orders. Pages for anonymous readers must
// not name an account, and pages for logged-in readers must not offer a login.
func TestReadersInTurn(t *testing.T) {
	h := walkers(t)
	cookies := map[string]string{}
	for _, w := range who {
		cookies[w] = h.Cookie(w)
	}
	backward := slices.Clone(who)
	slices.Reverse(backward)
	pages := 0
	for pattern := range webtest.Routes() {
		if !strings.HasPrefix(pattern, "GET ") || strings.Contains(pattern, "/events") || strings.Contains(pattern, "{$}") {
			continue
		}
		state := "everybody"
		if strings.Contains(pattern, "{hole}") {
			state = "open"
		}
		_, path := filled(pattern, state)
		paths := []string{path}
		if strings.HasSuffix(path, "/scoreboard") {
			paths = append(paths, path+"?view=jury")
		}
		for _, path := range paths {
			for _, w := range slices.Concat(who, backward) {
				got := h.Fetch(cookies[w], "GET", path, nil)
				if got.Code != 200 || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
					continue
				}
				pages++
				account, login := strings.Contains(got.Body, `href="/account"`), strings.Contains(got.Body, `href="/login"`)
				if anonymous := w == "anonymous"; anonymous && account || !anonymous && login {
					t.Errorf("%s for %s: names the account %v, invites to log in %v", path, w, account, login)
				}
				if jury := strings.Contains(got.Body, "?view=jury"); jury && slices.Contains([]string{"anonymous", "ada", "bob"}, w) {
					t.Errorf("%s for %s leads to the view of the jury", path, w)
				}
			}
		}
	}
	if pages < 200 {
		t.Errorf("%d pages", pages)
	}
}
