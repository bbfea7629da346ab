package feed

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/job"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// readSubmissions reads the submissions of a contest with their judgements and runs. If id is not empty, it reads
// only that submission. It adds the submissions that affect the ranks to counted.
func (c *Contest) readSubmissions(ctx context.Context, s *setup, id string, counted map[string]scoring.Submission) ([]*unit, error) {
	submissions, err := c.Store.APISubmissions(ctx, c.id, id)
	if err != nil {
		return nil, err
	}
	judgements, err := c.Store.APIJudgements(ctx, c.id, id)
	if err != nil {
		return nil, err
	}
	of := map[string][]*store.APIJudgement{}
	for _, j := range judgements {
		of[j.Submission] = append(of[j.Submission], j)
	}
	var all [3][]*unit // submissions, judgements, runs
	for _, one := range submissions {
		for i, u := range s.submission(one, of[one.ID]) {
			all[i] = append(all[i], u)
		}
		counted[one.ID] = scored(one, of[one.ID])
	}
	return slices.Concat(all[:]...), nil
}

// scored converts a submission for package scoring.
func scored(one *store.APISubmission, judgements []*store.APIJudgement) scoring.Submission {
	s := scoring.Submission{Number: one.Number, Team: one.Team, Problem: one.Label, At: one.At, Verdict: one.Given, Ignored: one.Ignored}
	if one.Given == store.Unjudged {
		s.Verdict = judge.NotJudged
	}
	for _, j := range judgements {
		if j.Current && one.Given == "" {
			s.Verdict, s.Score, s.Parts, s.Unverified = j.Verdict, j.Score, j.Parts, j.Unverified
			s.Ignored = one.Ignored || !j.Ended.IsZero() && j.Verdict == judge.NotJudged
		}
	}
	return s
}

// submission returns three units: for the submission, for its judgements, and for the runs of these judgements.
func (s *setup) submission(one *store.APISubmission, judgements []*store.APIJudgement) [3]*unit {
	units := [3]*unit{{key: key{clics.Submissions, one.ID}}, {key: key{clics.Judgements, one.ID}}, {key: key{clics.Runs, one.ID}}}
	if s.late(one) {
		return units
	}
	team := s.teams[one.Team]
	gone := one.Ignored
	for _, j := range judgements {
		gone = gone || j.Current && !j.Ended.IsZero() && j.Verdict == judge.NotJudged && one.Given == "" // canceled
	}
	base := item{team: one.Team, gone: gone, Facts: clics.Facts{Hidden: team == nil || team.Hidden}}
	if team == nil {
		base.only = clics.V2026 // in the other version each submission must have a team
	}
	it := base
	it.Object = s.submissionObject(one, team)
	units[0].items = []item{it}
	for _, j := range judgements {
		s.judgement(units[1], units[2], base, one, j)
	}
	return units
}

// late reports whether a submission was received after the contest ended for its team. Such a submission is not
// part of the contest.
func (s *setup) late(one *store.APISubmission) bool {
	c := s.scored
	if c.Start.IsZero() || c.Length <= 0 {
		return false
	}
	end := c.Length
	if team := s.teams[one.Team]; team != nil {
		end += max(team.ExtraTime, 0)
	}
	return c.Time(one.At) >= end
}

// contestTime converts a time to contest time. It returns 0 if the start is not known.
func (s *setup) contestTime(at time.Time) time.Duration {
	if s.scored.Start.IsZero() {
		return 0
	}
	return s.scored.Time(at)
}

func (s *setup) submissionObject(one *store.APISubmission, team *store.Team) clics.Object {
	o := clics.Object{
		"id": one.ExtID, "language_id": s.languageOf(one), "problem_id": s.problemByLabel(one.Label),
		"time": one.At, "contest_time": s.contestTime(one.At),
	}
	if team != nil {
		o["team_id"] = team.ExtID
	}
	if id := s.accounts[one.Account]; id != "" {
		o["account_id"] = id
	}
	if !one.Folder && len(one.Files) > 0 {
		switch language, _, _ := strings.Cut(s.languageOf(one), "-"); language {
		case "java", "kotlin":
			o["entry_point"] = strings.TrimSuffix(one.Entry, path.Ext(one.Entry))
		case "python", "python3", "pypy", "pypy3":
			o["entry_point"] = one.Entry
		}
	}
	if len(one.Files) > 0 {
		o["files"] = []clics.Object{{
			"href": fmt.Sprintf("contests/%s/submissions/%s/files/files.zip", s.contest.Slug, one.ExtID), "filename": "files.zip",
			"mime": "application/zip",
		}}
	}
	return o
}

// judgement adds a judgement to the unit judgements, and its runs to the unit runs. If the verdict is a judge
// error, or a judge must still verify it, only roles that see everything see the verdict. All other roles see the
// judgement as pending.
func (s *setup) judgement(judgements, runs *unit, base item, one *store.APISubmission, j *store.APIJudgement) {
	base.of, base.at = one.ID, one.At
	if !j.Current { // 2026-01 keeps it, and 2023-06 deletes it
		old := base
		old.gone, old.only = true, clics.V2023
		s.judged(judgements, runs, old, one, j, "")
		base.only = clics.V2026
		if base.gone {
			base.only = ""
		}
	}
	s.judged(judgements, runs, base, one, j, one.Given)
}

func (s *setup) judged(judgements, runs *unit, base item, one *store.APISubmission, j *store.APIJudgement, given judge.Verdict) {
	o := clics.Object{
		"id": j.ID, "submission_id": one.ExtID, "current": j.Current, "start_time": j.Started, "start_contest_time": s.contestTime(j.Started),
	}
	pending := base
	pending.Object = clone(o)
	verdict, ended := j.Verdict, j.Ended
	if given != "" && j.Current {
		verdict = given
		if ended.IsZero() {
			ended = j.Started
		}
	}
	known, ok := judgementType(verdict)
	if ended.IsZero() || !ok {
		judgements.items = append(judgements.items, pending)
		return
	}
	full := base
	full.Object = o
	o["judgement_type_id"], o["simplified_judgement_type_id"] = known.ID, known.Simplified
	o["end_time"], o["end_contest_time"] = ended, s.contestTime(ended)
	if j.Score != nil && s.contest.Format != store.ICPC {
		o["score"] = j.Score.Points
	}
	made, slowest := s.runs(base, j)
	if len(made) > 0 {
		o["max_run_time"] = clics.Seconds(slowest)
	}
	if verdict == judge.JudgeError || j.Unverified && (given == "" || !j.Current) {
		full.to, pending.to = insiders, outsiders
		judgements.items = append(judgements.items, pending)
		for i := range made {
			made[i].to = insiders
		}
	}
	judgements.items = append(judgements.items, full)
	runs.items = append(runs.items, made...)
}

// runs returns the runs of a judgement, and the time of the slowest. They are visible after the judgement has
// ended.
func (s *setup) runs(base item, j *store.APIJudgement) (all []item, slowest time.Duration) {
	n := 0
	for _, r := range j.Rows {
		verdict, ok := judgementType(r.Verdict)
		if !ok {
			continue
		}
		n++
		took := time.Duration(r.CPUUS) * time.Microsecond
		slowest = max(slowest, took)
		it := base
		it.Object = clics.Object{
			"id": fmt.Sprintf("%s-%d", shortID(j.ID), n), "judgement_id": j.ID, "ordinal": n, "judgement_type_id": verdict.ID,
			"time": j.Ended, "contest_time": s.contestTime(j.Ended), "run_time": clics.Seconds(took),
		}
		all = append(all, it)
	}
	return all, slowest
}

// shortID removes the hyphens from a UUID and shortens it, so that an id has at most 36 characters.
func shortID(id string) string {
	short := strings.ReplaceAll(id, "-", "")
	return short[max(0, len(short)-28):]
}

func judgementType(v judge.Verdict) (clics.JudgementType, bool) {
	types := clics.JudgementTypesOf(false)
	i := slices.IndexFunc(types, func(t clics.JudgementType) bool { return t.ID == string(v) })
	if i < 0 {
		return clics.JudgementType{}, false
	}
	return types[i], true
}

func clone(o clics.Object) clics.Object {
	c := make(clics.Object, len(o))
	for name, value := range o {
		c[name] = value
	}
	return c
}

// Files returns the files of a submission that a reader may read.
func (c *Contest) Files(ctx context.Context, to Reader, id string) ([]job.File, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, u := range c.units[clics.Submissions] {
		for i := range u.items {
			it := &u.items[i]
			if it.Object["id"] != id || !c.visible(to, u.typ, it) || !clics.Sees(to.Role, to.Version, u.typ, "files", c.own(to, it)) {
				continue
			}
			one, err := c.Store.Submission(ctx, u.of)
			if err != nil {
				return nil, err
			}
			return one.Files, nil
		}
	}
	return nil, store.ErrNotFound
}
