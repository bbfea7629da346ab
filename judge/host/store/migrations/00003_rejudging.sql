-- +goose Up

-- By which a language is told that nobody asked for: letters, digits and + only.
ALTER TABLE submission ADD COLUMN ending TEXT NOT NULL DEFAULT '';

-- Submissions of a contest that are judged again, beside the judgements that stand, until
-- somebody has what came of it count, all at once, or forgets it.
CREATE TABLE rejudging (
    id TEXT NOT NULL PRIMARY KEY,
    contest TEXT NOT NULL REFERENCES contest (id),
    filter TEXT NOT NULL, -- JSON: which were chosen
    why TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    state TEXT NOT NULL CHECK (state IN ('running', 'applied', 'cancelled')),
    made BIGINT NOT NULL,
    ended BIGINT
);
CREATE INDEX rejudging_contest ON rejudging (contest, id);

-- One of its submissions.
CREATE TABLE rejudged (
    rejudging TEXT NOT NULL REFERENCES rejudging (id),
    submission TEXT NOT NULL REFERENCES submission (id),
    old TEXT NOT NULL REFERENCES judgement (id), -- that stood when it began
    root TEXT NOT NULL REFERENCES judgement (id), -- that was made for it
    new TEXT NOT NULL REFERENCES judgement (id), -- that would count: root, or one that repeats it
    running BOOLEAN NOT NULL, -- as the rejudging
    PRIMARY KEY (rejudging, submission)
);
CREATE UNIQUE INDEX rejudged_root ON rejudged (root);
-- A submission is in one running rejudging at most.
CREATE UNIQUE INDEX rejudged_running ON rejudged (submission) WHERE running;
