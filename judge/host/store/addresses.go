package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// A TeamAddress is an address or network from which a team's account must log in.
type TeamAddress struct {
	Contest, Account string // ids
	Address          string // an IP address or a network
}

// TeamAddresses returns the expected addresses for the account with the given id, or for all accounts if account
// is empty.
func (s *Store) TeamAddresses(ctx context.Context, account string) ([]TeamAddress, error) {
	rows, err := s.read.TeamAddresses(ctx, account)
	return convertRows(rows, err, "read the addresses of teams", func(r query.AccountAddress) TeamAddress { return TeamAddress(r) })
}

// LoginAddresses returns, by team id, the addresses from which the members of each team of a contest have logged
// in since a given time. As in the audit log, an address includes a port.
func (s *Store) LoginAddresses(ctx context.Context, contest string, since time.Time) (map[string][]string, error) {
	rows, err := s.read.LoginAddresses(ctx, contest, since.UnixMicro())
	if err != nil {
		return nil, wrapError("read from where teams have logged in", err)
	}
	all := map[string][]string{}
	for _, r := range rows {
		all[r.Team] = append(all[r.Team], r.Address)
	}
	return all, nil
}
