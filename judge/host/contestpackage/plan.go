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

// Current is the current state of a server.
type Current struct {
	Now           time.Time
	Contest       *store.Contest // nil if the contest is new
	Problems      []*store.ContestProblem
	Published     []*store.Problem
	Organizations []store.Organization
	Groups        []store.Group
	Teams         []*store.Team
	Persons       []*store.ContestPerson
	Listed        []*store.ContestAccount
	// Roles maps the ids of accounts in Listed to their roles in the contest.
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
	now  *Current
	plan *Plan
}

// PlanImport compares a package with the state of a server. Slug is the slug of the contest. Everything that the package
// does not contain stays unchanged. If the package does not fit the server, PlanImport returns judge.Faults.
func PlanImport(ctx context.Context, p *Package, slug string, now *Current) (*Plan, error) {
	l := &planner{Package: p, now: now, plan: &Plan{Slug: slug, Notes: slices.Clone(p.Notes)}}
	if now.Contest != nil {
		l.plan.Import.ID = now.Contest.ID
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
	if now.Contest != nil && !now.Contest.Finalized.IsZero() && !l.plan.Empty() {
		l.wrong("contest", 0, "", "the results of the contest %s are final, and nothing of it can be changed", slug)
	}
	return l.plan, l.sorted()
}

func (l *planner) line(state Action, k kind, id, note string) {
	l.plan.Lines = append(l.plan.Lines, ReportLine{state, string(k), id, note})
}

// missing reports objects of kind k that the contest contains and the package lacks. It reports nothing if the
// package does not list objects of that kind.
func missing[T any](l *planner, k kind, listed bool, there []T, id func(T) string, has func(id string) bool) {
	for _, one := range there {
		if listed && !has(id(one)) {
			l.line(Missing, k, id(one), "it stays")
		}
	}
}

// A difference collects the changes of an object.
type difference struct {
	says    func(key string) bool
	changes []string
}

// text compares the property key with its old value, and records whether it differs. If the package does not
// contain the key, text first restores the old value.
func (d *difference) text(key string, is *string, was string) {
	if !d.says(key) {
		*is = was
	}
	if *is != was {
		d.changes = append(d.changes, key)
	}
}

func (d *difference) list(key string, is *[]string, was []string) {
	if !d.says(key) {
		*is = was
	}
	if !slices.Equal(*is, was) {
		d.changes = append(d.changes, key)
	}
}

// tell reports whether an object must be written. If so, it adds a report line for the object. Otherwise, it
// counts the object as unchanged. If known, the contest already contains the object.
func (l *planner) tell(k kind, id string, known bool, d *difference) bool {
	switch {
	case !known:
		l.line(Added, k, id, "")
	case len(d.changes) > 0:
		l.line(Changed, k, id, strings.Join(d.changes, ", "))
	default:
		l.plan.Unchanged++
		return false
	}
	return true
}

func (l *planner) organizations() {
	find := func(id string) int {
		return slices.IndexFunc(l.now.Organizations, func(o store.Organization) bool { return o.ID == id })
	}
	for _, one := range l.Organizations {
		o, d, at := one.Object, difference{says: one.says}, find(one.Object.ID)
		if at >= 0 {
			was := l.now.Organizations[at]
			if one.File == "teams2.tsv" { // its keys are those of a team
				d.says = func(key string) bool {
					return key == "name" || one.says(key) && key == "formal_name" || one.says(key) && key == "country"
				}
			}
			d.text("icpc_id", &o.ICPCID, was.ICPCID)
			d.text("name", &o.Name, was.Name)
			d.text("formal_name", &o.FormalName, was.FormalName)
			d.text("country", &o.Country, was.Country)
			d.text("country_subdivision", &o.Region, was.Region)
			d.text("url", &o.URL, was.URL)
			d.text("location", &o.Location, was.Location)
		}
		if l.tell(organizations, o.ID, at >= 0, &d) {
			l.plan.Import.Organizations = append(l.plan.Import.Organizations, o)
		}
	}
	missing(l, organizations, l.Organizations != nil && !l.derived, l.now.Organizations,
		func(o store.Organization) string { return o.ID }, func(id string) bool {
			return slices.ContainsFunc(l.Organizations, func(o Placed[store.Organization]) bool { return o.Object.ID == id })
		})
}

func (l *planner) groups() {
	has := func(id string) bool {
		return slices.ContainsFunc(l.Groups, func(g Placed[store.Group]) bool { return g.Object.ID == id })
	}
	for _, one := range l.Groups {
		g, d := one.Object, difference{says: one.says}
		at := slices.IndexFunc(l.now.Groups, func(was store.Group) bool { return was.ID == g.ID })
		if at >= 0 {
			was := l.now.Groups[at]
			d.text("icpc_id", &g.ICPCID, was.ICPCID)
			d.text("name", &g.Name, was.Name)
			d.text("type", &g.Type, was.Type)
			d.text("location", &g.Location, was.Location)
		}
		for _, other := range l.now.Groups {
			if other.Name == g.Name && !has(other.ID) {
				l.wrong(one.File, one.Line, "choose another name, or use its id",
					"the contest has the group %s with the name %q already", other.ID, g.Name)
			}
		}
		if l.tell(groups, g.ID, at >= 0, &d) {
			l.plan.Import.Groups = append(l.plan.Import.Groups, g)
		}
	}
	missing(l, groups, l.Groups != nil, l.now.Groups, func(g store.Group) string { return g.ID }, has)
}

func (l *planner) teams() {
	has := func(id string) bool {
		return slices.ContainsFunc(l.Teams, func(t Placed[store.Team]) bool { return t.Object.ExtID == id })
	}
	for _, one := range l.Teams {
		t, d := one.Object, difference{says: one.says}
		at := slices.IndexFunc(l.now.Teams, func(was *store.Team) bool { return was.ExtID == t.ExtID })
		if at >= 0 {
			was := l.now.Teams[at]
			d.text("icpc_id", &t.ICPCID, was.ICPCID)
			d.text("name", &t.Name, was.Name)
			d.text("label", &t.Label, was.Label)
			d.text("display_name", &t.DisplayName, was.DisplayName)
			d.text("organization_id", &t.Organization, was.Organization)
			d.text("location", &t.Location, was.Location)
			d.list("group_ids", &t.GroupIDs, was.GroupIDs)
			if !one.says("hidden") {
				t.Hidden = was.Hidden
			}
			if t.Hidden != was.Hidden {
				d.changes = append(d.changes, "hidden")
			}
		}
		l.exists(one.File, one.Line, organizations, t.Organization)
		for _, g := range t.GroupIDs {
			l.exists(one.File, one.Line, groups, g)
		}
		if l.tell(teams, t.ExtID, at >= 0, &d) {
			l.plan.Import.Teams = append(l.plan.Import.Teams, t)
		}
	}
	missing(l, teams, l.Teams != nil, l.now.Teams, func(t *store.Team) string { return t.ExtID }, has)
}

func (l *planner) persons() {
	for _, one := range l.Persons {
		p, d := one.Object, difference{says: one.says}
		at := slices.IndexFunc(l.now.Persons, func(was *store.ContestPerson) bool { return was.ID == p.ID })
		if at >= 0 {
			was := l.now.Persons[at]
			d.text("icpc_id", &p.ICPCID, was.ICPCID)
			d.text("name", &p.Name, was.Name)
			d.text("title", &p.Title, was.Title)
			d.text("email", &p.Email, was.Email)
			d.text("sex", &p.Sex, was.Sex)
			d.text("role", &p.Role, was.Role)
			if !one.says("team_id") {
				d.list("team_ids", &p.Teams, was.Teams)
			} else if !slices.Equal(p.Teams, was.Teams) {
				d.changes = append(d.changes, "team_id")
			}
		}
		for _, t := range p.Teams {
			l.exists(one.File, one.Line, teams, t)
		}
		if l.tell(persons, p.ID, at >= 0, &d) {
			l.plan.Import.Persons = append(l.plan.Import.Persons, p)
		}
	}
	missing(l, persons, l.Persons != nil, l.now.Persons, func(p *store.ContestPerson) string { return p.ID }, func(id string) bool {
		return slices.ContainsFunc(l.Persons, func(p Placed[store.ContestPerson]) bool { return p.Object.ID == id })
	})
}

// exists checks that the contest contains a referenced object, if the package does not list objects of that kind.
func (l *planner) exists(file string, line int, k kind, id string) {
	listed, there := false, false
	switch k {
	case organizations:
		listed = l.Organizations != nil && !l.derived
		there = slices.ContainsFunc(l.now.Organizations, func(o store.Organization) bool { return o.ID == id }) ||
			slices.ContainsFunc(l.Organizations, func(o Placed[store.Organization]) bool { return o.Object.ID == id })
	case groups:
		listed = l.Groups != nil
		there = slices.ContainsFunc(l.now.Groups, func(g store.Group) bool { return g.ID == id })
	case teams:
		listed = l.Teams != nil
		there = slices.ContainsFunc(l.now.Teams, func(t *store.Team) bool { return t.ExtID == id })
	case persons:
		listed = l.Persons != nil
		there = slices.ContainsFunc(l.now.Persons, func(p *store.ContestPerson) bool { return p.ID == id })
	}
	if id != "" && !listed && !there {
		l.wrong(file, line, "", "neither the package nor the contest has the %s %q", k, id)
	}
}

// roleOf returns the contest role for an account type. It may be empty.
func roleOf(typ string) string {
	return string(map[string]auth.Role{"judge": auth.Judge, "admin": auth.ContestAdmin, "staff": auth.Runner, "balloon": auth.Runner}[typ])
}

func (l *planner) accounts(ctx context.Context) error {
	for i := range l.Accounts {
		if err := l.account(ctx, &l.Accounts[i]); err != nil {
			return err
		}
	}
	missing(l, accounts, l.Accounts != nil, l.now.Listed, func(a *store.ContestAccount) string { return a.ID }, func(id string) bool {
		return slices.ContainsFunc(l.Accounts, func(a Account) bool { return a.ID == id })
	})
	return nil
}

func (l *planner) account(ctx context.Context, a *Account) error {
	n := store.ImportedAccount{ID: a.ID, Type: a.Type, Person: a.Person, Team: a.Team, Role: roleOf(a.Type)}
	if a.Address != "" {
		n.Addresses = []string{a.Address}
	}
	password, note := a.Password, ""
	d := difference{says: a.says}
	at := slices.IndexFunc(l.now.Listed, func(was *store.ContestAccount) bool { return was.ID == a.ID })
	// Usernames must differ in more than letter case.
	is := slices.IndexFunc(l.now.Accounts, func(b *store.Account) bool { return strings.EqualFold(b.Login, a.Username) })
	switch {
	case at >= 0:
		was := l.now.Listed[at]
		n.Account = was.Account
		if was.Account.Login != a.Username {
			l.wrong(a.File, a.Line, "", "the account %s has the username %s here, which does not change", a.ID, was.Account.Login)
		}
		d.text("type", &n.Type, was.Type)
		d.text("person_id", &n.Person, was.Person)
		if a.File != "accounts.tsv" { // in this file, the username contains the team's number
			d.text("team_id", &n.Team, was.Team)
		} else if n.Team != was.Team {
			d.changes = append(d.changes, "team_id")
		}
		d.list("ip", &n.Addresses, was.Addresses)
		if n.Role != l.now.Roles[was.Account.ID] {
			d.changes = append(d.changes, "role")
		}
		if was.Created && a.Name != "" && a.Name != was.Account.Display {
			n.Name, d.changes = a.Name, append(d.changes, "name")
		}
		if !was.Created {
			password = ""
		}
		if password != "" {
			same, err := l.now.CheckPassword(ctx, password, was.Account.Password)
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
		n.Account, password, note = l.now.Accounts[is], "", "the account exists: it keeps its name and its password"
		if slices.ContainsFunc(l.now.Listed, func(b *store.ContestAccount) bool { return b.Account.ID == n.Account.ID }) {
			l.wrong(a.File, a.Line, "use the id that the account has", "the username %s belongs to another account of the contest", a.Username)
		}
	default:
		n.New = store.NewAccount{Login: a.Username, Display: cmp.Or(a.Name, l.teamName(n.Team), a.Username),
			Kind: store.Person, Role: string(auth.Contestant)}
		if a.Type == "team" {
			n.New.Kind = store.TeamAccount
		}
	}
	if n.Type == "team" && n.Team == "" {
		l.wrong(a.File, a.Line, "", "the account %s is for a team, but does not name it", a.ID)
	}
	l.exists(a.File, a.Line, teams, n.Team)
	l.exists(a.File, a.Line, persons, n.Person)
	if l.tell(accounts, a.ID, at >= 0, &d) {
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
	for _, t := range l.now.Teams {
		if t.ExtID == id {
			return t.Name
		}
	}
	return ""
}
