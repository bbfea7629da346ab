package shadow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"assay/judge/host/store"
)

// The limits for data from a primary.
const (
	maxLine         = 8 << 20  // bytes of a line of an event feed, and of a JSON response
	maxFile         = 64 << 20 // total size of a submission's files in bytes
	maxSecret       = 256
	responseTimeout = 30 * time.Second // for the response headers
	fileTimeout     = 2 * time.Minute  // for downloading a submission's files
)

// MaxSilence is how long a primary may be silent.
const MaxSilence = 120 * time.Second

// A Primary is a client for the Contest API of another judging system.
type Primary struct {
	contest         *url.URL // URL of the contest
	base            *url.URL // base of relative references
	login, password string
	http            *http.Client
}

// A StatusError is an error response of a primary.
type StatusError struct {
	Code int
	Text string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the primary answers %d %s: %s", e.Code, http.StatusText(e.Code), e.Text)
}

// A secretError is a fault of the file with the password.
type secretError struct{ error }

// NewPrimary returns a client for a source. It sends no request yet.
func NewPrimary(s *store.ExternalSource) (*Primary, error) {
	u, err := url.Parse(s.URL)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = errors.New("it must begin with https:// or http://")
	}
	if err != nil {
		return nil, fmt.Errorf("the address of the primary %.200q: %w", s.URL, err)
	}
	index := strings.LastIndex(u.Path, "/contests/")
	if index < 0 || strings.Contains(strings.Trim(u.Path[index+len("/contests/"):], "/"), "/") {
		return nil, fmt.Errorf(
			"the address of the primary %.200q does not end in /contests/ID: give that of a contest in its Contest API",
			s.URL,
		)
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	u.Path = strings.TrimRight(u.Path, "/")
	p := &Primary{contest: u, base: u.ResolveReference(&url.URL{Path: u.Path[:index+1]}), login: s.Login}
	if s.SecretFile != "" {
		if p.password, err = readPassword(s.SecretFile); err != nil {
			return nil, secretError{fmt.Errorf("read the password of the primary: %w", err)}
		}
	}
	origin := u.Scheme + "://" + u.Host
	p.http = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: responseTimeout, MaxConnsPerHost: 16,
			IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 5 || r.URL.Scheme+"://"+r.URL.Host != origin {
				return errors.New("the primary sends its clients to another server")
			}
			return nil
		},
	}
	return p, nil
}

// readPassword reads the password of a primary.
func readPassword(file string) (string, error) {
	if !filepath.IsAbs(file) {
		return "", fmt.Errorf("%.200q is not an absolute path", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	text := strings.TrimRight(string(data), "\r\n")
	if err == nil && (len(text) > maxSecret || strings.ContainsAny(text, "\r\n") || !utf8.ValidString(text)) {
		err = fmt.Errorf("%s must contain only the password, on one line", file)
	}
	return text, err
}

// get requests an address. The caller must close the body.
func (p *Primary) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if p.login != "" {
		r.SetBasicAuth(p.login, p.password)
	}
	answer, err := p.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask the primary: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 300)) // detail for the error; the status is sufficient
		return nil, &StatusError{answer.StatusCode, strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")}
	}
	return answer, nil
}

// read requests an address and returns the whole response body.
func (p *Primary) read(ctx context.Context, u *url.URL, maxBytes int64, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := p.get(ctx, u)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read an answer of the primary: %w", err)
	}
	if int64(len(data)) > maxBytes {
		return nil, &StatusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the answer has more than %d MiB", maxBytes>>20)}
	}
	return data, nil
}

// resolve returns an address relative to the contest.
func (p *Primary) resolve(name string) *url.URL {
	u := *p.contest
	if name != "" {
		u.Path += "/" + name
	}
	return &u
}

// Contest returns the contest object of the primary.
func (p *Primary) Contest(ctx context.Context) (json.RawMessage, error) {
	data, err := p.read(ctx, p.resolve(""), maxLine, responseTimeout)
	if err == nil && !json.Valid(data) {
		err = errors.New("the primary does not answer with a contest: the address must be that of a contest in its Contest API")
	}
	return data, err
}

// fetchFile returns the file at an href. It sends the password only to the primary itself.
func (p *Primary) fetchFile(ctx context.Context, href string) ([]byte, error) {
	ref, err := url.Parse(href)
	if err != nil {
		return nil, &StatusError{http.StatusBadRequest, "the address of the files cannot be read"}
	}
	u := p.base.ResolveReference(ref)
	if u.Scheme != p.base.Scheme || u.Host != p.base.Host {
		return nil, &StatusError{http.StatusForbidden, "the files are on another server: " + u.Host}
	}
	return p.read(ctx, u, maxFile, fileTimeout)
}

// openFeed opens the event feed after the line that the query since identifies.
func (p *Primary) openFeed(ctx context.Context, since string) (io.ReadCloser, error) {
	u := p.resolve("event-feed")
	u.RawQuery = since
	answer, err := p.get(ctx, u)
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// storedTypes lists the types of objects that are stored.
var storedTypes = map[string]bool{
	"contest": true, "state": true, "judgement-types": true, "languages": true, "problems": true, "groups": true, "organizations": true,
	"teams": true, "submissions": true, "judgements": true, "awards": true,
}

// A feedLine is a line of an event feed.
type feedLine struct {
	typ     string
	objects []store.ExternalObject
	all     bool   // contains all objects of the type
	since   string // queryString parameter to resume after the line; empty without a token
}

// parseLine parses a line of an event feed. It supports versions with tokens, and earlier versions, in which each
// feedLine has an id and an operation.
func parseLine(data []byte) (l feedLine, err error) {
	var sent struct {
		Type  string          `json:"type"`
		ID    json.RawMessage `json:"id"`
		Op    string          `json:"op"`
		Data  json.RawMessage `json:"data"`
		Token json.RawMessage `json:"token"`
	}
	if err := json.Unmarshal(data, &sent); err != nil {
		return l, fmt.Errorf("a line is not JSON: %w", err)
	}
	l.typ = sent.Type
	if l.typ == "contests" {
		l.typ = "contest"
	}
	id := plainText(sent.ID)
	if sent.Op != "" {
		l.since, id = queryString("since_id", id), ""
	} else {
		l.since = queryString("since_token", plainText(sent.Token))
	}
	single := l.typ == "contest" || l.typ == "state"
	add := func(id string, data json.RawMessage) error {
		o := store.ExternalObject{Type: l.typ, ID: id}
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		if data != nil {
			var compact bytes.Buffer
			if err := json.Unmarshal(data, &named); err != nil {
				return fmt.Errorf("an object of type %s is not a JSON object: %w", l.typ, err)
			}
			if err := json.Compact(&compact, data); err != nil {
				return err
			}
			o.Data = compact.String()
			if own := plainText(named.ID); own != "" {
				o.ID = own
			}
		}
		if single {
			o.ID = ""
		} else if o.ID == "" {
			return fmt.Errorf("an object of %s has no id", l.typ)
		}
		l.objects = append(l.objects, o)
		return nil
	}
	switch data := bytes.TrimSpace(sent.Data); {
	case !storedTypes[l.typ]:
		return l, nil
	case sent.Op == "delete":
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(data, &named); err != nil {
			return l, fmt.Errorf("a line deletes an object without an id: %w", err)
		}
		return l, add(plainText(named.ID), nil)
	case len(data) == 0 || string(data) == "null":
		return l, add(id, nil)
	case data[0] == '[':
		var all []json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return l, err
		}
		l.all = true
		for _, one := range all {
			if err := add("", one); err != nil {
				return l, err
			}
		}
		return l, nil
	default:
		return l, add(id, data)
	}
}

func queryString(name, value string) string {
	if value == "" {
		return ""
	}
	return url.Values{name: {value}}.Encode()
}

// plainText returns a JSON string or number as text. For any other value it returns an empty string.
func plainText(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(data, &number) == nil {
		return number.String()
	}
	return ""
}

// readLines reads the lines of an event feed until EOF, and calls the function each with every line. It drops an
// incomplete last line. For an empty line, which shows that the primary is alive, data is nil. Incomplete reports
// whether the feed ended within a line.
func readLines(in io.Reader, handle func(data []byte) error) (incomplete bool, err error) {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return false, fmt.Errorf("a line of the event feed has more than %d MiB", maxLine>>20)
		case err != nil: // the connection broke, so the caller opens the feed again
			return len(line) > 0, nil
		}
		data := bytes.TrimSpace(line)
		if len(data) == 0 {
			data = nil
		}
		if err := handle(data); err != nil {
			return false, err
		}
		line = line[:0]
	}
}
