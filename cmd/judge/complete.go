package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/workspace"
)

// completion sets up shell completion for a command and its subcommands. It must not fail, so errors are ignored:
// without completions, the shell offers file names.
func completion(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		completion(below)
	}
	all := cli.Parameters(cmd)
	if cmd.ValidArgsFunction == nil && len(all) > 0 {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return words(all[min(len(args), len(all)-1)].Name, args)
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
			return words(f.Name, args)
		})
	})
}

// words returns the completions for an argument of the kind what, such as a problem or a language. The parameter
// args holds the arguments before it.
func words(what string, args []string) (all []cobra.Completion, rest cobra.ShellCompDirective) {
	rest = cobra.ShellCompDirectiveNoFileComp
	contest, err := cli.Find()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var folder *workspace.Problem
	if len(args) > 0 {
		folder, _ = contest.Open(args[0])
	}
	switch what {
	case "problem", "game":
		all, _ = contest.Known()
		rest = cobra.ShellCompDirectiveDefault // a directory is also possible
	case "language", "lang":
		for _, l := range contest.Config.Languages {
			all = append(all, l.ID)
		}
	case "group", "case", "case or file.in":
		if folder == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		for _, g := range folder.Groups {
			if what == "group" {
				all = append(all, g.Name)
				continue
			}
			for _, c := range g.Cases {
				all = append(all, c.ID())
			}
		}
		if strings.Contains(what, "file") {
			rest = cobra.ShellCompDirectiveDefault
		}
	case "rules":
		if folder == nil || folder.Game == nil {
			return nil, rest
		}
		for _, r := range folder.Game.Rules {
			all = append(all, r.Name)
		}
	case "problems|languages|checkers":
		all = strings.Split(what, "|")
	default:
		return nil, cobra.ShellCompDirectiveDefault
	}
	return all, rest
}
