package workspace

import (
	"assay/judge"
	"assay/judge/running/config"
)

// answersLanguage is what reports call the language of a submission that is outputs.
const answersLanguage = "outputs"

// Started is the event that opens a submission; l is nil for one that is outputs.
func (w *Workspace) Started(p *judge.Problem, path string, l *config.Language) *judge.Started {
	e := &judge.Started{
		Format: judge.EventFormat, Problem: p.ID, Title: p.Title, Program: path, Language: answersLanguage,
		TimeMS: p.Limits.CPU.Milliseconds(), Memory: p.Limits.Memory, Cases: p.Count(),
	}
	if l != nil {
		e.Language, e.Faster = l.Name, l.Faster
	}
	for _, g := range p.Groups {
		e.Groups = append(e.Groups, g.Name)
	}
	e.Rung, e.Weaker = w.Rung()
	return e
}
