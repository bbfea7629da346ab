-- VerifyMode reads whether judges verify the verdicts of a submission's problem, and when it was submitted.
-- name: VerifyMode :one
SELECT contest_problem.verify, CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS at, team.extra_time
FROM submission
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN team ON team.id = submission.team
WHERE submission.id = $1;

-- name: InsertVerification :exec
INSERT INTO verification (judgement, at, account, ok, note) VALUES ($1, $2, $3, $4, $5);

-- name: SetVerified :exec
UPDATE judgement SET verified = $2 WHERE id = $1;

-- name: VerificationsOf :many
SELECT verification.at, verification.ok, verification.note, account.login, judgement.id, judgement.verdict FROM verification
JOIN judgement ON judgement.id = verification.judgement
JOIN account ON account.id = verification.account
WHERE judgement.submission = $1 ORDER BY verification.at DESC;

-- CountVerify counts the submissions of a contest whose verdicts judges verify, by how far that is.
-- name: CountVerify :many
SELECT verify, COUNT(*) AS submissions FROM standing WHERE contest = $1 AND verify <> '' AND NOT ignored GROUP BY verify;

-- KeepVerified keeps what was verified of judgements that a rejudging replaces by the same verdict.
-- name: KeepVerified :exec
UPDATE judgement SET verified = TRUE WHERE judgement.id IN (
    SELECT rejudged.new FROM rejudged
    JOIN judgement AS was ON was.id = rejudged.old
    JOIN judgement AS made ON made.id = rejudged.new
    WHERE rejudged.rejudging = $1 AND was.verified AND was.verdict = made.verdict
        AND COALESCE(was.score, '') = COALESCE(made.score, '')
);

-- name: SetProblemVerify :execrows
UPDATE contest_problem SET verify = $3 WHERE contest = $1 AND label = $2;

-- name: SetProblemPaused :execrows
UPDATE contest_problem SET judging_paused = $3 WHERE contest = $1 AND label = $2;

-- PauseJobs makes the jobs of a problem in a contest wait, or go on.
-- name: PauseJobs :exec
UPDATE job SET paused = sqlc.arg(paused) WHERE job.done_at IS NULL AND job.id IN (
    SELECT judgement.id FROM judgement
    JOIN submission ON submission.id = judgement.submission
    JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
    WHERE judgement.ended IS NULL AND submission.contest = sqlc.arg(contest) AND contest_problem.label = sqlc.arg(label)
);

-- SetUpdatesEnd notes when the last change of a contest happened that the Contest API shows.
-- name: SetUpdatesEnd :exec
UPDATE contest SET updates_end = $2 WHERE id = $1 AND updates_end IS NULL;
