package mutate

import (
	"cmp"
	"slices"
)

// Report is what is known of a suite, in a form that can be kept and drawn again.
type Report struct {
	Problem   string    `json:"problem"`
	Key       string    `json:"key"` // hash of all that the report depends on
	Cases     int       `json:"cases"`
	Seed      uint64    `json:"seed"`
	Searched  int       `json:"searched"` // inputs that were to be looked at for each survivor
	Programs  []Program `json:"programs"`
	Operators []Row     `json:"operators"`
	Total     Counts    `json:"total"`
	How       []Kind    `json:"how"` // how the killed ones died
	Mutants   []Living  `json:"mutants"`
	Notes     []string  `json:"notes,omitempty"`
}

// Counts are numbers of mutants.
type Counts struct {
	Mutants     int `json:"mutants"`
	Killed      int `json:"killed"`
	Survived    int `json:"survived"`
	Equivalent  int `json:"equivalent"`
	Unseparated int `json:"unseparated"`
	Unreached   int `json:"unreached"`
}

// Score is how many of the mutants that are known to be wrong the cases kill, in
// percent. It is never rounded up to 100.
func (c Counts) Score() float64 {
	if c.Killed+c.Survived == 0 {
		return 100
	}
	return float64(1000*c.Killed/(c.Killed+c.Survived)) / 10
}

func (c *Counts) add(s State) {
	c.Mutants++
	switch s {
	case Killed:
		c.Killed++
	case Survived:
		c.Survived++
	case Equivalent:
		c.Equivalent++
	case Unseparated:
		c.Unseparated++
	case Unreached:
		c.Unreached++
	}
}

// Program are the mutants of a program.
type Program struct {
	Path string `json:"path"`
	Counts
}

// Row are the mutants of an operator.
type Row struct {
	Operator Operator `json:"operator"`
	Counts
}

// Kind is a way to die.
type Kind struct {
	How   string `json:"how"`
	Count int    `json:"count"`
}

// Living is a mutant that no case kills.
type Living struct {
	State    State    `json:"state"`
	Program  string   `json:"program"`
	Place    string   `json:"place"` // file and line
	Operator Operator `json:"operator"`
	Diff     string   `json:"diff"`
	Reason   string   `json:"reason,omitempty"` // of a mark
	Input    string   `json:"input,omitempty"`  // that kills it
	Answer   string   `json:"answer,omitempty"`
	Origin   string   `json:"origin,omitempty"` // of the input
}

// Report makes a report of what has become of the mutants.
func (l *Lab) Report(results []*Result, h Hunt, key string) *Report {
	r := &Report{Problem: l.Folder.ID, Key: key, Cases: len(l.cases), Seed: h.Seed, Searched: h.Count, Notes: l.Notes}
	operators := map[Operator]*Counts{}
	how := map[string]int{}
	for _, s := range l.Subjects {
		program := Program{Path: s.Path}
		for _, m := range results {
			if m.Subject != s {
				continue
			}
			if operators[m.Operator] == nil {
				operators[m.Operator] = &Counts{}
			}
			for _, c := range []*Counts{&program.Counts, &r.Total, operators[m.Operator]} {
				c.add(m.State)
			}
			if m.State == Killed {
				how[m.How]++
				continue
			}
			alive := Living{State: m.State, Program: s.Path, Place: s.Name(m.Mutant), Operator: m.Operator, Diff: s.Diff(m.Mutant), Reason: m.Reason}
			if m.Find != nil {
				alive.Input, alive.Answer, alive.Origin = string(m.Find.Input), string(m.Find.Answer), m.Find.Origin
			}
			r.Mutants = append(r.Mutants, alive)
		}
		r.Programs = append(r.Programs, program)
	}
	for _, op := range Operators() {
		if c := operators[op]; c != nil {
			r.Operators = append(r.Operators, Row{op, *c})
		}
	}
	for name, n := range how {
		r.How = append(r.How, Kind{name, n})
	}
	slices.SortFunc(r.How, func(a, b Kind) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.How, b.How)) })
	return r
}
