package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// visitors use a fleet as users and programs do. Concurrently, they submit, read pages, and have scoreboards and
// event feeds open. Each of them connects through a load balancer.
type visitors struct {
	*fleet
	ways   []string // addresses of balancers
	feeds  []*feedReader
	boards []*boardReader

	ctx   context.Context
	leave context.CancelFunc
	all   sync.WaitGroup

	mu    sync.Mutex
	waits map[string][]time.Duration // how long what takes
	tries map[string]int             // answers that were no success, by their status
}

// What visitors wait for.
const (
	waitPage       = "a page, with all tries"
	waitSubmission = "a submission until it is confirmed"
	waitFeed       = "from the receipt of a submission to its line in a feed"
)

// newVisitors opens the given numbers of feeds and scoreboards, and starts the given number of page readers. No
// visitor submits yet.
func (f *fleet) newVisitors(feeds, boards, readers int) *visitors {
	c := &visitors{fleet: f, waits: map[string][]time.Duration{}, tries: map[string]int{}}
	c.ctx, c.leave = context.WithCancel(f.Context())
	for i := range f.servers {
		c.ways = append(c.ways, f.balance(i))
	}
	f.Cleanup(func() { c.leave(); c.all.Wait() })
	way := func(i int) string { return c.ways[i%len(c.ways)] }
	for i := range feeds {
		r := &feedReader{visitors: c, way: way(i), objects: map[string]any{}}
		c.feeds = append(c.feeds, r)
		c.all.Go(r.read)
	}
	for i := range boards {
		r := &boardReader{visitors: c, http: newConnections(), way: way(i)}
		c.boards = append(c.boards, r)
		c.all.Go(r.read)
	}
	for i := range readers {
		c.all.Go(func() { c.readPages(way(i)) })
	}
	return c
}

// balance forwards connections to the server with the index first or, if that server does not accept them, to the
// next one. It imitates a load balancer that sends each client to the same server.
func (f *fleet) balance(first int) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(f, err)
	f.Cleanup(func() { l.Close() })
	carry := func(in net.Conn) {
		defer in.Close()
		for i := range f.servers {
			out, err := net.Dial("tcp", f.servers[(first+i)%len(f.servers)].part.Listen)
			if err != nil {
				continue
			}
			defer out.Close()
			go func() {
				_, _ = io.Copy(out, in)
				out.Close()
			}()
			_, _ = io.Copy(in, out)
			return
		}
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go carry(in)
		}
	}()
	return l.Addr().String()
}

// newConnections returns a client that shares no connection.
func newConnections() *http.Client { return &http.Client{Transport: &http.Transport{}} }

func (c *visitors) note(kind string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits[kind] = append(c.waits[kind], d)
}

func (c *visitors) noteTry(status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries[status]++
}

// rest waits for a random time from least to most. It returns false if the visitors leave before that.
func (c *visitors) rest(least, most time.Duration) bool {
	select {
	case <-c.ctx.Done():
		return false
	case <-time.After(least + rand.N(most-least)):
		return true
	}
}

// open sends a GET request. It returns nil unless the response is successful.
func (c *visitors) open(by *http.Client, way, path string, headers ...string) *http.Response {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet, "http://"+way+path, nil)
	if err != nil {
		c.Error(err)
		return nil
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	r, err := by.Do(request)
	if err != nil {
		if c.ctx.Err() == nil {
			c.noteTry("no answer")
		}
		return nil
	}
	if r.StatusCode != http.StatusOK {
		c.noteTry(r.Status)
		text, _ := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		r.Body.Close()
		if r.StatusCode != http.StatusServiceUnavailable { // after which everyone tries again
			c.Errorf("GET %s: %s\n%s", path, r.Status, text)
		}
		return nil
	}
	return r
}

// page reads a page, and retries until it succeeds. It returns an empty text if the visitors have left.
func (c *visitors) page(by *http.Client, way, path string) string {
	for began := time.Now(); ; {
		if r := c.open(by, way, path); r != nil {
			data, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err == nil {
				c.note(waitPage, time.Since(began))
				return string(data)
			}
		}
		if time.Since(began) > hangs {
			c.Errorf("after %v there is no page %s", hangs, path)
			return ""
		}
		if !c.rest(50*time.Millisecond, 150*time.Millisecond) {
			return ""
		}
	}
}

func (c *visitors) readPages(way string) {
	for by := newConnections(); c.rest(200*time.Millisecond, 400*time.Millisecond); {
		for _, path := range []string{"/", "/c/now", boardPath, "/api/2026-01/contests/now/scoreboard", "/api/2026-01/contests/now/submissions"} {
			c.page(by, way, path)
		}
	}
}

// submitEach submits n programs from each account, with pauses, until the visitors leave.
func (c *visitors) submitEach(n int, pause time.Duration) *sync.WaitGroup {
	all := &sync.WaitGroup{}
	for i, token := range c.servers[0].tokens {
		h := c.servers[i%len(c.servers)]
		api := h.clientAt(c.ways[i%len(c.ways)], token, hangs)
		all.Go(func() {
			for k := range n {
				if !c.rest(pause/2, pause*3/2) {
					return
				}
				began := time.Now()
				h.submitTo(api, c.problems[(i+k)%len(c.problems)], fmt.Sprint("s", i))
				c.note(waitSubmission, time.Since(began))
			}
		})
	}
	return all
}

// report logs the waits.
func (c *visitors) report() {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kind := range []string{waitPage, waitSubmission, waitFeed} {
		all := c.waits[kind]
		if slices.Sort(all); len(all) > 0 {
			at := func(share float64) time.Duration {
				return all[int(share*float64(len(all)-1))].Round(time.Millisecond / 10)
			}
			c.Logf("%s: %d, median %v, p99 %v, longest %v", kind, len(all), at(0.5), at(0.99), at(1))
		}
	}
	c.Logf("answers that were no success: %v", c.tries)
}

// agree waits until all open scoreboards and feeds show the same data as the servers.
func (c *visitors) agree(verdicts int) {
	c.Helper()
	c.fleet.agree(verdicts)
	h := c.servers[0]
	want := parseBoard(h.get(boardPath))
	for i, r := range c.boards {
		for end := time.Now().Add(hangs); r.state() != want.state(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				c.Fatalf("scoreboard %d is not that of the servers:\n%s\nwant\n%s", i, r.state(), want.state())
			}
		}
	}
	for _, typ := range []string{"problems", "teams", "submissions", "judgements", "runs"} {
		var rest []map[string]any
		must(c, json.Unmarshal([]byte(h.get("/api/2026-01/contests/now/"+typ)), &rest))
		objects := map[string]any{}
		for _, one := range rest {
			objects[fmt.Sprint(typ, " ", one["id"])] = one
		}
		for i, r := range c.feeds {
			h.wait(fmt.Sprintf("feed %d has the %s of the servers", i, typ), func() bool {
				return len(missing("", objects, r.of(typ))) == 0 && len(objects) == len(r.of(typ))
			})
		}
	}
}

// A feedReader follows an event feed. When its connection is lost, it continues from the last event that it
// received.
type feedReader struct {
	*visitors
	way string

	token   string
	mu      sync.Mutex
	objects map[string]any // by type and id
}

func (r *feedReader) read() {
	for by := newConnections(); r.rest(200*time.Millisecond, 400*time.Millisecond); {
		path := feedPath
		if r.token != "" {
			path += "?since_token=" + r.token
		}
		if answer := r.open(by, r.way, path); answer != nil {
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				r.take(lines.Bytes())
			}
			answer.Body.Close()
		}
	}
}

func (r *feedReader) take(text []byte) {
	var l struct {
		Type, Token string
		ID          *string
		Data        map[string]any
	}
	if len(text) == 0 || json.Unmarshal(text, &l) != nil { // the connection may break within a line
		return
	}
	r.token = l.Token
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.ID == nil {
		return
	}
	key := l.Type + " " + *l.ID
	if _, known := r.objects[key]; !known && l.Type == "submissions" {
		if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(l.Data["time"])); err == nil {
			r.note(waitFeed, time.Since(at))
		}
	}
	if r.objects[key] = l.Data; l.Data == nil {
		delete(r.objects, key)
	}
}

// of returns the objects of a type.
func (r *feedReader) of(typ string) map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]any{}
	for key, one := range r.objects {
		if strings.HasPrefix(key, typ+" ") {
			all[key] = one
		}
	}
	return all
}

// A boardReader keeps a scoreboard up to date, as the script of the page does.
type boardReader struct {
	*visitors
	http *http.Client
	way  string

	mu sync.Mutex
	scoreboard
}

// A scoreboard is what a page shows of it.
type scoreboard struct {
	version int64
	rows    []scoreboardRow
	sums    string
}

type scoreboardRow struct{ id, html string }

var (
	versionOfBoard = regexp.MustCompile(`data-version="(\d+)"`)
	rowsOfBoard    = regexp.MustCompile(`(?s)<tr id="t-([^"]*)".*?</tr>`)
	sumsOfBoard    = regexp.MustCompile(`(?s)<tr id="sums".*?</tr>`)
	// The script computes ranks from the order.
	rankOfRow = regexp.MustCompile(`^(<tr[^>]*>)<td>[^<]*`)
)

func newRow(id, html string) scoreboardRow {
	return scoreboardRow{id, rankOfRow.ReplaceAllString(strings.TrimSpace(html), "$1")}
}

func parseBoard(page string) (b scoreboard) {
	if m := versionOfBoard.FindStringSubmatch(page); m != nil {
		_, _ = fmt.Sscan(m[1], &b.version) // it has only digits
	}
	for _, m := range rowsOfBoard.FindAllStringSubmatch(page, -1) {
		b.rows = append(b.rows, newRow(m[1], m[0]))
	}
	b.sums = sumsOfBoard.FindString(page)
	return b
}

// state returns the scoreboard without its version, because each server counts versions separately.
func (b *scoreboard) state() string { return fmt.Sprint(b.rows, b.sums) }

// A boardPatch changes a scoreboard.
type boardPatch struct {
	From, To int64
	All      bool
	Gone     []string
	Rows     []boardPatchRow
	Sums     string
}

type boardPatchRow struct {
	ID, HTML string
	At       int
}

// has reports whether the scoreboard has this version or a later one of the same server.
func (b *scoreboard) has(version int64) bool { return b.version >= version && b.version < version+64 }

// apply reports whether the page must be loaded again.
func (b *scoreboard) apply(p boardPatch) (load bool) {
	if !p.All && b.has(p.To) {
		return false
	}
	if p.All || p.From != b.version {
		return true
	}
	b.rows = slices.DeleteFunc(b.rows, func(r scoreboardRow) bool {
		return slices.Contains(p.Gone, r.id) || slices.ContainsFunc(p.Rows, func(n boardPatchRow) bool { return n.ID == r.id })
	})
	for _, r := range p.Rows {
		b.rows = slices.Insert(b.rows, min(r.At, len(b.rows)), newRow(r.ID, r.HTML))
	}
	if p.Sums != "" {
		b.sums = strings.TrimSpace(p.Sums)
	}
	b.version = p.To
	return false
}

func (r *boardReader) load() {
	if text := r.page(r.http, r.way, boardPath); text != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.scoreboard = parseBoard(text)
	}
}

// reload loads the page. It loads the page a second time if the first response is older than version, as it may be
// if another server sent it. Unlike the script, it does not apply changes in the meantime.
func (r *boardReader) reload(version int64) {
	if r.rest(0, 500*time.Millisecond) {
		r.load()
	}
	if !r.has(version) && r.rest(time.Second, 1500*time.Millisecond) {
		r.load()
	}
}

func (r *boardReader) read() {
	r.load()
	path, last := fmt.Sprintf("%s/events?version=%d", boardPath, r.version), []string(nil)
	for r.rest(time.Second, 2*time.Second) {
		answer := r.open(r.http, r.way, path, last...)
		if answer == nil {
			continue
		}
		lines := bufio.NewScanner(answer.Body)
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			if id, is := strings.CutPrefix(lines.Text(), "id: "); is {
				last = []string{"Last-Event-ID", id}
			}
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				r.take(data)
			}
		}
		answer.Body.Close()
	}
}

func (r *boardReader) take(data string) {
	var p boardPatch
	if json.Unmarshal([]byte(data), &p) != nil {
		return // the connection broke within it
	}
	r.mu.Lock()
	load := r.apply(p)
	r.mu.Unlock()
	if load {
		r.reload(p.To)
	}
}

func (r *boardReader) state() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scoreboard.state()
}
