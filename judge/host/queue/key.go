package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nkeys"
)

// ReadKey reads a worker's key from a file. If the file does not exist, Key creates a key, readable only by the file's
// owner. The seed is the secret half, for JoinOptions. The public half is for Admit, and is not secret.
func ReadKey(file string) (seed []byte, public string, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = makeKey(file)
	} else if err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, "", fmt.Errorf(
			"others may read the worker's key %s: make it the worker's own with: chmod 600, or remove it and join again", file,
		)
	}
	if err == nil {
		seed, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the worker's key: %w", err)
	}
	pair, err := nkeys.FromSeed(seed)
	if err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil || !nkeys.IsValidPublicUserKey(public) {
		return nil, "", fmt.Errorf("%s is not a worker's key: remove it and join again", file)
	}
	return seed, public, nil
}

// makeKey creates a key file atomically. If two processes do so at the same time, the first one wins.
func makeKey(file string) error {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	seed, err := pair.Seed()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*") // readable only by its owner
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(seed)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
