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
	Languages []languageRef // all languages, if more than one
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
	Current    bool
}

type fileRef struct {
	Name, Link string
	Size       int64
}

// languageCookie stores the chosen language of statements.
const languageCookie = "language"

// renderStatement renders the statement of a problem for the caller. Base is the address of the page. The argument
// only lists the codes of the languages that may be shown. If only is empty, or if the problem has none of these
// languages, all languages may be shown.
func (s *site) renderStatement(w http.ResponseWriter, r *web.Request, info *client.ProblemInfo, base string,
	languages []string) (v statementView, err error) {
	if info == nil {
		return v, nil
	}
	statements := info.StatementsIn(languages)
	if statement := s.chooseStatement(w, r, statements); statement != nil {
		v.Published, v.Language, v.source = true, statement.Language, statement.Text
		key := web.StatementKey{ProblemInfo: access.Of(r).Problem.ProblemInfo, Of: statement.Language, Base: base}
		if v.Text, err = s.Statement(key, info, statement.Text, statement.Pictures); err != nil {
			return v, err
		}
		if f := info.File(statement.Document); f != nil {
			v.Document, v.PDF, v.Framed = web.FileLink(base, f), f.Type == "application/pdf", strings.TrimSpace(statement.Text) == ""
		}
	}
	if len(statements) > 1 {
		for _, statement := range statements {
			v.Languages = append(
				v.Languages,
				languageRef{statement.Language, languageName(statement.Language), statement.Language == v.Language},
			)
		}
	}
	for i := range info.Files {
		if f := &info.Files[i]; f.Attachment {
			v.Files = append(v.Files, fileRef{attachmentName(f), web.FileLink(base, f), f.Size})
		}
	}
	if len(v.Files) > 0 || len(info.Samples) > 0 {
		v.Archive = base + "/files.zip"
	}
	v.Extra = len(v.Languages) > 0 || v.Document != "" || v.Archive != ""
	return v, nil
}

// chooseStatement returns the statement in the first of these languages that the problem has: the requested language, the
// language in the cookie, the browser's preferred languages, the default language. It returns nil if there is no
// statement.
func (s *site) chooseStatement(w http.ResponseWriter, r *web.Request, statements []client.Statement) *client.Statement {
	in := func(code string) *client.Statement {
		i := slices.IndexFunc(statements, func(s client.Statement) bool { return s.Language == code && code != "" })
		if i < 0 {
			return nil
		}
		return &statements[i]
	}
	if code := r.URL.Query().Get("language"); in(code) != nil {
		http.SetCookie(w, &http.Cookie{
			Name: languageCookie, Value: code, Path: "/", MaxAge: int(web.CookieLifetime.Seconds()), Secure: s.Secure,
			HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		return in(code)
	}
	if c, err := r.Cookie(languageCookie); err == nil && in(c.Value) != nil {
		return in(c.Value)
	}
	if len(statements) == 0 {
		return nil
	}
	var tags []language.Tag
	for _, statement := range statements {
		tags = append(tags, language.Make(cmp.Or(statement.Language, "und")))
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil || len(wanted) == 0 {
		return &statements[0]
	}
	_, i, confidence := language.NewMatcher(tags).Match(wanted...)
	if confidence == language.No {
		return &statements[0]
	}
	return &statements[i]
}

// languageName returns the name of a language in the language itself.
func languageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	return cmp.Or(display.Self.Name(tag), code)
}

// attachmentName returns the path of an attachment in the problem's directory of attachments.
func attachmentName(f *client.ProblemFile) string { return strings.TrimPrefix(f.Name, "attachments/") }

func (s *site) problemFile(w http.ResponseWriter, r *web.Request) error {
	info, err := s.ProblemInfo(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	return s.SendProblemFile(w, info, r.PathValue("name"))
}

// problemFiles sends all files of a problem as an archive: samples, attachments, and the statement document.
func (s *site) problemFiles(w http.ResponseWriter, r *web.Request) error {
	info, err := s.ProblemInfo(access.Of(r).Problem.Problem)
	if err != nil {
		return err
	}
	if info == nil {
		return web.ErrNotFound
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	web.SetAttachment(w, access.Of(r).Problem.Slug+".zip")
	z := zip.NewWriter(w)
	used := map[string]bool{}
	add := func(name string, data []byte) error {
		// Names are from packages. Some systems unpack a file with "..", or with backslashes, to any directory.
		name = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
		used[name] = true
		entry, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: access.Of(r).Problem.Made})
		if err == nil {
			_, err = entry.Write(data)
		}
		return err
	}
	for _, sample := range info.Samples {
		if sample.Cut {
			continue // a sample has both files
		}
		err := add("samples/"+sample.Name+".in", []byte(sample.In))
		if err == nil && sample.Ans != "" {
			err = add("samples/"+sample.Name+".ans", []byte(sample.Ans))
		}
		if err != nil {
			return fmt.Errorf("pack the samples: %w", err)
		}
	}
	for _, f := range info.Files {
		document := slices.ContainsFunc(info.Statements, func(s client.Statement) bool { return s.Document == f.Name })
		if !f.Attachment && !document {
			continue
		}
		data, err := s.ReadProblemFile(info, &f)
		if err != nil {
			return err
		}
		name := path.Base(f.Name)
		if f.Attachment {
			name = attachmentName(&f)
		}
		if used[name] { // Polygon has a problem.pdf in each language
			name = f.Name
		}
		if err := add(name, data); err != nil {
			return fmt.Errorf("pack %s: %w", f.Name, err)
		}
	}
	return z.Close()
}
