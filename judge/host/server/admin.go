package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// createAdmin creates the first account, and the token of that account in the data directory. It also creates the token
// if the data directory was restored from a backup, because backups do not contain the token.
func (s *Server) createAdmin(ctx context.Context) error {
	account, err := s.store.AccountByLogin(ctx, intake.AdminLogin)
	begins := errors.Is(err, store.ErrNotFound)
	if begins {
		account, err = s.store.NewAccount(ctx, intake.AdminLogin, "Admin", store.PersonAccount, "admin")
		if errors.Is(err, store.ErrTaken) { // another server is also starting
			account, err = s.store.AccountByLogin(ctx, intake.AdminLogin)
		}
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.adminFile()); err == nil && !begins {
		return nil
	}
	text, hash := auth.NewToken()
	scopes := []string{string(client.Admin)}
	if _, err := s.store.NewToken(ctx, account.ID, hash, "of the server's data directory", scopes, time.Time{}); err != nil {
		return err
	}
	if err := client.WriteLogins(s.adminFile(), client.Logins{"": {Token: text}}); err != nil {
		return fmt.Errorf("keep the admin's token: %w", err)
	}
	if begins {
		s.AdminToken = text
	}
	return nil
}

// createSetupLink creates the link with which the first administrator can choose a password. It does nothing if an account
// already has a password.
func (s *Server) createSetupLink(ctx context.Context) error {
	n, err := s.store.CountPasswordAccounts(ctx)
	if err != nil || n > 0 {
		return err
	}
	admin, err := s.store.AccountByLogin(ctx, intake.AdminLogin)
	if err != nil {
		return err
	}
	code, hash := auth.NewCode()
	s.SetupURL = s.URL().URL + "/setup?code=" + code
	return s.store.NewSetupCode(ctx, hash, admin.ID)
}

func (s *Server) adminFile() string { return adminFile(s.data) }

func adminFile(data string) string   { return filepath.Join(data, "keys", "admin") }
func addressFile(data string) string { return filepath.Join(data, "keys", "address") }

// Admin returns the address of the server with the given data directory, and the token of its administrator.
func Admin(data string) (a client.Address, token string, err error) {
	logins, err := client.ReadLogins(adminFile(data))
	if err != nil {
		return a, "", err
	}
	text, err := os.ReadFile(addressFile(data))
	if errors.Is(err, fs.ErrNotExist) || logins[""].Token == "" {
		return a, "", &judge.UsageError{
			Err: fmt.Errorf("%s is not the data directory of a server\n    name the directory with --data", data),
		}
	}
	if err != nil {
		return a, "", err
	}
	a, err = client.ParseAddress(string(text))
	return a, logins[""].Token, err
}
