package scoreboard

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/scoring"
)

// TestStatic checks that the files of a scoreboard link only to each other, contain no script, and show only what
// their readers may know.
func TestStatic(t *testing.T) {
	for _, staff := range []bool{false, true} {
		l := New(classroom(scoring.ICPC, time.Now().Add(-4*time.Hour-30*time.Minute)), frame)
		all := map[string]string{}
		var names []string
		pages, _ := l.Static(staff)
		for _, f := range pages {
			names, all[f.Name] = append(names, f.Name), string(f.Data)
		}
		if want := []string{"index.html", "group-1.html", "group-2.html", "group-3.html", "style.css"}; !slices.Equal(names, want) {
			t.Fatalf("the files are %q, want %q", names, want)
		}
		for _, name := range names[:4] {
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(all[name], -1) {
				if all[m[1]] == "" {
					t.Errorf("%s links to %q", name, m[1])
				}
			}
			if strings.Contains(all[name], "<script") || strings.Contains(all[name], "data-board") ||
				!strings.Contains(all[name], "<h1><bdi>Spring &lt;contest&gt; &amp; more</bdi></h1>") {
				t.Errorf("%s:\n%s", name, all[name])
			}
		}
		if strings.Contains(all["index.html"], "Staff&#39;s own") != staff ||
			strings.Contains(all["index.html"], "The scoreboard was frozen") == staff {
			t.Errorf("the page of staff %v:\n%s", staff, all["index.html"])
		}
		if !strings.Contains(all["group-2.html"], `<a href="group-2.html" aria-current="page"><bdi>girls</bdi>`) ||
			strings.Contains(all["group-2.html"], "bees") {
			t.Errorf("the page of a group:\n%s", all["group-2.html"])
		}
		if !strings.Contains(all["style.css"], ".board {") || !strings.Contains(all["style.css"], "--ac:") {
			t.Error("the style sheet is incomplete")
		}
	}
}
