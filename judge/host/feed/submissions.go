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
	bySubmission := map[string][]*store.APIJudgement{}
	for _, j := range judgements {
		bySubmission[j.Submission] = append(bySubmission[j.Submission], j)
	}
	var units [3][]*unit // submissions, judgements, runs
	for _, one := range submissions {
		if team := s.teams[one.Team]; team != nil {
			one.Team = team.ID // the same bytes for all submissions
		}
		for i, u := range s.submissionUnits(one, bySubmission[one.ID]) {
			units[i] = append(units[i], u)
		}
		counted[one.ID] = toScoring(one, bySubmission[one.ID])
	}
	return slices.Concat(units[:]...), nil
}

// toScoring converts a submission for package scoring.
func toScoring(submission *store.APISubmission, judgements []*store.APIJudgement) scoring.Submission {
	s := scoring.Submission{
		Number: submission.Number, Team: submission.Team, Problem: submission.Label, At: submission.At,
		Verdict: submission.Override, Ignored: submission.Ignored,
	}
	if submission.Override == store.Unjudged {
		s.Verdict = judge.NotJudged
	}
	for _, j := range judgements {
		if j.Current && submission.Override == "" {
			s.Verdict, s.Score, s.Parts, s.Unverified = j.Verdict, j.Score, j.Parts, j.Unverified
			s.Ignored = submission.Ignored || !j.Ended.IsZero() && j.Verdict == judge.NotJudged
		}
	}
	return s
}

// submissionUnits returns three units: for the submission, for its judgements, and for the runs of these judgements.
func (s *setup) submissionUnits(submission *store.APISubmission, judgements []*store.APIJudgement) [3]*unit {
	units := [3]*unit{
		{unitKey: unitKey{clics.Submissions, submission.ID}}, {unitKey: unitKey{clics.Judgements, submission.ID}},
		{unitKey: unitKey{clics.Runs, submission.ID}},
	}
	if s.afterEnd(submission) {
		return units
	}
	team := s.teams[submission.Team]
	gone := submission.Ignored
	for _, j := range judgements {
		gone = gone || j.Current && !j.Ended.IsZero() && j.Verdict == judge.NotJudged && submission.Override == "" // canceled
	}
	base := item{team: submission.Team, removed: gone, Visibility: clics.Visibility{Hidden: team == nil || team.Hidden}}
	if team == nil {
		base.version = clics.V2026 // in the other version each submission must have a team
	}
	it := base
	it.made = s.submissionSource(submission, team)
	units[0].items = []item{it}
	for _, j := range judgements {
		s.addJudgement(units[1], units[2], base, submission, j)
	}
	return units
}

// afterEnd reports whether a submission was received after the contest ended for its team. Such a submission is not
// part of the contest.
func (s *setup) afterEnd(submission *store.APISubmission) bool {
	c := s.scored
	if c.Start.IsZero() || c.Length <= 0 {
		return false
	}
	end := c.Length
	if team := s.teams[submission.Team]; team != nil {
		end += max(team.ExtraTime, 0)
	}
	return c.Time(submission.At) >= end
}

// contestTime converts a time to contest time. It returns 0 if the start is not known.
func (s *setup) contestTime(at time.Time) time.Duration {
	if s.scored.Start.IsZero() {
		return 0
	}
	return s.scored.Time(at)
}

// A submissionSource makes the object of a submission.
type submissionSource struct {
	id, contest, language, problem, team, account, entry string
	at                                                   time.Time
	contestTime                                          time.Duration
	files                                                bool
}

func (s *setup) submissionSource(one *store.APISubmission, team *store.Team) *submissionSource {
	o := &submissionSource{
		id: one.ExtID, contest: s.contest.Slug, language: s.languageOf(one), problem: s.problemByLabel(one.Label),
		account: s.accounts[one.Account], at: one.At, contestTime: s.contestTime(one.At), files: len(one.Files) > 0,
	}
	if team != nil {
		o.team = team.ExtID
	}
	if !one.IsDir && len(one.Files) > 0 {
		switch language, _, _ := strings.Cut(o.language, "-"); language {
		case "java", "kotlin":
			o.entry = strings.TrimSuffix(one.Entry, path.Ext(one.Entry))
		case "python", "python3", "pypy", "pypy3":
			o.entry = one.Entry
		}
	}
	return o
}

func (s *submissionSource) objects() []clics.Object {
	o := clics.Object{
		"id": s.id, "language_id": s.language, "problem_id": s.problem, "time": s.at, "contest_time": s.contestTime, "team_id": s.team,
		"account_id": s.account, "entry_point": s.entry,
	}
	if s.files {
		o["files"] = []clics.Object{{
			"href": fmt.Sprintf("contests/%s/submissions/%s/files/files.zip", s.contest, s.id), "filename": "files.zip",
			"mime": "application/zip",
		}}
	}
	return []clics.Object{o}
}

// addJudgement adds a judgement to the unit judgements, and its runs to the unit runs. If the verdict is a judge
// error, or a judge must still verify it, only roles that see everything see the verdict. All other roles see the
// judgement as pending.
func (s *setup) addJudgement(judgements, runs *unit, base item, submission *store.APISubmission, j *store.APIJudgement) {
	base.received = submission.At
	if !j.Current { // 2026-01 keeps it, and 2023-06 deletes it
		old := base
		old.removed, old.version = true, clics.V2023
		s.addJudgementObjects(judgements, runs, old, submission, j, "")
		base.version = clics.V2026
		if base.removed {
			base.version = ""
		}
	}
	s.addJudgementObjects(judgements, runs, base, submission, j, submission.Override)
}

func (s *setup) addJudgementObjects(
	judgements, runs *unit, base item, submission *store.APISubmission, j *store.APIJudgement, override judge.Verdict,
) {
	o := judgementSource{id: j.ID, submission: submission.ExtID, current: j.Current, started: s.moment(j.Started)}
	open := o
	pending := base
	pending.made = &open
	verdict, ended := j.Verdict, j.Ended
	if override != "" && j.Current {
		verdict = override
		if ended.IsZero() {
			ended = j.Started
		}
	}
	known, ok := judgementTypeOf(verdict)
	if ended.IsZero() || !ok {
		judgements.items = append(judgements.items, pending)
		return
	}
	o.verdict, o.ended = known, s.moment(ended)
	if j.Score != nil && s.contest.Format != store.ICPC {
		o.score = &j.Score.Points
	}
	r := s.runs(j)
	for _, submission := range r.runs {
		o.slowest = max(o.slowest, submission.took)
	}
	o.ran = len(r.runs) > 0
	full, runObjects := base, base
	full.made, runObjects.made = &o, r
	if verdict == judge.JudgeError || j.Unverified && (override == "" || !j.Current) {
		full.audience, runObjects.audience, pending.audience = insiders, insiders, outsiders
		judgements.items = append(judgements.items, pending)
	}
	judgements.items = append(judgements.items, full)
	if o.ran {
		runs.items = append(runs.items, runObjects)
	}
}

// A moment is a time with its contest time.
type moment struct {
	at      time.Time
	contest time.Duration
}

func (s *setup) moment(at time.Time) moment { return moment{at, s.contestTime(at)} }

// A judgementSource makes the object of a judgement.
type judgementSource struct {
	id, submission string
	current        bool
	ran            bool // it has runs
	started, ended moment
	verdict        *clics.JudgementType // nil while pending
	score          *float64             // nil if it has none
	slowest        time.Duration        // time of the slowest run
}

func (j *judgementSource) objects() []clics.Object {
	o := clics.Object{
		"id": j.id, "submission_id": j.submission, "current": j.current, "start_time": j.started.at,
		"start_contest_time": j.started.contest,
	}
	if j.verdict != nil {
		o["judgement_type_id"], o["simplified_judgement_type_id"] = j.verdict.ID, j.verdict.Simplified
		o["end_time"], o["end_contest_time"] = j.ended.at, j.ended.contest
	}
	if j.score != nil {
		o["score"] = *j.score
	}
	if j.ran {
		o["max_run_time"] = clics.Seconds(j.slowest)
	}
	return []clics.Object{o}
}

// A runSource makes the objects of the runs of a judgement.
type runSource struct {
	judgement string
	ended     moment
	runs      []run
}

type run struct {
	verdict *clics.JudgementType
	took    time.Duration
}

// runs returns the runs of a judgement. They are visible after the judgement has ended.
func (s *setup) runs(j *store.APIJudgement) *runSource {
	r := &runSource{judgement: j.ID, ended: s.moment(j.Ended), runs: make([]run, 0, len(j.Rows))}
	for _, row := range j.Rows {
		if verdict, ok := judgementTypeOf(row.Verdict); ok {
			r.runs = append(r.runs, run{verdict, time.Duration(row.CPUUS) * time.Microsecond})
		}
	}
	return r
}

func (r *runSource) objects() []clics.Object {
	all := make([]clics.Object, len(r.runs))
	for i, one := range r.runs {
		all[i] = clics.Object{
			"id": fmt.Sprintf("%s-%d", shortID(r.judgement), i+1), "judgement_id": r.judgement, "ordinal": i + 1,
			"judgement_type_id": one.verdict.ID, "time": r.ended.at, "contest_time": r.ended.contest, "run_time": clics.Seconds(one.took),
		}
	}
	return all
}

// shortID removes the hyphens from a UUID and shortens it, so that an id has at most 36 characters.
func shortID(id string) string {
	short := strings.ReplaceAll(id, "-", "")
	return short[max(0, len(short)-28):]
}

var judgementTypes = clics.JudgementTypesOf(false)

func judgementTypeOf(v judge.Verdict) (*clics.JudgementType, bool) {
	i := slices.IndexFunc(judgementTypes, func(t clics.JudgementType) bool { return t.ID == string(v) })
	if i < 0 {
		return nil, false
	}
	return &judgementTypes[i], true
}

func clone(o clics.Object) clics.Object {
	c := make(clics.Object, len(o))
	for name, value := range o {
		c[name] = value
	}
	return c
}

// Files returns the files of a submission that a reader may read.
func (c *Contest) Files(ctx context.Context, reader Reader, id string) ([]job.File, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, u := range c.units[clics.Submissions] {
		for i := range u.items {
			object := &u.items[i]
			if object.objects()[0]["id"] != id || !c.visible(reader, u, object) ||
				!clics.CanSee(reader.Role, reader.Version, u.typ, "files", c.isOwn(reader, object)) {
				continue
			}
			one, err := c.Store.Submission(ctx, u.id)
			if err != nil {
				return nil, err
			}
			return one.Files, nil
		}
	}
	return nil, store.ErrNotFound
}
