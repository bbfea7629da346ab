package clics

import "slices"

// An audience is a set of roles that see a property.
type audience string

// The audiences.
const (
	everyone audience = ""
	teamCode audience = "code"     // roles that read the programs of all teams
	insiders audience = "insider"  // roles that always see all objects
	personal audience = "personal" // roles with an account
	admins   audience = "admin"    // accounts of the type admin
)

func (a audience) includes(r Role) bool {
	switch a {
	case teamCode:
		return r == Analyst || r.SeesAll()
	case insiders:
		return r.SeesAll()
	case personal:
		return r != Public
	case admins:
		return r.AccountType() == string(Admin)
	}
	return true
}

// A property is a property of the objects of a type.
type property struct {
	name     string
	only     Version // the only version with the property; if empty, both have it
	audience audience
	own      bool    // a team also sees it on its own objects
	always   bool    // without a value, it is written as null instead of being omitted
	given    bool    // like always, but only if the object has the key
	extra    bool    // an extension of the API; strict clients do not get it
	until    Version // the newest version that has it; in a newer one it is an extension. If empty, all versions have it
	nested   Type    // type of the objects within the property; may be empty
}

func (p *property) inVersion(v Version) bool { return p.only == "" || p.only == v }

// visible reports whether a role sees a property in a version. If own is set, the object belongs to the client's own team.
func (p *property) visible(r Role, v Version, own bool) bool {
	return p.inVersion(v) && (p.audience.includes(r) || own && r == Team && p.own)
}

// isExtension reports whether a property is an extension of a version.
func (p *property) isExtension(v Version) bool { return p.extra || p.until != "" && p.until != v }

// plain returns properties that all roles see in both versions.
func plain(names ...string) (all []property) {
	for _, name := range names {
		all = append(all, property{name: name})
	}
	return all
}

func join(parts ...[]property) []property { return slices.Concat(parts...) }

func only(v Version, names ...string) (all []property) {
	for _, name := range names {
		all = append(all, property{name: name, only: v})
	}
	return all
}

func of(readers audience, names ...string) (all []property) {
	for _, name := range names {
		all = append(all, property{name: name, audience: readers})
	}
	return all
}

func files(names ...string) (all []property) {
	for _, name := range names {
		all = append(all, property{name: name, nested: file})
	}
	return all
}

// extraFiles returns file properties that are extensions of the API.
func extraFiles(names ...string) (all []property) {
	for _, name := range names {
		all = append(all, property{name: name, nested: file, extra: true})
	}
	return all
}

// propertyTable lists the properties of each type, in the order of encoding.
var propertyTable = map[Type][]property{
	Contest: join(plain("id"), []property{{name: "shortname", extra: true}}, plain("name", "formal_name"),
		[]property{{name: "start_time", always: true}},
		plain("countdown_pause_time", "duration", "scoreboard_freeze_duration", "scoreboard_thaw_time", "scoreboard_type"),
		only(V2026, "main_scoreboard_group_id"), plain("penalty_time"), files("banner", "logo"), extraFiles("problemset")),
	State: {
		{name: "started", always: true}, {name: "frozen", given: true}, {name: "ended", always: true}, {name: "thawed",
			given: true}, {name: "finalized", always: true},
		{name: "end_of_updates", always: true},
	},
	JudgementTypes: join(plain("id", "name", "penalty", "solved"), only(V2026, "simplified_judgement_type_id")),
	Languages:      plain("id", "name", "entry_point_required", "entry_point_name", "extensions"),
	Problems: join(plain("id", "label", "name", "ordinal", "rgb", "color", "time_limit"), only(V2026, "memory_limit",
		"output_limit", "code_limit"),
		plain("test_data_count", "max_score"), files("statement"), []property{{name: "attachments", only: V2026, nested: file}}),
	Groups: join(plain("id", "icpc_id", "name", "type", "location"), extraFiles("logo")),
	Organizations: join(plain("id", "icpc_id", "name", "formal_name", "country"), files("country_flag"), only(V2026, "country_subdivision"),
		[]property{{name: "country_subdivision_flag", only: V2026, nested: file}}, plain("url", "location"), files("logo")),
	Teams: join(plain("id", "icpc_id", "name", "label", "display_name", "organization_id", "group_ids"),
		// A server that follows the contest in version 2026-01 needs the property "hidden". Otherwise, it would
		// rank hidden teams.
		[]property{{name: "hidden", until: V2023, audience: insiders}},
		plain("location"), files("photo")),
	Persons: join(of(insiders, "id", "icpc_id", "name", "title", "email", "sex", "role", "team_ids"),
		[]property{{name: "photo", audience: insiders, nested: file}}),
	// Passwords are never sent.
	Accounts: join(of(personal, "id", "username", "name", "type"), of(admins, "ip"), of(personal, "team_id", "person_id")),
	Submissions: join(plain("id", "language_id", "problem_id", "team_id"), []property{{name: "account_id", only: V2026,
		audience: insiders}}, plain("time", "contest_time"),
		[]property{{name: "entry_point", audience: teamCode, own: true}, {name: "files", audience: teamCode, own: true, nested: file}}),
	Judgements: join(plain("id", "submission_id", "judgement_type_id"), only(V2026, "simplified_judgement_type_id"),
		plain("score"), only(V2026, "current"),
		plain("start_time", "start_contest_time", "end_time", "end_contest_time", "max_run_time")),
	Runs: plain("id", "judgement_id", "ordinal", "judgement_type_id", "time", "contest_time", "run_time"),
	Clarifications: join(plain("id", "from_team_id"), only(V2026, "to_team_ids", "to_group_ids"), only(V2023, "to_team_id"),
		plain("reply_to_id", "problem_id", "text", "time", "contest_time")),
	Awards:     join(plain("id", "citation"), []property{{name: "team_ids", always: true}}),
	Scoreboard: join(plain("time", "contest_time"), []property{{name: "state", nested: State}, {name: "rows", nested: row}}),
	row:        join(plain("rank", "team_id"), []property{{name: "score", nested: score}, {name: "problems", nested: cell}}),
	score:      plain("num_solved", "total_time", "score", "time"),
	cell:       plain("problem_id", "num_judged", "num_pending", "solved", "score", "time"),
	file:       join(plain("href", "filename", "hash", "mime", "width", "height"), only(V2026, "tag")),
}
