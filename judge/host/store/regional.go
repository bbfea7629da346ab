package store

import (
	"context"
	"fmt"
	"slices"

	"assay/judge/host/media"
	"assay/judge/host/store/internal/query"
)

// Organization is the university, school or company of a team. Texts other than ID and Name may be empty.
type Organization struct {
	ID         string // unique in the contest
	ICPCID     string // in the ICPC's registration system
	Name       string
	FormalName string
	Country    string // ISO 3166-1 alpha-3
	Region     string // subdivision of the country: ISO 3166-2
	URL        string
	Location   string // JSON
}

// Group is a group of teams. Texts other than ID and Name may be empty.
type Group struct {
	ID       string // unique in the contest
	ICPCID   string
	Name     string // unique in the contest
	Type     string // such as site or division
	Location string // JSON
}

// ContestPerson is a person who is involved in a contest. Texts other than ID, Name and Role may be
// empty.
type ContestPerson struct {
	ID     string // unique in the contest
	ICPCID string
	Name   string
	Title  string
	Email  string
	Sex    string   // male or female
	Role   string   // contestant, coach, staff or other
	Teams  []string // their ExtIDs
}

// ContestAccount is an account that a contest package lists.
type ContestAccount struct {
	ID        string // unique in the contest
	Type      string // one of clics.ImportedTypes
	Person    string // id; may be empty
	Team      string // ExtID; may be empty
	Addresses []string
	// Created reports whether an import created the account. If so, imports may set its name and password.
	Created bool
	Account *Account
}

// Organizations reads the organizations of a contest, ordered by id.
func (s *Store) Organizations(ctx context.Context, contest string) ([]Organization, error) {
	rows, err := s.read.OrganizationsOf(ctx, contest)
	return convertRows(rows, err, "read the organizations of a contest", func(r query.Organization) Organization {
		return Organization{r.ID, r.IcpcID, r.Name, r.FormalName, r.Country, r.Subdivision, r.Url, r.Location}
	})
}

// Groups reads the groups of a contest, ordered by id.
func (s *Store) Groups(ctx context.Context, contest string) ([]Group, error) {
	rows, err := s.read.GroupsOf(ctx, contest)
	return convertRows(rows, err, "read the groups of a contest", func(r query.TeamGroup) Group {
		return Group{r.ID, r.IcpcID, r.Name, r.Type, r.Location}
	})
}

// Persons reads the persons of a contest, ordered by id.
func (s *Store) Persons(ctx context.Context, contest string) ([]*ContestPerson, error) {
	rows, err := s.read.PersonsOf(ctx, contest)
	return parseRows(rows, err, "read the persons of a contest", person)
}

func person(r query.Person) (*ContestPerson, error) {
	p := &ContestPerson{ID: r.ID, ICPCID: r.IcpcID, Name: r.Name, Title: r.Title, Email: r.Email, Sex: r.Sex, Role: r.Role}
	return p, fromJSON("the teams of the person "+r.ID, r.Teams, &p.Teams)
}

// ContestAccounts reads the accounts listed in the contest's package, ordered by id.
func (s *Store) ContestAccounts(ctx context.Context, contest string) ([]*ContestAccount, error) {
	rows, err := s.read.ContestAccountsOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the accounts of a contest", err)
	}
	addresses, err := s.read.AddressesOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the addresses of accounts", err)
	}
	teams, err := s.Teams(ctx, contest)
	if err != nil {
		return nil, err
	}
	members, err := s.Members(ctx, contest)
	if err != nil {
		return nil, err
	}
	accounts := make([]*ContestAccount, len(rows))
	for i, r := range rows {
		listed := &ContestAccount{ID: r.ContestAccount.ID, Type: r.ContestAccount.Type, Person: r.ContestAccount.Person,
			Created: r.ContestAccount.Created}
		listed.Account = &Account{
			ID: r.Account.ID, Login: r.Account.Login, Display: r.Account.Display, Email: r.Account.Email, Password: r.Account.Password,
			Kind: AccountKind(
				r.Account.Kind,
			), Epoch: r.Account.SessionEpoch, Disabled: r.Account.Disabled, Created: fromMicros(r.Account.Created),
		}
		for _, a := range addresses {
			if a.Account == listed.Account.ID {
				listed.Addresses = append(listed.Addresses, a.Address)
			}
		}
		for _, t := range teams {
			if slices.ContainsFunc(members[t.ID], func(a *Account) bool { return a.ID == listed.Account.ID }) {
				listed.Team = t.ExtID
			}
		}
		accounts[i] = listed
	}
	return accounts, nil
}

// A ContestImport lists the objects that an import of a contest package adds or changes. All other objects of the
// contest stay unchanged.
type ContestImport struct {
	// Contest is the contest to change, or to create if its ID is empty. If nil, the import leaves the contest
	// itself unchanged, and adds the objects to the contest with the given ID.
	Contest *Contest
	ID      string
	// Problems lists all problems of the contest, in order. If nil, the problems stay unchanged.
	Problems      []NewContestProblem
	Organizations []Organization
	Groups        []Group
	// Teams are identified by ExtID and belong to the groups in GroupIDs. ID, Number, Groups, ExtraTime and
	// ExtraPenalty are ignored.
	Teams    []Team
	Persons  []ContestPerson
	Accounts []ImportedAccount
	Media    []media.File // see ChangeMedia
}

// ImportedAccount is an account that an import creates or changes.
type ImportedAccount struct {
	ID        string // unique in the contest
	Type      string
	Person    string
	Team      string // ExtID; if empty, the account is in no team
	Addresses []string
	Role      string // role in the contest; may be empty
	// Account is the account on the server. If nil, the import creates New.
	Account *Account
	New     NewAccount
	// If Name and Password are not empty, the import sets them. Password is a hash.
	Name, Password string
}

// ImportContest applies an import in one transaction. It returns the contest's id, and the accounts in the order
// of n.Accounts. It returns ErrChanged if the contest has changed since n.Contest was read.
func (s *Store) ImportContest(ctx context.Context, n *ContestImport) (contest string, accounts []*Account, err error) {
	err = s.tx(ctx, "import a contest", func(q *query.Queries) (err error) {
		contest, accounts = n.ID, nil
		if n.Contest != nil && n.Contest.ID == "" {
			created := *n.Contest // a copy, because the transaction may run again
			err = s.newContest(ctx, q, &created, n.Problems)
			contest = created.ID
		} else if n.Contest != nil {
			contest, err = n.Contest.ID, s.setContest(ctx, q, n.Contest, n.Problems)
		} else if rows, held := q.HoldContest(ctx, contest); errIfUnchanged(rows, held) != nil {
			err = errIfUnchanged(rows, held)
		}
		if err == nil {
			err = s.checkChangeable(ctx, q, contest)
		}
		if err != nil {
			return err
		}
		if err := s.importObjects(ctx, q, contest, n); err != nil {
			return err
		}
		teams, err := s.importTeams(ctx, q, contest, n.Teams)
		if err != nil {
			return err
		}
		for i := range n.Accounts {
			a, err := s.importAccount(ctx, q, contest, &n.Accounts[i], teams)
			if err != nil {
				return fmt.Errorf("the account %s: %w", n.Accounts[i].ID, err)
			}
			accounts = append(accounts, a)
		}
		if len(n.Media) == 0 {
			return nil
		}
		if err := putMedia(ctx, q, contest, n.Media); err != nil {
			return err
		}
		_, err = s.appendEvent(ctx, q, contest, KindContest, contest, OpUpdated)
		return err
	})
	return contest, accounts, err
}

// importObjects stores persons, and the objects that teams and accounts refer to.
func (s *Store) importObjects(ctx context.Context, q *query.Queries, contest string, n *ContestImport) error {
	for _, o := range n.Organizations {
		if err := q.PutOrganization(ctx, query.PutOrganizationParams{
			Contest: contest, ID: o.ID, IcpcID: sanitize(o.ICPCID), Name: sanitize(o.Name), FormalName: sanitize(o.FormalName),
			Country:     o.Country,
			Subdivision: o.Region, Url: sanitize(o.URL), Location: o.Location,
		}); err != nil {
			return err
		}
	}
	existing, err := q.GroupsOf(ctx, contest)
	if err != nil {
		return err
	}
	// Names are unique, but two groups may exchange theirs.
	hasID := func(id string) func(query.TeamGroup) bool { return func(g query.TeamGroup) bool { return g.ID == id } }
	for _, g := range n.Groups {
		if slices.ContainsFunc(existing, hasID(g.ID)) {
			err = q.SetGroup(ctx, query.SetGroupParams{Contest: contest, ID: g.ID, Name: newID()})
		}
		if err != nil {
			return err
		}
	}
	for _, g := range n.Groups {
		row := query.SetGroupParams{Contest: contest, ID: g.ID, IcpcID: sanitize(g.ICPCID), Name: sanitize(g.Name),
			Type: sanitize(g.Type), Location: g.Location}
		if slices.ContainsFunc(existing, hasID(g.ID)) {
			err = q.SetGroup(ctx, row)
		} else {
			err = q.InsertGroup(ctx, query.InsertGroupParams(row))
		}
		if err != nil {
			return err
		}
	}
	for _, p := range n.Persons {
		teams, err := toJSON(p.Teams)
		if err != nil {
			return err
		}
		if err := q.PutPerson(ctx, query.PutPersonParams{
			Contest: contest, ID: p.ID, IcpcID: sanitize(p.ICPCID), Name: sanitize(p.Name), Title: sanitize(p.Title),
			Email: sanitize(p.Email), Sex: p.Sex, Role: p.Role, Teams: teams,
		}); err != nil {
			return err
		}
	}
	return nil
}

// importTeams stores teams. It returns a map from the ExtIDs of the contest's teams to their ids.
func (s *Store) importTeams(ctx context.Context, q *query.Queries, contest string, teams []Team) (map[string]string, error) {
	rows, err := q.TeamsOf(ctx, contest)
	if err != nil {
		return nil, err
	}
	ids, existing := map[string]string{}, map[string]query.Team{}
	for _, r := range rows {
		ids[r.ExtID], existing[r.ExtID] = r.ID, r
	}
	next, err := q.NextTeam(ctx, contest)
	if err != nil {
		return nil, err
	}
	for _, t := range teams {
		t.Contest = contest
		if row, found := existing[t.ExtID]; found {
			now := team(row, nil)
			t.ID, t.ExtraTime, t.ExtraPenalty = now.ID, now.ExtraTime, now.ExtraPenalty
			err = s.setTeam(ctx, q, &t)
		} else {
			t.ID = newID()
			ids[t.ExtID] = t.ID
			if _, err = s.appendEvent(ctx, q, contest, KindTeam, t.ID, OpCreated); err == nil {
				err = q.InsertTeam(ctx, query.InsertTeamParams{
					ID: t.ID, Contest: contest, Number: next, Name: sanitize(t.Name), Hidden: t.Hidden, ExtID: t.ExtID,
					IcpcID: sanitize(t.ICPCID),
					Label:  sanitize(t.Label), DisplayName: sanitize(t.DisplayName), Organization: t.Organization, Location: t.Location,
				})
			}
			next++
		}
		if err == nil {
			err = setGroups(ctx, q, contest, t.ID, t.GroupIDs)
		}
		if err != nil {
			return nil, fmt.Errorf("the team %s: %w", t.ExtID, err)
		}
	}
	return ids, nil
}

// importAccount creates or changes an account, and lists it in the contest.
func (s *Store) importAccount(ctx context.Context, q *query.Queries, contest string, n *ImportedAccount,
	teams map[string]string) (a *Account, err error) {
	if a = n.Account; a == nil {
		if a, err = s.newAccount(ctx, q, n.New); err != nil {
			return nil, err
		}
	}
	if n.Name != "" {
		if rows, err := q.SetAccount(ctx, query.SetAccountParams{ID: a.ID, Display: sanitize(n.Name), Email: a.Email}); errIfUnchanged(
			rows, err,
		) != nil {
			return nil, errIfUnchanged(rows, err)
		}
	}
	if n.Password != "" {
		if rows, err := q.SetPassword(ctx, a.ID, n.Password); errIfUnchanged(rows, err) != nil {
			return nil, errIfUnchanged(rows, err)
		}
	}
	if err := q.PutContestAccount(ctx, query.PutContestAccountParams{
		Contest: contest, ID: n.ID, Account: a.ID, Type: n.Type, Person: n.Person, Created: n.Account == nil,
	}); err != nil {
		return nil, err
	}
	if err := q.DeleteAddresses(ctx, contest, a.ID); err != nil {
		return nil, err
	}
	for _, address := range n.Addresses {
		if err := q.InsertAddress(ctx, query.InsertAddressParams{Contest: contest, Account: a.ID, Address: address}); err != nil {
			return nil, err
		}
	}
	if err := q.DeleteMember(ctx, contest, a.ID); err != nil {
		return nil, err
	}
	if n.Team != "" {
		if teams[n.Team] == "" {
			return nil, fmt.Errorf("the team %s: %w", n.Team, ErrNotFound)
		}
		if err := q.InsertMember(ctx, query.InsertMemberParams{Contest: contest, Account: a.ID, Team: teams[n.Team]}); err != nil {
			return nil, err
		}
	}
	if role, err := grantedRole(ctx, q, a.ID, contest); err != nil || role == n.Role && role != "" {
		return a, err // the account may be restricted to sites, which packages do not list
	}
	return a, setContestRole(ctx, q, a.ID, contest, n.Role, nil)
}
