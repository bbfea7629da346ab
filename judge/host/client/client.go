// Package client is the client side of the server's API for commands and workers, with its types. Package api is
// the server side. The package keeps no state except connections.
//
// If a server is unreachable, requests are retried for Options.RetryFor. Unless a method says otherwise, every
// request can be sent twice without harm. The final error has a Blame (judge.BlameOf): Caller for a wrong token or
// name, and Machine for a server that cannot be reached.
package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
)

// Options specify the server that a Client uses, and the account.
type Options struct {
	Address
	Token string // of an account; may be empty
	// Sign returns a worker's Authorization header for a request. The path is relative to the server's address,
	// because the server does not know the path of a proxy. If Sign is nil, requests are not signed.
	Sign func(method, path string) (string, error)
	// RetryFor is how long requests to an unreachable server are retried. Zero means 30 s; a negative value means no
	// retry.
	RetryFor time.Duration
	// Version is the version of this program, for the server's log.
	Version string
	// OnUnreachable, if not nil, is called once when the server is unreachable.
	OnUnreachable func(error)
}

// A Client sends requests to a server. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
}

// New returns a client. It sends no request yet.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("%q is not the address of a server", o.URL)}
	}
	if o.RetryFor == 0 {
		o.RetryFor = 30 * time.Second
	}
	tlsConfig, err := TLS(o.Pin)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig: tlsConfig, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: time.Minute,
		IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 8,
	}
	return &Client{o: o, base: base, http: &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// TLS returns the configuration for a server with a pinned certificate. It returns nil if there is no pin.
func TLS(pin string) (*tls.Config, error) {
	if pin == "" {
		return nil, nil
	}
	if want, err := hex.DecodeString(pin); err != nil || len(want) != sha256.Size {
		return nil, &judge.UsageError{Err: fmt.Errorf("%.80q is not the fingerprint of a certificate: 64 hexadecimal digits", pin)}
	}
	return &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection decides
		VerifyConnection: func(s tls.ConnectionState) error {
			if got := sha256.Sum256(s.PeerCertificates[0].Raw); !strings.EqualFold(hex.EncodeToString(got[:]), pin) {
				return &tls.CertificateVerificationError{
					UnverifiedCertificates: s.PeerCertificates,
					Err:                    errors.New("it has another fingerprint than the one that was given"),
				}
			}
			return nil
		},
	}, nil
}

// An Error is the response of a server that rejects a request.
type Error struct {
	Status int
	Text   string
	Hint   string // what to do; may be empty
}

// Error returns the server's message.
func (e *Error) Error() string {
	if e.Hint != "" {
		return e.Text + "\n    " + e.Hint
	}
	return e.Text
}

// Blame returns Caller if the server rejected the request, and Machine otherwise.
func (e *Error) Blame() judge.Blame {
	if e.Status >= 400 && e.Status < 500 {
		return judge.Caller
	}
	return judge.Machine
}

// withoutRetry returns a client that does not retry.
func (c *Client) withoutRetry() *Client {
	once := *c
	once.o.RetryFor = -1
	return &once
}

// maxResponse is the maximum size of a response, except for blobs and streams.
const maxResponse = 64 << 20

// call sends a request with a JSON body and decodes a JSON response. Both in and out may be nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("ask the server: %w", err)
		}
	}
	return c.retry(ctx, func() error {
		answer, err := c.send(ctx, method, path, bytes.NewReader(body), int64(len(body)))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse))
		if err != nil {
			return &unreachableError{plainError(err)}
		}
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(data, out); err != nil {
			return fmt.Errorf("%s sent an unexpected answer to %s: is it an Assay server?", c.base, path)
		}
		return nil
	})
}

// An unreachableError means that the server is unreachable, or cannot respond now.
type unreachableError struct{ error }

func (e *unreachableError) Unwrap() error { return e.error }

var errNoResponse = errors.New("no answer came in time")

// plainError describes a connection failure without Go's terms.
func plainError(err error) error {
	if late, is := errors.AsType[net.Error](err); is && late.Timeout() {
		return errNoResponse
	}
	for _, broke := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, broke) {
			return errors.New("the connection broke")
		}
	}
	return err
}

// retry calls do until it succeeds, fails permanently, or Options.RetryFor has passed.
func (c *Client) retry(ctx context.Context, attempt func() error) error {
	var waited time.Duration
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		began := time.Now()
		err := attempt()
		away, isAway := errors.AsType[*unreachableError](err)
		if !isAway {
			return err
		}
		if waited > 0 && errors.Is(err, errNoResponse) {
			waited += time.Since(began)
		}
		if waited >= c.o.RetryFor || ctx.Err() != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if said, ok := errors.AsType[*Error](err); ok {
				return said
			}
			return fmt.Errorf("%s cannot be reached: %w", c.base, away.error)
		}
		if c.o.OnUnreachable != nil && waited == 0 {
			c.o.OnUnreachable(fmt.Errorf("%s does not answer, trying again: %w", c.base, away.error))
		}
		jittered := pause/2 + rand.N(pause)
		if full, ok := errors.AsType[*Error](err); ok && full.Status == http.StatusServiceUnavailable {
			jittered += time.Second
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(jittered):
		}
		waited += jittered
	}
}

// send sends one request with additional headers, given as names and values. The response has a status from 200 to
// 299. The caller must close its body.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader, size int64, headers ...string) (*http.Response, error) {
	if size == 0 { // explicit, because length 0 with a body means an unknown length
		body = http.NoBody
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	r.ContentLength = size
	r.Header.Set("User-Agent", "assay/"+c.o.Version)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	switch {
	case c.o.Token != "":
		r.Header.Set("Authorization", "Bearer "+c.o.Token)
	case c.o.Sign != nil:
		text, err := c.o.Sign(method, strings.TrimPrefix(r.URL.Path, c.base.Path)) // a proxy may remove the path of the base
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", text)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		if _, pinned := errors.AsType[*tls.CertificateVerificationError](err); pinned {
			return nil, &judge.UsageError{
				Err: fmt.Errorf("%s has a certificate that is not trusted here: %w\n"+
					"    if the server made it itself, use the whole address that it printed, with the fingerprint", c.base, err),
			}
		}
		if errors.Is(err, http.ErrSchemeMismatch) {
			return nil, &judge.UsageError{
				Err: fmt.Errorf("%s answers only by http\n"+
					"    use the whole address that the server printed when it started, which begins with http://", c.base),
			}
		}
		return nil, &unreachableError{plainError(err)}
	}
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20)) // if the body is missing, the status says enough
	var response errorResponse
	refused := &Error{Status: answer.StatusCode}
	if json.Unmarshal(data, &response) == nil && response.Text != "" {
		refused.Text, refused.Hint = response.Text, response.Hint
	} else if strings.Contains(string(data), "HTTP request to an HTTPS server") { // Go's text
		refused.Text, refused.Hint = fmt.Sprintf("%s answers only by https", c.base),
			"use the whole address that the server printed when it started: https://..."
	} else {
		refused.Text = fmt.Sprintf("%s answers %s: is it an Assay server?", c.base,
			strconv.Itoa(answer.StatusCode)+" "+http.StatusText(answer.StatusCode))
	}
	switch answer.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		return nil, &unreachableError{refused}
	}
	return nil, refused
}

// maxLine is the maximum length of a line in a stream.
const maxLine = 64 << 20

// stream reads a stream of JSON lines. It calls take with each line, and take reports whether the line is new.
// When the connection breaks, stream requests the remaining lines at the address that path then returns. After a
// new line, the RetryFor period begins again. If take returns errStreamEnded, the line was the last one.
func stream[L any](ctx context.Context, c *Client, path func() string, handle func(*L) (progressed bool, err error)) error {
	read := func() (progressed bool, err error) {
		answer, err := c.send(ctx, http.MethodGet, path(), nil, 0)
		if err != nil {
			return false, err
		}
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			l := new(L)
			if err := json.Unmarshal(lines.Bytes(), l); err != nil {
				return progressed, &unreachableError{errors.New("the connection broke in the middle of a line")}
			}
			is, err := handle(l)
			if progressed = progressed || is; err != nil {
				return progressed, err
			}
		}
		if err := lines.Err(); err != nil {
			return progressed, &unreachableError{plainError(err)}
		}
		return progressed, &unreachableError{errors.New("the connection ended too soon")}
	}
	for {
		err := c.retry(ctx, func() error {
			progressed, err := read()
			if _, away := errors.AsType[*unreachableError](err); away && progressed {
				return nil
			}
			return err
		})
		switch {
		case err == errStreamEnded:
			return nil
		case err != nil:
			return err
		}
	}
}

// errStreamEnded ends a stream.
var errStreamEnded = errors.New("the stream has ended")

// Server returns the public information about the server.
func (c *Client) Server(ctx context.Context) (s *Server, err error) {
	err = c.call(ctx, http.MethodGet, ServerPath, nil, &s)
	return s, err
}

// Account returns the account of the token.
func (c *Client) Account(ctx context.Context) (a *Account, err error) {
	err = c.call(ctx, http.MethodGet, AccountPath, nil, &a)
	return a, err
}

// Problems returns the problems of the server.
func (c *Client) Problems(ctx context.Context) (problems []Problem, err error) {
	err = c.call(ctx, http.MethodGet, ProblemsPath, nil, &problems)
	return problems, err
}

// Queues returns how much work is pending.
func (c *Client) Queues(ctx context.Context) (queues []QueueState, err error) {
	err = c.call(ctx, http.MethodGet, QueuePath, nil, &queues)
	return queues, err
}

// Fetch opens a blob of the server for a worker. The caller must check its bytes.
func (c *Client) Fetch(ctx context.Context, d blob.Digest, claim job.Claim) (r io.ReadCloser, err error) {
	err = c.retry(ctx, func() error {
		answer, err := c.send(ctx, http.MethodGet, BlobPath+string(d), nil, 0, ClaimHeader, claim.String())
		if err == nil {
			r = answer.Body
		}
		return err
	})
	return r, err
}

// A Source is a blob that the client can upload.
type Source struct {
	Blob
	Open func() (io.ReadCloser, error)
}

// maxUploads is the number of blobs that are sent at once. Each blob waits for the network and the server's disk.
const maxUploads = 8

// Upload uploads the blobs that the server lacks, several at once, and returns their number.
func (c *Client) Upload(ctx context.Context, blobs []Source) (sent int, err error) {
	sources := map[blob.Digest]*Source{}
	var ask []Blob
	for i, s := range blobs {
		if sources[s.Digest] == nil {
			sources[s.Digest] = &blobs[i]
			ask = append(ask, s.Blob)
		}
	}
	for some := range slices.Chunk(ask, MaxBlobs) {
		var missing Blobs
		if err := c.call(ctx, http.MethodPost, MissingPath, Blobs{some}, &missing); err != nil {
			return sent, err
		}
		var arrived atomic.Int64
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(maxUploads)
		for _, b := range missing.Blobs {
			s := sources[b.Digest]
			group.Go(func() error {
				if s == nil {
					return fmt.Errorf("%s asks for a blob that was not offered", c.base)
				}
				err := c.uploadBlob(ctx, s)
				if err == nil {
					arrived.Add(1)
				}
				return err
			})
		}
		err := group.Wait()
		if sent += int(arrived.Load()); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

func (c *Client) uploadBlob(ctx context.Context, s *Source) error {
	return c.retry(ctx, func() error {
		r, err := s.Open()
		if err != nil {
			return err
		}
		defer r.Close()
		answer, err := c.send(ctx, http.MethodPut, BlobPath+string(s.Digest), io.NopCloser(r), s.Size)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	})
}

// BytesSource returns a blob in memory.
func BytesSource(data []byte) Source {
	return Source{
		Blob: Blob{Digest: blob.DigestOf(data), Size: int64(len(data))},
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// FileSource returns a blob that is a file.
func FileSource(path string) (Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return Source{}, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return Source{}, err
	}
	return Source{
		Blob: Blob{Digest: blob.Digest(hex.EncodeToString(sum.Sum(nil))), Size: size},
		Open: func() (io.ReadCloser, error) { return os.Open(path) },
	}, nil
}
