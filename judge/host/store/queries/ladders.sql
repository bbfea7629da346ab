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

-- name: NumberBot :one
UPDATE ladder SET bots = bots + 1, last_seq = last_seq + 1 WHERE id = $1 RETURNING bots, last_seq, encounters;

-- name: InsertBot :exec
INSERT INTO bot (ladder, number, account, name, version, file, files, state, reason, told, flow, since, made, seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'checking', '', '', $8, $9, $10, $11);

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

-- name: NumberEncounter :one
UPDATE ladder SET encounters = encounters + 1, last_seq = last_seq + 1 WHERE id = $1 AND open RETURNING encounters;

-- name: InsertEncounter :exec
INSERT INTO encounter (ladder, number, a, b, flow, results, faults_a, faults_b, reason, records, worker, made, seq)
VALUES ($1, $2, $3, $4, $5, '', '', '', '', '', '', $6, 0);

-- name: EndEncounter :execrows
UPDATE encounter SET results = $3, faults_a = $4, faults_b = $5, reason = $6, records = $7, worker = $8, ended = $9, seq = $10
WHERE ladder = $1 AND number = $2 AND ended IS NULL;

-- name: OpenEncounters :many
SELECT * FROM encounter WHERE ladder = $1 AND ended IS NULL ORDER BY number;

-- name: EncountersSince :many
SELECT * FROM encounter WHERE ladder = $1 AND seq > $2 ORDER BY seq;

-- name: GetEncounter :one
SELECT * FROM encounter WHERE ladder = $1 AND number = $2;

-- name: InsertClimb :exec
INSERT INTO climb (ladder, seq, bot, before, place, at) VALUES ($1, $2, $3, $4, $5, $6);

-- name: LastClimb :one
SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) AS last FROM climb WHERE ladder = $1;

-- name: LastClimbs :many
SELECT * FROM climb WHERE ladder = $1 ORDER BY seq DESC LIMIT $2;

-- name: NamedByBots :many
SELECT files FROM bot;

-- name: NamedByEncounters :many
SELECT DISTINCT records FROM encounter;

-- name: NamedByLadders :many
SELECT DISTINCT config FROM ladder;

-- name: FlowsOfBot :many
SELECT flow FROM encounter WHERE ladder = $1 AND (a = $2 OR b = $2);

-- name: EraseBot :exec
UPDATE bot SET name = $3, file = '', files = '[]', state = 'retired', reason = '', told = '', flow = '' WHERE ladder = $1 AND number = $2;

-- name: RecordsOfBot :many
SELECT records FROM encounter WHERE ladder = $1 AND (a = $2 OR b = $2) AND records <> '';

-- name: EraseRecords :exec
UPDATE encounter SET records = '' WHERE ladder = $1 AND (a = $2 OR b = $2);
