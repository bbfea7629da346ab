package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/problem"
	"assay/judge/report"
	"assay/judge/workspace"
)

// submitOptions holds the flags of judge submit.
type submitOptions struct {
	runOptions
	outputOptions
	all        bool
	cases      []string
	groups     []string
	timeFactor float64
	language   string
	keep       string
	server     string // a server
	contest    string // checkPaths
	noRetime   bool
	transcript bool
	watch      bool
}

func submitCommand(c *console) *cobra.Command {
	var s submitOptions
	cmd := &cobra.Command{
		Use:   "submit <problem> <solution>...",
		Short: "judge a solution: a source file, a directory of source files, or an executable",
		Long: `Submit builds a solution, runs it on every case of the problem in the sandbox, and
prints its verdict. A problem is a name that ` + "`judge list`" + ` knows, or the path of
a problem directory. Several solutions make a table of solutions and groups.

` + exitHelp,
		Example: `  judge submit wythoff sol.py
  judge submit wythoff sol.py --case golf-size/lost-1-2
  judge submit ./my/problem ./my/solution/ --all --html out.html
  judge submit wythoff *.py sol.cpp
  judge submit wythoff sol.py --watch`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.outputOptions.problem = args[0]
			if s.server != "" {
				if err := rejectLocalFlags(cmd, "to", "to", "contest", "all", "lang", "json", "junit", "html", "color"); err != nil {
					return err
				}
				s.outputOptions.server = s.server
			} else if s.contest != "" {
				return usageError{errors.New("--contest names a contest of a server: add --to URL")}
			}
			if s.server != "" {
				return s.submitToServer(cmd.Context(), c, args[0], args[1:])
			}
			return s.run(cmd.Context(), c, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.server, "to", "", "judge on the server at this `URL`; log in first: judge login URL")
	f.StringVar(&s.contest, "contest", "", "the `CONTEST` on the server, as in its address, if several have the problem")
	f.BoolVar(&s.all, "all", false, "continue after the first failure")
	f.StringArrayVar(&s.cases, "case", nil, "judge only this case: its name, or group/name (repeatable)")
	f.StringArrayVar(&s.groups, "group", nil, "judge only this group (repeatable)")
	f.Float64Var(&s.timeFactor, "time-factor", 1, "multiply the time limits, on a slow machine")
	f.StringVar(&s.language, "lang", "", "the solution's language, if its name does not determine it")
	f.StringVar(&s.keep, "keep", "", "save the outputs (or dialogues) as `DIR`/group/case.out")
	f.BoolVar(&s.noRetime, "no-retime", false, "do not repeat a case alone that was slightly too slow or got too little CPU time")
	f.BoolVar(&s.watch, "watch", false, "judge a solution again whenever it is saved, until Ctrl-C")
	f.BoolVar(&s.transcript, "transcript", false, "show the dialogue of every interactive case, not only of failed ones")
	s.runOptions.flags(c, f)
	s.outputOptions.flags(f)
	return cmd
}

func (s *submitOptions) run(ctx context.Context, c *console, name string, paths []string) (err error) {
	if s.timeFactor <= 0 {
		return usageError{fmt.Errorf("--time-factor %v: it must be above 0", s.timeFactor)}
	}
	if err := checkPaths(paths); err != nil {
		return err
	}
	folders, err := s.keepDirs(paths)
	if err != nil {
		return err
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	folder, err := contest.OpenForJudging(ctx, name, s.runOptions.workspaceOptions())
	if err != nil {
		return err
	}
	if err := contest.Start(s.runOptions.workspaceOptions()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	if s.language != "" {
		if _, err := contest.Tools.Language(s.language); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := folder.CheckLanguage(path, s.language); err != nil {
			return err
		}
	}
	if s.html != "" {
		if s.statement, err = enclosedStatement(ctx, contest, folder); err != nil {
			return err
		}
	}
	one := func(ctx context.Context, path string, listen func(judge.Event)) (judge.Verdict, error) {
		submitted := workspace.Submission{
			Path: path, Language: s.language, Groups: s.groups, Cases: s.cases, TimeFactor: s.timeFactor,
			NoRetime: s.noRetime,
		}
		if to := folders[path]; to != "" {
			submitted.OnOutput = func(c *judge.Case, out *io.SectionReader) error { return keepOutput(to, c, out) }
		}
		sum, err := contest.Submit(
			ctx, folder, submitted, judge.Options{ContinueAfterFailure: s.all, Jobs: s.jobs, Dialogues: s.transcript},
			func(e judge.Event) {
				listen(e)
				if _, opens := e.(*judge.Started); opens && contest.IsBundled && contest.MarkFirstTime("house") {
					listen(&judge.Noted{Text: bundledNote})
				}
			},
		)
		if err != nil {
			return "", err
		}
		return sum.Verdict, nil
	}
	if s.watch {
		return s.watchSolutions(ctx, c, paths, func(paths []string) error { return s.judgeEach(ctx, c, paths, one) })
	}
	return s.judgeEach(ctx, c, paths, one)
}

// enclosedStatement reads the statement for a report. If the statement cannot be read, it returns nil, nil, because judge
// verify reports the error.
func enclosedStatement(ctx context.Context, contest *workspace.Workspace, folder *workspace.Problem) (*report.EnclosedStatement, error) {
	read, err := folder.ReadStatement("")
	if err != nil {
		return nil, nil
	}
	if err := contest.ConvertPictures(ctx, read.Pictures); err != nil {
		return nil, err
	}
	return &report.EnclosedStatement{
		Language: cmp.Or(read.Language, "en"), Markdown: read.Markdown,
		Pictures: cli.StatementPictures(read.Pictures),
	}, nil
}

// checkPaths returns an error if a solution does not exist.
func checkPaths(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return usageError{fmt.Errorf("solution %s: %s", path, problem.Reason(err))}
		}
	}
	return nil
}

// keepOutput writes an output to a directory.
func keepOutput(dir string, c *judge.Case, out *io.SectionReader) error {
	path := filepath.Join(dir, c.Group, c.Name+".out")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("save the output: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save the output: %w", err)
	}
	_, err = io.Copy(f, io.NewSectionReader(out, 0, out.Size()))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save the output: %w", err)
	}
	return nil
}
