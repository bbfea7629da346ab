-- +goose Up
-- When a person was erased: the row stays, for what refers to it.
ALTER TABLE account ADD COLUMN erased BIGINT;

-- When its password was typed last.
ALTER TABLE session ADD COLUMN sure BIGINT NOT NULL DEFAULT 0;

-- What lets people make an account for themselves. Those of workers and of the first admin
-- are in invite.
CREATE TABLE invitation (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    note TEXT NOT NULL, -- what it is for, for those who made it
    contest TEXT REFERENCES contest (id), -- in which they take part; null for none
    uses BIGINT NOT NULL, -- how many may come
    used BIGINT NOT NULL,
    made BIGINT NOT NULL,
    made_by TEXT NOT NULL REFERENCES account (id),
    expires BIGINT NOT NULL,
    ended BIGINT -- when somebody took it back
);

DROP VIEW account_role;
CREATE VIEW account_role AS
SELECT account.id, account.login, account.display, account.email, account.password, account.kind,
    account.session_epoch, account.disabled, account.created, account.erased,
    CAST(COALESCE(grant_role.role, '') AS TEXT) AS role
FROM account
LEFT JOIN grant_role ON grant_role.account = account.id AND grant_role.scope = 'site';
