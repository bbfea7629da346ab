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

-- ListSubmissions takes a filter of which every empty part is for all. Who is the id of an
-- account or of a team; endings are those of files that tell the language, each with points
-- around it. What is chosen is found in few columns first: a list of it has many.
-- name: ListSubmissions :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT submission.id FROM submission
    WHERE submission.contest = sqlc.arg(contest) AND submission.number < sqlc.arg(before)
        AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR submission.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
        AND (CAST(sqlc.arg(language) AS TEXT) = '' OR submission.language = sqlc.arg(language)
            OR submission.language = '' AND submission.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || submission.ending || '.%')
        AND (CAST(sqlc.arg(who) AS TEXT) = '' OR submission.account = sqlc.arg(who) OR submission.team = sqlc.arg(who))
    ORDER BY submission.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

-- ListSubmissionsOfVerdict is the same for those with a verdict, of which there may be few.
-- name: ListSubmissionsOfVerdict :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT standing.submission FROM standing
    JOIN submission ON submission.id = standing.submission
    WHERE standing.contest = sqlc.arg(contest) AND standing.verdict = sqlc.arg(verdict) AND standing.number < sqlc.arg(before)
        AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR submission.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
        AND (CAST(sqlc.arg(language) AS TEXT) = '' OR submission.language = sqlc.arg(language)
            OR submission.language = '' AND submission.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || submission.ending || '.%')
        AND (CAST(sqlc.arg(who) AS TEXT) = '' OR submission.account = sqlc.arg(who) OR submission.team = sqlc.arg(who))
    ORDER BY standing.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

-- ListSubmissionsToVerify is the same for those whose verdicts judges verify: open or done.
-- name: ListSubmissionsToVerify :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT standing.submission FROM standing
    JOIN submission ON submission.id = standing.submission
    WHERE standing.contest = sqlc.arg(contest) AND standing.number < sqlc.arg(before) AND standing.verify <> '' AND NOT standing.ignored
        AND CASE WHEN standing.verify = 'done' THEN 'done' ELSE 'open' END = CAST(sqlc.arg(verify) AS TEXT)
        AND (CAST(sqlc.arg(verdict) AS TEXT) = '' OR standing.verdict = sqlc.arg(verdict))
        AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR submission.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
        AND (CAST(sqlc.arg(language) AS TEXT) = '' OR submission.language = sqlc.arg(language)
            OR submission.language = '' AND submission.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || submission.ending || '.%')
        AND (CAST(sqlc.arg(who) AS TEXT) = '' OR submission.account = sqlc.arg(who) OR submission.team = sqlc.arg(who))
    ORDER BY standing.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

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

-- name: SubmissionsOfAccount :many
SELECT * FROM submitted WHERE account = $1 AND contest = $2 AND number < $3
    AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR slug = sqlc.arg(slug))
ORDER BY number DESC LIMIT $4;

-- name: SubmissionsOfTeam :many
SELECT * FROM submitted WHERE team = $1 AND contest = $2 AND number < $3
    AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR slug = sqlc.arg(slug))
ORDER BY number DESC LIMIT $4;

-- name: SubmissionsOfProblem :many
SELECT * FROM submitted WHERE problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug))
    AND contest = $1 AND number < $2
ORDER BY number DESC LIMIT $3;

-- name: SubmissionLanguages :many
SELECT DISTINCT language, ending FROM submission WHERE contest = sqlc.arg(contest);
