package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/job"
)

// A Program is a local program to submit.
type Program struct {
	Path              string // a file or a directory
	Name              string // its name in reports
	Language          string // if empty, the file name decides
	ContinueOnFailure bool   // continue after the first failure
	Contest           string // slug; if empty, the running contest that has the problem
}

// Submit sends a submission to a problem of the server.
func (c *Client) Submit(ctx context.Context, problem string, p Program) (*Submission, error) {
	files, sources, folder, err := collectFiles(p.Path)
	if err != nil {
		return nil, err
	}
	if _, err := c.Upload(ctx, sources); err != nil {
		return nil, err
	}
	n := NewSubmission{
		Key: rand.Text(), Problem: problem, Contest: p.Contest, Program: p.Name, Language: p.Language, Files: files,
		IsDir: folder, ContinueOnFailure: p.ContinueOnFailure,
	}
	s := &Submission{}
	return s, c.call(ctx, http.MethodPost, SubmissionsPath, n, s)
}

// collectFiles reads the files of a submission.
func collectFiles(path string) (files []job.File, sources []Source, dir bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such file or directory", path)
	}
	if err != nil {
		return nil, nil, false, &judge.UsageError{Err: err}
	}
	add := func(name, file string) error {
		s, err := FileSource(file)
		files = append(files, job.File{Path: filepath.ToSlash(name), Size: s.Size, Digest: s.Digest})
		sources = append(sources, s)
		return err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, nil, false, &judge.UsageError{Err: fmt.Errorf("%s is not a file", path)}
	}
	if !info.IsDir() {
		err = add(filepath.Base(path), path)
	} else {
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if !d.Type().IsRegular() {
				return &judge.UsageError{Err: fmt.Errorf("%s is neither a file nor a directory", file)}
			}
			if len(files) == job.MaxFiles {
				return &judge.UsageError{Err: fmt.Errorf("%s has more than %d files", path, job.MaxFiles)}
			}
			name, err := filepath.Rel(path, file)
			if err != nil {
				return err
			}
			return add(name, file)
		})
	}
	if err != nil {
		return nil, nil, false, fmt.Errorf("read the submission: %w", err)
	}
	if err := job.CheckFiles(files, info.IsDir()); err != nil {
		return nil, nil, false, &judge.UsageError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return files, sources, info.IsDir(), nil
}

// Submission returns a submission.
func (c *Client) Submission(ctx context.Context, id string) (s *Submission, err error) {
	err = c.call(ctx, http.MethodGet, SubmissionsPath+"/"+url.PathEscape(id), nil, &s)
	return s, err
}

// CancelSubmission stops judging a submission.
func (c *Client) CancelSubmission(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, SubmissionsPath+"/"+url.PathEscape(id), nil, nil)
}

// CancelPending cancels all pending submissions of an account, to a problem, or of an account to a problem. An empty
// argument means any account or any problem. If only login is set, it also cancels the account's workflows.
func (c *Client) CancelPending(ctx context.Context, login, problem string) (cancelled Cancelled, err error) {
	err = c.call(ctx, http.MethodDelete, SubmissionsPath+"?"+url.Values{"login": {login}, "problem": {problem}}.Encode(), nil, &cancelled)
	return cancelled, err
}

// AccountLoads returns the amount of pending work of each account, largest first.
func (c *Client) AccountLoads(ctx context.Context) (loads []AccountLoad, err error) {
	err = c.call(ctx, http.MethodGet, AccountLoadsPath, nil, &loads)
	return loads, err
}

// FollowSubmission calls listen for each event of a judgement as it happens, in order and once. It returns the judged
// submission. When the connection breaks, it reconnects and continues.
func (c *Client) FollowSubmission(ctx context.Context, id string, listen func(judge.Event)) (end *Submission, err error) {
	told := 0
	next := func() string {
		return SubmissionsPath + "/" + url.PathEscape(id) + "/events?from=" + strconv.Itoa(told)
	}
	err = stream(ctx, c, next, func(l *JudgementLine) (news bool, err error) {
		switch {
		case l.End != nil:
			end = l.End
			return true, errStreamEnded
		case l.Event == nil:
			return false, nil
		}
		e, err := judge.DecodeEvent(l.Event)
		if err == nil {
			told++
			listen(e)
		}
		return true, err
	})
	return end, err
}

// Publish uploads a bundle to the server and returns how many blobs were uploaded. Fields of n that follow from
// the bundle and its metadata are ignored.
func (c *Client) Publish(ctx context.Context, slug string, n NewProblem, info *ProblemInfo, b *bundle.Bundle) (sent int, err error) {
	manifest, config, blobs := bundleSources(b)
	text, err := json.Marshal(info)
	if err != nil {
		return 0, err
	}
	shown := BytesSource(text)
	blobs = append(blobs, shown)
	if sent, err = c.Upload(ctx, blobs); err != nil {
		return sent, err
	}
	n.Title, n.Manifest, n.Config, n.Info = info.Title, manifest, config, shown.Digest
	return sent, c.call(ctx, http.MethodPut, ProblemsPath+"/"+url.PathEscape(slug), n, nil)
}

// bundleSources returns the blobs of a bundle.
func bundleSources(b *bundle.Bundle) (manifest, config blob.Digest, blobs []Source) {
	m, c := BytesSource(b.Manifest.Bytes()), BytesSource(b.Config)
	blobs = []Source{m, c}
	for _, e := range b.Manifest.Blobs() {
		blobs = append(blobs, Source{Blob: Blob{Digest: e.Digest, Size: e.Size}, Open: func() (io.ReadCloser, error) { return b.Open(e) }})
	}
	return m.Digest, c.Digest, blobs
}

// CreateToken creates a token for an account.
func (c *Client) CreateToken(ctx context.Context, n NewToken) (t *Token, err error) {
	err = c.call(ctx, http.MethodPost, TokensPath, n, &t)
	return t, err
}

// RevokeToken revokes a token.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, TokensPath+"/"+url.PathEscape(id), nil, nil)
}

// Tokens returns the tokens of all accounts.
func (c *Client) Tokens(ctx context.Context) (tokens []Token, err error) {
	err = c.call(ctx, http.MethodGet, TokensPath, nil, &tokens)
	return tokens, err
}

// CreateJoinCode creates a join code for a worker.
func (c *Client) CreateJoinCode(ctx context.Context, n NewJoinCode) (i *JoinCode, err error) {
	err = c.call(ctx, http.MethodPost, JoinCodesPath, n, &i)
	return i, err
}

// JoinWorker registers a worker.
func (c *Client) JoinWorker(ctx context.Context, j JoinRequest) (w *Welcome, err error) {
	err = c.call(ctx, http.MethodPost, JoinPath, j, &w)
	return w, err
}

// ReportCapabilities reports the current capabilities of a worker that has joined.
func (c *Client) ReportCapabilities(ctx context.Context, capabilities job.Capabilities) (w *Welcome, err error) {
	err = c.call(ctx, http.MethodPost, HelloPath, HelloRequest{capabilities}, &w)
	return w, err
}

// Workers returns the workers.
func (c *Client) Workers(ctx context.Context) (workers []Worker, err error) {
	err = c.call(ctx, http.MethodGet, WorkersPath, nil, &workers)
	return workers, err
}

// UpdateWorker drains, enables or revokes a worker.
func (c *Client) UpdateWorker(ctx context.Context, name string, s WorkerUpdate) error {
	return c.call(ctx, http.MethodPut, WorkersPath+"/"+url.PathEscape(name), s, nil)
}

// Classes returns the worker classes.
func (c *Client) Classes(ctx context.Context) (classes []Class, err error) {
	err = c.call(ctx, http.MethodGet, ClassesPath, nil, &classes)
	return classes, err
}

// AcceptClass redefines a class from the capabilities of one of its workers.
func (c *Client) AcceptClass(ctx context.Context, name, worker string) (a AcceptedClass, err error) {
	err = c.call(ctx, http.MethodPut, ClassesPath+"/"+url.PathEscape(name), AcceptClassRequest{worker}, &a)
	return a, err
}

// A JudgementFilter selects judgements.
type JudgementFilter struct {
	Worker string // if empty, all
	Origin string // near-limit or untrusted: repeats for this reason, with originals; if empty, all
}

// Judgements returns judgements, newest first.
func (c *Client) Judgements(ctx context.Context, f JudgementFilter) (judgements []Judgement, err error) {
	for before := ""; ; {
		var page []Judgement
		values := url.Values{"worker": {f.Worker}, "origin": {f.Origin}, "before": {before}}
		if err := c.call(ctx, http.MethodGet, JudgementsPath+"?"+values.Encode(), nil, &page); err != nil {
			return nil, err
		}
		if len(page) == 0 {
			return judgements, nil
		}
		judgements = append(judgements, page...)
		before = page[len(page)-1].ID
	}
}

// CreateBackup creates a backup with a new name on the server's machine, and returns its directory. A backup may take
// long. Backup does not retry, because the directory of the first request would make a second one fail.
func (c *Client) CreateBackup(ctx context.Context, name string) (dir string, err error) {
	var made Backup
	err = c.withoutTimeout().call(ctx, http.MethodPost, BackupPath, Backup{Name: name}, &made)
	return made.Dir, err
}

// MoveData moves the server's data to another database, as the plan in its data directory describes. If ctx is done,
// or the process exits, the server continues with the old database.
func (c *Client) MoveData(ctx context.Context) (moved MoveResult, err error) {
	err = c.withoutTimeout().call(ctx, http.MethodPost, MovePath, nil, &moved)
	return moved, err
}

// withoutTimeout returns a client that does not retry and waits for responses without a time limit.
func (c *Client) withoutTimeout() *Client {
	once := c.withoutRetry()
	if t, ok := c.http.Transport.(*http.Transport); ok {
		t = t.Clone()
		t.ResponseHeaderTimeout = 0
		once.http = &http.Client{Transport: t, CheckRedirect: c.http.CheckRedirect}
	}
	return once
}
