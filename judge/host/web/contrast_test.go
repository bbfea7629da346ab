package web

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/judge/report"
)

// TestContrast: all text can be read on what is behind it, in both color schemes. The least ratio is
// that of WCAG 2.2 for text of any size.
func TestContrast(t *testing.T) {
	const least = 4.5
	arena, err := os.ReadFile("../../report/page/arena/arena.css")
	if err != nil {
		t.Fatal(err)
	}
	sheet := string(style) + string(arena)
	for _, scheme := range []string{"light", "dark"} {
		pairs := parseSheet(sheet, scheme).pairs(t)
		if len(pairs) < 100 {
			t.Errorf("%s: only %d pairs of colors were found", scheme, len(pairs))
		}
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			if got := pairs[name].ratio(); got < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %v", scheme, name, got, least)
			}
		}
	}
}

// TestContrastIsComputed: the ratios of WCAG's own examples, and the mixes of CSS.
func TestContrastIsComputed(t *testing.T) {
	s := colorSheet{tokens: map[string]string{"ink": "#777", "v": "var(--ink)"}}
	for _, row := range []struct {
		text, behind string
		want         float64
	}{
		{"#000", "#fff", 21}, {"#fff", "#000000", 21}, {"#777", "white", 4.48}, {"var(--v)", "#fff", 4.48}, {"var(--no, #767676)", "#fff", 4.54},
		{"#fff", "color-mix(in srgb, #000 50%, #fff)", 3.98}, {"#000", "color-mix(in srgb, black 100%, #fff)", 1}, {"#aabbcc", "#abc", 1},
	} {
		text, ok1 := s.color(row.text, "#fff")
		behind, ok2 := s.color(row.behind, "#fff")
		if got := (colorPair{text, behind}).ratio(); !ok1 || !ok2 || math.Abs(got-row.want) > .01 {
			t.Errorf("%s on %s: %.2f, want %.2f", row.text, row.behind, got, row.want)
		}
	}
}

// A rule of a style sheet, of which only the colors matter.
type colorRule struct{ selector, text, behind string }

// A colorSheet has the rules of a style sheet in one color scheme.
type colorSheet struct {
	tokens map[string]string
	rules  []colorRule
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	simple    = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
	darkRules = regexp.MustCompile(`(?s)@media \(prefers-color-scheme: dark\) \{((?:[^{}]*\{[^{}]*\})*)\s*\}`)
	// Parts that show something without text in them.
	wordless = regexp.MustCompile(`svg|\.bar|\.gauge|\.passed|\.verdicts|\.drop|::|\.statement img|\.document|canvas|\.dash|\.whisker|\.swatch|\.stack > span`)
	variable = regexp.MustCompile(`var\(--v\b`)
)

func parseSheet(text, scheme string) *colorSheet {
	s := &colorSheet{tokens: map[string]string{"heat": "45%"}} // the most that the table of an arena has
	text = comments.ReplaceAllString(text, "")
	var dark []string
	for _, m := range darkRules.FindAllStringSubmatch(text, -1) {
		dark = append(dark, m[1])
	}
	text = darkRules.ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?s)@media print \{(?:[^{}]*\{[^{}]*\})*\s*\}`).ReplaceAllString(text, "")
	if scheme == "dark" {
		text += strings.Join(dark, "\n")
	}
	for _, m := range simple.FindAllStringSubmatch(text, -1) {
		r, declared := colorRule{}, strings.Split(m[2], ";")
		for _, d := range declared {
			name, value, _ := strings.Cut(strings.TrimSpace(d), ":")
			value = strings.TrimSpace(strings.TrimSuffix(value, "!important"))
			switch {
			case strings.HasPrefix(name, "--") && strings.Contains(m[1], ":root"):
				s.tokens[name[2:]] = value
			case name == "color":
				r.text = value
			case (name == "background" || name == "background-color") && value != "none" && !strings.Contains(value, "gradient"):
				r.behind = value
			}
		}
		for selector := range strings.SplitSeq(regexp.MustCompile(`\([^()]*\)`).ReplaceAllStringFunc(m[1], func(s string) string { return strings.ReplaceAll(s, ",", " ") }), ",") {
			r.selector = strings.TrimSpace(selector)
			if r.text != "" || r.behind != "" {
				s.add(r)
			}
		}
	}
	return s
}

// add adds a rule to those before it, which it overrides.
func (s *colorSheet) add(r colorRule) {
	for i := range s.rules {
		if old := &s.rules[i]; old.selector == r.selector {
			if r.text != "" {
				old.text = r.text
			}
			if r.behind != "" {
				old.behind = r.behind
			}
			return
		}
	}
	s.rules = append(s.rules, r)
}

// verdictColors are the values of --v.
var verdictColors = []string{"ac", "wa", "rte", "ole", "mle", "tle", "ile", "ce", "je", "sk", "none"}

type colorPair struct{ text, behind [3]float64 }

// pairs returns all texts with what is behind them, by name.
func (s *colorSheet) pairs(t *testing.T) map[string]colorPair {
	all := map[string]colorPair{}
	add := func(rule, text, behind string) {
		values := []string{""}
		if variable.MatchString(text + behind) {
			values = verdictColors
		}
		for _, v := range values {
			if s.tokens["v"] = s.tokens[v]; v == "" {
				delete(s.tokens, "v")
			}
			back, ok := s.color(behind, "var(--card)")
			front, ok2 := s.color(text, behind)
			if !ok || !ok2 {
				t.Errorf("%s: unknown color: %s on %s", rule, text, behind)
				continue
			}
			all[strings.TrimSpace(fmt.Sprintf("%s: %s on %s %s", rule, text, behind, v))] = colorPair{front, back}
		}
	}
	for _, r := range s.rules {
		switch inherits := r.text == "inherit" || r.text == "currentColor"; {
		case wordless.MatchString(r.selector) || r.behind == "transparent" || r.behind == "inherit":
		case r.text != "" && r.behind != "" && !inherits:
			add(r.selector, r.text, r.behind)
		case r.behind != "": // what stands there by itself
			add(r.selector, "var(--ink)", r.behind)
		case !inherits:
			for _, behind := range s.behind(r.selector) {
				add(r.selector, r.text, behind)
			}
		}
	}
	// Notes, links and key words stand in any part that has a color of its own.
	for _, text := range []string{"var(--ink)", "var(--soft)", "var(--link)"} {
		for _, surface := range []string{"page", "card", "me", "good", "warn", "want", "got"} {
			add("text", text, "var(--"+surface+")")
		}
	}
	return all
}

// behind returns the backgrounds on which a selector's text stands: that of a part around it, or
// those of a page and of its cards.
func (s *colorSheet) behind(selector string) (all []string) {
	parts := strings.Fields(selector)
	for n := len(parts); n > 0; n-- {
		for _, r := range s.rules {
			if r.selector == strings.Join(parts[:n], " ") && r.behind != "" && !strings.Contains(r.behind, "inherit") {
				all = append(all, r.behind)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return []string{"var(--page)", "var(--card)"}
}

// color returns the red, green and blue of a color of CSS, from 0 to 1. What is transparent shows
// what is behind it.
func (s *colorSheet) color(text, behind string) (c [3]float64, ok bool) {
	switch text = strings.TrimSpace(text); {
	case text == "transparent":
		return s.color(behind, "#fff")
	case text == "white":
		text = "#fff"
	case text == "black":
		text = "#000"
	case strings.HasPrefix(text, "var("):
		name, other, has := strings.Cut(strings.TrimSuffix(text[len("var("):], ")"), ",")
		if value, known := s.tokens[strings.TrimPrefix(name, "--")]; known {
			return s.color(value, behind)
		}
		if !has {
			return c, false
		}
		return s.color(other, behind)
	case strings.HasPrefix(text, "color-mix(in srgb, "):
		text = strings.ReplaceAll(text, "var(--heat)", s.tokens["heat"])
		m := regexp.MustCompile(`^color-mix\(in srgb, (.*) ([0-9.]+)%, (.*)\)$`).FindStringSubmatch(text)
		if m == nil {
			return c, false
		}
		share, _ := strconv.ParseFloat(m[2], 64)
		one, ok1 := s.color(m[1], behind)
		two, ok2 := s.color(m[3], behind)
		for i := range c {
			c[i] = (one[i]*share + two[i]*(100-share)) / 100
		}
		return c, ok1 && ok2
	}
	if name, is := strings.CutPrefix(text, "rgb(var(--"); is {
		var rgb [3]int
		n, err := fmt.Sscanf(s.tokens[strings.TrimSuffix(name, "))")], "%d, %d, %d", &rgb[0], &rgb[1], &rgb[2])
		return [3]float64{float64(rgb[0]) / 255, float64(rgb[1]) / 255, float64(rgb[2]) / 255}, n == 3 && err == nil
	}
	digits, is := strings.CutPrefix(text, "#")
	if len(digits) == 3 || len(digits) == 4 {
		var long strings.Builder
		for _, d := range digits {
			long.WriteString(string(d) + string(d))
		}
		digits = long.String()
	}
	if !is || len(digits) < 6 {
		return c, false
	}
	for i := range c {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			return c, false
		}
		c[i] = float64(n) / 255
	}
	return c, true
}

// ratio is the contrast of WCAG 2.2, from 1 to 21.
func (p colorPair) ratio() float64 {
	luminance := func(c [3]float64) (l float64) {
		for i, weight := range []float64{.2126, .7152, .0722} {
			if c[i] <= .04045 {
				l += weight * c[i] / 12.92
			} else {
				l += weight * math.Pow((c[i]+.055)/1.055, 2.4)
			}
		}
		return l
	}
	a, b := luminance(p.text), luminance(p.behind)
	return (max(a, b) + .05) / (min(a, b) + .05)
}

// TestClassesOfReports: a class of the reports, whose style sheet the pages have too, is not another thing on
// the pages.
func TestClassesOfReports(t *testing.T) {
	shared := []string{"lang", "scroll"} // these look the same
	class := regexp.MustCompile(`^\.[\w-]+$`)
	selectors := func(sheet string) map[string]bool {
		all := map[string]bool{}
		for _, part := range strings.FieldsFunc(sheet, func(c rune) bool { return strings.ContainsRune(",{}\n", c) }) {
			if part = strings.TrimSpace(part); class.MatchString(part) {
				all[part[1:]] = true
			}
		}
		return all
	}
	own, err := os.ReadFile("static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	reports, pages := selectors(report.Style()), selectors(string(own))
	if !reports["cells"] || !pages["card"] {
		t.Fatalf("the classes are not found: %v, %v", reports, pages)
	}
	for class := range reports {
		if pages[class] && !slices.Contains(shared, class) {
			t.Errorf("both style sheets have .%s", class)
		}
	}
}
