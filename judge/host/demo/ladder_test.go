package demo

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/internal/golden"
	"assay/judge/workspace"
)

// TestRecordedGames checks that each pair of bots has the same number of encounters with two games each, and that
// no bot fails. With -update it plays the games again.
func TestRecordedGames(t *testing.T) {
	const rounds = 4
	if golden.Updating() {
		play(t, rounds)
	}
	opened, all, err := readGames(recordedGames)
	if err != nil || opened.Rules.Games != 2 || len(all) != rounds*len(bots)*(len(bots)-1) {
		t.Fatalf("%d games by %+v, %v", len(all), opened, err)
	}
	for _, g := range all {
		if g.Fault != nil && g.Fault.Kind != arena.Illegal {
			t.Errorf("round %d, %d against %d: %v", g.Round, g.First, g.Second, g.Fault.Line())
		}
	}
}

// play plays a tournament of the bots and writes the recording.
func play(t *testing.T, rounds int) {
	w, err := workspace.Find(workspace.Env{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(workspace.RunOptions{Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	dir := t.TempDir()
	var files []string
	for _, b := range bots {
		file := filepath.Join(dir, strings.ToLower(b[0])+".py")
		if err := os.WriteFile(file, []byte(botText(b[0], b[1])), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	game, err := w.OpenGame("sylver")
	if err != nil {
		t.Fatal(err)
	}
	two, move := 2, 5*time.Second
	rules, err := game.Rules(arena.RulesChoice{Rules: "s1", Rounds: &rounds, Games: &two, Move: &move, Options: ladderOptions})
	if err != nil {
		t.Fatal(err)
	}
	event, err := w.NewTournament(t.Context(), game, rules, files, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range event.Bots {
		c.File = filepath.Base(files[i])
	}
	var log bytes.Buffer
	event.Seed, event.Jobs, event.Sink = 1, 1, func(line []byte) error { log.Write(line); return nil }
	if _, err := event.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	z, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(log.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = os.WriteFile("ladder.jsonl.gz", file.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	recordedGames = file.Bytes()
}
