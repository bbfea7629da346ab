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

// TestContrast checks that all text is readable on its background, in both color schemes. The minimum ratio is
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

// TestContrastIsComputed checks contrast ratios known from WCAG, and CSS color mixes.
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

// A colorRule is the selector and the colors of a style sheet rule.
type colorRule struct{ selector, text, behind string }

// A colorSheet holds the rules of a style sheet for one color scheme.
type colorSheet struct {
	tokens map[string]string
	rules  []colorRule
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	simple    = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
	darkRules = regexp.MustCompile(`(?s)@media \(prefers-color-scheme: dark\) \{((?:[^{}]*\{[^{}]*\})*)\s*\}`)
	// Selectors of elements that contain no text.
	wordless = regexp.MustCompile(`svg|\.bar|\.gauge|\.passed|\.verdicts|\.drop|::|\.statement ` +
		`img|\.document|canvas|\.dash|\.whisker|\.swatch|\.stack > span`)
	variable = regexp.MustCompile(`var\(--v\b`)
)

func parseSheet(text, scheme string) *colorSheet {
	s := &colorSheet{tokens: map[string]string{"heat": "45%"}} // maximum in arena tables
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
		for selector := range strings.SplitSeq(regexp.MustCompile(`\([^()]*\)`).ReplaceAllStringFunc(m[1],
			func(s string) string { return strings.ReplaceAll(s, ",", " ") }), ",") {
			r.selector = strings.TrimSpace(selector)
			if r.text != "" || r.behind != "" {
				s.add(r)
			}
		}
	}
	return s
}

// add adds a rule, which overrides earlier rules.
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

// verdictColors lists the values of --v.
var verdictColors = []string{"ac", "wa", "rte", "ole", "mle", "tle", "ile", "ce", "je", "sk", "none"}

type colorPair struct{ text, behind [3]float64 }

// pairs returns all pairs of text color and background color, by name.
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
		case r.behind != "": // default text color on this background
			add(r.selector, "var(--ink)", r.behind)
		case !inherits:
			for _, behind := range s.behind(r.selector) {
				add(r.selector, r.text, behind)
			}
		}
	}
	// Notes, links and keywords may appear on any colored surface.
	for _, text := range []string{"var(--ink)", "var(--soft)", "var(--link)"} {
		for _, surface := range []string{"page", "card", "me", "good", "warn", "want", "got"} {
			add("text", text, "var(--"+surface+")")
		}
	}
	return all
}

// behind returns the possible backgrounds for a selector's text: those of an enclosing element or, if there are
// none, those of pages and cards.
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

// color converts a CSS color to red, green and blue, each from 0 to 1. A transparent color becomes the color of
// behind.
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

// ratio returns the WCAG 2.2 contrast ratio, from 1 to 21.
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

// TestClassesOfReports checks that no CSS class has different meanings in reports and on pages, which share the
// style sheets.
func TestClassesOfReports(t *testing.T) {
	shared := []string{"lang", "scroll"} // look the same in both
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
