package workflow

import (
	"encoding/json"
	"errors"
	"fmt"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
)

// A bot of a ladder is first tested, and then plays encounters. Each test and each encounter is a workflow with
// one job, and only the server starts it.

// TrialOptions request the rules of a ladder and the test of a bot.
type TrialOptions struct {
	arena.RulesChoice
	Bot *ArenaBot `json:"bot,omitempty"` // nil if only the rules are needed
}

// TrialOutput is the output of a job of kind Trial.
type TrialOutput struct {
	Misuse string       `json:"misuse,omitempty"` // reason why the rules or the bot are not valid
	Rules  *arena.Rules `json:"rules,omitempty"`
	Title  string       `json:"title,omitempty"` // of the game
	OK     bool         `json:"ok,omitempty"`
	// Positions and Finished contain the results of the test.
	Positions []*judge.PositionTried  `json:"positions,omitempty"`
	Finished  *judge.BotTrialFinished `json:"finished,omitempty"`
	Notes     []string                `json:"notes,omitempty"`
}

// The keys of the tasks.
const (
	TrialKey     = "trial"
	EncounterKey = "games"
)

var errOwnBot = errors.New("only the server itself can start this: to add a bot, use the page of the ladder")

// A Player is a bot in an encounter, including its files.
type Player struct {
	Number int64
	Name   string // its random seeds depend on this
	File   string // the file to start; if empty, the directory of all files
	Files  []job.File
}

// install puts the files of a player into a directory, and returns the player's path there.
func (p *Player) install(dir string) (string, []job.File) {
	if p.File == "" {
		dir += "/bot"
	}
	files := make([]job.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = f
		files[i].Path = dir + "/" + f.Path
	}
	if p.File == "" {
		return dir, files
	}
	return dir + "/" + p.File, files
}

// NewTrialSpec returns a workflow that tests a bot. If p is nil, it only reads the rules.
func NewTrialSpec(w job.Work, c arena.RulesChoice, p *Player) (*Spec, error) {
	o := TrialOptions{RulesChoice: c}
	if p != nil {
		var at string
		at, w.Files = p.install("1")
		o.Bot = &ArenaBot{Path: at, File: p.recordName(), Name: p.Name}
	}
	w.IsDir = true
	data, err := json.Marshal(o)
	return &Spec{Kind: Trial, Work: w, Options: data}, err
}

// recordName returns the player's name in records.
func (p *Player) recordName() string {
	if p.File == "" {
		return p.Name
	}
	return p.File
}

// NewEncounterSpec returns a workflow in which two bots play. Bot a moves first in games with odd numbers. The
// argument number is the number of the encounter on its ladder.
func NewEncounterSpec(w job.Work, rules arena.Rules, seed uint64, number int64, a, b Player) (*Spec, error) {
	o := GamesOptions{Opened: &arena.Opened{Version: arena.Version, Game: w.Problem, Rules: rules, Seed: seed}, Fresh: true}
	w.Files, w.IsDir = nil, true
	for i, p := range []*Player{&a, &b} {
		at, files := p.install(fmt.Sprint(i + 1))
		w.Files = append(w.Files, files...)
		o.Bots = append(o.Bots, ArenaBot{Path: at, File: p.recordName(), Name: p.Name})
		o.Opened.Bots = append(o.Opened.Bots, arena.Bot{ID: int(p.Number), Name: p.Name, File: p.recordName()})
	}
	o.Only = []arena.Encounter{{Round: int(number), A: int(a.Number), B: int(b.Number), Games: rules.Games}}
	data, err := json.Marshal(o)
	return &Spec{Kind: Encounter, Work: w, Options: data}, err
}

func planTrial(s *Spec, parts []TaskResult) (*Step, error) {
	return s.planSingle(job.Trial, job.TrialPriority, TrialKey, s.Options, parts)
}

func planEncounter(s *Spec, parts []TaskResult) (*Step, error) {
	return s.planSingle(job.Games, job.GamePriority, EncounterKey, s.Options, parts)
}
