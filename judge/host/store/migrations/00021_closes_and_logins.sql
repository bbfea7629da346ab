-- Holes that close by themselves, and when accounts logged in.

-- +goose Up
ALTER TABLE hole ADD COLUMN closes BIGINT; -- from then on it takes no submissions; null for never

DROP VIEW hole_line;
CREATE VIEW hole_line AS
SELECT hole.id, hole.slug, hole.name, hole.problem, hole.visibility, hole.shown, hole.closed, hole.closes, hole.revision, hole.last_number, hole.made,
    problem.slug AS problem_slug
FROM hole
JOIN problem ON problem.id = hole.problem;

-- The last login, some minutes early for programs that send a password or a token; null for never.
ALTER TABLE account ADD COLUMN last_login BIGINT;
UPDATE account SET last_login = (SELECT MAX(session.created) FROM session WHERE session.account = account.id);

DROP VIEW account_role;
CREATE VIEW account_role AS
SELECT account.id, account.login, account.display, account.email, account.password, account.kind,
    account.session_epoch, account.disabled, account.created, account.erased, account.last_login,
    CAST(COALESCE(grant_role.role, '') AS TEXT) AS role
FROM account
LEFT JOIN grant_role ON grant_role.account = account.id AND grant_role.scope = 'site';
