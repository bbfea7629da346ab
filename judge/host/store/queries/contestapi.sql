-- APISubmissions reads the submissions of a contest as the Contest API shows them, or one of them; '' is
-- for all.
-- name: APISubmissions :many
SELECT submission.id, submission.number, submission.ext_id, submission.team, submission.account, submission.language,
    submission.ending, submission.entry, submission.files, submission.folder, account.login, contest_problem.label,
    CAST(COALESCE(submission.time_given, submission.received) AS BIGINT) AS at, standing.ignored, standing.given
FROM submission
JOIN account ON account.id = submission.account
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN standing ON standing.submission = submission.id
WHERE submission.contest = sqlc.arg(contest)
    AND (CAST(sqlc.arg(submission) AS TEXT) = '' OR submission.id = sqlc.arg(submission))
ORDER BY submission.number;

-- APIJudgements reads the judgements that count, and those that counted until a rejudging was applied.
-- name: APIJudgements :many
SELECT judgement.id, judgement.submission, judgement.root, root.started, judgement.ended, judgement.verdict, judgement.score,
    judgement.finished, judgement.case_rows, judgement.verify, judgement.verified, standing.judgement AS standing
FROM judgement
JOIN standing ON standing.submission = judgement.submission
JOIN judgement AS root ON root.id = judgement.root
WHERE standing.contest = sqlc.arg(contest)
    AND (CAST(sqlc.arg(submission) AS TEXT) = '' OR standing.submission = sqlc.arg(submission))
    AND (judgement.id = standing.judgement OR EXISTS (
        SELECT 1 FROM rejudged JOIN rejudging ON rejudging.id = rejudged.rejudging
        WHERE rejudged.old = judgement.id AND rejudging.state = 'applied'
    ))
ORDER BY standing.number, root.started, judgement.id;

-- name: APIClarifications :many
SELECT clarification.number, clarification.ext_id, clarification.staff, clarification.team, clarification.text, clarification.reply_to,
    CAST(COALESCE(clarification.time_given, clarification.at) AS BIGINT) AS at, CAST(COALESCE(clarification.problem, '') AS TEXT) AS problem
FROM clarification WHERE clarification.contest = $1 ORDER BY clarification.number;

-- name: SetPhase :execrows
UPDATE contest SET phase = $2 WHERE id = $1 AND phase <> $2;

-- name: RaiseContestEpoch :exec
UPDATE contest SET epoch = epoch + 1 WHERE id = $1;

-- name: SubmissionNamed :one
SELECT COUNT(*) FROM submission WHERE contest = $1 AND ext_id = $2;

-- name: ClarificationNamed :one
SELECT COUNT(*) FROM clarification WHERE contest = $1 AND ext_id = $2;

-- name: ContestAccountType :one
SELECT type FROM contest_account WHERE contest = $1 AND account = $2;
