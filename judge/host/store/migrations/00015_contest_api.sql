-- What the ICPC Contest API needs of contests, submissions and clarifications.

-- +goose Up
-- Tokens of event feeds of an earlier epoch are refused. It rises when the public loses something
-- that it could see before, such as a team that becomes hidden.
ALTER TABLE contest ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
-- What of start, freeze, end, thaw and finalization has happened, as the log knows it.
ALTER TABLE contest ADD COLUMN phase TEXT NOT NULL DEFAULT '';

-- The id that other systems use: unique in its contest; the number unless another one is asked for.
ALTER TABLE submission ADD COLUMN ext_id TEXT NOT NULL DEFAULT '';
UPDATE submission SET ext_id = CAST(number AS TEXT);
CREATE UNIQUE INDEX submission_ext_id ON submission (contest, ext_id);
-- When it was submitted, as another system says; null for when it was received.
ALTER TABLE submission ADD COLUMN time_given BIGINT;

ALTER TABLE clarification ADD COLUMN ext_id TEXT NOT NULL DEFAULT '';
UPDATE clarification SET ext_id = CAST(number AS TEXT);
CREATE UNIQUE INDEX clarification_ext_id ON clarification (contest, ext_id);
-- When it was written, as another system says; null for when it was received.
ALTER TABLE clarification ADD COLUMN time_given BIGINT;

CREATE INDEX rejudged_old ON rejudged (old);

DROP VIEW submitted;
CREATE VIEW submitted AS
SELECT submission.id, submission.contest, submission.team, submission.number, submission.problem, submission.account,
    submission.language, submission.entry, submission.files, submission.folder, submission.size,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received, account.login, account.display, problem.slug,
    judgement.id AS judgement, judgement.verdict, judgement.score, judgement.ended, job.state, standing.ignored, standing.given
FROM submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id;

DROP VIEW counted;
CREATE VIEW counted AS
SELECT submission.id, submission.contest, submission.number, CAST(submission.team AS TEXT) AS team, contest_problem.label,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received, judgement.ended, judgement.verdict,
    judgement.score, judgement.finished, standing.ignored, standing.given
FROM submission
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.team IS NOT NULL;
