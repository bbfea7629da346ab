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
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

const (
	maxFetches = 8  // at once
	maxTries   = 5  // attempts to fetch the files of a submission
	maxPending = 32 // importSubmissions whose files are in memory
)

// An importedSubmission is a submission from the primary that is being imported.
type importedSubmission struct {
	store.ExternalObject
	o       object
	at      time.Time
	passed  time.Duration // contest time
	team    string        // id; empty if it has no team
	problem *store.ContestProblem
	// language is the id of the language on this server. It is empty if none matches.
	language   string
	names      []string
	texts      [][]byte
	unjudged   string // why no worker judges it
	retryLater bool   // it will be retried later
}

// A references contains the objects that submissions refer to.
type references struct {
	contest   *store.Contest
	account   *store.Account
	teams     map[string]string
	problems  map[string]*store.ContestProblem
	languages []intake.SubmissionLanguage
	existing  map[string]bool // importSubmissions
}

func (f *follower) loadReferences(ctx context.Context) (*references, error) {
	p := &references{teams: map[string]string{}, problems: map[string]*store.ContestProblem{}, existing: map[string]bool{}}
	var errs [5]error
	var problems []*store.ContestProblem
	var teams []*store.Team
	var there []store.ShadowSubmission
	p.contest, errs[0] = f.Store.Contest(ctx, f.source.Contest)
	p.account, errs[1] = f.Store.Account(ctx, f.source.Account)
	teams, errs[2] = f.Store.Teams(ctx, f.source.Contest)
	problems, errs[3] = f.Store.ContestProblems(ctx, f.source.Contest)
	there, errs[4] = f.Store.ShadowSubmissions(ctx, f.source.Contest)
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
		p.existing[s.ExtID] = true
	}
	var err error
	p.languages, err = f.Languages(problems)
	return p, err
}

// importSubmissions imports the fresh submissions in the order in which the primary received them.
func (f *follower) importSubmissions(ctx context.Context) error {
	p, err := f.loadReferences(ctx)
	if err != nil {
		return err
	}
	var submissions []*importedSubmission
	var settled []store.ExternalObject
	for k, o := range f.fresh {
		if k.typ != "submissions" {
			continue
		}
		if o.Data == "" || p.existing[o.ID] {
			settled = append(settled, o)
			continue
		}
		one, wrong := f.resolve(p, o)
		if wrong != "" {
			if err := f.recordError(ctx, "submissions", o.ID, wrong); err != nil {
				return err
			}
			settled = append(settled, o)
			continue
		}
		submissions = append(submissions, one)
	}
	slices.SortFunc(submissions, func(a, b *importedSubmission) int { return cmp.Or(a.at.Compare(b.at), compareIDs(a.ID, b.ID)) })
	for part := range slices.Chunk(submissions, maxPending) {
		f.fetchFiles(ctx, part)
		for _, one := range part {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if one.retryLater {
				continue
			}
			if err := f.importSubmission(ctx, p, one); err != nil {
				return fmt.Errorf("take over the submission %s: %w", one.ID, err)
			}
			settled = append(settled, one.ExternalObject)
		}
	}
	if err := f.Store.MarkCopied(ctx, f.source.Contest, settled); err != nil {
		return err
	}
	for _, o := range settled {
		delete(f.fresh, key{o.Type, o.ID})
	}
	f.Dispatch.Wake()
	return nil
}

// resolve resolves the references of a submission. If the submission cannot be imported, wrong is the reason.
func (f *follower) resolve(p *references, x store.ExternalObject) (submission *importedSubmission, reason string) {
	submission = &importedSubmission{ExternalObject: x, o: parseObject(x.Data)}
	team, problem, language := submission.o.text("team_id"), submission.o.text("problem_id"), submission.o.text("language_id")
	if submission.team = p.teams[team]; submission.team == "" && team != "" {
		return nil, fmt.Sprintf("the contest has no team %.40s", team)
	}
	if submission.problem = p.problems[problem]; submission.problem == nil {
		return nil, fmt.Sprintf("the contest has no problem %.60s", problem)
	}
	if !store.IsExtID(x.ID) {
		return nil, "its id is not one of the Contest API"
	}
	if submission.at = submission.o.time("time"); submission.at.IsZero() {
		return nil, fmt.Sprintf("its time is %.40q", submission.o.text("time"))
	}
	submission.passed = submission.at.Sub(p.contest.Starts)
	if passed, is := submission.o.duration("contest_time"); is && !p.contest.Starts.IsZero() {
		if late := submission.passed - passed; late > time.Millisecond || late < -time.Millisecond { // in a removed interval
			submission.at = p.contest.Starts.Add(passed)
		}
		submission.passed = passed
	}
	submission.language = f.language(p, language)
	switch {
	case p.contest.Length > 0 && !p.contest.Starts.IsZero() && submission.passed >= p.contest.Length:
		submission.unjudged = "the primary received it after the end of the contest: it is not judged here"
	case submission.problem.Bundle == "": // already reported for the problem
	case submission.language == "":
		submission.unjudged = fmt.Sprintf("no problem of the contest takes the language %.40q: it is not judged here", language)
	case len(submission.hrefs()) == 0:
		submission.unjudged = "the primary does not show its files: it is not judged here"
	}
	return submission, ""
}

// hrefs returns the addresses of a submission's files.
func (s *importedSubmission) hrefs() (hrefs []string) {
	var files []struct {
		Href string `json:"href"`
	}
	if json.Unmarshal(s.o["files"], &files) == nil {
		for _, f := range files {
			if f.Href != "" {
				hrefs = append(hrefs, f.Href)
			}
		}
	}
	return hrefs
}

// language returns the id of this server's language for a language of the primary. It prefers the language with
// the same id, then the first one with a common extension, then the first one with the same name. It returns an
// empty string if there is none.
func (f *follower) language(p *references, id string) string {
	theirs := f.mirror.object("languages", id)
	extensions := theirs.texts("extensions")
	for _, is := range []func(l intake.SubmissionLanguage) bool{
		func(l intake.SubmissionLanguage) bool { return l.ID == id },
		func(l intake.SubmissionLanguage) bool {
			return slices.ContainsFunc(l.Extensions, func(e string) bool { return slices.Contains(extensions, e) })
		},
		func(l intake.SubmissionLanguage) bool { return strings.EqualFold(l.Name, theirs.text("name")) },
	} {
		if at := slices.IndexFunc(p.languages, is); at >= 0 {
			return p.languages[at].ID
		}
	}
	return ""
}

// fetchFiles fetches the files of submissions, several at a time.
func (f *follower) fetchFiles(ctx context.Context, submissions []*importedSubmission) {
	var group sync.WaitGroup
	places := make(chan struct{}, maxFetches)
	for _, one := range submissions {
		hrefs := one.hrefs()
		if len(hrefs) == 0 {
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			for _, href := range hrefs {
				data, err := f.primary.fetchFile(ctx, href)
				if err == nil {
					err = one.unpack(data, f.MaxSize)
				}
				if err != nil {
					one.setFailure(err)
					return
				}
			}
			if err := f.CheckLimits(one.files(), len(one.names) > 1 || strings.Contains(one.names[0], "/")); err != nil {
				one.setFailure(err)
			}
		})
	}
	group.Wait()
	for _, one := range submissions {
		if one.retryLater {
			if f.failures[one.ID]++; f.failures[one.ID] >= maxTries {
				one.retryLater = false
			}
		}
	}
}

// setFailure records why the files of a submission are missing. If the primary may provide the files later, failed
// marks the submission to be retried.
func (s *importedSubmission) setFailure(err error) {
	status, told := errors.AsType[*StatusError](err)
	_, refused := errors.AsType[*intake.Refusal](err)
	s.names, s.texts = nil, nil
	s.retryLater = !refused && (!told || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests)
	s.unjudged = fmt.Sprintf("its files cannot be used: %v: it is not judged here", err)
}

// unpack reads an archive with the files of a submission.
func (s *importedSubmission) unpack(data []byte, maxBytes int64) error {
	names, texts, err := intake.ReadZip(data, maxBytes)
	if err == nil && len(names) == 0 {
		err = &intake.Refusal{Code: http.StatusBadRequest, Text: "the archive has no files"}
	}
	s.names, s.texts = append(s.names, names...), append(s.texts, texts...)
	return err
}

func (s *importedSubmission) files() (files []job.File) {
	for i, name := range s.names {
		files = append(files, job.File{Path: name, Size: int64(len(s.texts[i])), Digest: blob.DigestOf(s.texts[i])})
	}
	return files
}

// importSubmission stores a submission unless it is already stored.
func (f *follower) importSubmission(ctx context.Context, p *references, s *importedSubmission) error {
	if f.CollectLock != nil {
		f.CollectLock.RLock()
		defer f.CollectLock.RUnlock()
	}
	for _, text := range s.texts {
		if err := f.StoreBlob(ctx, p.account, text); err != nil {
			return err
		}
	}
	n := store.NewSubmission{
		Contest: p.contest.ID, Team: s.team, Account: p.account.ID, Problem: s.problem.Slug, Priority: job.ContestPriority, Class: f.Class,
		ExtID: s.ID, At: s.at, Unjudged: s.unjudged != "" || s.problem.Bundle == "" || len(s.names) == 0,
		Work: job.Work{Kind: job.Submission, Bundle: s.problem.Bundle, Config: s.problem.Config, Problem: s.problem.Slug, Files: s.files(),
			Program: "no files", Language: cmp.Or(s.language, s.o.text("language_id"))},
	}
	if len(s.names) > 0 {
		n.Work.Program, n.Work.IsDir = intake.ProgramName(s.names)
	}
	var err error
	if !n.Unjudged {
		if n.Cost, err = f.Store.EstimateCost(ctx, s.problem.Slug); err != nil {
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
	return f.recordError(ctx, "submissions", s.ID, s.unjudged)
}
