package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// TeamAddress is an address from which an account of a team is expected.
type TeamAddress struct {
	Contest, Account string // ids
	Address          string // one address, or a network
}

// TeamAddresses reads from where the accounts of teams are expected: one account, by its id, or all if it is empty.
func (s *Store) TeamAddresses(ctx context.Context, account string) ([]TeamAddress, error) {
	rows, err := s.read.TeamAddresses(ctx, account)
	return each(rows, err, "read the addresses of teams", func(r query.AccountAddress) TeamAddress { return TeamAddress(r) })
}

// LoginAddresses reads from which addresses the members of each team of a contest have logged in since a moment,
// by the ids of the teams. An address is as the audit has it, with a port.
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
