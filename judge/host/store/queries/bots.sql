-- name: NumberBot :one
UPDATE ladder SET bots = bots + 1, last_seq = last_seq + 1 WHERE id = $1 RETURNING bots, last_seq, encounters;

-- name: InsertBot :exec
INSERT INTO bot (ladder, number, account, name, version, form_key, file, files, state, reason, told, flow, since, made, seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'checking', '', '', $9, $10, $11, $12);

-- name: BotByKey :one
SELECT * FROM bot_author WHERE ladder = $1 AND account = $2 AND form_key = $3 AND made > sqlc.arg(after);

-- name: BotsOf :many
SELECT * FROM bot_author WHERE ladder = $1 ORDER BY number;

-- name: GetBot :one
SELECT * FROM bot_author WHERE ladder = $1 AND number = $2;

-- name: BotsNamed :many
SELECT * FROM bot_author WHERE ladder = $1 AND name = $2 ORDER BY version;

-- name: BotsOfAccount :many
SELECT * FROM bot WHERE account = $1 ORDER BY ladder, number;

-- name: RecentBots :one
SELECT COUNT(*) FROM bot WHERE ladder = $1 AND account = $2 AND made > sqlc.arg(after);

-- name: CheckedBots :many
SELECT * FROM bot_author WHERE ladder = $1 AND state = 'checking' ORDER BY number;

-- name: SetBot :execrows
UPDATE bot SET state = $3, reason = $4, since = $5, seq = $6 WHERE ladder = $1 AND number = $2;

-- name: SetBotCheck :execrows
UPDATE bot SET told = $3, flow = '' WHERE ladder = $1 AND number = $2;

-- name: NamedByBots :many
SELECT files FROM bot;

-- name: WorkflowsOfBot :many
SELECT flow FROM encounter WHERE ladder = $1 AND (a = $2 OR b = $2);

-- name: EraseBot :exec
UPDATE bot SET name = $3, file = '', files = '[]', state = 'retired', reason = '', told = '', flow = '' WHERE ladder = $1 AND number = $2;

-- name: RecordsOfBot :many
SELECT records FROM encounter WHERE ladder = $1 AND (a = $2 OR b = $2) AND records <> '';

-- name: EraseRecords :exec
UPDATE encounter SET records = '' WHERE ladder = $1 AND (a = $2 OR b = $2);
