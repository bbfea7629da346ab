package webtest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// ariaAttributes lists the ARIA attributes that pages use.
var ariaAttributes = []string{
	"aria-current", "aria-describedby", "aria-hidden", "aria-invalid", "aria-label", "aria-labelledby", "aria-live",
	"aria-pressed", "aria-sort",
}

// CheckHTML fails the test if user input has become HTML of a page. It also fails the test if a control has no
// name, an attribute for screen readers is unknown or names no element, or a heading skips a level.
func CheckHTML(t *testing.T, where, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	heads, above, labels, ids := 0, 0, map[string]bool{}, map[string]bool{} // above is the level of the heading before
	var named []string                                                      // the ids that attributes name
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
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" &&
				strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript") {
				t.Errorf("%s: <%s %s=%q>", where, n.Data, a.Key, a.Val)
			}
			if strings.HasPrefix(a.Key, "aria-") && !slices.Contains(ariaAttributes, a.Key) {
				t.Errorf("%s: <%s> has an unknown attribute %s", where, n.Data, a.Key)
			}
			if a.Key == "aria-labelledby" || a.Key == "aria-describedby" {
				named = append(named, strings.Fields(a.Val)...)
			}
		}
		if id := attr(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("%s: the id %s stands twice", where, id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			level := int(n.Data[1] - '0')
			if level == 1 {
				heads++
			}
			if level > above+1 {
				t.Errorf("%s: the heading <%s> follows one of level %d:\n%s", where, n.Data, above, Text(heading(n)))
			}
			above = level
		case "marked", "iframe", "object", "style":
			t.Errorf("%s: <%s>", where, n.Data)
		case "script":
			if n.FirstChild != nil || !strings.HasPrefix(attr(n, "src"), "/static/live-") {
				t.Errorf("%s: a script that is not ours: %q", where, attr(n, "src"))
			}
		case "input", "select", "textarea", "button":
			if !hasName(n, attr, labels) {
				t.Errorf("%s: <%s name=%q> has no name for people", where, n.Data, attr(n, "name"))
			}
		}
	}
	for _, id := range named {
		if !ids[id] {
			t.Errorf("%s: no element has the id %s", where, id)
		}
	}
	if heads != 1 {
		t.Errorf("%s has %d first headings", where, heads)
	}
}

// heading returns an element as HTML.
func heading(n *html.Node) string {
	var b strings.Builder
	_ = html.Render(&b, n) // writing to memory does not fail
	return b.String()
}

// hasName reports whether a control has an accessible name.
func hasName(n *html.Node, attr func(*html.Node, string) string, labels map[string]bool) bool {
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

// Text returns the text of a page, with single spaces.
func Text(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Form returns the fields of the form with the given action, as a browser would send them unchanged.
func Form(t *testing.T, page, action string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	attr := func(n *html.Node, key string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val, true
			}
		}
		return "", false
	}
	for form := range root.Descendants() {
		if to, _ := attr(form, "action"); form.Data != "form" || to != action {
			continue
		}
		v := url.Values{}
		for n := range form.Descendants() {
			name, _ := attr(n, "name")
			if name == "" {
				continue
			}
			value, has := attr(n, "value")
			kind, _ := attr(n, "type")
			_, checked := attr(n, "checked")
			switch {
			case n.Data == "input" && (kind == "checkbox" || kind == "radio"):
				if !has {
					value = "on"
				}
				if checked {
					v.Add(name, value)
				}
			case n.Data == "input":
				v.Add(name, value)
			case n.Data == "textarea" && n.FirstChild != nil:
				v.Add(name, n.FirstChild.Data)
			case n.Data == "select":
				v.Add(name, selectedOption(n, attr))
			}
		}
		return v
	}
	t.Fatalf("there is no form to %s:\n%s", action, page)
	return nil
}

// selectedOption returns the value of the selected option of a list.
func selectedOption(list *html.Node, attr func(*html.Node, string) (string, bool)) (value string) {
	first := true
	for n := range list.Descendants() {
		if n.Data != "option" {
			continue
		}
		if _, is := attr(n, "selected"); is || first {
			value, _ = attr(n, "value")
		}
		first = false
	}
	return value
}

// RefusedField checks the page of a refused form. It must show the reason above the form with a link to the field,
// and beside the field, and mark the field as invalid for assistive technology. It must keep the input, so that it
// contains typed, and its title must begin with "Error:".
func RefusedField(t *testing.T, name string, got Response, field, typed string) {
	t.Helper()
	_, title, _ := strings.Cut(got.Body, "<title>")
	_, main, _ := strings.Cut(got.Body, "<main")
	coded := got.Code == 400 || got.Code == 403 || got.Code == 413
	if !coded || !strings.HasPrefix(title, "Error: ") || strings.HasPrefix(title, "Error: Error:") {
		t.Errorf("%s: %d, the title is %.60s\n%.300s", name, got.Code, title, main)
		return
	}
	CheckHTML(t, name, got.Body)
	for _, want := range []string{
		`<section class="errors" role="alert"`, `<a href="#` + field + `">`, `id="` + field + `-error"`, `id="` + field + `"`, typed,
	} {
		if !strings.Contains(main, want) {
			t.Errorf("%s: the page has no %.80s:\n%.6000s", name, want, main)
		}
	}
	group := `aria-describedby="` + field + `-error"` // of a form or a fieldset, which cannot be invalid
	if !strings.Contains(main, field+`-error" aria-invalid="true"`) && !strings.Contains(main, group) {
		t.Errorf("%s: the field %s is not marked:\n%.6000s", name, field, main)
	}
}
