-- name: InsertInvitation :exec
INSERT INTO invitation (id, hash, note, contest, uses, used, made, made_by, expires) VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8);

-- name: InvitationByHash :one
SELECT * FROM invitation WHERE hash = $1;

-- name: ListInvitations :many
SELECT * FROM invitation ORDER BY id DESC;

-- name: UseInvitation :execrows
UPDATE invitation SET used = used + 1 WHERE hash = $1 AND used < uses AND expires > sqlc.arg(now) AND ended IS NULL;

-- name: EndInvitation :execrows
UPDATE invitation SET ended = $2 WHERE id = $1 AND ended IS NULL;

-- name: DeleteInvitations :exec
DELETE FROM invitation WHERE expires < $1;
