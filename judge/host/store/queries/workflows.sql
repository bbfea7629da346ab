-- name: InsertWorkflow :execrows
INSERT INTO flow (id, kind, spec, state, reason, owner, made) VALUES ($1, $2, $3, 'running', '', $4, $5)
ON CONFLICT (id) DO NOTHING;

-- name: GetWorkflow :one
SELECT * FROM flow WHERE id = $1;

-- name: OpenWorkflows :many
SELECT * FROM flow WHERE done_at IS NULL ORDER BY made, id;

-- name: OpenWorkflowsOf :many
SELECT id, kind FROM flow WHERE done_at IS NULL AND owner = $1 ORDER BY made, id;

-- name: CountWorkflows :one
SELECT COUNT(*) FROM flow WHERE kind = $1 AND owner = $2 AND made > sqlc.arg(after) AND made <= sqlc.arg(until);

-- name: WorkflowsOfKind :many
SELECT * FROM flow WHERE kind = $1 ORDER BY made DESC, id LIMIT $2;

-- HoldWorkflow locks a running workflow until the transaction ends.
-- name: HoldWorkflow :execrows
UPDATE flow SET state = state WHERE id = $1 AND done_at IS NULL;

-- name: EndWorkflow :execrows
UPDATE flow SET state = $2, reason = $3, done_at = $4 WHERE id = $1 AND done_at IS NULL;

-- name: JobsOfWorkflow :many
SELECT id FROM job WHERE flow = $1;

-- name: CancelJobsOfWorkflow :many
UPDATE job SET state = 'cancelled', done_at = $2 WHERE flow = $1 AND done_at IS NULL RETURNING id;

-- name: InsertPart :execrows
INSERT INTO part (flow, part_key, job, result, events, at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (flow, part_key) DO NOTHING;

-- name: GetPart :one
SELECT * FROM part WHERE flow = $1 AND part_key = $2;

-- name: PartsOf :many
SELECT * FROM part WHERE flow = $1 ORDER BY at, part_key;

-- Workflows that ended before a time are deleted in this order.
-- name: DeleteOldParts :exec
DELETE FROM part WHERE flow IN (SELECT flow.id FROM flow WHERE flow.done_at < sqlc.arg(before));

-- name: DeleteOldJobsOfWorkflows :exec
DELETE FROM job WHERE flow IN (SELECT flow.id FROM flow WHERE flow.done_at < sqlc.arg(before));

-- name: DeleteOldWorkflows :exec
DELETE FROM flow WHERE done_at < sqlc.arg(before);
