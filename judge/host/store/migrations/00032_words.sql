-- The visibility of contests, holes and ladders, and the states of jobs and bots, in the words of the API.

-- +goose Up
ALTER TABLE contest RENAME COLUMN visibility TO old_visibility;
ALTER TABLE contest ADD COLUMN visibility TEXT NOT NULL DEFAULT 'jury'
    CHECK (visibility IN ('public', 'accounts', 'teams', 'jury'));
UPDATE contest SET visibility = old_visibility WHERE old_visibility <> 'staff';
ALTER TABLE contest DROP COLUMN old_visibility;

DROP VIEW hole_line;
ALTER TABLE hole RENAME COLUMN visibility TO old_visibility;
ALTER TABLE hole ADD COLUMN visibility TEXT NOT NULL DEFAULT 'jury' CHECK (visibility IN ('public', 'accounts', 'jury'));
UPDATE hole SET visibility = old_visibility WHERE old_visibility <> 'staff';
ALTER TABLE hole DROP COLUMN old_visibility;
-- A hole with the problem's name in paths.
CREATE VIEW hole_line AS
SELECT hole.id, hole.slug, hole.name, hole.problem, hole.visibility, hole.shown, hole.closed, hole.closes, hole.revision, hole.last_number, hole.made,
    problem.slug AS problem_slug
FROM hole
JOIN problem ON problem.id = hole.problem;

DROP VIEW ladder_game;
ALTER TABLE ladder RENAME COLUMN visibility TO old_visibility;
ALTER TABLE ladder ADD COLUMN visibility TEXT NOT NULL DEFAULT 'jury' CHECK (visibility IN ('public', 'accounts', 'jury'));
UPDATE ladder SET visibility = old_visibility WHERE old_visibility <> 'staff';
ALTER TABLE ladder DROP COLUMN old_visibility;
-- A ladder with its problem.
CREATE VIEW ladder_game AS
SELECT ladder.*, problem.slug AS game, problem.title, problem.sheet
FROM ladder
JOIN problem ON problem.id = ladder.problem;

DROP VIEW bot_author;
ALTER TABLE bot RENAME COLUMN state TO old_state;
ALTER TABLE bot ADD COLUMN state TEXT NOT NULL DEFAULT 'checking'
    CHECK (state IN ('checking', 'active', 'paused', 'rejected', 'retired'));
UPDATE bot SET state = CASE old_state WHEN 'refused' THEN 'rejected' ELSE old_state END WHERE old_state <> 'checking';
ALTER TABLE bot DROP COLUMN old_state;
-- A bot with its account.
CREATE VIEW bot_author AS
SELECT bot.*, account.login, account.display, account.disabled
FROM bot
JOIN account ON account.id = bot.account;

DROP VIEW submitted;
DROP INDEX job_open;
DROP INDEX job_owner;
ALTER TABLE job RENAME COLUMN state TO old_state;
ALTER TABLE job ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'dispatched', 'done', 'failed', 'cancelled'));
UPDATE job SET state = CASE old_state WHEN 'out' THEN 'dispatched' ELSE old_state END WHERE old_state <> 'waiting';
ALTER TABLE job DROP COLUMN old_state;
CREATE INDEX job_open ON job (state, lane, class, start_tag, id) WHERE done_at IS NULL;
CREATE INDEX job_owner ON job (lane, owner, class, start_tag, id) WHERE done_at IS NULL AND state = 'waiting';
-- A submission with its account, its problem and its current judgement.
CREATE VIEW submitted AS
SELECT submission.id, submission.contest, submission.team, submission.number, submission.problem, submission.account,
    submission.language, submission.entry, submission.files, submission.folder, submission.size,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received, account.login, account.display, problem.slug,
    judgement.id AS judgement, judgement.verdict, judgement.score, judgement.ended, job.state, job.paused, standing.ignored, standing.given,
    standing.verify
FROM submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id;
