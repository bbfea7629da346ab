package contestpackage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// An Action is what an import does with an object.
type Action string

// The values of Action.
const (
	Added   Action = "added"
	Changed Action = "changed"
	Missing Action = "missing" // only the contest has the object; it is kept
	Skipped Action = "skipped" // the object cannot be imported yet
)

// A ReportLine is a line of the report of an import.
type ReportLine struct {
	State Action
	Kind  string
	ID    string
	Note  string // changes or reason; may be empty
}

// CurrentState is the current state of a server.
type CurrentState struct {
	Now            time.Time
	Contest        *store.Contest // nil if the contest is new
	Problems       []*store.ContestProblem
	Published      []*store.Problem
	Organizations  []store.Organization
	Groups         []store.Group
	Teams          []*store.Team
	Persons        []*store.ContestPerson
	ListedAccounts []*store.ContestAccount
	// Roles maps the ids of accounts in ListedAccounts to their roles in the contest.
	Roles    map[string]string
	Accounts []*store.Account
	Media    []media.File
	// CheckPassword reports whether password has the given hash.
	CheckPassword func(ctx context.Context, password, hash string) (bool, error)
}

// A Plan describes the changes of an import.
type Plan struct {
	Slug  string // of the contest
	Lines []ReportLine
	// Unchanged is the number of objects in the package that the contest already contains in the same form.
	Unchanged int
	Notes     []string
	Import    store.ContestImport
	// Passwords lists the unhashed passwords in the package for Import.Accounts. If a password is empty, a new
	// account gets a generated password, and an existing account keeps its password.
	Passwords []string
	// Media lists the new and changed files. Their bytes have not been read yet.
	Media []media.File
}

// Empty reports whether the import changes nothing.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Lines, func(l ReportLine) bool { return l.State == Added || l.State == Changed })
}

// A planner makes a Plan.
type planner struct {
	reader
	*Package
	current *CurrentState
	plan    *Plan
}

// PlanImport compares a package with the state of a server. Slug is the slug of the contest. Everything that the package
// does not contain stays unchanged. If the package does not fit the server, PlanImport returns judge.ProblemErrors.
func PlanImport(ctx context.Context, p *Package, slug string, current *CurrentState) (*Plan, error) {
	l := &planner{Package: p, current: current, plan: &Plan{Slug: slug, Notes: slices.Clone(p.Notes)}}
	if current.Contest != nil {
		l.plan.Import.ID = current.Contest.ID
	}
	l.contest(slug)
	l.organizations()
	l.groups()
	l.teams()
	l.persons()
	if err := l.accounts(ctx); err != nil {
		return nil, err
	}
	l.media()
	if current.Contest != nil && !current.Contest.Finalized.IsZero() && !l.plan.Empty() {
		l.addFault("contest", 0, "", "the results of the contest %s are final, and nothing of it can be changed", slug)
	}
	return l.plan, l.sortedFaults()
}

func (l *planner) addLine(state Action, k objectKind, id, note string) {
	l.plan.Lines = append(l.plan.Lines, ReportLine{state, string(k), id, note})
}

// reportMissing reports objects of kind k that the contest contains and the package lacks. It reports nothing if the
// package does not list objects of that kind.
func reportMissing[T any](l *planner, k objectKind, listed bool, existing []T, id func(T) string, inPackage func(id string) bool) {
	for _, one := range existing {
		if listed && !inPackage(id(one)) {
			l.addLine(Missing, k, id(one), "it stays")
		}
	}
}

// A changeSet collects the changes of an object.
type changeSet struct {
	hasKey  func(key string) bool
	changes []string
}

// compareText compares the property key with its old value, and records whether it differs. If the package does not
// contain the key, text first restores the old value.
func (d *changeSet) compareText(key string, current *string, old string) {
	if !d.hasKey(key) {
		*current = old
	}
	if *current != old {
		d.changes = append(d.changes, key)
	}
}

func (d *changeSet) compareList(key string, values *[]string, old []string) {
	if !d.hasKey(key) {
		*values = old
	}
	if !slices.Equal(*values, old) {
		d.changes = append(d.changes, key)
	}
}

// reportChange reports whether an object must be written. If so, it adds a report line for the object. Otherwise, it
// counts the object as unchanged. If known, the contest already contains the object.
func (l *planner) reportChange(k objectKind, id string, known bool, d *changeSet) bool {
	switch {
	case !known:
		l.addLine(Added, k, id, "")
	case len(d.changes) > 0:
		l.addLine(Changed, k, id, strings.Join(d.changes, ", "))
	default:
		l.plan.Unchanged++
		return false
	}
	return true
}

func (l *planner) organizations() {
	find := func(id string) int {
		return slices.IndexFunc(l.current.Organizations, func(o store.Organization) bool { return o.ID == id })
	}
	for _, one := range l.Organizations {
		o, d, index := one.Object, changeSet{hasKey: one.hasKey}, find(one.Object.ID)
		if index >= 0 {
			old := l.current.Organizations[index]
			if one.File == "teams2.tsv" { // its keys are those of a team
				d.hasKey = func(key string) bool {
					return key == "name" || one.hasKey(key) && key == "formal_name" || one.hasKey(key) && key == "country"
				}
			}
			d.compareText("icpc_id", &o.ICPCID, old.ICPCID)
			d.compareText("name", &o.Name, old.Name)
			d.compareText("formal_name", &o.FormalName, old.FormalName)
			d.compareText("country", &o.Country, old.Country)
			d.compareText("country_subdivision", &o.Region, old.Region)
			d.compareText("url", &o.URL, old.URL)
			d.compareText("location", &o.Location, old.Location)
		}
		if l.reportChange(organizations, o.ID, index >= 0, &d) {
			l.plan.Import.Organizations = append(l.plan.Import.Organizations, o)
		}
	}
	reportMissing(l, organizations, l.Organizations != nil && !l.derived, l.current.Organizations,
		func(o store.Organization) string { return o.ID }, func(id string) bool {
			return slices.ContainsFunc(l.Organizations, func(o Located[store.Organization]) bool { return o.Object.ID == id })
		})
}

func (l *planner) groups() {
	has := func(id string) bool {
		return slices.ContainsFunc(l.Groups, func(g Located[store.Group]) bool { return g.Object.ID == id })
	}
	for _, one := range l.Groups {
		g, d := one.Object, changeSet{hasKey: one.hasKey}
		index := slices.IndexFunc(l.current.Groups, func(old store.Group) bool { return old.ID == g.ID })
		if index >= 0 {
			old := l.current.Groups[index]
			d.compareText("icpc_id", &g.ICPCID, old.ICPCID)
			d.compareText("name", &g.Name, old.Name)
			d.compareText("type", &g.Type, old.Type)
			d.compareText("location", &g.Location, old.Location)
		}
		for _, other := range l.current.Groups {
			if other.Name == g.Name && !has(other.ID) {
				l.addFault(one.File, one.Line, "choose another name, or use its id",
					"the contest has the group %s with the name %q already", other.ID, g.Name)
			}
		}
		if l.reportChange(groups, g.ID, index >= 0, &d) {
			l.plan.Import.Groups = append(l.plan.Import.Groups, g)
		}
	}
	reportMissing(l, groups, l.Groups != nil, l.current.Groups, func(g store.Group) string { return g.ID }, has)
}

func (l *planner) teams() {
	has := func(id string) bool {
		return slices.ContainsFunc(l.Teams, func(t Located[store.Team]) bool { return t.Object.ExtID == id })
	}
	for _, one := range l.Teams {
		t, d := one.Object, changeSet{hasKey: one.hasKey}
		index := slices.IndexFunc(l.current.Teams, func(old *store.Team) bool { return old.ExtID == t.ExtID })
		if index >= 0 {
			old := l.current.Teams[index]
			d.compareText("icpc_id", &t.ICPCID, old.ICPCID)
			d.compareText("name", &t.Name, old.Name)
			d.compareText("label", &t.Label, old.Label)
			d.compareText("display_name", &t.DisplayName, old.DisplayName)
			d.compareText("organization_id", &t.Organization, old.Organization)
			d.compareText("location", &t.Location, old.Location)
			d.compareList("group_ids", &t.GroupIDs, old.GroupIDs)
			if !one.hasKey("hidden") {
				t.Hidden = old.Hidden
			}
			if t.Hidden != old.Hidden {
				d.changes = append(d.changes, "hidden")
			}
		}
		l.checkExists(one.File, one.Line, organizations, t.Organization)
		for _, g := range t.GroupIDs {
			l.checkExists(one.File, one.Line, groups, g)
		}
		if l.reportChange(teams, t.ExtID, index >= 0, &d) {
			l.plan.Import.Teams = append(l.plan.Import.Teams, t)
		}
	}
	reportMissing(l, teams, l.Teams != nil, l.current.Teams, func(t *store.Team) string { return t.ExtID }, has)
}

func (l *planner) persons() {
	for _, one := range l.Persons {
		p, d := one.Object, changeSet{hasKey: one.hasKey}
		index := slices.IndexFunc(l.current.Persons, func(old *store.ContestPerson) bool { return old.ID == p.ID })
		if index >= 0 {
			old := l.current.Persons[index]
			d.compareText("icpc_id", &p.ICPCID, old.ICPCID)
			d.compareText("name", &p.Name, old.Name)
			d.compareText("title", &p.Title, old.Title)
			d.compareText("email", &p.Email, old.Email)
			d.compareText("sex", &p.Sex, old.Sex)
			d.compareText("role", &p.Role, old.Role)
			if !one.hasKey("team_id") {
				d.compareList("team_ids", &p.Teams, old.Teams)
			} else if !slices.Equal(p.Teams, old.Teams) {
				d.changes = append(d.changes, "team_id")
			}
		}
		for _, t := range p.Teams {
			l.checkExists(one.File, one.Line, teams, t)
		}
		if l.reportChange(persons, p.ID, index >= 0, &d) {
			l.plan.Import.Persons = append(l.plan.Import.Persons, p)
		}
	}
	reportMissing(
		l, persons, l.Persons != nil, l.current.Persons,
		func(p *store.ContestPerson) string { return p.ID },
		func(id string) bool {
			return slices.ContainsFunc(l.Persons, func(p Located[store.ContestPerson]) bool { return p.Object.ID == id })
		},
	)
}

// checkExists checks that the contest contains a referenced object, if the package does not list objects of that kind.
func (l *planner) checkExists(file string, line int, k objectKind, id string) {
	listed, exists := false, false
	switch k {
	case organizations:
		listed = l.Organizations != nil && !l.derived
		exists = slices.ContainsFunc(l.current.Organizations, func(o store.Organization) bool { return o.ID == id }) ||
			slices.ContainsFunc(l.Organizations, func(o Located[store.Organization]) bool { return o.Object.ID == id })
	case groups:
		listed = l.Groups != nil
		exists = slices.ContainsFunc(l.current.Groups, func(g store.Group) bool { return g.ID == id })
	case teams:
		listed = l.Teams != nil
		exists = slices.ContainsFunc(l.current.Teams, func(t *store.Team) bool { return t.ExtID == id })
	case persons:
		listed = l.Persons != nil
		exists = slices.ContainsFunc(l.current.Persons, func(p *store.ContestPerson) bool { return p.ID == id })
	}
	if id != "" && !listed && !exists {
		l.addFault(file, line, "", "neither the package nor the contest has the %s %q", k, id)
	}
}

// roleOf returns the contest role for an account type. It may be empty.
func roleOf(typ string) string {
	return string(
		map[string]auth.Role{"judge": auth.Judge, "admin": auth.ContestAdmin, "staff": auth.BalloonRunner, "balloon": auth.BalloonRunner}[typ],
	)
}

func (l *planner) accounts(ctx context.Context) error {
	for i := range l.Accounts {
		if err := l.account(ctx, &l.Accounts[i]); err != nil {
			return err
		}
	}
	reportMissing(
		l, accounts, l.Accounts != nil, l.current.ListedAccounts,
		func(a *store.ContestAccount) string { return a.ID },
		func(id string) bool {
			return slices.ContainsFunc(l.Accounts, func(a Account) bool { return a.ID == id })
		},
	)
	return nil
}

func (l *planner) account(ctx context.Context, a *Account) error {
	n := store.ImportedAccount{ID: a.ID, Type: a.Type, Person: a.Person, Team: a.Team, Role: roleOf(a.Type)}
	if a.Address != "" {
		n.Addresses = []string{a.Address}
	}
	password, note := a.Password, ""
	d := changeSet{hasKey: a.hasKey}
	index := slices.IndexFunc(l.current.ListedAccounts, func(old *store.ContestAccount) bool { return old.ID == a.ID })
	// Usernames must differ in more than letter case.
	is := slices.IndexFunc(l.current.Accounts, func(b *store.Account) bool { return strings.EqualFold(b.Login, a.Username) })
	switch {
	case index >= 0:
		old := l.current.ListedAccounts[index]
		n.Account = old.Account
		if old.Account.Login != a.Username {
			l.addFault(a.File, a.Line, "", "the account %s has the username %s here, which does not change", a.ID, old.Account.Login)
		}
		d.compareText("type", &n.Type, old.Type)
		d.compareText("person_id", &n.Person, old.Person)
		if a.File != "accounts.tsv" { // in this file, the username contains the team's number
			d.compareText("team_id", &n.Team, old.Team)
		} else if n.Team != old.Team {
			d.changes = append(d.changes, "team_id")
		}
		d.compareList("ip", &n.Addresses, old.Addresses)
		if n.Role != l.current.Roles[old.Account.ID] {
			d.changes = append(d.changes, "role")
		}
		if old.Created && a.Name != "" && a.Name != old.Account.Display {
			n.Name, d.changes = a.Name, append(d.changes, "name")
		}
		if !old.Created {
			password = ""
		}
		if password != "" {
			same, err := l.current.CheckPassword(ctx, password, old.Account.Password)
			if err != nil {
				return fmt.Errorf("compare the password of %s: %w", a.Username, err)
			}
			if same {
				password = ""
			} else {
				d.changes = append(d.changes, "password")
			}
		}
	case is >= 0:
		n.Account, password, note = l.current.Accounts[is], "", "the account exists: it keeps its name and its password"
		if slices.ContainsFunc(l.current.ListedAccounts, func(b *store.ContestAccount) bool { return b.Account.ID == n.Account.ID }) {
			l.addFault(
				a.File, a.Line, "use the id that the account has",
				"the username %s belongs to another account of the contest", a.Username,
			)
		}
	default:
		n.New = store.NewAccount{Login: a.Username, Display: cmp.Or(a.Name, l.teamName(n.Team), a.Username),
			Kind: store.PersonAccount, Role: string(auth.Contestant)}
		if a.Type == "team" {
			n.New.Kind = store.TeamAccount
		}
	}
	if n.Type == "team" && n.Team == "" {
		l.addFault(a.File, a.Line, "", "the account %s is for a team, but does not name it", a.ID)
	}
	l.checkExists(a.File, a.Line, teams, n.Team)
	l.checkExists(a.File, a.Line, persons, n.Person)
	if l.reportChange(accounts, a.ID, index >= 0, &d) {
		last := &l.plan.Lines[len(l.plan.Lines)-1]
		last.Note = cmp.Or(last.Note, note)
		l.plan.Import.Accounts = append(l.plan.Import.Accounts, n)
		l.plan.Passwords = append(l.plan.Passwords, password)
	}
	return nil
}

// teamName returns the name of a team in the package or in the contest. It may be empty.
func (l *planner) teamName(id string) string {
	for _, t := range l.Teams {
		if t.Object.ExtID == id {
			return t.Object.Name
		}
	}
	for _, t := range l.current.Teams {
		if t.ExtID == id {
			return t.Name
		}
	}
	return ""
}
