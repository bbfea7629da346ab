package webtest

import (
	"fmt"
	"os"
	"testing"
)

// RunInBrowsers runs a test in a browser, on a phone and a desktop screen, with and without scripts.
func RunInBrowsers(t *testing.T, run func(t *testing.T, width int, scripts bool)) {
	t.Helper()
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	for _, width := range []int{390, 1280} {
		for _, scripts := range []bool{true, false} {
			t.Run(fmt.Sprintf("%dpx scripts %v", width, scripts), func(t *testing.T) { run(t, width, scripts) })
		}
	}
}

// Expressions of a page.
const (
	AddressScript = `location.pathname`
	HeadingScript = `document.querySelector('h1').textContent.trim()`
	StatusScript  = `document.querySelector('main').innerText`
	AlertScript   = `(document.querySelector('[role=alert]') || {innerText: ''}).innerText`
	// OverflowScript lists the elements that are wider than the screen and do not scroll.
	OverflowScript = `[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.scroll, .flush, ` +
		`pre, .said, .skip, option, svg') && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + ` +
		`e.className + ' ' + e.textContent.trim().slice(0, 40)).join('; ')`
)
