package web_test

import (
	"bytes"
	"encoding/base64"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// field returns the value of a hidden form field on a page.
func field(t *testing.T, a webtest.Response, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(a.Body, `name="`+name+`" value="`)
	value, _, ends := strings.Cut(rest, `"`)
	if !found || !ends {
		t.Fatalf("the page has no field %s:\n%s", name, a.Body)
	}
	return html.UnescapeString(value)
}

// TestFormsOutliveTheSession checks a form that is sent after its session ended or the browser lost its cookie.
// After the login the form must appear again, with its text, files and language, and the user must be able to send
// it.
func TestFormsOutliveTheSession(t *testing.T) {
	for what, cookie := range map[string]string{"the session has ended": "assay=nosuchsession", "the cookie is lost": ""} {
		h := webtest.New(t)
		c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
		logIn := func(page webtest.Response, password string) webtest.Response {
			t.Helper()
			webtest.CheckHTML(t, "the page", page.Body)
			return h.Fetch(cookie, "POST", "/login", url.Values{"login": {"ada"}, "password": {password}, "next": {field(t, page, "next")},
				"kept": {field(t, page, "kept")}})
		}
		session := func(a webtest.Response) string {
			all := a.Values("Set-Cookie") // the first cookie may delete the old session
			i := slices.IndexFunc(all, func(one string) bool { return strings.HasPrefix(one, "assay=") && !strings.HasPrefix(one, "assay=;") })
			text, _, _ := strings.Cut(all[i], ";")
			return text
		}

		const text = "is 0 allowed?\nI ask" + webtest.HostileMarkup
		page := h.Fetch(cookie, "POST", "/c/now/clar", url.Values{"text": {text}, "problem": {"A"}})
		if page.Code != 401 || !strings.Contains(page.Body, "Nothing has been sent") ||
			strings.Contains(page.Body, "Your session has ended") != (cookie != "") {
			t.Errorf("%s: %d\n%s", what, page.Code, page.Body)
		}
		page = logIn(page, "wrong-password")
		if page.Code != 403 || !strings.Contains(page.Body, "Nothing has been sent") {
			t.Errorf("%s, a wrong password: %d\n%s", what, page.Code, page.Body)
		}
		page = logIn(page, "correct-horse")
		webtest.CheckHTML(t, "the form", page.Body)
		for _, want := range []string{"Your form has not been sent yet", `action="/c/now/clar"`, `name="problem" value="A"`,
			"\n" + html.EscapeString(text) + "</textarea>"} {
			if page.Code != 200 || !strings.Contains(page.Body, want) {
				t.Errorf("%s: %d, without %q in\n%s", what, page.Code, want, page.Body)
			}
		}

		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField("language", "sh")
		_ = w.WriteField("key", "k1")
		_ = w.WriteField("text", "")
		file, _ := w.CreateFormFile("file", "sol.txt")
		_, _ = file.Write([]byte("echo \xff\x00 it"))
		w.Close()
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/c/now/p/A", &body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.Header.Set("Referer", h.URL+"/c/now/p/A?x=1")
		page = h.Do(r, cookie)
		if page.Code != 401 || !strings.Contains(page.Body, "with the file <code>sol.txt</code>") || field(t, page, "next") != "/c/now/p/A?x=1" {
			t.Errorf("%s, with a file: %d\n%s", what, page.Code, page.Body)
		}
		page = logIn(page, "correct-horse")
		if !strings.Contains(page.Body, `<input name="language" value="sh"`) ||
			!strings.Contains(page.Body, `enctype="multipart/form-data"`) || !strings.Contains(page.Body, "<code>sol.txt</code>, 10 bytes") {
			t.Errorf("%s: the form with a file is\n%s", what, page.Body)
		}
		again := map[string]string{"language": "sh", "key": field(t, page, "key"), "kept-file": field(t, page, "kept-file")}
		if got := h.Upload(session(page), "/c/now/p/A", again, nil); got.Code != 303 {
			t.Errorf("%s: the form that came back is answered %d\n%s", what, got.Code, got.Body)
		}
		sent := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID, Limit: 9}))
		if len(sent) != 1 || sent[0].Program != "sol.txt" || sent[0].Language != "sh" || sent[0].Size != 10 {
			t.Errorf("%s: submitted are %+v", what, sent)
		}
		again["kept-file"] = "x.%%%"
		again["key"] = "k2"
		if got := h.Upload(session(page), "/c/now/p/A", again, nil); got.Code != 400 || !strings.Contains(got.Body, "choose the file again") {
			t.Errorf("%s: a damaged file is answered %d\n%s", what, got.Code, got.Body)
		}
	}
}

// TestALargeProgramOutlivesTheSession checks that a submission of the maximum size is kept, whatever characters it
// contains.
func TestALargeProgramOutlivesTheSession(t *testing.T) {
	for name, letter := range map[string]string{"angle brackets": "<", "quotes": `"`, "bytes": "\xff"} {
		h := webtest.New(t)
		h.Intake.MaxSize = 1 << 20
		h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
		fields, files := map[string]string{"language": "sh", "key": "k1"}, map[string]string{}
		program := strings.Repeat(letter, 1<<20)
		if name == "bytes" {
			files["sol.sh"] = program
		} else {
			fields["text"] = program
		}
		page := h.Upload("", "/c/now/p/A", fields, files)
		page = h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}, "kept": {field(t, page, "kept")}})
		if name == "bytes" {
			if file := field(t, page, "kept-file"); len(file) < 4<<20/3 {
				t.Errorf("%s: a file of %d characters has come back", name, len(file))
			}
		} else if !strings.Contains(page.Body, html.EscapeString(program)) {
			t.Errorf("%s: the program has not come back: %d", name, page.Code)
		}
	}
}

// TestFormsThatAreNotKept checks that a form is not kept if it contains a password, has no fields or is too large.
// The login page must report this. A manipulated form is ignored.
func TestFormsThatAreNotKept(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for name, row := range map[string]struct {
		path   string
		fields url.Values
	}{
		"no fields":  {"/c/now/clar", url.Values{}},
		"a password": {"/account/password", url.Values{"password": {"old"}, "new-password": {"another one"}}},
		"too much":   {"/c/now/clar", url.Values{"text": {strings.Repeat("x", 300<<10)}}},
	} {
		for _, cookie := range []string{"", "assay=nosuchsession"} {
			got := h.Fetch(cookie, "POST", row.path, row.fields)
			if got.Code != 401 || !strings.Contains(got.Body, "Nothing has been sent. Log in, then fill in the form again.") ||
				strings.Contains(got.Body, `name="kept"`) {
				t.Errorf("%s: %d\n%s", name, got.Code, got.Body)
			}
		}
	}
	for name, kept := range map[string]string{
		"no form":           "%%%",
		"no JSON":           base64.RawURLEncoding.EncodeToString([]byte("x")),
		"to another server": base64.RawURLEncoding.EncodeToString([]byte(`{"Path":"//evil.example/","Fields":[{"Name":"a","Value":"b"}]}`)),
		"of another type":   base64.RawURLEncoding.EncodeToString([]byte(`{"Path":"/c/now/clar","Type":"text/plain"}`)),
		"to a script":       base64.RawURLEncoding.EncodeToString([]byte(`{"Path":"javascript:alert(1)"}`)),
	} {
		got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}, "next": {"/account"}, "kept": {kept}})
		if got.Code != 303 || got.Get("Location") != "/account" {
			t.Errorf("%s: %d to %q", name, got.Code, got.Get("Location"))
		}
	}
	back := base64.RawURLEncoding.EncodeToString([]byte(`{"Path":"/c/now/clar","Back":"//evil.example/"}`))
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}, "kept": {back}}); got.Code != 200 ||
		strings.Contains(got.Body, "evil.example") {
		t.Errorf("a form with another way back: %d\n%s", got.Code, got.Body)
	}
}
