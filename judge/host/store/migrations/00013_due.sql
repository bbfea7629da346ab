-- +goose Up

-- How many jobs a lane gave out, and by which number of them an owner's next job goes: package
-- fair.
ALTER TABLE lane ADD COLUMN served BIGINT NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN due BIGINT NOT NULL DEFAULT 0;
CREATE INDEX job_owner ON job (lane, owner, class, start_tag, id) WHERE done_at IS NULL AND state = 'waiting';
