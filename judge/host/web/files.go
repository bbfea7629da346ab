package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/report"
)

// Markdown draws a statement in Markdown, without the title that it may begin with.
func Markdown(text string, pictures report.Pictures) (template.HTML, error) {
	var b strings.Builder
	err := report.StatementPart(&b, []byte(report.WithoutTitle(text)), pictures)
	return template.HTML(b.String()), err // it lets no HTML through but plain elements
}

// A StatementKey names a statement of the metadata of a problem, on a page.
type StatementKey struct {
	Sheet blob.Digest // the metadata
	Of    string      // the language of the statement; GolfStatement for the one that holes show
	Base  string      // the address of the page, which links of the statement begin with
}

// GolfStatement names the statement that holes show. It is not the code of a language.
const GolfStatement = "golf statement"

// Statement draws a statement as Markdown does, once for each key. Sheet is the metadata, and text and names are the
// statement's text and pictures in it.
func (s *Site) Statement(key StatementKey, sheet *client.Sheet, text string, names map[string]string) (template.HTML, error) {
	return s.statements.Get(key, func() (template.HTML, int64, error) {
		drawn, err := Markdown(text, Pictures(sheet, names, key.Base))
		return drawn, int64(len(drawn)), err
	})
}

// Pictures returns the pictures of a statement, by the names that it has for them, below the address of
// its page.
func Pictures(sheet *client.Sheet, names map[string]string, base string) report.Pictures {
	return func(path string) *report.Picture {
		f := sheet.File(names[path])
		if f == nil {
			return nil
		}
		return &report.Picture{Name: path, URL: FileLink(base, f), Width: f.Width, Height: f.Height, Linked: !strings.HasPrefix(f.Type, "image/")}
	}
}

// FileLink returns the address of a file of a problem below the address of its page.
func FileLink(base string, f *client.SheetFile) string {
	parts := strings.Split(f.Name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return base + "/file/" + strings.Join(parts, "/")
}

// shownTypes are the types that a browser shows. It runs no script of any of them: what is no
// picture has a sandbox, and the rest is downloaded.
var shownTypes = map[string]string{
	"image/png": "", "image/jpeg": "", "image/gif": "",
	"image/svg+xml":            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
	"text/html; charset=utf-8": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
	// a sandbox keeps browsers from showing it
	"application/pdf": "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'",
}

// SendSheetFile sends a file of a problem.
func (s *Site) SendSheetFile(w http.ResponseWriter, sheet *client.Sheet, name string) error {
	if sheet == nil {
		return ErrNotFound
	}
	f := sheet.File(name)
	if f == nil {
		return ErrNotFound
	}
	data := f.Data
	if len(data) == 0 {
		var err error
		if data, err = s.Blobs.Read(f.Digest, f.Size); err != nil {
			return err
		}
	}
	if _, shown := shownTypes[f.Type]; !shown || f.Attached {
		return SendFile(w, f.Name, data)
	}
	AllowMedia(w, f.Type)
	w.Header().Set("Cache-Control", "private, max-age=300")
	_, _ = w.Write(data) // the client may be gone
	return nil
}

// AllowMedia sets the type of a picture or a PDF in a response, and what a browser may do with it.
func AllowMedia(w http.ResponseWriter, mime string) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Content-Security-Policy", cmp.Or(shownTypes[mime], "sandbox; default-src 'none'"))
}

// SendFile sends a text of a user, which a browser saves and does not show.
func SendFile(w http.ResponseWriter, name string, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	SetAttachment(w, path.Base(name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	_, _ = w.Write(data) // the client may be gone
	return nil
}

// SetAttachment makes the browser save a response under a name.
func SetAttachment(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+quoted(name))
}

// quoted writes the name of a file as headers want it.
func quoted(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
