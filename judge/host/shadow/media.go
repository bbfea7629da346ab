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

// pictureTimeout is the maximum time for fetching pictures of a primary. After that, other objects are handled before
// further pictures are fetched.
const pictureTimeout = 20 * time.Second

// mediaType is the object type under which errors in pictures and documents are recorded.
const mediaType = "files"

// mediaTypes lists the types of objects whose pictures and documents are copied.
var mediaTypes = []string{media.Contest, media.Groups, media.Organizations, media.Teams, media.Problems}

// A picture is a picture or document of the primary.
type picture struct {
	media.Place // without a filename
	href, hash  string
	tags        []string
	data        []byte
	file        media.File // the file in the contest on this server
	problem     string     // why it cannot be copied
	retryLater  bool       // it may become available later
}

// name returns the name of a picture in the list of errors.
func (p *picture) name() string { return path.Join(p.Type, p.Object, p.Property, path.Base(p.href)) }

// failureKey returns the key under which failed requests for this version of the picture are counted.
func (p *picture) failureKey() string { return mediaType + " " + p.href + " " + p.hash }

// sameProperty reports whether f is a file of the same property as p and was not scaled by this server.
func (p *picture) sameProperty(f media.File) bool {
	return f.Type == p.Type && f.Object == p.Object && f.Property == p.Property && !f.Scaled
}

// pictures returns the pictures and documents of the primary, grouped by property.
func (m Mirror) pictures() (groups [][]*picture) {
	for _, typ := range mediaTypes {
		for _, id := range m.ids(typ) {
			o := m.object(typ, id)
			for _, property := range media.Properties(typ) {
				if of := picturesOf(o[property], media.Place{Type: typ, Object: id, Property: property}); len(of) > 0 {
					groups = append(groups, of)
				}
			}
		}
	}
	return groups
}

func picturesOf(data json.RawMessage, place media.Place) (pictures []*picture) {
	var files []json.RawMessage
	if json.Unmarshal(data, &files) != nil {
		return nil
	}
	for _, file := range files {
		f := parseObject(string(file))
		one := &picture{Place: place, href: f.text("href"), hash: strings.ToLower(f.text("hash"))}
		for _, tag := range f.texts("tag") {
			if media.ValidTag(tag) {
				one.tags = append(one.tags, tag)
			}
		}
		if one.href != "" {
			pictures = append(pictures, one)
		}
	}
	return pictures
}

// copyMedia copies pictures and documents of the primary that the contest lacks. If a file cannot be copied, media
// records the error and continues. If the primary has no files for a property, the contest keeps its own files for
// that property.
func (f *follower) copyMedia(ctx context.Context) error {
	f.needsMedia = false
	c, err1 := f.Store.Contest(ctx, f.source.Contest)
	there, err2 := f.Store.Media(ctx, f.source.Contest)
	if err := errors.Join(err1, err2); err != nil || c.UpdatesEnded(f.Time()) {
		return err
	}
	problems := map[string]string{}
	for k := range f.recordedErrors {
		if k.typ == mediaType {
			problems[k.id] = "" // replaced below if the error persists
		}
	}
	groups := f.mirror.pictures()
	soon, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	for len(groups) > 0 && soon.Err() == nil {
		n, some := 0, []*picture(nil)
		for ; n < len(groups) && len(some) < maxPending; n++ {
			some = append(some, groups[n]...)
		}
		f.fetchPictures(soon, there, some)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, group := range groups[:n] {
			if err := f.storePictures(ctx, there, group); err != nil {
				return err
			}
		}
		for _, one := range some {
			if one.problem != "" {
				problems[one.name()] = one.problem
			}
		}
		groups = groups[n:]
	}
	for _, group := range groups { // postponed: submissions and verdicts do not wait for pictures
		f.needsMedia = true
		for _, one := range group {
			problems[one.name()] = f.recordedErrors[key{mediaType, one.name()}]
		}
	}
	for name, text := range problems {
		if err := f.recordError(ctx, mediaType, name, text); err != nil {
			return err
		}
	}
	return nil
}

// fetchPictures fetches the pictures that the contest lacks, several at a time.
func (f *follower) fetchPictures(ctx context.Context, existing []media.File, pictures []*picture) {
	var group sync.WaitGroup
	places := make(chan struct{}, maxFetches)
	for _, one := range pictures {
		at := slices.IndexFunc(existing, func(is media.File) bool { return one.sameProperty(is) && is.MD5 == one.hash })
		if at >= 0 {
			one.file = existing[at]
			continue
		}
		if f.failures[one.failureKey()] >= maxTries {
			one.problem = f.recordedErrors[key{mediaType, one.name()}]
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			one.setResponse(f.primary.fetchFile(ctx, one.href))
		})
	}
	group.Wait()
	for _, one := range pictures {
		switch {
		case one.data != nil:
			delete(f.failures, one.failureKey())
		case one.retryLater:
			f.failures[one.failureKey()]++
			f.needsMedia = f.needsMedia || f.failures[one.failureKey()] < maxTries
		case one.problem != "":
			f.failures[one.failureKey()] = maxTries
		}
	}
}

// setResponse records the primary's response.
func (p *picture) setResponse(data []byte, err error) {
	status, told := errors.AsType[*StatusError](err)
	switch {
	case err != nil:
		p.retryLater = !told || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests
		p.problem = fmt.Sprintf("it cannot be fetched: %v", err)
		return
	case p.hash != "" && media.MD5Sum(data) != p.hash:
		p.retryLater, p.problem = true, "the file has another MD5 digest than the primary says"
		return
	}
	if _, err := media.New(p.WithDefaultName(data, p.tags), data); err != nil {
		p.problem = err.Error()
		return
	}
	p.data = data
}

// storePictures stores the new pictures of a property, and removes those that the primary no longer has.
func (f *follower) storePictures(ctx context.Context, existing []media.File, pictures []*picture) error {
	names := map[string]bool{}
	for _, one := range pictures {
		names[one.file.Filename] = true
	}
	var added []media.File
	complete := true
	for _, one := range pictures {
		complete = complete && one.problem == ""
		if one.data == nil {
			continue
		}
		place := one.WithDefaultName(one.data, one.tags)
		for n := 2; names[place.Filename]; n++ { // for example, statements in two languages
			place = one.WithDefaultName(one.data, append(slices.Clone(one.tags), strconv.Itoa(n)))
		}
		names[place.Filename] = true
		file, err := media.New(place, one.data)
		if err != nil {
			return err
		}
		added = append(added, file)
	}
	var gone []media.Place
	for _, current := range existing {
		if complete && pictures[0].sameProperty(current) && !names[current.Filename] {
			gone = append(gone, current.Place)
		}
	}
	same := func(n media.File) bool {
		return slices.ContainsFunc(existing, func(current media.File) bool { return current.Place == n.Place && current.MD5 == n.MD5 })
	}
	if len(gone) == 0 && !slices.ContainsFunc(added, func(n media.File) bool { return !same(n) }) {
		return nil // the primary sends no digests
	}
	if f.CollectLock != nil {
		f.CollectLock.RLock()
		defer f.CollectLock.RUnlock()
	}
	account, err := f.Store.Account(ctx, f.source.Account)
	if err != nil {
		return err
	}
	for _, one := range pictures {
		if one.data != nil {
			if err := f.StoreBlob(ctx, account, one.data); err != nil {
				return err
			}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(existing), func(current media.File) bool { return slices.Contains(gone, current.Place) })
	scaled, err := f.WithScaled(ctx, account, kept, added)
	if err == nil {
		err = f.Store.ChangeMedia(ctx, f.source.Contest, gone, scaled)
	}
	for _, one := range pictures {
		one.data = nil
	}
	if errors.Is(err, store.ErrResultsPublic) {
		return nil // the results are final and public
	}
	return err
}
