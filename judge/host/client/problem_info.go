package client

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/blob"
)

// A ProblemInfo is the problem metadata that contestants see. The publisher creates it, because a server does not read
// problem directories.
type ProblemInfo struct {
	Format    int      `json:"format"` // ProblemInfoFormat
	Title     string   `json:"title"`
	Statement string   `json:"statement"` // Markdown; only in old metadata, without Statements
	TimeMS    int64    `json:"time_ms"`   // per test case; 0 means no limit
	Memory    int64    `json:"memory_bytes"`
	Output    int64    `json:"output_bytes,omitempty"` // 0 if unknown
	Cases     int      `json:"cases,omitempty"`        // number of test cases; 0 if unknown
	Samples   []Sample `json:"samples,omitempty"`
	Golf      bool     `json:"golf,omitempty"` // golf submissions can be checked
	// GolfStatement is the text of a hole's page. If empty, the page shows the first of Statements.
	GolfStatement string            `json:"golf_statement,omitempty"`
	GolfPictures  map[string]string `json:"golf_pictures,omitempty"`
	Statements    []Statement       `json:"statements,omitempty"` // one per language, the default first
	Files         []ProblemFile     `json:"files,omitempty"`      // files that statements show, and attachments
	Languages     []OfferedLanguage `json:"languages,omitempty"`  // in the order in which they claim file extensions
	Game          *GameInfo         `json:"game,omitempty"`       // nil if the problem is not a game
}

// A Statement is the statement in one natural language.
type Statement struct {
	Language string `json:"language,omitempty"` // its code, such as "de"
	Text     string `json:"text,omitempty"`     // Markdown
	// Pictures maps the picture paths in Text to file names.
	Pictures map[string]string `json:"pictures,omitempty"`
	Document string            `json:"document,omitempty"` // name of the file with the statement as PDF or HTML
}

// A ProblemFile is a file that contestants may read. It is either a file of the bundle, or has its bytes in the
// sheet.
type ProblemFile struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"` // media type, as in a Content-Type header
	Size       int64       `json:"size"`
	Digest     blob.Digest `json:"sha256"`
	Width      int         `json:"width,omitempty"` // of a picture, in pixels; 0 if unknown
	Height     int         `json:"height,omitempty"`
	Attachment bool        `json:"attached,omitempty"` // the problem's page lists it
	Data       []byte      `json:"data,omitempty"`     // bytes of a converted picture
}

// AllStatements returns the statements, one per language. It also works for old metadata.
func (s *ProblemInfo) AllStatements() []Statement {
	if len(s.Statements) == 0 && s.Statement != "" {
		return []Statement{{Text: s.Statement}}
	}
	return s.Statements
}

// StatementsIn returns the statements in the given languages. If there is no statement in these languages, it returns all
// statements.
func (s *ProblemInfo) StatementsIn(languages []string) []Statement {
	all := s.AllStatements()
	other := func(one Statement) bool { return !slices.Contains(languages, one.Language) }
	if some := slices.DeleteFunc(slices.Clone(all), other); len(some) > 0 {
		return some
	}
	return all
}

// File returns the file with the given name. It returns nil if there is none.
func (s *ProblemInfo) File(name string) *ProblemFile {
	for i := range s.Files {
		if s.Files[i].Name == name {
			return &s.Files[i]
		}
	}
	return nil
}

// A GameInfo describes a game.
type GameInfo struct {
	Rules []RuleSet `json:"rules"`
	// DataBots reports whether bots are data files that the game reads, instead of programs.
	DataBots bool `json:"files,omitempty"`
	Tester   bool `json:"tester,omitempty"` // the command "judge arena check" can try a bot
	// Statement is the Markdown text for bot authors. If empty, a ladder shows only its rules.
	Statement         string            `json:"statement,omitempty"`
	AdaptedExtensions []string          `json:"adapted,omitempty"`  // extensions of bot files that the game adapts
	Meanings          map[string]string `json:"meanings,omitempty"` // descriptions of the game's options
	Examples          []ExampleBot      `json:"examples,omitempty"`
}

// An ExampleBot is an example bot.
type ExampleBot struct {
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // its name
	Text     string `json:"text"`
}

// A RuleSet is a rule set of a game.
type RuleSet struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
}

// A Sample is a sample test case of the statement.
type Sample struct {
	Name string `json:"name"`
	In   string `json:"in"`
	Ans  string `json:"ans"` // may be empty
	// Cut reports whether the texts were too long and have been truncated.
	Cut bool `json:"cut,omitempty"`
}

// An OfferedLanguage is a language that a submission may use.
type OfferedLanguage struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Extensions []string `json:"extensions"` // without the dot
}

// LanguagesForFile returns the languages that claim the extension of a file. It uses the same rule as the judge command:
// if no language has exactly this extension, it ignores letter case.
func LanguagesForFile(languages []OfferedLanguage, file string) []OfferedLanguage {
	extension := strings.TrimPrefix(path.Ext(file), ".")
	var exact, folded []OfferedLanguage
	for _, l := range languages {
		if slices.Contains(l.Extensions, extension) {
			exact = append(exact, l)
		} else if slices.ContainsFunc(l.Extensions, func(e string) bool { return strings.EqualFold(e, extension) }) {
			folded = append(folded, l)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// ProblemInfoFormat is the version of ProblemInfo. MaxProblemInfo is its maximum size in bytes.
const (
	ProblemInfoFormat = 1
	MaxProblemInfo    = 4 << 20
)

// ParseProblemInfo reads problem metadata.
func ParseProblemInfo(data []byte) (*ProblemInfo, error) {
	s := &ProblemInfo{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("the problem metadata cannot be read: %w", err)}
	}
	if s.Format != ProblemInfoFormat {
		return nil, &judge.UsageError{
			Err: fmt.Errorf("the problem metadata has format %d, but this program supports only %d", s.Format, ProblemInfoFormat),
		}
	}
	return s, nil
}
