package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// golfOnServer checks golf submissions on a server.
type golfOnServer struct {
	options      workflow.GolfOptions
	files        []job.File
	sources      []client.Source
	results      []golfResult // results by submission
	submissionOf []int        // maps files of the command line to submissions; -1 means none
	readErrors   []error      // errors of files that could not be read locally
}

// golfResult is the result of a submission.
type golfResult struct {
	result *golf.Result
	misuse error
}

// runOnServer checks the submissions on a server, for a problem of the local contest.
func (g *golfOptions) runOnServer(ctx context.Context, c *console, contest *workspace.Workspace, name string, files []string) error {
	api, err := c.server(g.server)
	if err != nil {
		return err
	}
	remote := &golfOnServer{
		options: workflow.GolfOptions{Reading: g.reading, Check: g.checks}, submissionOf: make([]int, len(files)),
		readErrors: make([]error, len(files)),
	}
	around := errors.Join(
		remote.addSurrounding("header", &remote.options.Reading.Header),
		remote.addSurrounding("footer", &remote.options.Reading.Footer),
	)
	for i, file := range files {
		remote.submissionOf[i] = len(remote.options.Submissions)
		remote.readErrors[i] = remote.addSubmission(contest, file, g.reading, around)
	}
	if len(remote.options.Submissions) > 0 {
		c.notice(func() string { return "the server checks " + judge.Quantity(len(remote.options.Submissions), "answer") })
		defer c.endNotices()
		if err := remote.runWorkflow(ctx, api, name); err != nil {
			return err
		}
	}
	return g.checkAndShow(c, contest, name, files, func(i int) (*golf.Result, error) {
		if remote.readErrors[i] != nil {
			return nil, remote.readErrors[i]
		}
		p := remote.results[remote.submissionOf[i]]
		if p.result == nil && p.misuse == nil {
			return nil, fmt.Errorf("check %s: the server returned no result", files[i])
		}
		return p.result, p.misuse
	})
}

// addSurrounding adds the file that surrounds every submission, if there is one, to the upload.
func (on *golfOnServer) addSurrounding(name string, path *string) error {
	if *path == "" {
		return nil
	}
	s, err := client.FileSource(*path)
	if err != nil {
		return usageError{fmt.Errorf("%s: %s", *path, problem.Reason(err))}
	}
	*path = name
	on.addSource(name, s)
	return nil
}

// addSubmission adds a submission to the upload. The parameter around is the error that occurred with the surrounding file.
func (on *golfOnServer) addSubmission(contest *workspace.Workspace, file string, r golf.ReadOptions, around error) error {
	data, err := contest.GolfFile(file, r)
	if err == nil {
		err = around
	}
	if err != nil {
		return err
	}
	answer := workflow.GolfFile{Name: file, File: path.Join(strconv.Itoa(len(on.options.Submissions)), filepath.Base(file))}
	s := client.BytesSource(data)
	if job.CheckFiles([]job.File{{Path: answer.File, Digest: s.Digest}}, true) != nil {
		return usageError{fmt.Errorf("%s cannot be sent to a server under this name: rename the file", file)}
	}
	on.options.Submissions = append(on.options.Submissions, answer)
	on.addSource(answer.File, s)
	return nil
}

func (on *golfOnServer) addSource(path string, s client.Source) {
	on.files = append(on.files, job.File{Path: path, Size: s.Size, Digest: s.Digest})
	on.sources = append(on.sources, s)
}

// runWorkflow runs the checks on the server.
func (on *golfOnServer) runWorkflow(ctx context.Context, api *client.Client, name string) error {
	if _, err := api.Upload(ctx, on.sources); err != nil {
		return err
	}
	options, err := json.Marshal(on.options)
	if err != nil {
		return err
	}
	on.results = make([]golfResult, len(on.options.Submissions))
	keys := map[string]int{}
	for n := range on.results {
		keys[workflow.GolfCheckKey(n)] = n
	}
	asked := &client.NewWorkflow{Kind: workflow.Golf, Problem: name, Files: on.files, Options: options}
	return api.RunWorkflow(ctx, asked, func(p *client.TaskResult) error {
		n, known := keys[p.Key]
		if p.State != job.Done || !known {
			return nil // the last event reports it
		}
		return on.results[n].read(p)
	})
}

// read reads the result of a submission.
func (g *golfResult) read(p *client.TaskResult) error {
	var output workflow.GolfCheckOutput
	if err := json.Unmarshal(p.Output, &output); err != nil {
		return fmt.Errorf("read the server's events: %w", err)
	}
	switch {
	case output.Unknown != nil:
		g.misuse = unknownLanguageError(output.Unknown)
	case output.Misuse != "":
		g.misuse = usageError{errors.New(output.Misuse)}
	}
	events, err := cli.DecodeLines(p.Lines, nil)
	for _, e := range events {
		if proved, ok := e.(*judge.GolfChecked); ok {
			g.result = &golf.Result{GolfChecked: *proved}
		}
	}
	return err
}
