-- Contests that follow another judging system, and accounts of the types that such systems have.

-- +goose Up
ALTER TABLE contest_account RENAME TO old_contest_account;
DROP INDEX contest_account_account;
-- The accounts that a contest package lists.
CREATE TABLE contest_account (
    contest TEXT NOT NULL REFERENCES contest (id),
    id TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    type TEXT NOT NULL CHECK (type IN ('team', 'judge', 'admin', 'analyst', 'staff', 'balloon', 'proxy', 'cds', 'shadow')),
    person TEXT NOT NULL, -- id; '' for none
    created BOOLEAN NOT NULL, -- the import created the account, and so sets its name and password
    PRIMARY KEY (contest, id),
    UNIQUE (contest, account)
);
INSERT INTO contest_account (contest, id, account, type, person, created)
SELECT contest, id, account, type, person, created FROM old_contest_account;
DROP TABLE old_contest_account;
CREATE INDEX contest_account_account ON contest_account (account);

-- The judging system that a contest follows: its primary.
CREATE TABLE external_source (
    contest TEXT NOT NULL PRIMARY KEY REFERENCES contest (id),
    url TEXT NOT NULL, -- of the contest in the primary's Contest API
    login TEXT NOT NULL, -- '' for none
    secret_file TEXT NOT NULL, -- has the password of the login; '' for none
    account TEXT NOT NULL REFERENCES account (id), -- that sends the submissions here
    ours BOOLEAN NOT NULL, -- the verdicts of this server count, and not the primary's
    token TEXT NOT NULL, -- of the last line of its event feed that was kept; '' for none
    heard BIGINT NOT NULL, -- when the primary sent something; 0 for never
    trouble TEXT NOT NULL, -- why it is not followed now; '' for nothing
    scoreboard TEXT NOT NULL -- of the primary, as JSON; '' if it shows none
);

-- The objects of the primary as its event feed has them.
CREATE TABLE external_object (
    contest TEXT NOT NULL REFERENCES contest (id),
    type TEXT NOT NULL,
    id TEXT NOT NULL, -- '' for the contest and the state
    data TEXT NOT NULL, -- JSON; '' if the primary deleted it
    fresh BOOLEAN NOT NULL, -- the contest does not have it yet
    PRIMARY KEY (contest, type, id)
);

-- What of the primary this server cannot take over.
CREATE TABLE external_problem (
    contest TEXT NOT NULL REFERENCES contest (id),
    type TEXT NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (contest, type, id)
);
