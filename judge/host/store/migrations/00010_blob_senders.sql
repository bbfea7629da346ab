-- +goose Up

-- Who has sent the bytes of a blob. Nobody else may name it: a digest opens nothing by itself.
CREATE TABLE blob_sender (
    account TEXT NOT NULL REFERENCES account (id),
    sha256 TEXT NOT NULL REFERENCES blob (sha256) ON DELETE CASCADE,
    PRIMARY KEY (account, sha256)
);
CREATE INDEX blob_sender_blob ON blob_sender (sha256);
