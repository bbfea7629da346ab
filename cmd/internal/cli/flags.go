package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/judge"
	"assay/judge/workspace"
)

// choice is the value of a flag that takes one of several words.
type choice struct {
	to *string
	of []string
}

// OneOf adds a flag that takes one of several words. The default of the flag is the word that the parameter to
// points to.
func OneOf(f *pflag.FlagSet, to *string, name, usage string, of ...string) {
	f.Var(&choice{to, of}, name, usage)
}

// Choices returns the words that f accepts. If f was not added by OneOf, it returns nil.
func Choices(f *pflag.Flag) []string {
	if v, ok := f.Value.(*choice); ok {
		return v.of
	}
	return nil
}

func (v *choice) Set(text string) error {
	if !slices.Contains(v.of, text) {
		return errors.New("unknown word")
	}
	*v.to = text
	return nil
}

func (v *choice) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// Type returns the placeholder for the value in the help.
func (v *choice) Type() string { return "WORD" }

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// FlagError returns an error that explains what is wrong with a flag and which values are allowed.
func FlagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, e.GetSpecifiedName(), e.GetSpecifiedShortnames())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return &judge.Misuse{Err: fmt.Errorf("--%s needs a value: %s", e.GetFlag().Name, wanted(e.GetFlag(), ""))}
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badValue(e.GetFlag(), e.GetValue(), wanted(e.GetFlag(), e.GetValue()))
	}
	if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return &judge.Misuse{Err: fmt.Errorf("%s is not a flag\n    %s --help lists the flags", e.GetSpecifiedFlag(), cmd.CommandPath())}
	}
	return &judge.Misuse{Err: err}
}

func badValue(f *pflag.Flag, value, hint string) error {
	return &judge.Misuse{Err: fmt.Errorf("--%s %s: %s", f.Name, quotedValue(value), hint)}
}

// quotedValue quotes a value that is empty or contains white space, so that a message shows it clearly.
func quotedValue(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return strconv.Quote(value)
	}
	return value
}

// wanted returns a phrase that describes the values f accepts.
func wanted(f *pflag.Flag, got string) string {
	if v, ok := f.Value.(*choice); ok {
		if near, ok := workspace.Closest(got, v.of); ok {
			return fmt.Sprintf("did you mean %s?", near)
		}
		last := len(v.of) - 1
		return fmt.Sprintf("want %s or %s", strings.Join(v.of[:last], ", "), v.of[last])
	}
	switch kind := f.Value.Type(); kind {
	case "int", "uint64":
		return "it must be a whole number that is not negative" + tooLarge(got)
	case "float64":
		return "it must be a number that is not negative"
	case "duration":
		return "it must be a time that is not negative, such as 10s, 2m or 1m30s"
	case "bool":
		return "it must be true or false, or have no value"
	}
	_, what := pflag.UnquoteUsage(f)
	return what
}

// tooLarge returns the suffix of an error message if text is a number that does not fit into 64 bits. For any
// other text, it returns "".
func tooLarge(text string) string {
	if _, err := strconv.ParseUint(text, 10, 64); errors.Is(err, strconv.ErrRange) {
		return ", and not that large"
	}
	return ""
}

// checkFlags rejects values that no command can use: negative numbers, and files in directories that do not
// exist.
func checkFlags(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) { // a value may also come from the environment
		if v, ok := f.Value.(*choice); ok && *v.to != "" && !slices.Contains(v.of, *v.to) {
			err = badValue(f, *v.to, wanted(f, *v.to))
		}
	})
	flags.Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		value := f.Value.String()
		switch kind := f.Value.Type(); {
		case kind == "int" || kind == "float64" || kind == "duration":
			if strings.HasPrefix(value, "-") || value == "NaN" || value == "+Inf" {
				err = badValue(f, value, wanted(f, value))
			}
		case slices.Contains([]string{"html", "junit", "log", "out", "pdf"}, f.Name):
			err = checkFile(f, value)
		}
	})
	return err
}

// checkFile rejects a file that cannot be written at its path.
func checkFile(f *pflag.Flag, path string) error {
	if kind, _ := pflag.UnquoteUsage(f); kind != "FILE" {
		return nil
	}
	if path == "" {
		return badValue(f, path, "it needs the name of a file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return badValue(f, path, "it is a directory: name a file in it")
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return badValue(f, path, fmt.Sprintf("there is no directory %s: create it first", dir))
	case err == nil && !info.IsDir():
		return badValue(f, path, dir+" is not a directory")
	}
	return nil
}
