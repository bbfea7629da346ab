package main

import (
	"archive/zip"
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/cmd/internal/scripts"
)

// browser is the key under which a script's environment stores its HTTP client, which keeps cookies.
type browser struct{}

// newBrowser returns an HTTP client for a script. It keeps cookies as a browser does.
func newBrowser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // cannot happen
	}
	return &http.Client{Jar: jar, Timeout: 2 * time.Minute}
}

// browse implements the command "browse [-until PATTERN] URL [field=value | field@file | field@@file]...". It
// opens a page or submits a form, and prints the status, the final address, and the page. After @, the field's
// value is the text of the file; after @@, the file itself is uploaded. With a pattern, it repeats the request
// until the page matches.
func browse(ts *testscript.TestScript, neg bool, args []string) {
	var want *regexp.Regexp
	if len(args) > 2 && args[0] == "-until" {
		want, args = regexp.MustCompile("(?m)"+args[1]), args[2:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: browse [-until PATTERN] URL [field=value | field@file | field@@file]...")
	}
	fields, files := url.Values{}, [][2]string{}
	for _, arg := range args[1:] {
		if name, value, is := strings.Cut(arg, "="); is {
			fields.Set(name, value)
		} else if name, file, is := strings.Cut(arg, "@@"); is {
			files = append(files, [2]string{name, ts.MkAbs(file)})
		} else if name, file, is := strings.Cut(arg, "@"); is {
			fields.Set(name, ts.ReadFile(file))
		}
	}
	client := ts.Value(browser{}).(*http.Client)
	for end := time.Now().Add(scripts.Timeout); ; time.Sleep(200 * time.Millisecond) {
		said, err := visit(client, args[0], fields, files)
		if err == nil && (want == nil || want.MatchString(said)) {
			learn(ts.Value(secrets{}).(map[string]string), client, args[0], said, fields)
			_, err = io.WriteString(ts.Stdout(), said)
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs("page"), []byte(said), 0o644))
			return
		}
		if want == nil || time.Now().After(end) {
			ts.Fatalf("%s: %v\n%s", args[0], err, said)
		}
	}
}

func visit(client *http.Client, at string, fields url.Values, files [][2]string) (string, error) {
	var res *http.Response
	var err error
	switch {
	case len(files) > 0:
		var body bytes.Buffer
		var kind string
		if kind, err = enclose(&body, fields, files); err == nil {
			res, err = client.Post(at, kind, &body)
		}
	case len(fields) == 0:
		res, err = client.Get(at)
	default:
		res, err = client.PostForm(at, fields)
	}
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	return res.Status + " " + res.Request.URL.Path + "\n" + string(page), err
}

// enclose writes a form with files as a browser does, with the files last.
func enclose(to io.Writer, fields url.Values, files [][2]string) (kind string, err error) {
	m := multipart.NewWriter(to)
	for name := range fields {
		if err := m.WriteField(name, fields.Get(name)); err != nil {
			return "", err
		}
	}
	for _, one := range files {
		name, file := one[0], one[1]
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		part, err := m.CreateFormFile(name, filepath.Base(file))
		if err == nil {
			_, err = part.Write(data)
		}
		if err != nil {
			return "", err
		}
	}
	return m.FormDataContentType(), m.Close()
}

// pack implements the command "pack ARCHIVE [folder | name=file | name->target]...". It makes a ZIP archive of
// files under the given names, of symbolic links, and of whole directories.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pack ARCHIVE [folder | name=file | name->target]...")
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, arg := range args[1:] {
		if name, target, is := strings.Cut(arg, "->"); is {
			h := &zip.FileHeader{Name: name}
			h.SetMode(os.ModeSymlink | 0o777)
			w, err := z.CreateHeader(h)
			ts.Check(err)
			_, err = io.WriteString(w, target)
			ts.Check(err)
		} else if name, file, is := strings.Cut(arg, "="); is {
			w, err := z.Create(name)
			ts.Check(err)
			_, err = io.WriteString(w, ts.ReadFile(file))
			ts.Check(err)
		} else {
			ts.Check(z.AddFS(os.DirFS(ts.MkAbs(arg))))
		}
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), archive.Bytes(), 0o644))
}
