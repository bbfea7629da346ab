package auth

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"assay/judge"
	"assay/judge/host/store"
)

// Person is somebody on a list of those who get an account.
type Person struct {
	Name     string
	Login    string // "" is made of the name
	Email    string
	Password string // "" is made up
	Team     string // with whom they take part in a contest; "" for alone
	Group    string // of their team, by which a board is filtered; several have commas between
}

// The bounds of a list.
const (
	mostPeople = 2000
	mostLogin  = 40
)

// columns are the words at the head of a list's columns.
var columns = map[string]func(*Person) *string{
	"name": func(p *Person) *string { return &p.Name }, "login": func(p *Person) *string { return &p.Login },
	"email": func(p *Person) *string { return &p.Email }, "password": func(p *Person) *string { return &p.Password },
	"team": func(p *Person) *string { return &p.Team }, "group": func(p *Person) *string { return &p.Group },
}

// ParseRoster reads a list of people: a name in each line; or, where the first line has the
// word name or login among the heads of columns, a table with commas, semicolons or tabs
// between name, login, email, password, team and group. Mistakes are told with their lines.
func ParseRoster(text string) ([]Person, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if !utf8.ValidString(text) {
		return nil, misuse("the list is not written in UTF-8: save it again as UTF-8")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\n \t"), "\n")
	for _, comma := range ",;\t" {
		for _, head := range strings.Split(first, string(comma)) {
			head = strings.ToLower(strings.Trim(head, "\" \t"))
			if (head == "name" || head == "login") && (strings.ContainsRune(first, comma) || strings.EqualFold(strings.TrimSpace(first), head)) {
				return parseTable(text, comma)
			}
		}
	}
	var people []Person
	n := 0
	for line := range strings.Lines(text) {
		n++
		if name := strings.TrimSpace(line); name != "" {
			people = append(people, Person{Name: name})
			if err := people[len(people)-1].check(n); err != nil {
				return nil, err
			}
		}
	}
	return bounded(people)
}

func misuse(format string, args ...any) error { return &judge.Misuse{Err: fmt.Errorf(format, args...)} }

func bounded(people []Person) ([]Person, error) {
	switch {
	case len(people) == 0:
		return nil, misuse("the list has no names")
	case len(people) > mostPeople:
		return nil, misuse("the list has %d people; the most at once is %d", len(people), mostPeople)
	}
	seen := map[string]bool{}
	for _, p := range people {
		if p.Login != "" && seen[p.Login] {
			return nil, misuse("the login %s stands twice in the list", p.Login)
		}
		seen[p.Login] = true
	}
	return people, nil
}

func parseTable(text string, comma rune) (people []Person, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = comma, -1, true
	var heads []func(*Person) *string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return bounded(people)
		}
		if err != nil {
			return nil, misuse("the list is not a table: %v", err)
		}
		line, _ := r.FieldPos(0)
		if heads == nil {
			for _, word := range row {
				heads = append(heads, columns[strings.ToLower(strings.TrimSpace(word))]) // nil for one that nobody needs
			}
			continue
		}
		var p Person
		empty := true
		for i, cell := range row {
			cell = strings.TrimSpace(cell)
			empty = empty && cell == ""
			if i < len(heads) && heads[i] != nil {
				*heads[i](&p) = cell
			}
		}
		if empty {
			continue
		}
		if err := p.check(line); err != nil {
			return nil, err
		}
		people = append(people, p)
	}
}

// check says what is wrong with somebody on the list.
func (p *Person) check(line int) error {
	wrong := ""
	for _, text := range []string{p.Name, p.Team, p.Email} {
		if text != "" && wrong == "" {
			wrong = BadName(text)
		}
	}
	if _, err := Groups(p.Group); err != nil && wrong == "" {
		wrong = err.Error()
	}
	switch {
	case p.Name == "" && p.Login == "":
		return misuse("line %d of the list has neither a name nor a login", line)
	case wrong != "":
		return misuse("line %d of the list: %s", line, wrong)
	case p.Login != "" && !GoodLogin(p.Login):
		return misuse("line %d of the list: %.60q is not a login: letters, digits, - and _, %d at most", line, p.Login, mostLogin)
	case p.Password != "" && (len(p.Password) < LeastPassword || len(p.Password) > MostPassword):
		return misuse("line %d of the list: a password has %d to %d letters", line, LeastPassword, MostPassword)
	}
	return nil
}

// mostGroups is the most groups of a team.
const mostGroups = 10

// Groups reads the groups of a team, with commas between; each is there once.
func Groups(text string) (all []string, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" || slices.Contains(all, one) {
			continue
		}
		if wrong := BadName(one); wrong != "" {
			return nil, misuse("the group %.60q: %s", one, wrong)
		}
		all = append(all, one)
	}
	if len(all) > mostGroups {
		return nil, misuse("a team is in %d groups; the most is %d", len(all), mostGroups)
	}
	return all, nil
}

// GoodLogin says whether a text can be the login of an account.
func GoodLogin(text string) bool {
	for i := range len(text) {
		c := text[i]
		if alike := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'; !alike && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return text != "" && len(text) <= mostLogin
}

// loginOf makes a login of a name: small letters without accents, and digits. A name with
// too few of these gives "student".
func loginOf(name string) string {
	var b strings.Builder
	for _, c := range norm.NFD.String(strings.ToLower(name)) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case unicode.Is(unicode.Mn, c) || c == '\'' || c == '’': // an accent
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	const most = mostLogin - 6 // for a number
	login := strings.Trim(b.String()[:min(b.Len(), most)], "-")
	if len(login) < 2 {
		return "student"
	}
	return login
}

// Slip is what somebody is handed to log in with.
type Slip struct {
	Login    string
	Name     string
	Password string
}

// Import makes accounts of people, with made-up passwords where they have none: all of them, or
// none. Who is there already, by login, or by name and the login made of it, is left alone and
// returned too. Accounts are those of the people, in their order. Contest is the id of one in which
// all of them take part; "" is none.
func (p *Passwords) Import(ctx context.Context, s *store.Store, people []Person, role Role, contest string) (made, there []Slip, accounts []*store.Account, err error) {
	all, err := s.Accounts(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	known := map[string]*store.Account{}
	for _, a := range all {
		known[strings.ToLower(a.Login)] = a
	}
	taken := map[string]bool{}
	for _, one := range people {
		taken[strings.ToLower(one.Login)] = true
	}
	var rows []store.NewAccount
	var entrants []store.Entrant // without an account: those of the rows, in their order
	for _, one := range people {
		login, old := one.Login, known[strings.ToLower(one.Login)]
		if login == "" {
			login, old = freeLogin(one.Name, known, taken)
		}
		groups, _ := Groups(one.Group) // which were looked at as the list was read
		entrants = append(entrants, store.Entrant{Account: old, Team: one.Team, Groups: groups})
		if old != nil {
			taken[strings.ToLower(old.Login)] = true // another of the same name is somebody else
			there = append(there, Slip{Login: old.Login, Name: old.Display})
			continue
		}
		taken[login] = true
		slip := Slip{Login: login, Name: one.Name, Password: one.Password}
		if slip.Name == "" {
			slip.Name = login
		}
		if slip.Password == "" {
			slip.Password = NewPassword()
		}
		hash, err := p.Hash(ctx, slip.Password)
		if err != nil {
			return nil, nil, nil, err
		}
		made = append(made, slip)
		rows = append(rows, store.NewAccount{Login: login, Display: slip.Name, Email: one.Email, Password: hash, Kind: store.Person, Role: string(role)})
	}
	fresh, err := s.NewAccounts(ctx, rows...)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range entrants {
		if entrants[i].Account == nil {
			entrants[i].Account, fresh = fresh[0], fresh[1:]
		}
		accounts = append(accounts, entrants[i].Account)
	}
	if contest != "" {
		_, err = s.EnterAll(ctx, contest, entrants)
	}
	return made, there, accounts, err
}

// freeLogin makes a login of a name that nobody has; or finds who has the name and one of
// its logins.
func freeLogin(name string, known map[string]*store.Account, taken map[string]bool) (string, *store.Account) {
	base := loginOf(name)
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
