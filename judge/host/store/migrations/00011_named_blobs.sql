-- +goose Up

-- Whether a row was found that names what an account has sent. It is looked for only when the
-- account has sent much of which that is not known.
ALTER TABLE blob_sender ADD COLUMN named BOOLEAN NOT NULL DEFAULT FALSE;
