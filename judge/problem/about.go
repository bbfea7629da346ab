package problem

import (
	"os"
	"path/filepath"
	"strings"
)

// About is the information in a package that does not affect judging: the [package] table of problem.toml. Import
// writes it, and export writes it back.
type About struct {
	Language  string              `toml:"language"` // of title and statement.md; empty means English
	UUID      string              `toml:"uuid"`
	Version   string              `toml:"version"`
	License   string              `toml:"license"`
	Owner     string              `toml:"rights_owner"`
	Embargo   string              `toml:"embargo_until"`
	Keywords  []string            `toml:"keywords"`
	Languages []string            `toml:"languages"` // allowed for submissions; empty means all
	Names     map[string]string   `toml:"names"`     // problem names in other languages
	Credits   map[string][]string `toml:"credits"`   // persons by kind, such as "authors"
}

// Statements returns the paths of statements in other languages, statement.<language>.md, by language.
func (f *Directory) Statements() map[string]string {
	found := map[string]string{}
	entries, _ := os.ReadDir(f.Dir) // no error expected: the directory was read a moment ago
	for _, e := range entries {
		if parts := strings.Split(e.Name(), "."); len(parts) == 3 && parts[0] == "statement" && parts[2] == "md" {
			found[parts[1]] = filepath.Join(f.Dir, e.Name())
		}
	}
	return found
}
