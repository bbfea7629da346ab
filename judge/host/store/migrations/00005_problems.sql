-- Packages of problems that somebody brought by a page.

-- +goose Up
CREATE TABLE upload (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id),
    slug TEXT NOT NULL, -- of the problem that it is to become, or a version of
    file TEXT NOT NULL, -- what it was called
    verify BOOLEAN NOT NULL, -- before it is published
    archive TEXT NOT NULL, -- a blob; '' once it has ended
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    reason TEXT NOT NULL,
    bundle TEXT NOT NULL, -- that was made of it; '' for none
    report TEXT NOT NULL, -- of its verification, for people: a blob; '' for none
    made BIGINT NOT NULL,
    ended BIGINT
);
CREATE INDEX upload_open ON upload (id) WHERE ended IS NULL;
CREATE INDEX upload_slug ON upload (slug, id);

CREATE VIEW uploaded AS
SELECT upload.id, upload.account, upload.slug, upload.file, upload.verify, upload.archive, upload.state, upload.reason,
    upload.bundle, upload.report, upload.made, upload.ended, account.login
FROM upload
JOIN account ON account.id = upload.account;
