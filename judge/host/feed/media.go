package feed

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// A File is a file that the Contest API sends.
type File struct {
	Digest     blob.Digest
	Size       int64
	MD5        string
	MediaType  string
	Attachment bool // a browser saves it instead of showing it
}

// filesOf returns the properties of an object that describe its files, and adds these files to files.
func filesOf(slug, typ, id string, stored []media.File, files map[string]File) clics.Object {
	o := clics.Object{}
	for _, f := range stored {
		if f.Type != typ || f.Object != id {
			continue
		}
		at := media.Place{Type: f.Type, Object: f.Object, Property: f.Property, Filename: f.Filename}
		one := fileObject(slug, at, File{f.Digest, f.Size, f.MD5, f.Mime, false}, files)
		if f.Width > 0 {
			one["width"], one["height"] = f.Width, f.Height
		}
		if len(f.Tags) > 0 {
			one["tag"] = f.Tags
		}
		before, _ := o[f.Property].([]clics.Object)
		o[f.Property] = append(before, one)
	}
	return o
}

// fileObject returns a file as an object of the Contest API, and adds it to files.
func fileObject(slug string, place media.Place, f File, files map[string]File) clics.Object {
	files[place.Href()] = f
	parts := strings.Split(path.Join("contests", slug, place.Href()), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return clics.Object{"href": strings.Join(parts, "/"), "filename": place.Filename, "hash": f.MD5, "mime": f.MediaType}
}

// withFiles adds the file properties of an object to o.
func (s *setup) withFiles(o clics.Object, typ, id string) clics.Object {
	for name, files := range filesOf(s.contest.Slug, typ, id, s.media, s.files) {
		o[name] = files
	}
	return o
}

// withDocuments adds the PDF statements and the attachments of a problem to o.
func (s *setup) withDocuments(d *intake.Service, o clics.Object, p *store.ContestProblem) error {
	sheet, err := d.ProblemInfo(p.Problem)
	if err != nil {
		return err
	}
	if sheet == nil {
		sheet = &client.ProblemInfo{}
	}
	defer func() {
		if o[media.Statement] != nil {
			return
		}
		for name, files := range filesOf(s.contest.Slug, media.Problems, p.ExtID, s.media, s.files) { // from a primary
			o[name] = files
		}
	}()
	used, done := map[string]bool{}, map[string]bool{} // names are unique within their problem
	add := func(property string, f *client.ProblemFile, attached bool) error {
		name := path.Base(f.Name)
		if used[name] {
			name = strings.ReplaceAll(f.Name, "/", "-")
		}
		if done[f.Name] || used[name] {
			return nil
		}
		used[name], done[f.Name] = true, true
		sum, err := d.MD5(f.Digest, f.Size)
		if err != nil {
			return err
		}
		mime, _, _ := strings.Cut(f.Type, ";")
		at := media.Place{Type: string(clics.Problems), Object: p.ExtID, Property: property, Filename: name}
		before, _ := o[property].([]clics.Object)
		o[property] = append(before, fileObject(s.contest.Slug, at, File{f.Digest, f.Size, sum, mime, attached}, s.files))
		return nil
	}
	for _, one := range sheet.StatementsIn(s.contest.Settings.Statements) {
		if f := sheet.File(one.Document); f != nil && f.Type == media.PDF {
			if err := add("statement", f, false); err != nil {
				return err
			}
		}
	}
	for i := range sheet.Files {
		if f := &sheet.Files[i]; f.Attachment && len(f.Data) == 0 {
			if err := add("attachments", f, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// File returns a file of an object. Seen reports whether the reader may see it. The id is empty for the contest
// itself.
func (c *Contest) File(reader Reader, typ clics.Type, id, property, name string) (f File, seen bool, err error) {
	lines, err := c.List(reader, typ)
	if err != nil {
		return f, false, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, l := range lines {
		files, _ := l.Object[property].([]clics.Object)
		if l.ID != id || !clics.CanSee(reader.Role, reader.Version, typ, property, l.Own) ||
			!slices.ContainsFunc(files, func(o clics.Object) bool { return o["filename"] == name }) {
			continue
		}
		f, seen = c.setup.files[media.Place{Type: string(typ), Object: id, Property: property, Filename: name}.Href()]
		return f, seen, nil
	}
	return f, false, nil
}
