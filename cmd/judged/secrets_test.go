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

// secrets is the value of a script's environment that knows by which words somebody could get
// in: each, and where it was seen first.
type secrets struct{}

// random is what the words look like that the server makes: sessions, tokens, the codes of
// links and of workers, and passwords.
var random = regexp.MustCompile(`\b(assay_)?[a-z2-7]{26,}\b|\b[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}\b`)

// id is what has such a part and lets nobody in.
var id = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// made are such words in a text, where they are neither of a digest nor an alphabet.
func made(text string) []string {
	var all []string
	for _, word := range random.FindAllString(id.ReplaceAllString(text, ""), -1) {
		if strings.Trim(word, "0123456789abcdef") != "" && !strings.HasPrefix(word, "abcdef") {
			all = append(all, word)
		}
	}
	return all
}

// learn keeps what a page told, its cookies, and what was typed to be let in.
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

// secret is the command "secret stdout|FILE|=WORD...": the words in it by which somebody could
// get in are not to be seen again.
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

// hides is the command "hides stdout|stderr|PATH...": no secret that the script knows of stands
// in them, nor what looks like one; of a folder, in none of its files.
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
