package pages_test

import (
	"testing"

	"assay/judge/host/web"
	"assay/judge/host/web/pages"
)

// TestTemplatesHaveOneOwner checks that template names are unique across packages, because handlers render pages
// by name.
func TestTemplatesHaveOneOwner(t *testing.T) {
	seen := map[string]bool{}
	for _, part := range append([]func(*web.Site) web.Pages{web.SharedPages}, pages.All...) {
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
