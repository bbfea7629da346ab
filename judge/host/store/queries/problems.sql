-- PutProblem creates a problem, or changes its title and active bundle. It returns no row if another account
-- owns it, unless anybodys is set. If keep_practice is set, what practice shows does not change.
-- name: PutProblem :one
INSERT INTO problem (id, slug, title, owner, bundle, config, sheet, made, practice)
VALUES (sqlc.arg(id), sqlc.arg(slug), sqlc.arg(title), sqlc.arg(owner), sqlc.arg(bundle), sqlc.arg(config), sqlc.arg(sheet), sqlc.arg(made), sqlc.arg(practice))
ON CONFLICT (slug) DO UPDATE SET title = excluded.title, bundle = excluded.bundle, config = excluded.config, sheet = excluded.sheet,
    practice = CASE WHEN CAST(sqlc.arg(keep_practice) AS BOOLEAN) THEN problem.practice ELSE excluded.practice END
    WHERE problem.owner = excluded.owner OR CAST(sqlc.arg(anybodys) AS BOOLEAN)
RETURNING *;

-- name: InsertBundle :exec
INSERT INTO bundle (problem, id, manifest, config, made, made_by) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (problem, id) DO UPDATE SET config = excluded.config;

-- name: ProblemBySlug :one
SELECT * FROM problem WHERE slug = $1;

-- name: ListProblems :many
SELECT * FROM problem ORDER BY id;

-- name: LastCosts :many
SELECT judgement.cpu FROM submission
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.problem = $1 AND judgement.cpu > 0
ORDER BY submission.number DESC LIMIT $2;

-- name: ListBundles :many
SELECT bundle.id, bundle.manifest, bundle.config, bundle.made, account.login FROM bundle
JOIN account ON account.id = bundle.made_by
WHERE bundle.problem = $1
ORDER BY bundle.made DESC, bundle.id;

-- name: ProblemsWithBundle :many
SELECT * FROM problem WHERE bundle = $1;

-- name: InsertUpload :exec
INSERT INTO upload (id, account, slug, file, verify, archive, state, reason, bundle, report, made)
VALUES ($1, $2, $3, $4, $5, $6, 'waiting', '', '', '', $7);

-- name: GetUpload :one
SELECT * FROM uploaded WHERE id = $1;

-- ListUploads reads those of a problem, or all where none is named.
-- name: ListUploads :many
SELECT * FROM uploaded WHERE slug = $1 OR $1 = '' ORDER BY id DESC LIMIT $2;

-- name: NextUpload :one
SELECT * FROM uploaded WHERE ended IS NULL ORDER BY id LIMIT 1;

-- name: EndUpload :execrows
UPDATE upload SET state = $2, reason = $3, bundle = $4, report = $5, ended = $6, archive = ''
WHERE id = $1 AND ended IS NULL;
