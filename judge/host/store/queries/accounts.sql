-- name: InsertAccount :exec
INSERT INTO account (id, login, display, email, password, kind, session_epoch, disabled, created)
VALUES ($1, $2, $3, $4, $5, $6, 0, FALSE, $7);

-- name: InsertRole :exec
INSERT INTO grant_role (account, scope, role) VALUES ($1, $2, $3);

-- name: DeleteRoles :exec
DELETE FROM grant_role WHERE account = $1 AND scope = $2;

-- name: RoleIn :one
SELECT role FROM grant_role WHERE account = $1 AND scope = $2 ORDER BY role LIMIT 1;

-- name: GetAccount :one
SELECT * FROM account_role WHERE id = $1;

-- name: AccountByLogin :one
SELECT * FROM account_role WHERE login = $1;

-- HoldAccount locks an account until the transaction ends. It changes no row if the account is disabled.
-- name: HoldAccount :execrows
UPDATE account SET disabled = disabled WHERE id = $1 AND NOT disabled;

-- name: ListAccounts :many
SELECT * FROM account_role ORDER BY id;

-- name: CountPasswords :one
SELECT COUNT(*) FROM account WHERE password <> '';

-- SetPassword ends all sessions.
-- name: SetPassword :execrows
UPDATE account SET password = $2, session_epoch = session_epoch + 1 WHERE id = $1 AND erased IS NULL;

-- name: SetAccount :execrows
UPDATE account SET display = $2, email = $3 WHERE id = $1 AND erased IS NULL;

-- SetDisabled ends all sessions.
-- name: SetDisabled :execrows
UPDATE account SET disabled = $2, session_epoch = session_epoch + 1 WHERE id = $1 AND erased IS NULL;

-- name: RaiseEpoch :execrows
UPDATE account SET session_epoch = session_epoch + 1 WHERE id = $1 AND erased IS NULL;

-- name: InsertSession :execrows
INSERT INTO session (hash, account, epoch, created, seen, expires, agent, sure)
SELECT sqlc.arg(hash), account.id, account.session_epoch, sqlc.arg(created), sqlc.arg(created), sqlc.arg(expires), sqlc.arg(agent), sqlc.arg(sure)
FROM account WHERE account.id = sqlc.arg(account) AND account.session_epoch = sqlc.arg(epoch);

-- name: SetLastLogin :exec
UPDATE account SET last_login = $2 WHERE id = $1 AND erased IS NULL;

-- name: SessionByHash :one
SELECT sqlc.embed(session), sqlc.embed(account_role) FROM session
JOIN account_role ON account_role.id = session.account
WHERE session.hash = $1 AND session.expires > sqlc.arg(now) AND session.epoch = account_role.session_epoch
    AND NOT account_role.disabled;

-- name: SeeSession :exec
UPDATE session SET seen = $2, expires = $3 WHERE hash = $1;

-- name: SureSession :exec
UPDATE session SET sure = $2 WHERE hash = $1;

-- name: SessionsOf :many
SELECT session.* FROM session
JOIN account ON account.id = session.account
WHERE session.account = $1 AND session.expires > sqlc.arg(now) AND session.epoch = account.session_epoch
ORDER BY session.created, session.hash;

-- LastSeen tells when accounts were last seen by their open sessions.
-- name: LastSeen :many
SELECT session.account, CAST(MAX(session.seen) AS BIGINT) AS seen FROM session
JOIN account ON account.id = session.account
WHERE session.expires > $1 AND session.epoch = account.session_epoch
GROUP BY session.account;

-- name: DeleteSession :exec
DELETE FROM session WHERE hash = $1;

-- DeleteSessions drops those that ended.
-- name: DeleteSessions :exec
DELETE FROM session WHERE expires < $1 OR epoch < (SELECT account.session_epoch FROM account WHERE account.id = session.account);

-- name: InsertToken :exec
INSERT INTO token (id, account, hash, label, scopes, created, last_day, expires)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7);

-- name: TokenByHash :one
SELECT sqlc.embed(token), sqlc.embed(account_role) FROM token
JOIN account_role ON account_role.id = token.account
WHERE token.hash = $1;

-- name: UsedToken :exec
UPDATE token SET last_day = $2 WHERE id = $1;

-- name: RevokeToken :execrows
UPDATE token SET revoked = $2 WHERE id = $1 AND revoked IS NULL;

-- name: TokensOf :many
SELECT * FROM token WHERE account = $1 ORDER BY id;
