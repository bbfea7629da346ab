package golf

import (
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
)

// A Language is a language in which submissions can be written.
type Language struct {
	Name   string
	Driver *drivers.Driver
}

// Rules formats the rules that apply to every golf problem as Markdown: the domain with its size, how submissions
// are called, what is counted, and how a submission is checked. The terminal and pages show them below the
// problem's own text.
func Rules(d *Domain, languages []Language) string {
	var b strings.Builder
	d.rules(&b)
	callRules(&b, d)
	b.WriteString(countRules)
	fmt.Fprintf(&b, `## How a submission is checked

- It runs on every input of the domain, in an order that differs from run to run.
- It has %v of CPU time for each input. Wall time does not count.
- A function is called on many inputs in one process, and then on %d inputs in a process each.
  Each call must give the same result in both.
- Its outputs can differ from run to run if each of them is correct.
- Standard error and the exit status are ignored. An empty output is a text, too.
- It has no network and cannot read the judge's files.

`, DefaultTime, freshCalls)
	languageRules(&b, d.Arity, languages)
	return b.String()
}

// rules describes the domain.
func (d *Domain) rules(b *strings.Builder) {
	letters := ArgumentNames(d.Arity)
	fmt.Fprintf(b, "## Inputs\n\nA submission is checked on the whole domain: %s. An input has %s:\n\n",
		judge.Quantity(len(d.Inputs), "input"), judge.Quantity(d.Arity, "whole number"))
	combinations := 1
	for k := range d.Arity {
		values := map[string]bool{}
		var low, high int64
		for i, in := range d.Inputs {
			var n int64
			fmt.Sscan(in.Args[k], &n)
			if i == 0 || n < low {
				low = n
			}
			if i == 0 || n > high {
				high = n
			}
			values[in.Args[k]] = true
		}
		if combinations <= maxInputs {
			combinations *= len(values)
		}
		fmt.Fprintf(b, "- `%s` from %d to %d", letters[k], low, high)
		if int64(len(values)) != high-low+1 {
			fmt.Fprintf(b, "; %d different values", len(values))
		}
		b.WriteString("\n")
	}
	if combinations == len(d.Inputs) {
		if d.Arity > 1 {
			b.WriteString("\nEach combination is an input.\n")
		}
	} else {
		b.WriteString("\nNot every combination is an input.\n")
	}
	var samples []string
	for _, at := range d.Samples[:min(len(d.Samples), 12)] {
		samples = append(samples, "`"+d.Inputs[at].String()+"`")
	}
	fmt.Fprintf(b, "\nThe judge finds out how to call a submission with the samples: %s.\n\n", strings.Join(samples, ", "))
}

// callRules describes the ways in which submissions are called.
func callRules(b *strings.Builder, d *Domain) {
	example := []string{"3", "4", "5", "6", "7", "8", "9", "10", "11"}[:d.Arity]
	if len(d.Samples) > 0 {
		example = d.Inputs[d.Samples[len(d.Samples)-1]].Args
	}
	var calls []string
	for _, form := range forms {
		if d.Arity > 1 || form != "curry" { // with one argument, curry is the same as the usual call
			calls = append(calls, "`"+FormName(form, d.Arity)+"`")
		}
	}
	fmt.Fprintf(b, `## How a submission is called

A submission is a function or a program. The judge tries the ways below with the samples, and uses
the first one with which the submission is correct.

A **function** has a name, or is an expression without one. It is called as
%s.
It returns its result, prints it, or leaves it in its arguments. A list, tuple or string counts as
its language prints it.

A **program** reads its input and prints its result:

| the input %s | is given as |
| --- | --- |
`, strings.Join(calls, ", "), "`"+strings.Join(example, " ")+"`")
	seen := map[string]bool{}
	for _, f := range inputForms {
		given := "arguments "
		switch {
		case f.rare:
			continue
		case f.name == unaryForm:
			given = "standard input, each number n as n times `1`"
		case f.argv != nil:
			var words []string
			for _, w := range f.argv(example) {
				words = append(words, "`"+w+"`")
			}
			given += strings.Join(words, " ")
		default:
			lines := strings.Split(strings.TrimSuffix(f.stdin(example), "\n"), "\n")
			for k, line := range lines {
				if len(line) > 40 {
					line = line[:40] + "..."
				}
				lines[k] = "`" + line + "`"
			}
			given = "standard input " + strings.Join(lines, ", next line ")
		}
		if !seen[given] {
			seen[given] = true
			fmt.Fprintf(b, "| `%s` | %s |\n", f.name, given)
		}
	}
	b.WriteString(
		"\nBlanks and line ends around the result are ignored. To choose the way yourself, use `--as`, `--call`, `--entry` and `--in`.\n\n",
	)
}

const countRules = `## What is counted

The bytes of the submission's file, which is read as UTF-8.

- A byte order mark and newlines at both ends are not counted. CRLF counts as one byte.
- If the language has its own code page, and the code page has every character of the submission,
  each character is one byte. ` + "`--encoding`" + ` sets another encoding.
- Flags of the interpreter or compiler are shown and not counted. Each set of flags is a language
  of its own. After a flag such as ` + "`perl -E`" + `, the code is passed on the command line.
- A header and a footer, such as test calls, are not counted if you pass them as such.
- Of a post, the code block whose size its header states is counted.

`

// languageRules lists the languages and the rules specific to each.
func languageRules(b *strings.Builder, arity int, languages []Language) {
	if len(languages) == 0 {
		return
	}
	b.WriteString("## Languages\n\n| language | functions are called as | programs |\n| --- | --- | --- |\n")
	for _, l := range languages {
		var calls, own []string
		if l.Driver.Driver != "" {
			calls = Calls(l.Driver, arity)
		}
		for k := range calls {
			calls[k] = cell(calls[k])
		}
		if len(l.Driver.Inputs) > 0 {
			own = append(own, "input first as "+cell(l.Driver.Inputs[0]))
		}
		for _, w := range l.Driver.Wraps {
			own = append(own, w.Name)
		}
		functions := strings.Join(calls, ", ")
		if functions == "" {
			functions = "programs only"
		}
		programs := strings.Join(slices.Compact(own), ", ")
		if programs == "" {
			programs = "as they are"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", plainCell(l.Name), functions, plainCell(programs))
	}
	b.WriteString("\n")
}

// cell formats a text as code in a table cell.
func cell(s string) string { return "`" + plainCell(s) + "`" }

func plainCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
