package mutate

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"assay/judge/internal/strict"
)

//go:embed families.toml harness
var familyFiles embed.FS

// Family describes how programs in some languages are mutated. families.toml documents the fields.
type Family struct {
	Languages    []string `toml:"languages"`
	Lexis        Lexis    `toml:"lexis"`
	Mutations    []string `toml:"mutations"`
	Not          string   `toml:"not"`
	True         string   `toml:"true"`
	False        string   `toml:"false"`
	Heads        []string `toml:"heads"`
	Loops        []string `toml:"loops"`
	Types        []string `toml:"types"`
	Keywords     []string `toml:"keywords"`
	Frozen       []string `toml:"frozen"`
	IgnoredCalls []string `toml:"aside"`
	Empty        string   `toml:"empty"`
	MaxMutants   int      `toml:"most"`

	Harness      string            `toml:"harness"`
	Name         string            `toml:"name"`
	HarnessFiles []string          `toml:"beside"`
	Step         string            `toml:"step"`
	Print        string            `toml:"print"`
	Table        bool              `toml:"table"`
	Copy         string            `toml:"copy"`
	Body         string            `toml:"body"`
	Declare      string            `toml:"declare"`
	Call         string            `toml:"call"`
	Hoist        string            `toml:"hoist"`
	Hide         map[string]string `toml:"hide"`
	Main         string            `toml:"main"`
	Entry        string            `toml:"entry"`
	Ending       string            `toml:"ending"`
	Renames      string            `toml:"renames"`
	Batch        int               `toml:"batch"`
	Before       [][]string        `toml:"before"`
	Flags        []string          `toml:"flags"`
	Results      []string          `toml:"results"`
	Run          []string          `toml:"run"`
	Errors       string            `toml:"errors"`

	mutations           []mutation
	hoist, main, errors *regexp.Regexp
}

// mutation is a row of a mutation table: a token and its replacement.
type mutation struct {
	operator Operator
	token    string
	becomes  []string
}

// families returns the families in families.toml.
var families = sync.OnceValues(readFamilies)

func readFamilies() ([]*Family, error) {
	data, err := familyFiles.ReadFile("families.toml")
	if err != nil {
		return nil, err
	}
	var file struct {
		Family []*Family                                 `toml:"family"`
		Tables map[string]map[string]map[string][]string `toml:"tables"`
	}
	if _, faults := strict.Decode("families.toml", data, &file); len(faults) > 0 {
		return nil, faults
	}
	for _, f := range file.Family {
		for _, name := range f.Mutations {
			for _, op := range Operators() {
				for token, becomes := range file.Tables[name][string(op)] {
					f.mutations = append(f.mutations, mutation{op, token, becomes})
				}
			}
		}
		slices.SortStableFunc(f.mutations, func(a, b mutation) int {
			return slices.Compare([]string{a.token, string(a.operator)}, []string{b.token, string(b.operator)})
		})
		for _, e := range []struct {
			text string
			to   **regexp.Regexp
		}{{f.Hoist, &f.hoist}, {f.Main, &f.main}, {f.Errors, &f.errors}} {
			if e.text == "" {
				continue
			}
			if *e.to, err = regexp.Compile(e.text); err != nil {
				return nil, fmt.Errorf("families.toml: %w", err)
			}
		}
	}
	return file.Family, nil
}

// familyOf returns the family of a language in judge.toml, or nil if there is none.
func familyOf(language string) (*Family, error) {
	all, err := families()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if slices.Contains(f.Languages, language) {
			return f, nil
		}
	}
	return nil, nil
}

// CanMutate reports whether programs in a language of judge.toml can be mutated.
func CanMutate(language string) bool {
	f, err := familyOf(language)
	return language == goLanguage || f != nil || err != nil // Open reports the error
}

// goLanguage is the id of the language whose mutants are made from syntax trees.
const goLanguage = "go"
