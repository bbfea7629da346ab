package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"assay/judge"
	"assay/judge/internal/atomicfile"
)

// Logins maps server addresses, without code and fingerprint, to the user's logins.
type Logins map[string]Login

// A Login contains what a client needs to send requests to a server.
type Login struct {
	Token string `json:"token,omitempty"`
	Pin   string `json:"fingerprint,omitempty"`
}

// ReadLogins reads a file that WriteLogins wrote. If the file does not exist, it returns an empty map.
func ReadLogins(file string) (Logins, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Logins{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the logins: %w", err)
	}
	l := Logins{}
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("%s cannot be read\n    remove it and log in again: judge login URL", file)}
	}
	return l, nil
}

// WriteLogins writes a file that only its owner can read.
func WriteLogins(file string, l Logins) error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.WriteSecret(file, append(data, '\n')); err != nil {
		return fmt.Errorf("keep the login: %w", err)
	}
	return nil
}
