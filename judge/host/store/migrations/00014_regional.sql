-- Contests as the ICPC Contest API and contest packages describe them. In the tables below, id is
-- the id that other systems use: unique in its contest, and kept as it was imported.

-- +goose Up
CREATE TABLE organization (
    contest TEXT NOT NULL REFERENCES contest (id),
    id TEXT NOT NULL,
    icpc_id TEXT NOT NULL, -- in the ICPC's registration system; '' for none
    name TEXT NOT NULL,
    formal_name TEXT NOT NULL, -- '' for none
    country TEXT NOT NULL, -- ISO 3166-1 alpha-3; '' for none
    subdivision TEXT NOT NULL, -- ISO 3166-2; '' for none
    url TEXT NOT NULL, -- '' for none
    location TEXT NOT NULL, -- JSON; '' for none
    PRIMARY KEY (contest, id)
);

CREATE TABLE team_group (
    contest TEXT NOT NULL REFERENCES contest (id),
    id TEXT NOT NULL,
    icpc_id TEXT NOT NULL, -- '' for none
    name TEXT NOT NULL, -- scoreboards are filtered by it
    type TEXT NOT NULL, -- such as site or division; '' for none
    location TEXT NOT NULL, -- JSON; '' for none
    PRIMARY KEY (contest, id),
    UNIQUE (contest, name)
);

CREATE TABLE team_in_group (
    contest TEXT NOT NULL,
    team TEXT NOT NULL REFERENCES team (id),
    team_group TEXT NOT NULL,
    place BIGINT NOT NULL, -- among the groups of the team
    PRIMARY KEY (contest, team, team_group),
    FOREIGN KEY (contest, team_group) REFERENCES team_group (contest, id)
);
CREATE INDEX team_in_group_team ON team_in_group (team);

CREATE TABLE person (
    contest TEXT NOT NULL REFERENCES contest (id),
    id TEXT NOT NULL,
    icpc_id TEXT NOT NULL, -- '' for none
    name TEXT NOT NULL,
    title TEXT NOT NULL, -- '' for none
    email TEXT NOT NULL, -- '' for none
    sex TEXT NOT NULL, -- male or female; '' for unknown
    role TEXT NOT NULL, -- contestant, coach, staff or other
    teams TEXT NOT NULL, -- JSON: the ext_id of each team
    PRIMARY KEY (contest, id)
);

-- The accounts that a contest package lists.
CREATE TABLE contest_account (
    contest TEXT NOT NULL REFERENCES contest (id),
    id TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    type TEXT NOT NULL CHECK (type IN ('team', 'judge', 'admin', 'analyst', 'staff')),
    person TEXT NOT NULL, -- id; '' for none
    created BOOLEAN NOT NULL, -- the import created the account, and so sets its name and password
    PRIMARY KEY (contest, id),
    UNIQUE (contest, account)
);
CREATE INDEX contest_account_account ON contest_account (account);

-- From which addresses an account is expected.
CREATE TABLE account_address (
    contest TEXT NOT NULL REFERENCES contest (id),
    account TEXT NOT NULL REFERENCES account (id),
    address TEXT NOT NULL, -- one address, or a network such as 10.1.2.0/24
    PRIMARY KEY (contest, account, address)
);
CREATE INDEX account_address_account ON account_address (account);

ALTER TABLE contest ADD COLUMN formal_name TEXT NOT NULL DEFAULT '';
ALTER TABLE contest ADD COLUMN main_group TEXT NOT NULL DEFAULT ''; -- of the main scoreboard; '' for all teams

ALTER TABLE contest_problem ADD COLUMN ext_id TEXT NOT NULL DEFAULT ''; -- '' is the slug of the problem
ALTER TABLE contest_problem ADD COLUMN color_name TEXT NOT NULL DEFAULT ''; -- what people call colour

ALTER TABLE team ADD COLUMN ext_id TEXT NOT NULL DEFAULT '';
ALTER TABLE team ADD COLUMN icpc_id TEXT NOT NULL DEFAULT '';
ALTER TABLE team ADD COLUMN label TEXT NOT NULL DEFAULT ''; -- such as the number of a seat; '' is ext_id
ALTER TABLE team ADD COLUMN display_name TEXT NOT NULL DEFAULT ''; -- '' is the name
ALTER TABLE team ADD COLUMN organization TEXT NOT NULL DEFAULT ''; -- id; '' for none
ALTER TABLE team ADD COLUMN location TEXT NOT NULL DEFAULT ''; -- JSON; '' for none
UPDATE team SET ext_id = CAST(number AS TEXT);
CREATE UNIQUE INDEX team_ext_id ON team (contest, ext_id);

-- Groups were names with commas between them, at most 4096 bytes. A name begins after each comma
-- of ',' || team_groups || ',' but the last.
CREATE TABLE split_comma (team TEXT NOT NULL, contest TEXT NOT NULL, at BIGINT NOT NULL);
INSERT INTO split_comma (team, contest, at)
WITH digit (d) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
spot (at) AS (
    SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d FROM digit AS a CROSS JOIN digit AS b CROSS JOIN digit AS c CROSS JOIN digit AS e
)
SELECT team.id, team.contest, spot.at FROM team
JOIN spot ON spot.at <= LENGTH(team.team_groups) + 2
WHERE team.team_groups <> '' AND SUBSTR(',' || team.team_groups || ',', spot.at, 1) = ',';
CREATE INDEX split_comma_at ON split_comma (team, at);
CREATE TABLE split_name (team TEXT NOT NULL, contest TEXT NOT NULL, at BIGINT NOT NULL, name TEXT NOT NULL);
INSERT INTO split_name (team, contest, at, name)
SELECT one.team, one.contest, one.at, SUBSTR(',' || team.team_groups || ',', CAST(one.at + 1 AS INTEGER), CAST(one.next - one.at - 1 AS INTEGER))
FROM (
    SELECT a.team, a.contest, a.at, (SELECT MIN(b.at) FROM split_comma AS b WHERE b.team = a.team AND b.at > a.at) AS next
    FROM split_comma AS a
) AS one
JOIN team ON team.id = one.team
WHERE one.next > one.at + 1;
INSERT INTO team_group (contest, id, icpc_id, name, type, location)
SELECT named.contest, 'group-' || CAST(ROW_NUMBER() OVER (PARTITION BY named.contest ORDER BY named.name) AS TEXT), '', named.name, '', ''
FROM (SELECT DISTINCT split_name.contest, split_name.name FROM split_name) AS named;
INSERT INTO team_in_group (contest, team, team_group, place)
SELECT split_name.contest, split_name.team, team_group.id, MIN(split_name.at)
FROM split_name
JOIN team_group ON team_group.contest = split_name.contest AND team_group.name = split_name.name
GROUP BY split_name.contest, split_name.team, team_group.id;
DROP TABLE split_name;
DROP TABLE split_comma;
ALTER TABLE team DROP COLUMN team_groups;
