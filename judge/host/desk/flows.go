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

// mostAsked is the maximum size of a workflow's stored specification in bytes.
const mostAsked = 1 << 20

func askedKinds() (kinds []string) {
	for _, k := range flow.Asked() {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// Ask starts a workflow for an account. If the account has already used the id, Ask returns the existing workflow.
// If many is set, the higher limits of the jury apply. Ask returns a *Refusal if the workflow is not accepted.
func (d *Desk) Ask(ctx context.Context, a *store.Account, id string, s *flow.Spec, many bool) (*store.Flow, error) {
	if err := s.Check(); err != nil {
		return nil, refused("%s", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(data) > mostAsked {
		return nil, &Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("its files and options have %d bytes; the most is %d", len(data), mostAsked),
		}
	}
	// A judge command runs one workflow at a time. "judge arena" runs two, one after the other.
	open, rate := RemoteRuns, RemoteRunRate
	if many || Role(a) != auth.Contestant {
		open, rate = ManyRemoteRuns, ManyRemoteRunRate
	}
	f, err := d.Store.AskFlow(ctx, id, string(s.Kind), data, a.ID, store.FlowBounds{
		Kinds: askedKinds(), Open: int(open.Most), PerMinute: rate.Most,
	})
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

// EndFlows cancels all workflows of an account, and returns their number.
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

// ShutOut disables an account. It cancels the account's workflows, and its practice submissions that no worker has
// received. Submissions to contests are kept and judged.
func (d *Desk) ShutOut(ctx context.Context, a *store.Account) error {
	if err := d.Store.Disable(ctx, a.ID, true); err != nil { // from here on, the account cannot start anything
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

// hostPath matches the start of an absolute path.
var hostPath = regexp.MustCompile(`(?:^|[\s"'(=:])/[^\s/]`)

// ShownReason returns the form of a reason that accounts other than administrators may see. If the machine failed
// and the reason contains a path on a server or worker, that form is a general text. Otherwise it is the reason
// itself.
func ShownReason(reason string, whose judge.Blame) string {
	if whose == judge.Setter || whose == judge.Caller || !hostPath.MatchString(reason) {
		return reason
	}
	return "the worker could not do this\n    ask an administrator: judged's log has the reason"
}

// FlowReason returns the reason why a workflow failed, in the form that accounts other than administrators may
// see.
func (d *Desk) FlowReason(ctx context.Context, f *store.Flow) (string, error) {
	if f.Reason == "" {
		return "", nil
	}
	parts, err := d.Store.Parts(ctx, f.ID)
	if err != nil {
		return "", err
	}
	whose := judge.Machine
	for _, p := range parts { // the reason of a workflow is that of its failed part
		if r := p.Result; r.Reason != "" && strings.HasSuffix(f.Reason, r.Reason) {
			whose = r.Blame
		}
	}
	return ShownReason(f.Reason, whose), nil
}
