-- name: BalloonsOf :many
SELECT sqlc.embed(balloon), CAST(COALESCE(account.login, '') AS TEXT) AS login FROM balloon
LEFT JOIN account ON account.id = balloon.given_by
WHERE balloon.contest = $1
ORDER BY balloon.at, balloon.submission, balloon.team, balloon.label;

-- PutBalloon leaves what says who delivered the balloon.
-- name: PutBalloon :exec
INSERT INTO balloon (contest, team, label, submission, at, held) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (contest, team, label) DO UPDATE SET submission = excluded.submission, at = excluded.at, held = excluded.held;

-- GiveBalloon changes nothing if the balloon was delivered or is held.
-- name: GiveBalloon :execrows
UPDATE balloon SET given_by = $4, given_at = $5
WHERE contest = $1 AND team = $2 AND label = $3 AND given_at IS NULL AND held = '';

-- UndoBalloon changes nothing if the balloon was delivered before a moment, or by another account than
-- the one that is named; '' is for any.
-- name: UndoBalloon :execrows
UPDATE balloon SET given_by = NULL, given_at = NULL
WHERE contest = sqlc.arg(contest) AND team = sqlc.arg(team) AND label = sqlc.arg(label)
    AND given_at >= CAST(sqlc.arg(since) AS BIGINT)
    AND (CAST(sqlc.arg(account) AS TEXT) = '' OR given_by = sqlc.arg(account));
