-- name: InsertHole :exec
INSERT INTO hole (id, slug, name, problem, visibility, shown, closed, closes, revision, last_number, last_time, made)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, 0, 0, $9);

-- name: UpdateHole :execrows
UPDATE hole SET name = $3, visibility = $4, shown = $5, closed = $6, closes = $7, revision = revision + 1
WHERE id = $1 AND revision = $2;

-- name: HoleBySlug :one
SELECT * FROM hole_line WHERE slug = $1;

-- name: ListHoles :many
SELECT * FROM hole_line ORDER BY id;

-- StepHole is NumberAnswer without a number.
-- name: StepHole :one
UPDATE hole SET last_time = CASE WHEN last_time >= sqlc.arg(now) THEN last_time + 1 ELSE sqlc.arg(now) END
WHERE id = sqlc.arg(id)
RETURNING last_time;
