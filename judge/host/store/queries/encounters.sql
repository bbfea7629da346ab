-- name: NumberEncounter :one
UPDATE ladder SET encounters = encounters + 1, last_seq = last_seq + 1 WHERE id = $1 AND open RETURNING encounters;

-- name: InsertEncounter :exec
INSERT INTO encounter (ladder, number, a, b, flow, results, faults_a, faults_b, reason, records, worker, made, seq)
VALUES ($1, $2, $3, $4, $5, '', '', '', '', '', '', $6, 0);

-- name: EndEncounter :execrows
UPDATE encounter SET results = $3, faults_a = $4, faults_b = $5, reason = $6, records = $7, worker = $8, ended = $9, seq = $10
WHERE ladder = $1 AND number = $2 AND ended IS NULL;

-- name: OpenEncounters :many
SELECT * FROM encounter WHERE ladder = $1 AND ended IS NULL ORDER BY number;

-- name: EncountersSince :many
SELECT * FROM encounter WHERE ladder = $1 AND seq > $2 ORDER BY seq;

-- name: GetEncounter :one
SELECT * FROM encounter WHERE ladder = $1 AND number = $2;

-- name: NamedByEncounters :many
SELECT DISTINCT records FROM encounter;
