package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// TestErrorsLeadBack checks that an error page links to the previous page or, if the browser does not send it, to
// the contest, hole or ladder in the address. It never links to another server.
func TestErrorsLeadBack(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", time.Hour, store.VisibilityPublic, store.Settings{})
	h.Ladder("hill", store.VisibilityPublic, true)
	h.Hole("nim")
	bob := h.Cookie("bob")
	for _, tt := range []struct {
		method, path, from string
		code               int
		back               string // empty if there is only the link to the home page
	}{
		{"GET", "/nothing", "/c/now?x=1", 404, "/c/now?x=1"},
		{"GET", "/nothing", "", 404, ""},
		{"GET", "/nothing", "/nothing", 404, ""},
		{"GET", "/nothing", "http://evil.example/c/now", 404, ""},
		{"GET", "/c/now/p/Z", "", 403, "/c/now"},
		{"GET", "/c/now/edit", "/c/now/scoreboard", 403, "/c/now/scoreboard"},
		{"GET", "/ladder/hill/edit", "", 403, "/ladder/hill"},
		{"GET", "/ladder/hill/bot/99", "http://evil.example/", 404, "/ladder/hill"},
		{"GET", "/hole/nim/edit", "", 403, "/hole/nim"},
		{"POST", "/ladder/hill/bot/1", "/ladder/hill/bot/1?y", 404, "/ladder/hill/bot/1?y"},
	} {
		from := tt.from
		if strings.HasPrefix(from, "/") {
			from = h.URL + from
		}
		fields := url.Values(nil)
		if tt.method == "POST" {
			fields = url.Values{"do": {"retire"}}
		}
		got := h.Fetch(bob, tt.method, tt.path, fields, "Referer", from)
		_, main, _ := strings.Cut(got.Body, "<main")
		links := strings.Count(main, "href=")
		if got.Code != tt.code || !strings.Contains(main, `<a href="/">Home page</a>`) {
			t.Errorf("%s %s: %d\n%s", tt.method, tt.path, got.Code, main)
		}
		if want := `class="btn" href="` + tt.back + `"`; tt.back != "" && !strings.Contains(main, want) || tt.back == "" && links != 1 {
			t.Errorf("%s %s from %q does not lead back to %q:\n%s", tt.method, tt.path, tt.from, tt.back, main)
		}
		if tt.code == 404 && !strings.Contains(main, "the account bob may not see it") || strings.Contains(main, "log in") {
			t.Errorf("%s %s tells a reader who is logged in:\n%s", tt.method, tt.path, main)
		}
		if sent := strings.Contains(main, "edit your input"); sent != (tt.method == "POST") {
			t.Errorf("%s %s speaks of a form: %v", tt.method, tt.path, sent)
		}
	}
}

// TestLogInLeadsBack checks that a reader who follows the login link in the navigation bar returns to the same
// page after the login.
func TestLogInLeadsBack(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", time.Hour, store.VisibilityPublic, store.Settings{})
	for path, link := range map[string]string{
		"/": "/login", "/c/now?x=1": "/login?next=%2fc%2fnow%3fx%3d1", "/nothing": "/login?next=%2fnothing",
		"/login": "/login", "/login?next=/c/now": "/login?next=%2fc%2fnow", "/login?next=//evil.example": "/login",
	} {
		if got := h.Fetch("", "GET", path, nil); !strings.Contains(got.Body, `href="`+link+`">Log in</a>`) {
			t.Errorf("%s does not lead to %s:\n%s", path, link, got.Body)
		}
	}
}

// TestWritesAreStopped checks that pages report when the server's data is being moved. Pages that only read data
// must still work.
func TestWritesAreStopped(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", time.Hour, store.VisibilityPublic, store.Settings{})
	admin := h.Cookie("admin")
	h.Store.StopWrites()
	if got := h.Fetch(admin, "GET", "/c/now", nil); got.Code != 200 {
		t.Errorf("a page: %d", got.Code)
	}
	got := h.Fetch(admin, "POST", "/account/sessions/end", url.Values{})
	if got.Code != 503 || got.Header.Get("Retry-After") != "5" ||
		!strings.Contains(got.Body, "the data of this server is being moved to another database") ||
		!strings.Contains(got.Body, "try again in a few seconds") {
		t.Errorf("a form: %d %v\n%s", got.Code, got.Header, got.Body)
	}
}

// away is an origin of blobs that does not respond, or fails in the middle of a blob.
type away struct {
	blob.Origin
	middle bool
}

func (a away) Get(blob.Digest) (io.ReadCloser, error) {
	err := fmt.Errorf("secret: %w", blob.ErrAway)
	if a.middle {
		return io.NopCloser(io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(err))), nil
	}
	return nil, err
}

// TestSharedFilesAreAway checks that a page that needs a file says that shared files do not respond. Only the log
// says what is missing.
func TestSharedFilesAreAway(t *testing.T) {
	dir := t.TempDir()
	shared := webtest.Must[*blob.SharedDir](t)(blob.OpenSharedDir(dir))
	if err := errors.Join(shared.SetMark("secret"), os.RemoveAll(dir)); err != nil {
		t.Fatal(err)
	}
	for what, origin := range map[string]blob.Origin{
		"secret": away{}, "secret: the": away{middle: true}, dir + " is not the directory": shared,
	} {
		var log bytes.Buffer
		h := webtest.New(t, func(h *webtest.Harness, o *web.Options) {
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			h.Intake.Blobs = webtest.Must[*blob.Dir](t)(blob.Open(t.TempDir(), 1<<20))
			h.Intake.Blobs.CacheOf(origin)
		})
		h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
		got := h.Fetch("", "GET", "/c/now/p/A", nil)
		if got.Code != 503 || got.Header.Get("Retry-After") != "5" || !strings.Contains(got.Body, "the shared files do not respond") ||
			!strings.Contains(got.Body, "try again in a few seconds") || strings.Contains(got.Body, what) {
			t.Errorf("a page that needs a file: %d %v\n%s", got.Code, got.Header, got.Body)
		}
		if !strings.Contains(log.String(), what) {
			t.Errorf("the log lacks %q:\n%s", what, log.String())
		}
	}
}
