-- PutProblem makes the problem, or gives it a title and an active bundle.
-- name: PutProblem :one
INSERT INTO problem (id, slug, title, owner, bundle, config, made) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (slug) DO UPDATE SET title = excluded.title, bundle = excluded.bundle, config = excluded.config
RETURNING *;

-- name: InsertBundle :exec
INSERT INTO bundle (problem, id, manifest, made, made_by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (problem, id) DO NOTHING;

-- name: ProblemBySlug :one
SELECT * FROM problem WHERE slug = $1;

-- name: ListProblems :many
SELECT * FROM problem ORDER BY id;

-- name: GetBundle :one
SELECT bundle.*, problem.slug FROM bundle
JOIN problem ON problem.id = bundle.problem
WHERE bundle.id = $1
ORDER BY bundle.made LIMIT 1;

-- name: LastCosts :many
SELECT judgement.cpu FROM submission
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.problem = $1 AND judgement.cpu > 0
ORDER BY submission.number DESC LIMIT $2;
