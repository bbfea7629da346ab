-- name: InsertRejudging :exec
INSERT INTO rejudging (id, contest, filter, why, account, state, made, bundle, repeats) VALUES ($1, $2, $3, $4, $5, 'running', $6, $7, $8);

-- name: InsertRejudged :exec
INSERT INTO rejudged (rejudging, submission, old, root, new, running) VALUES ($1, $2, $3, $4, $4, TRUE);

-- name: RunningRejudged :many
SELECT rejudged.submission FROM rejudged
JOIN rejudging ON rejudging.id = rejudged.rejudging
WHERE rejudged.running AND rejudging.contest = $1;

-- SetRejudged makes another run of the same judgement the one that would count.
-- name: SetRejudged :execrows
UPDATE rejudged SET new = $2 WHERE root = $1 AND running;

-- name: GetRejudging :one
SELECT rejudging.*, account.login FROM rejudging
JOIN account ON account.id = rejudging.account
WHERE rejudging.id = $1;

-- name: RejudgingsOf :many
SELECT rejudging.*, account.login, COUNT(*) AS submissions,
    CAST(SUM(CASE WHEN EXISTS (
        SELECT 1 FROM judgement WHERE judgement.submission = rejudged.submission AND judgement.root = rejudged.root AND judgement.ended IS NULL
    ) THEN 1 ELSE 0 END) AS BIGINT) AS open
FROM rejudging
JOIN account ON account.id = rejudging.account
JOIN rejudged ON rejudged.rejudging = rejudging.id
WHERE rejudging.contest = $1
GROUP BY rejudging.id, account.login
ORDER BY rejudging.id DESC;

-- RejudgedOf reads what a rejudging makes of its submissions. Open is how many of their runs have not ended.
-- name: RejudgedOf :many
SELECT submission.number, submission.id, problem.slug, account.login, account.display, rejudged.old, rejudged.new,
    standing.judgement AS standing, was.verdict AS old_verdict, was.score AS old_score, judgement.ended, judgement.verdict,
    judgement.score, judgement.finished, judgement.reason, CAST((
        SELECT COUNT(*) FROM judgement AS run WHERE run.submission = rejudged.submission AND run.root = rejudged.root AND run.ended IS NULL
    ) AS BIGINT) AS open
FROM rejudged
JOIN submission ON submission.id = rejudged.submission
JOIN problem ON problem.id = submission.problem
JOIN account ON account.id = submission.account
JOIN standing ON standing.submission = rejudged.submission
JOIN judgement AS was ON was.id = rejudged.old
JOIN judgement ON judgement.id = rejudged.new
WHERE rejudged.rejudging = $1
ORDER BY submission.number;

-- RejudgedRuns reads the runs of the submissions of a rejudging that have ended with a verdict, in their order.
-- name: RejudgedRuns :many
SELECT rejudged.submission, CAST(judgement.verdict AS TEXT) AS verdict, CAST(COALESCE(judgement.score, '') AS TEXT) AS score, judgement.worker
FROM rejudged
JOIN judgement ON judgement.submission = rejudged.submission AND judgement.root = rejudged.root
WHERE rejudged.rejudging = $1 AND judgement.verdict IS NOT NULL
ORDER BY rejudged.submission, judgement.id;

-- name: EndRejudging :execrows
UPDATE rejudging SET state = $2, ended = $3 WHERE id = $1 AND state = 'running';

-- name: CloseRejudged :exec
UPDATE rejudged SET running = FALSE WHERE rejudging = $1;

-- name: ApplyRejudged :exec
UPDATE standing SET judgement = (
    SELECT rejudged.new FROM rejudged WHERE rejudged.rejudging = $1 AND rejudged.submission = standing.submission
) WHERE standing.submission IN (SELECT r.submission FROM rejudged AS r WHERE r.rejudging = $1);

-- name: CancelJobsOfOwner :many
UPDATE job SET state = 'cancelled', done_at = $2 WHERE owner = $1 AND done_at IS NULL RETURNING id;
