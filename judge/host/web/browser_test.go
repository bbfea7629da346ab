package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// TestAClassInABrowser runs a teacher's first day in a browser: the setup link, accounts for three students, a
// contest, and a submission with its verdict. It runs on a phone and a desktop screen, with and without scripts.
// Any error in the browser's console fails the test.
func TestAClassInABrowser(t *testing.T) {
	webtest.RunInBrowsers(t, class)
}

func class(t *testing.T, width int, scripts bool) {
	h := webtest.New(t)
	code, hash := auth.NewCode()
	if err := h.Store.NewSetupCode(t.Context(), hash, h.Accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, h.URL+"/")
	b.SetWidth(width)
	b.AllowScripts(scripts)
	name := fmt.Sprintf("%d-%v-", width, scripts)
	look := func(page string) {
		t.Helper()
		b.ExpectValue(page+": what is wider than the screen", webtest.OverflowScript, "")
		b.Screenshot(name + page)
	}

	// The first admin.
	b.Navigate(h.URL + "/setup?code=" + code)
	look("setup")
	b.Fill("input[name=name]", "Ms Teacher")
	b.Fill("input[name=password]", "battery-staple")
	b.Fill("input[name=again]", "battery-staple")
	b.Follow("form.stack button")
	b.ExpectValue("after the set-up", webtest.AddressScript, "/")
	b.ExpectValue("logged in as", `document.querySelector('.end > .menu:last-child summary').textContent`, "Ms Teacher")
	b.ExpectContains("the first page", webtest.StatusScript, "Welcome to your server", "No worker is connected", "1 problem is published")
	look("home")

	// Create a contest that begins at once.
	b.Navigate(h.URL + "/admin/contests/new")
	look("new contest")
	b.Fill("input[name=name]", "First contest "+webtest.HostileMarkup)
	b.Fill("input[name=slug]", "first")
	b.Eval(`document.querySelector('input[name=problem][value=sum]').click()`)
	b.Follow("button[value=now]")
	b.ExpectValue("the contest", webtest.AddressScript, "/c/first")
	b.ExpectContains("the contest", webtest.StatusScript, "First contest", "Sum", "not attempted")
	b.ExpectContains("its clock", `document.querySelector('.end .clock').textContent`, "left")
	look("contest")

	// Create three students, with login sheets.
	b.Navigate(h.URL + "/admin/accounts")
	b.Follow("a[href='/admin/import']")
	b.Fill("textarea[name=list]", "Ada Lovelace\nAlan Turing\n"+webtest.HostileMarkup)
	b.Eval(`(document.querySelector('select[name=contest]').value = 'first')`)
	b.Follow("form[action='/admin/import'] button")
	b.ExpectValue("the rows to check", `document.querySelectorAll('.list tbody tr').length`, "3")
	look("import")
	b.Follow(".save button")
	b.ExpectValue("the slips", `document.querySelectorAll('.slip').length`, "3")
	look("slips")
	password := b.Eval(`[...document.querySelectorAll('.slip')].find(s => ` +
		`s.innerText.includes('Ada')).querySelectorAll('code')[1].textContent`)
	b.Eval(`document.querySelector('.end > .menu:last-child').open = true`)
	b.Follow("form[action='/logout'] button")
	b.ExpectValue("logged out", `document.querySelector('.end a').textContent`, "Log in")

	// A student logs in and returns to the requested page.
	b.Navigate(h.URL + "/c/first/p/A")
	b.ExpectValue("who is not logged in", webtest.AddressScript, "/login")
	look("login")
	b.Fill("input[name=login]", "ada-lovelace")
	b.Fill("input[name=password]", password)
	b.Follow("form.stack button")
	b.ExpectValue("the problem", webtest.AddressScript, "/c/first/p/A")
	b.ExpectContains("the problem", webtest.StatusScript, "Add both", "Time limit 1 s", "Samples")
	b.ExpectValue("buttons to copy", `[...document.querySelectorAll('[data-copy]')].every(e => e.hidden !== `+fmt.Sprint(scripts)+`)`, "true")
	look("problem")
	b.Follow("form[data-submit] button")
	b.ExpectContains("nothing was sent", webtest.AlertScript, "There is nothing to submit")

	// She submits a file with Ctrl+Enter or, without scripts, a text.
	if scripts {
		enter := func(code, language, hidden string) {
			t.Helper()
			b.Fill("textarea[name=text]", code)
			b.Eval(`document.querySelector('textarea[name=text]').dispatchEvent(new Event('input', {bubbles: true}))`)
			b.ExpectValue("the language of the code", `document.querySelector('select[name=language]').value`, language)
			b.ExpectValue("whether the hint is hidden", `document.getElementById('language-help').hidden`, hidden)
		}
		enter("n = int(input())\nprint(n)", "py", "false")
		enter("what is this", "", "true")
		b.Eval(`document.querySelector('select[name=language]').value = 'sh'; ` +
			`document.querySelector('select[name=language]').dispatchEvent(new Event('change'))`)
		enter("print(int(input()))", "sh", "true")
		enter("", "sh", "true")
		file := filepath.Join(t.TempDir(), "sum.py")
		if err := os.WriteFile(file, []byte("print(sum(map(int, input().split())))\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		b.ChooseFiles("input[type=file]", file)
		b.ExpectValue("the language of the file", `document.querySelector('select[name=language]').value`, "py")
		b.Eval(`document.querySelector('textarea[name=text]').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true, ` +
			`bubbles: true}))`)
	} else {
		b.Fill("textarea[name=text]", "print(sum(map(int, input().split())))")
		b.Fill("select[name=language]", "py")
		b.Follow("form[data-submit] button")
	}
	b.ExpectValue("the judging", webtest.AddressScript, "/c/first/s/1")
	b.ExpectContains("the judging", webtest.StatusScript, "waiting", "print(sum")
	look("waiting")

	// The verdict appears. With scripts, it appears without loading another page.
	b.Eval(`(window.before = 'here')`)
	c, err := h.Store.ContestBySlug(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := h.Store.SubmissionByNumber(t.Context(), c.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(&store.StoredSubmission{Job: sub.Judgement}, webtest.FailingEvents()...)
	// Without scripts, a meta element reloads the page. Chromium ignores the element while a test controls the
	// browser.
	b.ExpectValue("the page loads itself again", `document.querySelectorAll('meta[http-equiv=refresh]').length === 1`, fmt.Sprint(!scripts))
	if !scripts {
		b.Navigate(h.URL + "/c/first/s/1")
	}
	b.ExpectContains("the verdict", webtest.StatusScript, "wrong answer", "sample/one")
	if scripts {
		b.ExpectValue("the page is the same", `window.before`, "here")
		b.ExpectContains("the title of the tab", `document.title`, "wrong answer", "Submission 1")
	}
	if text := b.Eval(`document.documentElement.outerHTML`); strings.Contains(text, webtest.Secret) {
		t.Error("the page has a secret in it")
	}
	look("judged")
	b.Follow("main p a")
	b.ExpectContains("her submissions", webtest.StatusScript, "Your submissions", "wrong answer")

	// She creates a token for the command line on her account page.
	b.Navigate(h.URL + "/account")
	look("account")
	b.Follow("form[action='/account/tokens'] button")
	b.ExpectContains("a token", webtest.StatusScript, "judge login http://judge.example --token assay_")

	// Staff see all of it.
	b.Eval(`document.querySelector('.end > .menu:last-child').open = true`)
	b.Follow("form[action='/logout'] button")
	b.Navigate(h.URL + "/login")
	b.Fill("input[name=login]", "admin")
	b.Fill("input[name=password]", "battery-staple")
	b.Follow("form.stack button")
	for page, want := range map[string]string{
		"/c/first/submissions": "Ada Lovelace", "/c/first/s/1": webtest.Secret, "/admin/accounts": "ada-lovelace",
		"/admin/workers": "No worker is connected", "/problems": "Upload a problem package", "/problem/sum": "Versions",
		"/c/first/edit": "Settings", "/c/first/overview": "Needs attention",
	} {
		b.Navigate(h.URL + page)
		b.ExpectContains(page, webtest.StatusScript, want)
		look(strings.ReplaceAll(page, "/", "_"))
	}
	b.ExpectValue("text that was written to be run", `document.querySelectorAll('marked').length`, "0")
	for _, wrong := range b.Errors {
		if strings.Contains(wrong, "responded with a status of 400") { // from the empty form
			continue
		}
		t.Errorf("the browser complains: %s", wrong)
	}
}
