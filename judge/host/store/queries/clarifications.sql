-- name: NextClarification :one
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS BIGINT) AS next FROM clarification WHERE contest = $1;

-- name: InsertClarification :exec
INSERT INTO clarification (contest, number, team, staff, problem, text, reply_to, account, at, ext_id, time_given, category, chosen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: InsertClarificationTeam :exec
INSERT INTO clarification_team (contest, number, team) VALUES ($1, $2, $3);

-- name: InsertClarificationGroup :exec
INSERT INTO clarification_group (contest, number, team_group) VALUES ($1, $2, $3);

-- ClarificationTeams reads the teams to which the chosen clarifications of a contest go, or one of them; 0 is
-- for all.
-- name: ClarificationTeams :many
SELECT clarification_team.number, team.id, team.name FROM clarification_team
JOIN team ON team.id = clarification_team.team
WHERE clarification_team.contest = sqlc.arg(contest)
    AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR clarification_team.number = sqlc.arg(number))
ORDER BY clarification_team.number, team.number;

-- name: ClarificationGroups :many
SELECT clarification_group.number, team_group.id, team_group.name FROM clarification_group
JOIN team_group ON team_group.contest = clarification_group.contest AND team_group.id = clarification_group.team_group
WHERE clarification_group.contest = sqlc.arg(contest)
    AND (CAST(sqlc.arg(number) AS BIGINT) = 0 OR clarification_group.number = sqlc.arg(number))
ORDER BY clarification_group.number, team_group.id;

-- name: ClarificationsToGroup :one
SELECT COUNT(*) FROM clarification_group WHERE contest = $1 AND team_group = $2;

-- name: GetClarification :one
SELECT * FROM clarification WHERE contest = $1 AND number = $2;

-- ClarificationsOf reads backwards what a team may read, or everything.
-- name: ClarificationsOf :many
SELECT clarification.number, clarification.staff, clarification.category, clarification.chosen, clarification.text, clarification.reply_to, clarification.at, clarification.team,
    CAST(COALESCE(team.name, '') AS TEXT) AS team_name, CAST(COALESCE(problem.slug, '') AS TEXT) AS slug, account.login,
    CAST(COALESCE(question.text, '') AS TEXT) AS question,
    (SELECT COUNT(*) FROM clarification AS a WHERE a.contest = clarification.contest AND a.reply_to = clarification.number) AS answers,
    CAST(COALESCE(claimer.login, '') AS TEXT) AS claimed
FROM clarification
JOIN account ON account.id = clarification.account
LEFT JOIN team ON team.id = clarification.team
LEFT JOIN problem ON problem.id = clarification.problem
LEFT JOIN clarification_claim AS claim ON claim.contest = clarification.contest AND claim.number = clarification.number
LEFT JOIN account AS claimer ON claimer.id = claim.account
LEFT JOIN clarification AS question ON question.contest = clarification.contest AND question.number = clarification.reply_to
WHERE clarification.contest = sqlc.arg(contest) AND clarification.number < sqlc.arg(before) AND clarification.number > sqlc.arg(after)
    AND (CAST(sqlc.arg(everything) AS BOOLEAN) OR (clarification.team IS NULL AND NOT clarification.chosen) OR EXISTS (
        SELECT 1 FROM clarification_reader AS r
        WHERE r.contest = clarification.contest AND r.number = clarification.number AND r.team = sqlc.arg(team)
    ))
ORDER BY clarification.number DESC LIMIT sqlc.arg(most);

-- name: OpenQuestions :one
SELECT COUNT(*) FROM clarification WHERE clarification.contest = sqlc.arg(contest) AND NOT clarification.staff
    AND (CAST(sqlc.arg(team) AS TEXT) = '' OR clarification.team = sqlc.arg(team))
    AND NOT EXISTS (SELECT 1 FROM clarification AS a WHERE a.contest = clarification.contest AND a.reply_to = clarification.number);

-- name: ReadUpTo :one
SELECT CAST(COALESCE(MAX(upto), 0) AS BIGINT) AS upto FROM clarification_read WHERE contest = $1 AND account = $2;

-- name: ReadClarifications :exec
INSERT INTO clarification_read (contest, account, upto) VALUES ($1, $2, $3)
ON CONFLICT (contest, account) DO UPDATE SET
    upto = CASE WHEN clarification_read.upto < excluded.upto THEN excluded.upto ELSE clarification_read.upto END;

-- ClaimClarification changes nothing if the clarification is claimed already.
-- name: ClaimClarification :execrows
INSERT INTO clarification_claim (contest, number, account, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (contest, number) DO NOTHING;

-- name: ReleaseClarification :execrows
DELETE FROM clarification_claim WHERE contest = $1 AND number = $2;
