package desk

import (
	"context"
	"slices"

	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// MD5 returns the MD5 digest of a blob. It reads each blob once.
func (d *Desk) MD5(of blob.Digest, size int64) (string, error) {
	if sum, known := d.sums.Load(of); known {
		return sum.(string), nil
	}
	data, err := d.Blobs.Read(of, size)
	if err != nil {
		return "", err
	}
	sum := media.Sum(data)
	d.sums.Store(of, sum)
	return sum, nil
}

// WithScaled returns fresh, which lists new files of a contest, followed by the scaled versions of the properties
// of these files. The bytes of the new files must be stored. WithScaled stores the scaled files for account a. The
// argument there lists the contest's existing files. The caller must hold Kept.
func (d *Desk) WithScaled(ctx context.Context, a *store.Account, there, fresh []media.File) ([]media.File, error) {
	all := slices.Clone(fresh)
	done := map[media.Place]bool{}
	for _, f := range fresh {
		property := media.Place{Type: f.Type, Object: f.Object, Property: f.Property}
		if done[property] {
			continue
		}
		done[property] = true
		of := func(files []media.File) (of []media.File) {
			for _, one := range files {
				same := one.Type == f.Type && one.Object == f.Object && one.Property == f.Property
				if same && !slices.ContainsFunc(of, func(b media.File) bool { return b.Filename == one.Filename }) {
					of = append(of, one)
				}
			}
			return of
		}
		scaled, err := d.Scaled(ctx, a, property, of(append(slices.Clone(fresh), there...)))
		if err != nil {
			return nil, err
		}
		all = append(all, scaled...)
	}
	return all, nil
}

// Scaled creates the scaled versions of a property with the given files, and stores their bytes for account a. The
// caller must hold Kept.
func (d *Desk) Scaled(ctx context.Context, a *store.Account, property media.Place, files []media.File) ([]media.File, error) {
	if slot, is := media.Find(property.Type, property.Property); !is || !slot.Scaled {
		return nil, nil
	}
	scaled, data, err := media.Scaled(files, func(f media.File) ([]byte, error) { return d.Blobs.Read(f.Digest, f.Size) })
	if err != nil {
		return nil, err
	}
	for _, one := range data {
		if err := d.Keep(ctx, a, one); err != nil {
			return nil, err
		}
	}
	return scaled, nil
}
