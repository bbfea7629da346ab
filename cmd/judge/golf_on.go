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
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// golfOn checks golf submissions on a server.
type golfOn struct {
	asked   flow.GolfOptions
	files   []job.File
	sources []client.Source
	proved  []golfProved // results by submission
	of      []int        // maps files of the command line to submissions; -1 means none
	refused []error      // errors of files that could not be read locally
}

// golfProved is the result of a submission.
type golfProved struct {
	result *golf.Result
	misuse error
}

// runOn checks the submissions on a server, for a problem of the local contest.
func (g *golfing) runOn(ctx context.Context, c *console, contest *workspace.Workspace, name string, files []string) error {
	api, err := c.server(g.on)
	if err != nil {
		return err
	}
	on := &golfOn{asked: flow.GolfOptions{Reading: g.reading, Proof: g.proof}, of: make([]int, len(files)), refused: make([]error, len(files))}
	around := errors.Join(on.around("header", &on.asked.Reading.Header), on.around("footer", &on.asked.Reading.Footer))
	for i, file := range files {
		on.of[i] = len(on.asked.Answers)
		on.refused[i] = on.add(contest, file, g.reading, around)
	}
	if len(on.asked.Answers) > 0 {
		c.notice(func() string { return "the server checks " + judge.Count(len(on.asked.Answers), "answer") })
		defer c.endNotices()
		if err := on.hold(ctx, api, name); err != nil {
			return err
		}
	}
	return g.tell(c, contest, name, files, func(i int) (*golf.Result, error) {
		if on.refused[i] != nil {
			return nil, on.refused[i]
		}
		p := on.proved[on.of[i]]
		if p.result == nil && p.misuse == nil {
			return nil, fmt.Errorf("check %s: the server returned no result", files[i])
		}
		return p.result, p.misuse
	})
}

// around adds the file that surrounds every submission, if there is one, to the upload.
func (on *golfOn) around(name string, path *string) error {
	if *path == "" {
		return nil
	}
	s, err := client.Path(*path)
	if err != nil {
		return usageError{fmt.Errorf("%s: %s", *path, problem.Reason(err))}
	}
	*path = name
	on.send(name, s)
	return nil
}

// add adds a submission to the upload. The parameter around is the error that occurred with the surrounding file.
func (on *golfOn) add(contest *workspace.Workspace, file string, r golf.Reading, around error) error {
	data, err := contest.GolfFile(file, r)
	if err == nil {
		err = around
	}
	if err != nil {
		return err
	}
	answer := flow.GolfAnswer{Name: file, File: path.Join(strconv.Itoa(len(on.asked.Answers)), filepath.Base(file))}
	s := client.Bytes(data)
	if job.CheckFiles([]job.File{{Path: answer.File, Digest: s.Digest}}, true) != nil {
		return usageError{fmt.Errorf("%s cannot be sent to a server under this name: rename the file", file)}
	}
	on.asked.Answers = append(on.asked.Answers, answer)
	on.send(answer.File, s)
	return nil
}

func (on *golfOn) send(path string, s client.Source) {
	on.files = append(on.files, job.File{Path: path, Size: s.Size, Digest: s.Digest})
	on.sources = append(on.sources, s)
}

// hold runs the checks on the server.
func (on *golfOn) hold(ctx context.Context, api *client.Client, name string) error {
	if _, err := api.Upload(ctx, on.sources); err != nil {
		return err
	}
	options, err := json.Marshal(on.asked)
	if err != nil {
		return err
	}
	on.proved = make([]golfProved, len(on.asked.Answers))
	keys := map[string]int{}
	for n := range on.proved {
		keys[flow.ProofKey(n)] = n
	}
	asked := &client.NewFlow{Kind: flow.Golf, Problem: name, Files: on.files, Options: options}
	return api.Hold(ctx, asked, func(p *client.Part) error {
		n, known := keys[p.Key]
		if p.State != job.Done || !known {
			return nil // the last event reports it
		}
		return on.proved[n].read(p)
	})
}

// read reads the result of a submission.
func (g *golfProved) read(p *client.Part) error {
	var said flow.Proved
	if err := json.Unmarshal(p.Output, &said); err != nil {
		return fmt.Errorf("read the server's events: %w", err)
	}
	switch {
	case said.Unknown != nil:
		g.misuse = unknownLanguage(said.Unknown)
	case said.Misuse != "":
		g.misuse = usageError{errors.New(said.Misuse)}
	}
	events, err := cli.DecodeLines(p.Lines, nil)
	for _, e := range events {
		if proved, ok := e.(*judge.GolfProved); ok {
			g.result = &golf.Result{GolfProved: *proved}
		}
	}
	return err
}
