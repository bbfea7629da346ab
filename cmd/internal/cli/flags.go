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

// choiceValue is the value of a flag that takes one of several words.
type choiceValue struct {
	target *string
	words  []string
}

// ChoiceFlag adds a flag that takes one of several words. The default of the flag is the word that the parameter to
// points to.
func ChoiceFlag(f *pflag.FlagSet, target *string, name, usage string, words ...string) {
	f.Var(&choiceValue{target, words}, name, usage)
}

// Choices returns the words that f accepts. If f was not added by ChoiceFlag, it returns nil.
func Choices(f *pflag.Flag) []string {
	if v, ok := f.Value.(*choiceValue); ok {
		return v.words
	}
	return nil
}

func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.words, text) {
		return errors.New("unknown word")
	}
	*v.target = text
	return nil
}

func (v *choiceValue) String() string {
	if v.target == nil {
		return ""
	}
	return *v.target
}

// Type returns the placeholder for the value in the help.
func (v *choiceValue) Type() string { return "WORD" }

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// FlagError returns an error that explains what is wrong with a flag and which values are allowed.
func FlagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlagError(cmd, e.GetSpecifiedName(), e.GetSpecifiedShortnames())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return &judge.UsageError{Err: fmt.Errorf("--%s needs a value: %s", e.GetFlag().Name, valueDescription(e.GetFlag(), ""))}
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return valueError(e.GetFlag(), e.GetValue(), valueDescription(e.GetFlag(), e.GetValue()))
	}
	if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return &judge.UsageError{
			Err: fmt.Errorf("%s is not a flag\n    %s --help lists the flags", e.GetSpecifiedFlag(), cmd.CommandPath()),
		}
	}
	return &judge.UsageError{Err: err}
}

func valueError(f *pflag.Flag, value, hint string) error {
	return &judge.UsageError{Err: fmt.Errorf("--%s %s: %s", f.Name, quotedValue(value), hint)}
}

// quotedValue quotes a value that is empty or contains white space, so that a message shows it clearly.
func quotedValue(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return strconv.Quote(value)
	}
	return value
}

// valueDescription returns a phrase that describes the values f accepts.
func valueDescription(f *pflag.Flag, value string) string {
	if v, ok := f.Value.(*choiceValue); ok {
		if near, ok := workspace.Closest(value, v.words); ok {
			return fmt.Sprintf("did you mean %s?", near)
		}
		last := len(v.words) - 1
		return fmt.Sprintf("want %s or %s", strings.Join(v.words[:last], ", "), v.words[last])
	}
	switch kind := f.Value.Type(); kind {
	case "int", "uint64":
		return "it must be a whole number that is not negative" + tooLargeSuffix(value)
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

// tooLargeSuffix returns the suffix of an error message if text is a number that does not fit into 64 bits. For any
// other text, it returns "".
func tooLargeSuffix(text string) string {
	if _, err := strconv.ParseUint(text, 10, 64); errors.Is(err, strconv.ErrRange) {
		return ", and not that large"
	}
	return ""
}

// checkFlags rejects values that no command can use: negative numbers, and files in directories that do not
// exist.
func checkFlags(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) { // a value may also come from the environment
		if v, ok := f.Value.(*choiceValue); ok && *v.target != "" && !slices.Contains(v.words, *v.target) {
			err = valueError(f, *v.target, valueDescription(f, *v.target))
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
				err = valueError(f, value, valueDescription(f, value))
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
		return valueError(f, path, "it needs the name of a file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return valueError(f, path, "it is a directory: name a file in it")
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return valueError(f, path, fmt.Sprintf("there is no directory %s: create it first", dir))
	case err == nil && !info.IsDir():
		return valueError(f, path, dir+" is not a directory")
	}
	return nil
}
