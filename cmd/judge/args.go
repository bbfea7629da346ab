package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/workspace"
)

// parameter is an argument of a command, as its line of usage names it.
type parameter struct {
	name     string
	required bool
	many     bool
}

var parameterForm = regexp.MustCompile(`<([^>]+)>(\.\.\.)?|\[([^\].]+)(\.\.\.)?\](\.\.\.)?`)

// parameters reads the arguments of a command from its line of usage, such as
// "shrink <problem> <solution> <case or file.in>", "golf <problem> <answer>..." or
// "verify [problem...]".
func parameters(cmd *cobra.Command) (all []parameter) {
	for _, m := range parameterForm.FindAllStringSubmatch(cmd.Use, -1) {
		all = append(all, parameter{name: m[1] + m[3], required: m[1] != "", many: m[2]+m[4]+m[5] != ""})
	}
	return all
}

// usage is how a command is typed.
func usage(cmd *cobra.Command) string {
	return cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
}

// takes checks that the arguments are those of the line of usage.
func takes(cmd *cobra.Command, args []string) error {
	var required []string
	all, many := parameters(cmd), false
	for _, p := range all {
		if p.required {
			required = append(required, "the "+p.name)
		}
		many = many || p.many
	}
	if missing := required[min(len(args), len(required)):]; len(missing) > 0 {
		return usageError{fmt.Errorf("missing: %s\n    usage: %s", strings.Join(missing, " and "), usage(cmd))}
	}
	if !many && len(args) > len(all) {
		return usageError{fmt.Errorf("one argument too many: %q\n    usage: %s", args[len(all)], usage(cmd))}
	}
	return nil
}

// swapped returns another error where the first argument was to be a problem and the
// second one is.
func swapped(cmd *cobra.Command, err error) error {
	args, all := cmd.Flags().Args(), parameters(cmd)
	if judge.Whose(err) != judge.Asker || len(args) < 2 || len(all) < 2 || all[0].name != "problem" && all[0].name != "game" {
		return err
	}
	if _, failed := os.Stat(args[0]); failed != nil && filepath.Ext(args[0]) == "" {
		return err // it is not a file, and was not meant as one
	}
	contest, failed := findContest()
	if failed != nil {
		return err
	}
	ids, failed := contest.Known()
	if failed != nil || slices.Contains(ids, args[0]) || !slices.Contains(ids, args[1]) {
		return err
	}
	args[0], args[1] = args[1], args[0]
	return usageError{fmt.Errorf("%s is a problem: did you swap them?\n    %s %s", args[0], cmd.CommandPath(), strings.Join(args, " "))}
}

// unknownCommand is the error for a word that is not a command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "judge help lists the commands"
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return usageError{errors.New("unknown command " + fmt.Sprintf("%q\n    %s", args[0], hint))}
}

// unknownFlag is the error for a flag that the command does not have. Many write a
// long flag with one dash, which is read as several short ones.
func unknownFlag(cmd *cobra.Command, name, shorts string) error {
	names := flagNames(cmd)
	if shorts != "" && slices.Contains(names, shorts) {
		return usageError{fmt.Errorf("unknown flag -%s\n    did you mean --%[1]s?", shorts)}
	}
	dashes, hint := "--", fmt.Sprintf("%s --help lists the flags", cmd.CommandPath())
	if shorts != "" {
		dashes = "-"
	} else if near, ok := workspace.Closest(name, names); ok {
		hint = fmt.Sprintf("did you mean --%s?", near)
	}
	return usageError{fmt.Errorf("unknown flag %s%s\n    %s", dashes, name, hint)}
}
