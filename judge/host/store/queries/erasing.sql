-- What follows takes a person out of the database. It alone changes rows that are otherwise
-- only added.

-- name: EraseAccount :execrows
UPDATE account SET login = $2, display = $3, email = '', password = '', last_login = NULL, session_epoch = session_epoch + 1, disabled = TRUE, erased = $4
WHERE id = $1 AND erased IS NULL;

-- name: EraseSessions :exec
DELETE FROM session WHERE account = $1;

-- name: EraseIdentities :exec
DELETE FROM identity WHERE account = $1;

-- name: EraseTokens :exec
DELETE FROM token WHERE account = $1;

-- name: EraseRoles :exec
DELETE FROM grant_role WHERE account = $1;

-- TeamsAlone are those of a person who is alone in them.
-- name: TeamsAlone :many
SELECT team.* FROM member
JOIN team ON team.id = member.team
WHERE member.account = $1 AND NOT EXISTS (SELECT 1 FROM member AS other WHERE other.team = member.team AND other.account <> member.account)
ORDER BY team.id;

-- EraseQuestions empties the questions of teams whose only member is the account, and the answers that went
-- only to these teams. A question stays if its answer went to other teams, too.
-- name: EraseQuestions :exec
UPDATE clarification SET text = ''
WHERE clarification.team IN (
    SELECT m.team FROM member AS m
    WHERE m.account = $1 AND NOT EXISTS (SELECT 1 FROM member AS other WHERE other.team = m.team AND other.account <> m.account)
) AND NOT EXISTS (
    SELECT 1 FROM clarification AS a
    WHERE a.contest = clarification.contest AND a.reply_to = clarification.number AND a.team IS NULL
);

-- ErasePhotos takes the photos of that person, and returns their blobs.
-- name: ErasePhotos :many
DELETE FROM media WHERE type = 'persons' AND EXISTS (
    SELECT 1 FROM contest_account AS own
    WHERE own.account = $1 AND own.contest = media.contest AND own.person = media.object
) RETURNING sha256;

-- ErasePersons takes the person away that an account is for, in each contest.
-- name: ErasePersons :exec
DELETE FROM person WHERE EXISTS (
    SELECT 1 FROM contest_account AS own
    WHERE own.account = $1 AND own.contest = person.contest AND own.person = person.id
);

-- ErasePerson is one of a team in which the erased account is alone.
-- name: ErasePerson :exec
DELETE FROM person WHERE contest = $1 AND id = $2;

-- name: EraseContestAccounts :exec
DELETE FROM contest_account WHERE account = $1;

-- name: EraseExpectedAddresses :exec
DELETE FROM account_address WHERE account = $1;

-- name: ErasePrints :exec
UPDATE print_request SET name = '', body = '' WHERE account = $1;

-- name: EraseReading :exec
DELETE FROM clarification_read WHERE account = $1;

-- name: EraseClaims :exec
DELETE FROM clarification_claim WHERE account = $1;

-- name: EraseMembers :exec
DELETE FROM member WHERE account = $1;

-- name: EraseAddresses :exec
UPDATE audit SET address = '' WHERE actor = $1;

-- name: SentOnlyBy :many
SELECT sha256 FROM blob_sender
WHERE blob_sender.account = $1 AND NOT EXISTS (SELECT 1 FROM blob_sender AS other WHERE other.sha256 = blob_sender.sha256 AND other.account <> blob_sender.account);

-- name: EraseSent :exec
DELETE FROM blob_sender WHERE account = $1;

-- name: EraseUploads :exec
UPDATE upload SET file = '' WHERE account = $1;

-- OpenJobsOf are those of the submissions of an account, to a problem, and of a contest; '' is for any.
-- name: OpenJobsOf :many
SELECT job.id FROM job
JOIN judgement ON judgement.id = job.id
JOIN submission ON submission.id = judgement.submission
WHERE job.done_at IS NULL
    AND (CAST(sqlc.arg(account) AS TEXT) = '' OR submission.account = sqlc.arg(account))
    AND (CAST(sqlc.arg(problem) AS TEXT) = '' OR submission.problem = sqlc.arg(problem))
    AND (CAST(sqlc.arg(contest) AS TEXT) = '' OR submission.contest = sqlc.arg(contest))
ORDER BY job.id;

-- CountOpenOf counts the pending submissions of an account. It reads the open jobs, which are few, and not
-- all submissions of the account.
-- name: CountOpenOf :one
SELECT COUNT(*) FROM job WHERE job.done_at IS NULL AND EXISTS (
    SELECT 1 FROM judgement JOIN submission ON submission.id = judgement.submission
    WHERE judgement.id = job.id AND submission.account = $1
);

-- CountOpenOfTeam does so for a team: it counts the submissions of all its members.
-- name: CountOpenOfTeam :one
SELECT COUNT(*) FROM job WHERE job.done_at IS NULL AND EXISTS (
    SELECT 1 FROM judgement JOIN submission ON submission.id = judgement.submission
    WHERE judgement.id = job.id AND submission.team = CAST(sqlc.arg(team) AS TEXT)
);

-- SourcesOf are the submissions of an account whose programs are there, with the contest's say.
-- name: SourcesOf :many
SELECT submission.id, submission.files, contest.settings, contest.finalized FROM submission
JOIN contest ON contest.id = submission.contest
WHERE submission.account = $1 AND submission.files <> '[]'
ORDER BY submission.id;

-- name: EraseSubmission :exec
UPDATE submission SET form_key = '', entry = '', files = '[]' WHERE id = $1;

-- name: EventsOf :many
SELECT CAST(COALESCE(events, '') AS TEXT) AS events FROM judgement WHERE submission = $1;

-- name: EraseJudgements :exec
UPDATE judgement SET events = NULL, reason = '' WHERE submission = $1;

-- name: EraseJobs :exec
UPDATE job SET spec = '{}' WHERE id IN (SELECT judgement.id FROM judgement WHERE judgement.submission = $1);

-- name: WorkflowsOf :many
SELECT id, state FROM flow WHERE owner = $1 ORDER BY id;

-- WorkflowsAbout returns the workflows whose spec names a submission.
-- name: WorkflowsAbout :many
SELECT id FROM flow WHERE spec LIKE '%' || CAST(sqlc.arg(submission) AS TEXT) || '%' ORDER BY id;

-- name: EraseRemarks :exec
UPDATE audit SET detail = '' WHERE object = $1 OR object IN (SELECT judgement.id FROM judgement WHERE judgement.submission = $1);

-- name: EraseParts :exec
DELETE FROM part WHERE flow = $1;

-- name: PartEventsOf :many
SELECT events FROM part WHERE flow = $1;

-- name: JobSpecsOf :many
SELECT spec FROM job WHERE flow = $1;

-- name: EraseJobsOfWorkflow :exec
DELETE FROM job WHERE flow = $1;

-- name: EraseWorkflow :exec
DELETE FROM flow WHERE id = $1;

-- name: CountAdmins :one
SELECT COUNT(*) FROM account_role WHERE role = 'admin' AND password <> '' AND NOT disabled;
