-- name: MediaOf :many
SELECT * FROM media WHERE contest = $1 ORDER BY type, object, property, filename;

-- name: PutMedia :exec
INSERT INTO media (contest, type, object, property, filename, sha256, size, md5, mime, width, height, tags, scaled)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (contest, type, object, filename) DO UPDATE SET property = excluded.property, sha256 = excluded.sha256, size = excluded.size,
    md5 = excluded.md5, mime = excluded.mime, width = excluded.width, height = excluded.height, tags = excluded.tags, scaled = excluded.scaled;

-- name: DeleteScaled :exec
DELETE FROM media WHERE contest = $1 AND type = $2 AND object = $3 AND property = $4 AND scaled;

-- name: DeleteMedia :execrows
DELETE FROM media WHERE contest = $1 AND type = $2 AND object = $3 AND filename = $4;

-- EraseMedia deletes all files of an object, and returns their blobs.
-- name: EraseMedia :many
DELETE FROM media WHERE contest = $1 AND type = $2 AND object = $3 RETURNING sha256;

-- name: NamedByMedia :many
SELECT DISTINCT sha256 FROM media;

-- name: RemoveMedia :exec
DELETE FROM media WHERE contest = $1;
