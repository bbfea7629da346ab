package staff

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// mediaView is the page of the pictures and documents of a contest.
type mediaView struct {
	Slug, Name            string // Name is that of the object
	Errors                web.FieldErrors
	MostMiB               int
	Kinds                 []web.Choice // properties of the object
	Objects               []mediaGroup
	Object, Property, Tag string // of the form
	Files                 []mediaLine
}

// mediaGroup lists the objects of a type.
type mediaGroup struct {
	Name string
	All  []web.Choice // identified by type and id
}

// mediaLine is a file with the name of its object.
type mediaLine struct {
	media.File
	Name, What string
}

// mediaObjects returns the objects of a contest that can have files, grouped by type.
func (s *site) mediaObjects(r *web.Request) (all []mediaGroup, err error) {
	c := access.Of(r).Contest
	organizations, err1 := s.Store.Organizations(r.Context(), c.ID)
	groups, err2 := s.Store.Groups(r.Context(), c.ID)
	teams, err3 := s.Store.Teams(r.Context(), c.ID)
	persons, err4 := s.Store.Persons(r.Context(), c.ID)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	add := func(name string, choices []web.Choice) {
		if len(choices) > 0 {
			all = append(all, mediaGroup{name, choices})
		}
	}
	add("Contest", []web.Choice{{Value: media.Contest + "/", Name: c.Name}})
	var of []web.Choice
	for _, o := range organizations {
		of = append(of, web.Choice{Value: media.Organizations + "/" + o.ID, Name: o.Name})
	}
	add("Organizations", of)
	of = nil
	for _, g := range groups {
		of = append(of, web.Choice{Value: media.Groups + "/" + g.ID, Name: g.Name})
	}
	add("Groups", of)
	of = nil
	for _, t := range teams {
		of = append(of, web.Choice{Value: media.Teams + "/" + t.ExtID, Name: t.Name})
	}
	add("Teams", of)
	of = nil
	for _, p := range persons {
		of = append(of, web.Choice{Value: media.Persons + "/" + p.ID, Name: p.Name})
	}
	add("Persons", of)
	return all, nil
}

// objectName returns the name of an object, or an empty string if there is no such object.
func objectName(all []mediaGroup, value string) string {
	for _, group := range all {
		for _, one := range group.All {
			if one.Value == value {
				return one.Name
			}
		}
	}
	return ""
}

func (s *site) mediaPage(w http.ResponseWriter, r *web.Request) error {
	return s.drawMedia(w, r, http.StatusOK, mediaView{Object: r.URL.Query().Get("object"), Property: media.Logo})
}

func (s *site) drawMedia(w http.ResponseWriter, r *web.Request, code int, v mediaView) (err error) {
	c := access.Of(r).Contest
	v.Slug, v.MostMiB = c.Slug, media.MostBytes>>20
	if v.Objects, err = s.mediaObjects(r); err != nil {
		return err
	}
	if v.Name = objectName(v.Objects, v.Object); v.Name == "" {
		v.Object = media.Contest + "/"
		v.Name = objectName(v.Objects, v.Object)
	}
	of, _, _ := strings.Cut(v.Object, "/")
	for _, slot := range media.Slots {
		if slot.Type == of {
			v.Kinds = append(v.Kinds, web.Choice{Value: slot.Property, Name: slot.Name})
		}
	}
	files, err := s.Store.Media(r.Context(), c.ID)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Scaled {
			continue
		}
		slot, _ := media.Find(f.Type, f.Property)
		name := cmp.Or(objectName(v.Objects, f.Type+"/"+f.Object), f.Object)
		v.Files = append(v.Files, mediaLine{File: f, Name: name, What: cmp.Or(slot.Name, "Statement")})
	}
	return s.Page(w, r, code, "media", "Files", v)
}

// changeMedia uploads or removes a file.
func (s *site) changeMedia(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, media.MostBytes, "file"); err != nil {
		return err
	}
	c := access.Of(r).Contest
	there, err := s.Store.Media(r.Context(), c.ID)
	if err != nil {
		return err
	}
	if name := r.PostFormValue("remove"); name != "" {
		at := slices.IndexFunc(there, func(f media.File) bool { return f.Path() == name && !f.Scaled })
		if at < 0 {
			return web.Redirect(w, r, "/c/"+c.Slug+"/media") // button pressed twice
		}
		return s.replaceMedia(w, r, there, []media.File{there[at]}, nil)
	}
	v := mediaView{Object: r.PostFormValue("object"), Property: r.PostFormValue("property"), Tag: strings.TrimSpace(r.PostFormValue("tag"))}
	f, data, err := s.uploadedMedia(r, &v)
	if refusal := web.Rejected(err); refusal != nil {
		v.Errors = web.Refused(refusal, "file")
		return s.drawMedia(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if err := s.Keep(r.Context(), r.Me, data); err != nil {
		return err
	}
	var gone []media.File
	for _, was := range there {
		same := was.Type == f.Type && was.Object == f.Object && was.Property == f.Property && slices.Equal(was.Tags, f.Tags)
		if same && !was.Scaled && was.Filename != f.Filename {
			gone = append(gone, was)
		}
	}
	return s.replaceMedia(w, r, there, gone, &f)
}

// uploadedMedia reads the file of a form. If the form is not valid, it returns a *desk.Refusal.
func (s *site) uploadedMedia(r *web.Request, v *mediaView) (f media.File, data []byte, err error) {
	objects, err := s.mediaObjects(r)
	if err != nil {
		return f, nil, err
	}
	files, err := r.Files(media.MostBytes)
	if err != nil {
		return f, nil, err
	}
	at := media.Place{Property: v.Property}
	at.Type, at.Object, _ = strings.Cut(v.Object, "/")
	_, has := media.Find(at.Type, at.Property)
	var tags []string
	if v.Tag != "" {
		tags = []string{v.Tag}
	}
	switch {
	case objectName(objects, v.Object) == "":
		return f, nil, web.BadField("object", "the contest has no such object: choose another one")
	case !has:
		return f, nil, web.BadField("property", "%s have no such files: choose another kind", strings.TrimSuffix(at.Type, "s")+"s")
	case v.Tag != "" && !media.GoodTag(v.Tag):
		return f, nil, web.BadField("tag", "the tag has other characters than letters, digits, - and _, or is a size")
	case len(files) != 1:
		return f, nil, web.BadField("file", "choose a file")
	}
	data = files[0].Data
	if f, err = media.New(at.Named(data, tags), data); err != nil {
		return f, nil, web.BadField("file", "%s", err)
	}
	return f, data, nil
}

// replaceMedia removes files of a property, and adds a file whose bytes are already stored. If fresh is nil, it
// only removes files.
func (s *site) replaceMedia(w http.ResponseWriter, r *web.Request, there, gone []media.File, fresh *media.File) error {
	c := access.Of(r).Contest
	var add []media.File
	property, did := media.Place{}, ""
	if fresh != nil {
		add, property, did = []media.File{*fresh}, fresh.Place, "upload "+fresh.Path()
	} else {
		property, did = gone[0].Place, "remove "+gone[0].Path()
	}
	left := slices.Clone(add)
	var places []media.Place
	for _, f := range gone {
		places = append(places, f.Place)
	}
	for _, f := range there {
		same := f.Type == property.Type && f.Object == property.Object && f.Property == property.Property
		if same && !f.Scaled && !slices.Contains(places, f.Place) && (fresh == nil || f.Filename != fresh.Filename) {
			left = append(left, f)
		}
	}
	scaled, err := s.Scaled(r.Context(), r.Me, property, left)
	if err != nil {
		return err
	}
	if err := s.Store.ChangeMedia(r.Context(), c.ID, places, append(add, scaled...)); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.Done(w, r, "change files", c.Slug, did, "/c/"+c.Slug+"/media")
}
