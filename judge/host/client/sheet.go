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

// A Sheet is the problem metadata that contestants see. The publisher creates it, because a server does not read
// problem directories.
type Sheet struct {
	Format    int      `json:"format"` // SheetFormat
	Title     string   `json:"title"`
	Statement string   `json:"statement"` // Markdown; only in old sheets, without Statements
	TimeMS    int64    `json:"time_ms"`   // per test case; 0 means no limit
	Memory    int64    `json:"memory_bytes"`
	Output    int64    `json:"output_bytes,omitempty"` // 0 if unknown
	Cases     int      `json:"cases,omitempty"`        // number of test cases; 0 if unknown
	Samples   []Sample `json:"samples,omitempty"`
	Golf      bool     `json:"golf,omitempty"` // golf submissions can be checked
	// GolfStatement is the text of a hole's page. If empty, the page shows the first of Statements.
	GolfStatement string            `json:"golf_statement,omitempty"`
	GolfPictures  map[string]string `json:"golf_pictures,omitempty"`
	Statements    []SheetStatement  `json:"statements,omitempty"` // one per language, the default first
	Files         []SheetFile       `json:"files,omitempty"`      // files that statements show, and attachments
	Languages     []OfferedLanguage `json:"languages,omitempty"`  // in the order in which they claim file extensions
	Game          *SheetGame        `json:"game,omitempty"`       // nil if the problem is not a game
}

// A SheetStatement is the statement in one natural language.
type SheetStatement struct {
	Language string `json:"language,omitempty"` // its code, such as "de"
	Text     string `json:"text,omitempty"`     // Markdown
	// Pictures maps the picture paths in Text to file names.
	Pictures map[string]string `json:"pictures,omitempty"`
	Document string            `json:"document,omitempty"` // name of the file with the statement as PDF or HTML
}

// A SheetFile is a file that contestants may read. It is either a file of the bundle, or has its bytes in the
// sheet.
type SheetFile struct {
	Name     string      `json:"name"`
	Type     string      `json:"type"` // media type, as in a Content-Type header
	Size     int64       `json:"size"`
	Digest   blob.Digest `json:"sha256"`
	Width    int         `json:"width,omitempty"` // of a picture, in pixels; 0 if unknown
	Height   int         `json:"height,omitempty"`
	Attached bool        `json:"attached,omitempty"` // the problem's page lists it
	Data     []byte      `json:"data,omitempty"`     // bytes of a converted picture
}

// All returns the statements, one per language. It also works for old sheets.
func (s *Sheet) All() []SheetStatement {
	if len(s.Statements) == 0 && s.Statement != "" {
		return []SheetStatement{{Text: s.Statement}}
	}
	return s.Statements
}

// In returns the statements in the given languages. If there is no statement in these languages, it returns all
// statements.
func (s *Sheet) In(only []string) []SheetStatement {
	all := s.All()
	other := func(one SheetStatement) bool { return !slices.Contains(only, one.Language) }
	if some := slices.DeleteFunc(slices.Clone(all), other); len(some) > 0 {
		return some
	}
	return all
}

// File returns the file with the given name. It returns nil if there is none.
func (s *Sheet) File(name string) *SheetFile {
	for i := range s.Files {
		if s.Files[i].Name == name {
			return &s.Files[i]
		}
	}
	return nil
}

// A SheetGame describes a game.
type SheetGame struct {
	Rules []SheetRules `json:"rules"`
	// Files reports whether bots are data files that the game reads, instead of programs.
	Files  bool `json:"files,omitempty"`
	Tester bool `json:"tester,omitempty"` // the command "judge arena check" can try a bot
	// Statement is the Markdown text for bot authors. If empty, a ladder shows only its rules.
	Statement string            `json:"statement,omitempty"`
	Adapted   []string          `json:"adapted,omitempty"`  // extensions of bot files that the game adapts
	Meanings  map[string]string `json:"meanings,omitempty"` // descriptions of the game's options
	Examples  []SheetBot        `json:"examples,omitempty"`
}

// A SheetBot is an example bot.
type SheetBot struct {
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // its name
	Text     string `json:"text"`
}

// A SheetRules is a rule set of a game.
type SheetRules struct {
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

// Claiming returns the languages that claim the extension of a file. It uses the same rule as the judge command:
// if no language has exactly this extension, it ignores letter case.
func Claiming(all []OfferedLanguage, file string) []OfferedLanguage {
	extension := strings.TrimPrefix(path.Ext(file), ".")
	var exact, folded []OfferedLanguage
	for _, l := range all {
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

// SheetFormat is the version of Sheet. MaxSheet is the maximum size of a sheet in bytes.
const (
	SheetFormat = 1
	MaxSheet    = 4 << 20
)

// ParseSheet reads a sheet.
func ParseSheet(data []byte) (*Sheet, error) {
	s := &Sheet{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("the problem metadata cannot be read: %w", err)}
	}
	if s.Format != SheetFormat {
		return nil, &judge.Misuse{Err: fmt.Errorf("the problem metadata has format %d, but this program supports only %d", s.Format, SheetFormat)}
	}
	return s, nil
}
