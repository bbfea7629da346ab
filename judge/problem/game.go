package problem

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// Game describes the directory as a game for the arena, as configured in problem.toml.
type Game struct {
	Referee  *judge.SetterProgram // a kit program (referee.Main)
	Files    bool                 // whether contestants are files that the referee reads, not programs
	Tester   string               // path of the bot against which other bots are tested; empty if none
	Try      string               // the rule set for tests; empty for the default one
	Graded   []string             // names of bots in solutions/<id>/bots, from weakest to strongest
	Adapters []Adapter
	Rules    []RuleSet // the first one is the default
	Checks   []Check
	Options  map[string]string
	// Statement is the path of the text for bot authors. If it is empty and the directory is only a game, the
	// directory's statement is used.
	Statement string
	Examples  []string          // paths of bots for authors to copy
	Meanings  map[string]string // explanations of options, for bot authors
}

// Adapter converts bots that are not programs to programs.
type Adapter struct {
	Folder     string           // directory whose files are copied beside the bot's
	Extensions []string         // extensions of the bots that it adapts
	As         string           // name of the directory for the bot's files
	Imports    []*regexp.Regexp // expressions whose $1 is the name of a file that the bot needs
	Entry      []string         // names of files that start a bot directory, directly or adapted
	Main       []*regexp.Regexp // if no such file exists, the bot's main file matches one of these
	Unless     []*regexp.Regexp
}

// Takes reports whether the adapter applies to a bot. The bot must have one of the extensions, and its text must
// not match an expression of Unless.
func (a *Adapter) Takes(extension string, text []byte) bool {
	return slices.Contains(a.Extensions, extension) &&
		!slices.ContainsFunc(a.Unless, func(re *regexp.Regexp) bool { return re.Match(text) })
}

// Check is a starting position from which a bot is tested.
type Check struct {
	Name    string
	Options map[string]string // override the options of the rule set
}

// RuleSet is a set of rules, as data.
type RuleSet struct {
	Name, Title   string
	Format        string // format of the schedule
	Rounds, Games int
	Score         GameScore
	Move, Clock   time.Duration
	Start         time.Duration
	Wall          float64
	Memory        int64
	Costs         map[string]string // what is lost by a fault: "game" or "event"
	Options       map[string]string // all options of the referee
	Form          *regexp.Regexp    // matches bots written for these rules; may be nil
}

// GameScore defines how many points games give.
type GameScore struct {
	By   string  `toml:"by"`
	Win  float64 `toml:"win"`
	Draw float64 `toml:"draw"`
	Loss float64 `toml:"loss"`
}

// OnlyGame reports whether the directory is a game and not also a problem: it contains nothing to judge a program
// other than a bot.
func (f *Directory) OnlyGame() bool {
	return f.Game != nil && f.Reference == nil && f.Generator == nil && f.Validator == nil && f.CaseCount() == 0 && f.FormatPath() == ""
}

// game is the [game] table of problem.toml.
type game struct {
	Referee  string         `toml:"referee"`
	Args     []string       `toml:"args"`
	Bots     string         `toml:"bots"`
	Tester   string         `toml:"tester"`
	Try      string         `toml:"try"`
	Graded   []string       `toml:"graded"`
	Adapters []adapter      `toml:"adapter"`
	Options  map[string]any `toml:"options"`
	Rules    []ruleSet      `toml:"rules"`
	Checks   []trial        `toml:"check"`

	Statement string            `toml:"statement"`
	Examples  []string          `toml:"examples"`
	Meanings  map[string]string `toml:"meanings"`
}

type trial struct {
	Name    string         `toml:"name"`
	Options map[string]any `toml:"options"`
}

type adapter struct {
	Folder     string   `toml:"directory"`
	Extensions []string `toml:"extensions"`
	As         string   `toml:"as"`
	Imports    []string `toml:"imports"`
	Entry      []string `toml:"entry"`
	Main       []string `toml:"main"`
	Unless     []string `toml:"unless"`
}

type ruleSet struct {
	Name    string            `toml:"name"`
	Title   string            `toml:"title"`
	Format  string            `toml:"format"`
	Rounds  int               `toml:"rounds"`
	Games   int               `toml:"games"`
	Score   *GameScore        `toml:"score"`
	Move    strict.Duration   `toml:"move"`
	Clock   strict.Duration   `toml:"clock"`
	Start   strict.Duration   `toml:"start"`
	Wall    float64           `toml:"wall"`
	Memory  strict.Size       `toml:"memory"`
	Costs   map[string]string `toml:"costs"`
	Options map[string]any    `toml:"options"`
	Form    string            `toml:"form"`
}

const (
	botsArePrograms = "programs"
	botsAreFiles    = "files"
)

func (f *Directory) readGame(t *game) (faults judge.ProblemErrors) {
	if t == nil {
		return nil
	}
	made := &Game{}
	program := func(key, name string) string {
		path, bad := f.readProgram(key, name)
		faults = append(faults, bad...)
		return path
	}
	if t.Referee == "" {
		faults = append(faults, f.Fault("game", "the game has no referee", `referee = "referee" is a program that calls referee.Main`))
	} else {
		made.Referee = &judge.SetterProgram{Path: program("game.referee", t.Referee), Args: t.Args, Protocol: "kit"}
	}
	if t.Tester != "" {
		made.Tester = program("game.tester", t.Tester)
	}
	made.Try, made.Graded = t.Try, t.Graded
	if t.Bots != "" && t.Bots != botsArePrograms && t.Bots != botsAreFiles {
		faults = append(faults, f.Fault("game.bots", fmt.Sprintf("unknown kind of bots %q", t.Bots), suggest.Hint(
			t.Bots, []string{botsArePrograms, botsAreFiles},
		)))
	}
	made.Files = t.Bots == botsAreFiles
	made.Options = texts(t.Options)
	for i := range t.Adapters {
		a, bad := f.readAdapter(fmt.Sprintf("game.adapter[%d]", i), &t.Adapters[i])
		made.Adapters, faults = append(made.Adapters, a), append(faults, bad...)
	}
	if len(t.Rules) == 0 {
		faults = append(faults, f.Fault("game", "the game has no rules", "add a [[game.rules]] table with a name"))
	}
	for i := range t.Rules {
		r, bad := f.readRules(fmt.Sprintf("game.rules[%d]", i), &t.Rules[i], made)
		made.Rules, faults = append(made.Rules, r), append(faults, bad...)
	}
	for i, c := range t.Checks {
		options, bad := f.readOptions(fmt.Sprintf("game.check[%d]", i), c.Options, made)
		made.Checks, faults = append(made.Checks, Check{c.Name, options}), append(faults, bad...)
	}
	f.Game = made
	return append(faults, f.readGameTexts(t)...)
}

// readGameTexts reads a game's texts for bot authors.
func (f *Directory) readGameTexts(t *game) (faults judge.ProblemErrors) {
	if t.Statement != "" {
		f.Game.Statement, faults = f.readText("game.statement", t.Statement)
	}
	for i, name := range t.Examples {
		if !filepath.IsLocal(name) {
			faults = append(faults, f.Fault(
				exampleKey(i), fmt.Sprintf("the example %q is not inside the problem directory", name),
				"write its path relative to the problem directory",
			))
			continue
		}
		f.Game.Examples = append(f.Game.Examples, filepath.Join(f.Dir, name))
	}
	f.Game.Meanings = t.Meanings
	for _, name := range slices.Sorted(maps.Keys(t.Meanings)) {
		if _, known := f.Game.Options[name]; !known {
			faults = append(faults, f.Fault(
				"game.meanings."+name, fmt.Sprintf("unknown option %q", name),
				suggest.Hint(name, slices.Sorted(maps.Keys(f.Game.Options))),
			))
		}
	}
	return faults
}

func exampleKey(i int) string { return fmt.Sprintf("game.examples[%d]", i) }

// lintGame finds missing texts for bot authors.
func (f *Directory) lintGame() (faults judge.ProblemErrors) {
	if f.Game == nil {
		return nil
	}
	faults = f.lintText("game.statement", f.Game.Statement)
	for i, path := range f.Game.Examples {
		faults = append(faults, f.lintText(exampleKey(i), path)...)
	}
	return faults
}

func (f *Directory) readAdapter(key string, t *adapter) (a Adapter, faults judge.ProblemErrors) {
	a = Adapter{Extensions: t.Extensions, As: t.As, Entry: t.Entry}
	a.Folder, faults = f.readProgram(key+".directory", t.Folder)
	if t.As == "" || len(t.Extensions) == 0 {
		faults = append(
			faults,
			f.Fault(key, "the adapter has no extensions or no directory for bots", `write, for example: extensions = ["py"], as = "bot"`),
		)
	}
	compile := func(name string, to *[]*regexp.Regexp, texts []string) {
		for _, text := range texts {
			re, err := regexp.Compile(text)
			if err != nil {
				faults = append(faults, f.Fault(key+"."+name, err.Error(), expressionsHint))
				continue
			}
			*to = append(*to, re)
		}
	}
	compile("imports", &a.Imports, t.Imports)
	compile("main", &a.Main, t.Main)
	compile("unless", &a.Unless, t.Unless)
	return a, faults
}

const expressionsHint = "use Go's syntax of regular expressions: https://pkg.go.dev/regexp/syntax"

// Default values of a rule set.
const (
	usualMove   = 5 * time.Second
	usualStart  = 10 * time.Second
	usualWall   = 3
	usualMemory = 512 << 20
)

func (f *Directory) readRules(key string, t *ruleSet, g *Game) (r RuleSet, faults judge.ProblemErrors) {
	bad := func(name, text, hint string) { faults = append(faults, f.Fault(key+"."+name, text, hint)) }
	r = RuleSet{
		Name: t.Name, Title: t.Title, Format: t.Format, Rounds: t.Rounds, Games: t.Games,
		Move: time.Duration(t.Move), Clock: time.Duration(t.Clock), Start: time.Duration(t.Start),
		Wall: t.Wall, Memory: int64(t.Memory), Costs: t.Costs,
		Score: GameScore{By: "game", Win: 1, Draw: 0.5},
	}
	if t.Name == "" {
		bad("name", "the rule set has no name", `name = "classic"`)
	}
	if slices.ContainsFunc(g.Rules, func(o RuleSet) bool { return o.Name == t.Name }) {
		bad("name", fmt.Sprintf("there are two rule sets %q", t.Name), "choose different names")
	}
	if t.Score != nil {
		r.Score = *t.Score
	}
	if r.Format == "" {
		r.Format = "round-robin"
	}
	r.Rounds, r.Games = max(r.Rounds, 1), max(r.Games, 1)
	if r.Move == 0 && r.Clock == 0 {
		r.Move = usualMove
	}
	if r.Start == 0 {
		r.Start = usualStart
	}
	if r.Memory == 0 {
		r.Memory = usualMemory
	}
	switch {
	case r.Wall == 0:
		r.Wall = usualWall
	case r.Wall < 1 || math.IsNaN(r.Wall):
		bad("wall", "the wall time cannot be less than the CPU time", "wall = 3 means three times the CPU time")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Costs)) {
		if cost := t.Costs[name]; cost != "game" && cost != "event" {
			bad("costs."+name, fmt.Sprintf("a fault cannot cost %q", cost), `"game" or "event"`)
		}
	}
	if t.Form != "" {
		var err error
		if r.Form, err = regexp.Compile(t.Form); err != nil {
			bad("form", err.Error(), expressionsHint)
		}
	}
	r.Options = maps.Clone(g.Options)
	own, wrong := f.readOptions(key, t.Options, g)
	maps.Copy(r.Options, own)
	return r, append(faults, wrong...)
}

// readOptions reads option values. They must be options of the game.
func (f *Directory) readOptions(key string, values map[string]any, g *Game) (map[string]string, judge.ProblemErrors) {
	var faults judge.ProblemErrors
	own := texts(values)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, known := g.Options[name]; !known {
			faults = append(faults, f.Fault(key+".options."+name, fmt.Sprintf("unknown option %q", name), suggest.Hint(
				name, slices.Sorted(maps.Keys(g.Options)),
			)+"; [game.options] lists all options with their defaults"))
			delete(own, name)
		}
	}
	return own, faults
}

// texts converts option values to strings for a referee.
func texts(values map[string]any) map[string]string {
	all := map[string]string{}
	for name, v := range values {
		switch v {
		case true:
			v = "yes"
		case false:
			v = "no"
		}
		all[name] = fmt.Sprint(v)
	}
	return all
}
