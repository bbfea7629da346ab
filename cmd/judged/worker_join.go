package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// client returns the API of the server. If the address is empty, it returns nil.
func (w *workerOptions) client(address client.Address) (*client.Client, error) {
	if address.URL == "" {
		return nil, nil
	}
	return client.New(client.Options{
		Address: client.Address{URL: address.URL, Pin: address.Pin}, Version: cli.Version(),
		OnUnreachable: func(err error) { w.logger.Warn("server", "error", err) },
		Sign:          func(method, path string) (string, error) { return auth.Sign(w.seed, time.Now(), method, path) },
	})
}

// serverAddress returns the address from --join, or otherwise the stored one.
func (w *workerOptions) serverAddress() (a client.Address, err error) {
	if w.join != "" {
		return client.ParseAddress(w.join)
	}
	known, err := client.ReadLogins(w.addressFile())
	if err != nil {
		return a, err
	}
	for url, l := range known {
		return client.Address{URL: url, Pin: l.Pin}, nil
	}
	return a, &judge.UsageError{
		Err: fmt.Errorf(
			"this worker has not joined a server yet: no server is recorded in %s\n"+
				"    get an address with a code from: judged admin worker add NAME",
			w.data,
		),
	}
}

func (w *workerOptions) addressFile() string { return filepath.Join(w.data, "server.json") }

// greet greets the server with a known key. If the server does not know the key, enter joins with the code.
func (w *workerOptions) greet(
	ctx context.Context, api *client.Client, code, public string, offer job.Capabilities,
) (*client.Welcome, error) {
	welcome, err := api.ReportCapabilities(ctx, offer)
	if refused, is := errors.AsType[*client.Error](err); is && code != "" &&
		(refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden) {
		welcome, err = api.JoinWorker(ctx, client.JoinRequest{Code: code, Key: public, Capabilities: offer})
	}
	return welcome, err
}

// joinQueue connects to the queue, and stores the server's address.
func (w *workerOptions) joinQueue(ctx context.Context, a client.Address, welcome *client.Welcome) (*queue.Member, error) {
	if err := client.WriteLogins(w.addressFile(), client.Logins{a.URL: {Pin: a.Pin}}); err != nil {
		return nil, err
	}
	o := queue.JoinOptions{
		Worker: welcome.Worker, Class: welcome.Class, Seed: w.seed, URL: a.URL + queue.Path, Priorities: welcome.Priorities, Slots: w.slots,
		OnRetry: func(err error) { w.logger.Warn("queue", "error", err) },
		Sign:    func(method, path string) (string, error) { return auth.Sign(w.seed, time.Now(), method, path) },
	}
	var err error
	if o.TLS, err = client.TLS(a.Pin); err != nil {
		return nil, err
	}
	if welcome.Queue != "" {
		o.URL, o.TLS = welcome.Queue, nil
		o.Credentials = os.Getenv("ASSAY_QUEUE_CREDENTIALS")
	}
	return queue.Join(ctx, o)
}

// blobFetcher fetches blobs from the server.
type blobFetcher struct{ *client.Client }

func (b blobFetcher) Fetch(ctx context.Context, claim job.Claim, d blob.Digest, _ int64) (io.ReadCloser, error) {
	r, err := b.Client.Fetch(ctx, d, claim)
	if refused, is := errors.AsType[*client.Error](err); is && refused.Status == http.StatusNotFound {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return r, err
}
