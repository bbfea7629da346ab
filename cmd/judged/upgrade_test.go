package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/server"
	"assay/judge/running/config"
)

// releasedDir contains a directory for each version with stored files. The files were written by a server, a
// submission, and a tournament of that version. Later versions must be able to read all of them.
const releasedDir = "testdata/released"

// The files of each version.
const (
	savedServer     = "server.tar.gz"  // a backup
	savedPasswords  = "passwords.json" // passwords of the accounts, by username
	savedAnswers    = "answers.jsonl.gz"
	savedBundle     = "sum.bundle"
	savedProgram    = "sum.sh"
	savedJudging    = "submit.jsonl"
	savedTournament = "tournament.jsonl"
	savedStandings  = "standings.jsonl"
)

var update = flag.Bool("update", false, "with -run TestUpgrade: write the files of the version that is being prepared")

// TestUpgrade reads the files that released versions wrote. It restores a server's backup, repeats all stored
// requests, judges a bundle, and reads the events of a submission and the log of a tournament. Later versions may
// add fields, but must not change or remove any.
func TestUpgrade(t *testing.T) {
	judgeCommand := buildJudge(t)
	if *update {
		makeReleased(t, judgeCommand)
	}
	versions, err := filepath.Glob(filepath.Join(releasedDir, "*"))
	must(t, err)
	if len(versions) == 0 {
		t.Fatal("there are no files of released versions")
	}
	for _, dir := range versions {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Run("server", func(t *testing.T) { compareServer(t, dir) })
			t.Run("bundle", func(t *testing.T) { compareBundle(t, judgeCommand, dir) })
			t.Run("tournament", func(t *testing.T) { compareTournament(t, judgeCommand, dir) })
		})
	}
}

// buildJudge builds the command judge and returns its path.
func buildJudge(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "judge")
	if out, err := exec.Command("go", "build", "-o", path, "../judge").CombinedOutput(); err != nil {
		t.Fatalf("build judge: %v\n%s", err, out)
	}
	return path
}

// compareServer restores the backup of a version and compares the server's responses with the stored ones.
func compareServer(t *testing.T, dir string) {
	data := restoreReleased(t, filepath.Join(dir, savedServer))
	stored := readAnswers(t, filepath.Join(dir, savedAnswers))
	if len(stored) < 50 {
		t.Fatalf("only %d answers are stored", len(stored))
	}
	r := startReader(t, data, readPasswords(t, dir))
	for _, want := range stored {
		got := r.ask(want.As, want.Path)
		if got.Code != want.Code {
			t.Errorf("%s as %q: status %d, want %d", want.Path, want.As, got.Code, want.Code)
			continue
		}
		for _, text := range want.Has {
			if !strings.Contains(got.page, text) {
				t.Errorf("%s as %q: the page lacks %q", want.Path, want.As, text)
			}
		}
		for _, d := range missing("", want.Values, got.Values) {
			t.Errorf("%s as %q: %s", want.Path, want.As, d)
		}
	}
}

// compareBundle judges a program with the bundle of a version, and compares the events with the stored ones. It
// ignores times and the machine. It also reads the stored events and renders them.
func compareBundle(t *testing.T, judgeCommand, dir string) {
	stored := readEvents(t, filepath.Join(dir, savedJudging))
	cmd := exec.Command(judgeCommand, "submit", filepath.Join(dir, savedBundle), filepath.Join(dir, savedProgram), "--all", "--json")
	now, err := cmd.Output()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		t.Fatal(err)
	}
	for _, d := range missing("", untimedEvents(stored), untimedEvents(decodeLines(t, bytes.NewReader(now)))) {
		t.Errorf("judging the bundle: %s", d)
	}
	for _, d := range missing("", stored, throughEvents(t, stored)) {
		t.Errorf("reading the events: %s", d)
	}
	out, err := exec.Command(judgeCommand, "report", filepath.Join(dir, savedJudging), "--color", "never").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "WA") {
		t.Errorf("judge report: %v\n%s", err, out)
	}
}

// compareTournament reads the log of a tournament, and compares its standings with the stored ones.
func compareTournament(t *testing.T, judgeCommand, dir string) {
	log := filepath.Join(dir, savedTournament)
	f, err := os.Open(log)
	must(t, err)
	defer f.Close()
	var records []any
	for lines := bufio.NewScanner(f); lines.Scan(); {
		record, err := arena.ReadRecord(lines.Bytes())
		must(t, err)
		line, err := json.Marshal(record)
		must(t, err)
		records = append(records, decodeLines(t, bytes.NewReader(line))...)
	}
	for _, d := range missing("", readEvents(t, log), records) {
		t.Errorf("reading the log: %s", d)
	}
	now, err := standingsOf(judgeCommand, log)
	must(t, err)
	for _, d := range missing("", readEvents(t, filepath.Join(dir, savedStandings)), decodeLines(t, bytes.NewReader(now))) {
		t.Errorf("standings: %s", d)
	}
}

// standingsOf returns the standings of a tournament as events, without analyzing its games.
func standingsOf(judgeCommand, log string) ([]byte, error) {
	return exec.Command(judgeCommand, "arena", "standings", log, "--json", "--look", "0").Output()
}

// missing lists what the value want contains and the value got does not: fields, elements, and equal scalars.
// Additional fields in got are allowed, because later versions may add some.
func missing(at string, want, got any) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		fields, is := got.(map[string]any)
		if !is {
			return []string{fmt.Sprintf("%s is %v, want an object", at, got)}
		}
		for name, value := range want {
			there, is := fields[name]
			if !is {
				all = append(all, fmt.Sprintf("%s.%s is missing", at, name))
				continue
			}
			all = append(all, missing(at+"."+name, value, there)...)
		}
	case []any:
		list, is := got.([]any)
		if !is || len(list) != len(want) {
			return []string{fmt.Sprintf("%s has %d elements, want %d", at, len(list), len(want))}
		}
		for i, value := range want {
			all = append(all, missing(fmt.Sprintf("%s[%d]", at, i), value, list[i])...)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
	}
	slices.Sort(all)
	return all
}

// TestMissing checks that a later version may only add fields.
func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		lacks     int
	}{
		{`{"a":1}`, `{"a":1,"b":2}`, 0},
		{`{"a":1,"b":null}`, `{"a":1}`, 1},
		{`{"a":{"b":[1,{"c":2}]}}`, `{"a":{"b":[1,{"c":2,"d":3}]}}`, 0},
		{`{"a":{"b":[1,{"c":2}]}}`, `{"a":{"b":[1,{"c":3}]}}`, 1},
		{`[1,2]`, `[1,2,3]`, 1},
		{`[1,2]`, `[2,1]`, 2},
		{`{"a":1}`, `[1]`, 1},
		{`{"a":"1"}`, `{"a":1}`, 1},
	} {
		if got := missing("", decodeLines(t, strings.NewReader(tt.want)), decodeLines(t, strings.NewReader(tt.got))); len(got) != tt.lacks {
			t.Errorf("%s of %s: %q, want %d", tt.want, tt.got, got, tt.lacks)
		}
	}
}

// stored is a server's response to a GET request.
type stored struct {
	As     string   `json:"as"` // username; "token" for the administrator's token; empty for the public
	Path   string   `json:"path"`
	Code   int      `json:"code"`
	Values []any    `json:"values,omitempty"` // of JSON
	Has    []string `json:"has,omitempty"`    // texts that the page contains
	page   string
}

// A reader sends requests to a server as several accounts.
type reader struct {
	*testing.T
	base, token string
	passwords   map[string]string
	sessions    map[string]*http.Client
}

// startReader starts a server on a data directory. The server is stopped when the test ends.
func startReader(t *testing.T, data string, passwords map[string]string) *reader {
	t.Helper()
	s, err := server.Start(t.Context(), upgradeOptions(data))
	must(t, err)
	t.Cleanup(s.Stop)
	address, token, err := server.Admin(data)
	must(t, err)
	return &reader{T: t, base: address.URL, token: token, passwords: passwords, sessions: map[string]*http.Client{}}
}

// upgradeOptions returns the options for a server without workers that publishes nothing.
func upgradeOptions(data string) server.Options {
	return server.Options{
		Server: config.Server{Name: "Test", Listen: "127.0.0.1:0", Data: data}, Root: filepath.Dir(data), Version: cli.Version(),
		Log: slog.New(slog.DiscardHandler),
	}
}

// ask sends a GET request. It reads pages with a session of the account, and everything else with the account's
// password.
func (r *reader) ask(as, path string) (a stored) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, nil)
	must(r, err)
	c, isPage := &http.Client{}, !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/api/")
	switch {
	case as == "token":
		request.Header.Set("Authorization", "Bearer "+r.token)
	case as != "" && isPage:
		c = r.session(as)
	case as != "":
		request.SetBasicAuth(as, r.passwords[as])
	}
	res, err := c.Do(request)
	must(r, err)
	defer res.Body.Close()
	a = stored{As: as, Path: path, Code: res.StatusCode}
	body, err := io.ReadAll(res.Body)
	must(r, err)
	switch kind := res.Header.Get("Content-Type"); {
	case isPage:
		a.page = string(body)
	case strings.Contains(kind, "json"):
		a.Values = decodeLines(r, bytes.NewReader(body))
	}
	return a
}

// session returns a client that has logged in through the login form.
func (r *reader) session(as string) *http.Client {
	r.Helper()
	if c := r.sessions[as]; c != nil {
		return c
	}
	jar, err := cookiejar.New(nil)
	must(r, err)
	c := &http.Client{Jar: jar}
	res, err := c.PostForm(r.base+"/login", url.Values{"login": {as}, "password": {r.passwords[as]}})
	must(r, err)
	must(r, res.Body.Close())
	if res.StatusCode != http.StatusOK || len(jar.Cookies(res.Request.URL)) == 0 {
		r.Fatalf("log in as %s: %s at %s", as, res.Status, res.Request.URL)
	}
	r.sessions[as] = c
	return c
}

// restoreReleased restores a stored backup as an administrator does, and returns the new data directory.
func restoreReleased(t *testing.T, archive string) (data string) {
	t.Helper()
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup")
	unpackArchive(t, archive, backup)
	data = filepath.Join(dir, "data")
	var out bytes.Buffer
	if code := run(t.Context(), []string{"admin", "restore", backup, "--data", data},
		&console{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
		t.Fatalf("judged admin restore: exit code %d\n%s", code, out.String())
	}
	return data
}

// blobsHere is the name of every blob in a stored archive. When unpackArchive extracts a blob, it names the file
// after the digest of the content.
const blobsHere = "blob"

// unpackArchive extracts the files of a backup archive into dir.
func unpackArchive(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		data, err := io.ReadAll(files)
		must(t, err)
		if h.Name == blobsHere {
			d := string(blob.DigestOf(data))
			h.Name = "blobs/" + d[:2] + "/" + d[2:]
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, data, fs.FileMode(0o600)))
	}
}

func readPasswords(t *testing.T, dir string) (passwords map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, savedPasswords))
	must(t, err)
	must(t, json.Unmarshal(data, &passwords))
	return passwords
}

func readAnswers(t *testing.T, path string) (all []stored) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	for d := json.NewDecoder(z); ; {
		var a stored
		if err := d.Decode(&a); errors.Is(err, io.EOF) {
			return all
		} else {
			must(t, err)
		}
		all = append(all, a)
	}
}

// decodeLines decodes a sequence of JSON values.
func decodeLines(t testing.TB, from io.Reader) (all []any) {
	t.Helper()
	for d := json.NewDecoder(from); ; {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return all
		} else {
			must(t, err)
		}
		all = append(all, value)
	}
}

func readEvents(t *testing.T, path string) []any {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return decodeLines(t, bytes.NewReader(data))
}

// throughEvents decodes events and encodes them again.
func throughEvents(t *testing.T, events []any) (all []any) {
	t.Helper()
	for _, one := range events {
		line, err := json.Marshal(one)
		must(t, err)
		event, err := judge.DecodeEvent(line)
		must(t, err)
		again, err := judge.EncodeEvent(event)
		must(t, err)
		all = append(all, decodeLines(t, bytes.NewReader(again))...)
	}
	return all
}

// timed matches the event fields that differ between runs and machines.
var timed = regexp.MustCompile(`^(exec|build_ms|cached|time_ms|memory_bytes|slowest|sandbox|unenforced)$`)

// untimedEvents returns a value without the fields that timed matches.
func untimedEvents(of any) any {
	switch v := of.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			if !timed.MatchString(name) {
				out[name] = untimedEvents(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = untimedEvents(value)
		}
		return out
	}
	return of
}
