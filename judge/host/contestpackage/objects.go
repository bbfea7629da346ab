package contestpackage

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// A Package is the content of a contest package. A list is nil if the package has no file for it.
type Package struct {
	Contest       *Contest
	Problems      []Problem
	Groups        []Located[store.Group]
	Organizations []Located[store.Organization]
	Teams         []Located[store.Team]
	Persons       []Located[store.ContestPerson]
	Accounts      []Account
	Media         []media.File
	derived       bool // the organizations were derived from teams2.tsv
	// Notes describe the parts of the package that the import ignores.
	Notes []string
}

// A Located is an object with its position in the package.
type Located[T any] struct {
	Object T
	File   string
	Line   int
	hasKey func(key string) bool // reports whether the file has the key, even with a null value
}

// A Contest is the contest of a package. Fields that the package does not set are nil.
type Contest struct {
	File             string
	Line             int
	ID               string // may be empty
	Name, FormalName *string
	Start            *time.Time // zero if not known yet
	Duration         *time.Duration
	Freeze           *time.Duration // time before the end; zero if there is no freeze
	Penalty          *time.Duration
	ByPoints         *bool // ranks depend on points instead of the number of solved problems
	MainGroup        *string
}

// A Problem is a problem of a package.
type Problem struct {
	File       string
	Line       int
	ID, Label  string
	Slug       string // of the published problem; if empty, ID is used
	RGB, Color string // may be empty
	ordinal    int
}

// An Account is an account of a package.
type Account struct {
	File     string
	Line     int
	ID       string
	Username string
	Name     string // may be empty
	Password string // may be empty
	Type     string
	Team     string // id; may be empty
	Person   string // id; may be empty
	Address  string // may be empty
	hasKey   func(key string) bool
}

// idPattern matches the ids that the Contest API allows.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,35}$`)

// Read parses the files of a package. The argument from maps their names to their contents. If anything is wrong,
// Read returns judge.ProblemErrors.
func Read(contents map[string][]byte) (*Package, error) {
	r := &reader{}
	p := &Package{}
	for _, f := range files {
		if all, listed := r.items(contents, f.names); listed {
			r.addObjects(p, f.kind, all)
		}
	}
	r.checkReferences(p)
	p.Notes = r.notes
	return p, r.sortedFaults()
}

// addObjects adds the items of a file to the package as objects of kind k.
func (r *reader) addObjects(p *Package, k objectKind, items []item) {
	seen := map[string]int{}
	for i := range items {
		o := &object{item: &items[i], r: r, kind: k, used: map[string]bool{}}
		switch {
		case o.file == "accounts.tsv": // this file has no id column
			o.checkUnique(seen, "username", o.scalar("username"))
		case k != contests:
			o.checkUnique(seen, "id", o.ident("id", true))
		}
		switch k {
		case contests:
			p.Contest = o.contest()
		case problems:
			p.Problems = append(p.Problems, o.problem(i))
		case groups:
			p.Groups = append(p.Groups, Located[store.Group]{store.Group{
				ID: o.ident("id", true), ICPCID: o.plain("icpc_id"), Name: o.name("name", true), Type: o.plain("type"),
				Location: o.location("latitude", "longitude"),
			}, o.file, o.line, o.has})
		case organizations:
			p.Organizations = append(p.Organizations, Located[store.Organization]{o.organization(), o.file, o.line, o.has})
		case teams:
			p.Teams = append(p.Teams, Located[store.Team]{o.team(p), o.file, o.line, o.has})
		case persons:
			p.Persons = append(p.Persons, Located[store.ContestPerson]{o.person(), o.file, o.line, o.has})
		case accounts:
			p.Accounts = append(p.Accounts, o.account())
		}
		o.noteIgnored()
	}
	switch k { // an empty file gives an empty list, a missing file gives nil
	case problems:
		p.Problems = append([]Problem{}, p.Problems...)
		slices.SortStableFunc(p.Problems, func(a, b Problem) int { return a.ordinal - b.ordinal })
	case groups:
		p.Groups = append([]Located[store.Group]{}, p.Groups...)
	case teams:
		p.Teams = append([]Located[store.Team]{}, p.Teams...)
	case persons:
		p.Persons = append([]Located[store.ContestPerson]{}, p.Persons...)
	case accounts:
		p.Accounts = append([]Account{}, p.Accounts...)
	case organizations:
		p.Organizations = append([]Located[store.Organization]{}, p.Organizations...)
	}
}

func (o *object) organization() store.Organization {
	return store.Organization{
		ID: o.ident("id", true), ICPCID: o.plain("icpc_id"), Name: o.name("name", true), FormalName: o.name("formal_name", false),
		Country: o.matching("country", countryPattern, "ISO 3166-1 alpha-3, such as DEU"), Region: o.matching("country_subdivision",
			subdivisionPattern, "ISO 3166-2, such as US-PA"),
		URL: o.matching("url", webPagePattern, "an address that begins with https://"), Location: o.location("latitude", "longitude"),
	}
}

var subdivisionPattern = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)

func (o *object) team(p *Package) store.Team {
	t := store.Team{
		ExtID: o.ident("id", true), ICPCID: o.plain("icpc_id"), Name: o.name("name", true), Label: o.plain("label"),
		DisplayName:  o.name("display_name", false),
		Organization: o.ident("organization_id", false), GroupIDs: o.idents("group_ids"), Hidden: o.flag("hidden"),
		Location: o.location("x", "y", "rotation"),
	}
	if o.file != "teams2.tsv" {
		return t
	}
	// A line of teams2.tsv also describes the team's institution.
	short, formal := o.name("organization", false), o.name("formal_name", false)
	if short == "" {
		short = formal
	}
	land := o.matching("country", countryPattern, "ISO 3166-1 alpha-3, such as DEU")
	if p.Organizations == nil {
		p.Organizations = []Located[store.Organization]{}
		p.derived = true
	}
	known := slices.ContainsFunc(p.Organizations, func(one Located[store.Organization]) bool { return one.Object.ID == t.Organization })
	if p.derived && t.Organization != "" && short != "" && !known {
		p.Organizations = append(p.Organizations, Located[store.Organization]{store.Organization{
			ID: t.Organization, ICPCID: t.Organization, Name: short, FormalName: formal, Country: land,
		}, o.file, o.line, o.has})
	}
	return t
}

func (o *object) person() store.ContestPerson {
	p := store.ContestPerson{
		ID: o.ident(
			"id", true,
		), ICPCID: o.plain("icpc_id"), Name: o.name("name", true), Title: o.name("title", false), Email: o.plain("email"),
		Sex: o.oneOf("sex", false, "male", "female"), Role: o.oneOf("role", true, "contestant", "coach", "staff", "other"),
		Teams: o.idents("team_ids"),
	}
	if id := o.ident("team_id", false); id != "" && len(p.Teams) == 0 { // as in version 2023-06
		p.Teams = []string{id}
	}
	if len(p.Teams) == 0 && (p.Role == "contestant" || p.Role == "coach") {
		o.addFault("team_ids", "", "a person with the role %s is in a team, and team_ids has none", p.Role)
	}
	return p
}

func (o *object) problem(index int) Problem {
	p := Problem{File: o.file, Line: o.line, ID: o.ident("id", true), Label: o.plain("label"), RGB: o.matching("rgb", rgbPattern,
		"a color such as #ac00ff"), Color: o.name("color", false), Slug: o.ident("slug", false)}
	if len(p.RGB) == 4 { // expand #fff to #ffffff
		p.RGB = "#" + strings.Repeat(p.RGB[1:2], 2) + strings.Repeat(p.RGB[2:3], 2) + strings.Repeat(p.RGB[3:4], 2)
	}
	if p.Label == "" {
		p.Label = p.ID
		if index < 26 {
			p.Label = string(rune('A' + index))
		}
	}
	if len(p.Label) > 8 {
		o.addFault("label", "", "the label %.20q has more than 8 characters", p.Label)
	}
	p.ordinal = index
	if n, is := o.number("ordinal"); is {
		p.ordinal = int(n)
	}
	o.name("name", false) // noteIgnored: the published problem has its own name
	for _, key := range []string{"uuid", "time_limit", "memory_limit", "output_limit", "code_limit", "test_data_count",
		"package", "statement", "attachments"} {
		o.used[key] = true // noteIgnored: the published problem has its own value
	}
	return p
}

var rgbPattern = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

func (o *object) account() Account {
	a := Account{
		File: o.file, Line: o.line, ID: o.ident("id", o.file != "accounts.tsv"), Username: o.plain("username"),
		Name: o.name("name", false), Password: o.secret("password"),
		Type: o.oneOf("type", true, clics.ImportedTypes...), Team: o.ident("team_id", false),
		Person: o.ident("person_id", false), Address: o.plain("ip"),
		hasKey: o.has,
	}
	if a.Username == "" {
		a.Username = a.ID
	}
	if o.file == "accounts.tsv" {
		if a.ID = a.Username; a.Type == "team" {
			a.Team = teamOf(a.Username)
		}
	}
	switch {
	case a.Username == "":
		o.addFault("username", "", "the account has no username")
	case o.file == "accounts.tsv" && len(a.Username) > 36:
		o.addIDFault("username", a.Username)
	case !auth.ValidUsername(a.Username):
		o.addFault(
			"username", "use letters, digits, - and _, at most 40, and begin with a letter or digit",
			"%.60q is not a username", a.Username,
		)
	}
	if n := len(a.Password); n > 0 && (n < auth.MinPassword || n > auth.MaxPassword) {
		o.addFault("password", "leave it out to have one generated", "the password has %d bytes; it must have from %d to %d", n,
			auth.MinPassword, auth.MaxPassword)
	}
	if a.Address != "" {
		_, err1 := netip.ParseAddr(a.Address)
		_, err2 := netip.ParsePrefix(a.Address)
		if err1 != nil && err2 != nil {
			o.addFault("ip", "", "%.60q is not an IP address, such as 10.1.2.3, nor a network, such as 10.1.2.0/24", a.Address)
		}
	}
	return a
}

// checkReferences checks that each referenced object is in the package, if the package lists objects of that kind.
func (r *reader) checkReferences(p *Package) {
	known := func(n int, id func(int) string) map[string]bool {
		present := map[string]bool{}
		for i := range n {
			present[id(i)] = true
		}
		return present
	}
	in := map[objectKind]map[string]bool{}
	if p.Groups != nil {
		in[groups] = known(len(p.Groups), func(i int) string { return p.Groups[i].Object.ID })
	}
	if p.Organizations != nil && !p.derived {
		in[organizations] = known(len(p.Organizations), func(i int) string { return p.Organizations[i].Object.ID })
	}
	if p.Teams != nil {
		in[teams] = known(len(p.Teams), func(i int) string { return p.Teams[i].Object.ExtID })
	}
	if p.Persons != nil {
		in[persons] = known(len(p.Persons), func(i int) string { return p.Persons[i].Object.ID })
	}
	check := func(file string, line int, what objectKind, id string) {
		if present := in[what]; present != nil && id != "" && !present[id] {
			r.addFault(file, line, suggest.Hint(id, slices.Sorted(maps.Keys(present))), "the package has no %s %q", what, id)
		}
	}
	for _, t := range p.Teams {
		check(t.File, t.Line, organizations, t.Object.Organization)
		for _, g := range t.Object.GroupIDs {
			check(t.File, t.Line, groups, g)
		}
	}
	for _, one := range p.Persons {
		for _, t := range one.Object.Teams {
			check(one.File, one.Line, teams, t)
		}
	}
	usernames, labels, names := map[string]int{}, map[string]int{}, map[string]int{}
	twice := func(seen map[string]int, file string, line int, what, text string) {
		if seen[text] > 0 {
			r.addFault(file, line, "", "the %s %q is on line %d, too", what, text, seen[text])
		}
		seen[text] = line
	}
	for _, a := range p.Accounts {
		check(a.File, a.Line, teams, a.Team)
		check(a.File, a.Line, persons, a.Person)
		twice(usernames, a.File, a.Line, "username", a.Username)
	}
	for _, one := range p.Problems {
		twice(labels, one.File, one.Line, "label", one.Label)
	}
	for _, g := range p.Groups {
		twice(names, g.File, g.Line, "name", g.Object.Name)
		if strings.Contains(g.Object.Name, ",") {
			r.addFault(g.File, g.Line, "write it without the comma", "the name of a group has a comma: %q", g.Object.Name)
		}
	}
	if c := p.Contest; c != nil && c.MainGroup != nil {
		check(c.File, c.Line, groups, *c.MainGroup)
	}
}

// An object is an item and its kind. Its methods read the values of keys.
type object struct {
	*item
	r    *reader
	kind objectKind
	used map[string]bool
}

// addFault adds a fault at the line of a key.
func (o *object) addFault(key, hint, format string, args ...any) {
	line := o.lines[key]
	if line == 0 {
		line = o.line
	}
	o.r.addFault(o.file, line, hint, format, args...)
}

func (o *object) checkUnique(seen map[string]int, key, text string) {
	if text != "" && seen[text] > 0 {
		o.addFault(key, "", "the %s %s is on line %d, too", o.kind, text, seen[text])
	}
	seen[text] = o.line
}

// ignoredKeys lists keys of the Contest API that are not imported. They are not reported as misspelled.
var ignoredKeys = []string{
	"location", "banner", "logo", "countdown_pause_time", "scoreboard_thaw_time", "photo", "video", "backup", "key_log",
	"tool_data", "desktop", "webcam", "audio",
	"country_flag", "country_subdivision_flag", "twitter_account", "twitter_hashtag",
}

// noteIgnored adds notes about unused keys.
func (o *object) noteIgnored() {
	for _, key := range o.keys {
		if o.used[key] {
			continue
		}
		note := fmt.Sprintf("%s: the key %q is not imported", o.file, key)
		if _, pictures := media.FindProperty(o.kind.endpoint(), key); pictures {
			note += ": files with names such as " + key + ".png are"
		}
		if hint := suggest.Hint(key, slices.Sorted(maps.Keys(o.used))); strings.HasPrefix(hint,
			"did you mean") && !slices.Contains(ignoredKeys, key) {
			note += "; " + hint
		}
		if !slices.Contains(o.r.notes, note) {
			o.r.notes = append(o.r.notes, note)
		}
	}
}

// text returns the original text of a value. It may be empty.
func (o *item) text(key string) string {
	v := o.values[key]
	if v.node != nil && v.node.Kind == strict.Scalar {
		return v.node.Text
	}
	return v.text
}

// scalar reads a value that is neither a list nor an object.
func (o *object) scalar(key string) string {
	o.used[key] = true
	if n := o.values[key].node; n.IsSet() && n.Kind != strict.Scalar {
		o.addFault(key, "", "%s is %s; it must be a text", key, n.Kind)
	}
	return strings.TrimSpace(o.text(key))
}

// plain reads a single line of text without control characters.
func (o *object) plain(key string) string {
	text := o.scalar(key)
	if !auth.IsPrintable(text) || len(text) > 200 {
		o.addFault(key, "", "%s is not a line of at most 200 characters: %.40q", key, text)
	}
	return text
}

// secret reads a text that may have leading and trailing blanks.
func (o *object) secret(key string) string {
	o.scalar(key)
	text := o.text(key)
	if !auth.IsPrintable(text) {
		o.addFault(key, "", "the %s has a character that cannot be typed", key)
	}
	return text
}

// name reads a name.
func (o *object) name(key string, required bool) string {
	text := o.scalar(key)
	if problem := auth.CheckName(text); problem != "" && (required || text != "") {
		if text == "" {
			problem = fmt.Sprintf("the %s has no %s", o.kind, key)
		}
		o.addFault(key, "", "%s", problem)
	}
	return text
}

// ident reads an id.
func (o *object) ident(key string, required bool) string {
	text := o.scalar(key)
	switch {
	case text == "" && required:
		o.addFault(key, "", "the %s has no %s", o.kind, key)
	case text != "" && !validID(text):
		o.addIDFault(key, text)
	}
	return text
}

func validID(text string) bool { return idPattern.MatchString(text) && !strings.HasSuffix(text, ".") }

func (o *object) addIDFault(key, text string) {
	const hint = "use letters, digits, _, - and ., at most 36; do not begin with - or ., nor end with ."
	o.addFault(key, hint, "%.60q is not an id", text)
}

// idents reads a list of ids.
func (o *object) idents(key string) (ids []string) {
	o.used[key] = true
	v := o.values[key]
	var list []string
	if v.node != nil {
		for _, n := range v.node.Items() {
			if n.Kind != strict.Scalar {
				o.addFault(key, "", "%s must be a list of ids", key)
				return nil
			}
			list = append(list, n.Text)
		}
	} else { // a cell of a TSV file
		list = strings.Split(v.text, ",")
	}
	for _, text := range list {
		if text = strings.TrimSpace(text); text == "" || slices.Contains(ids, text) {
			continue
		}
		if !validID(text) {
			o.addIDFault(key, text)
		}
		ids = append(ids, text)
	}
	return ids
}

// oneOf reads a value that must be one of words.
func (o *object) oneOf(key string, required bool, words ...string) string {
	text := o.scalar(key)
	if text == "" && !required || slices.Contains(words, text) {
		return text
	}
	hint := ""
	if near, found := suggest.Closest(text, words); found {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	o.addFault(key, hint, "%s is %.40q; it must be one of %s", key, text, strings.Join(words, ", "))
	return text
}

// matching reads a text that must match a pattern. The argument want describes the pattern in error messages.
func (o *object) matching(key string, form *regexp.Regexp, want string) string {
	text := o.plain(key)
	if text != "" && !form.MatchString(text) {
		o.addFault(key, "", "%s is %.60q; it must be %s", key, text, want)
	}
	return text
}

// flag reads a boolean.
func (o *object) flag(key string) bool {
	o.used[key] = true
	n := o.values[key].node
	if !n.IsSet() {
		return false
	}
	is, ok := n.Bool()
	if !ok {
		o.addFault(key, "", "%s is neither true nor false", key)
	}
	return is
}

// number reads a number. The second result is false if the file does not contain the key.
func (o *object) number(key string) (x float64, valid bool) {
	o.used[key] = true
	n := o.values[key].node
	if !n.IsSet() {
		return 0, false
	}
	x, ok := n.Float()
	if !ok || x != x || x > 1e9 || x < -1e9 {
		o.addFault(key, "", "%s is not a number", key)
		return 0, false
	}
	return x, true
}

// location reads an object of numbers, and returns it as JSON. It returns an empty string if there is none.
func (o *object) location(keys ...string) string {
	o.used["location"] = true
	n := o.values["location"].node
	if !n.IsSet() {
		return ""
	}
	at := map[string]float64{}
	for _, key := range keys {
		x, ok := n.Get(key).Float()
		if !ok || x != x || x > 1e6 || x < -1e6 {
			o.addFault("location", "", "location must have the numbers %s", strings.Join(keys, ", "))
			return ""
		}
		at[key] = x
	}
	data, err := json.Marshal(at)
	if err != nil {
		o.addFault("location", "", "location: %v", err)
	}
	return string(data)
}
