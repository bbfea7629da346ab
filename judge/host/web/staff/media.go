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
	MaxMiB                int
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
func (s *site) mediaObjects(r *web.Request) (objects []mediaGroup, err error) {
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
			objects = append(objects, mediaGroup{name, choices})
		}
	}
	add("Contest", []web.Choice{{Value: media.Contest + "/", Name: c.Name}})
	var options []web.Choice
	for _, o := range organizations {
		options = append(options, web.Choice{Value: media.Organizations + "/" + o.ID, Name: o.Name})
	}
	add("Organizations", options)
	options = nil
	for _, g := range groups {
		options = append(options, web.Choice{Value: media.Groups + "/" + g.ID, Name: g.Name})
	}
	add("Groups", options)
	options = nil
	for _, t := range teams {
		options = append(options, web.Choice{Value: media.Teams + "/" + t.ExtID, Name: t.Name})
	}
	add("Teams", options)
	options = nil
	for _, p := range persons {
		options = append(options, web.Choice{Value: media.Persons + "/" + p.ID, Name: p.Name})
	}
	add("Persons", options)
	return objects, nil
}

// objectName returns the name of an object, or an empty string if there is no such object.
func objectName(groups []mediaGroup, value string) string {
	for _, group := range groups {
		for _, choice := range group.All {
			if choice.Value == value {
				return choice.Name
			}
		}
	}
	return ""
}

func (s *site) mediaPage(w http.ResponseWriter, r *web.Request) error {
	return s.renderMedia(w, r, http.StatusOK, mediaView{Object: r.URL.Query().Get("object"), Property: media.Logo})
}

func (s *site) renderMedia(w http.ResponseWriter, r *web.Request, code int, v mediaView) (err error) {
	c := access.Of(r).Contest
	v.Slug, v.MaxMiB = c.Slug, media.MaxBytes>>20
	if v.Objects, err = s.mediaObjects(r); err != nil {
		return err
	}
	if v.Name = objectName(v.Objects, v.Object); v.Name == "" {
		v.Object = media.Contest + "/"
		v.Name = objectName(v.Objects, v.Object)
	}
	objectType, _, _ := strings.Cut(v.Object, "/")
	for _, slot := range media.FileProperties {
		if slot.Type == objectType {
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
		slot, _ := media.FindProperty(f.Type, f.Property)
		name := cmp.Or(objectName(v.Objects, f.Type+"/"+f.Object), f.Object)
		v.Files = append(v.Files, mediaLine{File: f, Name: name, What: cmp.Or(slot.Name, "Statement")})
	}
	return s.RenderPage(w, r, code, "media", "Files", v)
}

// changeMedia uploads or removes a file.
func (s *site) changeMedia(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, media.MaxBytes, "file"); err != nil {
		return err
	}
	c := access.Of(r).Contest
	existing, err := s.Store.Media(r.Context(), c.ID)
	if err != nil {
		return err
	}
	if name := r.PostFormValue("remove"); name != "" {
		index := slices.IndexFunc(existing, func(f media.File) bool { return f.Path() == name && !f.Scaled })
		if index < 0 {
			return web.Redirect(w, r, "/c/"+c.Slug+"/media") // button pressed twice
		}
		return s.replaceMedia(w, r, existing, []media.File{existing[index]}, nil)
	}
	v := mediaView{Object: r.PostFormValue("object"), Property: r.PostFormValue("property"), Tag: strings.TrimSpace(r.PostFormValue("tag"))}
	f, data, err := s.uploadedMedia(r, &v)
	if refusal := web.AsRefusal(err); refusal != nil {
		v.Errors = web.RefusalErrors(refusal, "file")
		return s.renderMedia(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if err := s.StoreBlob(r.Context(), r.Me, data); err != nil {
		return err
	}
	var removed []media.File
	for _, old := range existing {
		same := old.Type == f.Type && old.Object == f.Object && old.Property == f.Property && slices.Equal(old.Tags, f.Tags)
		if same && !old.Scaled && old.Filename != f.Filename {
			removed = append(removed, old)
		}
	}
	return s.replaceMedia(w, r, existing, removed, &f)
}

// uploadedMedia reads the file of a form. If the form is not valid, it returns a *intake.Refusal.
func (s *site) uploadedMedia(r *web.Request, v *mediaView) (f media.File, data []byte, err error) {
	objects, err := s.mediaObjects(r)
	if err != nil {
		return f, nil, err
	}
	files, err := r.Files(media.MaxBytes)
	if err != nil {
		return f, nil, err
	}
	place := media.Place{Property: v.Property}
	place.Type, place.Object, _ = strings.Cut(v.Object, "/")
	_, valid := media.FindProperty(place.Type, place.Property)
	var tags []string
	if v.Tag != "" {
		tags = []string{v.Tag}
	}
	switch {
	case objectName(objects, v.Object) == "":
		return f, nil, web.BadField("object", "the contest has no such object: choose another one")
	case !valid:
		return f, nil, web.BadField("property", "%s have no such files: choose another kind", strings.TrimSuffix(place.Type, "s")+"s")
	case v.Tag != "" && !media.ValidTag(v.Tag):
		return f, nil, web.BadField("tag", "the tag has other characters than letters, digits, - and _, or is a size")
	case len(files) != 1:
		return f, nil, web.BadField("file", "choose a file")
	}
	data = files[0].Data
	if f, err = media.New(place.WithDefaultName(data, tags), data); err != nil {
		return f, nil, web.BadField("file", "%s", err)
	}
	return f, data, nil
}

// replaceMedia removes files of a property, and adds a file whose bytes are already stored. If added is nil, it
// only removes files.
func (s *site) replaceMedia(w http.ResponseWriter, r *web.Request, existing, removed []media.File, added *media.File) error {
	c := access.Of(r).Contest
	var add []media.File
	property, detail := media.Place{}, ""
	if added != nil {
		add, property, detail = []media.File{*added}, added.Place, "upload "+added.Path()
	} else {
		property, detail = removed[0].Place, "remove "+removed[0].Path()
	}
	remaining := slices.Clone(add)
	var places []media.Place
	for _, f := range removed {
		places = append(places, f.Place)
	}
	for _, f := range existing {
		same := f.Type == property.Type && f.Object == property.Object && f.Property == property.Property
		if same && !f.Scaled && !slices.Contains(places, f.Place) && (added == nil || f.Filename != added.Filename) {
			remaining = append(remaining, f)
		}
	}
	scaled, err := s.Scaled(r.Context(), r.Me, property, remaining)
	if err != nil {
		return err
	}
	if err := s.Store.ChangeMedia(r.Context(), c.ID, places, append(add, scaled...)); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return s.AuditAndRedirect(w, r, "change files", c.Slug, detail, "/c/"+c.Slug+"/media")
}
