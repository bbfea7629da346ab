package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/host/client"
)

// TokenVariable is the environment variable whose token overrides saved logins. It is for programs that do not log
// in.
const TokenVariable = "ASSAY_TOKEN"

// LoginsFile returns the path of the file that stores the user's logins to servers.
func LoginsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find a directory for logins: %w\n    set XDG_CONFIG_HOME to a directory", err)
	}
	return filepath.Join(dir, "assay", "logins.json"), nil
}

// Connect returns a client for the server at address. It returns an error unless the user has logged in to the
// server or has set a token.
func Connect(address string, onUnreachable func(error)) (*client.Client, error) {
	a, err := client.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	o := client.Options{Address: a, Token: os.Getenv(TokenVariable), Version: Version(), OnUnreachable: onUnreachable}
	if o.Token == "" || o.Pin == "" {
		file, err := LoginsFile()
		if err != nil {
			return nil, err
		}
		known, err := client.ReadLogins(file)
		if err != nil {
			return nil, err
		}
		l, found := known[a.URL]
		if !found && o.Token == "" {
			rest, encrypted := strings.CutPrefix(a.URL, "https")
			if _, found := known["http"+rest]; encrypted && found {
				return nil, &judge.UsageError{Err: fmt.Errorf("you are not logged in to %s, but to http%s", a.URL, rest)}
			}
			return nil, &judge.UsageError{Err: fmt.Errorf("you are not logged in to %s\n    judge login %[1]s", a.URL)}
		}
		if o.Token == "" {
			o.Token = l.Token
		}
		if o.Pin == "" {
			o.Pin = l.Pin
		}
	}
	return client.New(o)
}
