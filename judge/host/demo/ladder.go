package demo

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// LadderSlug is the slug of the ladder.
const LadderSlug = "hill"

// bots lists the classes of the ladder's bots. The second string is the Python expression with which the bot
// chooses one of the legal numbers.
var bots = [...][2]string{
	{"Lowest", "legal[0]"}, {"Highest", "legal[-1]"}, {"Middle", "legal[len(legal) // 2]"}, {"Third", "legal[len(legal) // 3]"},
	{"Odd", "max([n for n in legal if n % 2] or legal)"}, {"Even", "max([n for n in legal if n % 2 == 0] or legal)"},
	{"Chance", "self.random.choice(legal)"}, {"Neighbor", "max([n for n in legal if n < numbers[-1]] or legal)"},
}

// botText returns the source code of a bot.
func botText(name, announces string) string {
	return strings.NewReplacer("NAME", name, "ANNOUNCES", announces).Replace(`import random


class NAME:
    def __init__(self, id):
        self.random = random.Random(7)

    def announce(self, numbers):
        sums = {0}
        for n in range(1, 121):
            if any(n - m in sums for m in numbers):
                sums.add(n)
        legal = [n for n in range(2, 121) if n not in sums]
        return ANNOUNCES if legal else 1

    def learn(self, first, second, numbers):
        pass
`)
}

// recordedGames is the log of an event in which these bots met.
//
//go:embed ladder.jsonl.gz
var recordedGames []byte

// readGames reads the log. It returns the settings of the tournament, and the games in the order in which they were
// played.
func readGames(packed []byte) (opened *arena.Opened, games []*arena.Game, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	var text []byte
	if err == nil {
		text, err = io.ReadAll(z)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the recorded games: %w", err)
	}
	for line := range bytes.Lines(text) {
		r, err := arena.ReadRecord(line)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("read the recorded games: %w", err)
		case r.Opened != nil:
			opened = r.Opened
		case r.Game != nil && !r.Game.Learning:
			games = append(games, r.Game)
		}
	}
	slices.SortStableFunc(games, func(a, b *arena.Game) int { return cmp.Compare(a.Round, b.Round) })
	if opened == nil {
		return nil, nil, fmt.Errorf("read the recorded games: %w", arena.ErrNoTournament)
	}
	return opened, games, nil
}

// createLadder opens a ladder and adds the bots' recorded encounters.
func (f *demoData) createLadder(ctx context.Context) error {
	opened, all, err := readGames(recordedGames)
	if err != nil {
		return err
	}
	if f.o.Games > 0 {
		all = all[:min(len(all), f.o.Games)]
	}
	rules := opened.Rules
	admin, err := f.store.AccountByLogin(ctx, f.o.Admin)
	if err != nil {
		return err
	}
	f.clock = f.o.Now.Add(-startedAgo)
	one := 1
	choice, err := json.Marshal(
		arena.RulesChoice{Rules: rules.Name, Rounds: &one, Games: &rules.Games, Move: &rules.Move, Options: ladderOptions},
	)
	if err != nil {
		return err
	}
	l := &store.Ladder{
		Slug: LadderSlug, Name: "The hill", Problem: opened.Game, ChosenRules: choice, Seed: 1,
		Visibility: store.VisibilityPublic, PerAccount: 3,
		PerMinute: 20, Owner: admin.ID,
	}
	if err := f.store.NewLadder(ctx, l); err != nil {
		return err
	}
	rules.Rounds, rules.Format = 1, arena.OpenLadder
	text, err := json.Marshal(rules)
	if err == nil {
		err = f.store.SetLadderRules(ctx, l.ID, text, "")
	}
	if err != nil {
		return err
	}
	none := func() ([]byte, error) { return []byte("{}"), nil }
	for i, b := range bots {
		text := []byte(botText(b[0], b[1]))
		file := job.File{Path: strings.ToLower(b[0]) + ".py", Size: int64(len(text)), Digest: blob.DigestOf(text)}
		if err := f.storeBlob(ctx, file.Digest, text, "upload"); err != nil {
			return err
		}
		bot := &store.Bot{Ladder: l.ID, Account: f.accounts[i%len(f.accounts)].ID, Name: b[0], File: file.Path, Files: []job.File{file}}
		if err := f.store.NewBot(ctx, bot, "trial", func(*store.Bot) ([]byte, error) { return none() }); err != nil {
			return err
		}
		if _, err := f.store.FinishWorkflow(ctx, bot.Workflow, store.WorkflowDone, ""); err != nil {
			return err
		}
		bot.State = store.BotActive
		if err := f.store.EndBotCheck(ctx, bot); err != nil {
			return err
		}
	}
	for n := 0; n < len(all); {
		met := all[n : n+1]
		for n++; n < len(all) && all[n].Round == met[0].Round && all[n].First+all[n].Second == met[0].First+met[0].Second &&
			all[n].First*all[n].Second == met[0].First*met[0].Second; n++ {
			met = all[n-len(met) : n+1]
		}
		f.clock = f.clock.Add(30 * time.Second)
		if err := f.addEncounter(ctx, l, met); err != nil {
			return err
		}
	}
	return nil
}

// addEncounter adds an encounter of recorded games.
func (f *demoData) addEncounter(ctx context.Context, l *store.Ladder, games []*arena.Game) error {
	e := &store.Encounter{Ladder: l.ID, A: int64(games[0].First), B: int64(games[0].Second)}
	if err := f.store.NewEncounter(ctx, e, "encounter", l.Owner,
		func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		return err
	}
	if _, err := f.store.FinishWorkflow(ctx, e.Workflow, store.WorkflowDone, ""); err != nil {
		return err
	}
	var lines [][]byte
	for _, g := range games {
		switch winner := [...]int{0, g.First, g.Second}[g.Winner]; {
		case winner == 0:
			e.Results += "d"
		case int64(winner) == e.A:
			e.Results += "w"
		default:
			e.Results += "l"
		}
		g.Round = int(e.Number)
		line, err := json.Marshal(arena.Record{Game: g})
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	packed, err := job.PackLines(lines)
	if err != nil {
		return err
	}
	if e.Records, e.Worker = blob.DigestOf(packed), "recorded"; err == nil {
		err = f.storeBlob(ctx, e.Records, packed, "events")
	}
	if err != nil {
		return err
	}
	return f.store.EndEncounter(ctx, e)
}

// ladderOptions lists the options of the game: both games of an encounter have the same start, and games are
// short.
var ladderOptions = []string{"start=drawn", "low=100", "high=999", "same_start=yes"}
