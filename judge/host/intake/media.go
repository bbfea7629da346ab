package intake

import (
	"context"
	"slices"

	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// MD5 returns the MD5 digest of a blob. It reads each blob once.
func (d *Service) MD5(digest blob.Digest, size int64) (string, error) {
	if sum, known := d.md5Sums.Load(digest); known {
		return sum.(string), nil
	}
	data, err := d.Blobs.Read(digest, size)
	if err != nil {
		return "", err
	}
	sum := media.MD5Sum(data)
	d.md5Sums.Store(digest, sum)
	return sum, nil
}

// WithScaled returns fresh, which lists new files of a contest, followed by the scaled versions of the properties
// of these files. The bytes of the new files must be stored. WithScaled stores the scaled files for account a. The
// argument there lists the contest's existing files. The caller must hold Kept.
func (d *Service) WithScaled(ctx context.Context, a *store.Account, existing, added []media.File) ([]media.File, error) {
	all := slices.Clone(added)
	done := map[media.Place]bool{}
	for _, f := range added {
		property := media.Place{Type: f.Type, Object: f.Object, Property: f.Property}
		if done[property] {
			continue
		}
		done[property] = true
		sameProperty := func(files []media.File) (sameProperty []media.File) {
			for _, one := range files {
				same := one.Type == f.Type && one.Object == f.Object && one.Property == f.Property
				if same && !slices.ContainsFunc(sameProperty, func(b media.File) bool { return b.Filename == one.Filename }) {
					sameProperty = append(sameProperty, one)
				}
			}
			return sameProperty
		}
		scaled, err := d.Scaled(ctx, a, property, sameProperty(append(slices.Clone(added), existing...)))
		if err != nil {
			return nil, err
		}
		all = append(all, scaled...)
	}
	return all, nil
}

// Scaled creates the scaled versions of a property with the given files, and stores their bytes for account a. The
// caller must hold Kept.
func (d *Service) Scaled(ctx context.Context, a *store.Account, property media.Place, files []media.File) ([]media.File, error) {
	if slot, is := media.FindProperty(property.Type, property.Property); !is || !slot.Scaled {
		return nil, nil
	}
	scaled, data, err := media.MakeScaled(files, func(f media.File) ([]byte, error) { return d.Blobs.Read(f.Digest, f.Size) })
	if err != nil {
		return nil, err
	}
	for _, one := range data {
		if err := d.StoreBlob(ctx, a, one); err != nil {
			return nil, err
		}
	}
	return scaled, nil
}
