-- name: InsertAccount :exec
INSERT INTO account (id, login, display, kind, created) VALUES ($1, $2, $3, $4, $5);

-- name: InsertRole :exec
INSERT INTO grant_role (account, scope, role) VALUES ($1, $2, $3);

-- name: GetAccount :one
SELECT * FROM member WHERE id = $1;

-- name: AccountByLogin :one
SELECT * FROM member WHERE login = $1;

-- name: ListAccounts :many
SELECT * FROM member ORDER BY id;

-- name: InsertToken :exec
INSERT INTO token (id, account, hash, label, scopes, created, last_day, expires)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7);

-- name: TokenByHash :one
SELECT sqlc.embed(token), sqlc.embed(member) FROM token
JOIN member ON member.id = token.account
WHERE token.hash = $1;

-- name: UsedToken :exec
UPDATE token SET last_day = $2 WHERE id = $1;

-- name: RevokeToken :execrows
UPDATE token SET revoked = $2 WHERE id = $1 AND revoked IS NULL;

-- name: TokensOf :many
SELECT * FROM token WHERE account = $1 ORDER BY id;
