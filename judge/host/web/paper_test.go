package web_test

import (
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// These expressions list what must not be printed, and what the edge of the paper or of a box cuts off.
const (
	useless = `[...document.querySelectorAll('header.site, footer, nav, form, button, input, select, .skip, .screen, .fab')]` +
		`.filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 80)).join()`
	cut = `[document.documentElement, ...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && ` +
		`!e.closest('.said, svg, math') && (e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && ` +
		`getComputedStyle(e).overflowX !== 'visible')).map(e => e.outerHTML.slice(0, 80)).join()`
)

// TestPaper checks what is printed of a statement, a scoreboard, and login sheets. It must have no navigation and no
// form, and must not be wider than A4 paper without its margins. A scoreboard is printed on landscape
// paper.
func TestPaper(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	const a4, landscape = 190 * 960 / 254, 273 * 960 / 254 // 190 mm and 273 mm in CSS pixels
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	b := browser.Open(t, h.URL+"/login")
	printed := func(what string, width int, columns string, texts ...string) {
		t.Helper()
		b.Paper(width)
		b.ExpectContains(what, webtest.StatusScript, texts...)
		b.ExpectValue(what+": what has no use on paper", useless, "")
		b.ExpectValue(what+": what is cut off", cut, "")
		if sheets := b.Eval(`new Set([...document.querySelectorAll('.slip')].map(e => e.getBoundingClientRect().left)).size`); sheets != columns {
			t.Errorf("%s: %s columns of sheets, want %s", what, sheets, columns)
		}
		b.Screenshot("paper-" + strings.ReplaceAll(what, " ", "-"))
		b.Paper(0)
	}
	logIn := func(login string) {
		b.Fill("input[name=login]", login)
		b.Fill("input[name=password]", "correct-horse")
		b.Follow("form.stack button")
	}
	logIn("ada")
	b.Navigate(h.URL + "/c/now/p/A")
	b.ExpectValue("the form on the screen", `document.querySelector('form[data-submit]').checkVisibility()`, "true")
	printed("a statement", a4, "0", "Add both", "Samples")
	b.Navigate(h.URL + "/c/now/scoreboard")
	printed("a scoreboard", landscape, "0", "Scoreboard of", "Rank", "ada", "bob")
	b.Navigate(h.URL + "/account")
	b.Follow("form[action='/account/sessions/end'] button")
	logIn("admin")
	b.Navigate(h.URL + "/c/now/teams/login-sheets?" + url.Values{"t": {"1", "2"}}.Encode())
	b.Eval(`document.querySelector('#sure').click()`)
	b.Follow("form.stack button")
	b.ExpectValue("the sheets", `document.querySelectorAll('.slip').length`, "2")
	b.ExpectValue("a link on the screen", `document.querySelectorAll('header.site a').length > 0`, "true")
	printed("login sheets", a4, "2", "ada", "bob")
	if len(b.Errors) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(b.Errors, "\n"))
	}
}
