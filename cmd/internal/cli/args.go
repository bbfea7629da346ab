package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/workspace"
)

// Parameter is an argument in the usage line of a command.
type Parameter struct {
	Name     string
	Required bool
	Repeated bool
}

var parameterForm = regexp.MustCompile(`<([^>]+)>(\.\.\.)?|\[([^\].]+)(\.\.\.)?\](\.\.\.)?`)

// Parameters parses the arguments of a command from its usage line, such as "shrink <problem> <solution>
// <case or file.in>", "golf <problem> <answer>..." or "verify [problem...]".
func Parameters(cmd *cobra.Command) (parameters []Parameter) {
	for _, m := range parameterForm.FindAllStringSubmatch(cmd.Use, -1) {
		parameters = append(parameters, Parameter{Name: m[1] + m[3], Required: m[1] != "", Repeated: m[2]+m[4]+m[5] != ""})
	}
	return parameters
}

// usageLine returns the usage line of a command.
func usageLine(cmd *cobra.Command) string {
	return cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
}

// checkArguments returns an error if args do not match the usage line of cmd.
func checkArguments(cmd *cobra.Command, args []string) error {
	var required []string
	parameters, many := Parameters(cmd), false
	for _, p := range parameters {
		if p.Required {
			required = append(required, "the "+p.Name)
		}
		many = many || p.Repeated
	}
	if missing := required[min(len(args), len(required)):]; len(missing) > 0 {
		return &judge.UsageError{Err: fmt.Errorf("missing: %s\n    usage: %s", strings.Join(missing, " and "), usageLine(cmd))}
	}
	if !many && len(args) > len(parameters) {
		return &judge.UsageError{Err: fmt.Errorf("one argument too many: %q\n    usage: %s", args[len(parameters)], usageLine(cmd))}
	}
	return nil
}

// CheckArguments makes the commands and their subcommands check arguments and flags.
func CheckArguments(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Args = checkArguments
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd.Flags()) }
		CheckArguments(cmd.Commands())
	}
}

// CheckCommand returns an error if args ask for help about an unknown command, as in "help nosuch" or "nosuch
// --help". Without this check, cobra would print the root command's help instead.
func CheckCommand(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd != root {
		return nil // the command reports errors when it runs
	}
	asked := slices.Contains(rest, "--help") || slices.Contains(rest, "-h")
	value := false // whether the previous flag takes a value
	rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool {
		if value || !strings.HasPrefix(s, "-") {
			was := value
			value = false
			return was
		}
		f := root.PersistentFlags().Lookup(strings.TrimLeft(s, "-"))
		value = f != nil && f.NoOptDefVal == ""
		return true
	})
	if len(rest) > 0 && rest[0] == "help" {
		asked, rest = true, rest[1:]
		if found, _, err := root.Find(rest); err == nil && found != root {
			return nil
		}
	}
	if !asked || len(rest) == 0 || rest[0] == "completion" || rest[0] == "help" {
		return nil
	}
	return UnknownCommandError(root, rest)
}

// VersionCommand returns the command "version", for users who type it instead of --version.
func VersionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print the version of this program", RunE: func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), cmd.Root().Name(), cmd.Root().Version)
		return err
	}}
}

// UnknownCommandError returns the error for a word that is not a command.
func UnknownCommandError(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := root.Name() + " help lists the commands"
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return &judge.UsageError{Err: errors.New("unknown command " + fmt.Sprintf("%q\n    %s", args[0], hint))}
}

// unknownFlagError returns the error for an unknown flag. Many users write a long flag with one dash, so that its
// letters are read as several short flags.
func unknownFlagError(cmd *cobra.Command, name, shorts string) error {
	names := flagNames(cmd)
	if shorts != "" && slices.Contains(names, shorts) {
		return &judge.UsageError{Err: fmt.Errorf("unknown flag -%s\n    did you mean --%[1]s?", shorts)}
	}
	dashes, hint := "--", fmt.Sprintf("%s --help lists the flags", cmd.CommandPath())
	if shorts != "" {
		dashes = "-"
	} else if near, ok := workspace.Closest(name, names); ok {
		hint = fmt.Sprintf("did you mean --%s?", near)
	}
	return &judge.UsageError{Err: fmt.Errorf("unknown flag %s%s\n    %s", dashes, name, hint)}
}
