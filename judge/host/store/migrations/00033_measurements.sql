-- Lists of submissions with their times and memory.

-- +goose Up
DROP VIEW submitted;
-- A submission with its account, its problem and its current judgement.
CREATE VIEW submitted AS
SELECT submission.id, submission.contest, submission.team, submission.number, submission.problem, submission.account,
    submission.language, submission.entry, submission.files, submission.folder, submission.size,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS received, account.login, account.display, problem.slug,
    judgement.id AS judgement, judgement.verdict, judgement.score, judgement.ended, judgement.finished, job.state, job.paused,
    standing.ignored, standing.given, standing.verify
FROM submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id;
