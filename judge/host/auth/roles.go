package auth

import "slices"

// A Role is the role of an account, on the whole server or in one contest.
type Role string

// The roles. Each has more rights than the one before it.
const (
	Anonymous     Role = "anonymous"     // not logged in
	Contestant    Role = "contestant"    // every account
	BalloonRunner Role = "runner"        // hands out balloons and prints
	Judge         Role = "judge"         // sees all submissions
	ContestAdmin  Role = "contest-admin" // changes contests
	Admin         Role = "admin"         // of the whole server
)

// Roles lists all roles, in the order of their rights.
var Roles = []Role{Anonymous, Contestant, BalloonRunner, Judge, ContestAdmin, Admin}

// IsRole reports whether word is a role that an account can have.
func IsRole(name string) bool { return name != string(Anonymous) && slices.Contains(Roles, Role(name)) }

// Higher returns the role with more rights. An unknown role has no rights.
func Higher(a, b Role) Role {
	if slices.Index(Roles, a) < slices.Index(Roles, b) {
		return b
	}
	return a
}

// Registration controls who may create an account. If empty, accounts are created only by invitation.
type Registration string

// The values of Registration.
const (
	Closed  Registration = "closed" // no one
	Invited Registration = "invite" // people with an invitation
	ByOIDC  Registration = "oidc"   // as with Invited, and accounts that the single sign-on provider knows
	Open    Registration = "open"   // everyone
)

// An Action is something that a caller wants to do.
type Action string

// The actions. Whether an action in a contest is allowed depends on the State.
const (
	UseSite          Action = "enter"     // the home page, logging in, and everything without restrictions
	ManageOwnAccount Action = "myself"    // the caller's own account
	ManageAccounts   Action = "accounts"  // see and change all accounts
	SeeWorkers       Action = "machines"  // see workers and the queue
	ManageContent    Action = "make"      // create a contest, upload problems
	SeeAudit         Action = "see audit" // actions of all accounts

	// AllProblems is the action of seeing and using the problems of all owners.
	AllProblems Action = "all problems"

	SeeContest           Action = "see contest"
	SeeProblems          Action = "see problems"
	SeeScoreboard        Action = "see board" // as the public does; with SeeAll also as the jury
	Submit               Action = "submit"
	SeeJudgement         Action = "see judging"        // of one submission, including its source code
	SeeAll               Action = "see all"            // everything in a contest, including secret data
	SeeSite              Action = "see site"           // submissions of the teams that the caller judges, with secret data
	SeeSecret            Action = "see secret"         // secret data and other jury information about one submission
	ChangeContest        Action = "change"             // a contest, its problems and people
	OverrideVerdict      Action = "decide"             // override a verdict
	Deliver              Action = "deliver"            // balloons and prints
	Finalize             Action = "conclude"           // freeze and unfreeze the scoreboard, finalize the results
	SeeClarifications    Action = "see clarifications" // the caller's own and announcements; for the jury, all of its teams
	RequestClarification Action = "ask"
	AnswerClarification  Action = "answer" // also announce; only to the teams that the caller judges
	Print                Action = "print"  // files of the caller's team

	SeeLadder         Action = "see ladder"
	EnterBot          Action = "enter bot"
	SeeBot            Action = "see bot"    // see its source code and failures; also change it
	SeeHole           Action = "see hole"   // with its rankings
	SubmitGolf        Action = "golf"       // submit to a hole
	SeeGolfSubmission Action = "see answer" // a golf submission, with its text
)

// A Phase is the phase of a contest for the caller.
type Phase string

// The phases of a contest.
const (
	Before  Phase = "before"
	Running Phase = "running"
	Over    Phase = "over"
)

// A State lists the facts that a permission depends on in addition to the role.
type State struct {
	Visible        bool  // the caller may see the contest
	Phase          Phase // of the contest
	Practice       bool  // the contest accepts submissions after its end
	Own            bool  // the object is the caller's own
	Open           bool  // everyone who sees its contest, hole or ladder may see the object
	SiteRestricted bool  // the role is restricted to the teams at certain sites of the contest
	AtSite         bool  // the object belongs to one of these teams
}

// A condition says in which states a role may do something.
type condition string

// The conditions.
const (
	never     condition = ""
	always    condition = "always"
	visible   condition = "shown"   // if the contest is visible
	started   condition = "started" // and has begun
	running   condition = "running" // and accepts submissions
	own       condition = "own"     // and the object is the caller's own
	ownOrOpen condition = "read"    // and the object is the caller's own, or open

	unrestricted condition = "anywhere" // if the role is not restricted to sites
	atSite       condition = "here"     // or the object belongs to one of the role's sites
	atSiteOrOwn  condition = "here or own"
)

// holds reports whether a condition is true.
func (c condition) holds(s State) bool {
	switch c {
	case always:
		return true
	case visible:
		return s.Visible
	case started:
		return s.Visible && s.Phase != Before
	case running:
		return s.Visible && (s.Phase == Running || s.Phase == Over && s.Practice)
	case own:
		return s.Visible && s.Own
	case ownOrOpen:
		return s.Visible && (s.Own || s.Open)
	case unrestricted:
		return !s.SiteRestricted
	case atSite:
		return !s.SiteRestricted || s.AtSite
	case atSiteOrOwn:
		return !s.SiteRestricted || s.AtSite || s.Own
	}
	return false
}

// permissions defines when each role may do each action. It has a row per action and a column per role, in the order of
// Roles.
var permissions = map[Action][6]condition{
	//           anonymous contestant runner  judge   contest admin, admin
	UseSite:              {always, always, always, always, always, always},
	ManageOwnAccount:     {never, always, always, always, always, always},
	ManageAccounts:       {never, never, never, never, never, always},
	SeeWorkers:           {never, never, never, always, always, always},
	SeeAudit:             {never, never, never, never, never, always},
	AllProblems:          {never, never, never, never, always, always},
	ManageContent:        {never, never, never, never, always, always},
	SeeContest:           {visible, visible, always, always, always, always},
	SeeProblems:          {started, started, started, always, always, always},
	SeeScoreboard:        {started, started, started, always, always, always},
	Submit:               {never, running, never, always, always, always},
	SeeJudgement:         {never, own, own, atSiteOrOwn, always, always},
	SeeAll:               {never, never, never, unrestricted, always, always},
	SeeSite:              {never, never, never, always, always, always},
	SeeSecret:            {never, never, never, atSite, always, always},
	ChangeContest:        {never, never, never, never, always, always},
	OverrideVerdict:      {never, never, never, atSite, always, always},
	Deliver:              {never, never, always, always, always, always},
	Finalize:             {never, never, never, never, always, always},
	SeeClarifications:    {never, visible, always, always, always, always},
	RequestClarification: {never, running, never, always, always, always},
	AnswerClarification:  {never, never, never, always, always, always},
	Print:                {never, running, never, always, always, always},
	SeeLadder:            {visible, visible, visible, always, always, always},
	EnterBot:             {never, running, running, always, always, always},
	SeeBot:               {never, own, own, always, always, always},
	SeeHole:              {visible, visible, visible, always, always, always},
	SubmitGolf:           {never, running, running, running, running, running},
	SeeGolfSubmission:    {ownOrOpen, ownOrOpen, ownOrOpen, always, always, always},
}

// Can reports whether role r may do action a in state s. All permission checks use this function.
func Can(r Role, a Action, s State) bool {
	column := slices.Index(Roles, r)
	return column >= 0 && permissions[a][column].holds(s)
}
