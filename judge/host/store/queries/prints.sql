-- name: NextPrint :one
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS BIGINT) AS next FROM print_request WHERE contest = $1;

-- name: InsertPrint :exec
INSERT INTO print_request (contest, number, team, account, name, language, body, pages, made, state, reason, printer, changed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', '', NULL, $9);

-- PagesSince is how many pages a team has sent since a moment. Those that failed do not count.
-- name: PagesSince :one
SELECT CAST(COALESCE(SUM(pages), 0) AS BIGINT) AS pages FROM print_request WHERE team = $1 AND made > $2 AND state <> 'failed';

-- PrintsOf reads the requests of a contest, the newest first: of one team, or of all; '' is for all.
-- name: PrintsOf :many
SELECT print_request.number, print_request.team, print_request.account, print_request.name, print_request.language, print_request.pages,
    print_request.made, print_request.state, print_request.reason, print_request.changed,
    CAST(COALESCE(account.login, '') AS TEXT) AS login
FROM print_request
LEFT JOIN account ON account.id = print_request.printer
WHERE print_request.contest = sqlc.arg(contest) AND (CAST(sqlc.arg(team) AS TEXT) = '' OR print_request.team = sqlc.arg(team))
ORDER BY print_request.number DESC LIMIT sqlc.arg(most);

-- name: GetPrint :one
SELECT sqlc.embed(print_request), CAST(COALESCE(account.login, '') AS TEXT) AS login FROM print_request
LEFT JOIN account ON account.id = print_request.printer
WHERE print_request.contest = $1 AND print_request.number = $2;

-- NextToPrint finds the oldest request that waits, of all contests.
-- name: NextToPrint :one
SELECT contest, number FROM print_request WHERE state = 'waiting' ORDER BY made, contest, number LIMIT 1;

-- SetPrint changes the state of a request if it is still in the state that the caller expects.
-- name: SetPrint :execrows
UPDATE print_request SET state = sqlc.arg(state), reason = sqlc.arg(reason), printer = sqlc.narg(printer), changed = sqlc.arg(changed)
WHERE contest = sqlc.arg(contest) AND number = sqlc.arg(number) AND state = sqlc.arg(before);

-- FailPrints ends what the print command has been printing since before a moment.
-- name: FailPrints :exec
UPDATE print_request SET state = 'failed', reason = sqlc.arg(reason), changed = sqlc.arg(now)
WHERE state = 'printing' AND printer IS NULL AND changed < sqlc.arg(since);
