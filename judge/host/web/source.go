package web

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// A SourceForm is the form for submitting a program or golf submission, as files or as a text.
type SourceForm struct {
	Key              string // identifies repeated sends of the form
	Languages        []OfferedLanguage
	SelectedLanguage string // language id; empty if the files determine it
	Text             string
	MaxSize          int64
}

// ReadSource reads the form, except for its languages and files.
func (s *Site) ReadSource(w http.ResponseWriter, r *Request) (f SourceForm, err error) {
	if err := ReadMultipart(w, r, s.MaxSize, "submission"); err != nil {
		return f, err
	}
	return SourceForm{
		Key: r.PostFormValue("key"), SelectedLanguage: r.PostFormValue("language"), Text: r.PostFormValue("text"),
		MaxSize: s.MaxSize,
	}, nil
}

// An OfferedLanguage is a selectable language. Claims lists the file extensions that select it. If several
// languages share an extension, only the first of them claims it.
type OfferedLanguage struct {
	client.OfferedLanguage
	Extensions []string
}

// OfferedLanguages returns the selectable languages of a problem, sorted by name. They must have file extensions
// and be installed on the workers. If ids is not empty, it lists the allowed language ids.
func (s *Site) OfferedLanguages(r *Request, info *client.ProblemInfo, ids []string) (all []OfferedLanguage, err error) {
	if info == nil {
		return nil, nil
	}
	class, err := s.Store.Class(r.Context(), s.Service.Class)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	claimed := map[string]bool{}
	for _, l := range info.Languages {
		if len(l.Extensions) == 0 {
			continue // only the command line can select it, by name
		}
		installed := class == nil || len(class.Languages) == 0 || class.Languages[l.ID] != ""
		if installed && (len(ids) == 0 || slices.Contains(ids, l.ID)) {
			language := OfferedLanguage{OfferedLanguage: l}
			for _, ending := range l.Extensions {
				if !claimed[ending] {
					claimed[ending], language.Extensions = true, append(language.Extensions, ending)
				}
			}
			all = append(all, language)
		}
	}
	slices.SortStableFunc(all, func(a, b OfferedLanguage) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// ReadSourceFiles returns the contents of the submitted files, and sets their names in n. The selectable languages are
// f.Languages.
func (s *Site) ReadSourceFiles(r *Request, n *intake.NewSubmission, f SourceForm) (texts [][]byte, err error) {
	offered, text := f.Languages, f.Text
	var language *OfferedLanguage
	for i := range offered {
		if offered[i].ID == n.Language {
			language = &offered[i]
		}
	}
	if n.Language != "" && language == nil {
		return nil, BadField("language", "the language %.40q is not offered here", n.Language)
	}
	files, err := r.Files(s.MaxSize)
	if err != nil {
		return nil, err
	}
	switch {
	case len(files) > 0 && strings.TrimSpace(text) != "":
		return nil, BadField("file", "there is a file and a text: send one of them")
	case len(files) == 0 && strings.TrimSpace(text) == "":
		return nil, BadField("file", "there is nothing to submit: choose a file, or paste the text of your program")
	case len(files) == 0 && language == nil:
		return nil, BadField("language", "choose the language of the text")
	}
	if len(files) == 0 {
		n.Program = "main." + language.Extensions[0]
		n.Files = []job.File{{Path: n.Program}}
		return [][]byte{[]byte(strings.ReplaceAll(text, "\r\n", "\n"))}, nil // browsers send CRLF
	}
	for _, f := range files {
		if len(f.Data) == 0 {
			return nil, BadField("file", "the file %.100q is empty", f.Name)
		}
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		n.Files, texts = append(n.Files, job.File{Path: name}), append(texts, f.Data)
	}
	n.Program = n.Files[0].Path
	if n.Folder = len(files) > 1; n.Folder {
		n.Program = fmt.Sprintf("%s and %d more", n.Program, len(files)-1)
	}
	if language == nil && !n.Folder && len(offered) > 0 && !ExtensionSelects(n.Program, offered) {
		return nil, BadField("language", "no language has programs called %.100q: choose the language, or name the file as programs "+
			"of its language are named", n.Program)
	}
	return texts, nil
}

// ExtensionSelects reports whether the extension of a file selects an offered language. It also returns true for a file
// without an extension, because its first line may name the language.
func ExtensionSelects(name string, offered []OfferedLanguage) bool {
	return path.Ext(name) == "" || LanguageForFile(name, offered) != nil
}

// LanguageForFile returns a language that the file extension of name selects. It returns nil if there is none.
func LanguageForFile(name string, offered []OfferedLanguage) *client.OfferedLanguage {
	var languages []client.OfferedLanguage
	for _, l := range offered {
		languages = append(languages, l.OfferedLanguage)
	}
	if found := client.LanguagesForFile(languages, name); len(found) > 0 {
		return &found[0]
	}
	return nil
}

// StoreSourceFiles stores the texts of a submission as blobs, after it has checked the size.
func (s *Site) StoreSourceFiles(r *Request, n *intake.NewSubmission, texts [][]byte) error {
	for i, text := range texts {
		n.Files[i].Size, n.Files[i].Digest = int64(len(text)), blob.DigestOf(text)
	}
	if err := errors.Join(s.CheckDisk(intake.MinDiskForSubmissions), s.CheckLimits(n.Files, n.Folder)); err != nil {
		return err
	}
	for _, text := range texts {
		if err := s.StoreBlob(r.Context(), r.Me, text); err != nil {
			return err
		}
	}
	return nil
}
