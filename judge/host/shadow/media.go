package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/judge/host/media"
	"assay/judge/host/store"
)

// picturesIn is the maximum time for fetching pictures of a primary. After that, other objects are handled before
// further pictures are fetched.
const picturesIn = 20 * time.Second

// ofMedia is the object type under which errors in pictures and documents are recorded.
const ofMedia = "files"

// withMedia lists the types of objects whose pictures and documents are copied.
var withMedia = []string{media.Contest, media.Groups, media.Organizations, media.Teams, media.Problems}

// A picture is a picture or document of the primary.
type picture struct {
	media.Place // without a filename
	href, hash  string
	tags        []string
	data        []byte
	file        media.File // the file in the contest on this server
	wrong       string     // why it cannot be copied
	later       bool       // it may become available later
}

// name returns the name of a picture in the list of errors.
func (p *picture) name() string { return path.Join(p.Type, p.Object, p.Property, path.Base(p.href)) }

// tried returns the key under which failed requests for this version of the picture are counted.
func (p *picture) tried() string { return ofMedia + " " + p.href + " " + p.hash }

// of reports whether f is a file of the same property as p and was not scaled by this server.
func (p *picture) of(f media.File) bool {
	return f.Type == p.Type && f.Object == p.Object && f.Property == p.Property && !f.Scaled
}

// pictures returns the pictures and documents of the primary, grouped by property.
func (m Mirror) pictures() (all [][]*picture) {
	for _, typ := range withMedia {
		for _, id := range m.ids(typ) {
			o := m.object(typ, id)
			for _, property := range media.Properties(typ) {
				if of := picturesOf(o[property], media.Place{Type: typ, Object: id, Property: property}); len(of) > 0 {
					all = append(all, of)
				}
			}
		}
	}
	return all
}

func picturesOf(data json.RawMessage, at media.Place) (all []*picture) {
	var files []json.RawMessage
	if json.Unmarshal(data, &files) != nil {
		return nil
	}
	for _, file := range files {
		f := parseObject(string(file))
		one := &picture{Place: at, href: f.text("href"), hash: strings.ToLower(f.text("hash"))}
		for _, tag := range f.texts("tag") {
			if media.GoodTag(tag) {
				one.tags = append(one.tags, tag)
			}
		}
		if one.href != "" {
			all = append(all, one)
		}
	}
	return all
}

// media copies pictures and documents of the primary that the contest lacks. If a file cannot be copied, media
// records the error and continues. If the primary has no files for a property, the contest keeps its own files for
// that property.
func (f *follower) media(ctx context.Context) error {
	f.mediaAgain = false
	c, err1 := f.Store.Contest(ctx, f.source.Contest)
	there, err2 := f.Store.Media(ctx, f.source.Contest)
	if err := errors.Join(err1, err2); err != nil || c.UpdatesEnded(f.Time()) {
		return err
	}
	wrong := map[string]string{}
	for k := range f.problem {
		if k.typ == ofMedia {
			wrong[k.id] = "" // replaced below if the error persists
		}
	}
	all := f.mirror.pictures()
	soon, cancel := context.WithTimeout(ctx, picturesIn)
	defer cancel()
	for len(all) > 0 && soon.Err() == nil {
		n, some := 0, []*picture(nil)
		for ; n < len(all) && len(some) < mostHeld; n++ {
			some = append(some, all[n]...)
		}
		f.fetchPictures(soon, there, some)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, of := range all[:n] {
			if err := f.storePictures(ctx, there, of); err != nil {
				return err
			}
		}
		for _, one := range some {
			if one.wrong != "" {
				wrong[one.name()] = one.wrong
			}
		}
		all = all[n:]
	}
	for _, of := range all { // postponed: submissions and verdicts do not wait for pictures
		f.mediaAgain = true
		for _, one := range of {
			wrong[one.name()] = f.problem[key{ofMedia, one.name()}]
		}
	}
	for name, text := range wrong {
		if err := f.note(ctx, ofMedia, name, text); err != nil {
			return err
		}
	}
	return nil
}

// fetchPictures fetches the pictures that the contest lacks, several at a time.
func (f *follower) fetchPictures(ctx context.Context, there []media.File, all []*picture) {
	var group sync.WaitGroup
	places := make(chan struct{}, mostFetches)
	for _, one := range all {
		at := slices.IndexFunc(there, func(is media.File) bool { return one.of(is) && is.MD5 == one.hash })
		if at >= 0 {
			one.file = there[at]
			continue
		}
		if f.failures[one.tried()] >= mostTries {
			one.wrong = f.problem[key{ofMedia, one.name()}]
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			one.fetched(f.primary.file(ctx, one.href))
		})
	}
	group.Wait()
	for _, one := range all {
		switch {
		case one.data != nil:
			delete(f.failures, one.tried())
		case one.later:
			f.failures[one.tried()]++
			f.mediaAgain = f.mediaAgain || f.failures[one.tried()] < mostTries
		case one.wrong != "":
			f.failures[one.tried()] = mostTries
		}
	}
}

// fetched records the primary's response.
func (p *picture) fetched(data []byte, err error) {
	status, told := errors.AsType[*StatusError](err)
	switch {
	case err != nil:
		p.later = !told || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests
		p.wrong = fmt.Sprintf("it cannot be fetched: %v", err)
		return
	case p.hash != "" && media.Sum(data) != p.hash:
		p.later, p.wrong = true, "the file has another MD5 digest than the primary says"
		return
	}
	if _, err := media.New(p.Named(data, p.tags), data); err != nil {
		p.wrong = err.Error()
		return
	}
	p.data = data
}

// storePictures stores the new pictures of a property, and removes those that the primary no longer has.
func (f *follower) storePictures(ctx context.Context, there []media.File, all []*picture) error {
	names := map[string]bool{}
	for _, one := range all {
		names[one.file.Filename] = true
	}
	var fresh []media.File
	whole := true
	for _, one := range all {
		whole = whole && one.wrong == ""
		if one.data == nil {
			continue
		}
		at := one.Named(one.data, one.tags)
		for n := 2; names[at.Filename]; n++ { // for example, statements in two languages
			at = one.Named(one.data, append(slices.Clone(one.tags), strconv.Itoa(n)))
		}
		names[at.Filename] = true
		file, err := media.New(at, one.data)
		if err != nil {
			return err
		}
		fresh = append(fresh, file)
	}
	var gone []media.Place
	for _, is := range there {
		if whole && all[0].of(is) && !names[is.Filename] {
			gone = append(gone, is.Place)
		}
	}
	same := func(n media.File) bool {
		return slices.ContainsFunc(there, func(is media.File) bool { return is.Place == n.Place && is.MD5 == n.MD5 })
	}
	if len(gone) == 0 && !slices.ContainsFunc(fresh, func(n media.File) bool { return !same(n) }) {
		return nil // the primary sends no digests
	}
	if f.Sweeping != nil {
		f.Sweeping.RLock()
		defer f.Sweeping.RUnlock()
	}
	account, err := f.Store.Account(ctx, f.source.Account)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.data != nil {
			if err := f.Keep(ctx, account, one.data); err != nil {
				return err
			}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(there), func(is media.File) bool { return slices.Contains(gone, is.Place) })
	scaled, err := f.WithScaled(ctx, account, kept, fresh)
	if err == nil {
		err = f.Store.ChangeMedia(ctx, f.source.Contest, gone, scaled)
	}
	for _, one := range all {
		one.data = nil
	}
	if errors.Is(err, store.ErrOver) {
		return nil // the results are final and public
	}
	return err
}
