-- Rejudgings with another version of a problem, and with several runs of each submission; what workers disagree about.

-- +goose Up
ALTER TABLE rejudging ADD COLUMN bundle TEXT NOT NULL DEFAULT ''; -- the version; '' for the active one of each problem
ALTER TABLE rejudging ADD COLUMN repeats BIGINT NOT NULL DEFAULT 1; -- how often each submission is judged

-- The languages and limits of each version, as last published. Of older versions only those of the active one are known.
ALTER TABLE bundle ADD COLUMN config TEXT NOT NULL DEFAULT '';
UPDATE bundle SET config = COALESCE((SELECT p.config FROM problem AS p WHERE p.id = bundle.problem), '');

-- The overview of a contest looks for the entries in which workers disagree.
CREATE INDEX audit_action ON audit (action);
