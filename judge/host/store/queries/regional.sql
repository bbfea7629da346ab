-- name: OrganizationsOf :many
SELECT * FROM organization WHERE contest = $1 ORDER BY id;

-- name: PutOrganization :exec
INSERT INTO organization (contest, id, icpc_id, name, formal_name, country, subdivision, url, location)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (contest, id) DO UPDATE SET icpc_id = excluded.icpc_id, name = excluded.name, formal_name = excluded.formal_name,
    country = excluded.country, subdivision = excluded.subdivision, url = excluded.url, location = excluded.location;

-- name: PersonsOf :many
SELECT * FROM person WHERE contest = $1 ORDER BY id;

-- name: PutPerson :exec
INSERT INTO person (contest, id, icpc_id, name, title, email, sex, role, teams) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (contest, id) DO UPDATE SET icpc_id = excluded.icpc_id, name = excluded.name, title = excluded.title,
    email = excluded.email, sex = excluded.sex, role = excluded.role, teams = excluded.teams;

-- name: ContestAccountsOf :many
SELECT sqlc.embed(contest_account), sqlc.embed(account) FROM contest_account
JOIN account ON account.id = contest_account.account
WHERE contest_account.contest = $1
ORDER BY contest_account.id;

-- PutContestAccount leaves what says who created the account.
-- name: PutContestAccount :exec
INSERT INTO contest_account (contest, id, account, type, person, created) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (contest, id) DO UPDATE SET type = excluded.type, person = excluded.person;

-- name: AddressesOf :many
SELECT * FROM account_address WHERE contest = $1 ORDER BY account, address;

-- name: InsertAddress :exec
INSERT INTO account_address (contest, account, address) VALUES ($1, $2, $3);

-- name: DeleteAddresses :exec
DELETE FROM account_address WHERE contest = $1 AND account = $2;

-- TeamAddresses are the addresses from which the accounts of teams are expected, of one account or of all; ''
-- is for all.
-- name: TeamAddresses :many
SELECT account_address.contest, account_address.account, account_address.address
FROM account_address
JOIN contest_account ON contest_account.contest = account_address.contest AND contest_account.account = account_address.account
WHERE contest_account.type = 'team' AND (CAST(sqlc.arg(account) AS TEXT) = '' OR account_address.account = sqlc.arg(account))
ORDER BY account_address.contest, account_address.account, account_address.address;

-- LoginAddresses are the addresses from which the members of the teams of a contest have logged in since a
-- moment.
-- name: LoginAddresses :many
SELECT DISTINCT member.team, audit.address FROM member
JOIN audit ON audit.actor = member.account
WHERE member.contest = $1 AND audit.action = 'log in' AND audit.at >= sqlc.arg(since) AND audit.address <> ''
ORDER BY member.team, audit.address;
