-- NumberAnswer locks the hole until the transaction ends, and takes a number and a time that
-- is later than any before. It takes none if the hole is closed.
-- name: NumberAnswer :one
UPDATE hole SET
    last_number = last_number + 1,
    last_time = CASE WHEN last_time >= sqlc.arg(now) THEN last_time + 1 ELSE sqlc.arg(now) END
WHERE id = sqlc.arg(id) AND NOT closed AND (closes IS NULL OR closes > sqlc.arg(now))
RETURNING last_number, last_time;

-- name: InsertAnswer :exec
INSERT INTO answer (id, hole, number, account, form_key, file, sha256, size, asked, received, state, flow, verdict, why, language, name, flags, bytes, chars, events, toolchain)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'checking', $11, '', '', '', '', '', 0, 0, '', '');

-- name: AnswerByKey :one
SELECT number FROM answer WHERE account = $1 AND form_key = $2 AND hole = $3 AND received > $4;

-- name: AnswerByNumber :one
SELECT * FROM answer_line WHERE hole = $1 AND number = $2;

-- name: AnswerOfWorkflow :one
SELECT * FROM answer_line WHERE flow = $1;

-- name: AnswersOf :many
SELECT * FROM answer_line WHERE account = $1 AND hole = $2 ORDER BY number DESC LIMIT $3;

-- name: CountAnswers :one
SELECT COUNT(*) FROM answer WHERE account = $1 AND hole = $2 AND received > sqlc.arg(after) AND received <= sqlc.arg(until);

-- ScoredAnswers are those that were right once.
-- name: ScoredAnswers :many
SELECT answer.number, answer.account, answer.received, answer.state, answer.language, answer.name, answer.flags, answer.bytes, answer.chars, answer.stood, account.display
FROM answer
JOIN account ON account.id = answer.account
WHERE answer.hole = $1 AND answer.stood IS NOT NULL
ORDER BY answer.number;

-- ShortestAnswer returns the shortest valid golf submission to a hole. Of several, it returns the one that was
-- received first.
-- name: ShortestAnswer :one
SELECT answer.number, answer.account, answer.name, answer.bytes, account.display
FROM answer
JOIN account ON account.id = answer.account
WHERE answer.hole = $1 AND answer.state = 'valid'
ORDER BY answer.bytes, answer.received
LIMIT 1;

-- ShortestOfAccount returns the number of bytes of the shortest valid golf submission of an account to a hole.
-- name: ShortestOfAccount :one
SELECT bytes FROM answer WHERE account = $1 AND hole = $2 AND state = 'valid' ORDER BY bytes LIMIT 1;

-- name: SettleAnswer :execrows
UPDATE answer SET
    state = $2, flow = '', verdict = $3, why = $4, language = $5, name = $6, flags = $7, bytes = $8, chars = $9, events = $10, toolchain = $11, stood = $12
WHERE flow = $1;

-- name: InsertAnswerProof :exec
INSERT INTO answer_proof (answer, at, state, verdict, why, toolchain, workers) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: ProofsOf :many
SELECT * FROM answer_proof WHERE answer = $1 ORDER BY at;

-- name: StandingToolchains :many
SELECT DISTINCT language, toolchain FROM answer WHERE state = 'valid';

-- OfToolchain returns the valid golf submissions that were checked with a toolchain and are not being
-- rechecked.
-- name: OfToolchain :many
SELECT answer.id, answer.account, answer.file, answer.sha256, answer.size, answer.asked, problem.slug, problem.bundle, problem.config
FROM answer
JOIN hole ON hole.id = answer.hole
JOIN problem ON problem.id = hole.problem
WHERE answer.state = 'valid' AND answer.flow = '' AND answer.sha256 <> '' AND answer.language = $1 AND answer.toolchain = $2
ORDER BY answer.id;

-- ValidAnswers are the valid submissions of a hole with their source that are not being rechecked.
-- name: ValidAnswers :many
SELECT answer.id, answer.account, answer.file, answer.sha256, answer.size, answer.asked, answer.language, answer.toolchain,
    problem.slug, problem.bundle, problem.config
FROM answer
JOIN hole ON hole.id = answer.hole
JOIN problem ON problem.id = hole.problem
WHERE answer.hole = $1 AND answer.state = 'valid' AND answer.flow = '' AND answer.sha256 <> ''
ORDER BY answer.id;

-- name: CountValidAnswers :one
SELECT COUNT(*) AS valid, COUNT(CASE WHEN flow <> '' THEN 1 END) AS rechecking
FROM answer WHERE hole = $1 AND state = 'valid' AND sha256 <> '';

-- name: RecheckAnswer :execrows
UPDATE answer SET flow = $2 WHERE id = $1 AND state = 'valid' AND flow = '';

-- name: NamedByAnswers :many
SELECT sha256, events FROM answer;

-- name: BlobsOfAnswers :many
SELECT sha256, events FROM answer WHERE account = $1;

-- name: EraseAnswers :exec
UPDATE answer SET
    file = '', sha256 = '', size = 0, asked = '{}', form_key = '', flow = '', events = '', why = '',
    state = CASE WHEN state = 'checking' THEN 'rejected' ELSE state END
WHERE account = $1;

-- name: EraseAnswerProofs :exec
UPDATE answer_proof SET why = '' WHERE answer IN (SELECT answer.id FROM answer WHERE answer.account = $1);
