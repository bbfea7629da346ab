package config

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// Placeholders in a language's commands, file names, and environment. The [find] table of a language defines
// additional placeholders.
const (
	Sources = "sources" // all source files, without headers; must be a separate word
	Entry   = "entry"   // the file in which the program starts
	Ext     = "ext"     // the extension of the submitted file
	Version = "version" // the version of the language's tool, such as 1.26.1
	Public  = "public"  // the public class of a Java source
	Main    = "main"    // the class in which a Java virtual machine starts the program
)

// Placeholder matches a name in braces. Other braces are ordinary characters.
var Placeholder = pattern.New(`\{([a-z_]+)\}`)

// checker checks the languages that a file defines.
type checker struct {
	doc    *strict.Doc
	faults judge.ProblemErrors
}

func (k *checker) fault(key, hint, format string, args ...any) {
	k.faults = append(k.faults, k.doc.Fault(key, fmt.Sprintf(format, args...), hint))
}

// check checks requirements that the types of the keys do not express.
func check(c *Config, defined []*Language, doc *strict.Doc) judge.ProblemErrors {
	k := &checker{doc: doc}
	if c.Server.Audit < 0 || c.Server.Audit > 1 {
		k.fault("server.audit", "enter a fraction: 0.02 is 1 in 50", "server.audit: %v is not between 0 and 1", c.Server.Audit)
	}
	if _, err := time.Parse("15:04", c.Server.Backup); err != nil && c.Server.Backup != "" {
		k.fault(
			"server.backup", `"03:30" is half past three at night, and "" is never`,
			"server.backup: %q is not a time of day", c.Server.Backup,
		)
	}
	if u, err := url.Parse(c.Server.URL); c.Server.URL != "" &&
		(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "") {
		k.fault("server.url", `"https://judge.example" is one, also with a path`, "server.url: %q is not a URL of a server", c.Server.URL)
	}
	if c.Server.Backup != "" && (c.Server.BackupDir == "" || c.Server.BackupKeep < 1) {
		k.fault(
			"server.backup",
			`backup_dir = "backups" and backup_keep = 7 are what is usual; backup = "" makes none`,
			"server.backup: set a directory for backups, and a number of backups to keep of at least 1",
		)
	}
	if known := []string{"closed", "invite", "oidc", "open"}; c.Server.Registration != "" &&
		!slices.Contains(known, c.Server.Registration) {
		k.fault(
			"server.registration", suggest.Hint(c.Server.Registration, known),
			"server.registration: unknown value %q", c.Server.Registration,
		)
	}
	k.signOn(&c.Server)
	if known := []string{"off", "verdict", "samples", "all"}; c.Server.Practice != "" && !slices.Contains(known, c.Server.Practice) {
		k.fault("server.practice", suggest.Hint(c.Server.Practice, known), "server.practice: unknown value %q", c.Server.Practice)
	}
	if _, err := c.Server.Proxies(); err != nil {
		k.fault("server.trusted_proxies", `["127.0.0.1", "10.0.0.0/8"] has one of each`, "server.trusted_proxies: %v", err)
	}
	if argv := c.Server.PrintCommand; len(argv) > 0 &&
		!slices.ContainsFunc(argv[1:], func(a string) bool { return strings.Contains(a, "{file}") }) {
		k.fault("server.print_command", `such as ["lp", "{file}"]`, "server.print_command: no argument has {file}, the file to print")
	}
	if known := []string{"any", "isolated", "none"}; !slices.Contains(known, c.Isolation) {
		k.fault("sandbox.require", suggest.Hint(c.Isolation, known), "sandbox.require: unknown value %q", c.Isolation)
	}
	for i, l := range defined {
		at := fmt.Sprintf("language[%d]", i)
		k.identity(l, at)
		k.checkNames(c, l, at)
		k.checkReferences(c, l, at)
		k.detection(l, at)
		k.commands(l, at)
		k.checkCodePage(c, l, at)
	}
	slices.SortStableFunc(k.faults, func(a, b *judge.ProblemError) int { return a.Line - b.Line })
	return k.faults
}

// idForm matches ids, which are used in paths and on command lines.
var idForm = pattern.New(`^[a-z0-9][a-z0-9+#._-]*$`)

func (k *checker) identity(l *Language, prefix string) {
	if !idForm().MatchString(l.ID) {
		k.fault(prefix+".id", "use small letters, digits and + # . _ -", "language %q: not an id", l.ID)
	}
	if l.Name == "" {
		k.fault(prefix, `add name = "...", which people read`, "language %q has no name", l.ID)
	}
	if len(l.Run) == 0 {
		k.fault(prefix, `run = ["tool", "/program/{entry}"]`, "language %q has no run command", l.ID)
	}
	if l.Hello == "" {
		k.fault(
			prefix, "a program that does what [hello] asks for proves that the language works",
			"language %q has no hello program", l.ID,
		)
	}
}

// checkReferences reports ids of unknown languages.
func (k *checker) checkReferences(c *Config, l *Language, prefix string) {
	for _, row := range []struct{ key, id string }{{"faster", l.Faster}, {"instead", l.Instead}} {
		if row.id == "" {
			continue
		}
		if other, ok := c.Language(row.id); !ok || other == l {
			k.fault(
				prefix+"."+row.key, row.key+` = "..." is the id of another language that runs the same programs`,
				"language %q: there is no other language %q", l.ID, row.id,
			)
		}
	}
}

// checkNames reports a name that two languages have in common.
func (k *checker) checkNames(c *Config, l *Language, prefix string) {
	for _, other := range c.Languages {
		if other == l {
			continue
		}
		for _, name := range l.names() {
			if slices.Contains(other.names(), name) {
				k.fault(prefix+".id", "ids and aliases must differ", "language %q: %s is called %q too", l.ID, other.Name, name)
			}
		}
	}
}

func (k *checker) detection(l *Language, prefix string) {
	k.expression(l, prefix+".kit.import", l.Kit.Import)
	for i, expr := range l.Signs {
		k.expression(l, fmt.Sprintf("%s.signs[%d]", prefix, i), expr)
	}
	for i, expr := range l.Includes {
		k.expression(l, fmt.Sprintf("%s.includes[%d]", prefix, i), expr)
	}
	for i, ext := range slices.Concat(l.Extensions, l.Headers) {
		if ext == "" || strings.HasPrefix(ext, ".") || strings.Contains(ext, "/") {
			key := fmt.Sprintf("%s.extensions[%d]", prefix, i)
			if i >= len(l.Extensions) {
				key = fmt.Sprintf("%s.headers[%d]", prefix, i-len(l.Extensions))
			}
			k.fault(key, `write it without the dot: "py"`, "language %q: %q is not an extension", l.ID, ext)
		}
	}
	for _, word := range slices.Sorted(maps.Keys(l.Find)) {
		for i, expr := range l.Find[word].Match {
			if _, err := regexp.Compile(expr); err != nil {
				k.fault(
					fmt.Sprintf("%s.find.%s.match[%d]", prefix, word, i),
					"see https://pkg.go.dev/regexp/syntax",
					"language %q: %v", l.ID, err,
				)
			}
		}
	}
	if l.File == "" || path.Base(l.File) != l.File {
		k.fault(
			prefix+".file", `file = "main.py" names a submitted file in the build directory`,
			"language %q: file must be the name of a file", l.ID,
		)
	}
	k.placeholders(l, prefix+".file", []string{l.File})
}

func (k *checker) commands(l *Language, prefix string) {
	tools := []string{}
	for _, tool := range l.Tools {
		first, _, _ := strings.Cut(tool, "|")
		tools = append(tools, first)
	}
	for i, command := range l.Build {
		k.command(l, tools, fmt.Sprintf("%s.build[%d]", prefix, i), command)
	}
	for i, command := range l.Prepare {
		k.command(l, tools, fmt.Sprintf("%s.prepare[%d]", prefix, i), command)
	}
	k.command(l, tools, prefix+".prepares.list", l.Prepares.List)
	if len(l.Prepare) > 0 && l.Cache == "" {
		k.fault(
			prefix+".prepare",
			`cache = "/cache" names the directory that prepare fills`,
			"language %q: prepare has no cache to fill", l.ID,
		)
	}
	if l.Prepares.GoCache && (len(l.Prepares.List) == 0 || !slices.Contains(tools, "go")) {
		k.fault(
			prefix+".prepares.go_cache",
			`list = ["go", "list", ...] prints the packages`,
			"language %q: go_cache needs a list of packages, and the tool go", l.ID,
		)
	}
	k.command(l, tools, prefix+".run", l.Run)
	k.command(l, tools, prefix+".locate", l.Locate)
	k.command(l, tools, prefix+".version", l.Version)
	if len(l.Tools) > 0 && l.Package == "" && l.Obtain == "" {
		k.fault(
			prefix,
			`package = "..." names the Debian package that brings the tools; obtain = "..." says what else does`,
			"language %q has no package", l.ID,
		)
	}
	for _, table := range []struct {
		key    string
		values map[string]string
	}{{"env", l.Env}, {"build_env", l.BuildEnv}, {"files", l.Files}, {"kit.files", l.Kit.Files}} {
		for _, name := range slices.Sorted(maps.Keys(table.values)) {
			k.placeholders(l, prefix+"."+table.key, []string{table.values[name]})
		}
	}
}

// checkCodePage reports an unknown code page.
func (k *checker) checkCodePage(c *Config, l *Language, prefix string) {
	if _, ok := c.CodePages[l.Page]; l.Page != "" && !ok {
		k.fault(
			prefix+".code_page", suggest.Hint(l.Page, slices.Sorted(maps.Keys(c.CodePages))),
			"language %q: unknown code page %q", l.ID, l.Page,
		)
	}
}

func (k *checker) expression(l *Language, key, expr string) {
	if _, err := regexp.Compile(expr); err != nil {
		k.fault(key, "see https://pkg.go.dev/regexp/syntax", "language %q: %v", l.ID, err)
	}
}

// command checks that a command starts with one of the language's tools, or with
// a path in the sandbox.
func (k *checker) command(l *Language, tools []string, key string, command []string) {
	if len(command) == 0 {
		return
	}
	if !strings.HasPrefix(command[0], "/") && !slices.Contains(tools, command[0]) {
		hint := suggest.Hint(command[0], tools)
		if hint == "" {
			hint = fmt.Sprintf("tools = [%q]", command[0])
		}
		k.fault(key, hint, "language %q: the command starts with %q, which is not one of its tools", l.ID, command[0])
	}
	k.placeholders(l, key, command)
}

// placeholders checks the names in braces.
func (k *checker) placeholders(l *Language, key string, texts []string) {
	known := append(
		[]string{Sources, Entry, Ext, Version, Public, Main, strings.Trim(judge.MemoryMiB, "{}"), strings.Trim(judge.HeapMiB, "{}")},
		slices.Sorted(maps.Keys(l.Find))...,
	)
	for _, text := range texts {
		for _, m := range Placeholder().FindAllStringSubmatch(text, -1) {
			if !slices.Contains(known, m[1]) {
				k.fault(key, suggest.Hint(m[1], known), "language %q: unknown word %s", l.ID, m[0])
			}
		}
		if strings.Contains(text, "{"+Sources+"}") && text != "{"+Sources+"}" {
			k.fault(key, "", "language %q: {%s} must be a word by itself", l.ID, Sources)
		}
	}
}
