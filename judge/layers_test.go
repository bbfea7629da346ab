package judge_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers maps each package of the project to the project packages that it may import. The comments give the
// reasons. The test fails for a new package without an entry, for an import that is not listed, and for a listed
// import that is not used.
var layers = map[string][]string{
	// The shared types, and packages without input or output: they import nothing of the project.
	"judge":                 nil,                                 // read this first: it uses no directory, process, or network
	"judge/kit":             nil,                                 // also built outside this module, together with setters' programs
	"judge/kit/referee":     {"judge/kit"},                       // so is this
	"judge/cases/shrink":    nil,                                 // pure: the property to preserve is passed as a function
	"judge/cases/format":    {"judge", "judge/internal/suggest"}, // pure: declarations are passed as texts
	"judge/contests/rating": nil,                                 // pure statistics

	// Small acts.
	"judge/internal/suggest":                     nil,                    // finds the nearest name
	"judge/internal/tex":                         nil,                    // converts texts
	"judge/internal/formula":                     {"judge/internal/tex"}, // finds broken formulas
	"judge/internal/example":                     {"judge/internal/tex"}, // finds examples
	"judge/internal/pattern":                     nil,                    // regular expressions: any package may import it
	"judge/internal/golden":                      nil,                    // for tests
	"judge/internal/unboxed":                     {"judge"},              // for tests
	"judge/internal/browser":                     nil,                    // for tests
	"judge/host/freeport":                        nil,                    // for tests
	"judge/internal/atomicfile":                  nil,                    // of one file
	"judge/internal/forceremove":                 nil,                    // removes one directory
	"judge/internal/forceremove/forceremovetest": nil,                    // for tests
	"judge/host/fair/fairtest":                   {"judge/host/fair"},
	"judge/internal/tail":                        nil, // of one text
	"judge/internal/collide":                     nil, // of names
	"judge/internal/mark":                        nil, // of one text
	"judge/internal/pictures":                    nil, // of one text
	// Old directories may contain files that untrusted programs wrote.
	"judge/internal/cachedir": {"judge/internal/forceremove"},
	"judge/running/testcache": nil,                                                        // for tests
	"judge/internal/strict":   {"judge", "judge/internal/mark", "judge/internal/suggest"}, // reports faults
	"judge/internal/timeout":  {"judge"},                                                  // the timeout of a judge.Process
	// Uses the kit's frames.
	"judge/internal/kitproc": {"judge", "judge/internal/tail", "judge/internal/timeout", "judge/kit"},

	// These packages do one thing each, and are used through interfaces of package judge. Package ctd reports
	// incorrect scripts as faults.
	"judge/packages/ctd":    {"judge", "judge/internal/suggest"},
	"judge/internal/window": {"judge"}, // its excerpts are part of events
	// The sandbox returns a judge.Exec, and removes the files that programs leave.
	"judge/running/sandbox": {"judge", "judge/internal/forceremove"},
	// Package report renders events about bots. A referee defines how a position looks.
	"judge/report": {"judge", "judge/internal/formula", "judge/internal/mark", "judge/internal/pictures", "judge/internal/tex",
		"judge/contests/arena", "judge/kit/referee", "judge/contests/rating", "judge/contests/standings"},
	"judge/running/sandbox/sandboxtest": {"judge", "judge/running/sandbox"}, // for tests
	// Checkers may be kit programs.
	"judge/running/check": {"judge", "judge/internal/kitproc", "judge/internal/forceremove", "judge/internal/suggest",
		"judge/internal/tail", "judge/kit"},
	// Reads judge.toml with line and column positions.
	"judge/running/config": {"judge", "judge/internal/strict", "judge/internal/suggest"},
	// Package icpc reads a package as a problem. Titles and notes may be LaTeX.
	"judge/packages/icpc": {"judge", "judge/internal/pictures", "judge/internal/collide", "judge/internal/example",
		"judge/internal/mark", "judge/internal/strict", "judge/internal/suggest", "judge/internal/tex", "judge/problem"},
	"judge/packages/polygon": {"judge", "judge/internal/mark", "judge/packages/fill", "judge/packages/icpc",
		"judge/problem"}, // a recipe for package fill is part of what it reads
	// Tries each format in turn.
	"judge/packages": {"judge", "judge/packages/icpc", "judge/packages/polygon", "judge/problem"},
	// A problem directory may declare its input format.
	"judge/problem": {"judge", "judge/internal/formula", "judge/internal/pictures", "judge/internal/tex",
		"judge/internal/mark", "judge/cases/format", "judge/internal/strict", "judge/internal/suggest"},
	"judge/contests/golf/drivers": {"judge", "judge/internal/strict", "judge/internal/suggest"}, // its files are read as judge.toml is
	// Counts the contents of an arena log.
	"judge/contests/standings": {"judge", "judge/contests/arena", "judge/kit/referee", "judge/contests/rating"},
	// Reports a fault if a file already exists.
	"judge/problem/scaffold": {"judge", "judge/internal/atomicfile"},
	"judge/blob":             nil, // bytes by content
	// Its manifest names blobs.
	"judge/bundle": {"judge", "judge/blob", "judge/internal/collide"},

	// These packages use the packages above. Bots are built and kept in sandboxes, and referees use the kit's
	// frames.
	"judge/contests/arena": {"judge", "judge/internal/atomicfile", "judge/internal/cachedir", "judge/internal/suggest",
		"judge/internal/tail", "judge/kit", "judge/kit/referee", "judge/running/lang", "judge/problem", "judge/running/sandbox"},
	// Compilers run in a sandbox, and their output is cached.
	"judge/running/lang": {"judge", "judge/internal/mark", "judge/running/config", "judge/running/sandbox", "judge/internal/atomicfile",
		"judge/internal/cachedir", "judge/internal/suggest", "judge/running/lang/jvm"},
	"judge/running/lang/jvm": {}, // handles bytes of sources and classes
	// Package golf builds golf submissions, and makes an extra input with the generator.
	"judge/contests/golf": {"judge", "judge/contests/golf/drivers", "judge/running/config", "judge/cases/gen", "judge/internal/atomicfile",
		"judge/internal/kitproc", "judge/internal/suggest", "judge/internal/tail", "judge/kit", "judge/running/lang", "judge/problem"},
	// Combines a program that lang built with a checker.
	"judge/running/trial": {"judge", "judge/running/check", "judge/internal/forceremove", "judge/internal/tail", "judge/running/lang",
		"judge/internal/window"},
	// Package gen makes cases with setters' programs, and caches cases that took long to make.
	"judge/cases/gen": {"judge", "judge/internal/mark", "judge/running/check", "judge/cases/format", "judge/internal/atomicfile",
		"judge/internal/cachedir", "judge/internal/kitproc", "judge/internal/strict", "judge/internal/tail", "judge/kit", "judge/problem"},
	// Package verify checks a whole problem directory: it makes the cases and runs the solutions.
	"judge/cases/verify": {"judge", "judge/internal/mark", "judge/internal/tail", "judge/running/check", "judge/cases/format",
		"judge/cases/gen", "judge/internal/atomicfile", "judge/internal/cachedir", "judge/internal/example", "judge/internal/suggest",
		"judge/internal/window", "judge/running/lang", "judge/problem", "judge/running/trial"},
	// Package fill reads generators.yaml, and caches the cases that it makes.
	"judge/packages/fill": {"judge", "judge/internal/cachedir", "judge/internal/forceremove", "judge/internal/strict",
		"judge/internal/suggest", "judge/internal/tail"},
	// Converts icpc packages to problem directories, and back. Headings of a statement decide which section of
	// Polygon a text belongs to, and package polygon knows the names of languages.
	"judge/packages/exchange": {"judge", "judge/internal/example", "judge/internal/pictures", "judge/internal/tex", "judge/problem",
		"judge/packages/icpc", "judge/packages/polygon"},
	// Package stress generates cases like gen, runs programs on them as for a submission, and shrinks a failing
	// case.
	"judge/cases/stress": {"judge", "judge/running/check", "judge/cases/format", "judge/cases/gen", "judge/internal/forceremove",
		"judge/internal/tail", "judge/kit", "judge/problem", "judge/cases/shrink", "judge/internal/window", "judge/running/trial"},
	// Package mutate builds mutants and runs them on the inputs of stress. The file families.toml names tools in
	// the same way as judge.toml.
	"judge/cases/mutate": {"judge", "judge/internal/timeout", "judge/running/check", "judge/running/config", "judge/running/lang",
		"judge/internal/atomicfile", "judge/internal/cachedir", "judge/internal/strict", "judge/problem", "judge/cases/shrink",
		"judge/cases/stress"},

	// Hosting: a server, its workers, and what they exchange. Judging on one machine uses none of these packages.
	"judge/host":     nil,                     // a page
	"judge/host/job": {"judge", "judge/blob"}, // words
	// Package workflow is pure: it plans the tasks of a workflow. Package golf says how submissions are checked, mutate what
	// kills mutants, and arena which games a tournament lacks.
	"judge/host/workflow": {"judge", "judge/blob", "judge/bundle", "judge/cases/mutate", "judge/contests/arena", "judge/contests/golf",
		"judge/host/job", "judge/kit/referee"},
	// A job is any command that workspace supports, and its errors tell whose fault they are.
	"judge/host/worker": {"judge", "judge/blob", "judge/bundle", "judge/cases/mutate", "judge/contests/arena", "judge/contests/golf",
		"judge/host/workflow", "judge/host/job", "judge/host/queue", "judge/internal/atomicfile", "judge/internal/cachedir",
		"judge/internal/forceremove", "judge/running/lang", "judge/workspace"},

	"judge/host/fair":        nil,                                                           // pure: the formula that orders the queue
	"judge/host/scoring":     {"judge"},                                                     // pure
	"judge/host/clics":       nil,                                                           // pure: the table of the Contest API
	"judge/host/printing":    nil,                                                           // pure: lays out texts as pages
	"judge/host/media":       {"judge/blob", "judge/host/clics", "judge/internal/pictures"}, // pure: a contest's files
	"judge/host/matchmaking": {"judge/contests/rating"},                                     // pure: the next encounters of a ladder
	// Renders what scoring computes from the store's rows.
	"judge/host/scoreboard": {"judge/host/media", "judge/host/scoring", "judge/host/store", "judge/report"},
	// The queries of store follow the formula of package fair, and its rows use the types of package job.
	"judge/host/store": {"judge", "judge/blob", "judge/host/fair", "judge/host/job", "judge/host/media",
		"judge/host/store/internal/query"},
	"judge/host/store/internal/query": nil,                  // generated
	"judge/host/store/storetest":      {"judge/host/store"}, // for tests
	// Its messages use the types of job.
	"judge/host/queue":           {"judge", "judge/blob", "judge/host/job"},   // its object store can hold blobs
	"judge/host/queue/queuetest": {"judge/host/queue", "judge/host/freeport"}, // for tests

	"judge/host/openapi": nil, // pure: converts Go types to schemas
	// Package roster handles rosters as texts. It does not know which persons have an account.
	"judge/host/roster": {"judge"},
	// Package auth stores accounts and their tokens as rows, and creates accounts for the persons on a roster.
	"judge/host/auth": {"judge", "judge/host/roster", "judge/host/store"},
	// Maps a provider's data about a person to a role.
	"judge/host/signon":            {"judge/host/auth"},
	"judge/host/signon/signontest": nil, // for tests
	// Package contestpackage plans which rows an import changes. It uses the rules for names and reports file
	// positions.
	"judge/host/contestpackage": {"judge", "judge/blob", "judge/host/auth", "judge/host/clics", "judge/host/media", "judge/host/store",
		"judge/internal/strict", "judge/internal/suggest"},
	// Package client contains the API's types: workflows, jobs, and bundles, which are sent as files.
	"judge/host/client": {"judge", "judge/blob", "judge/bundle", "judge/host/workflow", "judge/host/job", "judge/host/roster",
		"judge/internal/atomicfile"},
	// Package dispatch keeps the database and the queue in agreement, and finds a workflow's next jobs.
	"judge/host/dispatch": {"judge", "judge/blob", "judge/host/workflow", "judge/host/job", "judge/host/queue", "judge/host/store"},
	// Package demo runs a whole contest: persons, submissions, holes, and a tournament log.
	"judge/host/demo": {"judge", "judge/blob", "judge/contests/arena", "judge/host/auth", "judge/host/workflow", "judge/host/job",
		"judge/host/roster", "judge/host/store"},
	// Package ladder describes encounters as workflows. Package dispatch starts them, and package arena plays
	// their games.
	"judge/host/ladder": {"judge/contests/arena", "judge/contests/rating", "judge/host/dispatch", "judge/host/workflow", "judge/host/job",
		"judge/host/matchmaking", "judge/host/store"},
	// Package golf reads the posts in which golf submissions are sent.
	"judge/host/intake": {"judge", "judge/blob", "judge/contests/golf", "judge/host/auth", "judge/host/clics", "judge/host/client",
		"judge/host/contestpackage", "judge/host/dispatch", "judge/host/workflow", "judge/host/job", "judge/host/media",
		"judge/host/printing", "judge/host/scoring", "judge/host/store"},
	// Each route of the API uses one of these packages. Package api also unpacks bundles, and compares the
	// isolation levels of workers.
	"judge/host/contestexport": {"judge/blob", "judge/host/scoreboard", "judge/host/clics", "judge/host/contestpackage",
		"judge/host/intake", "judge/host/feed", "judge/host/media", "judge/host/scoring", "judge/host/store"},
	"judge/host/shadow": {"judge", "judge/blob", "judge/host/clics", "judge/host/contestpackage", "judge/host/intake",
		"judge/host/feed", "judge/host/job", "judge/host/media", "judge/host/store"},
	"judge/host/feed": {"judge", "judge/blob", "judge/host/scoreboard", "judge/host/clics", "judge/host/client",
		"judge/host/intake", "judge/host/job", "judge/host/media", "judge/host/scoring", "judge/host/store"},
	"judge/host/api": {"judge", "judge/blob", "judge/bundle", "judge/host/auth", "judge/host/scoreboard", "judge/host/clics",
		"judge/host/client", "judge/host/contestexport", "judge/host/contestpackage", "judge/host/intake", "judge/host/dispatch",
		"judge/host/feed", "judge/host/workflow", "judge/host/job", "judge/host/media", "judge/host/openapi", "judge/host/printing",
		"judge/host/queue", "judge/host/roster", "judge/host/shadow", "judge/host/store", "judge/running/sandbox"},
	// Joins all of them.
	"judge/host/server": {"judge", "judge/blob", "judge/bundle", "judge/host/api", "judge/host/auth", "judge/host/scoreboard",
		"judge/host/client", "judge/host/intake", "judge/host/dispatch", "judge/host/ladder", "judge/host/printing", "judge/host/queue",
		"judge/host/shadow", "judge/host/signon", "judge/host/store", "judge/host/web", "judge/host/web/contest", "judge/host/web/pages",
		"judge/internal/atomicfile", "judge/internal/cachedir", "judge/running/config"},
	// Package web is the framework of the pages: sessions, forms, streams, templates. It never imports the page
	// packages.
	"judge/host/web": {"judge", "judge/blob", "judge/host/auth", "judge/host/scoreboard", "judge/host/client", "judge/host/intake",
		"judge/host/job", "judge/host/ladder", "judge/host/roster", "judge/host/signon", "judge/host/store", "judge/report"},
	// What the page packages know about the contest in a URL.
	"judge/host/web/access": {"judge/host/auth", "judge/host/scoreboard", "judge/host/intake", "judge/host/scoring", "judge/host/store",
		"judge/host/web"},
	// These packages contain pages. Each package imports the parts of the server that its pages show. The packages
	// do not import each other.
	"judge/host/web/contest": {"judge", "judge/blob", "judge/host/auth", "judge/host/scoreboard", "judge/host/clics", "judge/host/client",
		"judge/host/intake", "judge/host/media", "judge/host/printing", "judge/host/store", "judge/host/web", "judge/host/web/access",
		"judge/internal/example", "judge/report"},
	"judge/host/web/hole": {"judge", "judge/host/auth", "judge/host/scoreboard", "judge/host/intake", "judge/host/workflow",
		"judge/host/job", "judge/host/scoring", "judge/host/store", "judge/host/web", "judge/report"},
	"judge/host/web/ladder": {"judge/blob", "judge/contests/arena", "judge/contests/standings", "judge/host/auth", "judge/host/client",
		"judge/host/intake", "judge/host/workflow", "judge/host/job", "judge/host/ladder", "judge/host/store", "judge/host/web", "judge/report"},
	"judge/host/web/people": {"judge", "judge/blob", "judge/host/auth", "judge/host/scoreboard", "judge/host/contestpackage",
		"judge/host/intake", "judge/host/job", "judge/host/media", "judge/host/roster", "judge/host/shadow", "judge/host/signon",
		"judge/host/store", "judge/host/web", "judge/host/web/access"},
	"judge/host/web/problems": {"judge/blob", "judge/bundle", "judge/host/auth", "judge/host/client", "judge/host/intake",
		"judge/host/store", "judge/host/web", "judge/report"},
	"judge/host/web/runner": {"judge/host/auth", "judge/host/scoreboard", "judge/host/intake", "judge/host/scoring",
		"judge/host/printing", "judge/host/store", "judge/host/web", "judge/host/web/access"},
	"judge/host/web/staff": {"judge", "judge/host/auth", "judge/host/scoreboard", "judge/host/contestexport", "judge/host/intake",
		"judge/host/feed", "judge/host/job", "judge/host/media", "judge/host/scoring", "judge/host/shadow", "judge/host/store",
		"judge/host/web", "judge/host/web/access"},
	// Lists all pages, and contains the home page.
	"judge/host/web/pages": {"judge/host/auth", "judge/host/store", "judge/host/web", "judge/host/web/access", "judge/host/web/contest",
		"judge/host/web/hole", "judge/host/web/ladder", "judge/host/web/people", "judge/host/web/problems", "judge/host/web/runner",
		"judge/host/web/staff"},
	// For tests of the pages.
	"judge/host/web/webtest": {"judge", "judge/blob", "judge/contests/arena", "judge/host/auth", "judge/host/scoreboard",
		"judge/host/client", "judge/host/intake", "judge/host/dispatch", "judge/host/workflow", "judge/host/job", "judge/host/ladder",
		"judge/host/queue", "judge/host/store", "judge/host/store/storetest", "judge/host/web", "judge/host/web/contest", "judge/host/web/pages"},

	// Package workspace combines a problem with everything that runs it. It imports nearly all packages except the
	// reports.
	"judge/workspace": {"judge", "judge/internal/example", "judge/internal/pictures", "judge/internal/tail",
		"judge/blob", "judge/bundle", "judge/cases/gen", "judge/cases/mutate", "judge/cases/stress", "judge/cases/verify",
		"judge/contests/arena", "judge/contests/golf", "judge/contests/golf/drivers", "judge/internal/cachedir", "judge/internal/forceremove",
		"judge/internal/suggest", "judge/packages", "judge/packages/ctd", "judge/packages/fill", "judge/packages/icpc",
		"judge/packages/polygon", "judge/problem", "judge/running/check", "judge/running/config", "judge/running/lang",
		"judge/running/sandbox", "judge/running/trial"},
}

// doors maps packages outside the project, and project packages with restricted use, to the only packages that may
// import them, with the reason. "cmd/judge" is listed if the command itself may import them too.
var doors = map[string]struct {
	packages []string
	reason   string
}{
	"github.com/BurntSushi/toml":              {[]string{"judge/internal/strict"}, "one place turns its errors into faults"},
	"github.com/fatih/color":                  {[]string{"judge/report"}, "only reports have colors"},
	"github.com/sergi/go-diff/diffmatchpatch": {[]string{"judge/report"}, "it may only see small windows"},
	"github.com/rivo/uniseg":                  {[]string{"judge/report"}, "how many cells of a terminal a text takes"},
	"github.com/yuin/goldmark": {[]string{"judge/report", "judge/internal/formula", "judge/internal/pictures"},
		"statements are drawn there, and their formulas and pictures are found"},
	"go.yaml.in/yaml/v4": {[]string{"judge/internal/strict"},
		"one place bounds foreign files and turns its errors into faults"},
	"golang.org/x/term":     {[]string{"cmd/judge"}, "widths, and whether there is a terminal"},
	"golang.org/x/sys/unix": {[]string{"judge/running/sandbox"}, "processes are started there alone"},
	"golang.org/x/net/bpf":  {[]string{"judge/running/sandbox"}, "the system call filter"},
	"golang.org/x/text/encoding/htmlindex": {[]string{"judge/internal/mark", "judge/packages/polygon"},
		"statements and problem.xml in other encodings than UTF-8"},
	"golang.org/x/image/draw": {[]string{"judge/host/media"}, "logos are scaled"},
	"golang.org/x/net/html": {[]string{"judge/report", "judge/internal/formula", "judge/internal/pictures",
		"judge/host/web/webtest"}, "statements have HTML in them, and SVG has its size; tests read pages"},
	"golang.org/x/text/collate": {[]string{"judge/host/scoring"},
		"teams with equal ranks are in the order of their names as the Contest API says it"},
	"golang.org/x/text/language": {[]string{"judge/host/scoring", "judge/host/web/contest", "judge/host/web/staff"},
		"which language of a statement a browser prefers, and whether a contest may name it; in which one names are sorted"},
	"github.com/gosimple/unidecode": {[]string{"judge/host/auth"},
		"names in any script as usernames, addresses of pages, and keys of sorting"},
	"golang.org/x/text/unicode/norm": {[]string{"judge/internal/tex", "judge/internal/collide", "judge/host/auth",
		"judge/host/roster"}, "letters with accents: LaTeX and some file systems write them in two parts, logins and names of columns have none"},
	"golang.org/x/crypto":         {[]string{"judge/host/auth"}, "hashes of passwords"},
	"golang.org/x/sync/semaphore": {[]string{"judge/host/worker"}, "a job that must run alone takes all places at once"},
	"golang.org/x/sync/errgroup": {[]string{"judge/cases/gen", "judge/packages/fill", "judge/cases/verify",
		"judge/cases/stress", "judge/cases/mutate", "judge/host/client", "judge/host/worker"}, "goroutines whose end is awaited"},
	"github.com/spf13/pflag": {[]string{"cmd/judge", "cmd/internal/cli"}, "flags that several commands share"},
	"github.com/spf13/cobra": {[]string{"cmd/judge", "cmd/judged", "cmd/internal/cli"},
		"commands, help and completion"},
	"github.com/rogpeppe/go-internal/testscript": {[]string{"cmd/internal/scripts"}, "what the scripts of both commands share"},
	"github.com/rogpeppe/go-internal/diff":       {[]string{"judge/internal/golden"}, "for people who read failing tests"},
	"assay/judge/packages": {[]string{"judge/packages", "judge/workspace"},
		"the formats of others are one wing, which nothing else knows"},
	"assay/judge/packages/exchange": {[]string{"judge/packages", "cmd/judge"},
		"judge import and judge export are the only ones that need it"},
	"database/sql":                {[]string{"judge/host/store"}, "what a database says becomes one set of errors there"},
	"modernc.org/sqlite":          {[]string{"judge/host/store"}, "the database that a server brings along"},
	"github.com/jackc/pgx/v5":     {[]string{"judge/host/store"}, "PostgreSQL"},
	"github.com/pressly/goose/v3": {[]string{"judge/host/store"}, "migrations"},
	"github.com/google/uuid":      {[]string{"judge/host/store"}, "ids that sort by time; its libraries bring it anyway"},
	"os/exec": {[]string{"judge/running/sandbox", "judge/running/lang", "judge/internal/unboxed",
		"judge/internal/browser", "judge/host/store/storetest", "judge/host/queue/queuetest", "judge/host/server", "cmd/judge"},
		"programs are started by the sandbox alone, tests may do without; lang asks shims where the real tools are; a server starts " +
			"a worker of its own; judge show has a browser print"},
	"github.com/coreos/go-oidc/v3/oidc": {[]string{"judge/host/signon"}, "the tokens of a provider of single sign-on"},
	"golang.org/x/oauth2":               {[]string{"judge/host/signon"}, "the codes of such a provider, which become tokens"},
	"github.com/nats-io":                {[]string{"judge/host/queue"}, "leases; no other package knows that they are NATS'"},
	"github.com/nats-io/nkeys": {[]string{"judge/host/queue", "judge/host/auth"},
		"keys of workers: of their connections, and of their requests"},
	"github.com/prometheus/client_golang/prometheus": {[]string{"judge/host/server"}, "metrics"},
	"encoding/xml": {[]string{"judge/report", "judge/packages/polygon", "judge/packages/exchange", "judge/host/web",
		"judge/internal/pictures"}, "JUnit; problem.xml; Atom; SVG"},
	"html/template": {[]string{"judge/report", "judge/host/web"}, "what others wrote is quoted there"},
}

// listed is the output of `go list -json` for a package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string
}

// list returns the packages of the project without its problems, whose programs import only the kit.
func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Standard,Imports"}, patterns...)...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatalf("go list %q found nothing", patterns)
	}
	return all
}

func TestLayers(t *testing.T) {
	for _, p := range list(t, "./judge/...") {
		name := strings.TrimPrefix(p.ImportPath, "assay/")
		allowed, known := layers[name]
		if !known {
			t.Errorf("%s has no line in layers: say what it may import, and why", name)
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, "assay/")
			if isOurs && ours != "judge/internal/pattern" && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s, which its line in layers does not list", name, ours)
			}
		}
		for _, a := range allowed {
			if !slices.Contains(p.Imports, "assay/"+a) {
				t.Errorf("layers lets %s import %s, but it does not", name, a)
			}
		}
	}
}

func TestTheCoreDoesNoInputOrOutput(t *testing.T) {
	allowed := []string{"context", "encoding/json", "errors", "fmt", "io", "iter", "math", "slices", "strconv", "strings", "sync", "time"}
	for _, imported := range list(t, "./judge")[0].Imports {
		if !slices.Contains(allowed, imported) {
			t.Errorf("package judge imports %s", imported)
		}
	}
}

func TestDoors(t *testing.T) {
	used := map[string]bool{}
	for _, p := range list(t, "./judge/...", "./cmd/...") {
		name := strings.TrimPrefix(p.ImportPath, "assay/")
		for _, imported := range p.Imports {
			first, _, _ := strings.Cut(imported, "/")
			door, listed := doorOf(imported)
			switch {
			case listed && !slices.ContainsFunc(doors[door].packages, func(d string) bool { return d == name || strings.HasPrefix(name, d+"/") }):
				t.Errorf("%s imports %s; the door is %v: %s", name, imported, doors[door].packages, doors[door].reason)
			case !listed && strings.Contains(first, "."):
				t.Errorf("%s imports %s, which has no door: give it one, with a reason", name, imported)
			case listed:
				used[door] = true
			}
		}
	}
	for door := range doors {
		if !used[door] {
			t.Errorf("no package imports %s", door)
		}
	}
}

func doorOf(imported string) (string, bool) {
	for path := imported; path != "." && path != "/"; path = filepath.Dir(path) {
		if _, ok := doors[path]; ok {
			return path, true
		}
	}
	return "", false
}

// TestTheCommandCostsNoHosting checks that the judge command does not depend on packages that only a server needs.
func TestTheCommandCostsNoHosting(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/judge")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		for _, part := range []string{"nats-io", "modernc.org", "jackc", "goose", "prometheus", "database/sql", "assay/judge/host/store",
			"assay/judge/host/queue", "assay/judge/host/server"} {
			if strings.Contains(name, part) {
				t.Errorf("cmd/judge needs %s", name)
			}
		}
	}
}

func TestProblemsImportTheKitOnly(t *testing.T) {
	kit := []string{"assay/judge/kit", "assay/judge/kit/referee"}
	for _, p := range list(t, "./problems/...") {
		for _, imported := range p.Imports {
			first, _, _ := strings.Cut(imported, "/")
			if !slices.Contains(kit, imported) && (first == "assay" || strings.Contains(first, ".")) {
				t.Errorf("%s imports %s: setters' programs have the kit and the standard library", p.ImportPath, imported)
			}
		}
	}
}

func sources(t *testing.T, p listed) (*token.FileSet, []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("package %s has no files: %v", p.ImportPath, err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return set, files
}

// docOf returns the package comment, which must be in a single file.
// TestNoSpecialCases checks that no code outside a problem's own directory contains the problem's name. The
// bundled problems must not differ from other problems.
func TestNoSpecialCases(t *testing.T) {
	ids, err := filepath.Glob("../problems/*/problem.toml")
	if err != nil || len(ids) == 0 {
		t.Fatalf("no problems: %v", err)
	}
	for _, p := range list(t, "./judge/...", "./cmd/...") {
		files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				name := filepath.Base(filepath.Dir(id))
				if bytes.Contains(src, []byte(`"`+name+`"`)) {
					t.Errorf("%s knows the problem %q by name", file, name)
				}
			}
		}
	}
}

// printing lists packages that are linked into programs, so they may print.
var printing = map[string]bool{"assay/judge/kit": true, "assay/judge/kit/referee": true, "assay/judge/running/sandbox/sandboxtest": true}

// TestNoInitAndNoPrinting checks that packages under judge/ have no init functions and print nothing.
func TestNoInitAndNoPrinting(t *testing.T) {
	for _, p := range list(t, "./judge/...") {
		files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, refused := range []string{"\nfunc init()", "fmt.Print(", "fmt.Println(", "fmt.Printf(", "os.Stdout"} {
				if bytes.Contains(src, []byte(refused)) && !printing[p.ImportPath] {
					t.Errorf("%s has %q", file, strings.TrimSpace(refused))
				}
			}
		}
	}
}
