package pages_test

import (
	"testing"

	"assay/judge/host/web"
	"assay/judge/host/web/pages"
)

// TestTemplatesHaveOneOwner parses the templates of all packages. A name is that of one page, because
// handlers draw pages by their names.
func TestTemplatesHaveOneOwner(t *testing.T) {
	seen := map[string]bool{}
	for _, part := range append([]func(*web.Site) web.Pages{web.Shared}, pages.All...) {
		all, err := part(&web.Site{}).Templates()
		if err != nil {
			t.Fatal(err)
		}
		for name := range all {
			if seen[name] {
				t.Errorf("two packages have a template %s", name)
			}
			seen[name] = true
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d templates were found", len(seen))
	}
}
