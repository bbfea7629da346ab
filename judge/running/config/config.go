// Package config reads judge.toml: the languages, the limits and the requirements for the machine. The head
// of the file documents its keys.
//
// A judge.toml in a contest's root may be partial: it overrides the built-in one (see Load). The package
// knows the valid values of the keys and how they must fit together. It does not know what is installed on
// this machine (package lang finds that out), and it knows no language by name.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/strict"
)

// FileName is the file that marks the root of a contest.
const FileName = "judge.toml"

// Config is the content of judge.toml.
type Config struct {
	File string // as the user knows it

	Solution judge.Limits // of a contestant's program, if the problem does not set them
	Build    judge.Limits // of each step of a build
	Setter   judge.Limits // of a checker, validator, generator or reference solution, for one case
	Source   FileLimits   // of a submission
	Built    FileLimits   // of the output of a build

	Headers   []string          // directories in which setters' programs find headers
	Isolation string            // required isolation: "any", "isolated" or "none"
	Visible   []string          // paths that every program may see, if they exist
	Env       map[string]string // the environment of every program

	Hello     Hello
	CodePages map[string]string // the characters of each, in any order
	Server    Server
	Languages []*Language // in the file's order, which decides if two claim one extension
}

// FileLimits bound files.
type FileLimits struct {
	Size  int64 // bytes of all files together
	Files int
}

// Server has the settings of `judged serve`. See the head of judge.toml for the keys.
type Server struct {
	Name             string `toml:"name"`
	Listen           string `toml:"listen"`
	URL              string `toml:"url"`
	TLS              string `toml:"tls"`
	Cert             string `toml:"cert"`
	Key              string `toml:"key"`
	Data             string `toml:"data"`
	Database         string `toml:"database"`
	Queue            string `toml:"queue"`
	QueueCredentials string `toml:"queue_credentials"`
	// ID is the name of this server among those that share a database. If empty, it is the name of the machine.
	ID string `toml:"id"`
	// Blobs is where servers share files: "queue" for the object store of the cluster, else a directory. If
	// empty, they are in the data directory. BlobsCache bounds what of them is cached there; 0 means 10 GiB.
	Blobs      string      `toml:"blobs"`
	BlobsCache strict.Size `toml:"blobs_cache"`
	Workers    int         `toml:"workers"`
	Metrics    string      `toml:"metrics"`
	// Audit is the part of the submissions that a second worker judges as well, from 0 to 1.
	Audit float64 `toml:"audit"`
	// Mixed are the classes of workers whose machines are not equally fast: time limits
	// follow them.
	Mixed []string `toml:"mixed"`
	// Backup is the time of the nightly backup on the machine's clock, such as "03:30". If empty, no backup is
	// made. BackupDir is relative to the data directory; BackupKeep is how many backups are kept.
	Backup     string `toml:"backup"`
	BackupDir  string `toml:"backup_dir"`
	BackupKeep int    `toml:"backup_keep"`
	// Registration says who may create an account: closed, invite, oidc, open.
	Registration string `toml:"registration"`
	// Password says who can log in with a password: all, or staff if all others use single sign-on.
	Password string `toml:"password"`
	// Practice says what practice with a problem shows to accounts without a role, unless the problem was
	// published with its own setting: off, verdict, samples, all.
	Practice string `toml:"practice"`
	// TrustedProxies are the addresses or networks of proxies whose forwarded client addresses are trusted.
	// Proxies parses them.
	TrustedProxies []string `toml:"trusted_proxies"`
	// AutoLogin lets teams of contests log in without a password from the addresses in their contest
	// packages. LockAddress allows no other addresses.
	AutoLogin   bool `toml:"autologin"`
	LockAddress bool `toml:"lock_address"`
	// PrintCommand prints the file {file} of a team of a contest. If empty, runners print.
	PrintCommand []string `toml:"print_command"`
	// OIDC is the provider of single sign-on.
	OIDC OIDC `toml:"oidc"`
}

// OIDC is an OpenID Connect provider by which people log in. If the issuer is empty, there is none.
type OIDC struct {
	Issuer string `toml:"issuer"`
	Client string `toml:"client"`
	// SecretFile has the secret of the client. If empty, the client is a public one.
	SecretFile string   `toml:"secret_file"`
	Scopes     []string `toml:"scopes"`
	// Claim names the claim with the groups of a person; Roles are the roles of such groups.
	Claim string            `toml:"claim"`
	Roles map[string]string `toml:"roles"`
}

// Proxies returns the trusted proxies as networks.
func (s *Server) Proxies() (all []netip.Prefix, err error) {
	for _, text := range s.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if one, oneErr := netip.ParseAddr(text); oneErr == nil {
			p, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network", text)
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// Hello is the input and expected output of every language's hello program.
type Hello struct {
	Input  string `toml:"input"`
	Output string `toml:"output"`
}

// Language is one [[language]]. See the head of judge.toml for what each key means.
type Language struct {
	ID      string   `toml:"id"`
	Name    string   `toml:"name"`
	Aliases []string `toml:"aliases"`

	Extensions []string          `toml:"extensions"`
	Headers    []string          `toml:"headers"`
	Shebangs   []string          `toml:"shebangs"`
	Signs      []string          `toml:"signs"`
	Scripts    []string          `toml:"scripts"`
	UnixLines  bool              `toml:"unix_lines"`
	Includes   []string          `toml:"includes"`
	Obtained   map[string]string `toml:"obtained"` // source of headers that no compiler contains
	Executable bool              `toml:"executable"`
	MaxSize    strict.Size       `toml:"max_size"`

	File  string          `toml:"file"`
	Entry []string        `toml:"entry"`
	Find  map[string]Find `toml:"find"`

	Tools   []string `toml:"tools"`
	Locate  []string `toml:"locate"`
	Visible []string `toml:"visible"`
	Version []string `toml:"version"`
	Package string   `toml:"package"`
	Obtain  string   `toml:"obtain"`
	Rare    bool     `toml:"rare"`
	Faster  string   `toml:"faster"`
	Instead string   `toml:"instead"`

	Files    map[string]string `toml:"files"`
	Kit      Kit               `toml:"kit"`
	Build    [][]string        `toml:"build"`
	BuildEnv map[string]string `toml:"build_env"`
	Cache    string            `toml:"cache"`
	Prepare  [][]string        `toml:"prepare" json:"-"` // fills the cache, and changes no program
	Prepares PreparedParts     `toml:"prepares" json:"-"`
	Result   []string          `toml:"result"`

	Run   []string          `toml:"run"`
	Env   map[string]string `toml:"env"`
	Marks bool              `toml:"marks"`

	Hello      string `toml:"hello"`
	HelloInput string `toml:"hello_input"`

	Page string `toml:"code_page"`
}

// Find says how to find a value in a program's text.
type Find struct {
	Match []string `toml:"match"` // expressions; the first one that matches counts
	Give  string   `toml:"give"`  // replacement for the match; empty means "$1"
	Else  string   `toml:"else"`  // default if none matches
}

// Kit says how a language's programs get the kit.
type Kit struct {
	Import string            `toml:"import"` // programs that match this expression get it
	At     string            `toml:"at"`     // directory of the build for the kit's files
	Files  map[string]string `toml:"files"`  // further files that they need
}

// form is the file.
type form struct {
	Limits struct {
		Solution limits     `toml:"solution"`
		Build    limits     `toml:"build"`
		Setter   limits     `toml:"setter"`
		Source   fileLimits `toml:"source"`
		Built    fileLimits `toml:"built"`
	} `toml:"limits"`
	Sandbox struct {
		Require string   `toml:"require"`
		Visible []string `toml:"visible"`
	} `toml:"sandbox"`
	Setter struct {
		Headers []string `toml:"headers"`
	} `toml:"setter"`
	Server    Server            `toml:"server,omitempty"`
	Env       map[string]string `toml:"env"`
	Hello     Hello             `toml:"hello"`
	CodePages map[string]string `toml:"code_pages"`
	Languages []*Language       `toml:"language"`
}

// limits is one table of limits.
type limits struct {
	Time      strict.Duration `toml:"time"`
	Wall      strict.Duration `toml:"wall"`
	Memory    strict.Size     `toml:"memory"`
	Output    strict.Size     `toml:"output"`
	Processes int             `toml:"processes"`
	Files     int             `toml:"files"`
	Scratch   strict.Size     `toml:"scratch"`
}

// fileLimits is one table of limits of files.
type fileLimits struct {
	Size  strict.Size `toml:"size"`
	Files int         `toml:"files"`
}

func (l fileLimits) limits() FileLimits { return FileLimits{int64(l.Size), l.Files} }

func formOf(l judge.Limits) limits {
	return limits{
		Time: strict.Duration(l.CPU), Wall: strict.Duration(l.Wall), Memory: strict.Size(l.Memory),
		Output: strict.Size(l.Output), Processes: l.Processes, Files: l.Files, Scratch: strict.Size(l.Scratch),
	}
}

func (l limits) judge() judge.Limits {
	return judge.Limits{
		CPU: time.Duration(l.Time), Wall: time.Duration(l.Wall), Memory: int64(l.Memory),
		Output: int64(l.Output), Processes: l.Processes, Files: l.Files, Scratch: int64(l.Scratch),
	}
}

// FindRoot returns the nearest directory, from dir upwards, that contains a judge.toml. If there is none, the
// error is fs.ErrNotExist.
func FindRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", FileName, err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		info, err := os.Stat(filepath.Join(at, FileName))
		switch {
		case err == nil && info.Mode().IsRegular():
			return at, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("find %s: %w", FileName, err)
		case at == filepath.Dir(at):
			return "", fmt.Errorf("find %s in %s or above it: %w", FileName, abs, fs.ErrNotExist)
		}
	}
}

// Load reads a judge.toml. Name is its name in faults. Errors of its content are judge.Faults.
//
// Base, if not nil, supplies the values of keys that the file does not set. For a [[language]] with an id of
// base, that applies to each of its keys. A language with a new id comes before all of base's, so it also
// gets the extensions that it claims. Nothing of base can be removed.
func Load(file string, data []byte, base *Config) (*Config, error) {
	if base == nil {
		base = &Config{Isolation: "any"}
	}
	in := form{Hello: base.Hello}
	in.Limits.Solution, in.Limits.Build, in.Limits.Setter = formOf(base.Solution), formOf(base.Build), formOf(base.Setter)
	in.Limits.Source = fileLimits{strict.Size(base.Source.Size), base.Source.Files}
	in.Limits.Built = fileLimits{strict.Size(base.Built.Size), base.Built.Files}
	in.Sandbox.Require, in.Sandbox.Visible = base.Isolation, base.Visible
	in.Setter.Headers, in.Server = base.Headers, base.Server

	doc, faults := strict.Decode(file, data, &in)
	c := &Config{
		File:     file,
		Solution: in.Limits.Solution.judge(), Build: in.Limits.Build.judge(), Setter: in.Limits.Setter.judge(),
		Source: in.Limits.Source.limits(), Built: in.Limits.Built.limits(),
		Headers: in.Setter.Headers, Server: in.Server,
		Isolation: in.Sandbox.Require, Visible: in.Sandbox.Visible,
		Env: overlay(base.Env, in.Env), Hello: in.Hello, CodePages: overlay(base.CodePages, in.CodePages),
	}
	old := slices.Clone(base.Languages)
	for i, l := range in.Languages {
		known := slices.IndexFunc(old, func(o *Language) bool { return o.ID == l.ID })
		if known < 0 {
			c.Languages = append(c.Languages, l)
			continue
		}
		inherit(l, old[known], func(key string) bool { return doc.Has(fmt.Sprintf("language[%d].%s", i, key)) })
		old[known] = l
	}
	c.Languages = append(c.Languages, old...)
	if len(faults) == 0 { // nothing more can be said about what could not be read
		faults = check(c, in.Languages, doc)
	}
	return c, faults.AsError()
}

// inherit fills the keys of l that the file does not set.
func inherit(l, from *Language, set func(key string) bool) {
	to, old := reflect.ValueOf(l).Elem(), reflect.ValueOf(from).Elem()
	for i := range to.NumField() {
		if key := to.Type().Field(i).Tag.Get("toml"); !set(key) {
			to.Field(i).Set(old.Field(i))
		}
	}
}

// overlay merges two maps. The second one has precedence.
func overlay(base, over map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, base)
	maps.Copy(all, over)
	return all
}

// Language finds a language by its id or one of its aliases, in any case.
func (c *Config) Language(word string) (*Language, bool) {
	for _, l := range c.Languages {
		if slices.ContainsFunc(l.names(), func(name string) bool { return strings.EqualFold(name, word) }) {
			return l, true
		}
	}
	return nil, false
}

// names returns the words by which a language can be requested.
func (l *Language) names() []string { return append([]string{l.ID}, l.Aliases...) }

// PreparedParts describes what prepare makes, for progress.
type PreparedParts struct {
	Name string   `toml:"name"` // name of the parts, such as "packages"
	List []string `toml:"list"` // a command that prints the parts, one per line
}

// Internal reports whether no file name or content leads to the language, so that only the judge itself and
// --lang choose it: it substitutes another language, or is for programs of problem packages.
func (l *Language) Internal() bool {
	return len(l.Extensions) == 0 && len(l.Shebangs) == 0 && !l.Executable
}

// IDs returns the ids of all languages, in order.
func (c *Config) IDs() []string {
	ids := make([]string, len(c.Languages))
	for i, l := range c.Languages {
		ids[i] = l.ID
	}
	return ids
}

// Words returns every word that Language accepts.
func (c *Config) Words() []string {
	var words []string
	for _, l := range c.Languages {
		words = append(words, l.names()...)
	}
	return words
}
