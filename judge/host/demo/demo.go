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
	since  = 200 * time.Minute
	length = 5 * time.Hour
	freeze = 4 * time.Hour
)

// names lists the names of the teams, from best to worst.
var names = [Teams]string{
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
var recorded []byte

// recordings reads the embedded recordings.
func recordings[T recording | recordedAnswer](packed []byte) (all []T, err error) {
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
func Fill(ctx context.Context, o Options) (logins []auth.Slip, err error) {
	o.Now = o.Now.Truncate(time.Minute) // the contest starts on a full minute
	f := &filling{o: o, clock: o.Now.Add(-since - time.Hour), chance: rand.New(rand.NewPCG(1, 8))}
	all, err := recordings[recording](recorded)
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
	if logins, err = f.people(ctx); err != nil {
		return nil, err
	}
	if err := f.begin(ctx, all); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r recording) bool { return f.problems[r.Problem] == nil })
	for _, e := range f.entries(all) {
		if err := f.clarify(ctx, e.at); err != nil {
			return nil, fmt.Errorf("write the clarifications of the demo: %w", err)
		}
		if err := f.enter(ctx, e); err != nil {
			return nil, fmt.Errorf("make a submission of the demo: %w", err)
		}
	}
	if err := f.clarify(ctx, o.Now); err != nil {
		return nil, fmt.Errorf("write the clarifications of the demo: %w", err)
	}
	if err := f.ladder(ctx); err != nil {
		return nil, fmt.Errorf("make the ladder of the demo: %w", err)
	}
	if err := f.hole(ctx); err != nil {
		return nil, fmt.Errorf("make the hole of the demo: %w", err)
	}
	return logins, nil
}

// filling is a data directory that is being filled.
type filling struct {
	o        Options
	store    *store.Store
	blobs    *blob.Dir
	clock    time.Time
	chance   *rand.Rand
	contest  string
	accounts []*store.Account // of the teams
	teams    []*store.Team
	problems map[string]*store.Problem
	labels   map[string]string // problem slugs by label
	said     []int64           // numbers of the clarifications that have been written
}

// people creates the accounts, and sets the administrator's password.
func (f *filling) people(ctx context.Context) ([]auth.Slip, error) {
	passwords := auth.NewPasswords()
	admin, err := f.store.AccountByLogin(ctx, f.o.Admin)
	if err != nil {
		return nil, err
	}
	first := auth.Slip{Login: admin.Login, Name: admin.Display, Password: auth.NewPassword()}
	hash, err := passwords.Hash(ctx, first.Password)
	if err == nil {
		err = f.store.SetPassword(ctx, admin.ID, hash)
	}
	if err != nil {
		return nil, err
	}
	create := func(role auth.Role, people ...roster.Person) (made []auth.Slip, err error) {
		plan, err := auth.PlanImport(ctx, f.store, roster.Of(people...), role, "")
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
	for i, name := range names {
		people = append(people, roster.Person{Name: name, Login: fmt.Sprintf("team%d", i+1)})
	}
	teams, err := create(auth.Contestant, people...)
	return slices.Concat([]auth.Slip{first}, judges, teams), err
}

// begin creates the contest and adds the teams.
func (f *filling) begin(ctx context.Context, all []recording) error {
	f.problems, f.labels = map[string]*store.Problem{}, map[string]string{}
	var in []store.NewContestProblem
	for _, r := range all {
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
		Slug: Slug, Name: "The demo", Format: store.ICPC, Starts: f.o.Now.Add(-since), Length: length, Freeze: freeze, Visibility: store.Public,
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

// An entry is a submission to create.
type entry struct {
	at   time.Time
	team int
	what recording
}

// entries decides which team submits which program, and when. The better a team is, the sooner it submits a
// correct program. Some teams continue to submit after that.
func (f *filling) entries(all []recording) []entry {
	var slugs []string
	for _, r := range all {
		if !slices.Contains(slugs, r.Problem) {
			slugs = append(slugs, r.Problem)
		}
	}
	var whens []time.Duration
	for range cmp.Or(f.o.Submissions, Submissions) {
		whens = append(whens, time.Duration(f.chance.Int64N(int64(since-10*time.Minute)))+5*time.Minute)
	}
	slices.Sort(whens)
	solved := map[[2]int]bool{}
	var entries []entry
	for _, when := range whens {
		team, problem := f.chance.IntN(Teams), f.chance.IntN(len(slugs))
		for range slugs { // choose an unsolved problem if possible
			if !solved[[2]int{team, problem}] {
				break
			}
			problem = (problem + 1) % len(slugs)
		}
		right := f.chance.Float64() < 0.30-0.03*float64(team)-0.04*float64(problem)
		var fit []recording
		for _, r := range all {
			if r.Problem == slugs[problem] && (r.Result.Finished.Verdict == judge.Accepted) == right {
				fit = append(fit, r)
			}
		}
		solved[[2]int{team, problem}] = solved[[2]int{team, problem}] || right
		entries = append(entries, entry{f.o.Now.Add(when - since), team, fit[f.chance.IntN(len(fit))]})
	}
	return entries
}

// enter creates a submission and records its result.
func (f *filling) enter(ctx context.Context, e entry) error {
	f.clock = e.at
	source, p := []byte(e.what.Source), f.problems[e.what.Problem]
	digest := blob.Of(source)
	if err := f.put(ctx, digest, source, "upload"); err != nil {
		return err
	}
	work := job.Work{
		Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: p.Slug, Program: e.what.File, Language: e.what.Language,
		Files: []job.File{{Path: e.what.File, Digest: digest, Size: int64(len(source))}},
	}
	_, err := f.store.Submit(ctx, store.NewSubmission{
		Contest: f.contest, Team: f.teams[e.team].ID, Account: f.accounts[e.team].ID, Problem: p.Slug, Work: work,
		Lane: job.Contest, Class: f.o.Class, Cost: time.Second,
	})
	if err != nil {
		return err
	}
	specs, err := f.store.Next(ctx, job.Contest, f.o.Class, 1) // no other job is pending
	if err != nil {
		return err
	}
	if len(specs) != 1 {
		return fmt.Errorf("%d jobs wait", len(specs))
	}
	r := e.what.Result
	r.Job, r.Generation, r.Token, r.Worker = specs[0].ID, specs[0].Generation, specs[0].Token, "recorded"
	f.clock = e.at.Add(2*time.Second + time.Duration(r.CPUUS)*time.Microsecond)
	events := blob.Of(r.Events)
	if err := f.put(ctx, events, r.Events, "events"); err != nil {
		return err
	}
	folded, err := f.store.Fold(ctx, &r, events)
	if err == nil && folded.Outcome != store.Counted {
		err = fmt.Errorf("the recorded result is %s", folded.Outcome)
	}
	return err
}

func (f *filling) put(ctx context.Context, d blob.Digest, data []byte, kind string) error {
	if err := f.store.NoteBlobs(ctx, store.Blob{Digest: d, Size: int64(len(data)), Kind: kind}); err != nil {
		return err
	}
	return f.blobs.Put(d, int64(len(data)), bytes.NewReader(data))
}
