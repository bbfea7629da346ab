package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// A TeamAddress is an address or network from which an account of a team is expected to log in.
type TeamAddress struct {
	Contest, Account string // ids
	Address          string // one address, or a network
}

// TeamAddresses reads the expected addresses of one account, by its id. If account is empty, it reads those of all
// accounts.
func (s *Store) TeamAddresses(ctx context.Context, account string) ([]TeamAddress, error) {
	rows, err := s.read.TeamAddresses(ctx, account)
	return each(rows, err, "read the addresses of teams", func(r query.AccountAddress) TeamAddress { return TeamAddress(r) })
}

// LoginAddresses returns the addresses from which the members of each team of a contest have logged in since a time,
// by the ids of the teams. An address has a port, as in the audit log.
func (s *Store) LoginAddresses(ctx context.Context, contest string, since time.Time) (map[string][]string, error) {
	rows, err := s.read.LoginAddresses(ctx, contest, since.UnixMicro())
	if err != nil {
		return nil, failed("read from where teams have logged in", err)
	}
	all := map[string][]string{}
	for _, r := range rows {
		all[r.Team] = append(all[r.Team], r.Address)
	}
	return all, nil
}
