-- name: CountWaiting :one
SELECT COUNT(*) FROM job WHERE done_at IS NULL AND state = 'waiting' AND lane = $1;

-- TakeTurn gives the owner's next jobs of a priority their place: the formula of package fair for
-- jobs that cost so much together. It returns where they end, and locks the owner's row
-- until the transaction ends. Due counts where nothing of the owner waits.
-- name: TakeTurn :one
INSERT INTO turn (lane, owner, finish, due)
VALUES ($1, $2, COALESCE((SELECT lane.v FROM lane WHERE lane.lane = $1), 0) + sqlc.arg(cost), sqlc.arg(due))
ON CONFLICT (lane, owner) DO UPDATE SET finish =
    CASE WHEN turn.finish + sqlc.arg(cost) > excluded.finish THEN turn.finish + sqlc.arg(cost) ELSE excluded.finish END,
    due = CASE WHEN EXISTS (
        SELECT 1 FROM job WHERE job.done_at IS NULL AND job.state = 'waiting' AND NOT job.paused AND job.lane = turn.lane AND job.owner = turn.owner
    ) THEN turn.due ELSE excluded.due END
RETURNING finish;

-- SetDue is for an owner whose job was given out.
-- name: SetDue :exec
UPDATE turn SET due = $3 WHERE lane = $1 AND owner = $2;

-- name: Served :one
SELECT CAST(COALESCE((SELECT lane.served FROM lane WHERE lane.lane = $1), 0) AS BIGINT) AS served;

-- CountOthers counts the owners with waiting jobs of a priority, except one of them.
-- name: CountOthers :one
SELECT COUNT(*) FROM turn
WHERE turn.lane = $1 AND turn.owner <> $2 AND EXISTS (
    SELECT 1 FROM job WHERE job.done_at IS NULL AND job.state = 'waiting' AND NOT job.paused AND job.lane = turn.lane AND job.owner = turn.owner
);

-- AdvancePriority only moves forwards.
-- name: AdvancePriority :one
INSERT INTO lane (lane, v, served) VALUES ($1, $2, $3)
ON CONFLICT (lane) DO UPDATE SET served = lane.served + excluded.served,
    v = CASE WHEN lane.v < excluded.v THEN excluded.v ELSE lane.v END
RETURNING served;

-- DeleteTurns drops what says the same as no row.
-- name: DeleteTurns :exec
DELETE FROM turn WHERE finish <= (SELECT lane.v FROM lane WHERE lane.lane = turn.lane);

-- name: InsertJob :exec
INSERT INTO job (id, kind, lane, class, owner, cost, start_tag, spec, token, state, generation, tries, excluded, made, worker, flow, part_key, paused)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 1, 0, $10, $11, '', $12, $13,
    EXISTS (
        SELECT 1 FROM judgement
        JOIN submission ON submission.id = judgement.submission
        JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
        WHERE judgement.id = $1 AND contest_problem.judging_paused
    ));

-- name: GetJob :one
SELECT * FROM job WHERE id = $1;

-- name: NextJobs :many
SELECT id, lane, class, spec, token, generation, tries, excluded FROM job
WHERE done_at IS NULL AND state = 'waiting' AND NOT paused AND lane = $1 AND class = $2
ORDER BY start_tag, id LIMIT $3;

-- FirstOfOwners is the first waiting job of each owner, with the number of jobs that may be given
-- out before it.
-- name: FirstOfOwners :many
SELECT job.id, turn.due FROM turn
JOIN job ON job.id = (
    SELECT j.id FROM job AS j
    WHERE j.done_at IS NULL AND j.state = 'waiting' AND NOT j.paused AND j.lane = turn.lane AND j.owner = turn.owner AND j.class = $2
    ORDER BY j.start_tag, j.id LIMIT 1
)
WHERE turn.lane = $1
ORDER BY turn.due, job.start_tag, job.id;

-- name: WaitingJob :one
SELECT id, lane, class, spec, token, generation, tries, excluded FROM job
WHERE id = $1 AND done_at IS NULL AND state = 'waiting' AND NOT paused;

-- CountAhead counts the jobs of a priority that go before one by their tags, those of them that came
-- later, and those of higher priorities.
-- name: CountAhead :one
SELECT COUNT(CASE WHEN lane = $1 THEN 1 END) AS ahead, COUNT(CASE WHEN lane = $1 AND job.id > $4 THEN 1 END) AS later,
    COUNT(CASE WHEN lane < $1 THEN 1 END) AS priority
FROM job
WHERE done_at IS NULL AND state = 'waiting' AND NOT paused AND class = $2 AND (lane < $1 OR lane = $1 AND (start_tag < $3 OR start_tag = $3 AND job.id < $4));

-- IsFirst reports whether no job of a priority and class with a lower start tag waits.
-- name: IsFirst :one
SELECT NOT EXISTS (
    SELECT 1 FROM job WHERE done_at IS NULL AND state = 'waiting' AND NOT paused AND lane = $1 AND class = $2 AND start_tag < $3
) AS is_first;

-- name: MarkDispatched :one
UPDATE job SET state = 'dispatched', out_at = $3
WHERE id = $1 AND generation = $2 AND state = 'waiting' AND NOT paused AND done_at IS NULL
RETURNING lane, class, owner, start_tag;

-- name: OpenJobs :many
SELECT lane, class, state, COUNT(*) AS jobs, CAST(MIN(made) AS BIGINT) AS oldest FROM job
WHERE done_at IS NULL AND (state = 'dispatched' OR state = 'waiting' AND NOT paused)
GROUP BY lane, class, state
ORDER BY lane, class, state;

-- OpenByAccount counts the open work of each account: jobs, workflows, and workflows without a job that waits
-- or is dispatched.
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

-- name: DispatchedBefore :many
SELECT id, generation, lane, class, out_at FROM job
WHERE done_at IS NULL AND state = 'dispatched' AND out_at < $1
ORDER BY out_at, id;

-- name: RequeueJob :execrows
UPDATE job SET state = 'waiting', generation = generation + 1, out_at = NULL
WHERE id = $1 AND generation = $2 AND state = 'dispatched' AND done_at IS NULL;

-- FailJob puts a job that failed back into the queue.
-- name: FailJob :execrows
UPDATE job SET state = 'waiting', generation = generation + 1, out_at = NULL, tries = $4, excluded = $3
WHERE id = $1 AND generation = $2 AND done_at IS NULL;

-- HoldUntouched locks the job of a first judgement that never left the database, until the
-- transaction ends.
-- name: HoldUntouched :execrows
UPDATE job SET state = state WHERE job.id = $1 AND done_at IS NULL AND state = 'waiting' AND generation = 1
    AND EXISTS (SELECT 1 FROM judgement AS j WHERE j.id = job.id AND j.origin = 'first');

-- EndJob is the last change of a job, and locks it until the transaction ends.
-- name: EndJob :execrows
UPDATE job SET state = $2, done_at = $3, worker = $4 WHERE id = $1 AND done_at IS NULL;
