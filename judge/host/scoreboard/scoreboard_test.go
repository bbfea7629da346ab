package scoreboard

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/host/scoring"
	"assay/judge/internal/golden"
)

// frame returns a minimal page around a scoreboard.
func frame(h Heading, _ Viewer) (before, after []byte, err error) {
	return fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title>\n<main><h1>%[1]s</h1>\n",
		text(h.Name)), []byte("</main></html>\n"), nil
}

// page returns a scoreboard page. It returns nil if the group does not exist.
func page(tb testing.TB, l *Live, staff bool, group string) *Page {
	tb.Helper()
	p, err := l.Page(Viewer{Jury: staff}, group)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// classroom returns a contest that starts at the given time and has all kinds of teams and results.
func classroom(kind scoring.Kind, start time.Time) State {
	s := State{
		Heading: Heading{Name: "Spring <contest> & more", Slug: "spring"},
		Contest: scoring.Contest{
			Rules: scoring.DefaultRules(kind), Start: start, Length: 5 * time.Hour, Freeze: 4 * time.Hour,
			Problems: []scoring.Problem{{Label: "A", Title: "Apples", Color: "#ff0000", Points: 100},
				{Label: "B", Title: "\"Bees\" & <i>", Points: 200, Color: `red" onload="x`}, {Label: "C/2 ü", Points: 300, Color: "gold"}},
		},
		Teams: []scoring.Team{
			{ID: "1", Name: "Ants", Affiliation: "School of Ants", Groups: []string{"girls", "year 7"}},
			{ID: "2", Name: `</th><script>alert("bees")</script>`, Affiliation: `"><img src=x onerror=y>`, Groups: []string{"year 7", `<b>&"`}},
			{ID: "3", Name: "نمل \u202eevil", Groups: []string{"girls"}},
			{ID: "4", Name: "Staff's own", Hidden: true},
			{ID: "5", Name: "Ants", Penalty: -10 * time.Minute},
		},
	}
	add := func(team, problem string, minute int, v judge.Verdict, points ...float64) {
		x := scoring.Submission{Number: int64(len(s.Submissions) + 1), Team: team, Problem: problem,
			At: start.Add(time.Duration(minute)*time.Minute + 7*time.Second), Verdict: v}
		if len(points) > 0 && kind == scoring.IOI {
			x.Score = &judge.Score{Points: points[0]}
		}
		s.Submissions = append(s.Submissions, x)
	}
	add("1", "A", 10, "WA", 20)
	add("4", "A", 11, "AC", 100)
	add("1", "A", 15, "AC", 100)
	add("2", "A", 25, "AC", 100)
	add("2", "B", 30, "WA", 0)
	add("2", "B", 31, "TLE", 12.5)
	add("3", "B", 40, "")
	add("3", "A", 50, "CE")
	add("1", "B", 250, "AC", 100)
	add("5", "C/2 ü", 255, "WA", 5)
	return s
}

// TestPages compares the pages with golden files in testdata: for each kind of contest, for the public and the
// jury, during the freeze and after the end.
func TestPages(t *testing.T) {
	for _, kind := range scoring.Kinds {
		for name, at := range map[string]time.Duration{"running": time.Hour, "frozen": 270 * time.Minute, "over": 6 * time.Hour} {
			synctest.Test(t, func(t *testing.T) {
				l := New(classroom(kind, time.Now()), frame)
				time.Sleep(at)
				for _, staff := range []bool{false, true} {
					for _, group := range []string{"", "girls"} {
						p := page(t, l, staff, group)
						if name == "running" && group == "" || name == "frozen" && kind == scoring.ICPC {
							golden.Check(t, fmt.Sprintf("testdata/pages/%s-%s-jury=%v%s.html", kind, name, staff, group), steady(p.Plain))
						}
						if problem := wellFormed(string(p.Plain)); problem != "" {
							t.Errorf("%s %s jury=%v %q: %s\n%s", kind, name, staff, group, problem, p.Plain)
						}
					}
				}
				if page(t, l, false, "boys") != nil {
					t.Error("a group without teams has a page")
				}
			})
		}
	}
}

// steady removes what differs between runs.
func steady(page []byte) []byte {
	return regexp.MustCompile(`data-version="\d+"`).ReplaceAll(page, []byte(`data-version="…"`))
}

// wellFormed returns what is wrong with a page: unclosed tags, or elements and attributes that a scoreboard does
// not use. It returns an empty string if the page is valid.
func wellFormed(page string) string {
	known := []string{"html", "title", "main", "h1", "section", "p", "nav", "ul", "li", "a", "bdi", "div", "table", "caption", "thead",
		"tbody", "tfoot", "tr", "th", "td", "abbr", "svg", "circle", "small", "span", "b", "i"}
	attribute := regexp.MustCompile(`^ (class|id|scope|colspan|href|title|lang|tabindex|role|fill|viewBox|cx|cy|r|aria-[a-z]+|data-[a-z]+)="[^"<]*"`)
	var open []string
	for _, m := range regexp.MustCompile(`<[^>]*>|[^<]+|<`).FindAllString(page, -1) {
		switch {
		case m == "<!DOCTYPE html>", m == `<meta charset="utf-8">`:
		case strings.HasPrefix(m, "</"):
			name := m[2 : len(m)-1]
			if len(open) == 0 || open[len(open)-1] != name {
				return fmt.Sprintf("%s closes what is not open: %q", m, open)
			}
			open = open[:len(open)-1]
		case strings.HasPrefix(m, "<"):
			tag := strings.TrimSuffix(strings.TrimSuffix(m[1:], ">"), "/")
			name, _, _ := strings.Cut(tag, " ")
			if !slices.Contains(known, name) {
				return m + " does not belong here"
			}
			for rest := tag[len(name):]; rest != ""; {
				a := attribute.FindString(rest)
				if a == "" && rest == " data-group" {
					a = rest
				}
				if a == "" {
					return fmt.Sprintf("%s has something that is no attribute of a board: %q", m, rest)
				}
				rest = rest[len(a):]
			}
			if !strings.HasSuffix(m, "/>") {
				open = append(open, name)
			}
		}
	}
	if len(open) != 0 {
		return fmt.Sprintf("%q are never closed", open)
	}
	return ""
}

// FuzzNames checks that names only appear as text on the page, whatever they contain.
func FuzzNames(f *testing.F) {
	f.Add("Ants", "School", "year 7", "A", "Apples", "#ff0000")
	f.Add(`"><script>`, `' onclick='x`, "&lt;", "<!--", "]]>", `red" x="`)
	f.Add("\x00\xff", "\u202e", "\r\n", "a/b?c#d", "</table>", "javascript:x")
	f.Fuzz(func(t *testing.T, name, about, group, label, title, color string) {
		s := classroom(scoring.ICPC, time.Now().Add(-time.Hour))
		s.Heading.Name, s.Heading.Slug = name, title
		s.Teams[0].Name, s.Teams[0].Affiliation, s.Teams[0].Groups, s.Teams[0].ID = name, about, []string{group}, label
		s.Contest.Problems[0] = scoring.Problem{Label: label, Title: title, Color: color}
		for _, staff := range []bool{false, true} {
			if problem := wellFormed(string(page(t, New(s, frame), staff, "").Plain)); problem != "" {
				t.Error(problem)
			}
		}
		rows, err := csv.NewReader(bytes.NewReader(CSV(s.Contest, nil))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range slices.Concat(rows...) {
			if strings.IndexAny(field, "=+-@") == 0 {
				t.Errorf("a spreadsheet takes %q for a formula", field)
			}
		}
	})
}

// A table is a page's table as a browser holds it. After patches, it must equal the table of the current page.
type table struct {
	rows []string // html
	sums string
}

var (
	rowPattern = regexp.MustCompile(`(?s)<tr id="t-.*?</tr>\n`)
	sumPattern = regexp.MustCompile(`<tr id="sums">.*?</tr>`)
	idPattern  = regexp.MustCompile(`^<tr id="t-([^"]*)"`)
	rankNumber = regexp.MustCompile(`<td>\d+</td>`)
)

func tableOf(p *Page) *table {
	return &table{rowPattern.FindAllString(string(p.Plain), -1), sumPattern.FindString(string(p.Plain))}
}

// apply does the same as scoreboard.js.
func (b *table) apply(p *patch) {
	gone := slices.Clone(p.Gone)
	for _, r := range p.Rows {
		gone = append(gone, r.ID)
	}
	b.rows = slices.DeleteFunc(b.rows, func(row string) bool { return slices.Contains(gone, idPattern.FindStringSubmatch(row)[1]) })
	for _, r := range p.Rows {
		b.rows = slices.Insert(b.rows, min(r.At, len(b.rows)), r.HTML)
	}
	if p.Sums != "" {
		b.sums = p.Sums
	}
	count, rank := 0, 0
	for i, row := range b.rows {
		if strings.Contains(row, `data-rank="none"`) {
			continue
		}
		if count++; !strings.Contains(row, `data-rank="tied"`) {
			rank = count
		}
		at := rankNumber.FindStringIndex(row)
		b.rows[i] = row[:at[0]] + fmt.Sprintf("<td>%d</td>", rank) + row[at[1]:]
	}
}

// TestPatchesMakeThePage checks that applying all patches gives the same table as loading the page, in both views
// and after any sequence of changes.
func TestPatchesMakeThePage(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed, kind := rapid.Uint64().Draw(rt, "seed"), rapid.SampledFrom(scoring.Kinds).Draw(rt, "kind")
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			s := classroom(kind, time.Now())
			l := New(s, frame)
			for _, staff := range []bool{false, true} {
				w := l.Watch(staff)
				defer w.Close()
			}
			tables := [2]*table{tableOf(page(t, l, false, "")), tableOf(page(t, l, true, ""))}
			versions := [2]int64{page(t, l, false, "").Version, page(t, l, true, "").Version}
			all := 0
			for range 40 {
				var submissions []scoring.Submission
				var teams []scoring.Team
				for range 1 + rng.IntN(3) {
					submissions = append(submissions, scoring.Submission{
						Number: int64(1 + rng.IntN(40)), Team: fmt.Sprint(1 + rng.IntN(6)), Problem: s.Contest.Problems[rng.IntN(3)].Label,
						At:      s.Contest.Start.Add(time.Duration(rng.IntN(320)) * time.Minute),
						Verdict: []judge.Verdict{"", "AC", "AC", "WA", "CE"}[rng.IntN(5)],
					})
				}
				if rng.IntN(6) == 0 {
					team := s.Teams[rng.IntN(5)]
					team.Name, team.Hidden, team.Groups = []string{"Ants", "Zebras", "cats"}[rng.IntN(3)], rng.IntN(4) == 0, nil
					teams = append(teams, team, scoring.Team{ID: "6", Name: "New"})
				}
				l.Apply(submissions, teams)
				time.Sleep(time.Duration(rng.IntN(20)) * time.Minute)
				synctest.Wait()
				for i, staff := range []bool{false, true} {
					now := page(t, l, staff, "")
					w := l.Watch(staff)
					patches, _, ok := w.Next(versions[i])
					w.Close()
					if !ok || len(patches) > 0 && patches[len(patches)-1].Version != now.Version || len(patches) == 0 && now.Version != versions[i] {
						t.Fatalf("from version %d on there are %d patches, %v; the page has version %d", versions[i], len(patches), ok, now.Version)
					}
					for _, data := range patches {
						var p patch
						if err := json.Unmarshal(data.Data, &p); err != nil {
							t.Fatal(err)
						}
						if p.From != versions[i] {
							t.Fatalf("a patch is from version %d, and %d was before it", p.From, versions[i])
						}
						if versions[i] = p.To; p.All {
							all++
							tables[i] = tableOf(now)
							continue
						}
						tables[i].apply(&p)
					}
					if want := tableOf(now); !slices.Equal(tables[i].rows, want.rows) || tables[i].sums != want.sums {
						t.Fatalf("the patches make\n%s%s\nthe page has\n%s%s", strings.Join(tables[i].rows, ""), tables[i].sums,
							strings.Join(want.rows, ""), want.sums)
					}
				}
			}
			if all > 40 {
				t.Errorf("%d of 80 patches say: load all", all)
			}
		})
	})
}

// TestAFrozenPageTellsNothing checks that the public page does not depend on verdicts after the freeze until the
// scoreboard is unfrozen. Then the page shows everything.
func TestAFrozenPageTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := classroom(scoring.ICPC, time.Now())
		s.Contest.Unfreeze = s.Contest.Start.Add(6 * time.Hour)
		others := s
		others.Submissions = slices.Clone(s.Submissions)
		late := others.Submissions[8:]
		for i := range late {
			late[i].Verdict = "RTE"
		}
		one, two := New(s, frame), New(others, frame)
		w := one.Watch(false)
		defer w.Close()
		time.Sleep(359 * time.Minute)
		if a, b := page(t, one, false, ""), page(t, two, false, ""); !bytes.Equal(steady(a.Plain), steady(b.Plain)) {
			t.Errorf("verdicts after the freeze are seen:\n%s\n%s", a.Plain, b.Plain)
		}
		if bytes.Contains(page(t, one, false, "").Plain, []byte("Staff")) {
			t.Error("a hidden team is seen")
		}
		before := w.Version()
		time.Sleep(time.Minute + RenderInterval)
		synctest.Wait()
		if w.Version() == before {
			t.Error("who watches is not told of the thaw")
		}
		if a, b := page(t, one, false, ""), page(t, two, false, ""); bytes.Equal(steady(a.Plain), steady(b.Plain)) ||
			bytes.Contains(a.Plain, []byte("frozen")) {
			t.Errorf("it is not thawed:\n%s", a.Plain)
		}
	})
}

// TestABoardIsDrawnSeldom checks that a scoreboard is rendered at most twice per second, and only if it has
// viewers.
func TestABoardIsDrawnSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := classroom(scoring.ICPC, time.Now())
		drawn := map[bool]int{}
		l := New(s, func(_ Heading, to Viewer) (_, _ []byte, _ error) { drawn[to.Jury]++; return nil, nil, nil })
		number := int64(100)
		change := func() {
			number++
			l.Apply([]scoring.Submission{{Number: number, Team: "1", Problem: "B", At: time.Now(), Verdict: "WA"}}, nil)
		}
		for range 100 {
			change()
			time.Sleep(time.Second)
		}
		if v := l.views[0]; v.sheet != nil || v.timer != nil || len(drawn) != 0 {
			t.Error("a scoreboard without spectators is drawn")
		}

		w := l.Watch(false)
		first := w.Version()
		for range 100 { // 10 changes per second, for 10 seconds
			change()
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(RenderInterval)
		synctest.Wait()
		if n := w.Version() - first; n < 15 || n > 21 {
			t.Errorf("a board of ten changes a second, for ten seconds, has %d versions", n)
		}
		if l.views[1].sheet != nil {
			t.Error("the jury's scoreboard is drawn without spectators")
		}
		patches, _, ok := w.Next(first)
		if !ok || len(patches) != int(w.Version()-first) {
			t.Errorf("of %d versions there are %d patches, %v", w.Version()-first, len(patches), ok)
		}
		for range 10 {
			page(t, l, false, "")
		}
		if drawn[false] != 1 {
			t.Errorf("ten loads of one version draw the page %d times", drawn[false])
		}

		// A change after a quiet period is visible immediately.
		at := time.Now()
		_, changed, _ := w.Next(w.Version())
		change()
		<-changed
		if time.Since(at) > 0 {
			t.Errorf("a change after a quiet time is seen after %s", time.Since(at))
		}

		// A viewer that falls behind gets the missing changes, or must reload the page.
		for range 2 * maxPatches {
			change()
			time.Sleep(RenderInterval)
		}
		if _, _, ok := w.Next(first); ok {
			t.Error("a version that was forgotten is known")
		}
		if _, _, ok := w.Next(w.Version() + 1); ok {
			t.Error("a version that never was is known")
		}
		if patches, _, ok := w.Next(w.Version() - maxPatches); !ok || len(patches) != maxPatches {
			t.Errorf("there are %d patches of the last %d versions, %v", len(patches), maxPatches, ok)
		}
		w.Close()
		w.Close()
		if l.Watchers() != 0 || l.views[0].timer != nil {
			t.Error("a reader still watches")
		}
		before := l.views[0].version
		for range 10 {
			change()
			time.Sleep(time.Second)
		}
		if l.views[0].version != before {
			t.Error("a scoreboard whose spectators have left is drawn again")
		}
	})
}

func TestResetKeepsWhoWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := classroom(scoring.ICPC, time.Now())
		l := New(s, frame)
		w := l.Watch(false)
		defer w.Close()
		version := w.Version()
		time.Sleep(time.Second)
		_, changed, _ := w.Next(version)
		s.Contest.Problems = s.Contest.Problems[:1]
		l.Reset(s)
		<-changed
		patches, _, ok := w.Next(version)
		if !ok || len(patches) != 1 || !bytes.Contains(patches[0].Data, []byte(`"all":true`)) {
			t.Errorf("who watches is told %v, %+v", ok, patches)
		}
		// A reset without a difference does not create a version.
		time.Sleep(time.Second)
		l.Reset(s)
		time.Sleep(time.Second)
		if got := w.Version(); got != version+1 {
			t.Errorf("a contest that is read again and is as it was makes version %d of %d", got, version+1)
		}
	})
}

func TestPagesAreCompressed(t *testing.T) {
	p := page(t, New(classroom(scoring.ICPC, time.Now().Add(-time.Hour)), frame), true, "")
	r, err := gzip.NewReader(bytes.NewReader(p.Gzip()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, p.Plain) {
		t.Errorf("compressed and back it is another page: %v", err)
	}
}

func TestCSV(t *testing.T) {
	for _, kind := range scoring.Kinds {
		s := classroom(kind, time.Date(2026, 3, 7, 9, 0, 0, 0, time.UTC))
		s.Teams[4].Name = "=HYPERLINK(\"http://evil\")"
		b := scoring.New(s.Contest, s.Teams, s.Submissions, s.Contest.Jury())
		golden.Check(t, fmt.Sprintf("testdata/%s.csv", kind), CSV(b.Contest(), b.Rows()))
	}
}
