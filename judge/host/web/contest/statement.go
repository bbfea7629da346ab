package contest

import (
	"archive/zip"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"assay/judge/host/client"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// statementView is the statement of a problem on its page.
type statementView struct {
	Text      template.HTML
	source    string        // of Text, in Markdown
	Language  string        // code; empty if unknown
	Others    []languageRef // all languages, if more than one
	Document  string        // address of the statement as a file; may be empty
	Framed    bool          // the page shows the document
	PDF       bool          // the document is a PDF
	Files     []fileRef     // attachments
	Archive   string        // address of an archive with all files
	Published bool          // there is a statement
	Extra     bool          // there are several languages, a document, or an archive
}

type languageRef struct {
	Code, Name string
	Here       bool
}

type fileRef struct {
	Name, Link string
	Size       int64
}

// languageCookie stores the chosen language of statements.
const languageCookie = "language"

// statementOf renders the statement of a problem for the caller. Base is the address of the page. The argument
// only lists the codes of the languages that may be shown. If only is empty, or if the problem has none of these
// languages, all languages may be shown.
func (s *site) statementOf(w http.ResponseWriter, r *web.Request, sheet *client.Sheet, base string,
	only []string) (v statementView, err error) {
	if sheet == nil {
		return v, nil
	}
	all := sheet.In(only)
	if one := s.choose(w, r, all); one != nil {
		v.Published, v.Language, v.source = true, one.Language, one.Text
		key := web.StatementKey{Sheet: access.Of(r).Problem.Sheet, Of: one.Language, Base: base}
		if v.Text, err = s.Statement(key, sheet, one.Text, one.Pictures); err != nil {
			return v, err
		}
		if f := sheet.File(one.Document); f != nil {
			v.Document, v.PDF, v.Framed = web.FileLink(base, f), f.Type == "application/pdf", strings.TrimSpace(one.Text) == ""
		}
	}
	if len(all) > 1 {
		for _, one := range all {
			v.Others = append(v.Others, languageRef{one.Language, languageName(one.Language), one.Language == v.Language})
		}
	}
	for i := range sheet.Files {
		if f := &sheet.Files[i]; f.Attached {
			v.Files = append(v.Files, fileRef{path.Base(f.Name), web.FileLink(base, f), f.Size})
		}
	}
	if len(v.Files) > 0 || len(sheet.Samples) > 0 {
		v.Archive = base + "/files.zip"
	}
	v.Extra = len(v.Others) > 0 || v.Document != "" || v.Archive != ""
	return v, nil
}

// choose returns the statement in the first of these languages that the problem has: the requested language, the
// language in the cookie, the browser's preferred languages, the default language. It returns nil if there is no
// statement.
func (s *site) choose(w http.ResponseWriter, r *web.Request, all []client.SheetStatement) *client.SheetStatement {
	in := func(code string) *client.SheetStatement {
		i := slices.IndexFunc(all, func(s client.SheetStatement) bool { return s.Language == code && code != "" })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	if code := r.URL.Query().Get("language"); in(code) != nil {
		http.SetCookie(w, &http.Cookie{
			Name: languageCookie, Value: code, Path: "/", MaxAge: int(web.CookieLife.Seconds()), Secure: s.Secure,
			HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		return in(code)
	}
	if c, err := r.Cookie(languageCookie); err == nil && in(c.Value) != nil {
		return in(c.Value)
	}
	if len(all) == 0 {
		return nil
	}
	var tags []language.Tag
	for _, one := range all {
		tags = append(tags, language.Make(cmp.Or(one.Language, "und")))
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil || len(wanted) == 0 {
		return &all[0]
	}
	_, i, sure := language.NewMatcher(tags).Match(wanted...)
	if sure == language.No {
		return &all[0]
	}
	return &all[i]
}

// languageName returns the name of a language in the language itself.
func languageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	return cmp.Or(display.Self.Name(tag), code)
}

func (s *site) problemFile(w http.ResponseWriter, r *web.Request) error {
	sheet, err := s.Sheet(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	return s.SendSheetFile(w, sheet, r.PathValue("name"))
}

// problemFiles sends all files of a problem as an archive: samples, attachments, and the statement document.
func (s *site) problemFiles(w http.ResponseWriter, r *web.Request) error {
	sheet, err := s.Sheet(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if sheet == nil {
		return web.ErrNotFound
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	web.SetAttachment(w, access.Of(r).Problem.Slug+".zip")
	z := zip.NewWriter(w)
	add := func(name string, data []byte) error {
		to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: access.Of(r).Problem.Made})
		if err == nil {
			_, err = to.Write(data)
		}
		return err
	}
	for _, one := range sheet.Samples {
		if one.Cut {
			continue // a sample has both files
		}
		err := add("samples/"+one.Name+".in", []byte(one.In))
		if err == nil && one.Ans != "" {
			err = add("samples/"+one.Name+".ans", []byte(one.Ans))
		}
		if err != nil {
			return fmt.Errorf("pack the samples: %w", err)
		}
	}
	for _, f := range sheet.Files {
		document := slices.ContainsFunc(sheet.Statements, func(s client.SheetStatement) bool { return s.Document == f.Name })
		if !f.Attached && !document {
			continue
		}
		data, err := s.Blobs.Read(f.Digest, f.Size)
		if err != nil {
			return err
		}
		if err := add(path.Base(f.Name), data); err != nil {
			return fmt.Errorf("pack %s: %w", f.Name, err)
		}
	}
	return z.Close()
}
