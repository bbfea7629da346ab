package intake

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// A Limit is the maximum number of things that a holder may have at the same time, or within a period.
type Limit struct {
	Items  string // plural of the limited things
	Holder string // the holder: "account", "network", "team" or "server"
	Max    int64
	Period time.Duration // period; zero means at the same time
	Hint   string
}

const (
	noRole    = "account without a role"
	publisher = "account with a role or the right to publish"
)

// The limits. Contestants may reach the first ones, but only an attack reaches the last ones. The network of an
// IPv4 address is the address itself. The network of an IPv6 address is its first half.
var (
	PendingSubmissions = Limit{"pending submissions", noRole, 100, 0, "wait until some of them are judged"}
	// PendingOfTeam applies to accounts that submit for teams with the Contest API.
	PendingOfTeam = Limit{
		"pending submissions, if another account without a role on the server sends them", "team", 100, 0, PendingSubmissions.Hint,
	}
	// SubmissionRate applies unless the contest's settings contain another rate.
	SubmissionRate = Limit{
		"submissions to a contest, unless its settings say otherwise", "account", 10, time.Minute, "wait a minute",
	}
	GolfRate                 = Limit{"submissions to a hole", "account", 10, time.Minute, "wait a minute"}
	BotRate                  = Limit{"bots submitted to a ladder", "account", 10, time.Minute, "wait a minute"}
	MaxPendingClarifications = Limit{"unanswered clarification requests", "team", store.MaxUnanswered, 0, "wait for an answer"}

	RemoteRuns = Limit{
		"remote runs (`judge verify`, `adequacy`, `golf` and `arena` with `--on`)", "account", 10, 0,
		"wait until one of them has ended",
	}
	ManyRemoteRuns    = Limit{"remote runs", publisher, 100, 0, RemoteRuns.Hint}
	RemoteRunRate     = Limit{"remote runs that begin", "account", 60, time.Minute, "wait a minute"}
	ManyRemoteRunRate = Limit{"remote runs that begin", publisher, 600, time.Minute, "wait a minute"}

	// UnusedUploads is raised to at least four times the maximum size of a submission. It does not apply to
	// administrators.
	UnusedUploads = Limit{
		"MiB of uploads that no submission uses", "account", 64, 0,
		"submit what you have uploaded, or wait: unused uploads are removed after a while",
	}
	UnusedBundles = Limit{
		"MiB of uploads that no problem uses", "account with the right to publish", 8 << 10, 0,
		"publish what you have uploaded, or wait: unused uploads are removed after a while",
	}

	Uploads        = Limit{"uploads by the API under way, after which others wait", "account", 8, 0, ""}
	QueuedRequests = Limit{
		"requests that wait for an earlier one", "account or network", 1000, 0, "wait for your pending requests to finish",
	}
	StreamsOfAccount = Limit{"live pages and followed judgements", "account", 100, 0, "close some of them, then reload"}
	StreamsOfNetwork = Limit{"live pages of readers who are not logged in", "network", 2000, 0, StreamsOfAccount.Hint}
	StreamsOfServer  = Limit{"live pages and followed judgements", "server", 20_000, 0, StreamsOfAccount.Hint}
	FeedsOfNetwork   = Limit{"event feeds of the Contest API", "network", 64, 0, "close some of them"}
	FeedsOfServer    = Limit{"event feeds of the Contest API", "server", 500, 0, "close some of them"}
	WrongPasswords   = Limit{"wrong passwords without a delay, which then doubles from 1 s to 30 s", "username and network", 4, 0, ""}
	PasswordChecks   = Limit{"passwords that wait to be checked", "server", auth.MaxQueuedPasswords, 0, ""}
	Registrations    = Limit{"accounts that register themselves", "network", 60, time.Hour, ""}

	// ConnectionsOfNetwork does not apply to trusted proxies. An idle connection takes 60 KB of memory.
	ConnectionsOfNetwork = Limit{"connections", "network", 4000, 0, ""}
	ConnectionsOfServer  = Limit{"connections", "server", 20_000, 0, ""}
)

// Limits lists all limits in the order of the table in docs/operations.md.
var Limits = []*Limit{
	&PendingSubmissions, &PendingOfTeam, &SubmissionRate, &GolfRate, &BotRate, &MaxPendingClarifications,
	&RemoteRuns, &ManyRemoteRuns, &RemoteRunRate, &ManyRemoteRunRate, &UnusedUploads, &UnusedBundles,
	&Uploads, &QueuedRequests, &StreamsOfAccount, &StreamsOfNetwork, &StreamsOfServer, &FeedsOfNetwork, &FeedsOfServer,
	&WrongPasswords, &PasswordChecks, &Registrations, &ConnectionsOfNetwork, &ConnectionsOfServer,
}

// WithMax returns a copy of the limit with another maximum.
func (l Limit) WithMax(maximum int64) Limit {
	l.Max = maximum
	return l
}

// per returns the period of the limit as text, such as " per minute".
func (l Limit) per() string {
	switch l.Period {
	case time.Minute:
		return " per minute"
	case time.Hour:
		return " per hour"
	}
	return ""
}

// Refusal returns the Refusal for a request that exceeds the limit.
func (l Limit) Refusal() *Refusal {
	what, _, _ := strings.Cut(l.Items, ", ")
	what, _, _ = strings.Cut(what, " (")
	of := "for each " + l.Holder
	if l.Holder == "server" {
		of = "on this server"
	}
	return &Refusal{
		Code: http.StatusTooManyRequests, Text: fmt.Sprintf("limit reached: %d %s%s %s", l.Max, what, l.per(), of),
		Hint: l.Hint,
	}
}

// maxHolders is the maximum number of holders that a RateCounter remembers.
const maxHolders = 10_000

// A RateCounter counts the actions of holders within the period of a limit. The zero value is ready to use.
type RateCounter struct {
	mu      sync.Mutex
	actions map[string][]time.Time
}

// Add counts an action, unless that would exceed the limit. In that case, it returns how long the holder must
// wait.
func (c *RateCounter) Add(holder string, l Limit, now time.Time) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.actions == nil || len(c.actions) >= maxHolders {
		c.actions = map[string][]time.Time{}
	}
	recent := c.actions[holder]
	for len(recent) > 0 && now.Sub(recent[0]) >= l.Period {
		recent = recent[1:]
	}
	if int64(len(recent)) >= l.Max {
		c.actions[holder] = recent
		return l.Period - now.Sub(recent[0])
	}
	c.actions[holder] = append(recent, now)
	return 0
}

// A Counter counts open things. The zero value is ready to use.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int64
	total  int64
}

// Acquire counts one more thing of a holder. The caller must call leave once when the thing ends. If the limit of
// the holder or of all holders is reached, Enter counts nothing and returns that limit.
func (c *Counter) Acquire(holder string, perHolder, overall Limit) (release func(), reached *Limit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total >= overall.Max {
		return nil, &overall
	}
	if c.counts[holder] >= perHolder.Max {
		return nil, &perHolder
	}
	if c.counts == nil {
		c.counts = map[string]int64{}
	}
	c.counts[holder]++
	c.total++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.total--
		if c.counts[holder]--; c.counts[holder] == 0 {
			delete(c.counts, holder)
		}
	}, nil
}

// OpenStream counts an event stream of a page or of the command line until leave is called. A browser that cannot
// share streams opens one per window. OpenStream returns a *Refusal if the account has too many streams. If a is
// nil, the limit is that of the address's network.
func (d *Service) OpenStream(ctx context.Context, a *store.Account, address string) (closeStream func(), err error) {
	holder, limit := Network(address).String(), StreamsOfNetwork
	if a != nil {
		holder, limit = AccountKey(a), StreamsOfAccount
	}
	return acquire(ctx, &d.streams, holder, limit, StreamsOfServer)
}

// OpenFeed counts an event feed of the Contest API until leave is called. It returns a *Refusal if the address's
// network or the server has too many feeds.
func (d *Service) OpenFeed(ctx context.Context, address string) (closeFeed func(), err error) {
	return acquire(ctx, &d.feeds, Network(address).String(), FeedsOfNetwork, FeedsOfServer)
}

func acquire(ctx context.Context, c *Counter, holder string, perHolder, overall Limit) (func(), error) {
	release, reached := c.Acquire(holder, perHolder, overall)
	if reached != nil {
		return nil, tooManyRequests(ctx, *reached)
	}
	return release, nil
}
