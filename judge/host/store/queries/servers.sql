-- Announce notes that a server is there, unless another process that has its id was seen since gone.
-- name: Announce :execrows
INSERT INTO server_seen (id, instance, epoch, version, address, started, seen)
VALUES (sqlc.arg(id), sqlc.arg(instance), 1, sqlc.arg(version), sqlc.arg(address), sqlc.arg(now), sqlc.arg(now))
ON CONFLICT (id) DO UPDATE SET
    epoch = CASE WHEN server_seen.instance = excluded.instance THEN server_seen.epoch ELSE server_seen.epoch + 1 END,
    started = CASE WHEN server_seen.instance = excluded.instance THEN server_seen.started ELSE excluded.started END,
    instance = excluded.instance, version = excluded.version, address = excluded.address, seen = excluded.seen
WHERE server_seen.instance = excluded.instance OR server_seen.instance = sqlc.arg(before) OR server_seen.seen < sqlc.arg(gone) OR server_seen.seen > sqlc.arg(beyond);

-- Depart notes that a process has ended.
-- name: Depart :exec
UPDATE server_seen SET seen = 0 WHERE id = $1 AND instance = $2;

-- name: Servers :many
SELECT * FROM server_seen ORDER BY id;
