package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/flow"
	"assay/judge/host/store"
)

// mostAsked is how many bytes what is planned of a flow may have.
const mostAsked = 1 << 20

func askedKinds() (kinds []string) {
	for _, k := range flow.Asked() {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// Ask begins a flow for an account; the same id again is the same flow. Many is for those who
// may have more of them than others, as staff may. What is not taken is a *Refusal.
func (d *Desk) Ask(ctx context.Context, a *store.Account, id string, s *flow.Spec, many bool) (*store.Flow, error) {
	if err := s.Check(); err != nil {
		return nil, refused("%s", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(data) > mostAsked {
		return nil, &Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("its files and options have %d bytes; the most is %d", len(data), mostAsked)}
	}
	// A command of judge has one workflow at a time: judge arena two, one after the other.
	open, rate := RemoteRuns, RemoteRunRate
	if many || Role(a) != auth.Contestant {
		open, rate = ManyRemoteRuns, ManyRemoteRunRate
	}
	f, err := d.Store.AskFlow(ctx, id, string(s.Kind), data, a.ID, store.FlowBounds{Kinds: askedKinds(), Open: int(open.Most), PerMinute: rate.Most})
	switch {
	case errors.Is(err, store.ErrManyOpen):
		return nil, open.Reached()
	case errors.Is(err, store.ErrTooFast):
		return nil, rate.Reached()
	case err != nil:
		return nil, err
	}
	d.Dispatch.Plan(id)
	return f, nil
}

// EndFlows ends all flows that an account asked for, and says how many.
func (d *Desk) EndFlows(ctx context.Context, a *store.Account, reason string) (n int, err error) {
	ids, err := d.Store.OpenFlows(ctx, a.ID, askedKinds())
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := d.Dispatch.EndFlow(ctx, id, store.FlowCancelled, reason); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ShutOut disables an account and ends its workflows, and its submissions in practice that no worker has.
// Its submissions to contests count, and are judged.
func (d *Desk) ShutOut(ctx context.Context, a *store.Account) error {
	if err := d.Store.Disable(ctx, a.ID, true); err != nil { // it asks for nothing from here on
		return err
	}
	if _, err := d.EndFlows(ctx, a, "the account was disabled"); err != nil {
		return err
	}
	jobs, err := d.Store.OpenJobs(ctx, a.ID, "", store.Practice)
	if err != nil {
		return err
	}
	for _, id := range jobs {
		if _, err := d.Dispatch.CancelUntouched(ctx, id); err != nil && !errors.Is(err, store.ErrGiven) {
			return err
		}
	}
	return nil
}

// hostPath matches where an absolute path begins.
var hostPath = regexp.MustCompile(`(?:^|[\s"'(=:])/[^\s/]`)

// ShownReason returns a reason for accounts that are not administrators. If the machine failed and
// the reason names a path of a server or a worker, it is withheld from them.
func ShownReason(reason string, whose judge.Blame) string {
	if whose == judge.Setter || whose == judge.Asker || !hostPath.MatchString(reason) {
		return reason
	}
	return "the worker could not do this\n    ask an administrator: judged's log has the reason"
}

// FlowReason returns why a flow failed, for accounts that are not administrators.
func (d *Desk) FlowReason(ctx context.Context, f *store.Flow) (string, error) {
	if f.Reason == "" {
		return "", nil
	}
	parts, err := d.Store.Parts(ctx, f.ID)
	if err != nil {
		return "", err
	}
	whose := judge.Machine
	for _, p := range parts { // a flow fails by the reason of a part
		if r := p.Result; r.Reason != "" && strings.HasSuffix(f.Reason, r.Reason) {
			whose = r.Blame
		}
	}
	return ShownReason(f.Reason, whose), nil
}
