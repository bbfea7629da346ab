-- Final results, the verification of verdicts by judges, and problems whose judging is paused.

-- +goose Up
ALTER TABLE contest ADD COLUMN final_b BIGINT NOT NULL DEFAULT 0; -- further bronze medals
ALTER TABLE contest ADD COLUMN final_by TEXT NOT NULL DEFAULT ''; -- the name of who approved the results
-- When the last change of the contest happened that the Contest API shows; null until then.
ALTER TABLE contest ADD COLUMN updates_end BIGINT;

ALTER TABLE contest_problem ADD COLUMN judging_paused BOOLEAN NOT NULL DEFAULT FALSE;
-- Whether judges verify verdicts: '' for not, before or after contestants see them. With -rejected,
-- accepted submissions need no verification.
ALTER TABLE contest_problem ADD COLUMN verify TEXT NOT NULL DEFAULT '';

ALTER TABLE judgement ADD COLUMN verify TEXT NOT NULL DEFAULT ''; -- what the problem said when it began
ALTER TABLE judgement ADD COLUMN verified BOOLEAN NOT NULL DEFAULT FALSE;

-- What judges said about verdicts. The last row of a judgement holds.
-- +
CREATE TABLE verification (
    judgement TEXT NOT NULL REFERENCES judgement (id),
    at BIGINT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    ok BOOLEAN NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (judgement, at)
);
CREATE INDEX verification_account ON verification (account);

-- Whether the judgement that counts must be verified: before or after, done, or '' if not.
ALTER TABLE standing ADD COLUMN verify TEXT NOT NULL DEFAULT '';
CREATE INDEX standing_verify ON standing (contest, verify, number) WHERE verify <> '';

ALTER TABLE job ADD COLUMN paused BOOLEAN NOT NULL DEFAULT FALSE; -- it waits until the judging of its problem goes on

DROP VIEW submitted;
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

DROP VIEW counted;
CREATE VIEW counted AS
SELECT submission.id, submission.contest, submission.number, CAST(submission.team AS TEXT) AS team, contest_problem.label,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received, judgement.ended, judgement.verdict,
    judgement.score, judgement.finished, standing.ignored, standing.given, standing.verify
FROM submission
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.team IS NOT NULL;
