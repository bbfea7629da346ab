-- name: SubmissionByKey :one
SELECT submission.id, submission.number, submission.ext_id, submission.received, submission.problem, submission.files, standing.judgement FROM submission
JOIN standing ON standing.submission = submission.id
WHERE submission.account = $1 AND submission.form_key = $2 AND submission.received > $3
ORDER BY submission.number DESC LIMIT 1;

-- name: InsertSubmission :exec
INSERT INTO submission (id, contest, team, number, problem, account, form_key, language, entry, files, folder, size, received, ending,
    ext_id, time_given)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- name: GetSubmission :one
SELECT * FROM submitted WHERE id = $1;

-- name: SubmissionByNumber :one
SELECT * FROM submitted WHERE contest = $1 AND number = $2;

-- name: CountSubmissions :one
SELECT COUNT(*) FROM submission WHERE contest = $1 AND account = $2 AND received > sqlc.arg(after) AND received <= sqlc.arg(until);

-- ListSubmissions is completed by filter.go, which puts what a filter chooses in the place of 'chosen'.
-- name: ListSubmissions :many
SELECT * FROM submitted WHERE id = 'chosen' ORDER BY number DESC;

-- Attempts counts the submissions of each problem and returns one of them: the first one that is known to be accepted
-- or, if there is none, the newest. filter.go completes it, as it does ListSubmissions.
-- name: Attempts :many
SELECT attempt.tries, sqlc.embed(submitted) FROM (
    SELECT standing.contest, COUNT(*) AS tries, COALESCE(
        MIN(CASE WHEN standing.verdict = 'AC' AND standing.verify <> 'before' THEN standing.number END), MAX(standing.number)) AS best
    FROM submission JOIN standing ON standing.submission = submission.id
    WHERE submission.id = 'chosen' AND NOT standing.ignored
    GROUP BY standing.contest, submission.problem
) AS attempt
JOIN submitted ON submitted.contest = attempt.contest AND submitted.number = attempt.best;

-- name: SubmissionsOfVerdict :many
SELECT submission.number, submission.team, CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received
FROM standing
JOIN submission ON submission.id = standing.submission
WHERE standing.contest = $1 AND standing.verdict = $2 AND NOT standing.ignored
ORDER BY submission.number DESC;

-- LatestSubmissions are those of all contests: ids are in the order of time.
-- name: LatestSubmissions :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT submission.id FROM submission
    WHERE submission.id < sqlc.arg(before)
        AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR submission.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
    ORDER BY submission.id DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.id DESC;

-- name: LatestOfAccount :many
SELECT * FROM submitted WHERE account = $1 AND id < sqlc.arg(before)
    AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR slug = sqlc.arg(slug))
ORDER BY id DESC LIMIT sqlc.arg(most);

-- name: SubmissionLanguages :many
SELECT DISTINCT language, ending FROM submission WHERE contest = sqlc.arg(contest);
