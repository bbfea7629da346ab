package auth

import "slices"

// A Role is the role of an account, on the whole server or in one contest.
type Role string

// The roles, each with more to do than the one before it.
const (
	Anonymous    Role = "anonymous"     // not logged in
	Contestant   Role = "contestant"    // each account
	Runner       Role = "runner"        // hands out balloons and prints
	Judge        Role = "judge"         // sees all submissions
	ContestAdmin Role = "contest-admin" // changes contests
	Admin        Role = "admin"         // of the whole site
)

// Roles are all roles in their order.
var Roles = []Role{Anonymous, Contestant, Runner, Judge, ContestAdmin, Admin}

// Known says whether a word is a role that an account can be given.
func Known(word string) bool { return word != string(Anonymous) && slices.Contains(Roles, Role(word)) }

// Higher is the one of two roles that may do more. A word that is no role is none.
func Higher(a, b Role) Role {
	if slices.Index(Roles, a) < slices.Index(Roles, b) {
		return b
	}
	return a
}

// Registration says who may make an account of their own; "" is by invitation.
type Registration string

// Who may.
const (
	Closed  Registration = "closed" // no one
	Invited Registration = "invite" // people with an invitation
	ByOIDC  Registration = "oidc"   // people with an invitation or whom the provider of single sign-on knows
	Open    Registration = "open"   // everybody
)

// Action is something that is asked for.
type Action string

// The actions. Those of a contest are asked for with its State.
const (
	Enter    Action = "enter"     // the home page, logging in, what anybody may ask
	BeMyself Action = "myself"    // the caller's own account
	Accounts Action = "accounts"  // see and change all accounts
	Machines Action = "machines"  // see workers and the queue
	Make     Action = "make"      // make a contest, bring problems
	SeeAudit Action = "see audit" // what everybody did

	// AllProblems is to see and use the problems of all owners.
	AllProblems Action = "all problems"

	SeeContest  Action = "see contest"
	SeeProblems Action = "see problems"
	SeeBoard    Action = "see board" // as the public does; who sees all sees all of it
	Submit      Action = "submit"
	SeeJudging  Action = "see judging"        // of one submission, with its source
	SeeAll      Action = "see all"            // submissions of a contest, and what is secret of them
	Change      Action = "change"             // a contest, its problems and people
	Decide      Action = "decide"             // that a submission does not count, or another verdict
	Deliver     Action = "deliver"            // balloons and prints
	Conclude    Action = "conclude"           // freeze and unfreeze the scoreboard, finalize the results
	SeeClar     Action = "see clarifications" // the caller's own, and those for all; the jury sees all of them
	Ask         Action = "ask"
	Answer      Action = "answer" // and announce
	Print       Action = "print"  // files of the caller's team

	SeeLadder Action = "see ladder"
	EnterBot  Action = "enter bot"
	SeeBot    Action = "see bot"    // its source and what it did wrong; change it
	SeeHole   Action = "see hole"   // with its boards
	Golf      Action = "golf"       // hand in an answer to a hole
	SeeAnswer Action = "see answer" // to a hole, with its text
)

// Phase says where a contest is for the caller.
type Phase string

// The phases of a contest.
const (
	Before  Phase = "before"
	Running Phase = "running"
	Over    Phase = "over"
)

// A State is what counts in addition to the role.
type State struct {
	Shown    bool  // the contest shows itself to the caller
	Phase    Phase // of the contest
	Practice bool  // it takes submissions after its end
	Own      bool  // the object is the caller's own
	Open     bool  // the object is open to everyone who sees its place
}

// condition says in which states a role may do something.
type condition string

// The conditions.
const (
	never   condition = ""
	always  condition = "always"
	shown   condition = "shown"   // where the contest shows itself
	started condition = "started" // and has begun
	running condition = "running" // and takes submissions
	own     condition = "own"     // and the object is the caller's own
	read    condition = "read"    // and the object is the caller's own, or open
)

// holds says whether a condition is true.
func (c condition) holds(s State) bool {
	switch c {
	case always:
		return true
	case shown:
		return s.Shown
	case started:
		return s.Shown && s.Phase != Before
	case running:
		return s.Shown && (s.Phase == Running || s.Phase == Over && s.Practice)
	case own:
		return s.Shown && s.Own
	case read:
		return s.Shown && (s.Own || s.Open)
	}
	return false
}

// table says who may do what, and when: a row for each action, a column for each role, in the
// order of Roles.
var table = map[Action][6]condition{
	//           anonymous contestant runner  judge   contest admin, admin
	Enter:       {always, always, always, always, always, always},
	BeMyself:    {never, always, always, always, always, always},
	Accounts:    {never, never, never, never, never, always},
	Machines:    {never, never, never, always, always, always},
	SeeAudit:    {never, never, never, never, never, always},
	AllProblems: {never, never, never, never, always, always},
	Make:        {never, never, never, never, always, always},
	SeeContest:  {shown, shown, always, always, always, always},
	SeeProblems: {started, started, started, always, always, always},
	SeeBoard:    {started, started, started, always, always, always},
	Submit:      {never, running, never, always, always, always},
	SeeJudging:  {never, own, own, always, always, always},
	SeeAll:      {never, never, never, always, always, always},
	Change:      {never, never, never, never, always, always},
	Decide:      {never, never, never, always, always, always},
	Deliver:     {never, never, always, always, always, always},
	Conclude:    {never, never, never, never, always, always},
	SeeClar:     {never, shown, always, always, always, always},
	Ask:         {never, running, never, always, always, always},
	Answer:      {never, never, never, always, always, always},
	Print:       {never, running, never, always, always, always},
	SeeLadder:   {shown, shown, shown, always, always, always},
	EnterBot:    {never, running, running, always, always, always},
	SeeBot:      {never, own, own, always, always, always},
	SeeHole:     {shown, shown, shown, always, always, always},
	Golf:        {never, running, running, running, running, running},
	SeeAnswer:   {read, read, read, always, always, always},
}

// Can says whether a role may do something in a state. It is the only place that knows.
func Can(r Role, a Action, s State) bool {
	column := slices.Index(Roles, r)
	return column >= 0 && table[a][column].holds(s)
}
