package shadow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/judge/host/media"
)

func drawing(side int) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"/>`, side, side)
}

// shows returns a JSON property that lists files of the primary with the given names. Each entry has the digest of
// the file's bytes, unless the name begins with !.
func (p *primary) shows(property string, names ...string) string {
	var all []string
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range names {
		hash := ""
		if name, is := strings.CutPrefix(name, "!"); is {
			all = append(all, fmt.Sprintf(`{"href":"contests/wf/media/%s","mime":"x"}`, name))
			continue
		}
		if data, is := p.files["/media/"+name]; is {
			hash = media.MD5Sum(data)
		} else {
			hash = strings.Repeat("0", 32)
		}
		all = append(all, fmt.Sprintf(`{"href":"contests/wf/media/%s","hash":%q,"tag":["light"]}`, name, strings.ToUpper(hash)))
	}
	return fmt.Sprintf(`,%q:[%s]`, property, strings.Join(all, ","))
}

// pictures returns the files of the contest, except files generated on this server, and the recorded errors of
// files that could not be copied.
func (m *machine) pictures() string {
	m.Helper()
	all, err := m.db.Media(m.Context(), m.contest().ID)
	if err != nil {
		m.Fatal(err)
	}
	var out []string
	for _, f := range all {
		if f.Scaled {
			continue
		}
		if data, err := m.intake.Blobs.Read(f.Digest, f.Size); err != nil || media.MD5Sum(data) != f.MD5 {
			m.Errorf("the bytes of %s: %v", f.Path(), err)
		}
		out = append(out, fmt.Sprintf("%s %s %dx%d", f.Path(), f.Property, f.Width, f.Height))
	}
	wrong, err := m.db.ExternalProblems(m.Context(), m.contest().ID)
	if err != nil {
		m.Fatal(err)
	}
	for _, p := range wrong {
		if p.Type == "files" {
			out = append(out, p.ID+": "+p.Text)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestPictures checks that the primary's pictures and statements are copied once, and again if they change. If a
// file is missing or damaged, this is recorded, and everything else continues.
func TestPictures(t *testing.T) {
	p := newPrimary(t, false)
	for name, data := range map[string]string{
		"u.svg": string(drawing(10)), "banner.svg": string(drawing(20)), "photo.svg": string(drawing(30)), "flag.svg": string(drawing(40)),
		"a.pdf": "%PDF-1.4 a", "b.pdf": "%PDF-1.4 b", "text.svg": "hello", "late.svg": string(drawing(50)), "nohash.svg": string(drawing(60)),
		"other.svg": string(drawing(70)), "large.svg": strings.Repeat(" ", 9<<20),
	} {
		p.files["/media/"+name] = []byte(data)
	}
	for i := range 40 {
		p.files[fmt.Sprintf("/media/many%d.svg", i)] = drawing(100 + i)
	}
	p.unavailable["/media/late.svg"] = 2
	p.unavailable["/media/never.svg"] = 1 << 20
	p.add("contest", "", strings.TrimSuffix(contest, "}")+p.shows("banner", "banner.svg")+p.shows("unknown", "u.svg")+"}")
	p.add("groups", "g", `{"id":"g","name":"G"`+p.shows("logo", "late.svg")+`}`)
	p.add("groups", "h", `{"id":"h","name":"H"`+p.shows("logo", "never.svg")+`}`)
	p.add("organizations", "u", `{"id":"u","name":"U"`+p.shows("logo", "u.svg")+p.shows("country_flag", "!flag.svg")+`}`)
	p.add("organizations", "v", `{"id":"v","name":"V"`+p.shows("logo", "missing.svg")+p.shows("country_flag", "text.svg", "other.svg")+`}`)
	p.add("organizations", "w", `{"id":"w","name":"W"`+p.shows("logo", "large.svg")+`}`)
	p.add("organizations", "x", `{"id":"x","name":"X","logo":[{"href":"http://other.example/x.svg"},{"href":""},7],"country_flag":"x"}`)
	for i := range 40 {
		p.add("organizations", fmt.Sprint("many", i),
			fmt.Sprintf(`{"id":"many%d","name":"M"%s}`, i, p.shows("logo", fmt.Sprintf("many%d.svg", i))))
	}
	p.add("teams", "t1", `{"id":"t1","name":"One"`+p.shows("photo", "photo.svg")+`}`)
	p.add("problems", "sum", `{"id":"sum","label":"A","name":"Sum"`+p.shows("statement", "a.pdf", "b.pdf")+`}`)
	p.add("state", "", `{"started":"2026-01-01T10:00:00.000+01:00","ended":null}`)
	m := start(t, t.TempDir())
	m.begin(p, false)
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("organizations/many%d/logo.%dx%d.light.svg logo %dx%d", i, 100+i, 100+i, 100+i, 100+i))
	}
	want := append(many,
		"contest/banner.20x20.light.svg banner 20x20",
		"groups/g/logo.50x50.light.svg logo 50x50",
		"groups/h/logo/never.svg: it cannot be fetched: the primary answers 503 Service Unavailable: busy",
		"organizations/u/country_flag.40x40.svg country_flag 40x40",
		"organizations/u/logo.10x10.light.svg logo 10x10",
		"organizations/v/country_flag.70x70.light.svg country_flag 70x70",
		"organizations/v/country_flag/text.svg: the file is not a picture in PNG, JPEG or SVG",
		"organizations/v/logo/missing.svg: it cannot be fetched: the primary answers 404 Not Found: no files",
		"organizations/w/logo/large.svg: the file has more than 8 MiB",
		"organizations/x/logo/x.svg: it cannot be fetched: the primary answers 403 Forbidden: the files are on another server: other.example",
		"problems/sum/statement.light.2.pdf statement 0x0",
		"problems/sum/statement.light.pdf statement 0x0",
		"teams/t1/photo.30x30.light.svg photo 30x30",
	)
	expect := func(what string, want []string) {
		t.Helper()
		slices.Sort(want)
		m.wait(func() string {
			if got := m.pictures(); got != strings.Join(want, "\n") {
				return what + ":\n" + got + "\nwant\n" + strings.Join(want, "\n")
			}
			return ""
		})
	}
	expect("at first", want)
	m.wait(func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		if got := p.asked["/media/never.svg"]; got != 5 {
			return fmt.Sprintf("what is never there was asked for %d times", got)
		}
		return ""
	})
	asked := func() map[string]int {
		p.mu.Lock()
		defer p.mu.Unlock()
		all := map[string]int{}
		for name, n := range p.asked {
			all[name] = n
		}
		return all
	}
	before := asked()
	if before["/media/u.svg"] != 1 || before["/media/many7.svg"] != 1 || before["/media/late.svg"] != 3 ||
		before["/media/missing.svg"] != 1 || p.most > 8 || p.most < 2 {
		t.Errorf("%d at once, %v", p.most, before)
	}
	// A logo changes, and a photo is removed.
	p.mu.Lock()
	p.files["/media/u.svg"] = drawing(11)
	p.mu.Unlock()
	p.add("organizations", "u", `{"id":"u","name":"New name"`+p.shows("logo", "u.svg")+p.shows("country_flag", "!flag.svg")+`}`)
	p.add("organizations", "v", `{"id":"v","name":"V"`+p.shows("country_flag", "flag.svg")+`}`)
	p.add("problems", "sum", `{"id":"sum","label":"A","name":"Sum"`+p.shows("statement", "b.pdf")+`}`)
	change := map[string]string{
		"organizations/u/logo.10x10.light.svg logo 10x10":                                                     "organizations/u/logo.11x11.light.svg logo 11x11",
		"organizations/v/country_flag.70x70.light.svg country_flag 70x70":                                     "organizations/v/country_flag.40x40.light.svg country_flag 40x40",
		"organizations/v/country_flag/text.svg: the file is not a picture in PNG, JPEG or SVG":                "",
		"problems/sum/statement.light.pdf statement 0x0":                                                      "",
		"organizations/v/logo/missing.svg: it cannot be fetched: the primary answers 404 Not Found: no files": "",
	}
	var then []string
	for _, line := range want {
		if to, is := change[line]; !is {
			then = append(then, line)
		} else if to != "" {
			then = append(then, to)
		}
	}
	expect("after changes", then)
	after := asked()
	for name, n := range after {
		again := map[string]bool{"/media/u.svg": true, "/media/flag.svg": true}[name]
		if !again && n != before[name] {
			t.Errorf("%s was asked for %d times, before %d", name, n, before[name])
		}
	}
	// After a restart, the server fetches only what it lacks.
	m.stop()
	m = start(t, m.dir)
	m.wait(func() string {
		if asked()["/media/large.svg"] == after["/media/large.svg"] {
			return "what was missing is not asked for again"
		}
		return ""
	})
	expect("after a restart", then)
	if got := asked(); got["/media/many7.svg"] != 1 || got["/media/banner.svg"] != 1 {
		t.Errorf("fetched again: %v", got)
	}
}
