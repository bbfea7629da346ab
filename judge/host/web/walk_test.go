package web_test

import (
	"flag"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

var update = flag.Bool("update", false, "write the golden files again")

// who lists the callers. Ada is in each contest and the author of its submission. Bob is in none. Chair is an
// administrator of each contest except one. The account other is an administrator of that one only.
var who = []string{"anonymous", "ada", "bob", "runner", "judge", "chair", "other", "admin"}

// states lists the slugs of the contests, which differ in their state.
var states = []string{"before", "running", "after", "over", "everybody", "teams", "staff"}

// holes lists the slugs of the holes. Each has a valid submission of ada.
var holes = []string{"open", "members", "hidden", "shown", "closed"}

// walkers returns a harness with these contests and holes.
func walkers(t *testing.T) *webtest.Harness {
	h := webtest.New(t)
	for _, state := range states {
		visible, in, settings := store.VisibilityAccounts, -time.Minute, store.Settings{Show: judge.ShowSamples}
		switch state {
		case "before":
			in = time.Hour
		case "after":
			in, settings.Practice = -2*time.Hour, true
		case "over":
			in = -2 * time.Hour
		case "everybody":
			visible = store.VisibilityPublic
		case "teams":
			visible = store.VisibilityTeams
		case "staff":
			visible = store.VisibilityJury
		}
		c := h.Contest(state, in, visible, settings)
		h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
		h.Clarify(c, store.NewClarification{Text: "may I?" + webtest.HostileMarkup}, "ada")
		h.Clarify(c, store.NewClarification{Jury: true, Text: "to all" + webtest.HostileMarkup, Problem: "sum", ReplyTo: 1}, "judge")
		drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><marked/></svg>`)
		logo := webtest.Must[media.File](t)(media.New(media.Place{Type: media.Contest, Property: media.Logo, Filename: "logo.svg"}, drawing))
		h.StoreBlob(drawing)
		if err := h.Store.ChangeMedia(t.Context(), c.ID, nil, []media.File{logo}); err != nil {
			t.Fatal(err)
		}
		h.Ladder(state, map[string]store.Visibility{"everybody": store.VisibilityPublic, "staff": store.VisibilityJury}[state], state != "over")
		if err := h.Store.SetContestRole(t.Context(), h.Accounts["chair"].ID, c.ID, "contest-admin"); err != nil {
			t.Fatal(err)
		}
	}
	for _, slug := range holes {
		o := h.Hole(slug)
		switch slug {
		case "members":
			o.Visibility = store.VisibilityAccounts
		case "hidden":
			o.Visibility = store.VisibilityJury
		}
		h.RecordGolfCheck(h.SubmitGolf(o, "ada", "py"), "py", judge.GolfCorrect, 40)
		o.ShowSubmissions, o.Closed = slug == "shown", slug == "closed"
		if err := h.Store.SetHole(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	// The only contest with this problem.
	p := h.Problem
	webtest.Must[*store.Problem](t)(h.Store.PutBundle(t.Context(), store.NewBundle{
		Problem: "foreign", Title: "Foreign", Owner: h.Accounts["admin"].ID, ID: p.Bundle, Manifest: p.Bundle, Config: p.Config,
		ProblemInfo: p.ProblemInfo, MadeBy: h.Accounts["admin"].ID,
	}))
	elsewhere := &store.Contest{Slug: "elsewhere", Name: "Elsewhere", Format: store.ICPC, Starts: time.Now().Add(-time.Minute),
		Length: time.Hour, Visibility: store.VisibilityJury}
	if err := h.Store.NewContest(t.Context(), elsewhere, []store.NewContestProblem{{Label: "A", Slug: "foreign"}}); err != nil {
		t.Fatal(err)
	}
	if err := h.Store.SetContestRole(t.Context(), h.Accounts["other"].ID, elsewhere.ID, "contest-admin"); err != nil {
		t.Fatal(err)
	}
	return h
}

// foreign maps paths to forms that name a problem of another contest.
var foreign = map[string]url.Values{
	"/c/running/edit": {
		"name": {"Running"}, "slug": {"running"}, "start_by": {"hand"}, "hours": {"2"}, "format": {"icpc"}, "visibility": {"accounts"},
		"show":    {"samples"},
		"problem": {"sum", "foreign"}, "label-sum": {"A"}, "label-foreign": {"B"}, "freeze": {"no"}, "languages_by": {"all"},
	},
	"/c/running/rejudgings": {"problem": {"foreign"}, "bundle": {"foreign"}},
	"/admin/holes/new":      {"name": {"Foreign"}, "slug": {"foreign"}, "visibility": {"public"}, "problem": {"foreign"}},
	"/admin/ladders/new":    {"name": {"Foreign"}, "slug": {"foreign"}, "visibility": {"public"}, "problem": {"foreign"}},
	"/tournaments":          {"problem": {"foreign"}},
	"/problems":             {"problem": {"foreign"}},
}

// filled replaces the variables in a pattern by values.
func filled(pattern, state string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	path = strings.NewReplacer("{$}", "", "{slug}", state, "{label}", "A", "{n}", "1", "{number}", "1", "{id}", "none", "{login}", "none",
		"{name}", state, "{name...}", "pile.svg", "{path...}", "logo/logo.svg", "{team}", "1", "{code}", "none", "{ladder}", state,
		"{hole}", state, "{lang}", "py", "{answer}", "1", "{bot}", "1", "{encounter}", "1",
		"{part}", "package", "{event}", strings.Repeat("e", 26)).Replace(path)
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

// TestWhoMaySeeWhat requests all routes as each caller in all states, and compares the status codes with the table
// in testdata/walk.txt. Forms are sent empty, so status 400 means that the caller has permission to send them.
func TestWhoMaySeeWhat(t *testing.T) {
	h := walkers(t)
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s", "")
	for _, w := range who {
		fmt.Fprintf(&b, " %9s", w)
	}
	b.WriteString("\n")
	patterns := []string{"GET /nothing", "GET /c/none"}
	for p := range webtest.Routes() {
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
		case strings.Contains(pattern, "{name}"):
			in = []string{"sum", "foreign"}
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
					form = url.Values{"login": {"unknown-" + w}} // wrong passwords are counted per caller
				}
				fmt.Fprintf(&b, " %9d", h.Fetch(h.Cookie(w), method, path, form).Code)
			}
			b.WriteString("\n")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(foreign)) {
		fmt.Fprintf(&b, "POST %s with a problem of another contest\n%-10s", path, "")
		for _, w := range who {
			fmt.Fprintf(&b, " %9d", h.Fetch(h.Cookie(w), "POST", path, foreign[path]).Code)
		}
		b.WriteString("\n")
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
			t.Fatalf("line %d of %s is another now:\n%s\nwant\n%s", i+1, golden, strings.Join(got[i:min(i+3, len(got))], "\n"),
				strings.Join(wanted[min(i, len(wanted)):min(i+3, len(wanted))], "\n"))
		}
	}
}

// linksOf returns the local addresses to which a page links.
func linksOf(page string) (all []string) {
	for _, m := range regexp.MustCompile(`<a [^>]*href="(/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		path, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
		all = append(all, path)
	}
	return all
}

// TestPagesAreHarmless checks every page of every caller. User input never becomes HTML, contestants see no
// secrets, and all controls have names. A page is smaller than 60 KiB and has one request for its style sheet and
// at most two for scripts. Its links lead to pages that the reader may see.
func TestPagesAreHarmless(t *testing.T) {
	h := walkers(t)
	pages := 0
	links := map[string]map[string]string{} // maps readers and link addresses to a page with the link
	for _, w := range who {
		cookie := h.Cookie(w)
		for pattern := range webtest.Routes() {
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
				got := h.Fetch(cookie, method, path, nil)
				staff := w == "judge" || w == "chair" || w == "admin"
				if strings.Contains(got.Body, webtest.Secret) && !staff {
					t.Errorf("%s reads a secret at %s:\n%s", w, path, got.Body)
				}
				if strings.Contains(got.Body, webtest.GolfSource) && !staff && w != "ada" && state != "shown" {
					t.Errorf("%s reads an answer of ada's at %s:\n%s", w, path, got.Body)
				}
				if got.Code != 200 {
					continue
				}
				pages++
				if got.Get("Content-Security-Policy") == "" || got.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s has the headers %v", path, got.Header)
				}
				if strings.HasPrefix(got.Get("Content-Type"), "text/html") &&
					strings.HasPrefix(got.Get("Content-Security-Policy"), "sandbox allow-scripts; default-src 'none'") {
					if strings.Contains(got.Body, "<marked") { // a standalone page, rendered by its own script
						t.Errorf("%s at %s: what others wrote is taken for HTML", w, path)
					}
				} else if strings.HasPrefix(got.Get("Content-Type"), "text/html") {
					webtest.CheckHTML(t, w+" at "+path, got.Body)
					if got, most := len(got.Body), 60<<10; got > most && !strings.HasSuffix(path, "/scoreboard") {
						t.Errorf("%s at %s has %d bytes, at most %d", w, path, got, most)
					}
					if styles, scripts := strings.Count(got.Body, `rel="stylesheet"`), strings.Count(got.Body, "<script src=")+
						strings.Count(got.Body, "data-worker="); styles != 1 || scripts > 2 {
						t.Errorf("%s at %s asks for %d style sheets and %d scripts", w, path, styles, scripts)
					}
					for _, link := range linksOf(got.Body) {
						if links[w] == nil {
							links[w] = map[string]string{}
						}
						links[w][link] = path
					}
				} else if strings.Contains(got.Body, "marked") && !strings.HasPrefix(got.Get("Content-Disposition"), "attachment") &&
					!strings.HasPrefix(got.Get("Content-Security-Policy"), "sandbox") {
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
	for w, all := range links {
		cookie := h.Cookie(w)
		for link, page := range all {
			if strings.Contains(link, "/sample/") { // names of the harness's samples cannot be stored
				continue
			}
			if code := h.Fetch(cookie, "GET", link, nil).Code; code >= 400 {
				t.Errorf("%s at %s finds a link to %s, which answers %d", w, page, link, code)
			}
		}
	}
}
