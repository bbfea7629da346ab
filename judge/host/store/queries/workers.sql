-- name: InsertInvite :exec
INSERT INTO invite (hash, makes, name, class, guest, uses_left, made, made_by, expires) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8);

-- name: GetInvite :one
SELECT * FROM invite WHERE hash = $1;

-- name: UseInvite :execrows
UPDATE invite SET uses_left = uses_left - 1 WHERE hash = $1 AND makes = $2 AND uses_left > 0 AND expires > sqlc.arg(now);

-- name: DeleteInvites :exec
DELETE FROM invite WHERE expires < $1;

-- name: InsertWorker :exec
INSERT INTO worker (id, name, nkey, class, guest, state, offer, enrolled, enrolled_by, note) VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8, '');

-- name: WorkerByKey :one
SELECT * FROM worker WHERE nkey = $1;

-- name: WorkerByName :one
SELECT * FROM worker WHERE name = $1;

-- name: ListWorkers :many
SELECT * FROM worker ORDER BY id;

-- name: GuestsOf :many
SELECT name FROM worker WHERE guest AND class = $1 ORDER BY name;

-- name: SetWorkerState :execrows
UPDATE worker SET state = $2, note = $3 WHERE id = $1 AND state <> 'revoked';

-- name: SetWorkerOffer :execrows
UPDATE worker SET offer = $2 WHERE id = $1;

-- name: GetClass :one
SELECT * FROM class WHERE name = $1;

-- name: ListClasses :many
SELECT * FROM class ORDER BY filled, name;

-- name: InsertClass :exec
INSERT INTO class (name, arch, rung, languages, filled) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name) DO NOTHING;

-- name: SetClassSpeed :exec
UPDATE class SET speed = $2 WHERE name = $1 AND speed = '';

-- name: DeleteClass :execrows
DELETE FROM class WHERE name = $1;
