-- name: GetSetting :one
SELECT value FROM setting WHERE key = $1;

-- name: PutSetting :exec
INSERT INTO setting (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: PutSettingOnce :exec
INSERT INTO setting (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO NOTHING;

-- Lead takes or renews a leader lease. It returns no row if another holder has it. A lease that ends after
-- beyond was taken while the clock was ahead.
-- name: Lead :one
INSERT INTO leader (name, holder, epoch, until) VALUES ($1, $2, 1, $3)
ON CONFLICT (name) DO UPDATE SET
    epoch = CASE WHEN leader.holder = excluded.holder THEN leader.epoch ELSE leader.epoch + 1 END,
    holder = excluded.holder,
    until = excluded.until
WHERE leader.holder = excluded.holder OR leader.until <= sqlc.arg(now) OR leader.until > sqlc.arg(beyond)
RETURNING epoch;

-- name: GetLeader :one
SELECT * FROM leader WHERE name = $1;

-- ResignLead lets anybody take the lead at once.
-- name: ResignLead :exec
UPDATE leader SET until = 0 WHERE name = $1 AND holder = $2;

-- HoldEpoch locks the row of the lead until the transaction ends; no row changes where the
-- epoch is another.
-- name: HoldEpoch :execrows
UPDATE leader SET epoch = epoch WHERE name = $1 AND epoch = $2;

-- StepContest locks the contest until the transaction ends, and takes a log number and a
-- time that is later than any before.
-- name: StepContest :one
UPDATE contest SET
    last_seq = last_seq + 1,
    last_time = CASE WHEN last_time >= sqlc.arg(now) THEN last_time + 1 ELSE sqlc.arg(now) END
WHERE id = sqlc.arg(id)
RETURNING last_seq, last_time;

-- NumberSubmission is StepContest with the number of a submission.
-- name: NumberSubmission :one
UPDATE contest SET
    next_number = next_number + 1,
    last_seq = last_seq + 1,
    last_time = CASE WHEN last_time >= sqlc.arg(now) THEN last_time + 1 ELSE sqlc.arg(now) END
WHERE id = sqlc.arg(id)
RETURNING next_number, last_seq, last_time;

-- LastLog counts the events of contests that were removed, too.
-- name: LastLog :one
SELECT CAST(COALESCE(SUM(last_seq), 0)
    + COALESCE((SELECT CAST(value AS BIGINT) FROM setting WHERE key = 'removed events'), 0) AS BIGINT) AS last FROM contest;

-- name: InsertLog :exec
INSERT INTO log (contest, seq, at, kind, object, op) VALUES ($1, $2, $3, $4, $5, $6);

-- name: LogSince :many
SELECT * FROM log WHERE contest = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- name: InsertAudit :exec
INSERT INTO audit (id, at, actor, action, object, detail, address) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- AuditBefore reads backwards: ids are in the order of time. What is not filtered by is ''.
-- name: AuditBefore :many
SELECT * FROM audit WHERE id < sqlc.arg(before)
    AND (CAST(sqlc.arg(actor) AS TEXT) = '' OR actor = sqlc.arg(actor))
    AND (CAST(sqlc.arg(action) AS TEXT) = '' OR action = sqlc.arg(action))
    AND (CAST(sqlc.arg(object) AS TEXT) = '' OR object = sqlc.arg(object))
ORDER BY id DESC LIMIT sqlc.arg(most);

-- Disputed reads the submissions of a contest about which workers disagreed, by their numbers. An entry of the audit
-- log names a submission or a judgement.
-- name: Disputed :many
SELECT DISTINCT submission.number FROM audit
LEFT JOIN judgement ON judgement.id = audit.object
JOIN submission ON submission.id = COALESCE(judgement.submission, audit.object)
WHERE audit.action IN ('workers disagree', 'one job, two verdicts') AND submission.contest = $1
ORDER BY submission.number;

-- name: AuditActions :many
SELECT DISTINCT action FROM audit ORDER BY action;
