package intake

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
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// maxSpec is the maximum size of a workflow's stored specification in bytes.
const maxSpec = 1 << 20

func accountKinds() (kinds []string) {
	for _, k := range workflow.AccountKinds() {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// StartWorkflow starts a workflow for an account. If the account has already used the id, StartWorkflow returns the
// existing workflow. If many is set, the higher limits of the jury apply. StartWorkflow returns a *Refusal if the
// workflow is not accepted.
func (d *Service) StartWorkflow(ctx context.Context, a *store.Account, id string, s *workflow.Spec, many bool) (*store.Workflow, error) {
	if err := s.Check(); err != nil {
		return nil, badRequest("%s", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(data) > maxSpec {
		return nil, &Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("its files and options have %d bytes; the most is %d", len(data), maxSpec),
		}
	}
	// A judge command runs one workflow at a time. "judge arena" runs two, one after the other.
	open, rate := RemoteRuns, RemoteRunRate
	if many || ServerRole(a) != auth.Contestant {
		open, rate = ManyRemoteRuns, ManyRemoteRunRate
	}
	f, err := d.Store.RequestWorkflow(ctx, id, string(s.Kind), data, a.ID, store.WorkflowLimits{
		Kinds: accountKinds(), MaxRunning: int(open.Max), PerMinute: rate.Max,
	})
	switch {
	case errors.Is(err, store.ErrTooManyPending):
		return nil, open.Refusal()
	case errors.Is(err, store.ErrRateLimit):
		return nil, rate.Refusal()
	case err != nil:
		return nil, err
	}
	d.Dispatch.PlanWorkflow(id)
	return f, nil
}

// CancelWorkflows cancels all workflows of an account, and returns their number.
func (d *Service) CancelWorkflows(ctx context.Context, a *store.Account, reason string) (n int, err error) {
	ids, err := d.Store.RunningWorkflowIDs(ctx, a.ID, accountKinds())
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := d.Dispatch.EndWorkflow(ctx, id, store.WorkflowCancelled, reason); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// DisableAccount disables an account. It cancels the account's workflows, and its practice submissions that no worker has
// received. Submissions to contests are kept and judged.
func (d *Service) DisableAccount(ctx context.Context, a *store.Account) error {
	if err := d.Store.SetDisabled(ctx, a.ID, true); err != nil { // from here on, the account cannot start anything
		return err
	}
	if _, err := d.CancelWorkflows(ctx, a, "the account was disabled"); err != nil {
		return err
	}
	jobs, err := d.Store.PendingJobs(ctx, a.ID, "", store.Practice)
	if err != nil {
		return err
	}
	for _, id := range jobs {
		if _, err := d.Dispatch.CancelIfUnassigned(ctx, id); err != nil && !errors.Is(err, store.ErrAssigned) {
			return err
		}
	}
	return nil
}

// absolutePath matches the start of an absolute path.
var absolutePath = regexp.MustCompile(`(?:^|[\s"'(=:])/[^\s/]`)

// RedactReason returns the form of a reason that accounts other than administrators may see. If the machine failed
// and the reason contains a path on a server or worker, that form is a general text. Otherwise it is the reason
// itself.
func RedactReason(reason string, blame judge.Blame) string {
	if blame == judge.Setter || blame == judge.Caller || !absolutePath.MatchString(reason) {
		return reason
	}
	return "the worker could not do this\n    ask an administrator: judged's log has the reason"
}

// WorkflowReason returns the reason why a workflow failed, in the form that accounts other than administrators may
// see.
func (d *Service) WorkflowReason(ctx context.Context, f *store.Workflow) (string, error) {
	if f.Reason == "" {
		return "", nil
	}
	parts, err := d.Store.TaskResults(ctx, f.ID)
	if err != nil {
		return "", err
	}
	blame := judge.Machine
	for _, p := range parts { // the reason of a workflow is that of its failed task
		if r := p.Result; r.Reason != "" && strings.HasSuffix(f.Reason, r.Reason) {
			blame = r.Blame
		}
	}
	return RedactReason(f.Reason, blame), nil
}
