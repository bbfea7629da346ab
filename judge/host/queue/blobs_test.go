package queue_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/blob"
	"assay/judge/host/queue"
	"assay/judge/host/queue/queuetest"
)

// TestBlobsInACluster checks that two servers share blobs in the object store, even while a server of the cluster
// is down.
func TestBlobsInACluster(t *testing.T) {
	c := queuetest.Start(t)
	var caches []*blob.Dir
	for i := range 2 {
		q := c.Open(t, queue.Listener{})
		defer q.Close()
		origin, err := q.Blobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stream, err := q.JetStream().Stream(t.Context(), "OBJ_assay-blobs")
		if err != nil {
			t.Fatal(err)
		}
		if got := stream.CachedInfo().Config; got.AllowDirect || got.Replicas != 3 || got.Storage != jetstream.FileStorage {
			t.Errorf("a blob may be lost, or a server that lacks the latest blobs may respond: %+v", got)
		}
		mark, err := origin.Mark()
		if want := []string{"", "one"}[i]; err != nil || mark != want {
			t.Errorf("the mark is %q, %v; want %q", mark, err, want)
		}
		if err := origin.SetMark("one"); err != nil {
			t.Fatal(err)
		}
		cache, err := blob.Open(t.TempDir(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		cache.CacheOf(origin)
		caches = append(caches, cache)
	}
	a, b := caches[0], caches[1]
	large := make([]byte, 3<<20+1)
	for i := range large {
		large[i] = byte(rand.Uint32())
	}
	for _, data := range [][]byte{[]byte("hello"), {}, large} {
		d, size := blob.DigestOf(data), int64(len(data))
		if there, err := b.Has(d, size); err != nil || there {
			t.Errorf("%d bytes: before they are stored: %v, %v", size, there, err)
		}
		if _, err := b.Find(d); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes: before they are stored: %v", size, err)
		}
		if err := a.Put(d, size, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		if there, err := b.Has(d, size); err != nil || !there {
			t.Errorf("%d bytes: %v, %v", size, there, err)
		}
		if there, err := b.Has(d, size+1); err != nil || there {
			t.Errorf("%d bytes: another size is there: %v", size, err)
		}
		if got, err := b.Read(d, size); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	d := blob.DigestOf(large)
	if err := errors.Join(b.Remove(d), b.Remove(d)); err != nil {
		t.Error(err)
	}
	if there, err := a.Has(d, int64(len(large))); err != nil || there {
		t.Errorf("removed: %v, %v", there, err)
	}
	c.Kill(t, "n2")
	waitUntil(t, "a blob is stored with two of three servers", func() bool {
		err := a.Put(d, int64(len(large)), bytes.NewReader(large))
		if err != nil && !errors.Is(err, blob.ErrAway) { // the cluster may elect a leader first
			t.Fatal(err)
		}
		return err == nil
	})
	waitUntil(t, "a blob is read with two of three servers", func() bool {
		got, err := b.Read(d, int64(len(large)))
		if err != nil && !errors.Is(err, blob.ErrAway) {
			t.Fatal(err)
		}
		return bytes.Equal(got, large)
	})
}

// TestBlobsWithoutALeader checks that each request is refused as temporary while the cluster has no leader, and
// that the blobs are there when it has one again.
func TestBlobsWithoutALeader(t *testing.T) {
	c := queuetest.Start(t)
	q := c.Open(t, queue.Listener{})
	defer q.Close()
	origin, err := q.Blobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("hello")
	d, other := blob.DigestOf(data), blob.DigestOf([]byte("other"))
	if err := origin.Put(d, 5, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	open := func() *blob.Dir {
		t.Helper()
		dir, err := blob.Open(t.TempDir(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		dir.CacheOf(origin)
		return dir
	}
	for _, dead := range [][]string{{"n2", "n3"}, {"n1"}} { // no leader, then no server
		for _, name := range dead {
			c.Kill(t, name)
		}
		// A server that has lost the others continues to answer until it notices.
		waitUntil(t, "the object store is away", func() bool {
			_, err := origin.Has(d, 5)
			return errors.Is(err, blob.ErrAway)
		})
		var all sync.WaitGroup
		for what, do := range map[string]func(dir *blob.Dir) error{
			"has":    func(dir *blob.Dir) error { _, err := dir.Has(d, 5); return err },
			"find":   func(dir *blob.Dir) error { _, err := dir.Find(d); return err },
			"read":   func(dir *blob.Dir) error { _, err := dir.Read(d, 5); return err },
			"put":    func(dir *blob.Dir) error { return dir.Put(other, 5, strings.NewReader("other")) },
			"remove": func(dir *blob.Dir) error { return dir.Remove(other) },
		} {
			dir := open()
			all.Go(func() {
				if err := do(dir); !errors.Is(err, blob.ErrAway) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s without %v: %v", what, dead, err)
				}
			})
		}
		all.Wait()
	}
	for _, name := range []string{"n1", "n2", "n3"} {
		c.Restart(t, name)
	}
	dir := open()
	waitUntil(t, "the blob is there again", func() bool {
		got, err := dir.Read(d, 5)
		if err != nil && !errors.Is(err, blob.ErrAway) {
			t.Fatal(err)
		}
		return bytes.Equal(got, data)
	})
}

// TestNewsOfServers checks that each server receives the news of the others, but not its own.
func TestNewsOfServers(t *testing.T) {
	c := queuetest.Start(t)
	heard := make(chan queue.News, 10)
	a := c.Open(t, queue.Listener{News: func(n queue.News) { t.Errorf("it hears itself: %+v", n) }})
	defer a.Close()
	b := c.Open(t, queue.Listener{News: func(n queue.News) { heard <- n }})
	defer b.Close()
	told := map[queue.News]bool{}
	for _, n := range []queue.News{{Jobs: true}, {Workers: true}, {Ended: "x"}} {
		told[n] = true
		waitUntil(t, fmt.Sprintf("%+v is heard", n), func() bool {
			if err := a.JetStream().Conn().Publish("news", []byte("no JSON")); err != nil { // b ignores it
				t.Fatal(err)
			}
			if err := a.SendNews(n); err != nil { // repeated, because news are lost until b's subscription has reached a's server
				t.Fatal(err)
			}
			select {
			case got := <-heard:
				if !told[got] {
					t.Errorf("told %+v, heard %+v", n, got)
				}
				return got == n
			case <-time.After(time.Second):
				return false
			}
		})
	}
}
