-- name: InsertLadder :exec
INSERT INTO ladder (id, slug, name, problem, bundle, config, choice, rules, wrong, seed, visibility, open, per_account, per_minute, owner, made, bots, encounters, last_seq, looks, next_look, settled)
VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', $8, $9, TRUE, $10, $11, $12, $13, 0, 0, 0, 0, 0, FALSE);

-- name: LadderBySlug :one
SELECT * FROM ladder_game WHERE slug = $1;

-- name: LadderByID :one
SELECT * FROM ladder_game WHERE id = $1;

-- name: ListLadders :many
SELECT * FROM ladder_game ORDER BY made, id;

-- SetLadderRules keeps what a worker read.
-- name: SetLadderRules :execrows
UPDATE ladder SET rules = $2, wrong = $3, last_seq = last_seq + 1 WHERE id = $1;

-- name: ChangeLadder :execrows
UPDATE ladder SET name = $2, visibility = $3, open = $4, per_account = $5, per_minute = $6, last_seq = last_seq + 1 WHERE id = $1;

-- name: SetLook :exec
UPDATE ladder SET looks = $2, next_look = $3, settled = $4, last_seq = last_seq + 1 WHERE id = $1;

-- StepLadder locks the ladder until the transaction ends.
-- name: StepLadder :one
UPDATE ladder SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq, encounters;

-- Restart is for when other bots play than before.
-- name: Restart :exec
UPDATE ladder SET looks = 0, next_look = encounters, settled = FALSE WHERE id = $1;

-- name: InsertClimb :exec
INSERT INTO climb (ladder, seq, bot, before, place, at) VALUES ($1, $2, $3, $4, $5, $6);

-- name: LastClimb :one
SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) AS last FROM climb WHERE ladder = $1;

-- name: LastClimbs :many
SELECT * FROM climb WHERE ladder = $1 ORDER BY seq DESC LIMIT $2;

-- name: NamedByLadders :many
SELECT DISTINCT config FROM ladder;
