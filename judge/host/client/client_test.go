package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/freeport"
)

// server returns a client of a test server that responds with answer.
func server(t *testing.T, patience time.Duration, answer http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return to(t, client.Options{Address: client.Address{URL: s.URL}, RetryFor: patience})
}

func to(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const full = `{"error":"too many submissions are waiting","hint":"try again later"}`

// TestPatience checks that a request is repeated if the server cannot respond, and that this is reported once.
func TestPatience(t *testing.T) {
	var asked atomic.Int32
	c := server(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, full, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"username":"ann","scopes":["submit"]}`)
	})
	me, err := c.Account(t.Context())
	if err != nil || me.Login != "ann" || asked.Load() != 2 {
		t.Errorf("got %+v, %v after %d requests", me, err, asked.Load())
	}
}

// TestWhoseFault checks that an error contains the server's message and blames the correct party.
func TestWhoseFault(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		says   string
		whose  judge.Blame
	}{
		"refused":       {403, `{"error":"no","hint":"do this"}`, "no\n    do this", judge.Caller},
		"broken":        {500, `{"error":"its log says why"}`, "its log says why", judge.Machine},
		"full":          {503, full, "too many submissions are waiting\n    try again later", judge.Machine},
		"no judge":      {404, "<html>", "is it an Assay server?", judge.Caller},
		"other answers": {200, "<html>", "is it an Assay server?", judge.Machine},
	} {
		t.Run(name, func(t *testing.T) {
			api := server(t, -1, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := api.Account(t.Context())
			if err == nil || !strings.HasSuffix(err.Error(), c.says) || judge.BlameOf(err) != c.whose {
				t.Errorf("got %v, whose fault is %v", err, judge.BlameOf(err))
			}
		})
	}
}

// TestAway checks that waiting for an unreachable server ends with the context, and after RetryFor.
func TestAway(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c := to(t, client.Options{Address: client.Address{URL: gone.URL}, RetryFor: -1})
	if _, err := c.Server(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be reached") ||
		judge.BlameOf(err) != judge.Machine {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := to(t, client.Options{Address: client.Address{URL: gone.URL}, RetryFor: time.Hour}).Server(ctx); err == nil ||
		time.Since(began) > 2*time.Minute {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
}

// TestPinned checks that a server with another certificate is rejected immediately, because a retry would get the
// same certificate.
func TestPinned(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	waited := false
	c := to(t, client.Options{Address: client.Address{URL: s.URL, Pin: strings.Repeat("0", 64)}, OnUnreachable: func(error) { waited = true }})
	if _, err := c.Server(t.Context()); err == nil || !strings.Contains(err.Error(), "another fingerprint") ||
		judge.BlameOf(err) != judge.Caller || waited {
		t.Errorf("got %v, waited %v", err, waited)
	}
}

// TestPlainToEncrypted checks the message for an address that lacks the s in https.
func TestPlainToEncrypted(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := to(t, client.Options{Address: client.Address{URL: strings.Replace(s.URL, "https", "http", 1)}})
	if _, err := c.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "answers only by https") ||
		judge.BlameOf(err) != judge.Caller {
		t.Errorf("got %v", err)
	}
}

// TestEncryptedToPlain checks the message for an https address of an HTTP server.
func TestEncryptedToPlain(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c := to(t, client.Options{Address: client.Address{URL: strings.Replace(s.URL, "http", "https", 1)}})
	if _, err := c.Account(t.Context()); err == nil || !strings.Contains(err.Error(), "answers only by http\n") ||
		judge.BlameOf(err) != judge.Caller {
		t.Errorf("got %v", err)
	}
}

// TestFollowGoesOn breaks a stream in the middle of a line. It checks that each event is delivered once.
func TestFollowGoesOn(t *testing.T) {
	event := func(n int) string {
		line, err := judge.EncodeEvent(&judge.Started{Problem: fmt.Sprint(n)})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"event":%s}`, line)
	}
	var from []string
	c := server(t, 0, func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.FormValue("from"))
		if len(from) == 1 {
			fmt.Fprintf(w, "%s\n{}\n%s\n%s", event(0), event(1), event(2)[:5])
			return
		}
		fmt.Fprintf(w, "%s\n{\"end\":{\"id\":\"x\",\"state\":\"done\"}}\n", event(2))
	})
	var told []string
	end, err := c.FollowSubmission(t.Context(), "x", func(e judge.Event) { told = append(told, e.(*judge.Started).Problem) })
	if err != nil || end.State != "done" || strings.Join(told, " ") != "0 1 2" || strings.Join(from, " ") != "0 2" {
		t.Errorf("got %+v, %v, told %v, asked from %v", end, err, told, from)
	}
}

// TestUploadGoesOn breaks an upload twice. It checks that the upload is repeated, and that the server then has
// each complete blob once.
func TestUploadGoesOn(t *testing.T) {
	var mu sync.Mutex
	kept := map[string]string{}
	cuts := 2
	c := server(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == client.MissingPath {
			_, _ = io.Copy(w, r.Body) // everything
			return
		}
		mu.Lock()
		defer mu.Unlock()
		digest := strings.TrimPrefix(r.URL.Path, client.BlobPath)
		if _, twice := kept[digest]; twice {
			t.Errorf("the blob %s comes again, and was there", digest)
		}
		if r.ContentLength > 1<<20 && cuts > 0 {
			cuts--
			_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
			panic(http.ErrAbortHandler) // the connection breaks
		}
		data, err := io.ReadAll(r.Body)
		if err != nil || int64(len(data)) != r.ContentLength {
			t.Errorf("the server reads %d bytes of %d, %v", len(data), r.ContentLength, err)
		}
		kept[digest] = string(data)
	})
	small, large := "a", strings.Repeat("0123456789abcdef", 1<<17)
	sent, err := c.Upload(t.Context(), []client.Source{client.BytesSource([]byte(small)), client.BytesSource([]byte(large)),
		client.BytesSource(nil), client.BytesSource([]byte(small))})
	if err != nil || sent != 3 || cuts != 0 {
		t.Errorf("%d blobs were sent, %v; %d cuts are left", sent, err, cuts)
	}
	for _, text := range []string{small, large, ""} {
		if got, there := kept[string(blob.DigestOf([]byte(text)))]; got != text || !there {
			t.Errorf("the server has %d bytes of %d, %v", len(got), len(text), there)
		}
	}
}

// TestUploadOfMany checks that several blobs are sent at once, so that publishing does not wait for the network
// and the server's disk for each blob. It also checks that a rejected blob ends the upload.
func TestUploadOfMany(t *testing.T) {
	var mu sync.Mutex
	here, most, crowd := 0, 0, make(chan struct{})
	kept := map[string]bool{}
	refused := string(blob.DigestOf([]byte("99")))
	c := server(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == client.MissingPath {
			all, _ := io.ReadAll(r.Body)
			_, _ = w.Write(all)
			return
		}
		digest := strings.TrimPrefix(r.URL.Path, client.BlobPath)
		if digest == refused {
			http.Error(w, `{"error":"no more of it"}`, http.StatusConflict)
			return
		}
		mu.Lock()
		here++
		if most = max(most, here); here == client.Uploads && most == here && len(kept) == 0 {
			time.AfterFunc(50*time.Millisecond, func() { close(crowd) }) // time for one more upload to arrive
		}
		mu.Unlock()
		select {
		case <-crowd:
		case <-time.After(3 * time.Minute):
			t.Error("the blobs come one after the other")
		}
		mu.Lock()
		defer mu.Unlock()
		here--
		kept[digest] = true
	})
	var all []client.Source
	for i := range 99 {
		all = append(all, client.BytesSource([]byte(strconv.Itoa(i))))
	}
	if sent, err := c.Upload(t.Context(), all); err != nil || sent != len(all) || len(kept) != len(all) || most != client.Uploads {
		t.Errorf("%d blobs were sent, %v; the server has %d, and had %d at once", sent, err, len(kept), most)
	}
	sent, err := c.Upload(t.Context(), append(all, client.BytesSource([]byte("99"))))
	if err == nil || !strings.Contains(err.Error(), "no more of it") || sent > len(all) {
		t.Errorf("%d blobs were sent, %v", sent, err)
	}
}

// TestUploadIsAway checks that an upload that never succeeds returns a single-sentence error.
func TestUploadIsAway(t *testing.T) {
	c := server(t, -1, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == client.MissingPath {
			_, _ = io.Copy(w, r.Body)
			return
		}
		panic(http.ErrAbortHandler)
	})
	sent, err := c.Upload(t.Context(), []client.Source{client.BytesSource([]byte("a"))})
	oneSentence(t, err, "cannot be reached: the connection broke")
	if sent != 0 || judge.BlameOf(err) != judge.Machine {
		t.Errorf("%d blobs were sent, and it is the fault of %v", sent, judge.BlameOf(err))
	}
}

// oneSentence checks that an error consists of the server's address and the given message, without Go's terms.
func oneSentence(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !regexp.MustCompile(`^http://127\.0\.0\.1:\d+ `+says+`$`).MatchString(err.Error()) {
		t.Errorf("got: %v", err)
	}
}

// TestSlowServer checks that the client waits for a response that arrives slowly. If no response arrives, the
// client stops after a while and reports this.
func TestSlowServer(t *testing.T) {
	slowly := server(t, -1, func(w http.ResponseWriter, _ *http.Request) {
		for _, b := range []byte(`{"username":"ann","scopes":["submit"]}`) {
			_, _ = w.Write([]byte{b})
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	if me, err := slowly.Account(t.Context()); err != nil || me.Login != "ann" {
		t.Errorf("got %+v, %v", me, err)
	}
	never := server(t, -1, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	never.Hasten(50 * time.Millisecond)
	_, err := never.Account(t.Context())
	oneSentence(t, err, "cannot be reached: no answer came in time")
	var asked atomic.Int32
	mute := server(t, 200*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { asked.Add(1); <-r.Context().Done() })
	mute.Hasten(200 * time.Millisecond)
	_, err = mute.Account(t.Context())
	oneSentence(t, err, "cannot be reached: no answer came in time")
	if asked.Load() != 2 {
		t.Errorf("a server that says nothing is asked %d times", asked.Load())
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	never.Hasten(time.Minute)
	if _, err := never.Account(ctx); err == nil || err.Error() != "enough" {
		t.Errorf("who ends the waiting is told %v", err)
	}
	half := server(t, -1, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"username":`)
	})
	_, err = half.Account(t.Context())
	oneSentence(t, err, "cannot be reached: the connection broke")
}

// TestServerComesBack checks that a client continues when the server restarts on its address, and that the outage
// is reported once.
func TestServerComesBack(t *testing.T) {
	address := freeport.Address(t)
	var told []error
	back := make(chan *http.Server)
	c := to(t, client.Options{Address: client.Address{URL: "http://" + address}, OnUnreachable: func(err error) {
		told = append(told, err)
		go func() {
			time.Sleep(time.Second) // after some more attempts
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Error(err)
			}
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"username":"ann"}`) })}
			go func() { _ = s.Serve(l) }()
			back <- s
		}()
	}})
	me, err := c.Account(t.Context())
	defer (<-back).Close()
	if err != nil || me.Login != "ann" || len(told) != 1 {
		t.Fatalf("got %+v, %v, was told %v", me, err, told)
	}
	oneSentence(t, told[0], "does not answer, trying again: dial tcp .*: connect: connection refused")
}

// TestSignedBelowAPath checks that a worker that connects through a proxy signs the path that the server receives.
// The path of the proxy must not be part of it.
func TestSignedBelowAPath(t *testing.T) {
	for base, want := range map[string]string{"": "/v1/account", "/judge": "/v1/account", "/v1": "/v1/account"} {
		var asked string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.Path
			fmt.Fprint(w, `{"username":"ann","scopes":[]}`)
		}))
		t.Cleanup(s.Close)
		var signed string
		c := to(t, client.Options{Address: client.Address{URL: s.URL + base}, Sign: func(_, path string) (string, error) {
			signed = path
			return "signed", nil
		}})
		if _, err := c.Account(t.Context()); err != nil || signed != want || asked != base+want {
			t.Errorf("below %q: signs %q and asks for %q, %v", base, signed, asked, err)
		}
	}
}
