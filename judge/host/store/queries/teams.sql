-- name: NextTeam :one
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS BIGINT) AS next FROM team WHERE contest = $1;

-- name: InsertTeam :exec
INSERT INTO team (id, contest, number, name, hidden, extra_time, extra_penalty, team_groups) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: InsertMember :exec
INSERT INTO member (contest, account, team) VALUES ($1, $2, $3);

-- name: TeamOf :one
SELECT team.* FROM member
JOIN team ON team.id = member.team
WHERE member.contest = $1 AND member.account = $2;

-- name: TeamsOf :many
SELECT * FROM team WHERE contest = $1 ORDER BY number;

-- name: MembersOf :many
SELECT member.team, sqlc.embed(account_role) FROM member
JOIN account_role ON account_role.id = member.account
WHERE member.contest = $1
ORDER BY account_role.login;

-- name: SetTeam :execrows
UPDATE team SET name = $2, hidden = $3, extra_time = $4, extra_penalty = $5, team_groups = $6 WHERE id = $1;

-- TeamNamed finds a team by its name or its number; of several the first.
-- name: TeamNamed :one
SELECT id FROM team WHERE contest = $1 AND (name = sqlc.arg(name) OR CAST(number AS TEXT) = sqlc.arg(name))
ORDER BY number LIMIT 1;
