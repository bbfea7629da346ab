package web_test

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// who are those who walk. Ada takes part in each contest and is the author of its
// submission, bob does not, chair is an admin of each contest but one, and other of that
// one only.
var who = []string{"anonymous", "ada", "bob", "runner", "judge", "chair", "other", "admin"}

// states are the contests through which they walk.
var states = []string{"before", "running", "after", "over", "everybody", "teams", "staff"}

// holes are the holes through which they walk, each with an answer of ada's that stands.
var holes = []string{"open", "members", "hidden", "shown", "closed"}

// walkers makes the harness in which they walk.
func walkers(t *testing.T) *harness {
	h := newHarness(t)
	for _, state := range states {
		visible, in, settings := store.Accounts, -time.Minute, store.Settings{Show: judge.ShowSamples}
		switch state {
		case "before":
			in = time.Hour
		case "after":
			in, settings.Practice = -2*time.Hour, true
		case "over":
			in = -2 * time.Hour
		case "everybody":
			visible = store.Public
		case "teams":
			visible = store.Teams
		case "staff":
			visible = store.Staff
		}
		c := h.contest(state, in, visible, settings)
		h.judged(h.send(c, "ada"), failing()...)
		h.clarify(c, store.NewClarification{Text: "may I?" + evil}, "ada")
		h.clarify(c, store.NewClarification{Staff: true, Text: "to all" + evil, Problem: "sum", ReplyTo: 1}, "judge")
		h.hill(state, map[string]store.Visibility{"everybody": store.Public, "staff": store.Staff}[state], state != "over")
		if err := h.store.SetRoleIn(t.Context(), h.accounts["chair"].ID, c.ID, "contest-admin"); err != nil {
			t.Fatal(err)
		}
	}
	for _, slug := range holes {
		o := h.hole(slug)
		switch slug {
		case "members":
			o.Visibility = store.Accounts
		case "hidden":
			o.Visibility = store.Staff
		}
		o.Shown, o.Closed = slug == "shown", slug == "closed"
		if err := h.store.SetHole(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		h.prove(h.answerTo(o, "ada", "py"), "py", judge.GolfRight, 40)
	}
	elsewhere := h.contest("elsewhere", -time.Minute, store.Staff, store.Settings{})
	if err := h.store.SetRoleIn(t.Context(), h.accounts["other"].ID, elsewhere.ID, "contest-admin"); err != nil {
		t.Fatal(err)
	}
	return h
}

// filled is a pattern with the values of its variables.
func filled(pattern, state string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	path = strings.NewReplacer("{$}", "", "{slug}", state, "{label}", "A", "{n}", "1", "{number}", "1", "{id}", "none", "{login}", "none", "{name}", "sum", "{name...}", "pile.svg", "{team}", "1", "{code}", "none", "{ladder}", state, "{hole}", state, "{lang}", "py", "{answer}", "1", "{bot}", "1", "{encounter}", "1", "{event}", strings.Repeat("e", 26)).Replace(path)
	switch {
	case strings.Contains(path, "/sample/"):
		path = strings.Replace(path, "{file}", "two.in", 1)
	case strings.Contains(path, "/source/"):
		path = strings.Replace(path, "{file}", "0", 1)
	default:
		path = strings.Replace(path, "{file}", "icon.svg", 1)
	}
	return method, path
}

// TestWhoMaySeeWhat walks all routes as everybody in all states, and compares the answers
// with the table in testdata/walk.txt. Forms are sent empty: 400 is for who may send them.
func TestWhoMaySeeWhat(t *testing.T) {
	h := walkers(t)
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s", "")
	for _, w := range who {
		fmt.Fprintf(&b, " %9s", w)
	}
	b.WriteString("\n")
	patterns := []string{"GET /nothing", "GET /c/none"}
	for p := range web.Routes() {
		patterns = append(patterns, p)
	}
	slices.SortFunc(patterns, func(a, b string) int {
		return strings.Compare(a[strings.Index(a, " "):]+a, b[strings.Index(b, " "):]+b)
	})
	for _, pattern := range patterns {
		in := states
		switch {
		case strings.Contains(pattern, "{hole}"):
			in = holes
		case !strings.Contains(pattern, "{slug}") && !strings.Contains(pattern, "{ladder}"):
			in = []string{""}
		}
		fmt.Fprintf(&b, "%s\n", pattern)
		for _, state := range in {
			fmt.Fprintf(&b, "%-10s", state)
			for _, w := range who {
				method, path := filled(pattern, state)
				var form url.Values
				if method == "POST" {
					form = url.Values{"login": {"nobody-" + w}} // each has wrong tries of its own
				}
				fmt.Fprintf(&b, " %9d", h.ask(h.cookie(w), method, path, form).code)
			}
			b.WriteString("\n")
		}
	}
	const golden = "testdata/walk.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d of %s is another now:\n%s\nwant\n%s", i+1, golden, strings.Join(got[i:min(i+3, len(got))], "\n"), strings.Join(wanted[min(i, len(wanted)):min(i+3, len(wanted))], "\n"))
		}
	}
}

// TestPagesAreHarmless looks at every page that everybody may see: nothing that others wrote
// is taken for HTML, no contestant reads a secret, and all controls have names.
func TestPagesAreHarmless(t *testing.T) {
	h := walkers(t)
	pages := 0
	for _, w := range who {
		for pattern := range web.Routes() {
			in := states
			switch {
			case strings.Contains(pattern, "{hole}"):
				in = holes
			case !strings.Contains(pattern, "{slug}") && !strings.Contains(pattern, "{ladder}"):
				in = states[:1]
			}
			for _, state := range in {
				method, path := filled(pattern, state)
				if method != "GET" || strings.HasSuffix(path, "/events") {
					continue
				}
				got := h.ask(h.cookie(w), method, path, nil)
				staff := w == "judge" || w == "chair" || w == "admin"
				if strings.Contains(got.body, secret) && !staff {
					t.Errorf("%s reads a secret at %s:\n%s", w, path, got.body)
				}
				if strings.Contains(got.body, textOfAda) && !staff && w != "ada" && state != "shown" {
					t.Errorf("%s reads an answer of ada's at %s:\n%s", w, path, got.body)
				}
				if got.code != 200 {
					continue
				}
				pages++
				if got.Get("Content-Security-Policy") == "" || got.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s has the headers %v", path, got.Header)
				}
				if strings.HasPrefix(got.Get("Content-Type"), "text/html") && strings.HasPrefix(got.Get("Content-Security-Policy"), "sandbox allow-scripts; default-src 'none'") {
					if strings.Contains(got.body, "<marked") { // a page for itself: its own script draws
						t.Errorf("%s at %s: what others wrote is taken for HTML", w, path)
					}
				} else if strings.HasPrefix(got.Get("Content-Type"), "text/html") {
					harmless(t, w+" at "+path, got.body)
				} else if strings.Contains(got.body, "marked") && !strings.HasPrefix(got.Get("Content-Disposition"), "attachment") && !strings.HasPrefix(got.Get("Content-Security-Policy"), "sandbox") {
					t.Errorf("%s is not an attachment, and may run what is in it", path)
				}
				if strings.HasPrefix(got.Get("Content-Type"), "text/plain") && !strings.HasPrefix(got.Get("Content-Security-Policy"), "sandbox") {
					t.Errorf("%s may run what is in it: %v", path, got.Header)
				}
			}
		}
	}
	if pages < 100 {
		t.Errorf("only %d pages were looked at", pages)
	}
}

// harmless looks for what no page has.
func harmless(t *testing.T, where, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	heads, labels, ids := 0, map[string]bool{}, map[string]bool{}
	attr := func(n *html.Node, key string) string {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return ""
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "label" {
			labels[attr(n, "for")] = true
		}
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript") {
				t.Errorf("%s: <%s %s=%q>", where, n.Data, a.Key, a.Val)
			}
		}
		if id := attr(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("%s: the id %s stands twice", where, id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "h1":
			heads++
		case "marked", "iframe", "object", "style":
			t.Errorf("%s: <%s>", where, n.Data)
		case "script":
			if n.FirstChild != nil || !strings.HasPrefix(attr(n, "src"), "/static/live-") {
				t.Errorf("%s: a script that is not ours: %q", where, attr(n, "src"))
			}
		case "input", "select", "textarea", "button":
			if !named(n, attr, labels) {
				t.Errorf("%s: <%s name=%q> has no name for people", where, n.Data, attr(n, "name"))
			}
		}
	}
	if heads != 1 {
		t.Errorf("%s has %d first headings", where, heads)
	}
}

// named says whether people are told what a control is for.
func named(n *html.Node, attr func(*html.Node, string) string, labels map[string]bool) bool {
	if attr(n, "type") == "hidden" || attr(n, "aria-label") != "" || labels[attr(n, "id")] && attr(n, "id") != "" {
		return true
	}
	if n.Data == "button" {
		return n.FirstChild != nil && strings.TrimSpace(n.FirstChild.Data) != ""
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "label" {
			return true
		}
	}
	return false
}
