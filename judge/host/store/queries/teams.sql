-- name: NextTeam :one
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS BIGINT) AS next FROM team WHERE contest = $1;

-- name: InsertTeam :exec
INSERT INTO team (id, contest, number, name, hidden, extra_time, extra_penalty, ext_id, icpc_id, label, display_name, organization, location)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: InsertMember :exec
INSERT INTO member (contest, account, team) VALUES ($1, $2, $3);

-- name: DeleteMember :exec
DELETE FROM member WHERE contest = $1 AND account = $2;

-- name: TeamOf :one
SELECT team.* FROM member
JOIN team ON team.id = member.team
WHERE member.contest = $1 AND member.account = $2;

-- name: GetTeam :one
SELECT * FROM team WHERE id = $1;

-- name: TeamsOf :many
SELECT * FROM team WHERE contest = $1 ORDER BY number;

-- name: MembersOf :many
SELECT member.team, sqlc.embed(account_role) FROM member
JOIN account_role ON account_role.id = member.account
WHERE member.contest = $1
ORDER BY account_role.login;

-- name: SetTeam :execrows
UPDATE team SET name = $2, hidden = $3, extra_time = $4, extra_penalty = $5, icpc_id = $6, label = $7, display_name = $8,
    organization = $9, location = $10
WHERE id = $1;

-- TeamNamed finds a team by its name or its number; of several the first.
-- name: TeamNamed :one
SELECT id FROM team WHERE contest = $1 AND (name = sqlc.arg(name) OR CAST(number AS TEXT) = sqlc.arg(name))
ORDER BY number LIMIT 1;

-- name: GroupsOf :many
SELECT * FROM team_group WHERE contest = $1 ORDER BY id;

-- name: InsertGroup :exec
INSERT INTO team_group (contest, id, icpc_id, name, type, location) VALUES ($1, $2, $3, $4, $5, $6);

-- name: SetGroup :exec
UPDATE team_group SET icpc_id = $3, name = $4, type = $5, location = $6 WHERE contest = $1 AND id = $2;

-- name: TeamsInGroups :many
SELECT team_in_group.team, team_group.id, team_group.name FROM team_in_group
JOIN team_group ON team_group.contest = team_in_group.contest AND team_group.id = team_in_group.team_group
WHERE team_in_group.contest = $1
ORDER BY team_in_group.team, team_in_group.place, team_group.id;

-- name: GroupsOfTeam :many
SELECT team_group.id, team_group.name FROM team_in_group
JOIN team_group ON team_group.contest = team_in_group.contest AND team_group.id = team_in_group.team_group
WHERE team_in_group.team = $1
ORDER BY team_in_group.place, team_group.id;

-- name: PutInGroup :exec
INSERT INTO team_in_group (contest, team, team_group, place) VALUES ($1, $2, $3, $4)
ON CONFLICT (contest, team, team_group) DO NOTHING;

-- name: LeaveGroups :exec
DELETE FROM team_in_group WHERE team = $1;
