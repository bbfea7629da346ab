package api

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/store"
)

// The limits of event feeds.
const (
	writeTimeout = 10 * time.Second // time limit for a client to read a chunk of its feed
	batchSize    = 64 << 10         // size of a chunk, in bytes
	batchDelay   = 50 * time.Millisecond
)

// feedTypes returns the requested types. If there are none, it returns nil, which means all types.
func feedTypes(r *http.Request) (types []clics.Type, err error) {
	for name := range strings.SplitSeq(r.URL.Query().Get("types"), ",") {
		t := clics.Type(name)
		switch {
		case name == "":
			continue
		case !slices.Contains(clics.Types, t) || t == clics.Scoreboard:
			return nil, &status{http.StatusBadRequest, fmt.Sprintf("there is no type %.40q in event feeds", name), ""}
		}
		types = append(types, t)
	}
	return types, nil
}

// eventFeed sends all objects of the contest, followed by all changes.
func (c *apiClient) eventFeed(w http.ResponseWriter, r *http.Request) error {
	types, err := feedTypes(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	since := query.Get("since_token")
	if query.Has("since_id") {
		since = query.Get("since_id")
	}
	leave, err := c.OpenFeed(r.Context(), r.RemoteAddr)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		return err
	}
	defer leave()
	cursor, err := c.NewCursor(r.Context(), c.reader, since, types)
	if errors.Is(err, feed.ErrToken) {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("X-Accel-Buffering", "no")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodHead {
		return nil
	}
	w.WriteHeader(http.StatusOK)
	c.stream(w, r, cursor, query.Get("stream") != "false")
	return nil
}

// stream writes the batches of a cursor until the client disconnects or loses access, or the server stops.
func (c *apiClient) stream(w http.ResponseWriter, r *http.Request, cursor *feed.Cursor, live bool) {
	controller := http.NewResponseController(w)
	var part bytes.Buffer
	lastWrite := time.Now()
	flush := func() bool {
		_ = controller.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported by test recorders
		_, err := w.Write(part.Bytes())
		part.Reset()
		lastWrite = time.Now()
		return err == nil && controller.Flush() == nil
	}
	looked, failed := time.Now(), false
	for first := true; ; first = false {
		batch, err := cursor.Next()
		if errors.Is(err, feed.ErrToken) {
			return // the client reconnects, and must then read everything
		}
		if err != nil {
			c.Log.Error("write an event feed", "contest", c.contestAccess.Contest.Slug, "error", err)
			return
		}
		for i := range batch.Lines {
			token := batch.Partial
			if i == len(batch.Lines)-1 {
				token = batch.Token
			}
			batch.Lines[i].Write(&part, token)
			if part.Len() >= batchSize && !flush() {
				return
			}
		}
		if live && part.Len() == 0 && time.Since(lastWrite) > c.keepAlive {
			part.WriteByte('\n')
		}
		if (first || part.Len() > 0) && !flush() || !live {
			return
		}
		if time.Since(looked) > c.keepAlive {
			looked = time.Now()
			now, err := c.refresh(r)
			_, refused := errors.AsType[*status](err)
			if refused || errors.Is(err, store.ErrNotFound) || err == nil && now.reader != c.reader {
				return // the client reconnects, and then has its current rights
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(batchDelay):
		}
		if err := c.Refresh(r.Context(), batchDelay); err != nil && r.Context().Err() == nil {
			if !failed {
				c.Log.Error("an event feed waits: its contest cannot be read", "contest", c.contestAccess.Contest.Slug, "error", err)
			}
			failed = true
		} else {
			failed = false
		}
	}
}

// sendSubmissionFiles sends the files of a submission.
func (c *apiClient) sendSubmissionFiles(w http.ResponseWriter, r *http.Request, path []string) error {
	files, err := c.Files(r.Context(), c.reader, path[1])
	if errors.Is(err, store.ErrNotFound) || err == nil && len(files) == 0 {
		return errNoPath
	}
	if err != nil {
		return err
	}
	var archived bytes.Buffer
	z := zip.NewWriter(&archived)
	for _, f := range files {
		data, err := c.Blobs.Read(f.Digest, f.Size)
		if err != nil {
			return err
		}
		entry, err := z.Create(f.Path)
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="files.zip"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(archived.Bytes()) // the client may have disconnected
	return nil
}
