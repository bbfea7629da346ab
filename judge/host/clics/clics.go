// Package clics describes the ICPC Contest API: its objects and their properties in two versions, who may see
// them, and how they are encoded as JSON. All of this comes from one table, so the access endpoint, the objects
// that a client gets and the tests agree.
//
// The package is pure: it does not access the database, and does not use HTTP.
package clics

import (
	"slices"
	"time"
)

// Version is a version of the Contest API.
type Version string

// The versions.
const (
	V2026 Version = "2026-01"
	V2023 Version = "2023-06"
)

// Versions are all versions, the newest first.
var Versions = []Version{V2026, V2023}

// A Role is the role of a client of the Contest API in a contest.
type Role string

// The roles.
const (
	Public  Role = "public"  // a client without an account
	Team    Role = "team"    // a team account
	Balloon Role = "balloon" // balloon runner
	Proxy   Role = "proxy"   // submits for teams
	Analyst Role = "analyst"
	Judge   Role = "judge"
	Staff   Role = "staff"
	CDS     Role = "cds"    // a contest data server
	Shadow  Role = "shadow" // another judging system that follows the contest
	Admin   Role = "admin"
)

// Roles are all roles.
var Roles = []Role{Public, Team, Balloon, Proxy, Analyst, Judge, Staff, CDS, Shadow, Admin}

// SeesAll reports whether a role sees all objects at any time.
func (r Role) SeesAll() bool { return slices.Contains([]Role{Judge, Staff, CDS, Shadow, Admin}, r) }

// AccountType returns the type, in the Contest API, of an account with the role. It returns "" for Public.
func (r Role) AccountType() string {
	switch r {
	case Public:
		return ""
	case Balloon, Proxy:
		return "staff"
	case CDS, Shadow:
		return "admin"
	}
	return string(r)
}

// ImportedTypes lists the account types that a contest package may contain: the types of the Contest API, and the
// names of roles that have no type of their own in the Contest API.
var ImportedTypes = []string{
	string(Team), string(Judge), string(Admin), string(Analyst), string(Staff), string(Balloon), string(Proxy), string(CDS), string(Shadow),
}

// A Type is a type of objects. It is also the name of its endpoint.
type Type string

// The types.
const (
	Contest        Type = "contest"
	State          Type = "state"
	JudgementTypes Type = "judgement-types"
	Languages      Type = "languages"
	Problems       Type = "problems"
	Groups         Type = "groups"
	Organizations  Type = "organizations"
	Teams          Type = "teams"
	Persons        Type = "persons"
	Accounts       Type = "accounts"
	Submissions    Type = "submissions"
	Judgements     Type = "judgements"
	Runs           Type = "runs"
	Clarifications Type = "clarifications"
	Awards         Type = "awards"
	Scoreboard     Type = "scoreboard"
	row            Type = "scoreboard row"
	score          Type = "scoreboard score"
	cell           Type = "scoreboard cell"
	file           Type = "file"
)

// Types lists all types that clients can request. Each type comes after the types that it refers to.
var Types = []Type{
	Contest, JudgementTypes, Languages, Groups, Organizations, Persons, Teams, Accounts, Problems, State, Submissions,
	Judgements, Runs, Clarifications, Awards, Scoreboard,
}

// Visibility contains the facts that decide, together with the role, whether a client may see an object.
type Visibility struct {
	Started bool // the contest has begun
	Own     bool // the object belongs to the client's own team, or was sent to it
	Hidden  bool // the object belongs to a hidden team
	ToAll   bool // a clarification is for all teams
	// Frozen reports whether the object is a judgement or run that the public does not see yet, because its
	// submission was received at or after the freeze.
	Frozen bool
	// FewSolved reports whether the team has solved so few problems that it still gets balloons during the freeze.
	FewSolved bool
	// NamesProblem reports whether the object names a problem.
	NamesProblem bool
}

// Visible reports whether a role may see an object of a type. To a role, an invisible object does not exist.
func Visible(r Role, t Type, f Visibility) bool {
	switch {
	case !HasEndpoint(r, t):
		return false
	case r.SeesAll():
		return true
	}
	all := r == Analyst // an analyst sees all teams, even hidden ones
	switch t {
	case Problems:
		return f.Started
	case Accounts:
		return f.Own
	case Teams, Submissions:
		return !f.Hidden || all || f.Own
	case Judgements, Runs:
		switch {
		case f.Own && r == Team:
			return true
		case f.Hidden && !all:
			return false
		case f.Frozen:
			return r == Balloon && f.FewSolved && t == Judgements
		}
		return true
	case Clarifications:
		if f.NamesProblem && !f.Started {
			return false
		}
		return f.ToAll || all || f.Own
	}
	return true
}

// HasEndpoint reports whether a role may see at least one property of the objects of a type. Otherwise, the access
// endpoint does not list the type for that role.
func HasEndpoint(r Role, t Type) bool {
	return slices.ContainsFunc(propertyTable[t], func(p property) bool { return p.audience.includes(r) })
}

// CanSee reports whether a role sees a property of the objects of a type. If own is set, the object belongs to the
// client's own team.
func CanSee(r Role, v Version, t Type, name string, own bool) bool {
	return slices.ContainsFunc(propertyTable[t], func(p property) bool { return p.name == name && p.visible(r, v, own) })
}

// Properties returns the names of the properties of the objects of a type, in both versions.
func Properties(t Type) (names []string) {
	for _, p := range propertyTable[t] {
		names = append(names, p.name)
	}
	return names
}

// Capabilities returns the capabilities of a role, as the API names them.
func Capabilities(r Role, v Version) []string {
	clar := "post_clar"
	if v == V2023 {
		clar = "team_clar"
	}
	switch r {
	case Team:
		return []string{"team_submit", clar}
	case Judge:
		if v == V2023 {
			return []string{} // this version has no capability to answer clarifications
		}
		return []string{clar}
	case Admin:
		return []string{"contest_start", "contest_thaw", "admin_submit", "admin_clar"}
	case Proxy:
		return []string{"proxy_submit", "proxy_clar"}
	}
	return []string{}
}

// An Endpoint is an endpoint with the properties that a client may see.
type Endpoint struct {
	Type       Type
	Properties []string
}

// Access returns the endpoints that a role may see, with the properties that the role may see there. If strict is
// set, Access omits this server's extensions of the API.
func Access(r Role, v Version, strict bool) (endpoints []Endpoint) {
	for _, t := range Types {
		e := Endpoint{Type: t}
		for _, p := range propertyTable[t] {
			if CanSee(r, v, t, p.name, true) && !(strict && p.isExtension(v)) {
				e.Properties = append(e.Properties, p.name)
			}
		}
		if e.Properties != nil {
			endpoints = append(endpoints, e)
		}
	}
	return endpoints
}

// Milestones are the times in the state of a contest. A zero time is not known.
type Milestones struct {
	Start, Freeze, End, Thaw, Final time.Time
}

// StateOf returns the state of a contest at the time now.
func StateOf(m Milestones, now time.Time) Object {
	// past returns the later of the times t and after. It returns nil if t has not passed, or if after is nil.
	past := func(t time.Time, after any) any {
		since, come := after.(time.Time)
		switch {
		case t.IsZero() || t.After(now) || !come:
			return nil
		case t.Before(since):
			return since
		}
		return t
	}
	started := past(m.Start, time.Time{})
	ended := past(m.End, started)
	o := Object{"started": started, "ended": ended, "finalized": past(m.Final, ended)}
	if !m.Freeze.IsZero() {
		o["frozen"], o["thawed"] = past(m.Freeze, started), past(m.Thaw, ended)
	}
	last, final := o["thawed"], o["finalized"]
	if m.Freeze.IsZero() {
		last = o["ended"]
	}
	if last != nil && final != nil {
		o["end_of_updates"] = slices.MaxFunc([]time.Time{last.(time.Time), final.(time.Time)}, time.Time.Compare)
	}
	return o
}

// A JudgementType is a verdict in the Contest API.
type JudgementType struct {
	ID, Name, Simplified string
	Penalty, Solved      bool
}

// JudgementTypesOf returns the judgement types of a contest. If compileErrors is set, a compile error adds penalty
// time.
func JudgementTypesOf(compileErrors bool) []JudgementType {
	return []JudgementType{
		{"AC", "Accepted", "AC", false, true},
		{"CE", "Compile error", "CE", compileErrors, false},
		{"ILE", "Idleness limit exceeded", "TLE", true, false},
		{"JE", "Judge error", "JE", false, false},
		{"MLE", "Memory limit exceeded", "RTE", true, false},
		{"OLE", "Output limit exceeded", "WA", true, false},
		{"RTE", "Run-time error", "RTE", true, false},
		{"TLE", "Time limit exceeded", "TLE", true, false},
		{"WA", "Wrong answer", "WA", true, false},
	}
}

// Object returns the verdict as an object of the API.
func (t JudgementType) Object() Object {
	return Object{"id": t.ID, "name": t.Name, "penalty": t.Penalty, "solved": t.Solved, "simplified_judgement_type_id": t.Simplified}
}
