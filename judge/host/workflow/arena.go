package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/kit/referee"
)

// A tournament of bots has several tasks. First, the Opening prepares every bot. Then jobs of kind Games each play
// encounters of one pair. The duration of the pair's first games decides how many encounters a job plays. If a bot
// remembers earlier games, all games form one history. Each job then plays a slice of the history, and continues
// from the results of the previous slices.

// ArenaOptions configure a tournament.
type ArenaOptions struct {
	arena.RulesChoice
	Seed     uint64     `json:"seed"`
	Bots     []ArenaBot `json:"bots"` // in order of id
	Language string     `json:"language,omitempty"`
}

// An ArenaBot is a bot among the files of a workflow.
type ArenaBot struct {
	Path string `json:"at"`             // path among the files, such as "3/bot.py"
	File string `json:"file"`           // its name in records
	Name string `json:"name,omitempty"` // unique; known after the opening
}

// ArenaOpened is the output of a job of kind Opening. Its lines are the records that open the tournament. If the
// options are not valid, Misuse contains the reason.
type ArenaOpened struct {
	Misuse   string          `json:"misuse,omitempty"`
	Opened   *arena.Opened   `json:"opened"`
	Records  []*arena.Record `json:"records"`         // the others
	NoMemory bool            `json:"pure"`            // no bot remembers
	Title    string          `json:"title"`           // of the game
	Notes    []string        `json:"notes,omitempty"` // printed with the results
}

// GamesOptions select the games that a job of kind Games plays.
type GamesOptions struct {
	Opened   *arena.Opened     `json:"opened"`
	Bots     []ArenaBot        `json:"bots"`           // the players
	Only     []arena.Encounter `json:"only,omitempty"` // nil to play a slice of the whole tournament, continuing from Lines
	Language string            `json:"language,omitempty"`
	// Fresh reports whether bots that remember start without their memory.
	Fresh bool `json:"fresh,omitempty"`
}

// ArenaPlayed is the output of a job of kind Games. Its lines are the game records.
type ArenaPlayed struct {
	Records        []*arena.Record `json:"records,omitempty"` // without the moves; empty for a slice
	SecondsPerGame float64         `json:"seconds"`           // per game
	Bytes          int             `json:"bytes"`             // size of one game's record
	Over           bool            `json:"over,omitempty"`    // for a slice: whether the tournament has ended
}

// AnalysisOptions select the games of a tournament that a referee analyzes.
type AnalysisOptions struct {
	Opened *arena.Opened `json:"opened"`
}

// An AnalyzedGame is a referee's description of a game. It is a line in the output of a job of kind Analysis.
type AnalyzedGame struct {
	Key       arena.Key          `json:"key"`
	Positions []referee.Position `json:"seen"`
}

// OpeningKey is the key of the task that opens a tournament.
const OpeningKey = "opening"

// SliceKey returns the key of the n-th slice, from 1, of a tournament with bots that remember.
func SliceKey(n int) string { return fmt.Sprintf("history %d", n) }

// MinSlice is the minimum time that a worker plays a slice before another worker may continue.
const MinSlice = 20 * time.Second

// The sizes of the other jobs of kind Games.
const (
	targetTime = 2 * time.Second // playing time per job
	probeGames = 4               // maximum number of games if the game duration is unknown
	maxGames   = 400
	maxBytes   = 512 << 10 // size of the records, before compression
	maxTries   = 20        // maximum number of jobs for the same games; each plays some of them
)

func checkArena(s *Spec) error {
	var o ArenaOptions
	if err := s.decodeOptions(&o); err != nil {
		return err
	}
	if len(o.Bots) < 2 {
		return errors.New("an event has two bots at least")
	}
	for i, b := range o.Bots {
		if !slices.ContainsFunc(s.Work.Files, func(f job.File) bool { return f.Path == b.Path || strings.HasPrefix(f.Path, b.Path+"/") }) {
			return fmt.Errorf("bot %d, %.200q, is not among the files", i+1, b.Path)
		}
	}
	return nil
}

func planArena(s *Spec, parts []TaskResult) (*Step, error) {
	var o ArenaOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	opening := findResult(parts, OpeningKey)
	if opening == nil {
		work, err := s.taskWork(job.Opening, o)
		return &Step{Tasks: []Task{{Key: OpeningKey, Work: work, Priority: job.GamePriority, Cost: defaultCost}}}, err
	}
	for _, p := range parts {
		if p.State != job.Done {
			return &Step{Done: true, Failed: p.Reason}, nil
		}
	}
	var opened ArenaOpened
	if err := json.Unmarshal(opening.Output, &opened); err != nil {
		return nil, fmt.Errorf("read the opening of the tournament: %w", err)
	}
	if opened.Misuse != "" {
		return &Step{Done: true, Failed: opened.Misuse}, nil
	}
	if opened.Opened == nil || len(opened.Opened.Bots) != len(o.Bots) {
		return nil, errors.New("the event was opened with other bots")
	}
	for i := range o.Bots {
		o.Bots[i].Name = opened.Opened.Bots[i].Name
	}
	e := &tournamentPlan{spec: s, options: &o, opened: &opened, parts: parts}
	if !opened.NoMemory {
		return e.planSlice(opening.Events)
	}
	return e.planGames()
}

// An tournamentPlan is the plan of a tournament.
type tournamentPlan struct {
	spec    *Spec
	options *ArenaOptions
	opened  *ArenaOpened
	parts   []TaskResult
}

// planSlice plans the next slice.
func (e *tournamentPlan) planSlice(opening blob.Digest) (*Step, error) {
	before := []blob.Digest{opening}
	for n := 1; ; n++ {
		p := findResult(e.parts, SliceKey(n))
		if p == nil {
			work, err := e.spec.taskWork(
				job.Games, GamesOptions{Opened: e.opened.Opened, Bots: e.options.Bots, Language: e.options.Language},
			)
			work.Lines = before
			return &Step{Tasks: []Task{{Key: SliceKey(n), Work: work, Priority: job.GamePriority, Cost: MinSlice}}}, err
		}
		var played ArenaPlayed
		if err := json.Unmarshal(p.Output, &played); err != nil {
			return nil, fmt.Errorf("read the part %s: %w", p.Key, err)
		}
		if played.Over {
			return &Step{Done: true}, nil
		}
		before = append(before, p.Events)
	}
}

// planGames plans the missing games of the tournament.
func (e *tournamentPlan) planGames() (*Step, error) {
	so, todo, err := e.combineResults()
	if err != nil {
		return nil, err
	}
	if todo.IsComplete() {
		return &Step{Done: true}, nil
	}
	played := map[arena.Key]bool{}
	for i := range so.Games {
		played[so.Games[i].Key()] = true
	}
	var batches []*batch
	byKey := map[string]*batch{}
	for _, o := range todo.Encounters {
		paced, err := e.paceFor(o)
		if err != nil {
			return nil, err
		}
		for i, k := range o.Keys() {
			if played[k] {
				continue
			}
			key := paced.key(&e.opened.Opened.Rules, k)
			b := byKey[key]
			if b == nil {
				b = &batch{key: key, pair: pairOf(o), gameTime: paced.gameTime}
				byKey[key] = b
				batches = append(batches, b)
			}
			if !paced.known && (b.games == probeGames || b.games > 0 && b.encounters[0].Round != o.Round) {
				break
			}
			b.add(o, i)
		}
	}
	step := &Step{}
	for _, b := range batches {
		j, err := e.batchTask(b)
		if err != nil {
			return nil, err
		}
		step.Tasks = append(step.Tasks, *j)
	}
	return step, nil
}

// combineResults combines the results of the finished tasks.
func (e *tournamentPlan) combineResults() (*arena.Results, *arena.RemainingGames, error) {
	var log bytes.Buffer
	to := json.NewEncoder(&log)
	err := to.Encode(&arena.Record{Opened: e.opened.Opened})
	for _, r := range e.opened.Records {
		err = errors.Join(err, to.Encode(r))
	}
	if err != nil {
		return nil, nil, err
	}
	sorted := slices.Clone(e.parts)
	slices.SortFunc(sorted, func(a, b TaskResult) int { return strings.Compare(a.Key, b.Key) })
	for _, p := range sorted {
		if p.Key == OpeningKey {
			continue
		}
		var played struct {
			Records []json.RawMessage `json:"records"`
		}
		if err := json.Unmarshal(p.Output, &played); err != nil {
			return nil, nil, fmt.Errorf("read the part %s: %w", p.Key, err)
		}
		for _, r := range played.Records {
			log.Write(r)
			log.WriteByte('\n')
		}
	}
	held, err := arena.ReadLog(bytes.NewReader(log.Bytes()), "")
	if err != nil {
		return nil, nil, err
	}
	if len(held.Damaged) > 0 {
		return nil, nil, fmt.Errorf("the results of the tasks cannot be read: %v", held.Damaged[0])
	}
	rules := &e.opened.Opened.Rules
	format, known := arena.Formats()[rules.Format]
	if !known {
		return nil, nil, fmt.Errorf("the format %.40q is not known here", rules.Format)
	}
	return held.Evaluate(format(rules))
}

// A pairPlan describes how the games of a pair are divided into jobs.
type pairPlan struct {
	pair     [2]int
	known    bool // the first task of the pair has a result, so the game duration is known
	size     int  // planGames per job
	gameTime time.Duration
}

func pairOf(o arena.Encounter) [2]int { return [2]int{min(o.A, o.B), max(o.A, o.B)} }

// paceFor returns how the games of a pair are divided into jobs. The division depends only on the result of the
// pair's first job, so that each game is always in the same job.
func (e *tournamentPlan) paceFor(o arena.Encounter) (*pairPlan, error) {
	w := &pairPlan{pair: pairOf(o), gameTime: defaultCost / probeGames}
	first := findResult(e.parts, w.firstKey())
	if first == nil {
		return w, nil
	}
	var played ArenaPlayed
	if err := json.Unmarshal(first.Output, &played); err != nil {
		return nil, fmt.Errorf("read the part %s: %w", first.Key, err)
	}
	w.known, w.gameTime = true, max(time.Duration(played.SecondsPerGame*float64(time.Second)), targetTime/maxGames)
	w.size = max(1, min(int(targetTime/w.gameTime), maxBytes/max(played.Bytes, 1), maxGames))
	if games := e.opened.Opened.Rules.Games; w.size > games {
		w.size -= w.size % games
	}
	return w, nil
}

func (w *pairPlan) firstKey() string { return fmt.Sprintf("games %d-%d first", w.pair[0], w.pair[1]) }

// key returns the key of the job that plays game k.
func (w *pairPlan) key(r *arena.Rules, k arena.Key) string {
	if !w.known {
		return w.firstKey()
	}
	at := (k.Round-1)*r.Games + k.Leg - 1
	return fmt.Sprintf("games %d-%d %d", w.pair[0], w.pair[1], at-at%w.size)
}

// A batch is a job of kind Games.
type batch struct {
	key        string
	pair       [2]int
	encounters []arena.Encounter
	games      int
	gameTime   time.Duration // per game
}

// add adds the i-th game of an encounter.
func (b *batch) add(o arena.Encounter, i int) {
	b.games++
	if n := len(b.encounters); n > 0 {
		last := &b.encounters[n-1]
		if last.Round == o.Round && last.A == o.A && last.Offset+last.Games == o.Offset+i {
			last.Games++
			return
		}
	}
	o.Offset, o.Games = o.Offset+i, 1
	b.encounters = append(b.encounters, o)
}

// batchTask returns the job that plays a batch. If a job has played only some of the batch, another job with another key
// plays the remaining games.
func (e *tournamentPlan) batchTask(b *batch) (*Task, error) {
	key := b.key
	for n := 1; findResult(e.parts, key) != nil; n++ {
		if n == maxTries {
			return nil, fmt.Errorf("%d jobs have not played the %s", maxTries, b.key)
		}
		key = fmt.Sprintf("%s again %d", b.key, n)
	}
	o := GamesOptions{Opened: e.opened.Opened, Only: b.encounters, Language: e.options.Language}
	s := *e.spec
	s.Work.Files = nil
	for _, id := range b.pair {
		if id < 1 || id > len(e.options.Bots) {
			return nil, fmt.Errorf("the event has no bot %d", id)
		}
		bot := e.options.Bots[id-1]
		o.Bots = append(o.Bots, bot)
		own, _, _ := strings.Cut(bot.Path, "/")
		for _, f := range e.spec.Work.Files {
			if strings.HasPrefix(f.Path, own+"/") {
				s.Work.Files = append(s.Work.Files, f)
			}
		}
	}
	work, err := s.taskWork(job.Games, o)
	return &Task{Key: key, Work: work, Priority: job.GamePriority, Cost: time.Duration(b.games) * b.gameTime}, err
}

func checkAnalysis(s *Spec) error {
	var o AnalysisOptions
	if err := s.decodeOptions(&o); err != nil {
		return err
	}
	if o.Opened == nil {
		return errors.New("the options name no event")
	}
	if len(s.Work.Files) == 0 {
		return errors.New("there are no games to look at")
	}
	return nil
}

// planAnalysis plans one job per file.
func planAnalysis(s *Spec, parts []TaskResult) (*Step, error) {
	step := &Step{Done: true}
	for _, f := range s.Work.Files {
		key := "look " + f.Path
		if !step.isMissing(findResult(parts, key), "") {
			continue
		}
		step.Done = false
		one := *s
		one.Work.Files = []job.File{f}
		work, err := one.taskWork(job.Analysis, s.Options)
		if err != nil {
			return nil, err
		}
		step.Tasks = append(step.Tasks, Task{Key: key, Work: work, Priority: job.GamePriority, Cost: defaultCost})
	}
	return step, nil
}
