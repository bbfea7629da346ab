package shadow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge/blob"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

const (
	mostFetches = 8  // at once
	mostTries   = 5  // attempts to fetch the files of a submission
	mostHeld    = 32 // submissions whose files are in memory
)

// A sent is a submission from the primary that is being imported.
type sent struct {
	store.ExternalObject
	o       object
	at      time.Time
	passed  time.Duration // contest time
	team    string        // id; empty if it has no team
	problem *store.ContestProblem
	// language is the id of the language on this server. It is empty if none matches.
	language string
	names    []string
	texts    [][]byte
	unjudged string // why no worker judges it
	later    bool   // it will be retried later
}

// A place contains the objects that submissions refer to.
type place struct {
	contest   *store.Contest
	account   *store.Account
	teams     map[string]string
	problems  map[string]*store.ContestProblem
	languages []desk.Spoken
	there     map[string]bool // submissions
}

func (f *follower) place(ctx context.Context) (*place, error) {
	p := &place{teams: map[string]string{}, problems: map[string]*store.ContestProblem{}, there: map[string]bool{}}
	var errs [5]error
	var problems []*store.ContestProblem
	var teams []*store.Team
	var there []store.Shadowed
	p.contest, errs[0] = f.Store.Contest(ctx, f.source.Contest)
	p.account, errs[1] = f.Store.Account(ctx, f.source.Account)
	teams, errs[2] = f.Store.Teams(ctx, f.source.Contest)
	problems, errs[3] = f.Store.ContestProblems(ctx, f.source.Contest)
	there, errs[4] = f.Store.ShadowedSubmissions(ctx, f.source.Contest)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for _, t := range teams {
		p.teams[t.ExtID] = t.ID
	}
	for _, one := range problems {
		p.problems[one.ExtID] = one
	}
	for _, s := range there {
		p.there[s.ExtID] = true
	}
	var err error
	p.languages, err = f.Languages(problems)
	return p, err
}

// submissions imports the fresh submissions in the order in which the primary received them.
func (f *follower) submissions(ctx context.Context) error {
	p, err := f.place(ctx)
	if err != nil {
		return err
	}
	var all []*sent
	var settled []store.ExternalObject
	for k, o := range f.fresh {
		if k.typ != "submissions" {
			continue
		}
		if o.Data == "" || p.there[o.ID] {
			settled = append(settled, o)
			continue
		}
		one, wrong := f.read(p, o)
		if wrong != "" {
			if err := f.note(ctx, "submissions", o.ID, wrong); err != nil {
				return err
			}
			settled = append(settled, o)
			continue
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *sent) int { return cmp.Or(a.at.Compare(b.at), naturally(a.ID, b.ID)) })
	for part := range slices.Chunk(all, mostHeld) {
		f.fetch(ctx, part)
		for _, one := range part {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if one.later {
				continue
			}
			if err := f.take(ctx, p, one); err != nil {
				return fmt.Errorf("take over the submission %s: %w", one.ID, err)
			}
			settled = append(settled, one.ExternalObject)
		}
	}
	if err := f.Store.SettleExternalObjects(ctx, f.source.Contest, settled); err != nil {
		return err
	}
	for _, o := range settled {
		delete(f.fresh, key{o.Type, o.ID})
	}
	f.Dispatch.Wake()
	return nil
}

// read resolves the references of a submission. If the submission cannot be imported, wrong is the reason.
func (f *follower) read(p *place, x store.ExternalObject) (one *sent, wrong string) {
	one = &sent{ExternalObject: x, o: parseObject(x.Data)}
	team, problem, language := one.o.text("team_id"), one.o.text("problem_id"), one.o.text("language_id")
	if one.team = p.teams[team]; one.team == "" && team != "" {
		return nil, fmt.Sprintf("the contest has no team %.40s", team)
	}
	if one.problem = p.problems[problem]; one.problem == nil {
		return nil, fmt.Sprintf("the contest has no problem %.60s", problem)
	}
	if !store.GoodExtID(x.ID) {
		return nil, "its id is not one of the Contest API"
	}
	if one.at = one.o.time("time"); one.at.IsZero() {
		return nil, fmt.Sprintf("its time is %.40q", one.o.text("time"))
	}
	one.passed = one.at.Sub(p.contest.Starts)
	if passed, is := one.o.duration("contest_time"); is && !p.contest.Starts.IsZero() {
		if late := one.passed - passed; late > time.Millisecond || late < -time.Millisecond { // in a removed interval
			one.at = p.contest.Starts.Add(passed)
		}
		one.passed = passed
	}
	one.language = f.language(p, language)
	switch {
	case p.contest.Length > 0 && !p.contest.Starts.IsZero() && one.passed >= p.contest.Length:
		one.unjudged = "the primary received it after the end of the contest: it is not judged here"
	case one.problem.Bundle == "": // already reported for the problem
	case one.language == "":
		one.unjudged = fmt.Sprintf("no problem of the contest takes the language %.40q: it is not judged here", language)
	case len(one.hrefs()) == 0:
		one.unjudged = "the primary does not show its files: it is not judged here"
	}
	return one, ""
}

// hrefs returns the addresses of a submission's files.
func (s *sent) hrefs() (all []string) {
	var files []struct {
		Href string `json:"href"`
	}
	if json.Unmarshal(s.o["files"], &files) == nil {
		for _, f := range files {
			if f.Href != "" {
				all = append(all, f.Href)
			}
		}
	}
	return all
}

// language returns the id of this server's language for a language of the primary. It prefers the language with
// the same id, then the first one with a common extension, then the first one with the same name. It returns an
// empty string if there is none.
func (f *follower) language(p *place, id string) string {
	theirs := f.mirror.object("languages", id)
	extensions := theirs.texts("extensions")
	for _, is := range []func(l desk.Spoken) bool{
		func(l desk.Spoken) bool { return l.ID == id },
		func(l desk.Spoken) bool {
			return slices.ContainsFunc(l.Endings, func(e string) bool { return slices.Contains(extensions, e) })
		},
		func(l desk.Spoken) bool { return strings.EqualFold(l.Name, theirs.text("name")) },
	} {
		if at := slices.IndexFunc(p.languages, is); at >= 0 {
			return p.languages[at].ID
		}
	}
	return ""
}

// fetch fetches the files of submissions, several at a time.
func (f *follower) fetch(ctx context.Context, all []*sent) {
	var group sync.WaitGroup
	places := make(chan struct{}, mostFetches)
	for _, one := range all {
		hrefs := one.hrefs()
		if len(hrefs) == 0 {
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			for _, href := range hrefs {
				data, err := f.primary.file(ctx, href)
				if err == nil {
					err = one.unpack(data, f.MaxSize)
				}
				if err != nil {
					one.failed(err)
					return
				}
			}
			if err := f.Bounded(one.files(), len(one.names) > 1 || strings.Contains(one.names[0], "/")); err != nil {
				one.failed(err)
			}
		})
	}
	group.Wait()
	for _, one := range all {
		if one.later {
			if f.failures[one.ID]++; f.failures[one.ID] >= mostTries {
				one.later = false
			}
		}
	}
}

// failed records why the files of a submission are missing. If the primary may provide the files later, failed
// marks the submission to be retried.
func (s *sent) failed(err error) {
	status, told := errors.AsType[*StatusError](err)
	_, refused := errors.AsType[*desk.Refusal](err)
	s.names, s.texts = nil, nil
	s.later = !refused && (!told || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests)
	s.unjudged = fmt.Sprintf("its files cannot be used: %v: it is not judged here", err)
}

// unpack reads an archive with the files of a submission.
func (s *sent) unpack(data []byte, most int64) error {
	names, texts, err := desk.ReadZip(data, most)
	if err == nil && len(names) == 0 {
		err = &desk.Refusal{Code: http.StatusBadRequest, Text: "the archive has no files"}
	}
	s.names, s.texts = append(s.names, names...), append(s.texts, texts...)
	return err
}

func (s *sent) files() (all []job.File) {
	for i, name := range s.names {
		all = append(all, job.File{Path: name, Size: int64(len(s.texts[i])), Digest: blob.Of(s.texts[i])})
	}
	return all
}

// take stores a submission unless it is already stored.
func (f *follower) take(ctx context.Context, p *place, s *sent) error {
	if f.Sweeping != nil {
		f.Sweeping.RLock()
		defer f.Sweeping.RUnlock()
	}
	for _, text := range s.texts {
		if err := f.Keep(ctx, p.account, text); err != nil {
			return err
		}
	}
	n := store.NewSubmission{
		Contest: p.contest.ID, Team: s.team, Account: p.account.ID, Problem: s.problem.Slug, Lane: job.Contest, Class: f.Class,
		ExtID: s.ID, At: s.at, Unjudged: s.unjudged != "" || s.problem.Bundle == "" || len(s.names) == 0,
		Work: job.Work{Kind: job.Submission, Bundle: s.problem.Bundle, Config: s.problem.Config, Problem: s.problem.Slug, Files: s.files(),
			Program: "no files", Language: cmp.Or(s.language, s.o.text("language_id"))},
	}
	if len(s.names) > 0 {
		n.Work.Program, n.Work.Folder = desk.ProgramOf(s.names)
	}
	var err error
	if !n.Unjudged {
		if n.Cost, err = f.Store.Cost(ctx, s.problem.Slug); err != nil {
			return err
		}
		if err := n.Work.Check(); err != nil {
			n.Unjudged, s.unjudged = true, fmt.Sprintf("it cannot be judged here: %v", err)
		}
	}
	if _, err = f.Store.Submit(ctx, n); err != nil && !errors.Is(err, store.ErrTaken) {
		return err
	}
	delete(f.failures, s.ID)
	return f.note(ctx, "submissions", s.ID, s.unjudged)
}
