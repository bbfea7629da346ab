// Package demo fills an empty data directory with a running contest with teams, submissions and judgements, with a
// ladder whose bots have played, and with a golf hole that has submissions. It is for trying out a server, and for
// tests.
//
// The judgements are recordings of real judgings of the programs in solutions/. Only the authors and the times of
// the submissions are invented. The package does not judge and does not publish problems. It skips recordings of
// problems that the server does not have.
package demo

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/job"
	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// Slug is the contest's address.
const Slug = "demo"

// Teams and Submissions are the numbers of teams and submissions.
const (
	Teams       = 8
	Submissions = 200
)

// The contest began a while ago, and its scoreboard is not frozen yet.
const (
	startedAgo    = 200 * time.Minute
	contestLength = 5 * time.Hour
	freezeAfter   = 4 * time.Hour
)

// teamNames lists the names of the teams, from best to worst.
var teamNames = [Teams]string{
	"Ackermann's Children", "Big O No", "Cache Me Outside", "Deadlock Holmes",
	"Eulersaurus Rex", "Fork Bombers", "Greedy by Nature", "Halting Problems",
}

// A recording is a program and the result of judging it.
type recording struct {
	Problem  string     `json:"problem"`
	File     string     `json:"file"`
	Language string     `json:"language"` // id
	Source   string     `json:"source"`
	Result   job.Result `json:"result"`
}

//go:embed recorded.jsonl.gz
var recordedData []byte

// readRecordings reads the embedded recordings.
func readRecordings[T recording | recordedGolf](packed []byte) (all []T, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read the recorded judgings: %w", err)
	}
	for d := json.NewDecoder(z); ; {
		var r T
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the recorded judgings: %w", err)
		}
		all = append(all, r)
	}
}

// Options configure Fill.
type Options struct {
	Data     string // data directory, which no server may be using
	Database string // postgres://...; if empty, SQLite in the data directory
	Version  string // version of this program
	Class    string // of workers
	Admin    string // username of an existing administrator
	Now      time.Time
	// Submissions is the number of submissions to the contest, and Games the maximum number of games on the
	// ladder. Zero means 200 submissions and all recorded games.
	Submissions, Games int
}

// Fill creates the contest with the recorded problems. It returns the usernames and passwords of an
// administrator, a judge, and the teams.
func Fill(ctx context.Context, o Options) (logins []auth.Credentials, err error) {
	o.Now = o.Now.Truncate(time.Minute) // the contest starts on a full minute
	f := &demoData{o: o, clock: o.Now.Add(-startedAgo - time.Hour), random: rand.New(rand.NewPCG(1, 8))}
	all, err := readRecordings[recording](recordedData)
	if err != nil {
		return nil, err
	}
	if f.blobs, err = blob.Open(filepath.Join(o.Data, "blobs"), 0); err != nil {
		return nil, err
	}
	if f.store, err = store.Open(ctx, store.Options{Dir: o.Data, DSN: o.Database, Version: o.Version,
		Now: func() time.Time { return f.clock }}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.store.Close()) }()
	if logins, err = f.createAccounts(ctx); err != nil {
		return nil, err
	}
	if err := f.createContest(ctx, all); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r recording) bool { return f.problems[r.Problem] == nil })
	for _, e := range f.scheduleSubmissions(all) {
		if err := f.writeClarifications(ctx, e.at); err != nil {
			return nil, fmt.Errorf("write the clarifications of the demo: %w", err)
		}
		if err := f.createSubmission(ctx, e); err != nil {
			return nil, fmt.Errorf("make a submission of the demo: %w", err)
		}
	}
	if err := f.writeClarifications(ctx, o.Now); err != nil {
		return nil, fmt.Errorf("write the clarifications of the demo: %w", err)
	}
	if err := f.createLadder(ctx); err != nil {
		return nil, fmt.Errorf("make the ladder of the demo: %w", err)
	}
	if err := f.createHole(ctx); err != nil {
		return nil, fmt.Errorf("make the hole of the demo: %w", err)
	}
	return logins, nil
}

// demoData is a data directory that is being filled.
type demoData struct {
	o                    Options
	store                *store.Store
	blobs                *blob.Dir
	clock                time.Time
	random               *rand.Rand
	contest              string
	accounts             []*store.Account // of the teams
	teams                []*store.Team
	problems             map[string]*store.Problem
	labels               map[string]string // problem slugs by label
	clarificationNumbers []int64           // numbers of the clarifications that have been written
}

// createAccounts creates the accounts, and sets the administrator's password.
func (f *demoData) createAccounts(ctx context.Context) ([]auth.Credentials, error) {
	passwords := auth.NewPasswords()
	admin, err := f.store.AccountByLogin(ctx, f.o.Admin)
	if err != nil {
		return nil, err
	}
	first := auth.Credentials{Login: admin.Login, Name: admin.Display, Password: auth.NewPassword()}
	hash, err := passwords.Hash(ctx, first.Password)
	if err == nil {
		err = f.store.SetPassword(ctx, admin.ID, hash)
	}
	if err != nil {
		return nil, err
	}
	create := func(role auth.Role, people ...roster.Person) (made []auth.Credentials, err error) {
		plan, err := auth.PlanImport(ctx, f.store, roster.NewList(people...), role, "")
		if err == nil && plan.Wrong > 0 {
			err = plan.Errors()
		}
		if err == nil {
			made, _, f.accounts, err = passwords.Import(ctx, f.store, plan)
		}
		return made, err
	}
	judges, err := create(auth.Judge, roster.Person{Name: "Judge", Login: "judge"})
	if err != nil {
		return nil, err
	}
	var people []roster.Person
	for i, name := range teamNames {
		people = append(people, roster.Person{Name: name, Login: fmt.Sprintf("team%d", i+1)})
	}
	teams, err := create(auth.Contestant, people...)
	return slices.Concat([]auth.Credentials{first}, judges, teams), err
}

// createContest creates the contest and adds the teams.
func (f *demoData) createContest(ctx context.Context, recordings []recording) error {
	f.problems, f.labels = map[string]*store.Problem{}, map[string]string{}
	var in []store.NewContestProblem
	for _, r := range recordings {
		if f.problems[r.Problem] != nil {
			continue
		}
		p, err := f.store.Problem(ctx, r.Problem)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		f.problems[r.Problem] = p
		label := string(rune('A' + len(in)))
		f.labels[label] = r.Problem
		in = append(in, store.NewContestProblem{
			Label: label, Slug: r.Problem, Color: []string{"#e03131", "#1971c2", "#f08c00"}[len(in)%3],
		})
	}
	c := &store.Contest{
		Slug: Slug, Name: "The demo", Format: store.ICPC, Starts: f.o.Now.Add(-startedAgo), Length: contestLength,
		Freeze: freezeAfter, Visibility: store.VisibilityPublic,
		Settings: store.Settings{Show: judge.ShowSamples},
	}
	if err := f.store.NewContest(ctx, c, in); err != nil {
		return err
	}
	f.contest = c.ID
	for _, a := range f.accounts {
		t, err := f.store.Enter(ctx, c.ID, a)
		if err != nil {
			return err
		}
		f.teams = append(f.teams, t)
	}
	return nil
}

// An scheduledSubmission is a submission to create.
type scheduledSubmission struct {
	at        time.Time
	team      int
	recording recording
}

// scheduleSubmissions decides which team submits which program, and when. The better a team is, the sooner it submits a
// correct program. Some teams continue to submit after that.
func (f *demoData) scheduleSubmissions(recordings []recording) []scheduledSubmission {
	var slugs []string
	for _, r := range recordings {
		if !slices.Contains(slugs, r.Problem) {
			slugs = append(slugs, r.Problem)
		}
	}
	var whens []time.Duration
	for range cmp.Or(f.o.Submissions, Submissions) {
		whens = append(whens, time.Duration(f.random.Int64N(int64(startedAgo-10*time.Minute)))+5*time.Minute)
	}
	slices.Sort(whens)
	solved := map[[2]int]bool{}
	var entries []scheduledSubmission
	for _, when := range whens {
		team, problem := f.random.IntN(Teams), f.random.IntN(len(slugs))
		for range slugs { // choose an unsolved problem if possible
			if !solved[[2]int{team, problem}] {
				break
			}
			problem = (problem + 1) % len(slugs)
		}
		right := f.random.Float64() < 0.30-0.03*float64(team)-0.04*float64(problem)
		var fit []recording
		for _, r := range recordings {
			if r.Problem == slugs[problem] && (r.Result.Finished.Verdict == judge.Accepted) == right {
				fit = append(fit, r)
			}
		}
		solved[[2]int{team, problem}] = solved[[2]int{team, problem}] || right
		entries = append(entries, scheduledSubmission{f.o.Now.Add(when - startedAgo), team, fit[f.random.IntN(len(fit))]})
	}
	return entries
}

// createSubmission creates a submission and records its result.
func (f *demoData) createSubmission(ctx context.Context, e scheduledSubmission) error {
	f.clock = e.at
	source, p := []byte(e.recording.Source), f.problems[e.recording.Problem]
	digest := blob.DigestOf(source)
	if err := f.storeBlob(ctx, digest, source, "upload"); err != nil {
		return err
	}
	work := job.Work{
		Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: p.Slug, Program: e.recording.File,
		Language: e.recording.Language,
		Files:    []job.File{{Path: e.recording.File, Digest: digest, Size: int64(len(source))}},
	}
	_, err := f.store.Submit(ctx, store.NewSubmission{
		Contest: f.contest, Team: f.teams[e.team].ID, Account: f.accounts[e.team].ID, Problem: p.Slug, Work: work,
		Priority: job.ContestPriority, Class: f.o.Class, Cost: time.Second,
	})
	if err != nil {
		return err
	}
	specs, err := f.store.NextJobs(ctx, job.ContestPriority, f.o.Class, 1) // no other job is pending
	if err != nil {
		return err
	}
	if len(specs) != 1 {
		return fmt.Errorf("%d jobs wait", len(specs))
	}
	r := e.recording.Result
	r.Job, r.Generation, r.Token, r.Worker = specs[0].ID, specs[0].Generation, specs[0].Token, "recorded"
	f.clock = e.at.Add(2*time.Second + time.Duration(r.CPUUS)*time.Microsecond)
	events := blob.DigestOf(r.Events)
	if err := f.storeBlob(ctx, events, r.Events, "events"); err != nil {
		return err
	}
	folded, err := f.store.RecordResult(ctx, &r, events)
	if err == nil && folded.Outcome != store.Counted {
		err = fmt.Errorf("the recorded result is %s", folded.Outcome)
	}
	return err
}

func (f *demoData) storeBlob(ctx context.Context, d blob.Digest, data []byte, kind string) error {
	if err := f.store.RecordBlobs(ctx, store.Blob{Digest: d, Size: int64(len(data)), Kind: kind}); err != nil {
		return err
	}
	return f.blobs.Put(d, int64(len(data)), bytes.NewReader(data))
}
