package shadow_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A primary is a judging system that serves a feed. The feed breaks off after random bytes, and the primary is
// sometimes busy.
type primary struct {
	*httptest.Server
	old bool // the feed is of a version without tokens

	mu          sync.Mutex
	lines       []string
	files       map[string][]byte
	board       string
	cuts        *rand.Rand // nil if the feed does not break off
	forgets     bool       // it rejects all tokens
	feeds       int
	busy, most  int
	unavailable map[string]int // how often requests for files fail before they are available
	asked       map[string]int // number of requests for files
	password    string
	closed      bool // the scoreboard is not unfrozen, so the results stay hidden
	wholeLines  bool // it breaks off between lines, some time after the last one
}

func newPrimary(t *testing.T, old bool) *primary {
	p := &primary{files: map[string][]byte{}, unavailable: map[string]int{}, asked: map[string]int{}, old: old}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *primary) address() string { return p.URL + "/api/contests/wf" }

// add adds a line for an object. If data is empty, the line deletes the object.
func (p *primary) add(typ, id, data string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.lines) + 1
	switch {
	case p.old && data == "":
		p.lines = append(p.lines, fmt.Sprintf(`{"type":%q,"id":"t%d","op":"delete","data":{"id":%q}}`, typ, n, id))
	case p.old:
		p.lines = append(p.lines, fmt.Sprintf(`{"type":%q,"id":"t%d","op":"create","data":%s}`,
			map[string]string{"contest": "contests"}[typ]+map[bool]string{true: typ}[typ != "contest"], n, data))
	default:
		if data == "" {
			data = "null"
		}
		name := strconv.Quote(id)
		if id == "" {
			name = "null"
		}
		p.lines = append(p.lines, fmt.Sprintf(`{"type":%q,"id":%s,"data":%s,"token":"t%d"}`, typ, name, data, n))
	}
}

func (p *primary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := r.BasicAuth(); password != p.password {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	switch path, _ := strings.CutPrefix(r.URL.Path, "/api/contests/wf"); {
	case path == "":
		fmt.Fprint(w, contest)
	case path == "/event-feed":
		p.feed(w, r)
	case path == "/scoreboard" && p.board != "":
		fmt.Fprint(w, p.board)
	case strings.HasPrefix(path, "/submissions/"):
		p.file(w, strings.Split(path, "/")[2])
	case strings.HasPrefix(path, "/media/"):
		p.file(w, path)
	default:
		http.NotFound(w, r)
	}
}

func (p *primary) file(w http.ResponseWriter, id string) {
	p.mu.Lock()
	p.busy++
	p.most = max(p.most, p.busy)
	data, there := p.files[id]
	p.unavailable[id]--
	p.asked[id]++
	away := p.unavailable[id] >= 0
	p.mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	p.mu.Lock()
	p.busy--
	p.mu.Unlock()
	switch {
	case away:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case !there:
		http.Error(w, "no files", http.StatusNotFound)
	default:
		_, _ = w.Write(data)
	}
}

func (p *primary) feed(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.feeds++
	most := 1 << 30
	if p.cuts != nil {
		most = p.cuts.IntN(4000)
	}
	forgets := p.forgets
	p.mu.Unlock()
	name := map[bool]string{false: "since_token", true: "since_id"}[p.old]
	at := 0
	if since := r.URL.Query().Get(name); since != "" {
		at, _ = strconv.Atoi(strings.TrimPrefix(since, "t"))
		if forgets || at == 0 {
			http.Error(w, "no such token", http.StatusBadRequest)
			return
		}
	} else if len(r.URL.RawQuery) > 0 {
		http.Error(w, "what?", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
	for r.Context().Err() == nil {
		p.mu.Lock()
		lines := p.lines[at:]
		p.mu.Unlock()
		text := "\n"
		for _, l := range lines {
			text += l + "\n"
		}
		at += len(lines)
		broken := len(text) >= most
		if broken {
			text = text[:most]
			if p.wholeLines {
				text = text[:strings.LastIndexByte(text, '\n')+1]
			}
		}
		_, _ = w.Write([]byte(text))
		_ = http.NewResponseController(w).Flush()
		if most -= len(text); broken {
			if p.wholeLines {
				time.Sleep(500 * time.Millisecond)
			}
			panic(http.ErrAbortHandler)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

const contest = `{"id":"WF.2026","name":"WF","formal_name":"World Finals","start_time":"2026-01-01T10:00:00.000+01:00",` +
	`"duration":"5:00:00.000",` +
	`"scoreboard_freeze_duration":"1:00:00.000","penalty_time":"0:10:00.000"}`

func zipped(files ...string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, _ := z.Create(files[i])
		_, _ = w.Write([]byte(files[i+1]))
	}
	_ = z.Close()
	return out.Bytes()
}

// fill gives the primary a contest with all kinds of objects.
func (p *primary) fill() {
	p.add("contest", "", contest)
	for id, more := range map[string]string{"AC": `"penalty":false,"solved":true`, "WA": `"penalty":true,"solved":false`,
		"CE": `"penalty":false,"solved":false`, "JE": `"penalty":false,"solved":false`} {
		p.add("judgement-types", id, fmt.Sprintf(`{"id":%q,"name":"x",%s}`, id, more))
	}
	p.add("languages", "shell", `{"id":"shell","name":"Shells","extensions":["sh"]}`)
	p.add("languages", "cobol", `{"id":"cobol","name":"Cobol","extensions":["cob"]}`)
	p.add("groups", "g", `{"id":"g","icpc_id":"1","name":"G"}`)
	p.add("groups", "guests", `{"id":"guests","name":"Guests","hidden":true}`)
	p.add("organizations", "u", `{"id":"u","name":"U","country":"DEU"}`)
	p.add("organizations", "bad", `{"id":"bad","name":"Bad","country":"Germany"}`)
	p.add("teams", "t1", `{"id":"t1","name":"One","group_ids":["g"],"organization_id":"u"}`)
	p.add("teams", "t2", `{"id":"t2","name":"Two","group_ids":["g","nowhere"],"organization_id":"nowhere"}`)
	p.add("teams", "t3", `{"id":"t3","name":"Three","group_ids":["guests"]}`)
	p.add("teams", "t@4", `{"id":"t@4","name":"Four"}`)
	p.add("problems", "sum", `{"id":"sum","label":"A","name":"Sum","ordinal":0,"rgb":"#ff0000","color":"red"}`)
	p.add("problems", "2", `{"id":"2","label":"B","name":"Second","ordinal":1}`)
	p.add("problems", "again", `{"id":"again","label":"A","name":"Twice","ordinal":2}`)
	p.add("state", "", `{"started":"2026-01-01T10:00:00.000+01:00","ended":null,"frozen":null}`)
	n := 0
	send := func(id, team, problem, language, at, files string) {
		n++
		p.add("submissions", id, fmt.Sprintf(`{"id":%q,"team_id":%q,"problem_id":%q,"language_id":%q,"time":"2026-01-01T1%s.5+01:00",`+
			`"contest_time":"%s.500"%s}`,
			id, team, problem, language, at, at, files))
	}
	href := func(id string) string {
		return fmt.Sprintf(`,"files":[{"href":"contests/wf/submissions/%s/files","mime":"application/zip"}]`, id)
	}
	judged := func(id, verdict string) {
		p.add("judgements", "j"+id, fmt.Sprintf(`{"id":"j%s","submission_id":%q,"start_time":"2026-01-01T12:00:00Z"}`, id, id))
		if verdict != "" {
			p.add("judgements", "j"+id, fmt.Sprintf(`{"id":"j%s","submission_id":%q,"start_time":"2026-01-01T12:00:00Z","judgement_type_id":%q}`,
				id, id, verdict))
		}
	}
	for i := range 40 { // enough lines to lose some
		id := fmt.Sprint(100 + i)
		p.files[id] = zipped("a.sh", "echo "+id)
		p.unavailable[id] = i % 3
		send(id, []string{"t1", "t2"}[i%2], []string{"sum", "2"}[i/2%2], "shell", fmt.Sprintf("0:%02d:00", i+1), href(id))
		judged(id, []string{"WA", "WA", "CE", "", "WA", "AC", "JE"}[i%7])
	}
	p.files["broken"], p.files["empty"], p.files["large"], p.files["names"] = []byte("no zip"), zipped(), zipped("a.sh",
		strings.Repeat("x", 2000)), zipped("../a.sh", "x")
	for _, id := range []string{"broken", "empty", "large", "names", "missing"} {
		send(id, "t1", "sum", "shell", "1:00:00", href(id))
		judged(id, "WA")
	}
	p.unavailable["never"] = 1 << 20
	send("never", "t1", "sum", "shell", "1:00:00", href("never"))
	send("elsewhere", "t1", "sum", "shell", "1:00:00", `,"files":[{"href":"http://other.example/x"}]`)
	send("hidden", "t1", "sum", "shell", "1:00:00", "")
	p.files["cobol"], p.files["late"], p.files["taken"] = zipped("a.cob", "x"), zipped("a.sh", "x"), zipped("a.sh", "x")
	send("cobol", "t2", "sum", "cobol", "1:00:00", href("cobol"))
	send("late", "t2", "2", "shell", "5:00:00", href("late"))
	judged("late", "AC")
	send("no-team", "t9", "2", "shell", "1:00:00", "")
	send("nothing", "t1", "9", "shell", "1:00:00", "")
	send("four", "t@4", "2", "shell", "1:00:00", "")
	send("guest", "t3", "2", "shell", "0:00:30", "")
	judged("guest", "AC")
	send("a@b", "t1", "2", "shell", "1:00:00", "")
	send("taken", "t1", "2", "shell", "1:00:00", href("taken"))
	judged("taken", "AC")
	p.add("submissions", "taken", "") // it was sent by mistake
	send("late-team", "t7", "2", "shell", "2:00:00", "")
	judged("late-team", "AC")
	p.add("judgements", "j100", "") // rejudged below
	judged("100", "AC")
	p.add("teams", "t7", `{"id":"t7","name":"Seven","group_ids":["g"]}`)
	p.add("awards", "best", `{"id":"best","citation":"The best","team_ids":["t7"]}`)
	p.add("awards", "winner", `{"id":"winner","citation":"Winner","team_ids":["t1"]}`)
	thawed := `"2026-01-01T15:10:00.000+01:00"`
	if p.closed {
		thawed = "null"
	}
	p.add("state", "", `{"started":"2026-01-01T10:00:00.000+01:00","ended":"2026-01-01T15:00:00.000+01:00",`+
		`"frozen":"2026-01-01T14:00:00.000+01:00","thawed":`+thawed+`,"finalized":"2026-01-01T15:05:00.000+01:00"}`)
}
