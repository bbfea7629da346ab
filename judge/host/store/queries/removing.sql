-- What follows removes teams, contests, holes and ladders that nothing was sent to.

-- UseOfTeams counts what keeps each team of a contest from being removed.
-- name: UseOfTeams :many
SELECT team.id,
    (SELECT COUNT(*) FROM submission WHERE submission.team = team.id) AS submissions,
    CAST((SELECT COUNT(*) FROM clarification WHERE clarification.team = team.id)
        + (SELECT COUNT(*) FROM clarification_team WHERE clarification_team.team = team.id) AS BIGINT) AS clarifications,
    (SELECT COUNT(*) FROM print_request WHERE print_request.team = team.id) AS prints
FROM team
WHERE team.contest = $1
ORDER BY team.number;

-- name: RemoveMembers :exec
DELETE FROM member WHERE team = $1;

-- name: RemoveContestAccount :exec
DELETE FROM contest_account WHERE contest = $1 AND account = $2;

-- name: RemoveTeam :execrows
DELETE FROM team WHERE id = $1;

-- name: UseOfContest :one
SELECT
    (SELECT COUNT(*) FROM submission WHERE submission.contest = contest.id) AS submissions,
    (SELECT COUNT(*) FROM rejudging WHERE rejudging.contest = contest.id) AS rejudgings,
    (SELECT COUNT(*) FROM team WHERE team.contest = contest.id) AS teams,
    (SELECT COUNT(*) FROM member WHERE member.contest = contest.id) AS people,
    (SELECT COUNT(*) FROM clarification WHERE clarification.contest = contest.id) AS clarifications
FROM contest
WHERE contest.id = $1;

-- name: RemoveReading :exec
DELETE FROM clarification_read WHERE contest = $1;

-- name: RemoveClaims :exec
DELETE FROM clarification_claim WHERE contest = $1;

-- name: RemoveClarificationTeams :exec
DELETE FROM clarification_team WHERE contest = $1;

-- name: RemoveClarificationGroups :exec
DELETE FROM clarification_group WHERE contest = $1;

-- name: RemovePrints :exec
DELETE FROM print_request WHERE contest = $1;

-- name: RemoveClarifications :exec
DELETE FROM clarification WHERE contest = $1;

-- name: RemoveAddresses :exec
DELETE FROM account_address WHERE contest = $1;

-- name: RemoveContestAccounts :exec
DELETE FROM contest_account WHERE contest = $1;

-- name: RemovePersons :exec
DELETE FROM person WHERE contest = $1;

-- name: RemovePlacesInGroups :exec
DELETE FROM team_in_group WHERE contest = $1;

-- name: RemoveGroups :exec
DELETE FROM team_group WHERE contest = $1;

-- name: RemoveMembersOfContest :exec
DELETE FROM member WHERE contest = $1;

-- name: RemoveTeamsOfContest :exec
DELETE FROM team WHERE contest = $1;

-- name: RemoveOrganizations :exec
DELETE FROM organization WHERE contest = $1;

-- RemoveInvitations ends the invitations to a contest, which then name none.
-- name: RemoveInvitations :exec
UPDATE invitation SET contest = NULL, ended = COALESCE(ended, sqlc.arg(now)) WHERE contest = sqlc.arg(contest);

-- name: RemoveRolesIn :exec
DELETE FROM grant_role WHERE scope = sqlc.arg(scope)
    OR SUBSTR(scope, 1, LENGTH(CAST(sqlc.arg(scope) AS TEXT)) + 6) = CAST(sqlc.arg(scope) AS TEXT) || '/site:';

-- name: RemoveLog :exec
DELETE FROM log WHERE contest = $1;

-- name: RemoveContest :execrows
DELETE FROM contest WHERE id = $1 AND revision = $2;

-- HoldHole locks the hole until the transaction ends.
-- name: HoldHole :execrows
UPDATE hole SET last_number = last_number WHERE id = $1;

-- name: AnswersTo :one
SELECT COUNT(*) FROM answer WHERE hole = $1;

-- name: RemoveHole :execrows
DELETE FROM hole WHERE id = $1;

-- HoldLadder locks the ladder until the transaction ends.
-- name: HoldLadder :execrows
UPDATE ladder SET bots = bots WHERE id = $1;

-- name: BotsOn :one
SELECT COUNT(*) FROM bot WHERE ladder = $1;

-- name: RemoveLadder :execrows
DELETE FROM ladder WHERE id = $1;
