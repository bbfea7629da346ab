-- PutSource keeps the token only while the address stays.
-- name: PutSource :exec
INSERT INTO external_source (contest, url, login, secret_file, account, ours, token, heard, trouble, scoreboard)
VALUES ($1, $2, $3, $4, $5, $6, '', 0, '', '')
ON CONFLICT (contest) DO UPDATE SET login = excluded.login, secret_file = excluded.secret_file, account = excluded.account,
    ours = excluded.ours, trouble = '',
    token = CASE WHEN external_source.url = excluded.url THEN external_source.token ELSE '' END,
    acknowledged = CASE WHEN external_source.url = excluded.url THEN external_source.acknowledged ELSE '[]' END,
    url = excluded.url;

-- name: Sources :many
SELECT * FROM external_source ORDER BY contest;

-- name: SourceOf :one
SELECT * FROM external_source WHERE contest = $1;

-- name: SetSourceToken :execrows
UPDATE external_source SET token = $2 WHERE contest = $1;

-- name: SetSourceHeard :exec
UPDATE external_source SET heard = $2 WHERE contest = $1;

-- name: SetSourceTrouble :exec
UPDATE external_source SET trouble = $2 WHERE contest = $1;

-- name: SetSourceScoreboard :exec
UPDATE external_source SET scoreboard = $2 WHERE contest = $1;

-- name: SetSourceAcknowledged :execrows
UPDATE external_source SET acknowledged = $2 WHERE contest = $1;

-- name: RemoveSource :exec
DELETE FROM external_source WHERE contest = $1;

-- name: ExternalObjects :many
SELECT * FROM external_object WHERE contest = $1 ORDER BY type, id;

-- name: ExternalObjectsOfType :many
SELECT * FROM external_object WHERE contest = $1 AND type = $2 ORDER BY id;

-- PutExternalObject changes nothing if the object is as it was.
-- name: PutExternalObject :exec
INSERT INTO external_object (contest, type, id, data, fresh) VALUES ($1, $2, $3, $4, TRUE)
ON CONFLICT (contest, type, id) DO UPDATE SET data = excluded.data, fresh = TRUE WHERE external_object.data <> excluded.data;

-- SettleExternalObject leaves an object that has changed since it was read.
-- name: SettleExternalObject :exec
UPDATE external_object SET fresh = FALSE WHERE contest = $1 AND type = $2 AND id = $3 AND data = $4;

-- name: RemoveExternalObjects :exec
DELETE FROM external_object WHERE contest = $1;

-- name: ExternalProblems :many
SELECT * FROM external_problem WHERE contest = $1 ORDER BY type, id;

-- name: PutExternalProblem :exec
INSERT INTO external_problem (contest, type, id, text, at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (contest, type, id) DO UPDATE SET text = excluded.text, at = excluded.at WHERE external_problem.text <> excluded.text;

-- name: DeleteExternalProblem :exec
DELETE FROM external_problem WHERE contest = $1 AND type = $2 AND id = $3;

-- name: RemoveExternalProblems :exec
DELETE FROM external_problem WHERE contest = $1;

-- ShadowedSubmissions are the submissions of a contest with what decides their verdicts.
-- name: ShadowedSubmissions :many
SELECT submission.id, submission.number, submission.ext_id, standing.ignored, standing.given, judgement.ended, judgement.verdict
FROM submission
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.contest = $1
ORDER BY submission.number;

-- EndUnjudgedJob and EndUnjudgement end a judgement that no worker makes.
-- name: EndUnjudgedJob :exec
UPDATE job SET state = 'cancelled', done_at = $2 WHERE id = $1;

-- name: EndUnjudgement :exec
UPDATE judgement SET ended = $2 WHERE id = $1;
