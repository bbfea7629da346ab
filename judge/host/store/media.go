package store

import (
	"context"
	"errors"

	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store/internal/query"
)

// Media reads the files of a contest, ordered by type, object, property and name.
func (s *Store) Media(ctx context.Context, contest string) (files []media.File, err error) {
	rows, err := s.read.MediaOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the files of a contest", err)
	}
	for _, r := range rows {
		f := media.File{
			Place: media.Place{Type: r.Type, Object: r.Object, Property: r.Property, Filename: r.Filename},
			Digest: blob.Digest(
				r.Sha256,
			), Size: r.Size, MD5: r.Md5, Kind: media.Kind{Mime: r.Mime, Width: int(r.Width), Height: int(r.Height)}, Scaled: r.Scaled,
		}
		if err := fromJSON("the tags of the file "+f.Path(), r.Tags, &f.Tags); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// ChangeMedia removes the files gone from a contest and stores files, which replace files with the same names. For
// each property that changes, files must include all scaled versions. It returns ErrNotFound if a file to be
// removed does not exist, and ErrResultsPublic if the results of the contest are final and public.
func (s *Store) ChangeMedia(ctx context.Context, contest string, removed []media.Place, files []media.File) error {
	return s.tx(ctx, "change the files of a contest", func(q *query.Queries) error {
		if n, err := q.HoldContest(ctx, contest); errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		if err := s.checkChangeable(ctx, q, contest); err != nil {
			return err
		}
		for _, place := range removed {
			row := query.DeleteMediaParams{Contest: contest, Type: place.Type, Object: place.Object, Filename: place.Filename}
			if n, err := q.DeleteMedia(ctx, row); errIfUnchanged(n, err) != nil {
				return errIfUnchanged(n, err)
			}
			if err := deleteScaled(ctx, q, contest, place); err != nil {
				return err
			}
		}
		if err := putMedia(ctx, q, contest, files); err != nil {
			return err
		}
		_, err := s.appendEvent(ctx, q, contest, KindContest, contest, OpUpdated)
		return err
	})
}

func deleteScaled(ctx context.Context, q *query.Queries, contest string, place media.Place) error {
	return q.DeleteScaled(ctx, query.DeleteScaledParams{Contest: contest, Type: place.Type, Object: place.Object, Property: place.Property})
}

func putMedia(ctx context.Context, q *query.Queries, contest string, files []media.File) error {
	for _, f := range files {
		if err := deleteScaled(ctx, q, contest, f.Place); err != nil {
			return err
		}
	}
	for _, f := range files {
		tags, err := toJSON(append([]string{}, f.Tags...))
		if err != nil {
			return err
		}
		if err := q.PutMedia(ctx, query.PutMediaParams{
			Contest: contest, Type: f.Type, Object: f.Object, Property: f.Property, Filename: f.Filename,
			Sha256: string(f.Digest), Size: f.Size, Md5: f.MD5, Mime: f.Mime, Width: int64(f.Width), Height: int64(f.Height),
			Tags: tags, Scaled: f.Scaled,
		}); err != nil {
			return err
		}
	}
	return nil
}

// eraseMedia deletes the files of an object, and returns their blobs.
func eraseMedia(ctx context.Context, q *query.Queries, contest, typ, object string) (blobs []blob.Digest, err error) {
	rows, err := q.EraseMedia(ctx, query.EraseMediaParams{Contest: contest, Type: typ, Object: object})
	for _, d := range rows {
		blobs = append(blobs, blob.Digest(d))
	}
	return blobs, err
}

// erasePerson deletes a person of a contest, and returns the blobs of the person's photos.
func erasePerson(ctx context.Context, q *query.Queries, contest, id string) (blobs []blob.Digest, err error) {
	blobs, err = eraseMedia(ctx, q, contest, media.Persons, id)
	return blobs, errors.Join(err, q.ErasePerson(ctx, contest, id))
}
