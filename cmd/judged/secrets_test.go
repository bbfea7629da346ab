package main

import (
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// secrets is the key under which a script's environment stores the known credentials. The value maps each
// credential to the place where it was first seen.
type secrets struct{}

// random matches credentials that the server generates: sessions, tokens, link codes, worker codes, and passwords.
var random = regexp.MustCompile(`\b(assay_)?[a-z2-7]{26,}\b|\b[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}\b`)

// id matches ids, which contain text that looks like a credential but grant no access.
var id = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// made lists the words in text that look like credentials, except digests and alphabets.
func made(text string) []string {
	var all []string
	for _, word := range random.FindAllString(id.ReplaceAllString(text, ""), -1) {
		if strings.Trim(word, "0123456789abcdef") != "" && !strings.HasPrefix(word, "abcdef") {
			all = append(all, word)
		}
	}
	return all
}

// learn remembers the credentials on a page, its cookies, and the credentials entered in a form.
func learn(known map[string]string, c *http.Client, at, said string, fields url.Values) {
	keep := func(words ...string) {
		for _, word := range words {
			if len(word) >= 8 && known[word] == "" {
				known[word] = at
			}
		}
	}
	if u, err := url.Parse(at); err == nil {
		for _, one := range c.Jar.Cookies(u) {
			keep(one.Value)
		}
	}
	keep(made(said)...)
	keep(fields.Get("password"), fields.Get("old"), fields.Get("code"))
}

// secret implements the command "secret stdout|FILE|=WORD...". It remembers credentials that must not appear in
// later output.
func secret(ts *testscript.TestScript, neg bool, args []string) {
	known := ts.Value(secrets{}).(map[string]string)
	for _, arg := range args {
		words := []string{strings.TrimPrefix(arg, "=")}
		if words[0] == arg {
			words = made(ts.ReadFile(arg))
		}
		if neg || len(words) == 0 || words[0] == "" {
			ts.Fatalf("%s has no secret\nusage: secret stdout|FILE|=WORD...", arg)
		}
		for _, word := range words {
			known[word] = arg
		}
	}
}

// hides implements the command "hides stdout|stderr|PATH...". It checks that the output and files contain neither
// a known secret nor text that looks like one. For a directory, it checks all files in it.
func hides(ts *testscript.TestScript, neg bool, args []string) {
	known := ts.Value(secrets{}).(map[string]string)
	if neg || len(args) == 0 || len(known) == 0 {
		ts.Fatalf("usage: hides stdout|stderr|PATH...  (it knows %d secrets)", len(known))
	}
	look := func(name, text string) {
		for line := range strings.Lines(text) {
			for word, where := range known {
				if strings.Contains(line, word) || strings.Contains(line, url.QueryEscape(word)) {
					ts.Fatalf("%s has the secret %s (of %s): %s", name, word, where, line)
				}
			}
			if all := made(line); len(all) > 0 {
				ts.Fatalf("%s has what look like secrets, %q: %s", name, all, line)
			}
		}
	}
	for _, arg := range args {
		if arg == "stdout" || arg == "stderr" {
			look(arg, ts.ReadFile(arg))
			continue
		}
		read := 0
		ts.Check(filepath.WalkDir(ts.MkAbs(arg), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			read += len(data)
			look(path, string(data))
			return err
		}))
		if read == 0 {
			ts.Fatalf("%s is empty", arg)
		}
	}
}
