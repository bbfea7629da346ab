package client

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"assay/judge"
)

// An Address is the address of a server with everything that a client needs to connect. Its text has one of these
// forms:
//
//	https://judge.example
//	https://school.example/judge
//	https://judge.example/#<code>
//	https://judge.example/#<code>-<fingerprint>
//	https://judge.example/#<fingerprint>
type Address struct {
	URL  string
	Code string // join code of a worker; may be empty
	Pin  string // the fingerprint of a self-signed certificate; may be empty
}

// String returns the address as one text.
func (a Address) String() string {
	rest := a.Code
	if a.Code != "" && a.Pin != "" {
		rest += "-"
	}
	if rest += a.Pin; rest == "" {
		return a.URL
	}
	return a.URL + "/#" + rest
}

// ParseAddress parses a text in the form that String returns.
func ParseAddress(text string) (a Address, err error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if strings.Contains(text, "@") { // the error must not quote a password
		return a, &judge.UsageError{
			Err: errors.New("a server address must not contain a user name or password: write it like https://judge.example, " +
				"and log in with judge login"),
		}
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		path.Clean("/"+u.Path) != "/"+strings.Trim(u.Path, "/") || u.RawQuery != "" {
		return a, &judge.UsageError{Err: fmt.Errorf("%q is not the address of a server: it looks like https://judge.example", text)}
	}
	a.URL = strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/")
	for _, part := range strings.Split(u.Fragment, "-") {
		switch isPin := len(part) == 64 && strings.Trim(part, hexDigits) == ""; {
		case part == "":
		case isPin && a.Pin == "":
			a.Pin = part
		case !isPin && a.Code == "" && a.Pin == "" && strings.Trim(part, codeLetters) == "":
			a.Code = part
		default:
			return a, &judge.UsageError{
				Err: fmt.Errorf(
					"%q does not end in a valid code or fingerprint: copy the whole address that the administrator gave you",
					text,
				),
			}
		}
	}
	return a, nil
}

const (
	hexDigits   = "0123456789abcdef"
	codeLetters = hexDigits + "ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
