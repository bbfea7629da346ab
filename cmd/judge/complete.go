package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/workspace"
)

// addCompletion sets up shell completion for a command and its subcommands. It must not fail, so errors are ignored:
// without completions, the shell offers file names.
func addCompletion(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		addCompletion(below)
	}
	parameters := cli.Parameters(cmd)
	if cmd.ValidArgsFunction == nil && len(parameters) > 0 {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completions(parameters[min(len(args), len(parameters)-1)].Name, args)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); known {
			return
		}
		choices := cli.Choices(f)
		if choices == nil && !slices.Contains([]string{"lang", "case", "group", "rules"}, f.Name) {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, args []string, _ string) (
			[]cobra.Completion, cobra.ShellCompDirective,
		) {
			if choices != nil {
				return choices, cobra.ShellCompDirectiveNoFileComp
			}
			return completions(f.Name, args)
		})
	})
}

// completions returns the completions for an argument of the kind what, such as a problem or a language. The parameter
// args holds the arguments before it.
func completions(kind string, args []string) (completions []cobra.Completion, directive cobra.ShellCompDirective) {
	directive = cobra.ShellCompDirectiveNoFileComp
	contest, err := cli.FindContest()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var problem *workspace.Problem
	if len(args) > 0 {
		problem, _ = contest.Open(args[0])
	}
	switch kind {
	case "problem", "game":
		completions, _ = contest.KnownProblems()
		directive = cobra.ShellCompDirectiveDefault // a directory is also possible
	case "language", "lang":
		for _, l := range contest.Config.Languages {
			completions = append(completions, l.ID)
		}
	case "group", "case", "case or file.in":
		if problem == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		for _, g := range problem.Groups {
			if kind == "group" {
				completions = append(completions, g.Name)
				continue
			}
			for _, c := range g.Cases {
				completions = append(completions, c.ID())
			}
		}
		if strings.Contains(kind, "file") {
			directive = cobra.ShellCompDirectiveDefault
		}
	case "rules":
		if problem == nil || problem.Game == nil {
			return nil, directive
		}
		for _, r := range problem.Game.Rules {
			completions = append(completions, r.Name)
		}
	case "problems|languages|checkers":
		completions = strings.Split(kind, "|")
	default:
		return nil, cobra.ShellCompDirectiveDefault
	}
	return completions, directive
}
