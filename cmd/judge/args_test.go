package main

import (
	"assay/cmd/internal/cli"

	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// walk calls f with every command and the words that invoke it.
func walk(f func(cmd *cobra.Command, words []string)) {
	root := &cobra.Command{Use: "judge"}
	for _, g := range commandGroups(&console{}) {
		root.AddCommand(g.commands...)
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			f(below, strings.Fields(below.CommandPath())[1:])
			visit(below)
		}
	}
	visit(root)
}

// refused checks that a command line is rejected as misuse, with a message written by this project.
func refused(t *testing.T, want string, line ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), line, &console{in: strings.NewReader(""), out: &out, err: &errs})
	said := errs.String()
	if code != cli.ExitUsage || !strings.HasPrefix(said, "judge: ") || !strings.Contains(said, want) || strings.Count(said, "\n") > 2 {
		t.Errorf("judge %s: exit code %d, %q, want 2 and %q", strings.Join(line, " "), code, said, want)
	}
	for _, foreign := range []string{"strconv", "parsing", "time:", "invalid", "syntax", "pflag", "shorthand", "open "} {
		if strings.Contains(said, foreign) {
			t.Errorf("judge %s says %q, which has %q", strings.Join(line, " "), said, foreign)
		}
	}
}

// TestEveryFlagIsRefusedInPlainWords checks the errors for values that a flag cannot take, for each flag of each
// command.
func TestEveryFlagIsRefusedInPlainWords(t *testing.T) {
	t.Chdir(t.TempDir())
	bad := map[string][]string{
		"int": {"x", "", "1.5", "-1", "99999999999999999999"}, "uint64": {"x", "-1", "99999999999999999999"},
		"float64": {"x", "-1", "NaN", "+Inf"}, "duration": {"x", "5", "-1s", ""}, "bool": {"maybe"}, "WORD": {"sometimes", ""},
	}
	flags := 0
	walk(func(cmd *cobra.Command, words []string) {
		line := words
		for _, p := range cli.Parameters(cmd) {
			if p.Required {
				line = append(line, "x")
			}
		}
		if cmd.Name() == "arena" {
			line = append(line, "y")
		}
		refused(t, "unknown flag --nosuchflag", append(line, "--nosuchflag")...)
		refused(t, "unknown flag -Z", append(line, "-Z")...)
		refused(t, "did you mean --color?", append(line, "--colour")...)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flags++
			if f.Name == "help" {
				return
			}
			for _, value := range bad[f.Value.Type()] {
				refused(t, "--"+f.Name, append(line, "--"+f.Name+"="+value)...)
			}
			if f.NoOptDefVal == "" {
				refused(t, "--"+f.Name+" needs a value", append(line, "--"+f.Name)...)
			}
			if len(f.Name) > 4 {
				refused(t, "did you mean --", append(line, "--"+f.Name[:2]+f.Name[3:])...)
			}
			if kind, _ := pflag.UnquoteUsage(f); kind == "FILE" && f.Name != "header" && f.Name != "footer" {
				refused(t, "there is no directory nosuch", append(line, "--"+f.Name+"=nosuch/x")...)
				refused(t, "it is a directory", append(line, "--"+f.Name+"=.")...)
			}
		})
	})
	if flags < 100 {
		t.Errorf("the walk saw %d flags", flags)
	}
}

// TestEveryArgumentIsNamed checks the errors for missing and extra arguments of each command.
func TestEveryArgumentIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	walk(func(cmd *cobra.Command, words []string) {
		line, many := words, false
		for _, p := range cli.Parameters(cmd) {
			if p.Required {
				refused(t, "the "+p.Name, line...)
				line = append(line, "x")
			}
			many = many || p.Repeated
		}
		if !many {
			for range cli.Parameters(cmd) {
				line = append(line, "x")
			}
			refused(t, `one argument too many: "extra"`, append(append(words, line[len(words):len(words)+len(cli.Parameters(cmd))]...), "extra")...)
		}
	})
}

// TestEveryChoiceIsCompleted checks that shell completion offers the words that the help lists.
func TestEveryChoiceIsCompleted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct{ want, line string }{
		{"wythoff", "submit "}, {"sylver", "arena "}, {
			"large/lost-fib-40", "submit wythoff x --case ",
		}, {"golf-size", "submit wythoff x --group "},
		{"large/lost-fib-40", "shrink wythoff x "}, {"python3", "lang "}, {"python3", "submit wythoff x --lang "}, {"checkers", "list "},
		{"never", "list --color "}, {"isolated", "submit --require "}, {"interactive", "new --kind "}, {"icpc-legacy", "export --to "},
		{"s2", "arena sylver x --rules "}, {"swiss", "arena --format "}, {"encounter", "arena --points "}, {"latin-1", "golf --encoding "},
	} {
		var out, errs bytes.Buffer
		words := append([]string{"__complete"}, strings.Split(test.line, " ")...)
		code := run(context.Background(), words, &console{in: strings.NewReader(""), out: &out, err: &errs})
		if code != 0 || !strings.Contains("\n"+out.String(), "\n"+test.want+"\n") {
			t.Errorf("judge %s<tab>: exit code %d, %s%s", test.line, code, &out, &errs)
		}
	}
}
