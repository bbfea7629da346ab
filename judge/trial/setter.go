package trial

import (
	"context"
	"errors"

	"assay/judge"
)

// Static has the static validator judge the submission's files.
func (b *Batch) Static(ctx context.Context, n *judge.Node) (judge.Outcome, error) {
	return judge.Outcome{}, errors.New("no static validator was built")
}

// Grade has the node's own grader fold the results of its children.
func (b *Batch) Grade(ctx context.Context, n *judge.Node, results []judge.Result) (judge.Result, error) {
	return judge.Result{}, errors.New("no grader was built")
}
