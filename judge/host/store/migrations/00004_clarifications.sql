-- +goose Up

-- + Questions of teams, answers and announcements.
CREATE TABLE clarification (
    contest TEXT NOT NULL REFERENCES contest (id),
    number BIGINT NOT NULL, -- from 1
    team TEXT REFERENCES team (id), -- that asks, or is told; null for all
    staff BOOLEAN NOT NULL, -- the staff wrote it
    problem TEXT REFERENCES problem (id), -- null for none
    text TEXT NOT NULL,
    reply_to BIGINT, -- the question that it answers
    account TEXT NOT NULL REFERENCES account (id), -- who wrote it
    at BIGINT NOT NULL,
    PRIMARY KEY (contest, number)
);
CREATE INDEX clarification_reply ON clarification (contest, reply_to) WHERE reply_to IS NOT NULL;

-- How far somebody has read.
CREATE TABLE clarification_read (
    contest TEXT NOT NULL REFERENCES contest (id),
    account TEXT NOT NULL REFERENCES account (id),
    upto BIGINT NOT NULL,
    PRIMARY KEY (contest, account)
);
