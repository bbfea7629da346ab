package scoreboard

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/scoring"
)

// readers returns all kinds of viewers of a scoreboard.
func readers() (all []Viewer) {
	for i := range 8 {
		all = append(all, Viewer{Jury: i&1 > 0, CanChange: i&2 > 0, LoggedIn: i&4 > 0})
	}
	return all
}

// signed is a Frame that shows its viewer.
func signed(h Heading, to Viewer) (before, after []byte, err error) {
	return fmt.Appendf(nil, "<before %v %s>", to, h.Name), fmt.Appendf(nil, "<after %v>", to), nil
}

// TestReadersInTurn checks that each kind of viewer gets its own page of the requested group, in any order of
// requests, and gets the same bytes for a repeated request.
func TestReadersInTurn(t *testing.T) {
	groups := []string{"", "girls", "year 7"}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		for _, first := range readers() {
			for _, firstGroup := range groups {
				l := New(classroom(scoring.ICPC, start), signed)
				serve := func(to Viewer, group, known string) *httptest.ResponseRecorder {
					r := httptest.NewRequestWithContext(t.Context(), "GET", "/scoreboard?group="+strings.ReplaceAll(group, " ", "+"), nil)
					r.Header.Set("If-None-Match", known)
					r.Header.Set("Accept-Encoding", "gzip")
					w := httptest.NewRecorder()
					if known, err := l.ServePage(w, r, to); !known || err != nil {
						t.Fatalf("%+v %q: %v, %v", to, group, known, err)
					}
					return w
				}
				before := serve(first, firstGroup, "").Header().Get("ETag")
				for _, to := range readers() {
					for _, group := range groups {
						p, err := l.Page(to, group)
						if err != nil {
							t.Fatal(err)
						}
						text := string(p.Plain)
						if !strings.HasPrefix(text, fmt.Sprintf("<before %v Spring", to)) || !strings.HasSuffix(text, fmt.Sprintf("<after %v>", to)) {
							t.Errorf("after %+v, %+v gets %.60q", first, to, text)
						}
						if hidden := strings.Contains(text, "Staff&#39;s own") || strings.Contains(text, "Staff's own"); hidden != (to.Jury && group == "") {
							t.Errorf("after %+v, %+v sees the hidden team in %q: %v", first, to, group, hidden)
						}
						if of := strings.Contains(text, `id="t-5"`); of != (group == "") {
							t.Errorf("after %q, %+v sees a team without a group in %q: %v", firstGroup, to, group, of)
						}
						if again, err := l.Page(to, group); err != nil || again != p {
							t.Errorf("%+v gets another page the second time: %v", to, err)
						}
						own := to == first && group == firstGroup
						if (p.ETag == before) != own {
							t.Errorf("the page of %+v %q has the ETag of that of %+v %q: %v", to, group, first, firstGroup, !own)
						}
						w := serve(to, group, before)
						if unchanged := w.Code == http.StatusNotModified; unchanged != own {
							t.Errorf("with the page of %+v %q, %+v %q gets the code %d", first, firstGroup, to, group, w.Code)
						}
						if vary := w.Header().Get("Vary"); !strings.Contains(vary, "Cookie") || w.Header().Get("Cache-Control") != "no-cache" {
							t.Errorf("the page may be kept for others: Vary %q, %q", vary, w.Header().Get("Cache-Control"))
						}
						if w.Code == http.StatusOK && unzip(t, w.Body.Bytes()) != text {
							t.Errorf("%+v gets another page compressed", to)
						}
					}
				}
			}
		}
	})
}

func unzip(t *testing.T, data []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCachedPages checks that a page is cached until something changes. Even then, the page is rendered at most
// twice per second, unless a fresh page is required.
func TestCachedPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := classroom(scoring.ICPC, time.Now())
		l := New(s, signed)
		to := Viewer{LoggedIn: true}
		get := func() *Page {
			t.Helper()
			p, err := l.Page(to, "")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		apply := func(name string) {
			team := s.Teams[0]
			team.Name = name
			l.Apply(nil, []scoring.Team{team})
		}
		first := get()
		time.Sleep(10 * time.Second)
		if get() != first {
			t.Error("nothing changed, and the page did")
		}
		apply("Bats")
		changed := get()
		if changed == first || !bytes.Contains(changed.Plain, []byte("Bats")) || changed.Version != first.Version+1 {
			t.Errorf("after a change: version %d, was %d", changed.Version, first.Version)
		}
		apply("Cats")
		time.Sleep(RenderInterval - time.Nanosecond)
		if get() != changed {
			t.Error("a page is drawn twice within half a second")
		}
		time.Sleep(time.Nanosecond)
		if p := get(); p == changed || !bytes.Contains(p.Plain, []byte("Cats")) {
			t.Error("a change is not drawn after half a second")
		}
		apply("Dogs")
		l.markStale()
		if p := get(); !bytes.Contains(p.Plain, []byte("Dogs")) {
			t.Error("a page that must be fresh is not")
		}
		// The other view and an unchanged page stay cached.
		staff, err := l.Page(Viewer{Jury: true}, "")
		if err != nil || !bytes.Contains(staff.Plain, []byte("Dogs")) {
			t.Errorf("the view of the jury: %v", err)
		}
		before := get()
		time.Sleep(time.Second)
		apply("Dogs")
		if get() != before {
			t.Error("a change that changes nothing makes another page")
		}
		if p, err := l.Page(to, "absent"); p != nil || err != nil {
			t.Errorf("a group without teams: %v, %v", p, err)
		}
	})
	broken := errors.New("no frame")
	l := New(classroom(scoring.ICPC, time.Now()), func(Heading, Viewer) (before, after []byte, err error) { return nil, nil, broken })
	if p, err := l.Page(Viewer{}, ""); p != nil || !errors.Is(err, broken) {
		t.Errorf("without a frame: %v, %v", p, err)
	}
}
