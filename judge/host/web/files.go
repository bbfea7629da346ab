package web

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/report"
)

// Markdown renders a statement in Markdown, without the title that it may begin with.
func Markdown(text string, pictures report.PictureFunc) (template.HTML, error) {
	var b strings.Builder
	err := report.StatementFragment(&b, []byte(report.TrimTitle(text)), pictures)
	return template.HTML(b.String()), err // contains only safe HTML elements
}

// A StatementKey identifies a rendered statement.
type StatementKey struct {
	ProblemInfo blob.Digest // digest of the problem metadata
	Of          string      // language of the statement, or GolfStatementLanguage
	Base        string      // address of the page; prefix of the statement's links
}

// GolfStatementLanguage identifies the statement shown on hole pages. It is not a language code.
const GolfStatementLanguage = "golf statement"

// Statement renders a statement like Markdown, and caches the result by key. ProblemInfo is the problem metadata. Text
// and names are the statement's text and pictures in the metadata.
func (s *Site) Statement(key StatementKey, info *client.ProblemInfo, text string, names map[string]string) (template.HTML, error) {
	return s.statements.Get(key, func() (template.HTML, int64, error) {
		drawn, err := Markdown(text, Pictures(info, names, key.Base))
		return drawn, int64(len(drawn)), err
	})
}

// Pictures returns a function that finds the pictures of a statement. Names maps the names in the statement to
// files of the problem, and base is the address of the page.
func Pictures(info *client.ProblemInfo, names map[string]string, base string) report.PictureFunc {
	return func(path string) *report.Picture {
		f := info.File(names[path])
		if f == nil {
			return nil
		}
		return &report.Picture{
			Name: path, URL: FileLink(base, f), Width: f.Width, Height: f.Height,
			Linked: !strings.HasPrefix(f.Type, "image/"),
		}
	}
}

// FileLink returns the address of a problem file. Base is the address of the problem's page.
func FileLink(base string, f *client.ProblemFile) string {
	parts := strings.Split(f.Name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return base + "/file/" + strings.Join(parts, "/")
}

// inlineTypes maps the media types that browsers may show to the content security policy for each type. If the
// policy is empty, the response is sandboxed. Files of other types are downloaded. No file can run scripts.
var inlineTypes = map[string]string{
	"image/png": "", "image/jpeg": "", "image/gif": "",
	"image/svg+xml":            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
	"text/html; charset=utf-8": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
	// With a sandbox, browsers do not show PDF documents.
	"application/pdf": "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'",
}

// maxEmbedded is the maximum total size in bytes of the pictures that are embedded in a statement in HTML.
const maxEmbedded = 16 << 20

// ReadProblemFile reads a file of a problem. If it is a statement in HTML, its pictures are embedded and its formulas drawn: a
// sandboxed page cannot load files that only logged in accounts may see.
func (s *Site) ReadProblemFile(info *client.ProblemInfo, f *client.ProblemFile) ([]byte, error) {
	data, err := s.fileBytes(f)
	at := slices.IndexFunc(info.Statements, func(one client.Statement) bool { return one.Document == f.Name })
	if err != nil || at < 0 || f.Type == "application/pdf" {
		return data, err
	}
	left := int64(maxEmbedded)
	page := report.DocumentHTML(data, func(path string) *report.Picture {
		p := info.File(info.Statements[at].Pictures[path])
		if p == nil || p.Size > left {
			return nil
		}
		picture, wrong := s.fileBytes(p) // the picture may be a statement too, even this one
		if err = errors.Join(err, wrong); wrong != nil {
			return nil
		}
		left -= p.Size
		return &report.Picture{URL: report.DataURL(p.Type, picture), Linked: !strings.HasPrefix(p.Type, "image/")}
	})
	return page, err
}

// fileBytes returns the bytes of a problem file, which the metadata or the blob store contains.
func (s *Site) fileBytes(f *client.ProblemFile) ([]byte, error) {
	if len(f.Data) > 0 {
		return f.Data, nil
	}
	return s.Blobs.Read(f.Digest, f.Size)
}

// SendProblemFile sends a file of a problem.
func (s *Site) SendProblemFile(w http.ResponseWriter, info *client.ProblemInfo, name string) error {
	if info == nil {
		return ErrNotFound
	}
	f := info.File(name)
	if f == nil {
		return ErrNotFound
	}
	data, err := s.ReadProblemFile(info, f)
	if err != nil {
		return err
	}
	if _, shown := inlineTypes[f.Type]; !shown || f.Attachment {
		return SendFile(w, f.Name, data)
	}
	AllowMedia(w, f.Type)
	w.Header().Set("Cache-Control", "private, max-age=300")
	_, _ = w.Write(data) // the client may be gone
	return nil
}

// AllowMedia sets the type and the content security policy of a response with a picture or a PDF.
func AllowMedia(w http.ResponseWriter, mime string) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Content-Security-Policy", cmp.Or(inlineTypes[mime], "sandbox; default-src 'none'"))
}

// SendFile sends a user's text, which the browser saves instead of showing it.
func SendFile(w http.ResponseWriter, name string, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	SetAttachment(w, path.Base(name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	_, _ = w.Write(data) // the client may be gone
	return nil
}

// SetAttachment makes the browser save a response under the given name.
func SetAttachment(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+encodeFileName(name))
}

// encodeFileName encodes a file name for a header.
func encodeFileName(name string) string {
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
