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

// maxMedia is the maximum number of pictures and documents in a package.
const maxMedia = 10_000

// mediaTypes lists the directories that may contain pictures and documents.
var mediaTypes = []string{media.Contest, media.Groups, media.Organizations, media.Teams, media.Persons}

// collectMedia returns the paths of the pictures and documents with default filenames in a directory.
func collectMedia(dir fs.FS) (paths []string, err error) {
	var faults judge.ProblemErrors
	for _, typ := range mediaTypes {
		places := []string{typ}
		if typ != media.Contest {
			objects, err := readDir(dir, typ)
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
			files, err := readDir(dir, place)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				name := path.Join(place, f.Name())
				switch _, is, err := media.Parse(name); {
				case err != nil:
					faults = append(faults, &judge.ProblemError{File: name, Text: err.Error()})
				case is:
					paths = append(paths, name)
				}
			}
		}
	}
	if len(paths) > maxMedia {
		text := fmt.Sprintf("the package has %d pictures; the most is %d", len(paths), maxMedia)
		faults = append(faults, &judge.ProblemError{File: ".", Text: text})
	}
	return paths, faults.AsError()
}

// readDir reads a directory. It returns no entries if the directory does not exist.
func readDir(dir fs.FS, name string) ([]fs.DirEntry, error) {
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
	data, err := io.ReadAll(io.LimitReader(file, media.MaxBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("read the contest package: %s: %w", name, err)
	}
	return data, nil
}

// Inspect reads all pictures and documents. It returns judge.ProblemErrors if any of them is not valid for a contest.
func (f *Files) Inspect() (files []media.File, err error) {
	var faults judge.ProblemErrors
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
			faults = append(faults, &judge.ProblemError{File: name, Text: err.Error()})
		}
		files = append(files, one)
	}
	return files, faults.AsError()
}

// AddMedia adds a picture or document with the given path in the package. Its bytes are the blob d. It returns a
// *judge.ProblemError if the path is invalid.
func (p *Package) AddMedia(name string, d blob.Digest, size int64) *judge.ProblemError {
	at, is, err := media.Parse(name)
	if err == nil && !is {
		err = errors.New("contests have no such file")
	}
	if err == nil && size > media.MaxBytes {
		err = fmt.Errorf("the file has more than %d MiB", media.MaxBytes>>20)
	}
	if err != nil {
		return &judge.ProblemError{File: name, Text: err.Error()}
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
		if !l.hasObject(f.Type, f.Object) {
			l.addFault(f.Path(), 0, "", "neither the package nor the contest has the object %q in %s", f.Object, f.Type)
		}
		at := slices.IndexFunc(l.current.Media, func(old media.File) bool { return old.Path() == f.Path() && !old.Scaled })
		switch {
		case at < 0:
			l.addLine(Added, kind, f.Path(), "")
		case l.current.Media[at].Digest != f.Digest:
			l.addLine(Changed, kind, f.Path(), "")
		default:
			l.plan.Unchanged++
			continue
		}
		l.plan.Media = append(l.plan.Media, f)
	}
	for _, old := range l.current.Media {
		if len(l.Media) > 0 && !old.Scaled && !has[old.Path()] {
			l.addLine(Missing, kind, old.Path(), "it stays")
		}
	}
}

// hasObject reports whether the package or the contest contains the object with the given type and id.
func (l *planner) hasObject(typ, id string) bool {
	switch typ {
	case media.Groups:
		return slices.ContainsFunc(l.current.Groups, func(g store.Group) bool { return g.ID == id }) ||
			slices.ContainsFunc(l.Groups, func(g Located[store.Group]) bool { return g.Object.ID == id })
	case media.Organizations:
		return slices.ContainsFunc(l.current.Organizations, func(o store.Organization) bool { return o.ID == id }) ||
			slices.ContainsFunc(l.Organizations, func(o Located[store.Organization]) bool { return o.Object.ID == id })
	case media.Teams:
		return slices.ContainsFunc(l.current.Teams, func(t *store.Team) bool { return t.ExtID == id }) ||
			slices.ContainsFunc(l.Teams, func(t Located[store.Team]) bool { return t.Object.ExtID == id })
	case media.Persons:
		return slices.ContainsFunc(l.current.Persons, func(p *store.ContestPerson) bool { return p.ID == id }) ||
			slices.ContainsFunc(l.Persons, func(p Located[store.ContestPerson]) bool { return p.Object.ID == id })
	}
	return typ == media.Contest
}
