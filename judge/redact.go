package judge

import (
	"fmt"
	"slices"
	"strings"
)

// Visibility is how much of a judging a contestant may see. Each level includes the ones before it.
type Visibility string

const (
	// ShowVerdict shows the verdict and the score of the submission, and the compiler's log.
	ShowVerdict Visibility = "verdict"
	// ShowFirst also shows the number of the first case that failed.
	ShowFirst Visibility = "first"
	// ShowCases also shows the verdict and the time of each case, by number.
	ShowCases Visibility = "cases"
	// ShowSamples also shows all details of the cases in the statement.
	ShowSamples Visibility = "samples"
	// ShowAll shows everything.
	ShowAll Visibility = "all"
)

// VisibilityLevels lists the levels, beginning with the one that shows least.
var VisibilityLevels = []Visibility{ShowVerdict, ShowFirst, ShowCases, ShowSamples, ShowAll}

// Redact returns the events of one judging without the parts that a contestant may not see. It removes secret
// inputs, answers and generator lines, and everything that programs wrote about them: checkers' messages, standard
// error, dialogues. Cases and groups are numbered in judging order, except that samples keep their names. The
// checker's message for the team stays.
//
// Each event is rebuilt from the fields that may be seen. So new fields, events of newer versions, and events
// without an entry in redactions stay secret.
func Redact(events []Event, show Visibility) []Event {
	if show == ShowAll {
		return events
	}
	r := &redactor{show: show, numbers: map[string]string{}, ids: map[string]string{}, groups: map[string]string{}}
	for _, e := range events {
		r.number(e)
	}
	var kept []Event
	for _, e := range events {
		_, unknown := e.(*UnknownEvent)
		if redact := redactions[e.kind()]; redact != nil && !unknown {
			kept = append(kept, redact(r, e)...)
		}
	}
	return kept
}

// redactor redacts the events of one judging.
type redactor struct {
	show    Visibility
	numbers map[string]string // case numbers, by id
	ids     map[string]string // new case ids, by old id
	groups  map[string]string // numbers of secret groups, by name
	first   string            // id of the case that decided the verdict
}

// sees reports whether the redactor's level includes the level other.
func (r *redactor) sees(level Visibility) bool {
	return slices.Contains(VisibilityLevels, r.show) && slices.Index(VisibilityLevels, level) <= slices.Index(VisibilityLevels, r.show)
}

// number assigns numbers to the cases and groups of an event.
func (r *redactor) number(e Event) {
	switch e := e.(type) {
	case *Started:
		for _, name := range e.Groups {
			r.group(name)
		}
	case *CaseJudged:
		id := e.ID()
		switch {
		case r.ids[id] != "":
		case e.Static:
			r.ids[id] = r.group(e.Group) + "/" + StaticName
		default:
			r.numbers[id] = fmt.Sprint(len(r.numbers) + 1)
			r.ids[id] = r.group(e.Group) + "/" + r.numbers[id]
			if r.showsDetails(e) {
				r.ids[id] = id
			}
		}
	case *Finished:
		r.first = e.First
	}
}

// showsDetails reports whether all details of a case are shown.
func (r *redactor) showsDetails(c *CaseJudged) bool {
	return r.sees(ShowSamples) && isSample(c.Group) && !c.Static
}

// group returns the name of the sample group, or the number of another group.
func (r *redactor) group(name string) string {
	if isSample(name) {
		return name
	}
	if _, known := r.groups[name]; !known {
		r.groups[name] = fmt.Sprint(len(r.groups) + 1)
	}
	return r.groups[name]
}

// isSample reports whether the cases of a group are shown in the statement.
func isSample(group string) bool {
	return group == SampleGroup || strings.HasPrefix(group, SampleGroup+"/")
}

// redactions maps each kind of event to a function that returns the visible part of it. Kinds without an entry are
// not shown.
var redactions = map[string]func(*redactor, Event) []Event{
	"started": func(r *redactor, e Event) []Event {
		s := e.(*Started)
		kept := &Started{
			Format: s.Format, Problem: s.Problem, Title: s.Title, Program: s.Program, Language: s.Language, Faster: s.Faster,
			TimeMS: s.TimeMS, Memory: s.Memory, Isolation: s.Isolation, Unenforced: s.Unenforced,
		}
		if r.sees(ShowCases) {
			kept.Cases = s.Cases
			for _, name := range s.Groups {
				kept.Groups = append(kept.Groups, r.group(name))
			}
		}
		return []Event{kept}
	},
	"built": func(_ *redactor, e Event) []Event {
		b := e.(*Built)
		return []Event{&Built{Verdict: b.Verdict, Log: b.Log, Command: b.Command, Millis: b.Millis, Cached: b.Cached}}
	},
	"progressed": func(r *redactor, e Event) []Event {
		if p := e.(*Progressed); r.sees(ShowCases) {
			return []Event{&Progressed{Done: p.Done, Total: p.Total}}
		}
		return nil
	},
	"case": func(r *redactor, e Event) []Event {
		c := e.(*CaseJudged)
		id := r.ids[c.ID()]
		name := id[strings.LastIndex(id, "/")+1:]
		switch {
		case r.showsDetails(c):
			return []Event{&CaseJudged{
				Group: c.Group, Case: c.Case, Verdict: c.Verdict, Exec: c.Exec, Message: c.Message, Note: c.Note, Stderr: c.Stderr,
				Detail: c.Detail, Score: c.Score, Team: c.Team, Dialogue: c.Dialogue,
			}}
		case r.sees(ShowCases):
			return []Event{&CaseJudged{
				Group: r.group(c.Group), Case: name, Verdict: c.Verdict, Exec: withoutExit(c.Exec),
				Score: c.Score, Team: c.Team, Static: c.Static,
			}}
		case c.Team != "" && c.ID() == r.first:
			return []Event{&Noted{Text: c.Team}}
		}
		return nil
	},
	"group": func(r *redactor, e Event) []Event {
		g := e.(*GroupJudged)
		if !r.sees(ShowCases) {
			return nil
		}
		return []Event{
			&GroupJudged{Group: r.group(g.Group), Verdict: g.Verdict, Passed: g.Passed, Cases: g.Cases, Score: g.Score, Inner: g.Inner},
		}
	},
	"finished": func(r *redactor, e Event) []Event {
		f := e.(*Finished)
		kept := &Finished{Verdict: f.Verdict, Score: f.Score}
		switch {
		case r.sees(ShowCases):
			kept.Passed, kept.Judged, kept.Cases = f.Passed, f.Judged, f.Cases
			kept.First, kept.Slowest = r.ids[f.First], r.ids[f.Slowest]
			kept.TimeMS, kept.Memory = f.TimeMS, f.Memory
		case r.sees(ShowFirst):
			kept.First = r.numbers[f.First]
		}
		return []Event{kept}
	},
	"note":             redactAll, // about the package, for the problem's setter
	"arena":            redactAll, // events of games do not belong to the judging of a submission
	"arena-progressed": redactAll,
	"game":             redactAll,
	"standings":        redactAll,
	"try":              redactAll,
	"tried":            redactAll,
	"try-finished":     redactAll,
	"verify":           redactAll, // verifications are for setters
	"checked":          redactAll,
	"fault":            redactAll,
	"warning":          redactAll,
	"solution":         redactAll,
	"verified":         redactAll,
	"several":          redactAll, // each judging is redacted by itself
	"several-finished": redactAll,

	"cases-made":   redactAll, // test data is for setters
	"fresh-made":   redactAll,
	"files-made":   redactAll,
	"suite-pruned": redactAll,
	"coverage":     redactAll,
	"suite":        redactAll,
	"adequacy":     redactAll,
	"golf-proved":  redactAll, // its witness is an input
}

// withoutExit returns the parts of a run that a contestant may see: its times, and the limit that it exceeded if
// it was killed for that. A program could reveal what it has read by its exit code or its memory.
func withoutExit(x Exec) Exec {
	kept := Exec{CPU: x.CPU, Wall: x.Wall, Withheld: true}
	switch x.Killed {
	case CPUTime, WallTime, Memory, Output:
		kept.Killed = x.Killed
	}
	return kept
}

// redactAll is the redaction of events that contestants never see.
func redactAll(*redactor, Event) []Event { return nil }
