package arena_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
)

const opened = `{"event":{"version":1,"game":"x","rules":{"name":"r","format":"round-robin","rounds":1,"games":2,"score":{"by":"game"}},` +
	`"seed":1,"bots":[{"id":1,"name":"a","hash":"1"},{"id":2,"name":"b","hash":"2"}]}}` + "\n"

func gameLine(first, second int, more string) string {
	return fmt.Sprintf(`{"game":{"round":1,"leg":%d,"first":%d,"second":%d,"winner":1,"reason":"x"%s}}`+"\n", first, first, second, more)
}

func TestDamagedLines(t *testing.T) {
	for _, tt := range []struct {
		it, line, want string
	}{
		{"refuses what is not JSON", "hello\n", "not a record: invalid"},
		{"refuses what has no field of a record", "{}\n", "not a record: "},
		{"refuses what has two", `{"lots":[1],"over":{}}` + "\n", "not a record: "},
		{"refuses another version", strings.Replace(opened, `"version":1`, `"version":9`, 1), "version 9"},
		{"refuses endless events", strings.Replace(opened, `"rounds":1`, `"rounds":2000000000`, 1), "2000000000 rounds"},
		{"refuses bots with one id", strings.Replace(opened, `"id":2`, `"id":1`, 1), "more than one bot 1"},
		{"refuses a winner that is none", gameLine(1, 2, `,"winner":7`), "the winner is 7"},
		{"rejects moves of an unknown player", gameLine(1, 2, `,"moves":["5"],"seats":"3","micros":[1]`), "player of a move is unknown"},
		{"refuses a game against oneself", gameLine(1, 1, ""), "players of a game are unknown"},
		{"refuses a game of a bot 0", gameLine(0, 2, ""), "players of a game are unknown"},
		{"refuses a game in no round", strings.Replace(gameLine(1, 2, ""), `"round":1`, `"round":0`, 1), "players of a game are unknown"},
		{"refuses a game without a number", strings.Replace(gameLine(1, 2, ""), `"leg":1`, `"leg":0`, 1), "players of a game are unknown"},
		{"rejects a fault of an unknown player", gameLine(1, 2, `,"fault":{"kind":"illegal"}`), "player with a fault is unknown"},
		{"names a line that is cut short", gameLine(1, 2, "")[:30], "cut short"},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			log, err := arena.ReadLog(strings.NewReader(opened+tt.line), "log")
			if err != nil || len(log.Damaged) != 1 || log.Damaged[0].Line != 2 || !strings.Contains(log.Damaged[0].Text, tt.want) {
				t.Errorf("damaged: %v, %v; want line 2, %q", log.Damaged, err, tt.want)
			}
		})
	}
}

func TestReplay(t *testing.T) {
	changed := strings.Replace(opened, `"hash":"2"`, `"hash":"3"`, 1)
	out := `{"disqualified":{"bot":2,"fault":{"kind":"crashed"}}}` + "\n"
	for _, tt := range []struct {
		it, log string
		games   int
	}{
		{"counts games", opened + gameLine(1, 2, "") + gameLine(2, 1, ""), 2},
		{"counts a game once", opened + gameLine(1, 2, "") + gameLine(1, 2, ""), 1},
		{"leaves out what the schedule does not ask for", opened + strings.Replace(gameLine(1, 2, ""), `"leg":1`, `"leg":9`, 1), 0},
		{"leaves out games of a bot that was changed", opened + gameLine(1, 2, "") + changed + gameLine(2, 1, ""), 1},
		{"leaves out games of a bot that is out", opened + gameLine(1, 2, "") + out, 0},
		{"counts what came before the event went on", opened + gameLine(1, 2, "") + opened + gameLine(2, 1, ""), 2},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			log, err := arena.ReadLog(strings.NewReader(tt.log), "log")
			if err != nil || len(log.Damaged) > 0 {
				t.Fatal(err, log.Damaged)
			}
			r, err := log.Replay()
			if err != nil || len(r.Games) != tt.games {
				t.Errorf("%d games, %v; want %d", len(r.Games), err, tt.games)
			}
		})
	}
}

func TestALogWithoutAnEvent(t *testing.T) {
	for _, text := range []string{"", gameLine(1, 2, ""), "x\n"} {
		log, err := arena.ReadLog(strings.NewReader(text), "log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Replay(); err == nil {
			t.Errorf("%q is replayed", text)
		}
	}
}

// FuzzReadLog checks that any log can be read, and that its valid games can be formatted. Each complete line must
// be a record or damaged.
func FuzzReadLog(f *testing.F) {
	f.Add([]byte(opened + gameLine(1, 2, "") + gameLine(2, 1, `,"fault":{"seat":1}`) + `{"ready":{"bot":1}}` + "\n{"))
	f.Add([]byte(opened + `{"disqualified":{"bot":2}}` + "\n" + `{"lots":[2,1]}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := arena.ReadLog(bytes.NewReader(data), "log")
		if err != nil {
			t.Fatal(err)
		}
		if lines := log.Games() + len(log.Records()) + len(log.Damaged); lines > bytes.Count(data, []byte("\n"))+1 {
			t.Fatalf("%d records and damaged lines of %d", lines, bytes.Count(data, []byte("\n")))
		}
		for _, r := range log.Records() {
			if o := r.Opened; o != nil && (o.Rules.Rounds > 20 || o.Rules.Games > 20 || len(o.Bots) > 20) {
				t.Skip("an event that is too long for a test")
			}
		}
		r, err := log.Replay()
		if err != nil {
			return
		}
		for i := range r.Games {
			_ = r.Games[i].WinnerID()
		}
		_ = arena.Table(r)
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLogInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	first, _, err := arena.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := arena.OpenLog(path); runtime.GOOS != "windows" {
		if _, ok := errors.AsType[*arena.InUseError](err); !ok {
			t.Errorf("a second judge opens the log: %v, want an InUseError", err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, _, err := arena.OpenLog(path)
	if err != nil {
		t.Fatalf("after the first judge's end: %v", err)
	}
	again.Close()
}

// TestTheFirstVersion checks that a log of version 1, with times in nanoseconds, can be read and continued as the
// same tournament.
func TestTheFirstVersion(t *testing.T) {
	rules := arena.Rules{
		Name: "r", Format: "round-robin", Rounds: 1, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 3},
		Move: 20 * time.Second, Clock: 1500 * time.Microsecond, Start: 10 * time.Second, Wall: 3, Memory: 1 << 28,
		Costs: map[arena.Fault]arena.Cost{arena.Flood: arena.CostTournament}, Options: map[string]string{"cap": "7"},
	}
	const old = `{"name":"r","format":"round-robin","rounds":1,"games":2,"score":{"by":"game","win":3,"draw":0,"loss":0},"move":20000000000,` +
		`"clock":1500000,"start":10000000000,"wall":3,"memory":268435456,"costs":{"flood":"event"},"options":{"cap":"7"}}`
	const now = `{"name":"r","format":"round-robin","rounds":1,"games":2,"score":{"by":"game","win":3,"draw":0,"loss":0},"move_ms":20000,` +
		`"clock_ms":1.5,"start_ms":10000,"wall_per_cpu":3,"memory_bytes":268435456,"costs":{"flood":"event"},"options":{"cap":"7"}}`
	if text, err := json.Marshal(rules); err != nil || string(text) != now {
		t.Errorf("rules are written as %s, %v", text, err)
	}
	for _, text := range []string{old, now} {
		var read arena.Rules
		if err := json.Unmarshal([]byte(text), &read); err != nil || !reflect.DeepEqual(read, rules) {
			t.Errorf("%s is read as %+v, %v", text, read, err)
		}
		// The seeds of all games depend on the fingerprint, so the fingerprint must be the same as in version 1.
		if got := read.Fingerprint(1); got != "59c497a0" {
			t.Errorf("the fingerprint is %s", got)
		}
	}
}
