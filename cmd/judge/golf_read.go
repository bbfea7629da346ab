package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"assay/judge/contests/golf"
	"assay/judge/problem"
	"assay/judge/running/config"
)

// read reads an answer: a source file, a post, or standard input.
func (g *golfing) read(c *console, contest *contest, file string, language *config.Language) (*golf.Answer, []string, error) {
	flags := strings.Fields(g.flagText)
	data, err := readAnswer(c, contest.cfg, file)
	if err != nil {
		return nil, nil, err
	}
	claim, unread := g.claim, []string(nil)
	if ext := filepath.Ext(file); ext == ".md" || ext == ".markdown" {
		post, err := golf.ParsePost(string(data))
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("%s: %w", file, err)}
		}
		if language, err = g.languageOf(contest, post.Language); err != nil {
			return nil, nil, err
		}
		data, unread = []byte(post.Code), post.Unread()
		if claim == 0 {
			claim = post.Claim
		}
		if len(flags) == 0 {
			flags = post.Flags
		}
	} else if language == nil {
		if language, err = g.detect(contest, file); err != nil {
			return nil, nil, err
		}
	}
	a, err := golf.NewAnswer(file, language, data, g.encoding, contest.cfg.CodePages)
	if err != nil {
		return nil, nil, usageError{err}
	}
	a.Claim, a.Adjusted = claim, append(unread, a.Adjusted...)
	header, err := optional(g.header)
	if err != nil {
		return nil, nil, err
	}
	footer, err := optional(g.footer)
	if err != nil {
		return nil, nil, err
	}
	a.Around(header, footer)
	if g.oldFlags {
		a.CountFlags(flags)
	}
	return a, flags, nil
}

func (g *golfing) languageOf(contest *contest, header string) (*config.Language, error) {
	if g.language != "" {
		header = g.language
	}
	if l, ok := golf.LanguageOf(contest.cfg, header); ok {
		return l, nil
	}
	return nil, &golf.UnknownLanguageError{Name: header, Known: contest.cfg.IDs()}
}

func (g *golfing) detect(contest *contest, file string) (*config.Language, error) {
	if file == "-" || g.language != "" {
		return g.languageOf(contest, "")
	}
	return contest.tools.Detect(file, "")
}

// readAnswer reads a file that may not be longer than any submission.
func readAnswer(c *console, cfg *config.Config, file string) ([]byte, error) {
	in := c.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usageError{fmt.Errorf("answer %s: %s", file, problem.Reason(err))}
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			return nil, usageError{fmt.Errorf("answer %s: not a file", file)}
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, cfg.Source.Size+1))
	if err != nil {
		return nil, usageError{fmt.Errorf("answer %s: %s", file, problem.Reason(err))}
	}
	if int64(len(data)) > cfg.Source.Size {
		return nil, usageError{fmt.Errorf("answer %s: has more than %d bytes", file, cfg.Source.Size)}
	}
	return data, nil
}

func optional(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", usageError{fmt.Errorf("%s: %s", file, problem.Reason(err))}
	}
	return string(data), nil
}
