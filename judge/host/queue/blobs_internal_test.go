package queue

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/blob"
)

// objects is an object store with the object "text" under each name. Its first calls return the given errors, and read part
// of what they should store.
type objects struct {
	jetstream.ObjectStore
	fails []error
	calls int
	put   string
	size  uint64    // in bytes; 0 for that of the text
	until time.Time // the time limit of the last call of Get
}

func (o *objects) next() error {
	if o.calls++; o.calls <= len(o.fails) {
		return o.fails[o.calls-1]
	}
	return nil
}

func (o *objects) GetInfo(context.Context, string, ...jetstream.GetObjectInfoOpt) (*jetstream.ObjectInfo, error) {
	return &jetstream.ObjectInfo{Size: cmp.Or(o.size, 4)}, o.next()
}

func (o *objects) Get(ctx context.Context, _ string, _ ...jetstream.GetObjectOpt) (jetstream.ObjectResult, error) {
	o.until, _ = ctx.Deadline()
	return &object{Reader: strings.NewReader("text")}, nil
}

func (o *objects) GetString(context.Context, string, ...jetstream.GetObjectOpt) (string, error) {
	return "mark\n", o.next()
}

func (o *objects) Put(_ context.Context, _ jetstream.ObjectMeta, r io.Reader) (*jetstream.ObjectInfo, error) {
	err := o.next()
	if err != nil {
		r = io.LimitReader(r, 2)
	}
	data, rerr := io.ReadAll(r)
	o.put = string(data)
	return nil, errors.Join(err, rerr)
}

func (o *objects) Delete(context.Context, string) error { return o.next() }

// object is an open object.
type object struct {
	jetstream.ObjectResult
	io.Reader
}

func (o *object) Read(p []byte) (int, error) { return o.Reader.Read(p) }
func (o *object) Close() error               { return nil }

// TestObjectStoreErrors checks which errors of the object store are repeated, and what becomes of them.
func TestObjectStoreErrors(t *testing.T) {
	d, none, other := blob.DigestOf([]byte("text")), jetstream.ErrObjectNotFound, errors.New("another error")
	lost := []error{
		nats.ErrNoResponders, jetstream.ErrNoStreamResponse, &jetstream.APIError{Code: 503}, nats.ErrDisconnected, nats.ErrTimeout,
		nats.ErrReconnectBufExceeded, nats.ErrNoServers,
	}
	kinds := len(lost)
	for len(lost) < 1000 { // more than there are pauses in the time limit
		lost = append(lost, context.DeadlineExceeded)
	}
	for name, call := range map[string]func(o *objectStore) (string, error){
		"has":         func(o *objectStore) (string, error) { return reports(o.Has(d, 4)) },
		"has another": func(o *objectStore) (string, error) { return reports(o.Has(d, 5)) },
		"get": func(o *objectStore) (string, error) {
			r, err := o.Get(d)
			if err != nil {
				return "", err
			}
			defer r.Close()
			data, err := io.ReadAll(r)
			return string(data), err
		},
		"put":    func(o *objectStore) (string, error) { return "", o.Put(d, 4, strings.NewReader("text")) },
		"remove": func(o *objectStore) (string, error) { return "", o.Remove(d) },
		"mark":   func(o *objectStore) (string, error) { return o.Mark() },
	} {
		want := map[string]string{"has": "true", "has another": "false", "get": "text", "mark": "mark"}[name]
		for _, tt := range []struct {
			fails []error
			calls int // 0 for more than ten
			want  string
			is    error
		}{
			{nil, 1, want, nil},
			{lost[:kinds], kinds + 1, want, nil},
			{lost, 0, "", blob.ErrAway},
			{[]error{other}, 1, "", other},
			{[]error{none}, 1, "", none},
		} {
			if name == "mark" && len(tt.fails) > 1 { // a server that starts does not repeat it
				continue
			}
			switch {
			case tt.is == none && name == "get":
				tt.is = fs.ErrNotExist
			case tt.is == none && strings.HasPrefix(name, "has"):
				tt.want, tt.is = "false", nil
			case tt.is == none && name != "put":
				tt.is = nil
			}
			synctest.Test(t, func(t *testing.T) {
				o := &objects{fails: tt.fails}
				got, err := call(&objectStore{o})
				if !errors.Is(err, tt.is) || (err == nil) != (tt.is == nil) || errors.Is(err, blob.ErrAway) != (tt.is == blob.ErrAway) {
					t.Errorf("%s after %d errors: %v; want %v", name, len(tt.fails), err, tt.is)
				}
				if err == nil && got != tt.want {
					t.Errorf("%s after %d errors: %q; want %q", name, len(tt.fails), got, tt.want)
				}
				if o.calls != tt.calls && (tt.calls > 0 || o.calls < 10) {
					t.Errorf("%s after %d errors: %d calls; want %d", name, len(tt.fails), o.calls, tt.calls)
				}
				if name == "put" && err == nil && o.put != "text" {
					t.Errorf("stored after %d errors: %q", len(tt.fails), o.put)
				}
			})
		}
	}
}

func reports(is bool, err error) (string, error) {
	if is {
		return "true", err
	}
	return "false", err
}

// slowObjects is an object store in which no request ends before its time limit.
type slowObjects struct {
	jetstream.ObjectStore
	calls int
}

func (o *slowObjects) Put(ctx context.Context, _ jetstream.ObjectMeta, _ io.Reader) (*jetstream.ObjectInfo, error) {
	o.calls++
	<-ctx.Done()
	return nil, ctx.Err()
}

func (o *slowObjects) Delete(ctx context.Context, _ string) error {
	_, err := o.Put(ctx, jetstream.ObjectMeta{}, nil)
	return err
}

// TestLargeBlobsHaveTime checks that the time limits of a request and of its attempts increase with the size of the blob.
func TestLargeBlobsHaveTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &slowObjects{}
		for _, tt := range []struct {
			what  string
			do    func() error
			calls int
		}{
			{"a small blob", func() error { return (&objectStore{o}).Put("x", 1<<20-1, strings.NewReader("")) }, 4},
			{"a large blob", func() error { return (&objectStore{o}).Put("x", 64<<20, strings.NewReader("")) }, 2},
			{"a removal", func() error { return (&objectStore{o}).Remove("x") }, 4},
		} {
			o.calls = 0
			if err := tt.do(); !errors.Is(err, blob.ErrAway) || o.calls != tt.calls {
				t.Errorf("%s: %d attempts, want %d; %v", tt.what, o.calls, tt.calls, err)
			}
		}
		var until [2]time.Time
		for i, size := range []uint64{1, 64 << 20} {
			o := &objects{size: size}
			r, err := (&objectStore{o}).Get("x")
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			until[i] = o.until
		}
		if !until[1].After(until[0]) {
			t.Errorf("a large blob can be read until %v, a small one until %v", until[1], until[0])
		}
	})
}

// TestOpenObjectErrors checks the errors of a blob that is being read.
func TestOpenObjectErrors(t *testing.T) {
	other := errors.New("another error")
	for reads, want := range map[error]error{
		jetstream.ErrDigestMismatch: blob.ErrDamaged, nats.ErrTimeout: context.DeadlineExceeded, other: other,
	} {
		open := true
		o := &openObject{&object{Reader: io.MultiReader(strings.NewReader("te"), iotest.ErrReader(reads))}, blob.DigestOf(nil),
			func() { open = false }}
		if got, err := io.ReadAll(o); string(got) != "te" || !errors.Is(err, want) {
			t.Errorf("%v: %q, %v", reads, got, err)
		}
		if err := o.Close(); err != nil || open {
			t.Errorf("%v: its request continues %v, %v", reads, open, err)
		}
	}
}
