package intake

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// matchesAddress reports whether the caller's address is the given address. If address is a network in CIDR notation, fits
// reports whether the network contains the caller's address.
func matchesAddress(caller netip.Addr, address string) bool {
	if p, err := netip.ParsePrefix(address); err == nil {
		return p.Contains(caller) || p.Addr().Is4In6() && p.Bits() >= 96 && netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Contains(caller)
	}
	a, err := netip.ParseAddr(address)
	return err == nil && a.Unmap() == caller
}

// callerAddress returns the address of a caller without its port. It returns the zero Addr if there is none.
func callerAddress(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// expectedAddresses returns the addresses from which the teams of contests that are not over must log in. If account is not
// empty, it returns only the addresses of the account with this id.
func (d *Service) expectedAddresses(ctx context.Context, account string) (addresses []store.TeamAddress, err error) {
	rows, err := d.Store.TeamAddresses(ctx, account)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	over := map[string]bool{}
	for _, r := range rows {
		if _, known := over[r.Contest]; !known {
			if over[r.Contest], err = d.contestOver(ctx, r.Contest); err != nil {
				return nil, err
			}
		}
		if !over[r.Contest] {
			addresses = append(addresses, r)
		}
	}
	return addresses, nil
}

// contestOver reports whether a contest has ended for all its teams.
func (d *Service) contestOver(ctx context.Context, contest string) (bool, error) {
	c, err := d.Store.Contest(ctx, contest)
	if err != nil {
		return false, err
	}
	teams, err := d.Store.Teams(ctx, contest)
	if err != nil {
		return false, err
	}
	last := &ContestAccess{Contest: c}
	for _, t := range teams {
		if last.Team == nil || t.ExtraTime > last.Team.ExtraTime {
			last.Team = t
		}
	}
	return d.phase(last) == auth.Over, nil
}

// AccountAtAddress returns the account that is expected at the caller's address. It is the account of a team in a contest
// that is not over. AccountAtAddress returns nil if AutoLogin is off, or if there is no such account or more than one.
func (d *Service) AccountAtAddress(ctx context.Context, remote string) (*store.Account, error) {
	caller := callerAddress(remote)
	if !d.AutoLogin || !caller.IsValid() {
		return nil, nil
	}
	rows, err := d.expectedAddresses(ctx, "")
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r store.TeamAddress) bool { return !matchesAddress(caller, r.Address) })
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r store.TeamAddress) bool { return r.Account != rows[0].Account }) {
		return nil, nil
	}
	a, err := d.Store.Account(ctx, rows[0].Account)
	if err != nil || a.Disabled || ServerRole(a) != auth.Contestant {
		return nil, err
	}
	for _, r := range rows { // the jury of a contest always logs in with a password
		if role, err := d.Store.GrantedRole(ctx, a.ID, r.Contest); err != nil || role != "" {
			return nil, err
		}
		if _, err := d.Store.TeamOf(ctx, r.Contest, a.ID); errors.Is(err, store.ErrNotFound) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// CheckAddress returns a Refusal if the account of a team logs in from an unexpected address, in a contest that is
// not over. If LockAddress is off, it returns nil.
func (d *Service) CheckAddress(ctx context.Context, a *store.Account, remote string) error {
	if !d.LockAddress || a == nil || ServerRole(a) != auth.Contestant {
		return nil
	}
	rows, err := d.expectedAddresses(ctx, a.ID)
	if err != nil || len(rows) == 0 {
		return err
	}
	caller := callerAddress(remote)
	if slices.ContainsFunc(rows, func(r store.TeamAddress) bool { return matchesAddress(caller, r.Address) }) {
		return nil
	}
	return &Refusal{
		Code: http.StatusForbidden, Text: "This account can be used only at the computer of its team",
		Hint: "use that computer, or ask the jury to change the address of the team",
	}
}
