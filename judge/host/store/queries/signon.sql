-- name: InsertSignOn :exec
INSERT INTO sign_on (hash, issuer, subject, name, username, role, next, expires)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- PendingSignOn is a login that has no account yet.
-- name: PendingSignOn :one
SELECT * FROM sign_on WHERE hash = $1 AND subject <> '' AND expires > sqlc.arg(now);

-- UseSignOn forgets who the person is, for only one account can be made of a login.
-- name: UseSignOn :execrows
UPDATE sign_on SET issuer = '', subject = '', name = '', username = '', role = '', next = ''
WHERE hash = $1 AND subject <> '' AND expires > sqlc.arg(now);

-- DeleteSignOns drops those that ended.
-- name: DeleteSignOns :exec
DELETE FROM sign_on WHERE expires <= $1;

-- name: InsertIdentity :exec
INSERT INTO identity (issuer, subject, account, made) VALUES ($1, $2, $3, $4);

-- name: AccountByIdentity :one
SELECT account_role.* FROM identity
JOIN account_role ON account_role.id = identity.account
WHERE identity.issuer = $1 AND identity.subject = $2;

-- name: IdentitiesOf :many
SELECT * FROM identity WHERE account = $1 ORDER BY made, issuer, subject;

-- name: AccountsWithIdentity :many
SELECT DISTINCT account FROM identity ORDER BY account;

-- DeleteIdentities takes from an account those of all providers.
-- name: DeleteIdentities :execrows
DELETE FROM identity WHERE account = $1;

-- HighRoles counts the roles of an account above that of a contestant, on the server and in contests.
-- name: HighRoles :one
SELECT COUNT(*) FROM grant_role WHERE account = $1 AND role <> 'contestant';
