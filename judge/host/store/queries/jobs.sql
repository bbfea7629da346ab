-- name: CountWaiting :one
SELECT COUNT(*) FROM job WHERE done_at IS NULL AND state = 'waiting' AND lane = $1;

-- TakeTurn gives the owner's next jobs of a lane their place: the formula of package fair for
-- jobs that cost so much together. It returns where they end, and locks the owner's row
-- until the transaction ends.
-- name: TakeTurn :one
INSERT INTO turn (lane, owner, finish)
VALUES ($1, $2, COALESCE((SELECT lane.v FROM lane WHERE lane.lane = $1), 0) + sqlc.arg(cost))
ON CONFLICT (lane, owner) DO UPDATE SET finish =
    CASE WHEN turn.finish + sqlc.arg(cost) > excluded.finish THEN turn.finish + sqlc.arg(cost) ELSE excluded.finish END
RETURNING finish;

-- MoveLane only moves forwards.
-- name: MoveLane :exec
INSERT INTO lane (lane, v) VALUES ($1, $2)
ON CONFLICT (lane) DO UPDATE SET v = CASE WHEN lane.v < excluded.v THEN excluded.v ELSE lane.v END;

-- DeleteTurns drops what says the same as no row.
-- name: DeleteTurns :exec
DELETE FROM turn WHERE finish <= (SELECT lane.v FROM lane WHERE lane.lane = turn.lane);

-- name: InsertJob :exec
INSERT INTO job (id, kind, lane, class, owner, cost, start_tag, spec, token, state, generation, tries, excluded, made, worker, flow, part_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 1, 0, $10, $11, '', $12, $13);

-- name: GetJob :one
SELECT * FROM job WHERE id = $1;

-- name: NextJobs :many
SELECT id, lane, class, spec, token, generation, tries, excluded FROM job
WHERE done_at IS NULL AND state = 'waiting' AND lane = $1 AND class = $2
ORDER BY start_tag, id LIMIT $3;

-- name: MarkOut :one
UPDATE job SET state = 'out', out_at = $3
WHERE id = $1 AND generation = $2 AND state = 'waiting' AND done_at IS NULL
RETURNING lane, start_tag;

-- name: OpenJobs :many
SELECT lane, class, state, COUNT(*) AS jobs, CAST(MIN(made) AS BIGINT) AS oldest FROM job
WHERE done_at IS NULL AND state IN ('waiting', 'out')
GROUP BY lane, class, state
ORDER BY lane, class, state;

-- OpenByAccount counts what has not ended of each account: jobs, flows, and flows of which no
-- job waits or is out.
-- name: OpenByAccount :many
SELECT account.login, CAST(SUM(o.jobs) AS BIGINT) AS jobs, CAST(SUM(o.flows) AS BIGINT) AS flows, CAST(SUM(o.idle) AS BIGINT) AS idle, CAST(MIN(o.made) AS BIGINT) AS oldest
FROM (
    SELECT job.owner, 1 AS jobs, 0 AS flows, 0 AS idle, job.made FROM job WHERE job.done_at IS NULL
    UNION ALL
    SELECT flow.owner, 0 AS jobs, 1 AS flows,
        CASE WHEN EXISTS (SELECT 1 FROM job AS j WHERE j.flow = flow.id AND j.done_at IS NULL) THEN 0 ELSE 1 END AS idle, flow.made
    FROM flow WHERE flow.done_at IS NULL
) AS o
JOIN account ON account.id = o.owner
GROUP BY account.login
ORDER BY SUM(o.jobs) + SUM(o.flows) DESC, account.login;

-- name: OutSince :many
SELECT id, generation, lane, class, out_at FROM job
WHERE done_at IS NULL AND state = 'out' AND out_at < $1
ORDER BY out_at, id;

-- name: Again :execrows
UPDATE job SET state = 'waiting', generation = generation + 1, out_at = NULL
WHERE id = $1 AND generation = $2 AND state = 'out' AND done_at IS NULL;

-- FailJob puts a job that failed back into the queue.
-- name: FailJob :execrows
UPDATE job SET state = 'waiting', generation = generation + 1, out_at = NULL, tries = $4, excluded = $3
WHERE id = $1 AND generation = $2 AND done_at IS NULL;

-- HoldUntouched locks the job of a first judging that never left the database, until the
-- transaction ends.
-- name: HoldUntouched :execrows
UPDATE job SET state = state WHERE job.id = $1 AND done_at IS NULL AND state = 'waiting' AND generation = 1
    AND EXISTS (SELECT 1 FROM judgement AS j WHERE j.id = job.id AND j.origin = 'first');

-- EndJob is the last change of a job, and locks it until the transaction ends.
-- name: EndJob :execrows
UPDATE job SET state = $2, done_at = $3, worker = $4 WHERE id = $1 AND done_at IS NULL;
