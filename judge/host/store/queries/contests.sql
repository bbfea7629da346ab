-- name: InsertPractice :exec
INSERT INTO contest (id, slug, name, format, length, visibility, settings, revision, next_number, last_seq, last_time)
VALUES ($1, $1, $2, 'practice', 0, 'accounts', '{}', 1, 1, 0, 0)
ON CONFLICT (id) DO NOTHING;

-- name: InsertContest :exec
INSERT INTO contest (id, slug, name, format, starts, length, freezes, visibility, settings, revision, next_number, last_seq, last_time,
    formal_name, main_group)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 1, 0, 0, $10, $11);

-- UpdateContest changes nothing if the contest was changed since it was read.
-- name: UpdateContest :execrows
UPDATE contest SET slug = $3, name = $4, format = $5, starts = $6, length = $7, freezes = $8, thaw = $9, finalized = $10,
    visibility = $11, settings = $12, formal_name = $13, main_group = $14, final_b = $15, final_by = $16, updates_end = $17, revision = revision + 1
WHERE id = $1 AND revision = $2;

-- name: ContestBySlug :one
SELECT * FROM contest WHERE slug = $1;

-- name: GetContest :one
SELECT * FROM contest WHERE id = $1;

-- ListContests returns all contests except practice.
-- name: ListContests :many
SELECT * FROM contest WHERE format <> 'practice' ORDER BY id;

-- name: InsertContestProblem :exec
INSERT INTO contest_problem (contest, label, place, problem, points, color, ext_id, color_name, judging_paused, verify)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: DeleteContestProblems :exec
DELETE FROM contest_problem WHERE contest = $1;

-- name: ProblemsOfContest :many
SELECT sqlc.embed(contest_problem), sqlc.embed(problem) FROM contest_problem
JOIN problem ON problem.id = contest_problem.problem
WHERE contest_problem.contest = $1
ORDER BY contest_problem.place, contest_problem.label;

-- name: ContestsOfProblem :many
SELECT contest.* FROM contest_problem
JOIN contest ON contest.id = contest_problem.contest
JOIN problem ON problem.id = contest_problem.problem
WHERE problem.slug = $1
ORDER BY contest.id;

-- HoldContest locks the contest until the transaction ends.
-- name: HoldContest :execrows
UPDATE contest SET last_seq = last_seq WHERE id = $1;

-- name: CountedOf :many
SELECT * FROM counted WHERE contest = $1 ORDER BY number;

-- name: Counted :one
SELECT * FROM counted WHERE id = $1;

-- name: CountedByJudgement :one
SELECT * FROM counted WHERE id = (SELECT judgement.submission FROM judgement WHERE judgement.id = $1);
