-- Clarifications to several teams and groups, and what teams want printed.

-- +goose Up
ALTER TABLE clarification ADD COLUMN category TEXT NOT NULL DEFAULT ''; -- technical; '' is general, or that of the problem
ALTER TABLE clarification ADD COLUMN chosen BOOLEAN NOT NULL DEFAULT FALSE; -- for the teams and groups of the tables below alone

-- + Teams to which the jury wrote a clarification that is chosen.
CREATE TABLE clarification_team (
    contest TEXT NOT NULL,
    number BIGINT NOT NULL,
    team TEXT NOT NULL REFERENCES team (id),
    PRIMARY KEY (contest, number, team),
    FOREIGN KEY (contest, number) REFERENCES clarification (contest, number)
);
CREATE INDEX clarification_team_team ON clarification_team (team);

-- + Groups to whose teams the jury wrote a clarification that is chosen.
CREATE TABLE clarification_group (
    contest TEXT NOT NULL,
    number BIGINT NOT NULL,
    team_group TEXT NOT NULL,
    PRIMARY KEY (contest, number, team_group),
    FOREIGN KEY (contest, number) REFERENCES clarification (contest, number),
    FOREIGN KEY (contest, team_group) REFERENCES team_group (contest, id)
);

-- The teams that read a clarification that is not for all.
CREATE VIEW clarification_reader AS
SELECT contest, number, CAST(team AS TEXT) AS team FROM clarification WHERE team IS NOT NULL
UNION
SELECT contest, number, team FROM clarification_team
UNION
SELECT clarification_group.contest, clarification_group.number, team_in_group.team FROM clarification_group
JOIN team_in_group ON team_in_group.contest = clarification_group.contest AND team_in_group.team_group = clarification_group.team_group;

CREATE TABLE print_request (
    contest TEXT NOT NULL REFERENCES contest (id),
    number BIGINT NOT NULL, -- from 1
    team TEXT NOT NULL REFERENCES team (id),
    account TEXT NOT NULL REFERENCES account (id), -- that sent the file
    name TEXT NOT NULL, -- of the file
    language TEXT NOT NULL, -- '' for none
    body TEXT NOT NULL, -- the file; '' if the account was erased
    pages BIGINT NOT NULL,
    made BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'printing', 'done', 'failed')),
    reason TEXT NOT NULL, -- why it failed; '' if it did not
    printer TEXT REFERENCES account (id), -- who printed it; null for the print command
    changed BIGINT NOT NULL, -- when the state was set
    PRIMARY KEY (contest, number)
);
CREATE INDEX print_request_team ON print_request (team, made);
CREATE INDEX print_request_open ON print_request (made) WHERE state IN ('waiting', 'printing');
