package store_test

import (
	"fmt"
	"testing"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// TestUploads checks that uploads are processed in order and end once, and that an upload refers to its blobs only
// as long as it needs them.
func TestUploads(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		archive, report := blob.DigestOf([]byte("zip")), blob.DigestOf([]byte("report"))
		var made []*store.Upload
		for _, slug := range []string{"sum", "max"} {
			u := &store.Upload{Account: h.alice.ID, Problem: slug, File: slug + ".zip", Verify: true, Archive: archive}
			if err := h.NewUpload(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			made = append(made, u)
		}
		named := func() map[blob.Digest]bool {
			all, err := h.ReferencedBlobs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		if _, is := named()[archive]; !is {
			t.Error("nothing refers to the archive of a waiting upload")
		}
		for i, u := range made {
			next, err := h.NextUpload(t.Context())
			if err != nil || next.ID != u.ID || next.State != store.UploadWaiting || next.Login != h.alice.Login {
				t.Fatalf("the next upload is %+v, %v; want %s", next, err, u.ID)
			}
			next.State, next.Bundle, next.Report = store.UploadDone, archive, report
			if i == 1 {
				next.State, next.Reason, next.Bundle = store.UploadFailed, "no archive\x00", ""
			}
			if err := h.EndUpload(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			next.State = store.UploadFailed
			if err := h.EndUpload(t.Context(), next); err != nil { // has no effect
				t.Fatal(err)
			}
		}
		if next, err := h.NextUpload(t.Context()); err != nil || next != nil {
			t.Errorf("after the last upload there is %+v, %v", next, err)
		}
		all, err := h.Uploads(t.Context(), "", 10)
		if err != nil || len(all) != 2 || all[0].Reason == "" || all[0].State != store.UploadFailed || all[1].State != store.UploadDone ||
			all[1].Bundle != archive || all[1].Ended.IsZero() {
			t.Errorf("the uploads are %+v, %v", all, err)
		}
		if one, err := h.Uploads(t.Context(), "sum", 10); err != nil || len(one) != 1 || one[0].ID != made[0].ID {
			t.Errorf("the uploads of sum are %+v, %v", one, err)
		}
		if _, is := named()[archive]; is {
			t.Error("an archive is kept of which all is made")
		}
		if _, is := named()[report]; !is {
			t.Error("nothing refers to the report")
		}
	})
}

// TestSeeSent checks that HasUploadedEach returns results in order for more blobs than one transaction reads.
func TestSeeSent(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		var all []blob.Digest
		for i := range 250 {
			d := digest(fmt.Sprint(i))
			if all = append(all, d); i%70 == 0 {
				if err := h.RecordBlobUpload(t.Context(), h.alice.ID, store.Blob{Digest: d, Size: 1, Kind: "upload"}, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		sent, err := h.HasUploadedEach(t.Context(), h.alice.ID, all)
		if err != nil || len(sent) != len(all) {
			t.Fatal(len(sent), err)
		}
		for i, is := range sent {
			if want := i%70 == 0; is != want {
				t.Errorf("blob %d: %v", i, is)
			}
		}
	})
}
