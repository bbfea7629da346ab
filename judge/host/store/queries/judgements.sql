-- name: InsertJudgement :exec
INSERT INTO judgement (id, submission, bundle, config, class, origin, root, why, started, verify) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: InsertStanding :exec
INSERT INTO standing (submission, judgement, contest, number) VALUES ($1, $2, $3, $4);

-- name: SetStanding :exec
UPDATE standing SET judgement = $2 WHERE submission = $1;

-- SetMark makes a mark hold; SettleStanding comes after it, as after all that changes which
-- verdict counts.
-- name: SetMark :exec
UPDATE standing SET ignored = $2, given = $3 WHERE submission = $1;

-- name: SettleStanding :exec
UPDATE standing SET verdict = CASE WHEN standing.given <> '' THEN standing.given ELSE (
    SELECT CASE WHEN j.ended IS NULL THEN 'open' ELSE COALESCE(j.verdict, '') END
    FROM judgement AS j WHERE j.id = standing.judgement
) END, verify = CASE WHEN standing.given <> '' THEN '' ELSE (
    SELECT CASE WHEN j.ended IS NULL OR j.verify = '' OR COALESCE(j.verdict, 'JE') = 'JE' THEN ''
        WHEN j.verdict = 'AC' AND j.verify LIKE '%-rejected' THEN ''
        WHEN j.verified THEN 'done' WHEN j.verify LIKE 'before%' THEN 'before' ELSE 'after' END
    FROM judgement AS j WHERE j.id = standing.judgement
) END WHERE standing.submission = $1;

-- name: InsertMark :exec
INSERT INTO mark (id, submission, at, ignored, verdict, why, account) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: MarksOf :many
SELECT mark.at, mark.ignored, mark.verdict, mark.why, account.login FROM mark
JOIN account ON account.id = mark.account
WHERE mark.submission = $1 ORDER BY mark.id DESC;

-- EndJudgement is the one change of a judgement.
-- name: EndJudgement :execrows
UPDATE judgement SET
    ended = $2, verdict = $3, score = $4, finished = $5, case_rows = $6, events = $7, reason = $8,
    worker = $9, version = $10, machine = $11, rung = $12, toolchains = $13, cpu = $14
WHERE id = $1 AND ended IS NULL;

-- name: JudgementOfJob :one
SELECT judgement.submission, judgement.verdict, judgement.root, judgement.verify, submission.contest FROM judgement
JOIN submission ON submission.id = judgement.submission
WHERE judgement.id = $1;

-- RunsOf reads a judgement and those that repeat it, in their order.
-- name: RunsOf :many
SELECT id, origin, bundle, config, verdict, score, worker, ended FROM judgement
WHERE submission = $1 AND root = $2 ORDER BY started, id;

-- name: OpenRepeats :many
SELECT judgement.id, judgement.submission, judgement.origin, job.lane, job.class, job.excluded FROM judgement
JOIN job ON job.id = judgement.id
WHERE judgement.origin <> 'first' AND judgement.origin <> 'rejudge' AND judgement.ended IS NULL ORDER BY judgement.id;

-- Judgings reads backwards: ids are in the order of time. Where an origin is given, all that
-- were repeated for it are meant, with what they repeat.
-- name: Judgings :many
SELECT judgement.id, judgement.submission, judgement.origin, judgement.root, judgement.why, judgement.started, judgement.ended,
    judgement.verdict, judgement.score, judgement.finished, judgement.case_rows, judgement.reason, judgement.worker,
    judgement.version, judgement.rung, judgement.toolchains, submission.number, submission.entry, account.login, problem.slug, standing.judgement AS standing
FROM judgement
JOIN submission ON submission.id = judgement.submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
WHERE judgement.id < sqlc.arg(before)
    AND (CAST(sqlc.arg(worker) AS TEXT) = '' OR judgement.worker = sqlc.arg(worker))
    AND (CAST(sqlc.arg(origin) AS TEXT) = '' OR judgement.root IN (SELECT r.root FROM judgement AS r WHERE r.origin <> 'first' AND r.origin = sqlc.arg(origin)))
ORDER BY judgement.id DESC LIMIT sqlc.arg(most);

-- name: StandingJudgement :one
SELECT judgement.*, job.state FROM standing
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id
WHERE standing.submission = $1;

-- JudgementsOf reads all judgements of a submission, newest first, with the rejudgings that made them.
-- name: JudgementsOf :many
SELECT judgement.id, judgement.origin, judgement.bundle, judgement.started, judgement.ended, judgement.verdict, judgement.score, judgement.worker,
    job.state, rejudging.id AS rejudging, rejudging.why AS rejudging_why, rejudging.state AS rejudging_state
FROM judgement
JOIN job ON job.id = judgement.id
LEFT JOIN rejudged ON rejudged.root = judgement.root
LEFT JOIN rejudging ON rejudging.id = rejudged.rejudging
WHERE judgement.submission = $1 ORDER BY judgement.id DESC;
