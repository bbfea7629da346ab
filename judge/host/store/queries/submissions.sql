-- name: SubmissionByKey :one
SELECT submission.id, submission.number, submission.received, standing.judgement FROM submission
JOIN standing ON standing.submission = submission.id
WHERE submission.account = $1 AND submission.form_key = $2 AND submission.received > $3
ORDER BY submission.number DESC LIMIT 1;

-- name: InsertSubmission :exec
INSERT INTO submission (id, contest, number, problem, account, form_key, language, entry, files, folder, size, received)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: InsertJudgement :exec
INSERT INTO judgement (id, submission, bundle, config, class, origin, started) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: InsertStanding :exec
INSERT INTO standing (submission, judgement) VALUES ($1, $2);

-- EndJudgement is the one change of a judgement.
-- name: EndJudgement :execrows
UPDATE judgement SET
    ended = $2, verdict = $3, score = $4, finished = $5, case_rows = $6, events = $7, reason = $8,
    worker = $9, version = $10, machine = $11, rung = $12, toolchains = $13, cpu = $14
WHERE id = $1 AND ended IS NULL;

-- name: JudgementOfJob :one
SELECT judgement.submission, judgement.verdict, submission.contest FROM judgement
JOIN submission ON submission.id = judgement.submission
WHERE judgement.id = $1;

-- name: StandingJudgement :one
SELECT judgement.*, job.state FROM standing
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id
WHERE standing.submission = $1;

-- name: GetSubmission :one
SELECT * FROM submitted WHERE id = $1;

-- name: ListSubmissions :many
SELECT * FROM submitted WHERE contest = $1 AND number < $2
ORDER BY number DESC LIMIT $3;

-- name: SubmissionsOfAccount :many
SELECT * FROM submitted WHERE account = $1 AND contest = $2 AND number < $3
    AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR slug = sqlc.arg(slug))
ORDER BY number DESC LIMIT $4;

-- name: SubmissionsOfProblem :many
SELECT * FROM submitted WHERE problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug))
    AND contest = $1 AND number < $2
ORDER BY number DESC LIMIT $3;
