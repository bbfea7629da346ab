package contestpackage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// mostMedia is the maximum number of pictures and documents in a package.
const mostMedia = 10_000

// mediaTypes lists the directories that may contain pictures and documents.
var mediaTypes = []string{media.Contest, media.Groups, media.Organizations, media.Teams, media.Persons}

// collectMedia returns the paths of the pictures and documents with default filenames in a directory.
func collectMedia(dir fs.FS) (all []string, err error) {
	var faults judge.Faults
	for _, typ := range mediaTypes {
		places := []string{typ}
		if typ != media.Contest {
			objects, err := entries(dir, typ)
			if err != nil {
				return nil, err
			}
			places = nil
			for _, o := range objects {
				if o.IsDir() {
					places = append(places, path.Join(typ, o.Name()))
				}
			}
		}
		for _, place := range places {
			files, err := entries(dir, place)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				name := path.Join(place, f.Name())
				switch _, is, err := media.Parse(name); {
				case err != nil:
					faults = append(faults, &judge.Fault{File: name, Text: err.Error()})
				case is:
					all = append(all, name)
				}
			}
		}
	}
	if len(all) > mostMedia {
		text := fmt.Sprintf("the package has %d pictures; the most is %d", len(all), mostMedia)
		faults = append(faults, &judge.Fault{File: ".", Text: text})
	}
	return all, faults.AsError()
}

// entries reads a directory. It returns no entries if the directory does not exist.
func entries(dir fs.FS, name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the contest package: %w", err)
	}
	return all, nil
}

// Read returns the bytes of a picture or document.
func (f *Files) Read(name string) ([]byte, error) {
	file, err := f.Root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the contest package: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(file, media.MostBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("read the contest package: %s: %w", name, err)
	}
	return data, nil
}

// Inspect reads all pictures and documents. It returns judge.Faults if any of them is not valid for a contest.
func (f *Files) Inspect() (all []media.File, err error) {
	var faults judge.Faults
	for _, name := range f.Media {
		at, _, err := media.Parse(name)
		if err != nil {
			return nil, err
		}
		data, err := f.Read(name)
		if err != nil {
			return nil, err
		}
		one, err := media.New(at, data)
		if err != nil {
			faults = append(faults, &judge.Fault{File: name, Text: err.Error()})
		}
		all = append(all, one)
	}
	return all, faults.AsError()
}

// AddMedia adds a picture or document with the given path in the package. Its bytes are the blob d. It returns a
// *judge.Fault if the path is invalid.
func (p *Package) AddMedia(name string, d blob.Digest, size int64) *judge.Fault {
	at, is, err := media.Parse(name)
	if err == nil && !is {
		err = errors.New("contests have no such file")
	}
	if err == nil && size > media.MostBytes {
		err = fmt.Errorf("the file has more than %d MiB", media.MostBytes>>20)
	}
	if err != nil {
		return &judge.Fault{File: name, Text: err.Error()}
	}
	p.Media = append(p.Media, media.File{Place: at, Digest: d, Size: size})
	return nil
}

// media plans the changes to pictures and documents.
func (l *planner) media() {
	const kind = "file"
	has := map[string]bool{}
	for _, f := range l.Media {
		has[f.Path()] = true
		if !l.knows(f.Type, f.Object) {
			l.wrong(f.Path(), 0, "", "neither the package nor the contest has the object %q in %s", f.Object, f.Type)
		}
		at := slices.IndexFunc(l.now.Media, func(was media.File) bool { return was.Path() == f.Path() && !was.Scaled })
		switch {
		case at < 0:
			l.line(Added, kind, f.Path(), "")
		case l.now.Media[at].Digest != f.Digest:
			l.line(Changed, kind, f.Path(), "")
		default:
			l.plan.Unchanged++
			continue
		}
		l.plan.Media = append(l.plan.Media, f)
	}
	for _, was := range l.now.Media {
		if len(l.Media) > 0 && !was.Scaled && !has[was.Path()] {
			l.line(Missing, kind, was.Path(), "it stays")
		}
	}
}

// knows reports whether the package or the contest contains the object with the given type and id.
func (l *planner) knows(typ, id string) bool {
	switch typ {
	case media.Groups:
		return slices.ContainsFunc(l.now.Groups, func(g store.Group) bool { return g.ID == id }) ||
			slices.ContainsFunc(l.Groups, func(g Placed[store.Group]) bool { return g.Object.ID == id })
	case media.Organizations:
		return slices.ContainsFunc(l.now.Organizations, func(o store.Organization) bool { return o.ID == id }) ||
			slices.ContainsFunc(l.Organizations, func(o Placed[store.Organization]) bool { return o.Object.ID == id })
	case media.Teams:
		return slices.ContainsFunc(l.now.Teams, func(t *store.Team) bool { return t.ExtID == id }) ||
			slices.ContainsFunc(l.Teams, func(t Placed[store.Team]) bool { return t.Object.ExtID == id })
	case media.Persons:
		return slices.ContainsFunc(l.now.Persons, func(p *store.ContestPerson) bool { return p.ID == id }) ||
			slices.ContainsFunc(l.Persons, func(p Placed[store.ContestPerson]) bool { return p.Object.ID == id })
	}
	return typ == media.Contest
}
