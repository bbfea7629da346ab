-- name: PutBlob :exec
INSERT INTO blob (sha256, size, kind, stored, seen) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (sha256) DO UPDATE SET seen = excluded.seen, kind = CASE WHEN blob.kind = 'sent' THEN excluded.kind ELSE blob.kind END;

-- name: PutSender :exec
INSERT INTO blob_sender (account, sha256) VALUES ($1, $2)
ON CONFLICT (account, sha256) DO NOTHING;

-- SentUnnamed returns how many bytes an account has sent to which no row is known to refer. One blob is
-- not counted.
-- name: SentUnnamed :one
SELECT CAST(COALESCE(SUM(blob.size), 0) AS BIGINT) FROM blob_sender JOIN blob ON blob.sha256 = blob_sender.sha256
WHERE blob_sender.account = $1 AND NOT blob_sender.named AND blob.sha256 <> $2;

-- name: UnnamedOf :many
SELECT sha256 FROM blob_sender WHERE account = $1 AND NOT named;

-- name: NameSent :exec
UPDATE blob_sender SET named = TRUE WHERE account = $1 AND sha256 = $2;

-- SentAndSeen is when a blob that an account has sent was last seen.
-- name: SentAndSeen :one
SELECT blob.seen FROM blob_sender JOIN blob ON blob.sha256 = blob_sender.sha256
WHERE blob_sender.account = $1 AND blob_sender.sha256 = $2;

-- SeeSent notes that a blob is wanted, if the account has sent it.
-- name: SeeSent :execrows
UPDATE blob SET seen = sqlc.arg(now)
WHERE blob.sha256 = sqlc.arg(sha256)
    AND EXISTS (SELECT 1 FROM blob_sender WHERE blob_sender.account = sqlc.arg(account) AND blob_sender.sha256 = blob.sha256);

-- name: BlobsSeenBefore :many
SELECT sha256 FROM blob WHERE seen < sqlc.arg(before) OR kind = 'sent' AND seen < sqlc.arg(sent_before);

-- name: DeleteBlob :execrows
DELETE FROM blob WHERE sha256 = sqlc.arg(sha256) AND (seen < sqlc.arg(before) OR kind = 'sent' AND seen < sqlc.arg(sent_before));

-- name: NamedByBundles :many
SELECT DISTINCT manifest, config FROM bundle;

-- name: NamedByProblems :many
SELECT DISTINCT config, sheet FROM problem;

-- name: NamedByJudgements :many
SELECT DISTINCT config, CAST(COALESCE(events, '') AS TEXT) AS events FROM judgement;

-- name: NamedBySubmissions :many
SELECT files FROM submission;

-- name: NamedByJobs :many
SELECT spec FROM job WHERE flow IS NOT NULL;

-- name: NamedByParts :many
SELECT DISTINCT events FROM part;

-- name: NamedByUploads :many
SELECT archive, report FROM upload;

-- EraseBlob deletes a blob that was not seen since SeeBlob noted 0.
-- name: EraseBlob :exec
DELETE FROM blob WHERE sha256 = $1 AND seen = 0;

-- name: CountBlob :one
SELECT COUNT(*) FROM blob WHERE sha256 = $1;

-- SeeBlob notes when a blob was last seen. Zero marks a blob of an erased account, which is deleted if
-- no row refers to it.
-- name: SeeBlob :exec
UPDATE blob SET seen = $2 WHERE sha256 = $1;

-- KnownBlobs are the blobs that accounts have sent and workers have returned, also those to which no row refers yet.
-- name: KnownBlobs :many
SELECT sha256 FROM blob;
