package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gosimple/unidecode"
	"golang.org/x/text/unicode/norm"

	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// A Plan is the set of changes that the import of a list makes. The Preview describes them.
type Plan struct {
	roster.Preview
	// Progress, if not nil, is called while passwords are hashed.
	Progress func(done, all int)
	persons  []plannedPerson // the rows without errors
	role     Role
	contest  string
}

// A plannedPerson is a person of a plan.
type plannedPerson struct {
	roster.Person
	account *store.Account // nil if it is to be created
	groups  []string
}

// PlanImport compares a list with the accounts of a server. Every person gets the role and, unless contest is
// empty, is added to the contest with that id. A person who already has an account keeps that account. It has the
// same username, or it has the same name and the username derived from that name.
func PlanImport(ctx context.Context, s *store.Store, list *roster.List, role Role, contest string) (*Plan, error) {
	all, err := s.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]*store.Account{}
	for _, a := range all {
		known[strings.ToLower(a.Login)] = a
	}
	p := &Plan{role: role, contest: contest}
	p.Encoding, p.Separator, p.Columns = list.Encoding, list.Separator, list.Columns
	wrong := rowErrors(list.Rows, known)
	taken := map[string]bool{}
	for i, row := range list.Rows {
		taken[strings.ToLower(row.Login)] = taken[strings.ToLower(row.Login)] || wrong[i] == ""
	}
	lines := map[string]int{} // line of each name without a username
	for i, row := range list.Rows {
		groups, _ := ParseGroups(row.Group)
		line := roster.PreviewRow{Line: row.Line, State: roster.New, Name: cmp.Or(row.Name, row.Login), Login: row.Login,
			Email: row.Email, Groups: groups, Wrong: wrong[i]}
		if line.Wrong != "" {
			line.State, line.Team = roster.Invalid, row.Team
			p.Wrong++
			p.Rows = append(p.Rows, line)
			continue
		}
		one := plannedPerson{row.Person, known[strings.ToLower(row.Login)], groups}
		if row.Login == "" {
			one.Login, one.account = unusedUsername(row.Name, known, taken)
			if first := lines[row.Name]; first > 0 {
				line.Notes = append(line.Notes, fmt.Sprintf("another person with the name of line %d", first))
			}
			lines[row.Name] = cmp.Or(lines[row.Name], row.Line)
		}
		one.Name = line.Name
		if one.account != nil {
			one.Login = one.account.Login
			line.State, line.Name, line.Email = roster.Existing, one.account.Display, ""
			line.Notes = append(line.Notes, "keeps the password")
			if one.account.Disabled {
				line.Notes = append(line.Notes, "the account is disabled")
			}
			p.Existing++
		} else {
			p.New++
		}
		line.Login = one.Login
		taken[strings.ToLower(one.Login)] = true // another person with the name gets another account
		p.persons, p.Rows = append(p.persons, one), append(p.Rows, line)
	}
	if err := p.planTeams(ctx, s); err != nil {
		return nil, err
	}
	p.Notes = append(p.Notes, listNotes(list, contest)...)
	p.Digest, err = p.digest()
	return p, err
}

// listNotes returns remarks about a list before it is imported.
func listNotes(list *roster.List, contest string) (all []string) {
	if list.Encoding == roster.Windows1252 {
		all = append(all, "The list is not in UTF-8, and was read as Windows-1252. Check the letters with accents.")
	}
	teams := func(c roster.Column) bool { return c.Field == roster.Team || c.Field == roster.Group }
	if contest == "" && slices.ContainsFunc(list.Columns, teams) {
		all = append(all, "Teams and groups belong to a contest. No contest is chosen, so they are ignored.")
	}
	return all
}

// planTeams decides the team of each person.
func (p *Plan) planTeams(ctx context.Context, s *store.Store) error {
	if p.contest == "" {
		for i := range p.Rows {
			p.Rows[i].Team, p.Rows[i].Groups = "", nil
		}
		return nil
	}
	teams, err := s.Teams(ctx, p.contest)
	if err != nil {
		return err
	}
	members, err := s.Members(ctx, p.contest)
	if err != nil {
		return err
	}
	named, byAccount, size := map[string]*store.Team{}, map[string]*store.Team{}, map[*store.Team]int{}
	for _, t := range teams {
		named[t.Name] = t
		for _, a := range members[t.ID] {
			byAccount[a.ID] = t
			size[t]++
		}
	}
	in := make([]*store.Team, len(p.Rows))
	next := 0
	for i := range p.Rows {
		row := &p.Rows[i]
		if row.State == roster.Invalid {
			continue
		}
		one := p.persons[next]
		next++
		if one.account != nil && byAccount[one.account.ID] != nil {
			t := byAccount[one.account.ID]
			row.Team, row.Groups = t.Name, t.Groups
			row.Notes = append(row.Notes, "stays in the team")
			continue
		}
		t := named[one.Team]
		if one.Team == "" || t == nil {
			t = &store.Team{Name: cmp.Or(one.Team, row.Name), Groups: one.groups}
			p.Teams++
			named[one.Team] = t
		} else if len(one.groups) > 0 && !slices.Equal(one.groups, t.Groups) {
			row.Notes = append(row.Notes, "the groups are those of the team")
		}
		size[t]++
		row.Team, row.Groups, in[i] = t.Name, t.Groups, t
	}
	for i, t := range in {
		if size[t] > 1 {
			p.Rows[i].Notes = append(p.Rows[i].Notes, fmt.Sprintf("team of %d", size[t]))
		}
	}
	return nil
}

// digest returns the digest of everything that the plan does.
func (p *Plan) digest() (string, error) {
	passwords := make([]string, 0, len(p.persons))
	for _, one := range p.persons {
		passwords = append(passwords, one.Password)
	}
	data, err := json.Marshal([]any{p.role, p.contest, p.Rows, passwords})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// rowErrors returns, for each row, a text that says what is wrong with the row. The text is empty if the row is
// valid.
func rowErrors(rows []roster.Row, known map[string]*store.Account) []string {
	problems := make([]string, len(rows))
	lines := map[string]int{} // line of each username
	for i, row := range rows {
		login := strings.ToLower(row.Login)
		a := known[login]
		switch problems[i] = cmp.Or(row.Wrong, checkPerson(&row.Person)); {
		case problems[i] != "" || login == "":
			continue
		case lines[login] > 0:
			problems[i] = fmt.Sprintf("the username %s is on line %d, too", row.Login, lines[login])
		case a != nil && row.Name != "" && !sameName(row.Name, a.Display):
			const other = "the username %s belongs to %s: choose another, or leave the name out if this is the same person"
			problems[i] = fmt.Sprintf(other, a.Login, a.Display)
		}
		lines[login] = cmp.Or(lines[login], row.Line)
	}
	return problems
}

// sameName reports whether two names are equal except for blanks and letter case.
func sameName(a, b string) bool {
	plain := func(name string) string { return norm.NFC.String(strings.Join(strings.Fields(name), " ")) }
	return strings.EqualFold(plain(a), plain(b))
}

// checkPerson returns what is wrong with a listed person, and what to do. It returns an empty string if the person
// is valid.
func checkPerson(p *roster.Person) string {
	for _, one := range []struct{ what, text string }{{"", p.Name}, {"the team: ", p.Team}, {"the e-mail: ", p.Email}} {
		if problem := CheckName(one.text); one.text != "" && problem != "" {
			return one.what + problem
		}
	}
	if _, err := ParseGroups(p.Group); err != nil {
		return err.Error()
	}
	switch {
	case p.Name == "" && p.Login == "":
		return "there is neither a name nor a username"
	case p.Login != "" && !ValidUsername(p.Login):
		return fmt.Sprintf("%.60q is not a username: use letters, digits, - and _, at most %d, such as %s", p.Login,
			maxUsername, UsernameFor(p.Login))
	case p.Password != "" && (len(p.Password) < MinPassword || len(p.Password) > MaxPassword):
		const wrong = "a password has from %d to %d bytes: write a longer or shorter one, or leave it out to have one generated"
		return fmt.Sprintf(wrong, MinPassword, MaxPassword)
	case strings.ContainsFunc(p.Password, unicode.IsControl):
		return "the password has a line break or another character that cannot be typed: write another one, or leave it out"
	}
	return ""
}

// ASCIIName returns a name as lower-case letters from a to z and digits, with hyphens between words: "Łukasz Öz"
// becomes "lukasz-oz", and "李雷" becomes "li-lei". It returns an empty string if no character of the name can be
// converted.
func ASCIIName(name string) string {
	var b strings.Builder
	part := func() {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	for _, c := range norm.NFKC.String(name) {
		switch {
		case unicode.Is(unicode.Mn, c) || c == '\'' || c == '’': // an accent
		case c <= unicode.MaxASCII || unicode.IsLetter(c) || unicode.IsNumber(c):
			for _, c := range strings.ToLower(unidecode.Unidecode(string(c))) {
				switch {
				case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
					b.WriteRune(c)
				case c != '\'' && c != '"' && c != '`': // signs for soft letters
					part()
				}
			}
		default:
			part()
		}
	}
	return strings.Trim(b.String(), "-")
}

// UsernameFor makes a username from a name. A name that has fewer than two usable characters gives
// "student".
func UsernameFor(name string) string {
	login := ASCIIName(name)
	const most = maxUsername - 6 // for a number
	login = strings.Trim(login[:min(len(login), most)], "-")
	if len(login) < 2 {
		return "student"
	}
	return login
}

// A Credentials is the username and password that a person is handed to log in with.
type Credentials struct {
	Login    string
	Name     string
	Password string
}

// Import does what a plan says, except for the rows with errors: it does all of it, or nothing. It
// returns the credentials of the accounts that it created and of those that existed, and the accounts of
// all people in the order of the list. It returns store.ErrTaken if a username was taken since the plan
// was made.
func (p *Passwords) Import(
	ctx context.Context, s *store.Store, plan *Plan,
) (created, existing []Credentials, accounts []*store.Account, err error) {
	var rows []store.NewAccount
	var entrants []store.Entrant // without an account: those of the rows, in their order
	var passwords []string
	for _, one := range plan.persons {
		entrants = append(entrants, store.Entrant{Account: one.account, Team: one.Team, Groups: one.groups})
		if one.account != nil {
			existing = append(existing, Credentials{Login: one.account.Login, Name: one.account.Display})
			continue
		}
		slip := Credentials{Login: one.Login, Name: one.Name, Password: cmp.Or(one.Password, NewPassword())}
		created, passwords = append(created, slip), append(passwords, slip.Password)
		rows = append(
			rows,
			store.NewAccount{Login: one.Login, Display: slip.Name, Email: one.Email, Kind: store.PersonAccount, Role: string(plan.role)},
		)
	}
	hashes, err := p.HashAll(ctx, passwords, func(n int) {
		if plan.Progress != nil {
			plan.Progress(n, len(passwords))
		}
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i, hash := range hashes {
		rows[i].Password = hash
	}
	if accounts, err = s.Enroll(ctx, plan.contest, rows, entrants); err != nil {
		return nil, nil, nil, err
	}
	return created, existing, accounts, nil
}

// unusedUsername makes an unused username of a name; or it finds the account that has the name and one of
// its logins.
func unusedUsername(name string, known map[string]*store.Account, taken map[string]bool) (string, *store.Account) {
	base := UsernameFor(name)
	for n := 1; ; n++ {
		login := base
		if n > 1 {
			login = fmt.Sprintf("%s-%d", base, n)
		}
		switch a := known[login]; {
		case taken[login]:
		case a == nil:
			return login, nil
		case a.Display == name:
			return login, a
		}
	}
}
