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

-- ListSubmissions takes a filter of which each empty part means all; it has no verdict. Endings
-- are those of file names that tell the language, each between points; since and until bound the time, and 0
-- is no bound. What is chosen is found in few columns first: a list has many.
--
-- The statements below it have the same parameters; each reads the index that fits its filter, newest first. One
-- statement for all of them reads the whole contest for each page, in both databases. No index is taken because of
-- what stands in a CASE, and PostgreSQL does not take it for a condition that few rows meet, as it does a comparison
-- with a parameter: it would then read whole tables for each row.
-- name: ListSubmissions :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT s.id FROM submission AS s
    WHERE s.contest = sqlc.arg(contest) AND s.number < sqlc.arg(before)
        AND CASE WHEN CAST(sqlc.arg(verdict) AS TEXT) <> '' THEN FALSE
            WHEN CAST(sqlc.arg(owner) AS TEXT) <> '' THEN s.account = sqlc.arg(owner) OR s.team = sqlc.arg(owner) ELSE TRUE END
        AND CASE WHEN NOT CAST(sqlc.arg(filtered) AS BOOLEAN) THEN TRUE ELSE
            (CAST(sqlc.arg(language) AS TEXT) = '' OR s.language = sqlc.arg(language)
                OR s.language = '' AND s.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || s.ending || '.%')
            AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR s.number = sqlc.arg(number))
            AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR s.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
            AND (CAST(sqlc.arg(team_group) AS TEXT) = '' OR s.team IN (
                SELECT m.team FROM team_in_group AS m JOIN team_group AS g ON g.contest = m.contest AND g.id = m.team_group
                WHERE m.contest = sqlc.arg(contest) AND g.name = sqlc.arg(team_group)))
            AND (NOT CAST(sqlc.arg(judged) AS BOOLEAN) OR EXISTS (
                SELECT 1 FROM standing AS j WHERE j.submission = s.id AND j.verdict NOT IN ('open', '')))
            AND (CAST(sqlc.arg(since) AS BIGINT) = 0 AND CAST(sqlc.arg(until) AS BIGINT) = 0 OR EXISTS (
                SELECT 1 FROM submission AS t WHERE t.id = s.id AND COALESCE(t.time_given, t.received) >= sqlc.arg(since)
                    AND (CAST(sqlc.arg(until) AS BIGINT) = 0 OR COALESCE(t.time_given, t.received) < sqlc.arg(until))))
            AND (CAST(sqlc.arg(verify) AS TEXT) = '' OR EXISTS (
                SELECT 1 FROM standing AS w WHERE w.submission = s.id AND w.verify <> '' AND NOT w.ignored
                    AND CASE WHEN w.verify = 'done' THEN 'done' ELSE 'open' END = CAST(sqlc.arg(verify) AS TEXT))) END
    ORDER BY s.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

-- name: ListSubmissionsOfAccount :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT s.id FROM submission AS s
    WHERE CASE WHEN s.contest = sqlc.arg(contest) THEN TRUE ELSE FALSE END AND s.number < sqlc.arg(before)
        AND CASE WHEN CAST(sqlc.arg(verdict) AS TEXT) <> '' THEN FALSE ELSE TRUE END
        AND s.account = CAST(sqlc.arg(owner) AS TEXT)
        AND CASE WHEN NOT CAST(sqlc.arg(filtered) AS BOOLEAN) THEN TRUE ELSE
            (CAST(sqlc.arg(language) AS TEXT) = '' OR s.language = sqlc.arg(language)
                OR s.language = '' AND s.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || s.ending || '.%')
            AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR s.number = sqlc.arg(number))
            AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR s.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
            AND (CAST(sqlc.arg(team_group) AS TEXT) = '' OR s.team IN (
                SELECT m.team FROM team_in_group AS m JOIN team_group AS g ON g.contest = m.contest AND g.id = m.team_group
                WHERE m.contest = sqlc.arg(contest) AND g.name = sqlc.arg(team_group)))
            AND (NOT CAST(sqlc.arg(judged) AS BOOLEAN) OR EXISTS (
                SELECT 1 FROM standing AS j WHERE j.submission = s.id AND j.verdict NOT IN ('open', '')))
            AND (CAST(sqlc.arg(since) AS BIGINT) = 0 AND CAST(sqlc.arg(until) AS BIGINT) = 0 OR EXISTS (
                SELECT 1 FROM submission AS t WHERE t.id = s.id AND COALESCE(t.time_given, t.received) >= sqlc.arg(since)
                    AND (CAST(sqlc.arg(until) AS BIGINT) = 0 OR COALESCE(t.time_given, t.received) < sqlc.arg(until))))
            AND (CAST(sqlc.arg(verify) AS TEXT) = '' OR EXISTS (
                SELECT 1 FROM standing AS w WHERE w.submission = s.id AND w.verify <> '' AND NOT w.ignored
                    AND CASE WHEN w.verify = 'done' THEN 'done' ELSE 'open' END = CAST(sqlc.arg(verify) AS TEXT))) END
    ORDER BY s.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

-- name: ListSubmissionsOfTeam :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT s.id FROM submission AS s
    WHERE CASE WHEN s.contest = sqlc.arg(contest) THEN TRUE ELSE FALSE END AND s.number < sqlc.arg(before)
        AND CASE WHEN CAST(sqlc.arg(verdict) AS TEXT) <> '' THEN FALSE ELSE TRUE END
        AND s.team = CAST(sqlc.arg(owner) AS TEXT)
        AND CASE WHEN NOT CAST(sqlc.arg(filtered) AS BOOLEAN) THEN TRUE ELSE
            (CAST(sqlc.arg(language) AS TEXT) = '' OR s.language = sqlc.arg(language)
                OR s.language = '' AND s.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || s.ending || '.%')
            AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR s.number = sqlc.arg(number))
            AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR s.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
            AND (CAST(sqlc.arg(team_group) AS TEXT) = '' OR s.team IN (
                SELECT m.team FROM team_in_group AS m JOIN team_group AS g ON g.contest = m.contest AND g.id = m.team_group
                WHERE m.contest = sqlc.arg(contest) AND g.name = sqlc.arg(team_group)))
            AND (NOT CAST(sqlc.arg(judged) AS BOOLEAN) OR EXISTS (
                SELECT 1 FROM standing AS j WHERE j.submission = s.id AND j.verdict NOT IN ('open', '')))
            AND (CAST(sqlc.arg(since) AS BIGINT) = 0 AND CAST(sqlc.arg(until) AS BIGINT) = 0 OR EXISTS (
                SELECT 1 FROM submission AS t WHERE t.id = s.id AND COALESCE(t.time_given, t.received) >= sqlc.arg(since)
                    AND (CAST(sqlc.arg(until) AS BIGINT) = 0 OR COALESCE(t.time_given, t.received) < sqlc.arg(until))))
            AND (CAST(sqlc.arg(verify) AS TEXT) = '' OR EXISTS (
                SELECT 1 FROM standing AS w WHERE w.submission = s.id AND w.verify <> '' AND NOT w.ignored
                    AND CASE WHEN w.verify = 'done' THEN 'done' ELSE 'open' END = CAST(sqlc.arg(verify) AS TEXT))) END
    ORDER BY s.number DESC LIMIT sqlc.arg(most)
)
ORDER BY submitted.number DESC;

-- name: ListSubmissionsOfVerdict :many
SELECT submitted.* FROM submitted
WHERE submitted.id IN (
    SELECT s.id FROM standing
    JOIN submission AS s ON s.id = standing.submission
    WHERE standing.contest = sqlc.arg(contest) AND standing.number < sqlc.arg(before) AND standing.verdict = CAST(sqlc.arg(verdict) AS TEXT)
        AND CASE WHEN CAST(sqlc.arg(owner) AS TEXT) <> '' THEN s.account = sqlc.arg(owner) OR s.team = sqlc.arg(owner) ELSE TRUE END
        AND CASE WHEN NOT CAST(sqlc.arg(filtered) AS BOOLEAN) THEN TRUE ELSE
            (CAST(sqlc.arg(language) AS TEXT) = '' OR s.language = sqlc.arg(language)
                OR s.language = '' AND s.ending <> '' AND CAST(sqlc.arg(endings) AS TEXT) LIKE '%.' || s.ending || '.%')
            AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR s.number = sqlc.arg(number))
            AND (CAST(sqlc.arg(slug) AS TEXT) = '' OR s.problem = (SELECT p.id FROM problem AS p WHERE p.slug = sqlc.arg(slug)))
            AND (CAST(sqlc.arg(team_group) AS TEXT) = '' OR s.team IN (
                SELECT m.team FROM team_in_group AS m JOIN team_group AS g ON g.contest = m.contest AND g.id = m.team_group
                WHERE m.contest = sqlc.arg(contest) AND g.name = sqlc.arg(team_group)))
            AND (NOT CAST(sqlc.arg(judged) AS BOOLEAN) OR EXISTS (
                SELECT 1 FROM standing AS j WHERE j.submission = s.id AND j.verdict NOT IN ('open', '')))
            AND (CAST(sqlc.arg(since) AS BIGINT) = 0 AND CAST(sqlc.arg(until) AS BIGINT) = 0 OR EXISTS (
                SELECT 1 FROM submission AS t WHERE t.id = s.id AND COALESCE(t.time_given, t.received) >= sqlc.arg(since)
                    AND (CAST(sqlc.arg(until) AS BIGINT) = 0 OR COALESCE(t.time_given, t.received) < sqlc.arg(until))))
            AND (CAST(sqlc.arg(verify) AS TEXT) = '' OR EXISTS (
                SELECT 1 FROM standing AS w WHERE w.submission = s.id AND w.verify <> '' AND NOT w.ignored
                    AND CASE WHEN w.verify = 'done' THEN 'done' ELSE 'open' END = CAST(sqlc.arg(verify) AS TEXT))) END
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

-- name: SubmissionLanguages :many
SELECT DISTINCT language, ending FROM submission WHERE contest = sqlc.arg(contest);
