// Package config reads judge.toml: the languages, the limits, and the requirements for the machine. The keys are
// documented at the top of the file.
//
// A judge.toml in a contest's root may be partial: it overrides the built-in one (see Load). The package knows the
// valid values of keys and how keys depend on each other. It does not know what is installed on this machine
// (package lang determines that), and it does not know any language by name.
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
	File string // as the user wrote it

	Solution judge.Limits // for a contestant's program, if the problem does not set limits
	Build    judge.Limits // for each step of a build
	Setter   judge.Limits // for a checker, validator, generator or reference solution, per case
	Source   FileLimits   // for a submission
	Built    FileLimits   // for the output of a build

	Headers   []string          // directories in which setters' programs find headers
	Isolation string            // required isolation: "any", "isolated" or "none"
	Visible   []string          // paths that are visible to every program, if they exist
	Env       map[string]string // the environment of every program

	Hello     Hello
	CodePages map[string]string // maps each code page to its characters, in any order
	Server    Server
	Languages []*Language // in the file's order; the first one that claims an extension gets it
}

// FileLimits are limits for files.
type FileLimits struct {
	Size  int64 // total size of all files, in bytes
	Files int
}

// Server contains the settings of `judged serve`. The keys are documented at the top of judge.toml.
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
	// ID is the name of this server among the servers that share a database. If empty, the name of the machine is
	// used.
	ID string `toml:"id"`
	// Blobs is where servers share files: "queue" for the object store of the cluster, or a directory. If empty,
	// files are in the data directory. BlobsCache is the maximum size of the cache of shared files; zero means 10
	// GiB.
	Blobs      string      `toml:"blobs"`
	BlobsCache strict.Size `toml:"blobs_cache"`
	Workers    int         `toml:"workers"`
	Metrics    string      `toml:"metrics"`
	// Audit is the fraction of submissions that a second worker judges too, from 0 to 1.
	Audit float64 `toml:"audit"`
	// Mixed lists the worker classes whose machines differ in speed. In these classes, time limits are adapted to
	// each worker's calibration.
	Mixed []string `toml:"mixed"`
	// Backup is the time of the nightly backup on the machine's clock, such as "03:30". If empty, there are no
	// backups. BackupDir is relative to the data directory. BackupKeep is the number of backups that are kept.
	Backup     string `toml:"backup"`
	BackupDir  string `toml:"backup_dir"`
	BackupKeep int    `toml:"backup_keep"`
	// Registration defines who may create an account: closed, invite, oidc, open.
	Registration string `toml:"registration"`
	// Password defines who can log in with a password: all, or only staff. With staff, all other accounts use
	// single sign-on.
	Password string `toml:"password"`
	// Practice defines what accounts without a role see when they practice a problem: off, verdict, samples, all.
	// A problem that was published with its own setting uses that setting instead.
	Practice string `toml:"practice"`
	// TrustedProxies lists the addresses or networks of proxies whose forwarded client addresses are trusted. They
	// are parsed by the method Proxies.
	TrustedProxies []string `toml:"trusted_proxies"`
	// AutoLogin allows a contest team to log in without a password from the addresses that the contest package
	// lists for the team. LockAddress rejects logins of such a team from other addresses.
	AutoLogin   bool `toml:"autologin"`
	LockAddress bool `toml:"lock_address"`
	// PrintCommand is the command that prints a file for a contest team; {file} stands for the file. If empty,
	// balloon runners print the files.
	PrintCommand []string `toml:"print_command"`
	// OIDC is the provider for single sign-on.
	OIDC OIDC `toml:"oidc"`
}

// OIDC is an OpenID Connect provider for logging in. If the issuer is empty, there is none.
type OIDC struct {
	Issuer string `toml:"issuer"`
	Client string `toml:"client"`
	// SecretFile contains the client secret. If empty, the client is public.
	SecretFile string   `toml:"secret_file"`
	Scopes     []string `toml:"scopes"`
	// Claim is the name of the claim that lists a person's groups. Roles maps groups to roles.
	Claim string            `toml:"claim"`
	Roles map[string]string `toml:"roles"`
}

// Proxies returns the trusted proxies as networks.
func (s *Server) Proxies() (networks []netip.Prefix, err error) {
	for _, text := range s.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if one, oneErr := netip.ParseAddr(text); oneErr == nil {
			p, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network", text)
		}
		networks = append(networks, p.Masked())
	}
	return networks, nil
}

// Hello is the input and expected output for the hello program of every language.
type Hello struct {
	Input  string `toml:"input"`
	Output string `toml:"output"`
}

// Language is a [[language]] table. Its keys are documented at the top of judge.toml.
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
	Obtained   map[string]string `toml:"obtained"` // maps headers that no compiler contains to their sources
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
	Prepare  [][]string        `toml:"prepare" json:"-"` // commands that fill the cache and do not affect programs
	Prepares PreparedParts     `toml:"prepares" json:"-"`
	Result   []string          `toml:"result"`

	Run   []string          `toml:"run"`
	Env   map[string]string `toml:"env"`
	Marks bool              `toml:"marks"`

	Hello      string `toml:"hello"`
	HelloInput string `toml:"hello_input"`

	Page string `toml:"code_page"`
}

// Find describes how to find a value in a program's text.
type Find struct {
	Match []string `toml:"match"` // expressions; the first one that matches is used
	Give  string   `toml:"give"`  // replacement for the match; if empty, "$1"
	Else  string   `toml:"else"`  // default value if nothing matches
}

// Kit describes how a language's programs get the kit.
type Kit struct {
	Import string            `toml:"import"` // expression that matches programs that get the kit
	At     string            `toml:"at"`     // subdirectory of the build directory for the kit's files
	Files  map[string]string `toml:"files"`  // additional files that such programs need
}

// fileForm is the file.
type fileForm struct {
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

// limits is a table of limits.
type limits struct {
	Time      strict.Duration `toml:"time"`
	Wall      strict.Duration `toml:"wall"`
	Memory    strict.Size     `toml:"memory"`
	Output    strict.Size     `toml:"output"`
	Processes int             `toml:"processes"`
	Files     int             `toml:"files"`
	Scratch   strict.Size     `toml:"scratch"`
}

// fileLimits is a table of limits for files.
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

// Load reads a judge.toml. Faults call it file. If its content has errors, the error is a judge.ProblemErrors.
//
// If base is not nil, it supplies the values of keys that the file does not set. It also supplies the missing keys
// of a [[language]] whose id is in base. A language with a new id precedes all languages of base, so its
// extensions have priority. A file cannot remove anything from base.
func Load(file string, data []byte, base *Config) (*Config, error) {
	if base == nil {
		base = &Config{Isolation: "any"}
	}
	in := fileForm{Hello: base.Hello}
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
	if len(faults) == 0 { // without it, nothing more can be checked
		faults = check(c, in.Languages, doc)
	}
	return c, faults.AsError()
}

// inherit fills the keys of l that the file does not set.
func inherit(l, from *Language, isSet func(key string) bool) {
	to, old := reflect.ValueOf(l).Elem(), reflect.ValueOf(from).Elem()
	for i := range to.NumField() {
		if key := to.Type().Field(i).Tag.Get("toml"); !isSet(key) {
			to.Field(i).Set(old.Field(i))
		}
	}
}

// overlay merges two maps. The values of over have precedence.
func overlay(base, overrides map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, base)
	maps.Copy(all, overrides)
	return all
}

// Language finds a language by its id or one of its aliases, ignoring case.
func (c *Config) Language(word string) (*Language, bool) {
	for _, l := range c.Languages {
		if slices.ContainsFunc(l.names(), func(name string) bool { return strings.EqualFold(name, word) }) {
			return l, true
		}
	}
	return nil, false
}

// names returns the names by which a language can be requested.
func (l *Language) names() []string { return append([]string{l.ID}, l.Aliases...) }

// PreparedParts describes the parts that the prepare commands of a language make.
type PreparedParts struct {
	Name string   `toml:"name"` // for a progress display: what the parts are called, such as "packages"
	List []string `toml:"list"` // a command that prints the parts, one per line
	// GoCache means that the parts are packages, and those that the user's own build cache of Go contains are copied.
	GoCache bool `toml:"go_cache"`
}

// IsInternal reports whether no file name or content selects the language. Such a language is selected only by the
// judge itself or by --lang. It is a substitute for another language, or a language for programs in problem
// packages.
func (l *Language) IsInternal() bool {
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

// LanguageNames returns every word that Language accepts.
func (c *Config) LanguageNames() []string {
	var words []string
	for _, l := range c.Languages {
		words = append(words, l.names()...)
	}
	return words
}
