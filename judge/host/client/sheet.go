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

// Sheet is what contestants see of a problem. Who publishes it makes it, for a server reads
// no problem folders.
type Sheet struct {
	Format    int      `json:"format"` // SheetFormat
	Title     string   `json:"title"`
	Statement string   `json:"statement"` // Markdown, in sheets before there were Statements
	TimeMS    int64    `json:"time_ms"`   // of a case; 0 for no limit
	Memory    int64    `json:"memory_bytes"`
	Output    int64    `json:"output_bytes,omitempty"` // 0 if it is not known
	Cases     int      `json:"cases,omitempty"`        // how many test cases there are; 0 if it is not known
	Samples   []Sample `json:"samples,omitempty"`
	Golf      bool     `json:"golf,omitempty"` // answers can be proved on a domain
	// GolfStatement is what a hole shows. If its text is empty, it shows the first of Statements.
	GolfStatement string            `json:"golf_statement,omitempty"`
	GolfPictures  map[string]string `json:"golf_pictures,omitempty"`
	Statements    []SheetStatement  `json:"statements,omitempty"` // one a language, the usual one first
	Files         []SheetFile       `json:"files,omitempty"`      // that statements show, and attachments
	Languages     []OfferedLanguage `json:"languages,omitempty"`  // in the order in which they claim endings
	Game          *SheetGame        `json:"game,omitempty"`       // nil for a problem that is none
}

// SheetStatement is the statement in a language.
type SheetStatement struct {
	Language string `json:"language,omitempty"` // its code, such as "de"
	Text     string `json:"text,omitempty"`     // Markdown
	// Pictures are the names of the files that Text shows, by the paths that it has for them.
	Pictures map[string]string `json:"pictures,omitempty"`
	Document string            `json:"document,omitempty"` // the name of the file that is the statement as a PDF or HTML
}

// SheetFile is a file that contestants may read: of the bundle, or with its bytes in the sheet.
type SheetFile struct {
	Name     string      `json:"name"`
	Type     string      `json:"type"` // as in a Content-Type header
	Size     int64       `json:"size"`
	Digest   blob.Digest `json:"sha256"`
	Width    int         `json:"width,omitempty"` // of a picture, in pixels; 0 if it is not known
	Height   int         `json:"height,omitempty"`
	Attached bool        `json:"attached,omitempty"` // the problem's page lists it
	Data     []byte      `json:"data,omitempty"`     // of a picture that was made of another one
}

// All returns the statements, one a language, also those of an old sheet.
func (s *Sheet) All() []SheetStatement {
	if len(s.Statements) == 0 && s.Statement != "" {
		return []SheetStatement{{Text: s.Statement}}
	}
	return s.Statements
}

// In returns the statements in some languages. If there are none, it returns all.
func (s *Sheet) In(only []string) []SheetStatement {
	all := s.All()
	other := func(one SheetStatement) bool { return !slices.Contains(only, one.Language) }
	if some := slices.DeleteFunc(slices.Clone(all), other); len(some) > 0 {
		return some
	}
	return all
}

// File finds a file by its name; nil if there is none.
func (s *Sheet) File(name string) *SheetFile {
	for i := range s.Files {
		if s.Files[i].Name == name {
			return &s.Files[i]
		}
	}
	return nil
}

// SheetGame is what a sheet says of a game.
type SheetGame struct {
	Rules []SheetRules `json:"rules"`
	// Files says that bots are files that the game reads, and not programs.
	Files  bool `json:"files,omitempty"`
	Tester bool `json:"tester,omitempty"` // judge arena check can try a bot
	// Statement is the Markdown that authors of bots read. If empty, a ladder shows its rules alone.
	Statement string            `json:"statement,omitempty"`
	Adapted   []string          `json:"adapted,omitempty"`  // extensions of bots that the game adapts
	Meanings  map[string]string `json:"meanings,omitempty"` // of the game's options
	Examples  []SheetBot        `json:"examples,omitempty"`
}

// SheetBot is a bot to copy.
type SheetBot struct {
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // its name
	Text     string `json:"text"`
}

// SheetRules is a rule set of a game.
type SheetRules struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
}

// Sample is a case of the statement.
type Sample struct {
	Name string `json:"name"`
	In   string `json:"in"`
	Ans  string `json:"ans"` // "" where there is none to be shown
	// Cut says that they are too long, and end early.
	Cut bool `json:"cut,omitempty"`
}

// OfferedLanguage is a language that a submission may be in.
type OfferedLanguage struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Extensions []string `json:"extensions"` // without the point
}

// Claiming returns the languages that claim the extension of a file, as the command does: other
// letter cases count where none has exactly this one.
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

// SheetFormat is the version of Sheet; MaxSheet is the most bytes of one.
const (
	SheetFormat = 1
	MaxSheet    = 4 << 20
)

// ParseSheet reads a sheet.
func ParseSheet(data []byte) (*Sheet, error) {
	s := &Sheet{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("the sheet of the problem cannot be read: %w", err)}
	}
	if s.Format != SheetFormat {
		return nil, &judge.Misuse{Err: fmt.Errorf("the sheet of the problem has the format %d; this program knows %d", s.Format, SheetFormat)}
	}
	return s, nil
}
